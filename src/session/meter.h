/* The meters that a session has: workers, and files of measurements. */
#ifndef BW_SESSION_METER_H
#define BW_SESSION_METER_H
#include "session/session.h"
#include "schedulers/meter.h"

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
#endif
