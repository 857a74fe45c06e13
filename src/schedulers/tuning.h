/* A tuning as it goes on: a first search; batch after batch of schedules, which a meter is asked for and
 * whose outcomes choose the batch after the next; in the end the fastest in turns with the first shot and
 * the schedule by hand. It never waits: its owner lets it compute and look after the meter in turn with
 * whatever else there is to do. */
#pragma once
#include "schedulers/tune.h"

/* What measures schedules for a tuning: a device here or elsewhere, several of them, or a file of
 * measurements. It is asked for schedules, and hands out their outcomes as they come: in any order, one for
 * each. */

struct bw_meter_asked {
	int number;                 /* the asker's, which the outcome has, too */
	const struct bw_nest *nest; /* complete; NULL: the generator's own schedule. Valid until its outcome */
	uint64_t hash;              /* bw_schedule_hash; 0 where nest is NULL */
	const char *label;          /* what the schedule is called in stored results */
	bool again; /* it is measured even if it was before, as a repeat is; else a stored outcome will do */
};

struct bw_meter_outcome {
	int number;
	double ms; /* the least of the runs; on the emulated device an estimate from its counts. INFINITY: it
		      failed, or its output is wrong */
	bool stored; /* it was measured before, and not again */
	bool absent; /* nothing is known of it, and nothing will be: it is no sample. ms: 0 */
	bool ends; /* what failed has nothing to do with the schedule: others would fail so, too */
	struct bw_error error; /* why, where ms is INFINITY */
};

struct bw_meter {
	void *data;
	const char *device; /* the device that it measures; owned by the meter */
	bool estimates;     /* its outcomes are estimates from counts, equal in every run */
	const char *file;   /* file of the measurements that it replays, equal in every run; NULL: it
			       measures */
	int width;          /* schedules to ask for at once so that all its workers are busy; 0: no matter */
	/* Asks for a schedule. Returns false with an error if nothing more can be asked for. */
	bool (*ask)(void *data, const struct bw_meter_asked *asked, struct bw_error *error);
	/* Writes the next outcome. Returns false if there is none yet. Never waits. */
	bool (*take)(void *data, struct bw_meter_outcome *outcome);
	/* Writes at most `most` descriptors that can be read once there may be more, and returns how many. NULL:
	 * its owner knows of them. */
	int (*fds)(const void *data, int *fds, int most);
	/* Appends what it is doing, as in `compiling tuning 5, 3 s`. */
	void (*tell)(const void *data, struct bw_text *out);
	/* Gives up what has no outcome yet: it will have none. */
	void (*stop)(void *data);
	/* Appends in some lines what else it has come to, as on other devices. NULL: nothing. */
	void (*sum)(const void *data, struct bw_text *out);
};

/* The tuning. */

enum {
	BW_TUNING_BATCH = 4, /* proposed at once, or half of what keeps a meter busy: two are under way */
	BW_TUNING_BATCH_MOST = 128,
	BW_TUNING_ROUNDS = 6,   /* of each schedule that is measured in turns with others */
	BW_TUNING_COMPARED = 3, /* schedules that are */
	BW_TUNING_SAMPLES = 100, /* that are measured by default */
	BW_TUNING_SAMPLES_MOST = 1000000
};

/* A change of the control schedule's time that is told. */
#define BW_TUNING_DRIFT 0.1

/* What the results of a tuning are labelled with, followed by their number. */
#define BW_TUNING_LABEL "tuning "

/* What a tuning is at. */
enum bw_tuning_phase {
	BW_TUNING_SEARCHES, /* computes: the first search */
	BW_TUNING_PROPOSES, /* computes: the next batch, while the one before is measured */
	BW_TUNING_MEASURES, /* waits for outcomes of the batches */
	BW_TUNING_COMPARES, /* waits for outcomes of those measured in turns */
	BW_TUNING_ENDED
};

/* When a tuning ends. */
struct bw_tuning_budget {
	long samples;   /* schedules to measure, those measured before among them */
	long patience;  /* samples in a row without a faster one; 0: no limit */
	double seconds; /* for which it goes on; 0: no limit */
};

/* A schedule that has an outcome. */
struct bw_tuning_sample {
	int number; /* of the candidate */
	int batch;  /* from 0 */
	double at;  /* seconds of the tuning when the outcome came */
};

/* One measurement of the control schedule, which is the first shot. */
struct bw_tuning_control {
	int sample; /* samples when it was asked for */
	double at;  /* seconds of the tuning when it came */
	double ms;
};

/* Measurements of one schedule in turns with others, in ms. */
struct bw_tuning_rounds {
	const char *name;           /* fastest, first shot, by hand */
	const struct bw_nest *nest; /* NULL: the generator's own */
	int n;
	double ms[BW_TUNING_ROUNDS]; /* rising once all are measured */
	struct bw_error error;       /* why there are none */
};

/* Candidates that are proposed at once. */
struct bw_tuning_batch {
	int numbers[BW_TUNING_BATCH_MOST];
	bool came[BW_TUNING_BATCH_MOST]; /* those whose outcome was taken in */
	int n, n_came;
	bool asked; /* the meter knows of it */
};

struct bw_tuning {
	const struct bw_pipeline *pipeline; /* the caller's */
	struct bw_settings options;         /* of its searches */
	enum bw_tune_strategy strategy;
	struct bw_tuning_budget budget;
	struct bw_schedule *given; /* by hand, to be added to the candidates; NULL: none, or it has been */
	bool given_near;             /* it is only the nearest to the one by hand that can be said */
	struct bw_error given_error; /* why it could not be; kind 0: it was, or there is none */
	struct bw_weights *start; /* of the learned model that is trained; NULL: random ones */
	enum bw_tuning_phase phase;
	struct bw_meter *meter; /* the caller's, who sets it; NULL: none yet, and nothing is measured */
	struct bw_tune *tune;   /* NULL: the first search has not come to its end */
	struct bw_tuning_sample *samples; /* as they were proposed */
	int n, capacity;
	int stored, failed; /* of the samples: measured before; failed or wrong */
	int absent;         /* proposals in a row of which a file that is replayed knows nothing */
	int since;          /* samples when the fastest was found */
	struct bw_tuning_control
	    *controls; /* as they came; none where nothing is measured, but estimated or replayed */
	int n_controls, control_capacity;
	bool stopped;       /* before its end */
	struct bw_error failure; /* of the first that failed */
	struct bw_error error;   /* why it has ended without a fastest schedule; kind 0: it has not */
	struct bw_tuning_rounds rounds[BW_TUNING_COMPARED]; /* the fastest, the first shot, by hand */
	int n_rounds;
	/* Hears of each schedule that is faster than all before; NULL: nobody does. */
	void (*faster)(const struct bw_tuning *tuning, int number, void *data);
	/* Hears that the device has become faster or slower, when that begins and when it is over; NULL:
	 * nobody does. */
	void (*drifts)(const struct bw_tuning *tuning, void *data);
	void *data;

	/* What tuning.c alone uses. */
	double began, spent;        /* s: by the clock, when it last went on; before that */
	struct bw_tuning_batch batches[2]; /* the one that is measured now, and the next */
	int ready;      /* of them that are wholly proposed */
	bool exhausted; /* with the outcomes so far, there is nothing more to propose */
	int n_batches;  /* that have ended */
	int first;      /* sample of the first batch */
	struct bw_meter_outcome *early; /* of the second batch, while the first has not ended */
	int n_early, early_capacity;
	int controlled;     /* samples measured anew when the control was last asked for */
	int control_sample; /* samples then */
	bool controls_now;  /* its outcome is awaited */
	bool asked;         /* the meter knows of what is compared next */
	int turn, place; /* of what is compared */
};

/* Returns a tuning that is about to search. The caller keeps the pipeline and what the options point to, and
 * sets the meter before it can measure. start: weights of the learned model that is trained, copied; NULL:
 * random ones. */
struct bw_tuning *bw_tuning_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
				enum bw_tune_strategy strategy, const struct bw_tuning_budget *budget,
				const struct bw_weights *start);
void bw_tuning_free(struct bw_tuning *tuning);
/* Has a schedule measured after the first shot, and its changes proposed like those of any other. near: it is
 * only the nearest to the one by hand. Keeps it. To be called before anything is computed. */
void bw_tuning_give(struct bw_tuning *tuning, struct bw_schedule *schedule, bool near);
/* Appends why the one by hand is not measured, if it is not. */
void bw_tuning_given_words(const struct bw_tuning *tuning, struct bw_text *out);
/* Returns true if it has something to compute, which may take long. */
bool bw_tuning_computes(const struct bw_tuning *tuning);
/* Computes that. Stopped by yield, it goes on with the next call. Asks no meter. */
void bw_tuning_compute(struct bw_tuning *tuning, const struct bw_yield *yield);
/* Asks the meter for what is to be measured, and takes one outcome in. Returns true if it did something, so
 * that it is worth calling again at once. Does nothing while there is something to compute. */
bool bw_tuning_poll(struct bw_tuning *tuning);
/* Ends with an error that has nothing to do with the schedules. */
void bw_tuning_fail(struct bw_tuning *tuning, const struct bw_error *error);
/* Ends it where it is: what was asked for and has no outcome is asked for again if it goes on. */
void bw_tuning_stop(struct bw_tuning *tuning);
/* Goes on with a tuning that has ended, up to a new budget. */
void bw_tuning_go_on(struct bw_tuning *tuning, const struct bw_tuning_budget *budget);

/* Returns the seconds for which it has gone on. */
double bw_tuning_seconds(const struct bw_tuning *tuning);
/* Returns the seconds that it will still go on for, without what is compared in the end; INFINITY: not
 * known. */
double bw_tuning_left(const struct bw_tuning *tuning);
/* Appends how many samples there are, or which schedule is measured in turns. */
void bw_tuning_done(const struct bw_tuning *tuning, struct bw_text *out);
/* Appends `, 45 s left`; nothing if that is not known. */
void bw_tuning_time_left(const struct bw_tuning *tuning, struct bw_text *out);
/* Appends how far it is in a few words: samples, the fastest, seconds left. */
void bw_tuning_progress(const struct bw_tuning *tuning, struct bw_text *out);
/* Returns a candidate by its number. */
const struct bw_tune_candidate *bw_tuning_candidate(const struct bw_tuning *tuning, int number);
/* Returns the newest control measurement over the median of those before it; 1 if there are fewer than two.
 * More than BW_TUNING_DRIFT away from 1, the device's clock drifts, or others use it. */
double bw_tuning_drift(const struct bw_tuning *tuning);
/* Returns true if the newest control measurement is so far away. */
bool bw_tuning_drifts(const struct bw_tuning *tuning);
/* Returns the number of the fastest; -1: none was measured. */
int bw_tuning_best(const struct bw_tuning *tuning);
/* Appends where a candidate comes from: `drawn with seed 3`. */
void bw_tuning_origin(const struct bw_tuning *tuning, int number, struct bw_text *out);
/* Returns the strategy of a name; BW_N_TUNE_STRATEGIES: none has it. */
enum bw_tune_strategy bw_tune_strategy_of(const char *name);
/* Returns the name of a strategy. */
const char *bw_tune_strategy_name(enum bw_tune_strategy strategy);
