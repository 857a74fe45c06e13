/* The vocabulary of a search: options and their fates, decisions, states, constraints. The files of the
 * search use it, and so does all code above it. */
#pragma once

#include "search/settings.h"

/* The phases of decisions: name in C, in words (`Ix.where@2`), question. The first two are decided
 * for every Func in every pass; the last one stands between two passes, names the first Func of the
 * order, and has no choice. */
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

/* The sources of constraints: name in C, in words. All of them hold a Func at a choice, except two: a
 * rejected choice is never an option, a pinned choice always is. */
#define BW_CONSTRAINT_TABLE(X) \
	X(BW_CONSTRAINT_FREEZE, "frozen by hand") X(BW_CONSTRAINT_ACCEPT, "accepted") X(BW_CONSTRAINT_FILE, "set by a schedule file") X(BW_CONSTRAINT_OVERRIDE, "overridden by hand") X(BW_CONSTRAINT_IMPROVE, "held by improve") X(BW_CONSTRAINT_SEARCH, "frozen by the search") X(BW_CONSTRAINT_REJECT, "rejected by hand") X(BW_CONSTRAINT_PIN, "pinned by hand")

enum bw_constraint_source { BW_CONSTRAINT_TABLE(BW_FIRST) BW_CONSTRAINT_N };

/* A constraint: this Func is computed at this site and, if sizes is set, with these loops. A rejected
 * choice is excluded. A pinned choice is an option whatever soft rules, sampling and the beam say: in
 * addition to its usual states, the beam keeps the best one with it. */
struct bw_constraint {
	const struct bw_placement *placement; /* Func, compute site; and the stages if sizes is set */
	bool sizes;
	enum bw_constraint_source source;
	/* holds in one pass only; otherwise in all passes, rejections and pins not in the
	 * pre-pass */
	bool here;
	int pass; /* the pass, if `here`; 0: the pre-pass */
};

struct bw_constraints {
	int n;
	/* for each Func at most one that holds it in all passes, and one per pass */
	const struct bw_constraint *list;
	int n_free;
	const int *free; /* Funcs that the search must not freeze */
};

/* A Func that was frozen at the end of the first pass (section 3.2): the constraint that holds it in
 * later passes, unless the user constrains it; and its figures in the best schedule of that pass, by
 * which it was chosen, in the unit of the cost model. */
struct bw_frozen {
	/* at root with its tiling, or, without sizes, with the tiling still to be decided */
	struct bw_constraint constraint;
	double cost;  /* of its own stages; 0 if inlined, since it is part of its consumers' cost then */
	double total; /* of the whole schedule */
	/* of the whole schedule with the Func at the best other place; 0 if none was tried or
	 * possible */
	double other;
};


/* A state of the beam. Immutable and reference counted; keeps its parent alive. */
struct bw_state {
	int references;
	uint64_t hash; /* of all placements: equal schedules have equal hashes */
	const struct bw_state *parent;
	int parent_rank; /* in the beam of the position before, from 0 */
	/* number of the option that made it, among the parent's; -1 if there was nothing to
	 * decide */
	int option;
	/* where it was made. At the end of a pass the beam may also hold states of earlier
	 * passes. */
	int position;
	/* structure hashes of the nest, to the depth of the pass that made it and to one less */
	uint64_t structures[2];
	int penalty; /* factor by which its cost was multiplied when the beam was chosen; 1: none */
	struct bw_nest *nest;
	double cost; /* so far */
};

/* An option of a decision from one parent. Its letters are 'A' + bucket and the member, counted
 * from 1. */
struct bw_option {
	int number;         /* #n: order of enumeration, from 0 */
	int bucket, member; /* bucket -1: pruned, or a second choice that was not needed */
	/* among all children of this position's beam, from 0, by cost; -1 unless the search costed
	 * and recorded it */
	int rank;
	enum bw_fate fate;
	enum bw_rule rule; /* the rule that pruned it or made it a second choice; NONE if there is none */
	bool pinned;       /* pinned by the user; `rule` is a soft rule that would have pruned it */
	/* an option only because it is pinned: not sampled, and second choices are still needed */
	bool added;
	bool silent; /* has no words: they are made only on request */
	/* NULL if nothing changes, because there is no tiling to decide */
	const struct bw_placement *placement;
	/* structure hash of the state that it makes, to the depth of the pass; 0 if pruned */
	uint64_t bucket_hash;
	uint64_t kind;        /* equal for options of one enumerator that differ only in sizes */
	double figure, limit; /* what the rule measured, and its limit */
	/* figure and limit in words: `unrolled 4x8 = 32, limit 16`; "" if there are none. Owned by the
	 * option. */
	const char *reason;
	double cost; /* of the whole state so far; 0 unless costed */
	/* of the whole state, to the depth of the pass and to one less; 0 unless costed */
	uint64_t structures[2];
	uint64_t hash;        /* of the state that it makes; 0 unless costed */
	struct bw_nest *nest; /* NULL if it could not be placed */
};

/* All options of one decision from one parent, in order of enumeration. The caller frees it with
 * bw_expansion_free. */
struct bw_expansion {
	int n;
	struct bw_option *options;
	/* options besides these that are too large to unroll, and for which a silent search makes
	 * no struct. They count as enumerated and pruned. */
	int left_out;
	/* if only the costed options are left: their number, and the index of each option by its number;
	 * NULL: all options are left */
	int n_left, *places;
	int n_buckets;
	bool borrows; /* the placements belong to another owner, who keeps them for longer */
	/* why the frozen choice was given up in this state; "" if it was not, or nothing was frozen */
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
	/* costed options for which the model was asked; the others place nothing, and keep the parent's
	 * cost */
	long evaluated;
	long dropped_out;
	long probed; /* schedules that were costed afterwards, to choose what to freeze */
	/* no option was legal in any parent, so the best schedule of the pass that froze took their
	 * place */
	bool stood_in;
	int let_go; /* parents in which a frozen Func could not be held */
	bool awaits; /* a rule objected to a held choice, unless Funcs to come are held, too */
	double seconds;
	int n_children; /* costed, of all parents, before duplicates are removed */
	int n_recorded; /* the cheapest of these, and all that are kept; the others are only counted */
	const struct bw_child *children; /* the recorded ones, by rank */
};
struct bw_child {
	double cost;
	int rank; /* among all children of the decision, by cost */
	int parent, option; /* rank of the parent in the beam before; number of the option */
	int kept; /* rank in the beam after, -1: dropped */
	int penalty; /* factor on the cost of a child that was looked at when the beam was chosen; 1: none */
	bool dropped_out; /* dropped at random, as random_dropout says */
};

/* Limit on the children that the decisions of one search record together: each records at most half of
 * the remainder, but at least BW_RECORDED_LEAST and all kept ones. So the memory of a search is bounded,
 * however many options it costs. */
enum { BW_RECORDED_CHILDREN = 1 << 19, BW_RECORDED_LEAST = 256 };
/* Returns the child of this rank; NULL if it is not recorded. */
const struct bw_child *bw_decision_child(const struct bw_decision *decision, int rank);

/* Frees the words of an option. */
void bw_option_hush(struct bw_option *option);
/* Sets the fate, rule, figure and limit of an option and, unless it is silent, its words. */
void bw_option_judge(struct bw_option *option, enum bw_fate fate, enum bw_rule rule, double figure,
		     double limit, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Gives the options the letters that people call them by. The search itself does not need them. */
void bw_expansion_name(struct bw_expansion *expansion);
/* Returns a new state, with references to its parent and nest. */
struct bw_state *bw_state_new(const struct bw_state *parent, int parent_rank, int option,
			      struct bw_nest *nest, double cost);
/* Returns the ancestor with nothing placed. */
const struct bw_state *bw_state_first(const struct bw_state *state);
const struct bw_state *bw_state_keep(const struct bw_state *state);
void bw_state_drop(const struct bw_state *state);

/* Returns a copy with references to its placements; the caller frees it with bw_constraints_free.
 * NULL: no constraints. */
struct bw_constraints bw_constraints_copy(const struct bw_constraints *constraints);
void bw_constraints_free(struct bw_constraints *constraints);

/* Returns the place of the newest override among constraints; -1 if there is none. */
int bw_constraints_newest_override(const struct bw_constraints *constraints);
/* Returns true if the search must not freeze a Func. */
bool bw_constraints_let_go(const struct bw_constraints *constraints, int func);
/* Returns true if both sets constrain a Func alike in a pass; the source of a held choice does not
 * matter. */
bool bw_constraints_equal_on(const struct bw_constraints *a, const struct bw_constraints *b, int func,
			     int pass);
/* Returns true if a Func has a rejection or pin in a pass, and is not held there. */
bool bw_constraints_marks(const struct bw_constraints *constraints, int func, int pass);

/* Stands for all passes in place of a pass. */
enum { BW_ALL_PASSES = -1 };
/* Returns the constraint that holds a Func in a pass: the one for that pass alone, else the one for all
 * passes; NULL if there is none. */
const struct bw_constraint *bw_constraint_on(const struct bw_constraints *constraints, int func, int pass);
/* Returns true if a constraint holds its Func; rejections and pins do not. */
bool bw_constraint_holds(const struct bw_constraint *constraint);
/* Returns true if a constraint applies in a pass. Rejections and pins apply in the pre-pass, which
 * only chooses between root and inline, only if they are for it alone. A Func with any of them is
 * not frozen. */
bool bw_constraint_applies(const struct bw_constraint *constraint, int pass);
/* Returns true if a constraint names this placement of its Func. */
bool bw_constraint_names(const struct bw_constraint *constraint, const struct bw_placement *placement);
/* Returns the rejection or pin of a Func that concerns this placement in a pass: one with sizes
 * before one of the site alone, newer ones before older ones. NULL if there is none, or the Func is
 * held. */
const struct bw_constraint *bw_constraint_mark(const struct bw_constraints *constraints,
					       const struct bw_placement *placement, int pass);
/* Returns the source of a constraint in words: `frozen by hand`. */
const char *bw_constraint_words(const struct bw_constraint *constraint);
const char *bw_phase_name(enum bw_phase phase);
const char *bw_rule_name(enum bw_rule rule);
const char *bw_rule_meaning(enum bw_rule rule);
bool bw_rule_hard(enum bw_rule rule);
const char *bw_fate_name(enum bw_fate fate);
