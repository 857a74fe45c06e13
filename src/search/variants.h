/* Variants of a schedule: one Func is placed otherwise, all others stay as they are. Polishing takes the
 * best variant, and the form of `override` shows the same ones: every site that the search offers the
 * Func beside those decided before it, at a block with all sizes, at root with other sizes in one
 * dimension; and its current site, unrolled or not, and in another memory. */
#pragma once
#include "search/search.h"

struct bw_variant {
	const struct bw_placement *placement; /* of the Func; kept while the variant is listed */
	bool possible; /* no hard limit is exceeded, and the Funcs decided later can stay as they are */
	bool allowed;  /* also, no rule prunes it except the limit on recomputation, which a cost of the
			  whole schedule includes. Polishing takes only allowed variants */
	bool priced;
	double cost;  /* of the whole schedule; 0: not priced, or not possible */
	char *reason; /* why it is not possible or not allowed, if words were asked for; else NULL */
};

/* Begins with the variants of a schedule, or of a part of one with the first Funcs of the order. Keeps
 * the schedule; the search must outlive the variants. pass: the pass whose constraints hold. asked: the
 * user looks at the variants: they have words, those that are not allowed are listed, too, and no
 * constraint holds the changed Func. */
struct bw_variants;
struct bw_variants *bw_variants_begin(const struct bw_search *search, struct bw_nest *nest, int pass,
				      bool asked);
/* Accepts NULL. */
void bw_variants_end(struct bw_variants *variants);
/* Returns the schedule as it is now, its cost, and how many Funcs of it are placed. */
const struct bw_nest *bw_variants_nest(const struct bw_variants *variants);
double bw_variants_cost(const struct bw_variants *variants);
/* Returns the costs of its stages, by stage. */
const double *bw_variants_ms(const struct bw_variants *variants);
int bw_variants_funcs(const struct bw_variants *variants);
/* Returns the Func at a place in the order of decisions. */
int bw_variants_func(const struct bw_variants *variants, int place);
/* Turns to a Func by its place in the order of decisions, and lists its variants. Returns false if it was
 * stopped. */
bool bw_variants_turn(struct bw_variants *variants, int place, const struct bw_yield *yield);
/* Turns to a Func by its place, lists this placement of it and nothing else, and prices it. */
void bw_variants_try(struct bw_variants *variants, int place, const struct bw_placement *placement);
/* late: later lists have the variants of plans that are tried late, or together with other changes, and
 * nothing else. together: without `late`, they have those that are tried late at other sites in threads,
 * too. */
void bw_variants_late(struct bw_variants *variants, bool late, bool together);
/* Returns which variants bw_variants_late chose. */
uint64_t bw_variants_listed(const struct bw_variants *variants);
/* Returns a hash of a Func as it is placed, and of what holds it. */
uint64_t bw_variants_hash(const struct bw_variants *variants, int func);
/* Returns the listed variants, valid until the next call; *n: their number. */
const struct bw_variant *bw_variants_list(const struct bw_variants *variants, int *n);
/* Prices a variant of the list. If it costs less than `below`, finds out whether it is allowed; if not,
 * the cost may cover only some kernels, unless the user looks at the variants. */
void bw_variants_price(struct bw_variants *variants, int number, double below);
/* Adds to a set of Funcs, one bit each, the Funcs in the kernels changed by variants priced since the
 * last turn, and the Funcs that these kernels read. */
void bw_variants_concerned(const struct bw_variants *variants, uint64_t *set);
/* Returns the schedule with this placement of its Func, for bw_nest_drop; NULL if the Funcs decided
 * later cannot stay as they are. */
struct bw_nest *bw_variants_changed(const struct bw_variants *variants, const struct bw_placement *placement);
/* Makes the change: from then on the list has the variants of the changed schedule. */
void bw_variants_take(struct bw_variants *variants, int number);
