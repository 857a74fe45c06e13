/* The tuning of a session: it goes on in the background while the session works. */
#pragma once
#include "figures/tuning.h"
#include "session/session.h"

/* A request to tune. */
struct bw_meter_workers;
struct bw_tuning_request {
	enum bw_tune_strategy strategy;
	struct bw_tuning_budget budget;
	bool any_strategy;  /* no strategy is requested: a continued tuning keeps its own */
	bool again;         /* continue the present tuning if possible */
	const struct bw_weights *start; /* of the learned model that is trained; NULL: random ones. Copied */
	struct bw_schedule *given; /* by hand, measured after the first shot; NULL: none. Kept */
	bool given_near;           /* it is only the nearest to that by hand */
	const char *replay; /* a file of measurements in place of a device; NULL: none */
	const struct bw_meter_workers *workers; /* that measure; NULL: the session's own worker, or the file */
	struct bw_meter *meter; /* measures in place of these; the caller's, which outlives the tuning; or NULL */
	/* As in struct bw_tuning. */
	void (*faster)(const struct bw_tuning *tuning, int number, void *data);
	void (*drifts)(const struct bw_tuning *tuning, void *data);
	void *data;
};

/* Begins a tuning in place of the previous one, or, with `again`, continues that if pipeline,
 * settings, device and strategy are unchanged; the budget's samples then count from its present
 * number; 0: to the end of its own budget, or BW_TUNING_SAMPLES. bw_session_work, or release and
 * hold, then do the work. Returns false with an error. */
bool bw_session_tune(struct bw_session *session, const struct bw_tuning_request *request,
		     struct bw_error *error);
/* Returns the tuning's figures; NULL: there is none. Owned by the session; valid until the tuning
 * goes on. */
const struct bw_tuning_figures *bw_session_tuning_figures(const struct bw_session *session);
/* Returns the newest tuning; NULL: there is none. The session's, until the next one begins. */
const struct bw_tuning *bw_session_tuning(const struct bw_session *session);
/* Returns the weights trained on the tuning's measurements; NULL: none. Owned by the session, too. */
const struct bw_weights *bw_session_tuned_weights(struct bw_session *session);
/* Returns true while the tuning is under way. */
bool bw_session_tunes(const struct bw_session *session);

/* The meters that a session has: workers, and files of measurements. */

/* Makes a meter that hands out the times of a file of measurements, CSV with the columns schedule and
 * minimum_ms as `results --csv` writes them, for the session's pipeline and device. The path is copied.
 * Returns NULL with an error. */
struct bw_meter *bw_meter_of_file(const struct bw_session *session, const char *path, struct bw_error *error);
void bw_meter_of_file_free(struct bw_meter *meter);

/* Workers that a meter is to have. */
struct bw_meter_workers {
	const char *const *commands; /* that start them; NULL: the worker of this machine */
	int n;
	const char *slurm;  /* options of sbatch for an array of Slurm's jobs, in place of commands; NULL: none */
	const char *folder; /* that these jobs and beamwalk share */
	/* Receives news of workers, one line per call. NULL: news is dropped. */
	void (*news)(const char *line, void *data);
	void *data;
};
/* Makes a meter of workers, and asks them for their devices. Measures on every kind of device that
 * they have; outcomes are those of the most frequent kind. Copies the commands. Returns NULL with an
 * error if Slurm cannot be asked. Free it with bw_meter_of_workers_free, before the session. */
struct bw_meter *bw_meter_of_workers(struct bw_session *session, const struct bw_meter_workers *workers,
				     struct bw_error *error);
/* Returns true once the workers have told their devices: only then may the meter be asked for schedules.
 * Never waits. Returns false with an error if none of them can be asked. */
bool bw_meter_ready(struct bw_meter *meter, struct bw_error *error);
void bw_meter_of_workers_free(struct bw_meter *meter);
