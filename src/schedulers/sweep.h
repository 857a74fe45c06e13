/* A sweep: a pipeline searched in several variants (sizes, parameters) for several devices, bandwidths, beam
 * widths and seeds; which schedule is best where, where one gives way to another, and what the best schedule
 * of each device costs on every other device. */
#pragma once

#include "schedule/schedule.h"
#include "search/search.h"

/* A variant of the pipeline. */
struct bw_sweep_variant {
	const struct bw_pipeline *pipeline;
	const char *size;       /* 768x1280; "": as described */
	const char *parameters; /* n=4; "": as described */
	double points;          /* of that size; 0: as described */
};

/* A device, with its bandwidth multiplied. */
struct bw_sweep_target {
	struct bw_device device; /* the changed record */
	double bandwidth;        /* factor of that to global memory; 1: as it is */
};

struct bw_sweep_run {
	int variant, target; /* indices */
	int beam;
	uint64_t seed;
	double cost; /* in the model's unit */
	int n_kernels;
	double seconds; /* of the search */
	int schedule;   /* number of the schedule among those found, from 0 in the order of the runs */
};

/* Two neighbours along an axis, with all else equal, whose best schedules differ. */
struct bw_sweep_crossing {
	bool bandwidth; /* the axis: bandwidth; else size */
	int from, to;   /* points, as bw_sweep.best numbers them; `from` has the lower value */
	double value;   /* at which both schedules cost the same, interpolated: points, or a factor; 0: one is
			   better at both ends, or cannot be launched there */
};

struct bw_sweep {
	int n_variants, n_targets, n_beams, threads; /* the caller's, as are the arrays */
	const struct bw_sweep_variant *variants;
	const struct bw_sweep_target *targets; /* those of one device together, by rising bandwidth */
	const int *beams;
	long n_seeds;            /* from the options' seed on */
	const atomic_bool *stop; /* ends it with an error if it is set; NULL: nothing does */
	atomic_int *progress;    /* number of finished searches; NULL: it is not counted */
	int n_runs;
	struct bw_sweep_run *runs; /* by variant, target, beam, seed */
	int n_schedules;
	struct bw_schedule **schedules;
	const struct bw_pipeline **pipelines; /* of each schedule: of the first variant that has it */
	int *best;                            /* run with the lowest cost, by variant * n_targets + target */
	double *costs; /* n_targets x n_targets, of the first variant: of the best schedule of the row's
			  target on the column's; 0: that cannot launch it */
	int n_crossings;
	struct bw_sweep_crossing *crossings;
};

/* Returns how many searches a sweep makes. */
int bw_sweep_size(const struct bw_sweep *sweep);
/* Runs all searches, several at once. Returns false with an error if one finds nothing. Free with
 * bw_sweep_free in any case. */
bool bw_sweep_run(const struct bw_settings *options, struct bw_sweep *sweep, struct bw_error *error);
void bw_sweep_free(struct bw_sweep *sweep);
/* Returns the run that is best at a point. */
const struct bw_sweep_run *bw_sweep_best(const struct bw_sweep *sweep, int variant, int target);
/* Writes a crossing in words: `A100, size: B gives way to A between 384x640 and 768x1280, near 0.4 M points`.
 */
void bw_sweep_crossing_words(const struct bw_sweep *sweep, const struct bw_sweep_crossing *crossing,
			     struct bw_text *out);
