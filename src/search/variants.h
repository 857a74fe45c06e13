/* Variants of a schedule. In a variant one Func has another placement; all others are unchanged. Polishing
 * takes the best variant, and the form of `override` shows the same list.
 *
 * The variants of a Func are: every site that the search offers it, given the Funcs decided before it; at
 * a block, all sizes; at root, sizes that differ in one dimension; at its current site, also unrolled or
 * not, and in another memory. */
#pragma once
#include "search/search.h"

struct bw_variant {
	const struct bw_placement *placement; /* placement of the Func; valid while the variant is listed */
	bool possible; /* no hard limit is exceeded, and the Funcs decided later can keep their placements */
	/* possible, and no rule prunes it. The limit on recomputation is not applied, because the cost of
	 * the whole schedule includes recomputation. Polishing takes only allowed variants. */
	bool allowed;
	bool priced;
	double cost;  /* cost of the whole schedule; 0: not priced, or not possible */
	char *reason; /* why it is not possible or not allowed, if words were asked for; else NULL */
};

/* Begins the variants of a schedule, complete or with only the first Funcs of the order. Keeps the
 * schedule. The search must outlive the variants. pass: the pass whose constraints apply. asked: the user
 * looks at the variants. They then have words, variants that are not allowed are listed, too, and no
 * constraint holds the changed Func. */
struct bw_variants;
struct bw_variants *bw_variants_begin(const struct bw_search *search, struct bw_nest *nest, int pass,
				      bool asked);
/* Accepts NULL. */
void bw_variants_end(struct bw_variants *variants);
/* These return the current schedule, its cost, and the number of its placed Funcs. */
const struct bw_nest *bw_variants_nest(const struct bw_variants *variants);
double bw_variants_cost(const struct bw_variants *variants);
/* Returns the costs of the current schedule, by stage. */
const double *bw_variants_ms(const struct bw_variants *variants);
int bw_variants_funcs(const struct bw_variants *variants);
/* Returns the Func at a place in the order of decisions. */
int bw_variants_func(const struct bw_variants *variants, int place);
/* Selects a Func by its place in the order of decisions, and lists its variants. Returns false if it was
 * stopped. */
bool bw_variants_turn(struct bw_variants *variants, int place, const struct bw_yield *yield);
/* Selects a Func by its place. Lists only this placement of the Func, and prices it. */
void bw_variants_try(struct bw_variants *variants, int place, const struct bw_placement *placement);
/* Chooses what later lists contain. late: only the variants of plans that are tried late (together: those
 * that are tried together with other changes). together without late: also the variants that are tried
 * late at other sites in threads. */
void bw_variants_late(struct bw_variants *variants, bool late, bool together);
/* Returns the choice of bw_variants_late, as bits. */
uint64_t bw_variants_listed(const struct bw_variants *variants);
/* Returns a hash of a Func's placement and of the constraint that holds the Func. */
uint64_t bw_variants_hash(const struct bw_variants *variants, int func);
/* Returns the listed variants, valid until the next call; *n: their number. */
const struct bw_variant *bw_variants_list(const struct bw_variants *variants, int *n);
/* Prices a variant of the list. If it costs less than `below`, finds out whether it is allowed. If it does
 * not, its cost may include only some of the kernels, unless the user looks at the variants. */
void bw_variants_price(struct bw_variants *variants, int number, double below);
/* Adds Funcs to a set with one bit per Func: those in the kernels that were changed by the variants priced
 * since the last bw_variants_turn, and those that these kernels read. */
void bw_variants_concerned(const struct bw_variants *variants, uint64_t *set);
/* Returns the schedule with this placement of its Func, for bw_nest_drop. Returns NULL if the Funcs
 * decided later cannot keep their placements. */
struct bw_nest *bw_variants_changed(const struct bw_variants *variants, const struct bw_placement *placement);
/* Applies a variant to the schedule. The list then has the variants of the changed schedule. */
void bw_variants_take(struct bw_variants *variants, int number);
