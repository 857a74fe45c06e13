/* Cost models: from a nest to a cost for each placed stage, in named terms. A partial nest has the cost of what is placed (`so far`);
 * a Func that is read and not yet placed is taken to be at root, in global memory. */
#ifndef BW_COST_COST_H
#define BW_COST_COST_H
#include <stdbool.h>
#include <stdint.h>

#include "cost/context.h"
#include "gpu/device.h"

/* Terms of the roofline: name in C, in words, key in JSON, meaning. */
#define BW_TERM_TABLE(X) \
	X(ARITHMETIC, "arithmetic", "arithmetic_ms", "operations at the device's rates") \
	X(GLOBAL_LOAD, "global load", "global_load_ms", "sectors loaded from global memory") \
	X(GLOBAL_STORE, "global store", "global_store_ms", "sectors stored to global memory") \
	X(SHARED_LOAD, "shared load", "shared_load_ms", "shared memory reads, bank conflicts counted") \
	X(SHARED_STORE, "shared store", "shared_store_ms", "shared memory writes, bank conflicts counted") \
	X(REGISTER, "register", "register_ms", "operands taken from registers and local memory") \
	X(BARRIER, "barrier", "barrier_ms", "waiting of a block's threads for each other") \
	X(LAUNCH, "launch", "launch_ms", "launching the kernel")

enum bw_term {
#define X(name, words, key, text) BW_TERM_##name,
	BW_TERM_TABLE(X)
#undef X
	BW_N_TERMS
};

/* What a stage's cost follows from: name in C, key in JSON, unit, meaning. */
#define BW_FIGURE_TABLE(X) \
	X(points, "points", "points", "computed in all, recomputation and tails included") \
	X(recompute, "recompute", "x", "points computed over points that are needed") \
	X(operations, "operations_per_point", "operations", "arithmetic of a point, what is inlined included") \
	X(global_load_bytes, "global_load_bytes", "bytes", "moved from global memory in all") \
	X(global_store_bytes, "global_store_bytes", "bytes", "moved to global memory in all") \
	X(shared_load_bytes, "shared_load_bytes", "bytes", "read from shared memory in all, conflicts counted as if read again") \
	X(shared_store_bytes, "shared_store_bytes", "bytes", "written to shared memory in all, conflicts counted") \
	X(register_bytes, "register_bytes", "bytes", "operands from registers in all") \
	X(global_load_efficiency, "global_load_efficiency", "0..1", "bytes used over bytes moved") \
	X(global_store_efficiency, "global_store_efficiency", "0..1", "bytes used over bytes moved") \
	X(occupancy, "occupancy", "0..1", "resident warps over the most that an SM holds") \
	X(busy_sms, "busy_sms", "0..1", "SMs with work, averaged over the waves of blocks") \
	X(busy_lanes, "busy_lanes", "0..1", "threads of the block's warps that compute this stage") \
	X(waves, "waves", "waves", "blocks over blocks that are resident at once") \
	X(inlined_calls, "inlined_calls", "calls", "calls of inlined Funcs a point")

/* Terms of any model. */
enum { BW_MOST_TERMS = 32 };

struct bw_stage_cost {
	bool placed;                 /* false: inlined or not placed; all else is zero, but for the terms by which the learned model costs what is inlined */
	double ms;                   /* sum of the terms, in the model's unit */
	double terms[BW_MOST_TERMS]; /* what each of the model's terms adds */
	double alone[BW_N_TERMS];    /* roofline: ms that each would take if there were no other */
	int bound;                   /* the term that binds */
#define X(name, key, unit, text) double name;
	BW_FIGURE_TABLE(X)
#undef X
};

struct bw_cost {
	double total;                  /* ms, all placed stages */
	int n;                         /* stages of the pipeline */
	struct bw_stage_cost *stages;  /* by bw_func.first_stage + stage */
};

/* What is said of a term. */
struct bw_term_text {
	const char *name, *key, *meaning;
};

struct bw_learned;
/* A model: what it is called, its terms, and one of two pure functions: what the stages of a kernel cost (as many as bw_context_stages says, in that order,
 * zeroed); or, where that follows from the whole schedule, what all stages of a nest cost (by bw_func.first_stage + stage, zeroed). */
struct bw_cost_model {
	const char *name;  /* --cost-model NAME */
	const char *title; /* for who reads: with the name and the hash of its weights where it has any */
	const char *unit;  /* ms; or "" where costs are only to be compared */
	const char *said;  /* what stands behind a cost: ms, or cost */
	int n_terms;
	const struct bw_term_text *terms;
	uint64_t hash; /* of what it has learned */
	void (*cost)(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena, struct bw_stage_cost *stages);
	void (*whole)(const struct bw_cost_model *model, const struct bw_nest *nest, const struct bw_device *device, struct bw_arena *arena, struct bw_stage_cost *stages);
	const struct bw_learned *learned; /* what `whole` reads; NULL: nothing */
};

/* The cost of a nest, kernel by kernel. Stages are owned by the arena. */
struct bw_cost bw_cost_of(const struct bw_cost_model *model, const struct bw_nest *nest, const struct bw_device *device, struct bw_arena *arena);
/* The total of n stages' ms, those that are not placed 0: added up in the order of the stages, so that it is the same to the bit however they
 * were found. */
double bw_cost_total(const double *ms, int n);

/* The model that needs no weights. */
extern const struct bw_cost_model bw_roofline;
#endif
