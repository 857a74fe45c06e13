/* Shared by the files of this room that read descriptions. */
#ifndef BW_PIPELINE_PIPELINE_PRIVATE_H
#define BW_PIPELINE_PIPELINE_PRIVATE_H
#include "base/json.h"
#include "base/mem.h"
#include "pipeline/pipeline.h"

/* What is read at most; a description with more is refused. Dimensions and loops: BW_MAX_DIMS, BW_MAX_LOOPS. */
enum {
	BW_MAX_FUNCS = 4096, /* inputs and Funcs */
	BW_MAX_PARAMS = 1024,
	BW_MAX_STAGES = 1000, /* of a Func; directives of a schedule take no more */
	BW_MAX_VALUES = 64,  /* components of a tuple */
	BW_MAX_LOADS = 4096, /* different Jacobians of a read */
	BW_MAX_COUNT = 1 << 20, /* loads or operations of one kind at a point */
	BW_MAX_DEPTH = 200,  /* nesting of a tree */
	BW_MAX_NAME = 255,   /* bytes of a name */
};

/* A pipeline with the arena that all of it lies in. */
struct bw_owned_pipeline {
	struct bw_pipeline pipeline; /* first: a pipeline is its own */
	struct bw_arena *arena;
};

/* Numbers by name. */
struct bw_names {
	size_t mask;
	struct bw_named {
		const char *name; /* NULL: this place is free */
		int number;
	} *places;
};

/* Room for n names, which must outlive the table. */
struct bw_names bw_names_make(struct bw_arena *arena, size_t n);
/* -1 where there is none. */
int bw_names_find(const struct bw_names *names, const char *name);
/* Of a name that is not there yet. */
void bw_names_put(struct bw_names *names, const char *name, int number);

/* What reading needs at hand. */
struct bw_reading {
	struct bw_arena *arena;
	struct bw_error *error;
	struct bw_pipeline *pipeline;
	const char **param_names; /* NULL where an expression cannot use the parameter: its estimate is missing or no integer */
	int64_t *param_values;
	struct bw_func *funcs;
	int n_funcs;              /* read so far; this is the one being read */
	struct bw_names func_names;
	bool *handles;            /* those taken, 0..BW_MAX_FUNCS */
	int *last_stage;          /* by Func: the last stage known to read it, by its number in the pipeline, counted from 1 */
};

/* A name: 1 to BW_MAX_NAME bytes without control characters. Copied into the arena. */
bool bw_read_name(struct bw_reading *reading, const struct bw_json_at *at, const char **name);
/* The same of a member that must be there. */
bool bw_read_name_of(struct bw_reading *reading, const struct bw_json_at *at, const char *key, const char **name);
/* A list of names, unique, at most `most`. */
bool bw_read_name_list(struct bw_reading *reading, const struct bw_json_at *at, int most, const char *const **names, int *n);
/* A member that is true or false; false where it is missing. */
bool bw_read_flag(struct bw_reading *reading, const struct bw_json_at *at, const char *key, bool *flag);
/* The members "min" and "max" of an object. */
bool bw_read_bound(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_scope *scope, struct bw_bound *bound);
/* A box: one bound for each of n dimensions. */
bool bw_read_bounds(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_scope *scope, int n, const struct bw_bound **box);
/* A Jacobian of n_dims rows and n_loops columns; its count is 1. */
bool bw_read_jacobian(struct bw_reading *reading, const struct bw_json_at *at, int n_dims, int n_loops, struct bw_jacobian *jacobian);
/* The member "branching" of a Func, NULL where it is missing; what it calls stands before. */
bool bw_read_branching(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func, const struct bw_branching **branching);
/* A type by Halide's name, as the features count it. */
bool bw_read_type(struct bw_reading *reading, const struct bw_json_at *at, enum bw_type *type);
/* What names mean in the expressions of this description. */
struct bw_scope bw_reading_scope(const struct bw_reading *reading, const char *const *names, int n);

/* An input or a Func into reading->funcs[reading->n_funcs]; bw_read_stages is its part for all stages. */
bool bw_read_input(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func);
bool bw_read_func(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func);
bool bw_read_stages(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func);

/* The hashes of a pipeline: of its algorithm, and of the whole description. */
uint64_t bw_pipeline_hash_algorithm(const struct bw_pipeline *pipeline);
uint64_t bw_pipeline_hash_content(const struct bw_json_at *root);
#endif
