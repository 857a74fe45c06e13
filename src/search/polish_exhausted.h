/* Funcs that polishing tried in vain: none of their variants costs less. That holds until a Func changes that
 * the costs of these variants, or the verdicts on them, depend on. */
#pragma once
#include "search/polish_tries.h"

struct bw_exhausted;
/* Returns an empty set for a pipeline of n_funcs Funcs, for bw_exhausted_free. */
struct bw_exhausted *bw_exhausted_new(int n_funcs);
/* Returns a copy, for bw_exhausted_free. */
struct bw_exhausted *bw_exhausted_copy(const struct bw_exhausted *exhausted);
/* Accepts NULL. */
void bw_exhausted_free(struct bw_exhausted *exhausted);
bool bw_exhausted_has(const struct bw_exhausted *exhausted, int func);
/* Adds the current Func of the variants, all of which have been priced. */
void bw_exhausted_add(struct bw_exhausted *exhausted, const struct bw_variants *variants, int func);
/* Adds a Func that depends on the Funcs of a set, one bit each. */
void bw_exhausted_put(struct bw_exhausted *exhausted, int func, const uint64_t *set);
/* Removes the Funcs that depend on one that differs between the two schedules. */
void bw_exhausted_change(struct bw_exhausted *exhausted, const struct bw_nest *before,
			 const struct bw_nest *after);
/* Removes all Funcs but those added since the last change: under the learned model each cost depends a little
 * on how much the whole schedule allocates. Returns true if any was removed. */
bool bw_exhausted_doubt(struct bw_exhausted *exhausted);

/* Returns the try of the Func at a place of the order of decisions in a schedule that was the same there,
 * valid until the next one is added; NULL if there is none. Accepts NULL. */
const struct bw_try *bw_tries_find(const struct bw_tries *tries, const struct bw_variants *variants,
				   int place);
/* Adds a try of the Func at a place, none of whose variants costs less; all were priced. Accepts NULL. */
void bw_tries_add(struct bw_tries *tries, const struct bw_variants *variants, int place);
