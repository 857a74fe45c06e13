/* Private to the files of this room that read descriptions. */
#pragma once
#include "pipeline/pipeline.h"

/* Limits. The reader refuses a description that exceeds one of them. See also BW_MAX_DIMS and
 * BW_MAX_LOOPS. */
enum {
	BW_MAX_FUNCS = 4096, /* inputs and Funcs */
	BW_MAX_PARAMS = 1024,
	BW_MAX_STAGES = 1000,   /* per Func; directives of a schedule have the same limit */
	BW_MAX_VALUES = 64,     /* components of a tuple */
	BW_MAX_LOADS = 4096,    /* different Jacobians per read */
	BW_MAX_COUNT = 1 << 20, /* loads or operations of one kind per point */
	BW_MAX_DEPTH = 200,     /* nesting of a tree */
	BW_MAX_NAME = 255,      /* bytes of a name */
};

/* A pipeline with the arena that owns all its parts. */
struct bw_owned_pipeline {
	/* first, so that a pointer to it is also a pointer to the bw_owned_pipeline */
	struct bw_pipeline pipeline;
	struct bw_arena *arena;
};

/* A hash table from names to numbers. */
struct bw_names {
	size_t mask;
	struct bw_named {
		const char *name; /* NULL: free */
		int number;
	} *places;
};

/* Returns a table with room for n names. The strings of the names must outlive the table. */
struct bw_names bw_names_make(struct bw_arena *arena, size_t n);
/* Returns -1 if there is no such name. */
int bw_names_find(const struct bw_names *names, const char *name);
/* Adds a name that is not in the table. */
void bw_names_put(struct bw_names *names, const char *name, int number);

/* The state of reading. */
struct bw_reading {
	struct bw_arena *arena;
	struct bw_error *error;
	struct bw_pipeline *pipeline;
	const char **param_names; /* NULL for a parameter that expressions cannot use: its estimate is missing
				     or not an integer */
	int64_t *param_values;
	struct bw_func *funcs;
	int n_funcs; /* number of Funcs read so far; also the index of the Func being read */
	struct bw_names func_names;
	bool *handles;   /* handles in use, 0..BW_MAX_FUNCS */
	int *last_stage; /* by Func: the last stage known to read it, as its index in the pipeline plus 1 */
};

/* Reads the required member "handle", which no other Func may have. */
bool bw_read_handle(struct bw_reading *reading, const struct bw_json_at *at, int *handle);
/* Reads the name in a required member. */
bool bw_read_name_of(struct bw_reading *reading, const struct bw_json_at *at, const char *key,
		     const char **name);
/* Reads a list of at most `most` unique names. */
bool bw_read_name_list(struct bw_reading *reading, const struct bw_json_at *at, int most,
		       const char *const **names, int *n);
/* Reads an optional Boolean member, by default false. */
bool bw_read_flag(struct bw_reading *reading, const struct bw_json_at *at, const char *key, bool *flag);
/* Reads the members "min" and "max" of an object. */
bool bw_read_bound(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_scope *scope,
		   struct bw_bound *bound);
/* Reads a box: a bound for each of n dimensions. */
bool bw_read_bounds(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_scope *scope,
		    int n, const struct bw_bound **box);
/* Reads a type by Halide's name, and returns it as the features count it. */
bool bw_read_type(struct bw_reading *reading, const struct bw_json_at *at, enum bw_type *type);
/* Reads an integer from `least` to BW_MAX_COUNT. */
bool bw_read_count(struct bw_reading *reading, const struct bw_json_at *at, int64_t least, int *count);
/* Reads {"int32": 1, "float32": 2} into counts, which are 0 by default. */
bool bw_read_by_type(struct bw_reading *reading, const struct bw_json_at *at, int counts[BW_N_TYPES]);
/* Reads {"add": {"float32": 3}, ...} in an optional member; the default is 0. */
bool bw_read_ops(struct bw_reading *reading, const struct bw_json_at *at, const char *key,
		 int (*counts)[BW_N_TYPES]);
/* Returns the kinds of a stage's operations, a bit each. */
uint64_t bw_op_kinds_of(const struct bw_stage *stage);
/* Returns the scope of expressions in this description, with n variables called `names`. */
struct bw_scope bw_reading_scope(const struct bw_reading *reading, const char *const *names, int n);

/* Read an input or a Func into reading->funcs[reading->n_funcs]; bw_read_stages reads all stages of a
 * Func. */
bool bw_read_input(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func);
bool bw_read_func(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func);
bool bw_read_stages(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func);

/* Return the hashes of a pipeline: of its algorithm, and of the whole description. */
uint64_t bw_pipeline_hash_algorithm(const struct bw_pipeline *pipeline);
uint64_t bw_pipeline_hash_content(const struct bw_json_at *root);
