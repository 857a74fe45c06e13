/* The meters that a session has: its own device, and files of measurements. */
#ifndef BW_SESSION_METER_H
#define BW_SESSION_METER_H
#include "session/session.h"
#include "schedulers/meter.h"

/* Makes a meter of a session's device, which measures one schedule after another while the session works. The
 * worker is to have named its device before. Free it with bw_meter_of_session_free, before the session. */
struct bw_meter *bw_meter_of_session(struct bw_session *session);
void bw_meter_of_session_free(struct bw_meter *meter);
/* Sets the time, or the error, of an outcome from a timing that has ended. */
void bw_meter_outcome_of(const struct bw_session *session, const struct bw_timing *timing,
			 struct bw_meter_outcome *outcome);
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
	/* Hears what there is to say of workers, a line each. */
	void (*news)(const char *line, void *data);
	void *data;
};
/* Makes a meter of many workers. All kinds of device that they have are measured on; outcomes are those of
 * the kind that the most have. Waits until they have told their devices, or yield says no. Returns NULL with
 * an error if there is none. Free it with bw_meter_of_workers_free, before the session. */
struct bw_meter *bw_meter_of_workers(struct bw_session *session, const struct bw_meter_workers *workers,
				     const struct bw_yield *yield, struct bw_error *error);
void bw_meter_of_workers_free(struct bw_meter *meter);
#endif
