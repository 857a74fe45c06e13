/* Training data for the learned cost model: pipelines with the features of their algorithms, and for each
 * pipeline schedules with their features and measured times. */
#pragma once
#include "cost/features.h"

struct bw_sample {
	float (*schedule)[BW_SCHEDULE_FEATURES]; /* by stage */
	double ms;                               /* measured */
	char *name;                              /* name of the schedule */
};

struct bw_sample_pipeline {
	char *name;
	int n_stages;
	float (*algorithm)[BW_PIPELINE_FEATURES]; /* by stage */
	int n, capacity;
	struct bw_sample *samples;
	double fastest_ms; /* least ms of the schedules */
};

struct bw_samples {
	int n, capacity;
	struct bw_sample_pipeline *pipelines;
};

/* Returns the pipeline of this name, or makes it with a copy of the features of its stages' algorithms.
 * The pointer is valid until the next pipeline is made. */
struct bw_sample_pipeline *bw_samples_pipeline(struct bw_samples *samples, const char *name, int n_stages,
					       const float (*algorithm)[BW_PIPELINE_FEATURES]);
/* Adds a schedule, with copies of the features of its stages and of its name. Returns false with an error,
 * and adds nothing, if a feature is not a number, negative or implausibly large, or if the time is not
 * above 0. */
bool bw_sample_add(struct bw_sample_pipeline *pipeline, const char *name,
		   const float (*schedule)[BW_SCHEDULE_FEATURES], double ms, struct bw_error *why);
/* Adds the features of a complete schedule on a device to the pipeline `name`, which is made if there is
 * none. Otherwise as bw_sample_add. */
bool bw_samples_add_nest(struct bw_samples *samples, const char *name, const struct bw_nest *nest,
			 const struct bw_device *device, const char *schedule, double ms,
			 struct bw_error *why);
/* Removes pipelines without schedules. */
void bw_samples_drop_empty(struct bw_samples *samples);
void bw_samples_free(struct bw_samples *samples);
/* Return the number of all schedules, and a hash of everything but names. */
int bw_samples_count(const struct bw_samples *samples);
uint64_t bw_samples_hash(const struct bw_samples *samples);
