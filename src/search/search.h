/* The beam search of Anderson et al. 2021, section 4. The caller advances it decision by decision, and can
 * look at any position.
 *
 * Funcs are decided consumers first. Each Func takes two decisions (phases): where to compute it, and how
 * to tile it. At position p the beam holds the best states in which the first p decisions are made;
 * position 0 holds the one state with nothing placed. A decision is a pure function of parent state,
 * constraints and seed. What was not recorded is computed again by bw_search_expand with the same
 * functions, so an explanation never differs from what the search did. */
#pragma once

#include "base/routine.h"
#include "search/record.h"

struct bw_search;
enum bw_search_status { BW_SEARCH_GOING, BW_SEARCH_DONE, BW_SEARCH_DEAD };

/* Returns a search at position 0. The caller keeps the pipeline, device and model alive;
 * constraints are copied. */
struct bw_search *bw_search_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
				const struct bw_constraints *constraints);
/* Returns a fork of a search with other constraints or options (NULL: unchanged). The fork shares all
 * positions before the first decision that the new constraints or options affect, and continues from the
 * last shared position. The original does not change. */
struct bw_search *bw_search_fork(const struct bw_search *search, const struct bw_settings *options,
				 const struct bw_constraints *constraints);
/* Returns a search that continues with a single state in the beam: the state of this rank, after it takes
 * an option at decision `index`. Polishing does not change the option's Func. The option must have a nest. */
struct bw_search *bw_search_branch(const struct bw_search *search, int index, int rank,
				   const struct bw_option *option);
/* Takes the best schedule of the finished search that a branch comes from, and places the option's Func as
 * the option says. The other Funcs stay as they are where possible; the search decides the rest. Returns
 * the result, for bw_nest_drop. Returns NULL if there is none, or if it was stopped. *cost: the cost of
 * the result; infinite if there is none. */
struct bw_nest *bw_search_branch_nest(const struct bw_search *branch, const struct bw_search *search,
				      const struct bw_yield *yield, double *cost);
/* Lets polishing end as soon as a schedule costs less than `cost`. */
void bw_search_suffice(struct bw_search *search, double cost);
void bw_search_free(struct bw_search *search);
/* Frees the search. Calls `yield` meanwhile, so that other routines can run, but cannot be stopped. */
void bw_search_give_back(struct bw_search *search, const struct bw_yield *yield);
/* Returns the bytes of a search's states, schedules and records. The bytes of data that several searches
 * share are divided between these searches, so that the bytes of all searches can be added. */
int64_t bw_search_bytes(const struct bw_search *search);
/* Advances to position `until`, or to the end if that comes first. Returns GOING if it was stopped (yield
 * may be NULL). The next call then starts the interrupted decision again. Returns DEAD if no legal option
 * was left. *error then names the Func, the rules and how many options each rule pruned. */
enum bw_search_status bw_search_advance(struct bw_search *search, int until, const struct bw_yield *yield,
					struct bw_error *error);

/* The decisions in order. Position p is before decision p and after decision p - 1. */
int bw_search_n_decisions(const struct bw_search *search);
const struct bw_decision *bw_search_decision(const struct bw_search *search, int index);
/* Returns the furthest position reached, which equals the number of decisions made. */
int bw_search_reached(const struct bw_search *search);
/* Returns the position of the decision on a Func in a phase of a pass (from 1; 0: the pre-pass); -1
 * if there is none. */
int bw_search_find(const struct bw_search *search, int func, enum bw_phase phase, int pass);
/* Returns the first pass: 0 if there is a pre-pass, else 1. */
int bw_search_first_pass(const struct bw_search *search);
/* Returns the pass at whose end Funcs are frozen, which is the first one; -1 if none are. */
int bw_search_freezing_pass(const struct bw_search *search);
/* Returns the pass that a position belongs to. The end of a pass still belongs to it. */
int bw_search_pass(const struct bw_search *search, int position);
/* Return the positions of a pass's first decision and of its end. */
int bw_search_pass_start(const struct bw_search *search, int pass);
int bw_search_pass_end(const struct bw_search *search, int pass);
/* Sets *states to the states at a position (0 .. reached), best first. Returns how many there
 * are. */
int bw_search_beam(const struct bw_search *search, int position, const struct bw_state *const **states);
/* Returns the state of a rank at a position; rank 0 is the best. Returns NULL if there are fewer states. */
const struct bw_state *bw_search_state(const struct bw_search *search, int position, int rank);
/* Returns a digest of the placements and costs of all states from position 0 to this one. Two searches
 * with bit-identical results have equal digests. */
uint64_t bw_search_digest(const struct bw_search *search, int position);
/* Sets *frozen to the Funcs frozen in a pass, in the order of decisions. Funcs that the user has
 * constrained, or has excluded from freezing, are included. Returns their number. Returns 0 for the
 * freezing pass itself, and before its end is reached. */
int bw_search_frozen(const struct bw_search *search, int pass, const struct bw_frozen **frozen);
/* Returns the frozen choice that holds a Func in a pass; NULL if there is none or the user constrains
 * the Func. */
const struct bw_frozen *bw_search_frozen_on(const struct bw_search *search, int func, int pass);
/* Computes again all options of decision `index` from the state of this rank at its position. If the
 * decision was made, fates and ranks come from its record; else the fate of options is COSTED. Returns
 * NULL if it was stopped (yield may be NULL). */
struct bw_expansion *bw_search_expand(const struct bw_search *search, int index, int rank,
				      const struct bw_yield *yield);
/* Added to the penalty factor of a state if no good state of the pass before had its structure. */
enum { BW_PENALTY_UNBLESSED = 10 };
/* How earlier passes affect the cost of a state that decision `index` leads to (section 4.5). */
struct bw_steering {
	/* structures are counted while the next beam is chosen: the cost of the kth state with the same
	 * structure is multiplied by k */
	bool penalized;
	int depth;          /* the depth to which structures are compared: the number of the pass */
	uint64_t structure; /* structure hash of the state, to this depth */
	/* true from pass 2 on: the penalty factor grows by BW_PENALTY_UNBLESSED unless the state's
	 * structure, to depth - 1, is that of a good state of the previous pass ("blessed") */
	bool judged;
	bool blessed; /* the state's structure is blessed */
};
struct bw_steering bw_search_steering(const struct bw_search *search, int index, const struct bw_nest *nest);
/* Returns true if the structures of the state of this rank, and of its ancestors, are blessed for the
 * next pass: at the end of a pass, true for the good states. */
bool bw_search_blesses(const struct bw_search *search, int position, int rank);
/* One change that polishing made to a single Func: its placement and the cost of the whole schedule,
 * before and after. A move to another compute site may raise the cost; the steps that follow then bring it
 * below the cost before the move. */
struct bw_polish_step {
	const struct bw_placement *from, *to;
	double before, after;
};
/* The result of polishing at the end of the last pass: the steps in order, and how many variants were
 * priced. */
struct bw_polish {
	/* no allowed variant (search/variants.h) of the schedule costs less, unless `cut` is set */
	bool done;
	bool cut;  /* the pipeline is so long that polishing ended early */
	/* the polished schedule is that of the search without the newest override, with the override
	 * applied to it; no schedule of the beam costs less */
	bool overridden;
	int starts;      /* number of schedules that were polished */
	int from;        /* the rank before polishing of the schedule that is the best after polishing */
	int n, capacity;
	struct bw_polish_step *steps; /* the steps of that schedule */
	long priced;                  /* number of variants that were priced */
	/* how many of the priced variants the search that a branch comes from had priced before */
	long spared;
	struct bw_tries *tries;       /* the tries of this search, for its branches; NULL: none are kept */
};
void bw_polish_free(struct bw_polish *polish);
/* Polishes a complete schedule with the constraints and settings of a search, which may stand at any
 * position. Sets *polish to the steps, for bw_polish_free. Sets *after (NULL: not wanted) to the resulting
 * schedule, for bw_nest_drop. Returns false if it was stopped. */
bool bw_search_improve(struct bw_search *search, struct bw_nest *nest, const struct bw_yield *yield,
		       struct bw_polish *polish, struct bw_nest **after);
/* Finds the cheapest other placement of a Func in a complete schedule, even if a constraint holds the
 * Func. Sets *placement to it, with a reference, or to NULL if there is none. Sets *cost to the cost of
 * the whole schedule with it. Returns false if it was stopped. */
bool bw_search_otherwise(struct bw_search *search, struct bw_nest *nest, int func,
			 const struct bw_yield *yield, const struct bw_placement **placement, double *cost);
/* Returns the result of polishing at a position that was reached. Returns NULL if nothing was polished at
 * this position. */
const struct bw_polish *bw_search_polish(const struct bw_search *search, int position);
/* Returns the cost of the schedule that is being polished; 0 if none is. */
double bw_search_polishing(const struct bw_search *search);
/* Returns the cost of a state with all terms, owned by the arena. */
struct bw_cost bw_search_cost(const struct bw_search *search, const struct bw_nest *nest,
			      struct bw_arena *arena);
const struct bw_settings *bw_search_settings(const struct bw_search *search);
/* Returns the search's own device: the device of the options, with the limits that other options set. */
const struct bw_device *bw_search_device(const struct bw_search *search);
const struct bw_constraints *bw_search_constraints(const struct bw_search *search);
/* Returns true if no constraint for a pass contradicts a state of an earlier pass. */
bool bw_state_allowed(const struct bw_search *search, const struct bw_state *state, int pass);
const struct bw_pipeline *bw_search_pipeline(const struct bw_search *search);
/* Returns true if no hard rule objects to the vectors of a schedule; otherwise appends the Func and why. */
bool bw_rules_vectors(const struct bw_nest *nest, const struct bw_settings *options, struct bw_text *why);
/* Totals over all decisions made, and the seconds spent. */
struct bw_search_totals {
	double seconds;
	long enumerated, buckets, unsampled, costed, kept, second, dropped_out, pruned[BW_N_RULES];
	long evaluated; /* see struct bw_decision; including probes */
	long probed;
	long let_go;
	int frozen; /* Funcs that the search froze */
	/* complete schedules that were costed; a schedule that occurs in several passes counts once */
	long complete;
};
struct bw_search_totals bw_search_totals(const struct bw_search *search);
/* Returns the totals of one pass (0: the pre-pass); seconds are those of its decisions. */
struct bw_search_totals bw_search_pass_totals(const struct bw_search *search, int pass);

/* For other schedulers, which explore the same space with the same costs. Returns all options of decision
 * `index` for the partial schedule `nest`, whose cost so far is `cost`. The options have the search's
 * fates and costs, but no nests and no words. The search would continue with the options of fate COSTED.
 * Free with bw_expansion_free. */
struct bw_expansion *bw_search_offered(const struct bw_search *search, int index, struct bw_nest *nest,
				       double cost);
/* Returns true if the search inlines a Func without a choice. */
bool bw_search_inlines(const struct bw_search *search, int func);
