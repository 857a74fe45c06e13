/* A tuning while it runs. First it searches. Then it requests batches of schedules from a meter; the
 * outcomes of a batch decide the batch after the next. In the end it measures the fastest schedule in
 * turns with the first shot and the schedule by hand. No function waits for the meter: the owner calls
 * bw_tuning_compute() and bw_tuning_poll() between its other work. */
#pragma once
#include "schedulers/tune.h"

/* A meter measures schedules for a tuning: on one or several devices, local or remote, or by replaying a
 * file of measurements. Each requested schedule gets one outcome. Outcomes come in any order. */

struct bw_meter_asked {
	int number;                 /* chosen by the caller; the outcome has the same */
	const struct bw_nest *nest; /* complete; NULL: the generator's own schedule. Valid until its outcome */
	uint64_t hash;              /* bw_schedule_hash; 0 where nest is NULL */
	const char *label;          /* what the schedule is called in stored results */
	bool again; /* measure even if there is a stored outcome */
};

struct bw_meter_outcome {
	int number;
	double ms; /* the least of the runs; on the emulated device an estimate from its counts. INFINITY: it
		      failed, or its output is wrong */
	bool stored; /* a stored outcome of an earlier measurement */
	bool absent; /* the replayed file does not have the schedule: it does not count as a sample. ms: 0 */
	bool ends; /* the failure is not the schedule's: all others would fail, too */
	struct bw_error error; /* why, where ms is INFINITY */
};

struct bw_meter {
	void *data;
	const char *device; /* the device that the meter measures on; owned by the meter */
	bool estimates;     /* the outcomes are estimates from counts, equal in every run */
	const char *file;   /* replayed file of measurements, equal in every run; NULL: the meter measures */
	int width;          /* schedules to request at once so that all workers are busy; 0: any number */
	/* Asks for a schedule. Returns false with an error if nothing more can be asked for. */
	bool (*ask)(void *data, const struct bw_meter_asked *asked, struct bw_error *error);
	/* Writes the next outcome. Returns false if there is none yet. Never waits. */
	bool (*take)(void *data, struct bw_meter_outcome *outcome);
	/* Writes at most `most` file descriptors that become readable when there may be a new outcome. Returns
	 * their number. NULL: the owner has them already. */
	int (*fds)(const void *data, int *fds, int most);
	/* Appends what the meter is doing: `compiling tuning 5, 3 s`. */
	void (*tell)(const void *data, struct bw_text *out);
	/* Cancels all requests that have no outcome yet. */
	void (*stop)(void *data);
	/* Appends lines on further results, such as those of other devices. NULL: there are none. */
	void (*sum)(const void *data, struct bw_text *out);
};

/* The tuning. */

enum {
	/* least size of a batch; half of the meter's width if that is larger */
	BW_TUNING_BATCH = 4,
	BW_TUNING_BATCH_MOST = 128,
	BW_TUNING_ROUNDS = 6,   /* of each schedule that is measured in turns with others */
	BW_TUNING_COMPARED = 3, /* number of schedules that are measured in turns */
	BW_TUNING_SAMPLES = 100, /* default number of schedules to measure */
	BW_TUNING_SAMPLES_MOST = 1000000
};

/* The relative change of the control schedule's time from which on the user is told. */
#define BW_TUNING_DRIFT 0.1

/* Label of a tuning's results; the number of the sample follows. */
#define BW_TUNING_LABEL "tuning "

/* The phases of a tuning. */
enum bw_tuning_phase {
	BW_TUNING_SEARCHES, /* computes: the first search */
	BW_TUNING_PROPOSES, /* computes: the next batch, while the one before is measured */
	BW_TUNING_MEASURES, /* waits for outcomes of the batches */
	BW_TUNING_COMPARES, /* waits for outcomes of the schedules that are measured in turns */
	BW_TUNING_ENDED
};

/* When a tuning ends. */
struct bw_tuning_budget {
	long samples;   /* schedules to measure, including those with stored outcomes */
	long patience;  /* samples in a row without a faster one; 0: no limit */
	double seconds; /* duration of the tuning; 0: no limit */
};

/* A schedule that has an outcome. */
struct bw_tuning_sample {
	int number; /* of the candidate */
	int batch;  /* from 0 */
	double at;  /* seconds of the tuning when the outcome came */
};

/* One measurement of the control schedule, which is the first shot. */
struct bw_tuning_control {
	int sample; /* number of samples when the measurement was requested */
	double at;  /* seconds of the tuning when the outcome came */
	double ms;
};

/* Measurements of one schedule in turns with others, in ms. */
struct bw_tuning_rounds {
	const char *name;           /* fastest, first shot, by hand */
	const struct bw_nest *nest; /* NULL: the generator's own */
	int n;
	double ms[BW_TUNING_ROUNDS]; /* sorted once all are measured, the least first */
	struct bw_error error;       /* why there are no measurements */
};

/* Candidates that are proposed at once. */
struct bw_tuning_batch {
	int numbers[BW_TUNING_BATCH_MOST];
	bool came[BW_TUNING_BATCH_MOST]; /* by candidate: its outcome was taken in */
	int n, n_came;
	bool asked; /* its candidates were requested from the meter */
};

struct bw_tuning {
	const struct bw_pipeline *pipeline; /* the caller's */
	struct bw_settings options;         /* of its searches */
	enum bw_tune_strategy strategy;
	struct bw_tuning_budget budget;
	/* the schedule by hand, until it is added to the candidates; then, or if there is none, NULL */
	struct bw_schedule *given;
	/* `given` is only the nearest schedule to the one by hand that can be expressed */
	bool given_near;
	struct bw_error given_error; /* why `given` could not be added; kind 0: no error */
	struct bw_weights *start; /* initial weights of the learned model; NULL: random ones */
	enum bw_tuning_phase phase;
	struct bw_meter *meter; /* the caller's; NULL: not set yet, nothing is measured */
	struct bw_tune *tune;   /* NULL: the first search has not ended */
	struct bw_tuning_sample *samples; /* in the order of proposal */
	int n, capacity;
	int stored, failed; /* numbers of samples: with a stored outcome; that failed or had wrong output */
	int absent;         /* proposals in a row that the replayed file does not have */
	int since;          /* number of samples when the fastest was found */
	struct bw_tuning_control
	    *controls; /* in the order of arrival; none if outcomes are estimated or replayed */
	int n_controls, control_capacity;
	bool stopped;       /* bw_tuning_stop() ended the tuning */
	struct bw_error failure; /* why the first failed sample failed */
	struct bw_error error;   /* why the tuning ended without a fastest schedule; kind 0: no error */
	struct bw_tuning_rounds rounds[BW_TUNING_COMPARED]; /* the fastest, the first shot, by hand */
	int n_rounds;
	/* Is called for each schedule that is faster than all before. May be NULL. */
	void (*faster)(const struct bw_tuning *tuning, int number, void *data);
	/* Is called when the device begins to drift (bw_tuning_drifts) and when the drift is over. May be NULL. */
	void (*drifts)(const struct bw_tuning *tuning, void *data);
	void *data;

	/* What tuning.c alone uses. */
	/* began: clock in s when the tuning last started or resumed; spent: s of tuning before that */
	double began, spent;
	struct bw_tuning_batch batches[2]; /* the batch that is measured now, and the next one */
	int ready;      /* number of batches whose proposal is complete */
	bool exhausted; /* the outcomes so far leave nothing more to propose */
	int n_batches;  /* number of batches that have ended */
	int first;      /* number of samples before batches[0] */
	struct bw_meter_outcome *early; /* outcomes of batches[1] that came before batches[0] has ended */
	int n_early, early_capacity;
	/* number of samples without the stored ones, when the control schedule was last requested */
	int controlled;
	int control_sample; /* number of all samples at that time */
	bool controls_now;  /* waiting for the control's measurement */
	bool asked;         /* COMPARES: the current measurement was requested from the meter */
	int turn, place; /* COMPARES: the current round, and index in `rounds` of the schedule to measure in it */
};

/* Returns a tuning in the phase SEARCHES. The caller keeps the pipeline and what the options point to,
 * and sets the meter before the tuning can measure. start: initial weights of the learned model, copied;
 * NULL: random ones. */
struct bw_tuning *bw_tuning_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
				enum bw_tune_strategy strategy, const struct bw_tuning_budget *budget,
				const struct bw_weights *start);
void bw_tuning_free(struct bw_tuning *tuning);
/* Gives the schedule by hand, which is measured after the first shot; its changes are proposed like those
 * of any other schedule. near: the schedule is only the nearest to the one by hand that can be expressed.
 * Keeps a reference. Must be called before the first bw_tuning_compute(). */
void bw_tuning_give(struct bw_tuning *tuning, struct bw_schedule *schedule, bool near);
/* Appends why the schedule by hand is not measured; nothing if it is. */
void bw_tuning_given_words(const struct bw_tuning *tuning, struct bw_text *out);
/* Returns true if the tuning has something to compute, which may take long. */
bool bw_tuning_computes(const struct bw_tuning *tuning);
/* Runs the first search or proposes the next batch. If yield stops it, the next call continues. Does not
 * use the meter. */
void bw_tuning_compute(struct bw_tuning *tuning, const struct bw_yield *yield);
/* Requests measurements from the meter, and takes one outcome. Returns true if it did something: call it
 * again at once. Does nothing while bw_tuning_computes() is true. */
bool bw_tuning_poll(struct bw_tuning *tuning);
/* Ends the tuning with an error that is not about a schedule. */
void bw_tuning_fail(struct bw_tuning *tuning, const struct bw_error *error);
/* Ends the tuning now. Requests without an outcome are repeated if the tuning goes on. */
void bw_tuning_stop(struct bw_tuning *tuning);
/* Continues a tuning that has ended, up to a new budget. */
void bw_tuning_go_on(struct bw_tuning *tuning, const struct bw_tuning_budget *budget);

/* Returns the seconds that the tuning has run. */
double bw_tuning_seconds(const struct bw_tuning *tuning);
/* Returns the remaining seconds, without the measurements in turns at the end; INFINITY: not known. */
double bw_tuning_left(const struct bw_tuning *tuning);
/* Appends how many samples there are, or which schedule is measured in turns. */
void bw_tuning_done(const struct bw_tuning *tuning, struct bw_text *out);
/* Appends `, 45 s left`; nothing if the remaining time is not known. */
void bw_tuning_time_left(const struct bw_tuning *tuning, struct bw_text *out);
/* Appends the progress in a few words: samples, the fastest, seconds left. */
void bw_tuning_progress(const struct bw_tuning *tuning, struct bw_text *out);
/* Returns a candidate by its number. */
const struct bw_tune_candidate *bw_tuning_candidate(const struct bw_tuning *tuning, int number);
/* Returns the newest control measurement over the median of the earlier ones; 1 if there are fewer than
 * two. If the ratio is more than BW_TUNING_DRIFT away from 1, the device's clock drifts, or others use
 * the device. */
double bw_tuning_drift(const struct bw_tuning *tuning);
/* Returns true if bw_tuning_drift() is more than BW_TUNING_DRIFT away from 1. */
bool bw_tuning_drifts(const struct bw_tuning *tuning);
/* Returns the number of the fastest candidate; -1: none was measured. */
int bw_tuning_best(const struct bw_tuning *tuning);
/* Appends where a candidate comes from: `drawn with seed 3`. */
void bw_tuning_origin(const struct bw_tuning *tuning, int number, struct bw_text *out);
/* Returns the strategy of a name; BW_N_TUNE_STRATEGIES: none has it. */
enum bw_tune_strategy bw_tune_strategy_of(const char *name);
/* Returns the name of a strategy. */
const char *bw_tune_strategy_name(enum bw_tune_strategy strategy);
