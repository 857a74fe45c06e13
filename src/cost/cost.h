/* Cost models: from a loop nest to the cost of each placed stage, in named terms. The cost of a partial
 * nest is that of its placed Funcs (`so far`); a Func that is read and not placed yet is assumed to be at
 * root, in global memory. */
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
	bool placed; /* false: inlined or not placed; then all else is zero, except for the terms of the
			learned model for inlined stages */
	double ms;                   /* sum of the terms, in the model's unit */
	double terms[BW_MOST_TERMS]; /* by term of the model */
	double alone[BW_N_TERMS];    /* roofline: time of each term in ms if it were the only one */
	int bound;                   /* the binding term */
	int registers; /* of a thread of its kernel, as the model estimates them; 0: it does not */
#define X(name, key, unit, text) double name;
	BW_FIGURE_TABLE(X)
#undef X
};

struct bw_cost {
	double total;                 /* sum over all placed stages, in the model's unit */
	int n;                        /* stages of the pipeline */
	struct bw_stage_cost *stages; /* by bw_func.first_stage + stage */
};

/* What a term's time is spent on. The time of operations or loads is divided among the Funcs inlined into the
 * stage that make them. */
enum bw_spent_on { BW_SPENT_ON_STAGE, BW_SPENT_ON_OPERATIONS, BW_SPENT_ON_LOADS };

/* Constant facts about a term. */
struct bw_term_text {
	const char *name, *key, *meaning;
	bool refuses; /* where it is not zero, the model's rules refuse the kernel */
	enum bw_spent_on spent_on;
};

struct bw_learned;
/* A model: its names, its terms, and one of two pure functions. One costs the stages of a kernel
 * (bw_context_stages of them, in that order, zeroed by the caller). The other, for costs that depend on
 * the whole schedule, costs all stages of a nest (by bw_func.first_stage + stage, zeroed by the caller). */
struct bw_cost_model {
	const char *name;  /* for --cost-model NAME */
	const char *title; /* for people: with name and hash of the weights, if any */
	const char *unit;  /* ms; or "" if costs have no unit */
	const char *said;  /* what follows a cost in texts: ms, or cost */
	double tie; /* a lead of one schedule over another that is a smaller part of the faster one's cost is a tie:
		       the least from which on two of three such leads that were measured are real (`make
		       fit-latency`); INFINITY: none is; 0: not known */
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
/* Returns true if the model does not tell which of two schedules is faster: their costs are equal, or the
 * lead is a tie. */
bool bw_cost_ties(const struct bw_cost_model *model, double a, double b);
/* Returns the sum of n stages' costs, 0 for stages that are not placed. Sums in the order of the stages,
 * so that the result is the same bit for bit however the costs were found. */
double bw_cost_total(const double *ms, int n);

/* The models that need no weights and that others refer to by name. */
extern const struct bw_cost_model bw_roofline, bw_latency_model;

/* Returns the cost models that need no weights, the roofline first, and sets *n to their number. */
const struct bw_cost_model *const *bw_cost_models(int *n);
/* The model that predicts where no other is asked for: the one that orders measured schedules best. */
#define BW_DEFAULT_MODEL (&bw_latency_model)
/* Returns the one of this name, or NULL. */
const struct bw_cost_model *bw_cost_models_find(const char *name);
/* Returns the number of stages in whose kernels the model's rules refuse something, so that their cost is not
 * one of its own. */
int bw_cost_refused(const struct bw_cost_model *model, const struct bw_cost *cost);

/* The difference between two costs, in words. A tie by the model (bw_cost_ties) is marked with `~`. The
 * model is NULL for costs of parts of schedules, and for times: these have no ties. */
struct bw_change {
	char text[24];
};
/* Returns the change from `before` to `after`, both above 0: `+22.1%`, `~-3.0%`, from ten times as much on
 * `13x`, and `0.0%` without a sign if the figures agree to that. */
struct bw_change bw_change_of(const struct bw_cost_model *model, double before, double after);
/* Returns how much more a cost is than the best one: `~+2%`, or empty for the best. */
struct bw_change bw_excess_of(const struct bw_cost_model *model, double cost, double best);
