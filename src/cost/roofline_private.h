/* Private to the files of the roofline model. */
#pragma once
#include "cost/cost.h"
#include "cost/reading.h"

/* Share of the time of resources that do not bind that is added. */
#define BW_EXPOSED 0.125
/* Occupancy that hides the latency of arithmetic, and of memory. */
#define BW_ARITHMETIC_OCCUPANCY 0.25
#define BW_MEMORY_OCCUPANCY 0.5
/* Integer operations for the address of a load or store. */
#define BW_ADDRESS_OPERATIONS 1.0
/* Integer operations of a pass through the unrolled loops: a counter, and what addresses have in common. */
#define BW_PASS_OPERATIONS 2.0

/* Figures that all stages of a kernel share. */
struct bw_launch {
	const struct bw_kernel *kernel;
	double blocks; /* at least 1, so that nothing is divided by an empty grid */
	double occupancy, busy_sms, waves;
	double resident; /* blocks of an SM at once, at most as many as there are */
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
		int loop;       /* of the stage, that changes from a thread to the next along x, y or z; -1: none */
		int64_t points; /* of it, that such a step makes */
	} along[3];
	bool instructions; /* the readings count them, as the compiler leaves them: what it computes once in
			      unrolled loops counts once */
	double *unread; /* by Func: bytes that come from memory only once for all stages of the kernel;
			   negative: all of it. NULL: once for each stage */
	struct bw_readings readings;
	const struct bw_stagings *stagings;
	struct bw_stage_cost *cost;
	double warps; /* warp-wide passes over the unrolled loops, in all */
	double kept; /* iterations after which a value that the stage accumulates is stored; 1: each */
	double accesses; /* loads and stores of memory that a pass through the unrolled loops issues */
	double values;   /* that these load and store: a vector's at once */
	double l2_seconds, dram_seconds; /* of loads */
	double passed_bytes;  /* of loads from global memory, by the load and store units */
	double wavefronts;    /* passes of all loads and stores through the load and store units, 128 bytes each */
	double global_loads;  /* of accesses: loads from global memory */
	double store_width;   /* values that one of its stores has */
	double shared_accesses;
	double scattered; /* loads of a pass whose places follow from values */
	double missed_bytes; /* of loads from global memory: that come from L2, not from L1 */
	double atomic_seconds; /* of the L2 cache, for atomic operations at one place one after the other */
	bool chained;        /* it goes on with a value that its last iteration has stored to global memory */
};

/* Returns how a kernel is launched. registers: of a thread; 0 leaves them out of the occupancy. */
struct bw_launch bw_launch_of(const struct bw_kernel *kernel, const struct bw_device *device, int registers);
/* Returns the operations per second of a functional unit. */
double bw_costing_rate(const struct bw_device *device, enum bw_work work);
/* Returns the factor by which a warp hides more latency when so many independent points or accesses are
 * underway: their square root, because the compiler spreads them over the pass. */
double bw_costing_overlap(double independent);
/* Returns what is known of a stage before anything is computed. */
struct bw_costing bw_costing_begin(const struct bw_context *context, const struct bw_device *device,
				   const struct bw_launch *launch, const struct bw_context_at *at);
/* Fills in the cost of a stage: its figures, times and terms. */
void bw_costing_cost(struct bw_costing *costing, struct bw_arena *arena);
/* Fills in all that is known of a stage before its times: figures of cost, work and traffic. */
void bw_costing_fill(struct bw_costing *costing, struct bw_arena *arena);
/* Fills in the figures of the cost that depend on how the kernel is launched. */
void bw_costing_launch(struct bw_costing *costing);
/* Finds the thread loops that run the stage: sets threads_of, threads_plan, threads_stage and along. */
void bw_costing_threads(struct bw_costing *costing);
/* Returns how many values of a thread one instruction loads or stores; entries: of a load, or the store. */
double bw_costing_width(const struct bw_costing *costing, const struct bw_ratio *entries, int func,
			const struct bw_storage *storage, bool stores);
/* Add the bytes that the stage loads and stores, and the seconds that loads from memory take. */
void bw_costing_loads(struct bw_costing *costing);
void bw_costing_store(struct bw_costing *costing);
