/* Declarations private to src/search: the expansion of the states of a beam for one decision, the merge of
 * their children into the next beam, the positions that a search has reached, and the steps between
 * passes. */
#pragma once
#include "base/hash.h"
#include "search/pricing.h"
#include "search/search.h"

struct bw_position;
struct bw_parent;
struct bw_parents;

/* An expansion of one parent for one decision. First, every option is placed and judged by the rules. Then
 * the options to cost are sampled, and costed. If no option was costed, second choices are. Without
 * sampling, an option is costed as soon as it is judged.
 *
 * Parents that are offered the same tiles share work: one of them is the leader, the later ones are its
 * followers. A follower takes over the leader's proposals and verdicts. */
struct bw_expanding {
	struct bw_question question;
	struct bw_expansion *expansion; /* NULL until the options are proposed */
	struct bw_proposals proposals;
	bool proposed; /* true: all options are proposed */
	bool begun;   /* true: the options own the placements of the proposals, unless `borrows` is set */
	/* the proposals and their placements belong to the leader (to this expansion itself, if it leads) */
	bool borrows;
	/* of a leader: the proposals that its followers use, until all followers are freed */
	struct bw_proposals lent;
	/* true: options keep no nests, to save memory; the few children that are kept are placed again */
	bool lean;
	/* true: the expansion ends when the options to cost are sampled; they have the fate COSTED, but no
	 * cost */
	bool draws;
	char let_go[sizeof ((struct bw_expansion *)NULL)->let_go]; /* see struct bw_expansion */
	/* structure hashes of the parent without the decided Func, to the depth of the pass and to one
	 * less */
	uint64_t others[2];
	/* an earlier parent that is offered the same tiles; NULL if there is none */
	const struct bw_expanding *leader;
	bool leads;    /* this expansion may have followers */
	bool followed; /* this expansion has taken over its leader's verdicts */
	/* of a leader: the verdicts for its followers, once all options are judged; else NULL */
	struct bw_judged *judged;
	struct bw_pricing pricing;
};
/* Begins an expansion. ms: as in bw_pricing_begin. lean: the field; options then have no words either. */
void bw_expanding_begin(struct bw_expanding *expanding, const struct bw_question *question, const double *ms,
			bool lean);
/* Makes an expansion a leader, before it runs: proposes its options. Returns false if it was stopped. */
bool bw_expanding_lead(struct bw_expanding *expanding);
/* Makes an expansion a follower of `leader`, before it runs. The leader's options must be proposed. */
void bw_expanding_like(struct bw_expanding *expanding, const struct bw_expanding *leader);
/* Runs the expansion. Returns false if it was stopped. */
bool bw_expanding_run(struct bw_expanding *expanding);
/* Frees an expansion with its result `expansion`. A caller that keeps the result sets the field to NULL
 * first. */
void bw_expanding_end(struct bw_expanding *expanding);

/* Counts how often each structure has occurred while one beam is chosen. Children are penalized by these
 * counts. */
struct bw_penalties {
	const struct bw_hashes *blessed; /* blessed structures, to depth - 1; NULL if there are none */
	const struct bw_pipeline *pipeline;
	bool sized;  /* true: the size of the decided tiling is part of the structure */
	bool families; /* true: the family (bw_nest_family) is part of the structure */
	/* true: structures that are not blessed are penalized, because there was an earlier pass */
	bool judges;
	/* size of `seen`, a hash table. The capacity is a power of two; at most half of the slots are
	 * taken. */
	int n, capacity;
	struct bw_seen {
		uint64_t structure;
		int times; /* how often it occurred; 0: the slot is free */
	} *seen;
};
/* Returns true if children of this decision are penalized. The caller must then end *penalties with
 * bw_penalties_end. */
bool bw_penalties_begin(const struct bw_search *search, int index, struct bw_penalties *penalties);
void bw_penalties_end(struct bw_penalties *penalties);
/* Returns the penalty factor (at least 1) for an option, and counts its structure. `parent` is the nest of
 * the option's parent, `placement` the placement of the decided Func. */
int bw_penalty_of(struct bw_penalties *penalties, const struct bw_option *option,
		  const struct bw_nest *parent, const struct bw_placement *placement);
/* Returns the family of a nest: a hash of the block sizes of the outputs, without the Func `except` (-1:
 * all outputs). Families differ in which Funcs can be computed in the outputs' blocks. */
uint64_t bw_nest_family(const struct bw_nest *nest, int except);
/* The inputs of random dropout while one beam is chosen. */
struct bw_dropout {
	uint64_t seed, pass, index; /* of the decision */
	double stays;               /* probability that a child is not dropped, 0..1 */
};
struct bw_dropout bw_dropout_begin(const struct bw_search *search, int index);
/* Returns true if the child that makes this state is dropped at random. left: number of other children
 * that are still to be looked at. If it is two or less, no child is dropped. */
bool bw_dropped_out(const struct bw_dropout *dropout, uint64_t state, int left);
/* Fills next->beam with the best children of all parents, and completes the record next->decision. Returns
 * false if it was stopped. */
bool bw_beam_fill(const struct bw_search *search, const struct bw_parents *parents, struct bw_position *next);
/* Makes the next position: its beam, from the best children of a decision, and its record. Of children
 * with equal schedules only one enters the beam. Returns NULL if it was stopped. */
struct bw_position *bw_merge(const struct bw_search *search, const struct bw_parents *parents);

/* A child that may enter the next beam. */
struct bw_candidate {
	double key; /* children are taken in ascending order of key: the cost, or a random number */
	uint64_t hash;
	int parent, option;
	int rank, penalty; /* rank: set when the child is taken; penalty: set when it is looked at */
};
/* Returns true if child a is taken before child b. Compares key, then rank, hash, parent, option; the
 * lesser comes first. */
bool bw_candidate_before(const struct bw_candidate *a, const struct bw_candidate *b);

/* What an expanded parent contributes to the merge. */
struct bw_gathered {
	long pruned[BW_N_RULES], second, unsampled, evaluated;
	bool awaits;               /* see struct bw_decision */
	int n;                     /* costed options */
	struct bw_candidate *list; /* the costed options, in order; NULL if they have not been gathered */
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
	bool alone; /* true: there is only one parent, not counting parents that a pin put into the beam */
};
/* Expands all states of a beam for a decision. Returns false if it was stopped. The caller ends `parents`
 * with bw_parents_end in both cases. */
bool bw_parents_expand(struct bw_parents *parents, const struct bw_search *search, int index,
		       const struct bw_position *from);
void bw_parents_end(struct bw_parents *parents);

/* Decisions per Func and pass. */
enum { BW_FUNC_PHASES = 2 };

/* A position that was reached, with the record of the decision before it. Shared between a search
 * and its forks. */
struct bw_position {
	int references;
	/* digest of the placements and costs of all states at this position and all earlier ones */
	uint64_t digest;
	/* memory of this position, including those parts of its states that they do not share with their
	 * parents */
	int64_t bytes;
	int n;
	const struct bw_state **beam;
	/* costs by state and stage; NULL once the next position is reached. ms[i] is NULL if the costs of
	 * state i are not known. */
	double **ms;
	struct bw_decision decision; /* the decision that led here; unused at position 0 */
	/* a pin that no state can satisfy, while the error message is made; else NULL */
	const struct bw_constraint *missed;
	int n_frozen;
	/* at the end of the freezing pass: the Funcs that are frozen in later passes, in the order of
	 * decisions */
	struct bw_frozen * frozen;
	/* at the end of a pass: the blessed structures, which the next pass does not penalize */
	struct bw_hashes blessed;
	struct bw_polish polish;   /* result of polishing, at the end of the last pass */
	struct bw_hashes complete; /* hashes of the complete schedules that were costed here */
	int first_complete,
	    /* how many of the `complete` schedules no earlier decision had costed: in any pass, and in the
	     * same pass */
	    first_in_pass;
};

struct bw_search {
	const struct bw_pipeline *pipeline;
	struct bw_settings said;    /* the options as the caller gave them */
	struct bw_settings options; /* `said`, but with `device` (next field) as the device */
	struct bw_device device;
	struct bw_constraints constraints;
	int first_pass; /* 0: the pre-pass, or 1 */
	/* true: Funcs are frozen at the end of the first pass (the pre-pass, if there is one) */
	bool freezes;
	/* number of decisions in all passes, including those between passes; number in one pass */
	int n_decisions, pass_decisions;
	struct bw_decision *plan; /* Func and phase of all decisions */
	int n_reached; /* positions; at least 1 */
	struct bw_position **reached;
	const struct bw_yield *yield; /* asked while it advances; else NULL */
	/* this search without the newest override, or NULL if there is no override or that search is dead.
	 * Polishing also starts from its best schedule, with the override applied. */
	struct bw_search *without;
	double enough;    /* polishing ends when a schedule costs less than this */
	double polishing; /* cost of the schedule that is being polished; 0: none is */
	double seconds;
	long recorded_limit; /* BW_RECORDED_CHILDREN; less in tests */
	struct bw_recall recall;
	/* tries of the finished search that a branch comes from; else NULL */
	struct bw_tries *tries;
};

/* Returns true if the best schedule at the end is polished. */
bool bw_search_polishes(const struct bw_search *search);
struct bw_position *bw_position_new(int capacity);
/* Sets the bytes and the digest of a position. `before` is the position before it, or NULL. */
void bw_position_measure(struct bw_position *reached, const struct bw_position *before);
void bw_position_drop(struct bw_position *reached);
/* Frees the ms of the states. Only the next decision uses them. */
void bw_position_forget(struct bw_position *reached);
/* Returns the question of decision `index` for a parent. */
struct bw_question bw_search_question(const struct bw_search *search, int index,
				      const struct bw_state *parent, bool alone);
/* Returns true if a beam has only one state, not counting states that are there only because a tiling of
 * the decided Func was pinned. These are not counted because a pin must not change the sampling. */
bool bw_search_alone(const struct bw_search *search, int index, const struct bw_position *from);
/* Returns the largest number of states in the beam after a decision. */
int bw_search_keeps(const struct bw_search *search, int index);

/* Freezes Funcs at the end of the freezing pass. Returns false, with no Func frozen, if it was stopped. */
bool bw_freeze(const struct bw_search *search, struct bw_position *end);
/* A probe: the least cost of a schedule with one Func at another site. The search's own functions place
 * the Func there. */
struct bw_probe {
	const struct bw_search *search;
	const struct bw_nest *whole;  /* the schedule */
	/* the schedule with only the Funcs that are decided before the probed Func */
	const struct bw_nest *before;
	int place;                    /* index of the Func in the order of decisions */
	double best;                  /* 0 if there is no other place */
	long costed;                  /* how many schedules were costed */
};
/* Probes the other sites of a Func. way: the schedule's states by position, from the start of the first
 * pass to its end. Returns false if it was stopped. */
bool bw_probe(struct bw_probe *probe, const struct bw_search *search, const struct bw_state *const *way,
	      int place);
/* At the end of a pass, blesses the structures of good states and of their ancestors. Includes states of
 * earlier passes that are still among the best. Returns false if it was stopped. */
bool bw_bless(const struct bw_search *search, struct bw_position *end, int pass);

/* Polishes the best schedule of a position. The result becomes the first state of the position's beam.
 * Nothing else may use the position yet. Returns false, with the position unchanged, if it was stopped. */
bool bw_polish(const struct bw_search *search, struct bw_position *end);
/* Changes one Func of a schedule as a constraint of the search demands. Returns the variants of the
 * resulting schedule. Returns NULL if the change is impossible. */
struct bw_variants *bw_polish_held(const struct bw_search *search, const struct bw_constraint *constraint,
				   struct bw_nest *nest);

/* Tries: a record of the Funcs that a search's polishing tried without gain, with the Funcs around them. A
 * similar schedule, such as that of a branch, need not try such a Func again if it is the same around the
 * Func. */

/* A Func that was tried without gain. */
struct bw_try {
	int priced;    /* number of variants that were priced */
	uint64_t *set; /* the Funcs that the variants' costs depend on, one bit each */
	uint64_t hash; /* hash of the Funcs of `set`, as they were placed */
};

/* The tries by Func. A search and its branches share them, and run one at a time. */
struct bw_tries {
	int references;
	int n_funcs, words; /* words: in a set of Funcs */
	struct bw_tries_of {
		int n, capacity;
		struct bw_try *list;
	} *of; /* by Func */
};
/* Returns an empty record of tries for a pipeline of n_funcs Funcs. Release with bw_tries_drop. */
struct bw_tries *bw_tries_new(int n_funcs);
/* Adds a reference and returns the tries. Accepts NULL. */
struct bw_tries *bw_tries_keep(struct bw_tries *tries);
/* Drops a reference; the last one frees the tries. Accepts NULL. */
void bw_tries_drop(struct bw_tries *tries);
