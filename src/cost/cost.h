/* Cost models: they compute the cost of each placed stage of a loop nest, in named terms. The cost of a
 * partial nest is the cost of its placed Funcs (`so far`). A Func that is read but not placed yet is
 * assumed to be at root, in global memory. */
#pragma once
#include "cost/context.h"
#include "gpu/device.h"

/* Terms of the roofline: name in C, in words, key in JSON, what it is spent on, meaning. */
#define BW_TERM_TABLE(X) \
	X(BW_TERM_ARITHMETIC, "arithmetic", "arithmetic_ms", OPERATIONS, "operations at the device's rates") \
	X(BW_TERM_GLOBAL_LOAD, "global load", "global_load_ms", LOADS, "sectors loaded from global memory") \
	X(BW_TERM_GLOBAL_STORE, "global store", "global_store_ms", STAGE, "sectors stored to global memory") \
	X(BW_TERM_SHARED_LOAD, "shared load", "shared_load_ms", LOADS, "shared memory reads, bank conflicts counted") \
	X(BW_TERM_SHARED_STORE, "shared store", "shared_store_ms", STAGE, "shared memory writes, bank conflicts counted") \
	X(BW_TERM_REGISTER, "register", "register_ms", LOADS, "operands taken from registers and local memory") \
	X(BW_TERM_BARRIER, "barrier", "barrier_ms", STAGE, "waiting of a block's threads for each other") \
	X(BW_TERM_LAUNCH, "launch", "launch_ms", STAGE, "launching the kernel")

enum bw_term { BW_TERM_TABLE(BW_FIRST) BW_N_TERMS };

/* Figures that a stage's cost is computed from: name in C, key in JSON, unit, meaning. */
#define BW_FIGURE_TABLE(X) \
	X(points, "iterations", "iterations", "of its loops in all, idle ones of tails included") \
	X(recompute, "recompute", "x", "points computed over points that are needed") \
	X(operations, "operations_per_point", "operations", "arithmetic of a point, what is inlined included") \
	X(global_load_bytes, "global_load_bytes", "bytes", "moved from global memory in all") \
	X(global_store_bytes, "global_store_bytes", "bytes", "moved to global memory in all") \
	X(shared_load_bytes, "shared_load_bytes", "bytes", "read from shared memory in all, conflicts counted as if read again") \
	X(shared_store_bytes, "shared_store_bytes", "bytes", "written to shared memory in all, conflicts counted") \
	X(register_bytes, "register_bytes", "bytes", "operands from registers in all") \
	X(global_load_efficiency, "global_load_efficiency", "0..1", "bytes used over bytes moved") \
	X(global_store_efficiency, "global_store_efficiency", "0..1", "bytes used over bytes moved") \
	X(occupancy, "achieved_occupancy", "0..1", "resident warps over the most that an SM holds; of a grid of fewer blocks than fit, those of its blocks") \
	X(busy_sms, "busy_sms", "0..1", "SMs with work, averaged over the waves of blocks") \
	X(busy_lanes, "busy_lanes", "0..1", "threads of the block's warps that compute this stage") \
	X(waves, "waves", "waves", "blocks over blocks that are resident at once") \
	X(inlined_calls, "inlined_calls", "calls", "calls of inlined Funcs a point")

/* Most terms of any model. */
enum { BW_MOST_TERMS = 32 };

struct bw_stage_cost {
	/* false: inlined or not placed; all other fields are then zero, except the terms of the learned
	 * model for inlined stages */
	bool placed;
	double ms;                   /* sum of the terms, in the model's unit */
	double terms[BW_MOST_TERMS]; /* by term of the model */
	double alone[BW_N_TERMS];    /* roofline: time of each term in ms if it were the only term */
	int bound;                   /* the binding term */
	/* registers per thread of the stage's kernel, as the model estimates; 0: no estimate */
	int registers;
#define X(name, key, unit, text) double name;
	BW_FIGURE_TABLE(X)
#undef X
};

struct bw_cost {
	double total;                 /* sum over all placed stages, in the model's unit */
	int n;                        /* stages of the pipeline */
	struct bw_stage_cost *stages; /* by bw_func.first_stage + stage */
};

/* What a term's time is spent on. The time of operations or loads is divided among the Funcs that make
 * them: the stage's own Func and those inlined into it. */
enum bw_spent_on { BW_SPENT_ON_STAGE, BW_SPENT_ON_OPERATIONS, BW_SPENT_ON_LOADS };

/* Constant facts about a term. */
struct bw_term_text {
	const char *name, *key, *meaning;
	bool refuses; /* a kernel whose term is not zero is refused by the model's rules */
	enum bw_spent_on spent_on;
};

struct bw_learned;
/* A cost model: its names, its terms, and one of two pure functions; the other pointer is NULL. `cost`
 * computes the costs of the stages of one kernel (bw_context_stages entries in that order, zeroed by the
 * caller). `whole` is for costs that depend on the whole schedule: it computes the costs of all stages of
 * a nest (by bw_func.first_stage + stage, zeroed by the caller). */
struct bw_cost_model {
	const char *name;  /* for --cost-model NAME */
	const char *title; /* title for people; includes name and hash of the weights, if any */
	const char *unit;  /* ms; or "" if costs have no unit */
	const char *said;  /* word that follows a cost in texts: `ms`, or `cost` */
	/* if the difference between two costs, relative to the lower cost, is below this, it is a tie:
	 * `make fit-latency` chose the least value from which on two of three measured differences are
	 * real. INFINITY: every difference is a tie; 0: not known */
	double tie;
	int n_terms;
	const struct bw_term_text *terms;
	uint64_t hash; /* of the weights */
	void (*cost)(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena,
		     struct bw_stage_cost *stages);
	void (*whole)(const struct bw_cost_model *model, const struct bw_nest *nest,
		      const struct bw_device *device, struct bw_arena *arena, struct bw_stage_cost *stages);
	const struct bw_learned *learned; /* argument of `whole`; NULL if none */
};

/* Returns the cost of a nest, kernel by kernel. The arena owns the stages. */
struct bw_cost bw_cost_of(const struct bw_cost_model *model, const struct bw_nest *nest,
			  const struct bw_device *device, struct bw_arena *arena);
/* Returns the sum of the costs of a kernel's stages. */
double bw_kernel_cost(const struct bw_pipeline *pipeline, const struct bw_kernel *kernel,
		      const struct bw_cost *cost);
/* Returns true if the model cannot tell which of two schedules is faster: their costs are equal, or their
 * difference is a tie. */
bool bw_cost_ties(const struct bw_cost_model *model, double a, double b);
/* Returns the sum of n stages' costs; stages that are not placed have cost 0. Sums in the order of the
 * stages, so that the result is always the same, bit for bit. */
double bw_cost_total(const double *ms, int n);

/* Models without weights that other files refer to by name. */
extern const struct bw_cost_model bw_roofline, bw_latency_model;

/* Returns the cost models that need no weights, the roofline first, and sets *n to their number. */
const struct bw_cost_model *const *bw_cost_models(int *n);
/* The default model: the one that orders measured schedules best. */
#define BW_DEFAULT_MODEL (&bw_latency_model)
/* Returns the cost model of this name, among those that need no weights. Returns NULL if there is none. */
const struct bw_cost_model *bw_cost_models_find(const char *name);
/* Returns the number of stages that the model's rules refuse. The cost of such a stage does not come from
 * the model itself. */
int bw_cost_refused(const struct bw_cost_model *model, const struct bw_cost *cost);

/* The difference between two costs, as text. `~` marks a tie by the model (bw_cost_ties). The model is
 * NULL for costs of parts of schedules and for times, which have no ties. */
struct bw_change {
	char text[24];
};
/* Returns the change from `before` to `after`, both above 0: `+22.1%`, `~-3.0%`; `13x` if `after` is ten
 * times as much or more; `0.0%` without a sign if the rounded change is 0. */
struct bw_change bw_change_of(const struct bw_cost_model *model, double before, double after);
/* Returns by how much a cost exceeds the best one: `~+2%`. Returns an empty text for the best. */
struct bw_change bw_excess_of(const struct bw_cost_model *model, double cost, double best);
