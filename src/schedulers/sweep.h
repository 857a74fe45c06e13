/* A sweep searches a pipeline in several variants (sizes, parameters) for several devices, bandwidths,
 * beam widths and seeds. It finds the best schedule at each point, the values at which the best schedule
 * changes, and the cost of each device's best schedule on every other device. */
#pragma once

#include "schedule/schedule.h"
#include "search/search.h"

/* A variant of the pipeline. */
struct bw_sweep_variant {
	const struct bw_pipeline *pipeline;
	const char *size;       /* 768x1280; "": as described */
	const char *parameters; /* n=4; "": as described */
	double points;          /* number of points of this size; 0: as described */
};

/* A device with a scaled bandwidth. */
struct bw_sweep_target {
	struct bw_device device; /* the device's record with the scaled bandwidth */
	double bandwidth;        /* factor for the bandwidth of global memory; 1: unchanged */
};

struct bw_sweep_run {
	int variant, target; /* indices */
	int beam;
	uint64_t seed;
	double cost; /* in the model's unit */
	int n_kernels;
	double seconds; /* duration of the search */
	int schedule;   /* number of the found schedule in bw_sweep.schedules */
};

/* Two neighbouring points along an axis whose best schedules differ. Everything else is equal. */
struct bw_sweep_crossing {
	bool bandwidth; /* true: the axis is the bandwidth; false: the size */
	int from, to;   /* points, as bw_sweep.best numbers them; `from` has the lower value */
	/* interpolated number of points, or bandwidth factor, at which both schedules cost the same; 0: one
	 * schedule is better at both ends, or cannot be launched at one of them */
	double value;
};

struct bw_sweep {
	int n_variants, n_targets, n_beams, threads; /* set by the caller, as are the next three arrays */
	const struct bw_sweep_variant *variants;
	const struct bw_sweep_target *targets; /* the targets of one device are adjacent, by rising bandwidth */
	const int *beams;
	long n_seeds;            /* number of seeds, the first one being the seed of the options */
	const atomic_bool *stop; /* when set, the sweep ends with an error; NULL: never */
	atomic_int *progress;    /* number of finished searches; may be NULL */
	int n_runs;
	struct bw_sweep_run *runs; /* by variant, target, beam, seed */
	int n_schedules;
	struct bw_schedule **schedules;
	/* by schedule: pipeline of the first variant for which it was found */
	const struct bw_pipeline **pipelines;
	int *best;                            /* by variant * n_targets + target: run with the lowest cost */
	/* n_targets x n_targets, for the first variant: cost of the best schedule for the row's target on the
	 * column's target; 0: that target cannot launch it */
	double *costs;
	int n_crossings;
	struct bw_sweep_crossing *crossings;
};

/* Returns how many searches a sweep makes. */
int bw_sweep_size(const struct bw_sweep *sweep);
/* Runs all searches, several at once. Returns false with an error if a search finds no schedule. Free
 * with bw_sweep_free in any case. */
bool bw_sweep_run(const struct bw_settings *options, struct bw_sweep *sweep, struct bw_error *error);
void bw_sweep_free(struct bw_sweep *sweep);
/* Returns the best run at a point. */
const struct bw_sweep_run *bw_sweep_best(const struct bw_sweep *sweep, int variant, int target);
/* Appends a crossing in words: `A100, size: B gives way to A between 384x640 and 768x1280, near 0.4 M
 * points`. */
void bw_sweep_crossing_words(const struct bw_sweep *sweep, const struct bw_sweep_crossing *crossing,
			     struct bw_text *out);
