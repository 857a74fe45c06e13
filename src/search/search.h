/* The beam search of Anderson et al. 2021, section 4, as a cursor: the caller advances it, and
 * looks at any position.
 *
 * Funcs are decided consumers first. Each takes two decisions (phases): where to compute it, and
 * how to tile it. At position p the beam holds the best states in which the first p decisions are
 * made; position 0 holds the one state with nothing placed. A decision is a pure function of parent
 * state, constraints and seed. What was not recorded is made again by bw_search_expand with the
 * same functions, so an explanation never differs from what the search did. */
#ifndef BW_SEARCH_SEARCH_H
#define BW_SEARCH_SEARCH_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/routine.h"
#include "cost/cost.h"
#include "gpu/device.h"
#include "nest/nest.h"
#include "search/memo.h"
#include "search/options.h"

/* The phases of decisions: name in C, in words (`Ix.where@2`), question. The first two are decided
 * for every Func in every pass; the last one stands between two passes, names the first Func of the
 * order, and has no choice. */
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

/* The sources of constraints: name in C, in words. All of them hold a Func at a choice, except two:
 * what is rejected is never an option, and what is pinned always is. */
#define BW_CONSTRAINT_TABLE(X) \
	X(FREEZE, "frozen by hand") X(ACCEPT, "accepted") X(FILE, "set by a schedule file") X(OVERRIDE, "overridden by hand") X(SEARCH, "frozen by the search") X(REJECT, "rejected by hand") X(PIN, "pinned by hand")

enum bw_constraint_source {
#define X(name, words) BW_CONSTRAINT_##name,
	BW_CONSTRAINT_TABLE(X)
#undef X
	BW_CONSTRAINT_N
};

/* A constraint: this Func is computed at this site and, if sizes is set, with these loops. A
 * rejected choice is excluded. A pinned choice is an option whatever soft rules, sampling and the
 * beam say: beside the states that it keeps anyway, the beam keeps the best one with it. */
struct bw_constraint {
	const struct bw_placement *placement; /* Func, compute site; and the stages if sizes is set */
	bool sizes;
	enum bw_constraint_source source;
	/* holds in one pass only; otherwise in all passes, rejections and pins not in the
	 * pre-pass */
	bool here;
	int pass; /* if so, which pass; 0: the pre-pass */
};

struct bw_constraints {
	int n;
	/* for each Func at most one that holds it in all passes, and one per pass */
	const struct bw_constraint *list;
	int n_free;
	const int *free; /* Funcs that the search must not freeze */
};

/* A Func that was frozen at the end of the first pass (section 3.2): the constraint that holds it
 * in later passes, unless the user constrains it, and the figures that it was chosen by. They are
 * those of the best schedule of that pass, in the unit of the cost model. */
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
	bool fresh;  /* its state was costed for the first time here, as far as is known */
	bool silent; /* has no words: they are made only when somebody asks for them */
	/* NULL if nothing changes, because there is no tiling to decide */
	const struct bw_placement *placement;
	/* structure hash of the state that it makes, to the depth of the pass; 0 if pruned */
	uint64_t bucket_hash;
	uint64_t kind;        /* equal for options of one enumerator that differ only in sizes */
	double figure, limit; /* what the rule measured, and its limit */
	/* the same in words: `unrolled 4x8 = 32, limit 16`; "" if there are none. Owned by the
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
	/* if only the costed options are left: how many, and where the option of each number is;
	 * NULL: all are left */
	int n_left, *places;
	int n_buckets;
	bool borrows; /* the placements belong to somebody else, who keeps them for longer */
	/* why the search could not keep what it froze in this state; "" if it could, or nothing was
	 * frozen */
	char let_go[128];
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
	/* those of the costed options for which the model was asked; the others place nothing, and
	 * keep the parent's cost */
	long evaluated;
	long dropped_out;
	long probed; /* schedules that were costed afterwards, to choose what to freeze */
	/* no option was legal in any parent, so the best schedule of the pass that froze took their
	 * place */
	bool stood_in;
	int let_go; /* parents in which a frozen Func could not be held */
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

/* Limit on the children that the decisions of one search record together: each records at most half
 * of what the decisions before it have left, but at least BW_RECORDED_LEAST and all that are kept.
 * So the memory of a search is bounded, however many options it costs. */
enum { BW_RECORDED_CHILDREN = 1 << 19, BW_RECORDED_LEAST = 256 };
/* Returns the recorded child of a rank; NULL if it is not recorded. */
const struct bw_child *bw_decision_child(const struct bw_decision *decision, int rank);

struct bw_search;
enum bw_search_status { BW_SEARCH_GOING, BW_SEARCH_DONE, BW_SEARCH_DEAD };

/* Returns a search at position 0. The caller keeps the pipeline, device and model alive;
 * constraints are copied. */
struct bw_search *bw_search_new(const struct bw_pipeline *pipeline, const struct bw_search_options *options,
				const struct bw_constraints *constraints);
/* Returns the same search under other constraints or options (NULL: the same). It shares every
 * position before the first decision that they change, and stands there. The old search does not
 * change. */
struct bw_search *bw_search_fork(const struct bw_search *search, const struct bw_search_options *options,
				 const struct bw_constraints *constraints);
void bw_search_free(struct bw_search *search);
/* Frees the search, and lets others have their turn meanwhile; nothing stops it. */
void bw_search_give_back(struct bw_search *search, const struct bw_yield *yield);
/* Returns the bytes of a search's states, schedules and records, without the memo. What several
 * searches share is divided between them, so that their bytes can be added. */
int64_t bw_search_bytes(const struct bw_search *search);
/* Returns a copy with references to its placements; the caller frees it with bw_constraints_free.
 * NULL: no constraints. */
struct bw_constraints bw_constraints_copy(const struct bw_constraints *constraints);
void bw_constraints_free(struct bw_constraints *constraints);

/* Advances to position `until`, or to the end if that comes first. Returns GOING if it was stopped (yield may
 * be NULL): the decision in progress is then made again by the next call. Returns DEAD if no legal option was
 * left; *error then names the Func, the rules and how many options each pruned. */
enum bw_search_status bw_search_advance(struct bw_search *search, int until, const struct bw_yield *yield,
					struct bw_error *error);

/* Decisions in order. Position p lies before decision p and after decision p - 1. */
int bw_search_n_decisions(const struct bw_search *search);
const struct bw_decision *bw_search_decision(const struct bw_search *search, int index);
/* Returns the furthest position that was reached, which is the number of decisions made. */
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
/* Returns a digest of the placements and costs of all states from position 0 to this one. It is
 * equal for two searches that found the same, bit for bit. */
uint64_t bw_search_digest(const struct bw_search *search, int position);
/* Sets *frozen to what is frozen in a pass, in the order of decisions, including Funcs that the
 * user has constrained or freed. Returns how many there are: none in the pass that freezes, and
 * before its end. */
int bw_search_frozen(const struct bw_search *search, int pass, const struct bw_frozen **frozen);
/* Returns what holds a Func in a pass; NULL if it is not frozen or the user has constrained it. */
const struct bw_frozen *bw_search_frozen_on(const struct bw_search *search, int func, int pass);
/* Makes all options of decision `index` from the state of this rank at its position again, with the
 * same functions. Fates and ranks come from the record if the decision was made; else options are
 * COSTED. Returns NULL if it was stopped (yield may be NULL). */
struct bw_expansion *bw_search_expand(const struct bw_search *search, int index, int rank,
				      const struct bw_yield *yield);
/* Added to the penalty factor of a state if no good state of the pass before had its structure. */
enum { BW_PENALTY_UNBLESSED = 10 };
/* How earlier passes affect a state that decision `index` leads to (section 4.5). */
struct bw_steering {
	/* structures are counted while the next beam is chosen: the cost of the kth state of one
	 * structure is multiplied by k */
	bool penalized;
	int depth;          /* the depth to which structures are compared: the number of the pass */
	uint64_t structure; /* of the state, to that depth */
	/* an earlier pass has blessed structures of depth - 1: others get BW_PENALTY_UNBLESSED
	 * more */
	bool judged;
	bool blessed; /* the state's structure is blessed */
};
struct bw_steering bw_search_steering(const struct bw_search *search, int index, const struct bw_nest *nest);
/* Returns true if the structures of the state of this rank, and of its ancestors, are blessed for
 * the next pass. At the end of a pass those of the good states are. */
bool bw_search_blesses(const struct bw_search *search, int position, int rank);
/* A change of one Func that polishing made: its placement and the cost of the whole schedule,
 * before and after. */
struct bw_polish_step {
	const struct bw_placement *from, *to;
	double before, after;
};
/* The result of polishing at the end of the last pass: the changes in order, and how many schedules
 * were priced. */
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
/* Returns the cost of a state with all terms, owned by the arena. */
struct bw_cost bw_search_cost(const struct bw_search *search, const struct bw_nest *nest,
			      struct bw_arena *arena);
const struct bw_search_options *bw_search_options_of(const struct bw_search *search);
/* Returns the search's own device: the options' device with the limits that other options
 * change. */
const struct bw_device *bw_search_device(const struct bw_search *search);
const struct bw_constraints *bw_search_constraints(const struct bw_search *search);
/* Stands for all passes in place of a pass. */
enum { BW_ALL_PASSES = -1 };
/* Returns the constraint that holds a Func in a pass: that of the pass alone, else that of all
 * passes; NULL if there is none. */
const struct bw_constraint *bw_constraint_on(const struct bw_constraints *constraints, int func, int pass);
/* Returns true if a constraint holds its Func; rejections and pins do not. */
bool bw_constraint_holds(const struct bw_constraint *constraint);
/* Returns true if a constraint applies in a pass. Rejections and pins apply in the pre-pass, which
 * only chooses between root and inline, only if they are for it alone. A Func with any of them is
 * not frozen. */
bool bw_constraint_applies(const struct bw_constraint *constraint, int pass);
/* Returns true if a placement of the constraint's Func is what the constraint names. */
bool bw_constraint_names(const struct bw_constraint *constraint, const struct bw_placement *placement);
/* Returns the rejection or pin of a Func that concerns this placement in a pass: one with sizes
 * before one of the site alone, newer ones before older ones. NULL if there is none, or the Func is
 * held. */
const struct bw_constraint *bw_constraint_mark(const struct bw_constraints *constraints,
					       const struct bw_placement *placement, int pass);
const struct bw_pipeline *bw_search_pipeline(const struct bw_search *search);
/* Totals over all decisions made, and the seconds spent. */
struct bw_search_totals {
	double seconds;
	long enumerated, buckets, unsampled, costed, kept, second, dropped_out, pruned[BW_N_RULES];
	long evaluated; /* see struct bw_decision; including probes */
	long probed;
	long let_go;
	int frozen; /* Funcs that the search froze */
	/* complete schedules that were costed; each counts once, whatever passes it came up in */
	long complete;
	struct bw_memo_counts memo; /* since the memo was made, for all searches that share it */
};
struct bw_search_totals bw_search_totals(const struct bw_search *search);
/* Returns the totals of one pass (0: the pre-pass); seconds are those of its decisions. */
struct bw_search_totals bw_search_pass_totals(const struct bw_search *search, int pass);
/* For tests: from now on everything that this search, and those that share its memo, take from the
 * memo is compared with what is found afresh, and each option's cost with that of its whole nest
 * (bw_search_totals: memo.checked, memo.wrong). */
void bw_search_check_memo(struct bw_search *search);

/* Returns the source of a constraint in words: `frozen by hand`. */
const char *bw_constraint_words(const struct bw_constraint *constraint);
const char *bw_phase_name(enum bw_phase phase);
const char *bw_rule_name(enum bw_rule rule);
const char *bw_rule_meaning(enum bw_rule rule);
bool bw_rule_hard(enum bw_rule rule);
const char *bw_fate_name(enum bw_fate fate);
#endif
