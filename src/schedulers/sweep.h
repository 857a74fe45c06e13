/* A sweep: the same pipeline searched for several devices, beam widths and seeds, and what the best schedule
 * of each device costs on every other device. */
#ifndef BW_SCHEDULERS_SWEEP_H
#define BW_SCHEDULERS_SWEEP_H
#include "schedule/schedule.h"
#include "search/search.h"

struct bw_sweep_run {
	int device;     /* index */
	int beam;
	uint64_t seed;
	double cost;    /* in the model's unit */
	int n_kernels;
	double seconds; /* of the search */
	int schedule;   /* number of the schedule among those found, from 0 in the order in which they are found */
};

struct bw_sweep {
	int n_devices, n_beams;
	const struct bw_device *const *devices;
	const int *beams;
	long n_seeds;               /* from the options' seed on */
	int n_runs;
	struct bw_sweep_run *runs;  /* by device, beam, seed */
	int n_schedules;
	struct bw_schedule **schedules;
	int *best;                  /* run with the lowest cost, by device */
	double *costs; /* n_devices x n_devices: of the best schedule of the row's device on the column's; 0:
			  that cannot launch it */
};

/* Runs all searches; devices, beams and n_seeds are the caller's to set. Returns false with an error if one
 * finds nothing. Free with bw_sweep_free in any case. */
bool bw_sweep_run(const struct bw_pipeline *pipeline, const struct bw_search_options *options,
		  struct bw_sweep *sweep, struct bw_error *error);
void bw_sweep_free(struct bw_sweep *sweep);
#endif
