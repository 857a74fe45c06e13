/* The data of a search: options and their fates, decisions, states, constraints. The files of the search
 * use these types, and so does all code above the search. */
#pragma once

#include "search/settings.h"

/* The phases of decisions: name in C, in words (`Ix.where@2`), question. Each pass has one decision of the
 * first two phases for every Func. A decision of the last phase stands between two passes. It names the
 * first Func of the order, and has no choice. */
#define BW_PHASE_TABLE(X) \
	X(BW_PHASE_WHERE, "where", "where to compute it") \
	X(BW_PHASE_TILE, "tile", "how to tile it") \
	X(BW_PHASE_PASS, "pass", "the next pass begins")

enum bw_phase { BW_PHASE_TABLE(BW_FIRST) BW_N_PHASES };

/* Rules that prune options (section 4.6): name in C, in words, whether it is a hard limit (it cannot be
 * overridden), meaning. */
#define BW_RULE_TABLE(X) \
	X(BW_RULE_CONSTRAINT, "constraint", false, "a freeze, an accepted or rejected option or a schedule file says otherwise") \
	X(BW_RULE_SPACE, "search space", false, "search_space leaves out its site") \
	X(BW_RULE_SITE, "site", true, "Halide cannot compute the Func there") \
	X(BW_RULE_RECOMPUTE, "recompute", false, "too many points are computed again") \
	X(BW_RULE_INLINED_CALLS, "inlined calls", false, "too many calls per point are inlined") \
	X(BW_RULE_UNROLLED, "unrolled extent", false, "too large to unroll") \
	X(BW_RULE_DYNAMIC, "dynamic allocation", true, "an allocation in a thread whose size is not constant") \
	X(BW_RULE_VARYING, "varying allocation", false, "an allocation whose size is not the same in all blocks") \
	X(BW_RULE_REGISTERS, "thread allocation", false, "an allocation in a thread too large for registers") \
	X(BW_RULE_SHARED, "shared memory", true, "more shared memory than a block can use") \
	X(BW_RULE_THREADS, "threads", true, "more threads than a block can have") \
	X(BW_RULE_GRID, "grid", true, "more blocks than a grid can have") \
	X(BW_RULE_VECTOR, "vectors", true, "vectors that Halide does not compile, or not aligned") \
	X(BW_RULE_IDLE_SMS, "idle SMs", false, "too few blocks to keep the SMs busy") \
	X(BW_RULE_IDLE_LANES, "idle lanes", false, "too many idle lanes in the warps")

enum bw_rule { BW_RULE_NONE = -1, BW_RULE_TABLE(BW_FIRST) BW_N_RULES };

/* The fates of an option. */
#define BW_FATE_TABLE(X) \
	X(BW_FATE_PRUNED, "pruned") X(BW_FATE_UNSAMPLED, "not sampled") X(BW_FATE_SECOND_CHOICE, "second choice") X(BW_FATE_COSTED, "costed") X(BW_FATE_KEPT, "kept") X(BW_FATE_DROPPED, "dropped") X(BW_FATE_DROPPED_OUT, "dropped out")

enum bw_fate { BW_FATE_TABLE(BW_FIRST) BW_N_FATES };

/* The sources of constraints: name in C, in words. All of them hold a Func at a choice, with two
 * exceptions: a rejected choice is never an option, and a pinned choice always is an option. */
#define BW_CONSTRAINT_TABLE(X) \
	X(BW_CONSTRAINT_FREEZE, "frozen by hand") X(BW_CONSTRAINT_ACCEPT, "accepted") X(BW_CONSTRAINT_FILE, "set by a schedule file") X(BW_CONSTRAINT_OVERRIDE, "overridden by hand") X(BW_CONSTRAINT_IMPROVE, "held by improve") X(BW_CONSTRAINT_SEARCH, "frozen by the search") X(BW_CONSTRAINT_REJECT, "rejected by hand") X(BW_CONSTRAINT_PIN, "pinned by hand")

enum bw_constraint_source { BW_CONSTRAINT_TABLE(BW_FIRST) BW_CONSTRAINT_N };

/* A constraint: the Func is computed at this site and, if `sizes` is set, with these loops. A rejected
 * choice is excluded. A pinned choice is an option even if a soft rule, sampling or the beam would drop
 * it: the beam keeps the best state with this choice in addition to its usual states. */
struct bw_constraint {
	const struct bw_placement *placement; /* Func, compute site; and the stages if sizes is set */
	bool sizes;
	enum bw_constraint_source source;
	/* true: applies in one pass only; false: in all passes, except that rejections and pins do not
	 * apply in the pre-pass */
	bool here;
	int pass; /* the pass, if `here`; 0: the pre-pass */
};

struct bw_constraints {
	int n;
	/* for each Func at most one constraint that holds it in all passes, and at most one per pass */
	const struct bw_constraint *list;
	int n_free;
	const int *free; /* Funcs that the search must not freeze */
};

/* A Func that was frozen at the end of the first pass (section 3.2). `constraint` holds it in later
 * passes, unless the user constrains it. The costs are those by which it was chosen, in the best schedule
 * of the first pass, in the unit of the cost model. */
struct bw_frozen {
	/* inline, or at root with its tiling; without `sizes`, the tiling at root is still to be decided */
	struct bw_constraint constraint;
	/* cost of the Func's own stages; 0 if it is inlined, because its consumers' cost then includes it */
	double cost;
	double total; /* cost of the whole schedule */
	/* cost of the whole schedule with the Func at the best other site; 0 if no other site was tried or
	 * possible */
	double other;
};


/* A state of the beam. Immutable and reference counted; keeps its parent alive. */
struct bw_state {
	int references;
	uint64_t hash; /* hash of all placements; equal schedules have equal hashes */
	const struct bw_state *parent;
	int parent_rank; /* rank of the parent in the beam of the position before, from 0 */
	/* number of the option that made this state, among the parent's options; -1 if there was nothing
	 * to decide */
	int option;
	/* the position at which this state was made. At the end of a pass the beam may also hold states of
	 * earlier passes. */
	int position;
	/* structure hashes of the nest, to depth and to depth - 1, where depth is that of the pass that
	 * made this state */
	uint64_t structures[2];
	int penalty; /* factor by which its cost was multiplied when the beam was chosen; 1: no penalty */
	struct bw_nest *nest;
	double cost; /* cost of the Funcs placed so far */
};

/* An option of a decision from one parent. Its name shows the bucket as a letter ('A' + bucket), and the
 * member as a number from 1. */
struct bw_option {
	int number;         /* #n: order of enumeration, from 0 */
	int bucket, member; /* bucket -1: pruned, or a second choice that was not needed */
	/* rank by cost among all children of this position's beam, from 0; -1 unless the search costed and
	 * recorded it */
	int rank;
	enum bw_fate fate;
	/* the rule that pruned it or made it a second choice; BW_RULE_NONE if there is none */
	enum bw_rule rule;
	/* pinned by the user; `rule` is then the soft rule that would have pruned it, if any */
	bool pinned;
	/* true: it is an option only because it is pinned. It is not sampled, and does not make second
	 * choices unnecessary. */
	bool added;
	bool silent; /* true: `reason` is not made; it is made only on request */
	/* NULL if there is no tiling to decide, so that nothing changes */
	const struct bw_placement *placement;
	/* structure hash of the state that it makes, to the depth of the pass; 0 if pruned */
	uint64_t bucket_hash;
	uint64_t kind;        /* equal for options of one enumerator that differ only in sizes */
	double figure, limit; /* what the rule measured, and its limit */
	/* figure and limit in words: `unrolled 4x8 = 32, limit 16`; "" if there are none. Owned by the
	 * option. */
	const char *reason;
	double cost; /* cost of the whole state that the option makes; 0 unless costed */
	/* structure hashes of the state that it makes, to the depth of the pass and to one less; 0 unless
	 * costed */
	uint64_t structures[2];
	uint64_t hash;        /* hash of the state that the option makes; 0 unless costed */
	struct bw_nest *nest; /* NULL if it could not be placed */
};

/* All options of one decision from one parent, in order of enumeration. The caller frees it with
 * bw_expansion_free. */
struct bw_expansion {
	int n;
	struct bw_option *options;
	/* number of further options that are too large to unroll, for which a silent search makes no
	 * struct. They count as enumerated and pruned. */
	int left_out;
	/* set by bw_expansion_shrink, when only the costed options are left. n_left: their number; places:
	 * the index in `options` by number of the option. NULL: all options are left. */
	int n_left, *places;
	int n_buckets;
	bool borrows; /* true: another owner has the placements, and keeps them longer than this struct */
	/* why the frozen choice could not be held in this state; "" if it was held, or nothing was frozen */
	char let_go[512];
};
void bw_expansion_free(struct bw_expansion *expansion);
/* Drops all options but the `costed` ones once they have been counted, to save memory. */
void bw_expansion_shrink(struct bw_expansion *expansion, int costed);
/* Returns the option with a number. After bw_expansion_shrink it must be one that was costed. */
static inline const struct bw_option *bw_expansion_option(const struct bw_expansion *expansion, int number)
{
	return &expansion->options[expansion->places ? expansion->places[number] : number];
}

/* The record of a decision, over all parents of the beam. */
struct bw_decision {
	int func;
	enum bw_phase phase;
	int pass; /* from 1; 0: the pre-pass */
	bool made;
	long enumerated, buckets, unsampled, costed, kept, second,
	    pruned[BW_N_RULES]; /* buckets: of all parents together */
	/* costed options that the cost model was evaluated for. The other costed options place nothing,
	 * and have the parent's cost. */
	long evaluated;
	long dropped_out;
	long probed; /* schedules that were costed after the decision, to choose which Funcs to freeze */
	/* true: no option was legal in any parent, so the best schedule of the freezing pass was used
	 * instead */
	bool stood_in;
	int let_go; /* parents in which a frozen Func could not be held */
	/* true: a rule objects to a held choice unless Funcs that are decided later are held, too */
	bool awaits;
	double seconds;
	int n_children; /* number of costed children of all parents, before duplicates are removed */
	/* number of recorded children: the cheapest ones, and all that are kept. The others are only
	 * counted. */
	int n_recorded;
	const struct bw_child *children; /* the recorded ones, by rank */
};
struct bw_child {
	double cost;
	int rank; /* among all children of the decision, by cost */
	int parent, option; /* rank of the parent in the beam before; number of the option */
	int kept; /* rank in the beam after, -1: dropped */
	/* factor by which the cost was multiplied when the beam was chosen; 1: none, or the child was not
	 * looked at */
	int penalty;
	bool dropped_out; /* dropped at random, as random_dropout says */
};

/* Most children that the decisions of one search record together. Each decision records at most half of
 * the remainder, but at least BW_RECORDED_LEAST children and all kept ones. This limits the memory of a
 * search, however many options it costs. */
enum { BW_RECORDED_CHILDREN = 1 << 19, BW_RECORDED_LEAST = 256 };
/* Returns the child of this rank; NULL if it is not recorded. */
const struct bw_child *bw_decision_child(const struct bw_decision *decision, int rank);

/* Frees the `reason` of an option. */
void bw_option_hush(struct bw_option *option);
/* Sets the fate, rule, figure and limit of an option and, unless it is silent, its words. */
void bw_option_judge(struct bw_option *option, enum bw_fate fate, enum bw_rule rule, double figure,
		     double limit, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Gives the options the letters that users see. The search itself does not need letters. */
void bw_expansion_name(struct bw_expansion *expansion);
/* Returns a new state, with references to its parent and nest. */
struct bw_state *bw_state_new(const struct bw_state *parent, int parent_rank, int option,
			      struct bw_nest *nest, double cost);
/* Returns the ancestor in which no Func is placed. */
const struct bw_state *bw_state_first(const struct bw_state *state);
const struct bw_state *bw_state_keep(const struct bw_state *state);
void bw_state_drop(const struct bw_state *state);

/* Returns a copy of the constraints, with references to their placements. Free with bw_constraints_free.
 * Returns no constraints if `constraints` is NULL. */
struct bw_constraints bw_constraints_copy(const struct bw_constraints *constraints);
void bw_constraints_free(struct bw_constraints *constraints);

/* Returns the index of the newest override among the constraints; -1 if there is none. */
int bw_constraints_newest_override(const struct bw_constraints *constraints);
/* Returns true if the search must not freeze a Func. */
bool bw_constraints_let_go(const struct bw_constraints *constraints, int func);
/* Returns true if both sets constrain a Func in the same way in a pass. The sources of constraints that
 * hold the Func may differ. */
bool bw_constraints_equal_on(const struct bw_constraints *a, const struct bw_constraints *b, int func,
			     int pass);
/* Returns true if a Func has a rejection or pin that applies in a pass, and no constraint holds the Func
 * in this pass. */
bool bw_constraints_marks(const struct bw_constraints *constraints, int func, int pass);

/* Given as the number of a pass: all passes. */
enum { BW_ALL_PASSES = -1 };
/* Returns the constraint that holds a Func in a pass. A constraint for this pass only comes before one for
 * all passes. Returns NULL if there is none. */
const struct bw_constraint *bw_constraint_on(const struct bw_constraints *constraints, int func, int pass);
/* Returns true if a constraint holds its Func: it is neither a rejection nor a pin. */
bool bw_constraint_holds(const struct bw_constraint *constraint);
/* Returns true if a constraint applies in a pass. The pre-pass only chooses between root and inline, so a
 * rejection or pin applies in it only if it is for the pre-pass only. A Func with a rejection or pin is
 * not frozen. */
bool bw_constraint_applies(const struct bw_constraint *constraint, int pass);
/* Returns true if a constraint names this placement of its Func. */
bool bw_constraint_names(const struct bw_constraint *constraint, const struct bw_placement *placement);
/* Returns the rejection or pin that concerns this placement of its Func in a pass. One with sizes comes
 * before one of the site only, and a newer one before an older one. Returns NULL if there is none, or if a
 * constraint holds the Func. */
const struct bw_constraint *bw_constraint_mark(const struct bw_constraints *constraints,
					       const struct bw_placement *placement, int pass);
/* Returns the source of a constraint in words: `frozen by hand`. */
const char *bw_constraint_words(const struct bw_constraint *constraint);
const char *bw_phase_name(enum bw_phase phase);
const char *bw_rule_name(enum bw_rule rule);
const char *bw_rule_meaning(enum bw_rule rule);
bool bw_rule_hard(enum bw_rule rule);
const char *bw_fate_name(enum bw_fate fate);
