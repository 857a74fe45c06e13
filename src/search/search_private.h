/* Declarations that only the files of src/search share: expanding the states of a beam for one decision,
 * merging the children into the next beam, the positions that a search has reached, and what happens between
 * passes. */
#pragma once
#include "base/hash.h"
#include "search/pricing.h"
#include "search/search.h"

struct bw_position;
struct bw_parent;
struct bw_parents;

/* An expansion: every option is placed and judged by the rules; then the options to cost are sampled; these
 * are costed; and if there are none, second choices are. Without sampling, an option is costed as soon as it
 * is judged. */
struct bw_expanding {
	struct bw_question question;
	struct bw_expansion *expansion; /* NULL until the options are proposed */
	struct bw_proposals proposals;
	bool proposed; /* all of them */
	bool begun;   /* the options own the placements of the proposals, unless they are borrowed */
	bool borrows; /* the proposals and their placements belong to the leader, which may be this one */
	/* of a leader: the proposals that its followers borrow, until all of them are freed */
	struct bw_proposals lent;
	/* options keep no nests: the few of many thousands that are kept are placed again */
	bool lean;
	bool draws; /* ends once the options to cost are sampled: they are COSTED and have no cost */
	char let_go[sizeof ((struct bw_expansion *)NULL)->let_go]; /* see struct bw_expansion */
	/* structure hashes of the parent without the Func, to the depth of the pass and to one
	 * less */
	uint64_t others[2];
	/* an earlier parent that is offered the same tiles; NULL if there is none */
	const struct bw_expanding *leader;
	bool leads;    /* may have followers */
	bool followed; /* has the verdicts of its leader */
	/* the verdicts for its followers, once all its options are judged; else NULL */
	struct bw_judged *judged;
	struct bw_pricing pricing;
};
/* Notes the question. ms: as in bw_pricing_begin; lean: silent, too. */
void bw_expanding_begin(struct bw_expanding *expanding, const struct bw_question *question, const double *ms,
			bool lean);
/* Turns an expansion that has not run into a leader: proposes its options. Returns false if it was
 * stopped. */
bool bw_expanding_lead(struct bw_expanding *expanding);
/* Turns an expansion that has not run into a follower of `leader`, whose options are proposed. */
void bw_expanding_like(struct bw_expanding *expanding, const struct bw_expanding *leader);
/* Makes the expansion. Returns false if it was stopped. */
bool bw_expanding_run(struct bw_expanding *expanding);
/* Frees an expanding, with its expansion unless the caller took that and left NULL. */
void bw_expanding_end(struct bw_expanding *expanding);

/* Counts of structures, by which children are penalized while one beam is chosen. */
struct bw_penalties {
	const struct bw_hashes *blessed; /* of depth - 1; NULL if there are none */
	const struct bw_pipeline *pipeline;
	bool sized;  /* the size of the decided tiling counts as part of the structure */
	bool families; /* and so does the family (bw_nest_family) */
	bool judges; /* structures that are not blessed have a penalty, because there was a pass before */
	/* of `seen`, a hash table whose capacity is a power of two; at most half of its places are
	 * taken */
	int n, capacity;
	struct bw_seen {
		uint64_t structure;
		int times; /* 0: the place is free */
	} *seen;
};
/* Returns true if children of this decision are penalized; then the caller ends *penalties with
 * bw_penalties_end. */
bool bw_penalties_begin(const struct bw_search *search, int index, struct bw_penalties *penalties);
void bw_penalties_end(struct bw_penalties *penalties);
/* Returns the penalty factor (at least 1) for the next option looked at. `parent` is the nest of its
 * parent, `placement` the placement of its Func. */
int bw_penalty_of(struct bw_penalties *penalties, const struct bw_option *option,
		  const struct bw_nest *parent, const struct bw_placement *placement);
/* Returns a hash of how large the blocks of the outputs are, without the Func `except` (-1: of all).
 * States of different families differ in which Funcs can be computed in these blocks. */
uint64_t bw_nest_family(const struct bw_nest *nest, int except);
/* What random dropout depends on while one beam is chosen. */
struct bw_dropout {
	uint64_t seed, pass, index; /* of the decision */
	double stays;               /* the chance of a child to stay, 0..1 */
};
struct bw_dropout bw_dropout_begin(const struct bw_search *search, int index);
/* Returns true if the child that makes this state is dropped at random. left: other children that are still
 * to be looked at; with two or fewer none is dropped. */
bool bw_dropped_out(const struct bw_dropout *dropout, uint64_t state, int left);
/* Fills next->beam with the best children of all parents, and completes the record next->decision. Returns
 * false if it was stopped. */
bool bw_beam_fill(const struct bw_search *search, const struct bw_parents *parents, struct bw_position *next);
/* Makes the next beam, with its record, from the best children of a decision, one for each schedule.
 * Returns NULL if it was stopped. */
struct bw_position *bw_merge(const struct bw_search *search, const struct bw_parents *parents);

/* A child on its way into the beam. */
struct bw_candidate {
	double key; /* the order in which children are taken: the cost, or a random number */
	uint64_t hash;
	int parent, option;
	int rank, penalty; /* rank: known once it is taken; penalty: once it is looked at */
};
/* Returns true if a child is taken before another one: by least key, then rank, hash, parent, option. */
bool bw_candidate_before(const struct bw_candidate *a, const struct bw_candidate *b);

/* What an expanded parent contributes to the merge. */
struct bw_gathered {
	long pruned[BW_N_RULES], second, unsampled, evaluated;
	bool awaits;               /* as in the record */
	int n;                     /* costed options */
	struct bw_candidate *list; /* these, in order; NULL if they have not been gathered */
};

/* A state of the beam that is expanded. */
struct bw_parent {
	struct bw_expanding expanding;
	struct bw_gathered gathered; /* set when the expansion is done */
};

struct bw_parents {
	int index;                     /* of the decision */
	const struct bw_position *from; /* the beam */
	int n;
	struct bw_parent *list; /* by rank in the beam */
	bool alone; /* there is one parent, those not counted that are in the beam because of a pin */
};
/* Expands all states of a beam for a decision; `parents` are to be ended in any case. Returns false if it was
 * stopped. */
bool bw_parents_expand(struct bw_parents *parents, const struct bw_search *search, int index,
		       const struct bw_position *from);
void bw_parents_end(struct bw_parents *parents);

/* Decisions per Func and pass. */
enum { BW_FUNC_PHASES = 2 };

/* A position that was reached, with the record of the decision before it. Shared between a search
 * and its forks. */
struct bw_position {
	int references;
	uint64_t digest; /* of the states here and at all positions before: placements and costs */
	/* memory, including the parts of its states that these do not share with their parents */
	int64_t bytes;
	int n;
	const struct bw_state **beam;
	/* by state and stage, until the next position is reached; then NULL. Also NULL for a state
	 * whose costs are not known. */
	double **ms;
	struct bw_decision decision; /* the decision that led here; unused at position 0 */
	/* a pin that no state can have, while the error is made; else NULL */
	const struct bw_constraint *missed;
	int n_frozen;
	/* at the end of the freezing pass: the Funcs that later passes hold, in the order of
	 * decisions */
	struct bw_frozen * frozen;
	struct bw_hashes blessed;  /* at the end of a pass: the structures that the next pass may return to */
	struct bw_polish polish;   /* at the end of the last pass */
	struct bw_hashes complete; /* complete schedules that were costed here */
	int first_complete,
	    first_in_pass; /* how many of these no earlier decision had costed: in any pass, in this pass
			      */
};

struct bw_search {
	const struct bw_pipeline *pipeline;
	struct bw_settings said;    /* as the caller gave them */
	struct bw_settings options; /* `said`, with `device` below as their device */
	struct bw_device device;
	struct bw_constraints constraints;
	int first_pass; /* 0: the pre-pass, or 1 */
	bool freezes; /* Funcs are frozen at the end of the first pass, which may be the pre-pass */
	int n_decisions, pass_decisions; /* in all passes, including those between passes; in one pass */
	struct bw_decision *plan; /* Func and phase of all decisions */
	int n_reached; /* positions; at least 1 */
	struct bw_position **reached;
	const struct bw_yield *yield; /* asked while it advances; else NULL */
	struct bw_search *without; /* this search without the newest override: its best schedule is
				      polished, too, after applying the override; NULL: nothing is
				      overridden, or that search is dead */
	double enough;    /* polishing ends once a schedule costs less */
	double polishing; /* cost of the schedule that is being polished; 0: none is */
	double seconds;
	long recorded_limit; /* BW_RECORDED_CHILDREN; less in tests */
	struct bw_recall recall;
	struct bw_tries *tries; /* of a branch: those of the finished search that it comes from; else NULL */
};

/* Returns true if the best schedule at the end is polished. */
bool bw_search_polishes(const struct bw_search *search);
struct bw_position *bw_position_new(int capacity);
/* Sets the bytes and the digest of a position. `before` is the position before it, or NULL. */
void bw_position_measure(struct bw_position *reached, const struct bw_position *before);
void bw_position_drop(struct bw_position *reached);
/* Frees the ms of the states, which are only used by the next decision. */
void bw_position_forget(struct bw_position *reached);
/* Returns the question that decision `index` puts to a parent. */
struct bw_question bw_search_question(const struct bw_search *search, int index,
				      const struct bw_state *parent, bool alone);
/* Returns true if a decision asks only one state of a beam, not counting states that are there only
 * because a tiling of this Func was pinned: a pin must not change the sampling. */
bool bw_search_alone(const struct bw_search *search, int index, const struct bw_position *from);
/* Returns the largest number of states in the beam after a decision. */
int bw_search_keeps(const struct bw_search *search, int index);

/* Freezes Funcs at the end of the pass that freezes. Returns false, with none frozen, if it was stopped. */
bool bw_freeze(const struct bw_search *search, struct bw_position *end);
/* The least cost of a schedule with one Func at another place, as the search would place it. */
struct bw_probe {
	const struct bw_search *search;
	const struct bw_nest *whole;  /* the schedule */
	const struct bw_nest *before; /* with the Funcs that are decided before this one */
	int place;                    /* of the Func, in the order of decisions */
	double best;                  /* 0 if there is no other place */
	long costed;                  /* how many schedules were costed */
};
/* Probes the other places of a Func. `way` are the schedule's states by position, from the start of the first
 * pass to its end. Returns false if it was stopped. */
bool bw_probe(struct bw_probe *probe, const struct bw_search *search, const struct bw_state *const *way,
	      int place);
/* Blesses the structures of good states and their ancestors at the end of a pass, including states of
 * earlier passes that are still among the best. Returns false if it was stopped. */
bool bw_bless(const struct bw_search *search, struct bw_position *end, int pass);

/* Polishes the best schedule of a position, which nothing else uses yet; the result becomes the first
 * state of its beam. Returns false, with the position as it was, if it was stopped. */
bool bw_polish(const struct bw_search *search, struct bw_position *end);
/* Changes one Func of a schedule as a constraint of the search says, and returns the variants of the result;
 * NULL if that is impossible. */
struct bw_variants *bw_polish_held(const struct bw_search *search, const struct bw_constraint *constraint,
				   struct bw_nest *nest);

/* Funcs that a search's polishing tried in vain, with the Funcs around them. A schedule that is the same
 * around such a Func, as one of the search with a runner-up in it, need not try it again. */

/* A try in vain. */
struct bw_try {
	int priced;    /* variants */
	uint64_t *set; /* the Funcs that their costs depend on, one bit each */
	uint64_t hash; /* of these Funcs, as they were */
};

/* Shared between a search and its branches, which run one at a time. */
struct bw_tries {
	int references;
	int n_funcs, words; /* words: in a set of Funcs */
	struct bw_tries_of {
		int n, capacity;
		struct bw_try *list;
	} *of; /* by Func */
};
/* Returns no tries, for a pipeline of n_funcs Funcs, for bw_tries_drop. */
struct bw_tries *bw_tries_new(int n_funcs);
/* Adds a reference and returns the tries. Accepts NULL. */
struct bw_tries *bw_tries_keep(struct bw_tries *tries);
/* Drops a reference; the last one frees the tries. Accepts NULL. */
void bw_tries_drop(struct bw_tries *tries);
