/* A walk through the decisions of a scheduler: the candidates of each decision with their figures, and
 * the candidate that was taken. The user can take another candidate, forbid a candidate, or hold a Func;
 * then the scheduler repeats all decisions from this step on. Each scheduler implements struct
 * bw_walk_scheduler. All other code is the same for all schedulers.
 *
 * A walk depends only on the pipeline, the options and the marks. So a journal of marks restores it. */
#pragma once

#include "base/routine.h"
#include "schedule/schedule.h"
#include "search/settings.h"

/* A column of a table of candidates: one figure per candidate. */
struct bw_walk_column {
	const char *name, *unit, *meaning;
};
enum { BW_WALK_COLUMNS = 9 };
/* Stands for the cost model's unit, as the unit of a column of predicted costs. */
#define BW_WALK_COST "cost"
/* The unit of a column of shares, 0 to 1. */
#define BW_WALK_SHARE "0..1"

/* A candidate of a decision. The scheduler's state owns what it points to. */
struct bw_walk_candidate {
	const char *name; /* unique in the decision: `merge Ix into output` */
	const char *how; /* details that follow from the choice: `tile 32x8`; "": none */
	/* the Funcs that it concerns: one, a group or a set; others: the second group of a pair */
	const int *funcs, *others;
	int n_funcs, n_others;
	double figures[BW_WALK_COLUMNS]; /* by column; NAN: none */
	bool wanted;                     /* the scheduler would take this candidate if all before it are refused */
	const char *refused;             /* why it cannot be taken; NULL: no reason known */
};

/* A decision and its candidates. */
struct bw_walk_step {
	const char *phase, *question; /* words: `merge`; `which groups to merge` */
	int n;
	struct bw_walk_candidate *candidates; /* best first */
	/* Filled by the walk: */
	int taken;        /* the candidate that was taken; -1: none, and the scheduler goes on to the next phase */
	int own;          /* the candidate that the scheduler itself would have taken; -1: none */
	bool by_hand;     /* the user chose the candidate */
	const char *then; /* the schedule after the decision, in words */
	struct bw_schedule *before; /* the schedule before the decision; NULL: there was none */
};

/* The functions that a scheduler implements. A state belongs to one walk. The pipeline and options
 * outlive the state. */
struct bw_walk_scheduler {
	const struct bw_walk_column *columns; /* the first column is the gain or the cost of a candidate */
	int n_columns;
	/* Returns a new state, or NULL with an error. argument: the words after the scheduler's name. older: the
	 * state of an earlier walk of the same scheduler, whose results may be reused; or NULL. */
	void *(*begin)(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		       const char *argument, const void *older, struct bw_error *error);
	/* Appends an argument with which a new walk ends the same, even if this one was stopped. NULL: the
	 * argument that `begin` got. */
	void (*argument)(const void *state, struct bw_text *out);
	/* Is called before each decision. held: by Func; candidates that concern a held Func cannot be taken.
	 * NULL: the scheduler does not look ahead. */
	void (*hold)(void *state, const bool *held);
	/* Computes what the next decision needs. Returns true when done, or soon after *stop is set, with the
	 * results so far. Returns false if `yield` stopped it; the next call continues. NULL: there is nothing
	 * to compute. */
	bool (*work)(void *state, const struct bw_yield *yield, const atomic_bool *stop);
	/* Appends the progress of `work` in one line. NULL: there is none. */
	void (*progress)(const void *state, struct bw_text *out);
	/* Fills in the next decision. Returns false after the last one. */
	bool (*next)(void *state, struct bw_walk_step *step);
	/* Takes a candidate of the decision that `next` filled in; -1: none. If the outcome is not legal,
	 * returns false with an error and changes nothing. */
	bool (*take)(void *state, int candidate, struct bw_error *error);
	/* Returns the schedule after the decisions so far: a new reference. */
	struct bw_schedule *(*schedule)(void *state);
	/* Appends the schedule after the decisions so far, in words. */
	void (*describe)(const void *state, struct bw_text *out);
	/* Appends the paper's directives for a CPU, one line per Func. NULL: there are none. */
	void (*for_cpu)(const void *state, struct bw_text *out);
	void (*end)(void *state);
};

/* What the user can demand: to take a candidate at a step, to forbid it at a step, or to hold a Func from
 * a step on, so that no candidate that concerns the Func is taken. */
enum bw_walk_verb { BW_WALK_TAKE, BW_WALK_FORBID, BW_WALK_HOLD, BW_WALK_VERBS };
struct bw_walk_mark {
	enum bw_walk_verb verb;
	int step;   /* from 0 */
	char *name; /* name of the candidate, `none`, or name of the Func */
};
const char *bw_walk_verb_name(enum bw_walk_verb verb);

struct bw_scheduler;
struct bw_walk;
enum bw_walk_status { BW_WALK_GOING, BW_WALK_DONE, BW_WALK_FAILED };

/* The inputs of a walk. */
struct bw_walk_request {
	const struct bw_scheduler *scheduler;
	const char *argument; /* argument for the scheduler; NULL or "": none */
	const struct bw_pipeline *pipeline;
	const struct bw_settings *options;
	const struct bw_walk_mark *marks;
	int n_marks;
	/* an earlier walk, whose results are reused if the scheduler is the same; NULL: none */
	struct bw_walk *older;
};

/* Returns a walk that has made no decision yet. Copies everything except the pipeline, which must outlive
 * the walk. Walks are reference-counted. */
struct bw_walk *bw_walk_new(const struct bw_walk_request *request);
struct bw_walk *bw_walk_keep(struct bw_walk *walk);
void bw_walk_drop(struct bw_walk *walk);
/* Makes decisions. Returns GOING if `yield`, which may be NULL, stopped it; DONE if all decisions are
 * made; FAILED with an error if a mark does not fit or the scheduler found no schedule. Soon after *stop
 * is set, the scheduler ends with the results so far. */
enum bw_walk_status bw_walk_work(struct bw_walk *walk, const struct bw_yield *yield, const atomic_bool *stop,
				 struct bw_error *error);
/* Appends the command that makes the same walk without its marks: `scheduler greedy`. */
void bw_walk_command(const struct bw_walk *walk, struct bw_text *out);
const char *bw_walk_argument(const struct bw_walk *walk);
/* Appends the progress in one line; nothing if the scheduler does not say. */
void bw_walk_progress(const struct bw_walk *walk, struct bw_text *out);

const struct bw_scheduler *bw_walk_scheduler_of(const struct bw_walk *walk);
int bw_walk_steps(const struct bw_walk *walk);
const struct bw_walk_step *bw_walk_step(const struct bw_walk *walk, int index);
const struct bw_walk_mark *bw_walk_marks(const struct bw_walk *walk, int *n);
/* Returns the schedule before step `step` (0-based), or the final schedule if `step` is the number of
 * steps: a new reference. Returns NULL if there is none. */
struct bw_schedule *bw_walk_schedule(const struct bw_walk *walk, int step);
/* Returns the candidate of a step with a name, or with a number from 1. Returns -1 for `none`, and -2
 * with an error if there is no such candidate. */
int bw_walk_find(const struct bw_walk *walk, int step, const char *name, struct bw_error *error);

/* Appends one line per step: the candidate that was taken, and its first figure. Then appends the
 * directives for a CPU, if any. */
void bw_walk_print(const struct bw_walk *walk, struct bw_text *out);
/* Appends why a candidate was taken or not taken, with all its figures. */
void bw_walk_explain(const struct bw_walk *walk, int step, int candidate, struct bw_text *out);
/* Returns the walk as JSON: a new reference. */
json_t *bw_walk_json(const struct bw_walk *walk);

/* The schedulers. The explorer shows the beam search's own decisions. The decisions of each other
 * scheduler are a walk. Constraints then hold the search to the final schedule of the walk; the user can
 * free each Func again. */

/* Columns: name, paper, meaning, implementation (NULL: the search itself). */
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
/* Returns the scheduler with this name, or NULL with an error that lists all names. */
const struct bw_scheduler *bw_scheduler_find(const char *name, struct bw_error *error);
