/* Samples to train the learned cost model on: pipelines, each with the features of its algorithm, and schedules of each with the features of these
 * and the time that was measured. */
#ifndef BW_COST_SAMPLES_H
#define BW_COST_SAMPLES_H
#include "cost/features.h"

struct bw_sample {
	float (*schedule)[BW_SCHEDULE_FEATURES]; /* by stage */
	double ms;                               /* measured */
	char *name;                              /* what the schedule is called */
};

struct bw_sample_pipeline {
	char *name;
	int n_stages;
	float (*algorithm)[BW_PIPELINE_FEATURES]; /* by stage */
	int n, capacity;
	struct bw_sample *samples;
	double fastest_ms; /* of these */
};

struct bw_samples {
	int n, capacity;
	struct bw_sample_pipeline *pipelines;
};

/* The pipeline of that name, made where there is none with the features of its stages' algorithms (copied). The pointer holds until the next one is
 * made. */
struct bw_sample_pipeline *bw_samples_pipeline(struct bw_samples *samples, const char *name, int n_stages, const float (*algorithm)[BW_PIPELINE_FEATURES]);
/* Adds a schedule: the features of its stages and its name are copied. False, and nothing is added, where a feature is no number, is below 0 or implausibly large, or
 * the time is not above 0: then *why says which. */
bool bw_sample_add(struct bw_sample_pipeline *pipeline, const char *name, const float (*schedule)[BW_SCHEDULE_FEATURES], double ms, struct bw_error *why);
/* Forgets pipelines without a schedule. */
void bw_samples_drop_empty(struct bw_samples *samples);
void bw_samples_free(struct bw_samples *samples);
/* How many schedules there are in all; a hash of everything but names. */
int bw_samples_count(const struct bw_samples *samples);
uint64_t bw_samples_hash(const struct bw_samples *samples);
#endif
