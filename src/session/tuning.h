/* The tuning of a session. It runs in the background while the session works. */
#pragma once
#include "figures/tuning.h"
#include "session/session.h"

/* A request to tune. */
struct bw_meter_workers;
struct bw_tuning_request {
	enum bw_tune_strategy strategy;
	struct bw_tuning_budget budget;
	bool any_strategy;  /* no strategy is requested, so that a continued tuning keeps its own */
	bool again;         /* continue the present tuning if that is possible */
	const struct bw_weights *start; /* initial weights of the learned model that is trained; NULL: random
					   ones. Copied */
	struct bw_schedule *given; /* the hand-written schedule, measured after the first shot; NULL: none.
				      Kept */
	bool given_near;           /* `given` is only the nearest schedule to the hand-written one */
	const char *replay; /* file of measurements that replaces a device; NULL: none */
	const struct bw_meter_workers *workers; /* workers that measure; NULL: the session's own worker, or
						   the file */
	struct bw_meter *meter; /* a meter that is used instead of `replay` and `workers`; owned by the
				   caller, and outlives the tuning. NULL: none */
	/* As in struct bw_tuning. */
	void (*faster)(const struct bw_tuning *tuning, int number, void *data);
	void (*drifts)(const struct bw_tuning *tuning, void *data);
	void *data;
};

/* Starts a tuning that replaces the previous one. With `again`, continues the previous one instead, if
 * pipeline, settings, device and strategy are unchanged. Then the budget's samples are additional ones; 0:
 * the rest of the tuning's own budget, or BW_TUNING_SAMPLES if none is left. The work is done by
 * bw_session_work, or by bw_session_release and bw_session_hold. Returns false with an error. */
bool bw_session_tune(struct bw_session *session, const struct bw_tuning_request *request,
		     struct bw_error *error);
/* Returns the tuning's figures; NULL if there is no tuning. Owned by the session; valid until the tuning
 * continues. */
const struct bw_tuning_figures *bw_session_tuning_figures(const struct bw_session *session);
/* Returns the newest tuning; NULL if there is none. Owned by the session; valid until the next tuning
 * begins. */
const struct bw_tuning *bw_session_tuning(const struct bw_session *session);
/* Returns the weights trained on the tuning's measurements; NULL if there are none. Owned by the session;
 * valid until the tuning continues. */
const struct bw_weights *bw_session_tuned_weights(struct bw_session *session);
/* Returns true while the tuning is in progress. */
bool bw_session_tunes(const struct bw_session *session);

/* The meters that a session has: workers, and files of measurements. */

/* Makes a meter that returns times from a file of measurements for the session's pipeline and device. The
 * file is CSV with the columns schedule and minimum_ms, as `results --csv` writes it. Copies the path.
 * Returns NULL with an error. */
struct bw_meter *bw_meter_of_file(const struct bw_session *session, const char *path, struct bw_error *error);
void bw_meter_of_file_free(struct bw_meter *meter);

/* The workers of a meter. */
struct bw_meter_workers {
	const char *const *commands; /* shell commands that start the workers; NULL: the worker of this
					machine */
	int n;
	const char *slurm;  /* options of sbatch for an array of Slurm jobs, used instead of commands; NULL:
			       none */
	const char *folder; /* folder shared by the Slurm jobs and beamwalk */
	/* Called with each line of news about workers. NULL: news is dropped. */
	void (*news)(const char *line, void *data);
	void *data;
};
/* Makes a meter of workers, and asks the workers for their devices. Measures on every kind of device that
 * they have; outcomes are those on the most frequent kind. Copies the commands. Returns NULL with an error if
 * Slurm cannot be asked. Free it with bw_meter_of_workers_free before the session is freed. */
struct bw_meter *bw_meter_of_workers(struct bw_session *session, const struct bw_meter_workers *workers,
				     struct bw_error *error);
/* Returns true once the workers have reported their devices; only then may schedules be requested from the
 * meter. Never waits. Returns false with an error if no worker can be asked. */
bool bw_meter_ready(struct bw_meter *meter, struct bw_error *error);
void bw_meter_of_workers_free(struct bw_meter *meter);
