/* The beam search of Anderson et al. 2021, section 4, as a cursor that is advanced: not a loop that calls
 * back.
 *
 * Funcs are decided consumers first. Each takes two decisions (phases): where to compute it, and how to tile
 * it. At position p the beam holds the best states in which the first p decisions are made; position 0 holds
 * the one state with nothing placed. A decision is a pure function of (parent state, constraints, seed): what
 * was not recorded is made again by bw_search_expand, with the same functions, so that an explanation is
 * never a second opinion. */
#ifndef BW_SEARCH_SEARCH_H
#define BW_SEARCH_SEARCH_H
#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cost/cost.h"
#include "gpu/device.h"
#include "nest/nest.h"
#include "search/memo.h"
#include "search/options.h"

/* Phases of the decisions: name in C, in words (`Ix.where@2`), question. The first two are asked of every
 * Func in every pass; the last one stands between two passes, names the first Func of the order, and leaves
 * nothing to choose. */
#define BW_PHASE_TABLE(X) \
	X(WHERE, "where", "where to compute it") \
	X(TILE, "tile", "how to tile it") \
	X(PASS, "pass", "the next pass begins")

enum bw_phase {
#define X(name, text, question) BW_PHASE_##name,
	BW_PHASE_TABLE(X)
#undef X
	BW_N_PHASES
};

/* Rules that prune options (section 4.6): name in C, in words, whether it is a hard limit (it cannot be
 * overridden), meaning. */
#define BW_RULE_TABLE(X) \
	X(CONSTRAINT, "constraint", false, "a freeze, an accepted or rejected option or a schedule file says otherwise") \
	X(SPACE, "search space", false, "search_space leaves out its site") \
	X(SITE, "site", true, "Halide cannot compute the Func there") \
	X(RECOMPUTE, "recompute", false, "too many points are computed again") \
	X(INLINED_CALLS, "inlined calls", false, "too many calls per point are inlined") \
	X(UNROLLED, "unrolled extent", false, "too large to unroll") \
	X(DYNAMIC, "dynamic allocation", true, "an allocation in a thread whose size is not constant") \
	X(VARYING, "varying allocation", false, "an allocation whose size is not the same in all blocks") \
	X(REGISTERS, "thread allocation", false, "an allocation in a thread too large for registers") \
	X(SHARED, "shared memory", true, "more shared memory than a block can use") \
	X(THREADS, "threads", true, "more threads than a block can have") \
	X(GRID, "grid", true, "more blocks than a grid can have") \
	X(IDLE_SMS, "idle SMs", false, "too few blocks to keep the SMs busy") \
	X(IDLE_LANES, "idle lanes", false, "too many idle lanes in the warps")

enum bw_rule {
	BW_RULE_NONE = -1,
#define X(name, text, hard, meaning) BW_RULE_##name,
	BW_RULE_TABLE(X)
#undef X
	BW_N_RULES
};

/* What became of an option. */
#define BW_FATE_TABLE(X) \
	X(PRUNED, "pruned") X(UNSAMPLED, "not sampled") X(SECOND_CHOICE, "second choice") X(COSTED, "costed") X(KEPT, "kept") X(DROPPED, "dropped") X(DROPPED_OUT, "dropped out")

enum bw_fate {
#define X(name, text) BW_FATE_##name,
	BW_FATE_TABLE(X)
#undef X
	BW_N_FATES
};

/* How a constraint came to be: name in C, in words. All of them hold a Func at what they say, but for two:
 * what is rejected is no option, and what is pinned is one always. */
#define BW_CONSTRAINT_TABLE(X) \
	X(FREEZE, "frozen by hand") X(ACCEPT, "accepted") X(FILE, "set by a schedule file") X(OVERRIDE, "overridden by hand") X(SEARCH, "frozen by the search") X(REJECT, "rejected by hand") X(PIN, "pinned by hand")

enum bw_constraint_source {
#define X(name, words) BW_CONSTRAINT_##name,
	BW_CONSTRAINT_TABLE(X)
#undef X
	BW_CONSTRAINT_N
};

/* A constraint: this Func is computed at this site and, where sizes is set, with these loops. Rejected, it is
 * not. Pinned, that is an option whatever soft rules, sampling and the beam say of it: beside the states that
 * it keeps anyway, the beam keeps the best one with it. */
struct bw_constraint {
	const struct bw_placement *placement; /* func, compute; and stages where sizes is set */
	bool sizes;
	enum bw_constraint_source source;
	bool here; /* in one pass alone; else in all, but for the pre-pass where it is rejected or pinned */
	int pass;                             /* here: which; 0: the pre-pass */
};

struct bw_constraints {
	int n;
	const struct bw_constraint *list; /* of a Func at most one that holds it in all passes, and one in each */
	int n_free;
	const int *free;                  /* Funcs that the search is not to freeze */
};

/* A Func that was frozen at the end of the first pass (section 3.2): the constraint that holds it in the
 * passes after, unless the user says otherwise, and the figures that it was chosen by. They are of the best
 * schedule of that pass, in the unit of the model. */
struct bw_frozen {
	struct bw_constraint
	    constraint; /* at root with its tiling, or, without sizes, with the tiling to be decided after */
	double cost;  /* of its own stages; inlined, it has none, and is part of what its consumers cost */
	double total; /* of the whole schedule */
	double other; /* of the same with the Func elsewhere, at best; 0: nowhere else was tried, or can be */
};

/* Registers a thread that kernels are compiled for. */
int bw_search_registers(const struct bw_search_options *options);

/* A beam state. Immutable, reference counted, keeps its parent alive. */
struct bw_state {
	int references;
	uint64_t hash;               /* of all placements: equal schedules have equal hashes */
	const struct bw_state *parent;
	int parent_rank;             /* in the beam of the position before; 0-based */
	int option; /* number of the option that made it, in the parent's enumeration; -1 where nothing was to
		       decide */
	int position; /* where it was made. At the end of a pass states of the passes before may be in the
			 beam, too */
	uint64_t structures[2];      /* of the nest, to the depth of the pass that made it and to one less */
	int penalty;                 /* x: what its cost was multiplied with when the beam was chosen; 1: none */
	struct bw_nest *nest;
	double cost;                 /* so far */
};

/* An option of a decision from one parent. Its letters: bucket 'A' + bucket, member counted from 1. */
struct bw_option {
	int number;                  /* #n: order of enumeration, from 0 */
	int bucket, member;          /* bucket -1: pruned, or second choice not needed */
	int rank; /* among all children of this position's beam, 0-based, by cost; -1 unless the search has
		     costed it, and recorded that */
	enum bw_fate fate;
	enum bw_rule rule;           /* that pruned it, or made it a second choice; NONE: none did */
	bool pinned;                 /* the user has pinned it; rule: a soft one that it would have been pruned by */
	bool added;  /* it is there because it is pinned alone: it takes no part in draws, and makes no second
			choice superfluous */
	bool fresh;  /* its state was costed here: nobody had done that before, or not as far as was known */
	bool silent; /* while the search goes on no words are made; they are when it is asked for them */
	const struct bw_placement *placement; /* NULL: nothing is changed (no tiling to decide) */
	uint64_t
	    bucket_hash; /* of the structure that it makes, to the depth of the pass; of a pruned one 0 */
	uint64_t kind;               /* equal for the options of one enumerator that differ in sizes alone */
	double figure, limit;        /* what the rule measured, and what it allows */
	const char
	    *reason; /* that in words: `unrolled 4x8 = 32, limit 16`; "" where it has none. The option's */
	double cost;                 /* of the whole state, so far; 0 unless costed */
	uint64_t
	    structures[2]; /* of the whole state, to the depth of the pass and to one less; 0 unless costed */
	uint64_t hash;               /* of the state that it makes; 0 unless costed */
	struct bw_nest *nest;        /* NULL where it could not be placed */
};

/* All options of one decision from one parent, in order of enumeration. Owned by the caller;
 * bw_expansion_free. */
struct bw_expansion {
	int n;
	struct bw_option *options;
	int left_out; /* besides these: too much to unroll, for which the search makes no option in silence.
			 They count as enumerated, and as pruned */
	int n_left, *places; /* once those alone are left that were costed: how many, and by number, which of
				them an option is; NULL: all are there */
	int n_buckets;
	bool borrows;         /* the placements are somebody else's, who keeps them for longer */
	char let_go[128]; /* why what the search froze cannot be held in this state; empty where it can, or
			     nothing was frozen */
};
void bw_expansion_free(struct bw_expansion *expansion);
/* Leaves those that were costed, so many, where they are few: when all are counted nobody looks at the others
 * again. */
void bw_expansion_shrink(struct bw_expansion *expansion, int costed);
/* The option with a number; of an expansion that was shrunk, one that was costed. */
static inline const struct bw_option *bw_expansion_option(const struct bw_expansion *expansion, int number)
{
	return &expansion->options[expansion->places ? expansion->places[number] : number];
}

/* The record of a decision that was made, over all parents of the beam. */
struct bw_decision {
	int func;
	enum bw_phase phase;
	int pass;                    /* from 1; 0: the pre-pass */
	bool made;
	long enumerated, buckets, unsampled, costed, kept, second,
	    pruned[BW_N_RULES]; /* buckets: of all parents together */
	long evaluated; /* of the costed those that the model was asked for: the others change nothing, and
			   take over their parent's cost */
	long dropped_out;
	long probed;                 /* schedules costed after it, to see what to freeze */
	bool stood_in; /* no option was legal in any parent, and the best schedule of the pass that froze went
			  on in their place */
	int let_go;                  /* parents in which what is frozen could not be held */
	double seconds;
	int n_children;              /* costed, of all parents, before doubles are removed */
	int n_recorded; /* of these: the first ones by cost, and all that are kept; the others are counted,
			   and no more is known of them */
	const struct bw_child *children; /* recorded; by rank */
};
struct bw_child {
	double cost;
	int rank;           /* among all children of the decision, by cost */
	int parent, option; /* rank of the parent in the beam before; number of the option */
	int kept;           /* rank in the beam after, -1: dropped */
	int penalty;        /* x: of what was looked at when the beam was chosen; 1: none */
	bool dropped_out;   /* left out at random, as random_dropout says */
};

/* Children that the decisions of one search record together: each at most half of what those before have
 * left, but LEAST in any case, and those that are kept. So what a search remembers is bounded, however many
 * options it costs. */
enum { BW_RECORDED_CHILDREN = 1 << 19, BW_RECORDED_LEAST = 256 };
/* The recorded child of a rank, NULL: it is not recorded. */
const struct bw_child *bw_decision_child(const struct bw_decision *decision, int rank);

struct bw_search;
enum bw_search_status { BW_SEARCH_GOING, BW_SEARCH_DONE, BW_SEARCH_DEAD };

/* A search at position 0. The pipeline, device and model stay the caller's; constraints are copied. */
struct bw_search *bw_search_new(const struct bw_pipeline *pipeline, const struct bw_search_options *options,
				const struct bw_constraints *constraints);
/* The same search under other constraints (or options; NULL: the same): shares every position before the
 * first decision that they touch and stands there. The old one stays as it is, so that what goes wrong
 * changes nothing. */
struct bw_search *bw_search_fork(const struct bw_search *search, const struct bw_search_options *options,
				 const struct bw_constraints *constraints);
void bw_search_free(struct bw_search *search);
/* The same, for about so many seconds: true where nothing is left, and the search is no more. Nothing else
 * may be done with it in between. */
bool bw_search_shrink(struct bw_search *search, double seconds);
/* Bytes of what it remembers: states, schedules, records. Of what searches share each has its part, so that
 * those of several may be added. The memo is not among it. */
int64_t bw_search_bytes(const struct bw_search *search);
/* A copy that holds its placements; give it back with _free. NULL: none. */
struct bw_constraints bw_constraints_copy(const struct bw_constraints *constraints);
void bw_constraints_free(struct bw_constraints *constraints);

/* Works for at most about `seconds` (or until *stop, which may be NULL, is set) and at most up to position
 * `until`. DEAD: no legal option was left; *error names the Func, the rules and how many options each pruned.
 */
enum bw_search_status bw_search_advance(struct bw_search *search, int until, double seconds,
					const atomic_bool *stop, struct bw_error *error);

/* Decisions in order; position p lies before decision p and after decision p - 1. */
int bw_search_n_decisions(const struct bw_search *search);
const struct bw_decision *bw_search_decision(const struct bw_search *search, int index);
/* The furthest position reached: the decisions made. */
int bw_search_reached(const struct bw_search *search);
/* Position of the decision on a Func in a phase of a pass (from 1; 0: the pre-pass), -1 if none. */
int bw_search_find(const struct bw_search *search, int func, enum bw_phase phase, int pass);
/* The first pass: 0 where there is a pre-pass, else 1. */
int bw_search_first_pass(const struct bw_search *search);
/* The pass at whose end Funcs are frozen, which is the first one; -1: none are. */
int bw_search_freezing_pass(const struct bw_search *search);
/* The pass that a position belongs to; where a pass ends it is still that one. */
int bw_search_pass(const struct bw_search *search, int position);
/* The positions of a pass's first decision and of its end. */
int bw_search_pass_start(const struct bw_search *search, int pass);
int bw_search_pass_end(const struct bw_search *search, int pass);
/* States at a position (0 .. reached), best first. */
int bw_search_beam(const struct bw_search *search, int position, const struct bw_state *const **states);
/* A digest of all states from position 0 to this one, placements and costs: the same where two searches came
 * to the same, bit for bit. */
uint64_t bw_search_digest(const struct bw_search *search, int position);
/* What is frozen in a pass, in the order of decisions; those that the user has constrained or freed are among
 * it. None in the pass that freezes, and before its end. */
int bw_search_frozen(const struct bw_search *search, int pass, const struct bw_frozen **frozen);
/* What holds a Func in a pass; NULL where it is not frozen, or the user says otherwise. */
const struct bw_frozen *bw_search_frozen_on(const struct bw_search *search, int func, int pass);
/* All options of decision `index` from the state of this rank at its position, made again with the same
 * functions; fates and ranks from the record where the decision was made, as they would be (costed) where it
 * was not. */
struct bw_expansion *bw_search_expand(const struct bw_search *search, int index, int rank);
/* The same, a little at a time. The search must be there until bw_expander_end, which gives what was made,
 * NULL where bw_expander_go has not said that all is. */
struct bw_expander;
struct bw_expander *bw_expander_begin(const struct bw_search *search, int index, int rank);
/* Works for about `seconds`; true where all is made. */
bool bw_expander_go(struct bw_expander *expander, double seconds);
struct bw_expansion *bw_expander_end(struct bw_expander *expander);
/* Added to the factor of a state's cost where no good state of the pass before went through its structure. */
enum { BW_PENALTY_UNBLESSED = 10 };
/* What the passes make of a state that decision `index` leads to (section 4.5). */
struct bw_steering {
	bool penalized; /* structures are counted where the next beam is chosen: seen k times, a state's cost
			   is multiplied with k */
	int depth;           /* to which structures are told apart: the number of the pass */
	uint64_t structure;  /* of the state, to that depth */
	bool judged; /* a pass before has blessed structures of depth - 1: BW_PENALTY_UNBLESSED more for a
			state of another one */
	bool blessed;        /* the state's is among them */
};
struct bw_steering bw_search_steering(const struct bw_search *search, int index, const struct bw_nest *nest);
/* Whether the way of the state of this rank is blessed for the next pass: at the end of a pass, the good
 * ones' is. */
bool bw_search_blesses(const struct bw_search *search, int position, int rank);
/* A change of one Func that polishing made: its placement and the cost of the whole schedule before and after
 * it. */
struct bw_polish_step {
	const struct bw_placement *from, *to;
	double before, after;
};
/* What polishing did at the end of the last pass: the changes in order, and how many schedules it priced. */
struct bw_polish {
	bool done; /* no variant of the schedule (search/variants.h) that is allowed costs less any more */
	bool overridden; /* it began with the best schedule without the newest override, with that made in it,
			    since the beam has none that costs less */
	int n, capacity;
	struct bw_polish_step *steps;
	long priced;
};
/* Returns what polishing did at a position that was reached, or NULL if nothing was polished there. */
const struct bw_polish *bw_search_polish(const struct bw_search *search, int position);
/* The cost of a state with all terms; owned by the arena. */
struct bw_cost bw_search_cost(const struct bw_search *search, const struct bw_nest *nest,
			      struct bw_arena *arena);
const struct bw_search_options *bw_search_options_of(const struct bw_search *search);
/* The device with what the options say otherwise of its limits; the search's. */
const struct bw_device *bw_search_device(const struct bw_search *search);
const struct bw_constraints *bw_search_constraints(const struct bw_search *search);
/* In place of a pass: what is said for all. */
enum { BW_ALL_PASSES = -1 };
/* The constraint that holds a Func in a pass: that of the pass alone, else that of all; NULL if none does. */
const struct bw_constraint *bw_constraint_on(const struct bw_constraints *constraints, int func, int pass);
/* Whether it holds its Func; what is rejected or pinned does not. */
bool bw_constraint_holds(const struct bw_constraint *constraint);
/* Whether it says something in a pass. The pre-pass, which chooses between root and inline alone, hears of
 * what is rejected or pinned only where that is for it alone; a Func of which anything is, is not frozen. */
bool bw_constraint_applies(const struct bw_constraint *constraint, int pass);
/* Whether a placement of its Func is what it names. */
bool bw_constraint_names(const struct bw_constraint *constraint, const struct bw_placement *placement);
/* Of what was rejected and pinned of a Func, the one that speaks of this placement in a pass: with sizes
 * before a site alone, the newer before the older. NULL if none does, or the Func is held. */
const struct bw_constraint *bw_constraint_mark(const struct bw_constraints *constraints,
					       const struct bw_placement *placement, int pass);
const struct bw_pipeline *bw_search_pipeline(const struct bw_search *search);
/* Seconds spent so far, and totals over all decisions made. */
struct bw_search_totals {
	double seconds;
	long enumerated, buckets, unsampled, costed, kept, second, dropped_out, pruned[BW_N_RULES];
	long evaluated; /* as in struct bw_decision; with those probed */
	long probed;
	long let_go;
	int frozen;     /* Funcs that the search froze */
	long complete; /* schedules with nothing left to decide that were costed; the same one counts once, in
			  whatever passes it came up */
	struct bw_memo_counts memo; /* since it began, of all searches that share it; with several threads not
				       the same each time */
};
struct bw_search_totals bw_search_totals(const struct bw_search *search);
/* The same of one pass alone (0: the pre-pass); seconds are those of its decisions. */
struct bw_search_totals bw_search_pass_totals(const struct bw_search *search, int pass);
/* For tests: from now on all that is taken from the memo, by this search and those that share it, is compared
 * with what is found afresh, and each option's cost with that of its whole nest (bw_search_totals:
 * memo.checked, memo.wrong). */
void bw_search_check_memo(struct bw_search *search);

/* How a constraint came to be: `frozen by hand`. */
const char *bw_constraint_words(const struct bw_constraint *constraint);
const char *bw_phase_name(enum bw_phase phase);
const char *bw_rule_name(enum bw_rule rule);
const char *bw_rule_meaning(enum bw_rule rule);
bool bw_rule_hard(enum bw_rule rule);
const char *bw_fate_name(enum bw_fate fate);
#endif
