/* Private to the files of the roofline model. */
#pragma once
#include "cost/cost.h"
#include "cost/reading.h"

/* Share of the time of the non-binding resources that is added to the time of the binding one. */
#define BW_EXPOSED 0.125
/* Occupancy from which on latency is hidden: that of arithmetic, and that of memory. */
#define BW_ARITHMETIC_OCCUPANCY 0.25
#define BW_MEMORY_OCCUPANCY 0.5
/* Integer operations for the address of a load or store. */
#define BW_ADDRESS_OPERATIONS 1.0
/* Integer operations per pass through the unrolled loops: a counter, and the common parts of addresses. */
#define BW_PASS_OPERATIONS 2.0

/* Figures that all stages of a kernel share. */
struct bw_launch {
	const struct bw_kernel *kernel;
	double blocks; /* at least 1, so that nothing is divided by an empty grid */
	double occupancy, busy_sms, waves;
	double resident; /* resident blocks per SM, at most the number of all blocks */
};

/* One stage while it is costed. */
struct bw_costing {
	const struct bw_context *context;
	const struct bw_device *device;
	const struct bw_func *func;
	const struct bw_placed *placed;
	int stage;
	const struct bw_placed_stage *own;
	const struct bw_launch *launch;
	const struct bw_placed_stage *threads_of; /* the stage whose thread loops run it: its own, or its host's */
	const struct bw_stage_plan *threads_plan;
	const struct bw_stage *threads_stage;
	struct {
		/* loop of the stage that advances from one thread to the next along x, y or z; -1: none */
		int loop;
		int64_t points; /* points that the loop advances by such a step */
	} along[3];
	/* the readings count instructions after the compiler's simplifications: an instruction that is the
	 * same in all copies of an unrolled body counts once */
	bool instructions;
	/* by Func: bytes that are loaded from memory once for all stages of the kernel; negative: all its
	 * bytes. NULL: each stage loads its bytes again */
	double *unread;
	struct bw_readings readings;
	const struct bw_stagings *stagings;
	struct bw_stage_cost *cost;
	double warps; /* total passes of warps over the unrolled loops */
	double kept; /* number of iterations after which an accumulated value is stored; 1: after each */
	double accesses; /* load and store instructions per pass through the unrolled loops */
	double values;   /* values that these instructions load and store; a vector instruction has several */
	double l2_seconds, dram_seconds; /* of loads */
	double passed_bytes;  /* bytes that the load and store units transfer for loads from global memory */
	double wavefronts;    /* passes of all loads and stores through the load and store units, 128 bytes each */
	double global_loads;  /* the part of `accesses` that loads from global memory */
	double store_width;   /* values per store instruction */
	double shared_accesses;
	double scattered; /* loads per pass whose addresses depend on loaded values */
	double missed_bytes; /* bytes of loads from global memory that come from L2, not from L1 */
	/* seconds of the L2 cache for atomic operations on the same address, one after the other */
	double atomic_seconds;
	bool chained;        /* an iteration reads a value that the previous one stored to global memory */
};

/* Returns how a kernel is launched. registers: per thread; 0: the occupancy ignores registers. */
struct bw_launch bw_launch_of(const struct bw_kernel *kernel, const struct bw_device *device, int registers);
/* Returns the operations per second of a functional unit. */
double bw_costing_rate(const struct bw_device *device, enum bw_work work);
/* Returns the factor by which a warp hides more latency if it has this many independent points or accesses in
 * one pass through its unrolled loops. It is the square root of their number, which is limited, because the
 * compiler spreads them over the pass and does not issue them all at once. */
double bw_costing_overlap(double independent);
/* Returns the costing of a stage with the fields that need no computation. */
struct bw_costing bw_costing_begin(const struct bw_context *context, const struct bw_device *device,
				   const struct bw_launch *launch, const struct bw_context_at *at);
/* Fills in the cost of a stage: its figures, times and terms. */
void bw_costing_cost(struct bw_costing *costing, struct bw_arena *arena);
/* Fills in everything about a stage except its times: the figures of the cost, the work and the traffic. */
void bw_costing_fill(struct bw_costing *costing, struct bw_arena *arena);
/* Fills in the figures of the cost that depend on how the kernel is launched. */
void bw_costing_launch(struct bw_costing *costing);
/* Finds the thread loops that run the stage: sets threads_of, threads_plan, threads_stage and along. */
void bw_costing_threads(struct bw_costing *costing);
/* Returns the number of values per thread that one instruction loads or stores. entries: the Jacobian of
 * the load or store. */
double bw_costing_width(const struct bw_costing *costing, const struct bw_ratio *entries, int func,
			const struct bw_storage *storage, bool stores);
/* Add the bytes that the stage loads and stores, and the seconds that loads from memory take. */
void bw_costing_loads(struct bw_costing *costing);
void bw_costing_store(struct bw_costing *costing);
