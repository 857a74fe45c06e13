#include "cost/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* A feature above this has overflowed. */
#define MOST_FEATURE 1e14

struct bw_sample_pipeline *bw_samples_pipeline(struct bw_samples *samples, const char *name, int n_stages,
					       const float (*algorithm)[BW_PIPELINE_FEATURES])
{
	for (int i = 0; i < samples->n; i++)
		if (!strcmp(samples->pipelines[i].name, name))
			return &samples->pipelines[i];
	BW_GROW(samples->pipelines, samples->n, samples->capacity);
	struct bw_sample_pipeline *pipeline = &samples->pipelines[samples->n++];
	*pipeline = (struct bw_sample_pipeline){
	    .name = bw_strdup(name), .n_stages = n_stages, .fastest_ms = (double)INFINITY};
	pipeline->algorithm = bw_new_array((size_t)n_stages, sizeof *algorithm);
	memcpy(pipeline->algorithm, algorithm, (size_t)n_stages * sizeof *algorithm);
	return pipeline;
}

static bool check(const struct bw_sample_pipeline *pipeline, const char *name,
		  const float (*schedule)[BW_SCHEDULE_FEATURES], double ms, struct bw_error *why)
{
	if (!(ms > 0) || !isfinite(ms))
		return bw_fail(why, BW_ERROR_INPUT, "%s of %s: a time of %g ms", name, pipeline->name, ms);
	for (int s = 0; s < pipeline->n_stages; s++)
		for (int f = 0; f < BW_SCHEDULE_FEATURES; f++)
			if (!(schedule[s][f] >= 0) || (double)schedule[s][f] > MOST_FEATURE)
				return bw_fail(why, BW_ERROR_INPUT, "%s of %s: stage %d: %s is %g", name,
					       pipeline->name, s,
					       bw_schedule_feature_text((enum bw_schedule_feature)f)->name,
					       (double)schedule[s][f]);
	return true;
}

bool bw_sample_add(struct bw_sample_pipeline *pipeline, const char *name,
		   const float (*schedule)[BW_SCHEDULE_FEATURES], double ms, struct bw_error *why)
{
	if (!check(pipeline, name, schedule, ms, why))
		return false;
	BW_GROW(pipeline->samples, pipeline->n, pipeline->capacity);
	struct bw_sample *sample = &pipeline->samples[pipeline->n++];
	*sample = (struct bw_sample){.schedule = bw_new_array((size_t)pipeline->n_stages, sizeof *schedule),
				     .ms = ms,
				     .name = bw_strdup(name)};
	memcpy(sample->schedule, schedule, (size_t)pipeline->n_stages * sizeof *schedule);
	if (ms < pipeline->fastest_ms)
		pipeline->fastest_ms = ms;
	return true;
}

static void free_pipeline(struct bw_sample_pipeline *pipeline)
{
	for (int i = 0; i < pipeline->n; i++) {
		free(pipeline->samples[i].schedule);
		free(pipeline->samples[i].name);
	}
	free(pipeline->samples);
	free(pipeline->algorithm);
	free(pipeline->name);
}

bool bw_samples_add_nest(struct bw_samples *samples, const char *name, const struct bw_nest *nest,
			 const struct bw_device *device, const char *schedule, double ms,
			 struct bw_error *why)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_feature_limits limits = bw_feature_limits_of(device);
	const struct bw_features *features = bw_nest_features(nest, &limits, arena);
	int n = nest->pipeline->n_stages;
	float(*algorithm)[BW_PIPELINE_FEATURES] = bw_arena_array(arena, (size_t)n, sizeof *algorithm),
	(*of_schedule)[BW_SCHEDULE_FEATURES] = bw_arena_array(arena, (size_t)n, sizeof *of_schedule);
	for (int s = 0; s < n; s++) {
		memcpy(algorithm[s], features[s].pipeline, sizeof *algorithm);
		memcpy(of_schedule[s], features[s].schedule, sizeof *of_schedule);
	}
	struct bw_sample_pipeline *pipeline =
	    bw_samples_pipeline(samples, name, n, (const float(*)[BW_PIPELINE_FEATURES])algorithm);
	bool good =
	    bw_sample_add(pipeline, schedule, (const float(*)[BW_SCHEDULE_FEATURES])of_schedule, ms, why);
	bw_arena_free(arena);
	return good;
}

void bw_samples_drop_empty(struct bw_samples *samples)
{
	int kept = 0;
	for (int p = 0; p < samples->n; p++)
		if (samples->pipelines[p].n)
			samples->pipelines[kept++] = samples->pipelines[p];
		else
			free_pipeline(&samples->pipelines[p]);
	samples->n = kept;
}

void bw_samples_free(struct bw_samples *samples)
{
	for (int p = 0; p < samples->n; p++)
		free_pipeline(&samples->pipelines[p]);
	free(samples->pipelines);
	*samples = (struct bw_samples){0};
}

int bw_samples_count(const struct bw_samples *samples)
{
	int n = 0;
	for (int p = 0; p < samples->n; p++)
		n += samples->pipelines[p].n;
	return n;
}

uint64_t bw_samples_hash(const struct bw_samples *samples)
{
	uint64_t hash = 0;
	for (int p = 0; p < samples->n; p++) {
		const struct bw_sample_pipeline *pipeline = &samples->pipelines[p];
		hash = bw_hash_bytes(hash, pipeline->algorithm, (size_t)pipeline->n_stages * sizeof *pipeline->algorithm);
		for (int i = 0; i < pipeline->n; i++) {
			hash =
			    bw_hash_bytes(hash, pipeline->samples[i].schedule,
					  (size_t)pipeline->n_stages * sizeof *pipeline->samples[i].schedule);
			hash = bw_hash_bytes(hash, &pipeline->samples[i].ms, sizeof pipeline->samples[i].ms);
		}
	}
	return hash;
}
