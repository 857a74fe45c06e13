/* Shared by the files of this room alone. */
#ifndef BW_PIPELINE_PIPELINE_PRIVATE_H
#define BW_PIPELINE_PIPELINE_PRIVATE_H
#include "base/json.h"
#include "base/mem.h"
#include "pipeline/pipeline.h"

/* A pipeline with the arena that all of it lies in. */
struct bw_owned_pipeline {
	struct bw_pipeline pipeline; /* first: a pipeline is its own */
	struct bw_arena *arena;
};

/* What reading needs at hand. */
struct bw_reading_pipeline {
	struct bw_arena *arena;
	struct bw_error *error;
	struct bw_pipeline *pipeline;
	struct bw_func *funcs;
	int n_funcs; /* read so far */
	const char **param_names;
	int64_t *param_values;
};

/* The stages of a Func; fills func->stages. */
bool bw_read_stages(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_func *func);
/* A list of names, unique, at most `most`. */
bool bw_read_names(struct bw_reading_pipeline *reading, const struct bw_json_at *at, int most, const char ***names, int *n);
/* Bounds, one for each of n; null is unbounded and sets *unbounded (where it may be). */
bool bw_read_bounds(struct bw_reading_pipeline *reading, const struct bw_json_at *at, const struct bw_scope *scope, int n, const struct bw_bound **bounds, bool *unbounded);
struct bw_scope bw_scope_of(const struct bw_reading_pipeline *reading, const char *const *names, int n);
#endif
