/* A walk through the decisions of a scheduler: what it could choose from at each, with figures, and what it
 * took. A person can have another candidate taken, forbid one, or hold Funcs; then the scheduler decides
 * again from there on. A scheduler implements struct bw_walk_scheduler; all else is the same for all.
 *
 * A walk is a function of the pipeline, the options and the marks alone, so a journal of marks restores
 * it. */
#pragma once

#include "base/routine.h"
#include "schedule/schedule.h"
#include "search/settings.h"

/* A figure of candidates, as a column shows it. */
struct bw_walk_column {
	const char *name, *unit, *meaning;
};
enum { BW_WALK_COLUMNS = 9 };
/* The unit of predicted costs: that of the cost model. */
#define BW_WALK_COST "cost"
/* The unit of shares, 0 to 1. */
#define BW_WALK_SHARE "0..1"

/* A candidate. The scheduler's state owns what it points to. */
struct bw_walk_candidate {
	const char *name; /* unique in its decision, without what follows from it: `merge Ix into output` */
	const char *how; /* what follows: `tile 32x8`; "": nothing */
	const int *funcs, *others; /* what it is about: Funcs, a group or a set; and the second of a pair */
	int n_funcs, n_others;
	double figures[BW_WALK_COLUMNS]; /* by column; NAN: it has none */
	bool wanted;                     /* the scheduler would take it if all before it are refused */
	const char *refused;             /* why it cannot be taken; NULL: nothing is known against it */
};

/* A decision. */
struct bw_walk_step {
	const char *phase, *question; /* `merge`, `which groups to merge` */
	int n;
	struct bw_walk_candidate *candidates; /* best first */
	/* Filled by the walk: */
	int taken;        /* candidate; -1: none, and the scheduler goes on to what follows the phase */
	int own;          /* what the scheduler itself would have taken */
	bool by_hand;     /* somebody chose */
	const char *then; /* the schedule after it, in words */
	struct bw_schedule *before; /* the schedule before it; NULL: there was none */
};

/* What a scheduler implements. A state belongs to one walk; the pipeline and options outlive it. */
struct bw_walk_scheduler {
	const struct bw_walk_column *columns; /* the first one says what a candidate gains or costs */
	int n_columns;
	/* Returns a new state, or NULL with an error. argument: what was said behind the scheduler's name;
	 * older: the state of a walk that the same scheduler ended before, which may know something; or NULL. */
	void *(*begin)(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		       const char *argument, const void *older, struct bw_error *error);
	/* Appends the argument with which the walk comes to the same end again, however it was stopped; NULL: as
	 * it was said. */
	void (*argument)(const void *state, struct bw_text *out);
	/* Is told before each decision which Funcs are held, by Func: no candidate about them can be taken. NULL: it
	 * does not look ahead. */
	void (*hold)(void *state, const bool *held);
	/* Works before each decision. Returns true when there is nothing left to do; soon after *stop is set, too,
	 * with what was found by then. Returns false if `yield` stopped it: it goes on with the next call. NULL:
	 * there never is anything to do. */
	bool (*work)(void *state, const struct bw_yield *yield, const atomic_bool *stop);
	/* Says how far that has come, in one line. NULL: nothing. */
	void (*progress)(const void *state, struct bw_text *out);
	/* Fills the next decision. Returns false after the last. */
	bool (*next)(void *state, struct bw_walk_step *step);
	/* Takes a candidate of that decision, -1: none. Returns false with an error and changes nothing if the
	 * outcome is not legal. */
	bool (*take)(void *state, int candidate, struct bw_error *error);
	/* Returns the schedule as it stands; a new reference. */
	struct bw_schedule *(*schedule)(void *state);
	/* Appends the schedule as it stands in words. */
	void (*describe)(const void *state, struct bw_text *out);
	/* Appends the directives by which the paper schedules a CPU, a line for each Func. NULL: there are none. */
	void (*for_cpu)(const void *state, struct bw_text *out);
	void (*end)(void *state);
};

/* What a person says: take a candidate at a step, or forbid it, or hold a Func from that step on, so that no
 * candidate is about it. */
enum bw_walk_verb { BW_WALK_TAKE, BW_WALK_FORBID, BW_WALK_HOLD, BW_WALK_VERBS };
struct bw_walk_mark {
	enum bw_walk_verb verb;
	int step;   /* from 0 */
	char *name; /* of the candidate, `none`, or of the Func */
};
const char *bw_walk_verb_name(enum bw_walk_verb verb);

struct bw_scheduler;
struct bw_walk;
enum bw_walk_status { BW_WALK_GOING, BW_WALK_DONE, BW_WALK_FAILED };

/* What a walk is made from. */
struct bw_walk_request {
	const struct bw_scheduler *scheduler;
	const char *argument; /* for it; NULL or "": none */
	const struct bw_pipeline *pipeline;
	const struct bw_settings *options;
	const struct bw_walk_mark *marks;
	int n_marks;
	struct bw_walk *older; /* its results may be reused if its scheduler is the same; NULL: none */
};

/* Returns a walk that has made no decision yet, with copies of all but the pipeline, which must outlive it.
 * Walks count references. */
struct bw_walk *bw_walk_new(const struct bw_walk_request *request);
struct bw_walk *bw_walk_keep(struct bw_walk *walk);
void bw_walk_drop(struct bw_walk *walk);
/* Makes decisions. GOING: `yield`, which may be NULL, stopped it. DONE: all are made. FAILED with an error:
 * a mark does not fit, or the scheduler found no schedule. After *stop is set the scheduler ends soon with
 * what it has. */
enum bw_walk_status bw_walk_work(struct bw_walk *walk, const struct bw_yield *yield, const atomic_bool *stop,
				 struct bw_error *error);
/* Appends the command that makes the same walk again, without its marks: `scheduler greedy`. */
void bw_walk_command(const struct bw_walk *walk, struct bw_text *out);
const char *bw_walk_argument(const struct bw_walk *walk);
/* Appends how far it has come, in one line; nothing if the scheduler does not say. */
void bw_walk_progress(const struct bw_walk *walk, struct bw_text *out);

const struct bw_scheduler *bw_walk_scheduler_of(const struct bw_walk *walk);
int bw_walk_steps(const struct bw_walk *walk);
const struct bw_walk_step *bw_walk_step(const struct bw_walk *walk, int index);
const struct bw_walk_mark *bw_walk_marks(const struct bw_walk *walk, int *n);
/* Returns the schedule in which the walk ends, or in which it stood before step `step` (from 0); a
 * new reference. Returns NULL if there is none. */
struct bw_schedule *bw_walk_schedule(const struct bw_walk *walk, int step);
/* Returns the candidate of a step by its name or by its number from 1, or -1 for `none`; -2 with an error. */
int bw_walk_find(const struct bw_walk *walk, int step, const char *name, struct bw_error *error);

/* Appends the steps, a line each: what was taken, and its first figure. Then directives for a CPU, if any. */
void bw_walk_print(const struct bw_walk *walk, struct bw_text *out);
/* Appends why a candidate was taken or not, with all its figures. */
void bw_walk_explain(const struct bw_walk *walk, int step, int candidate, struct bw_text *out);
/* Returns the walk as JSON: a new reference. */
json_t *bw_walk_json(const struct bw_walk *walk);

/* The schedulers. The beam search walks through its decisions in the explorer; the decisions of the others
 * are a walk (walk.h), and the search is held to the schedule in which the walk ends, so that each Func can
 * be freed again. */

/* Name, paper, meaning, the scheduler (NULL: the search itself). */
#define BW_SCHEDULER_TABLE(X)                                                                                \
	X("beam", "Anderson et al. 2021", "the beam search, with every Func free", NULL)                     \
	X("greedy", "Mullapudi et al. 2016", "inlines, then merges groups of Funcs, by the largest benefit", \
	  &bw_greedy_walk)                                                                             \
	X("sioutas", "Sioutas et al. 2020", "merges kernels by occupancy and loads, nests them in threads", \
	  &bw_sioutas_walk)                                                                            \
	X("exact", "depth first with bounds", "the best schedule under the model, proven, or how far from it", \
	  &bw_exact_walk)                                                                              \
	X("dp", "Jangda and Guha 2020", "partitions the Funcs into groups of the least cost by dynamic programming", \
	  &bw_dp_walk)                                                                                       \
	X("cs6120", "Calinao Correa et al. 2019", "transforms a schedule tree, by beam search for the least weighted cost", \
	  &bw_cs6120_walk)

extern const struct bw_walk_scheduler bw_greedy_walk, bw_sioutas_walk, bw_exact_walk, bw_dp_walk,
    bw_cs6120_walk;

struct bw_scheduler {
	const char *name, *paper, *meaning;
	const struct bw_walk_scheduler *walk;
};

/* Returns all schedulers, and sets *n to their number. */
const struct bw_scheduler *bw_schedulers(int *n);
/* Returns the scheduler of this name, or NULL with an error that lists the names. */
const struct bw_scheduler *bw_scheduler_find(const char *name, struct bw_error *error);
