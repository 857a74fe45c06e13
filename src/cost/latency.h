/* The latency model: the roofline model plus latencies and other effects that the roofline leaves out, as
 * measured on a GPU. */
#pragma once
#include "cost/cost.h"

/* Constants of the model: name in C and in tables, fitted value, textbook value (general knowledge about
 * GPUs, before any fit), unit, meaning. `make fit-latency` finds the fitted values (data/measured).
 * Constants that differ from device to device are in the device's record. */
#define BW_LATENCY_TABLE(X) \
	X(l1, 1.0, 1.0, "", "latency of a load from L1 or shared memory over that of the record") \
	X(l2, 1.05, 1.0, "", "the same of a load from the L2 cache") \
	X(memory, 1.35, 1.0, "", "the same of a load from global memory") \
	X(chain, 0.78, 1.0, "", "from a store of global memory to its value in the thread that loads it again, over the record's latency of the L2 cache") \
	X(operation, 3.2, 4.0, "clocks", "of an operation that the next one waits for") \
	X(issue, 1.4, 1.0, "clocks", "from an instruction of a warp to its next one that does not wait for it") \
	X(underway, 4.5, 4.0, "loads", "of a thread that are underway at once, at most") \
	X(ahead, 4.7, 6.0, "loads", "the same of a reduction whose sum stays in registers, over several iterations") \
	X(dear, 8.2, 8.0, "instructions", "of a division or a function of floats") \
	X(address, 1.1, 1.0, "operations", "of integers for the address of a load or store") \
	X(wavefront, 0.59, 1.0, "clocks", "of an SM for 128 bytes that its load and store units pass at a time") \
	X(store, 0.9, 1.0, "", "what a stored byte takes of the memory's bandwidth, over a loaded one") \
	X(exposed, 0.3, 0.25, "", "share of the time of what does not bind that is added") \
	X(straggling, 0.075, 0.1, "", "wait for a block's slowest warp: share of its time, times the root of its warps less one")

struct bw_latency_constants {
#define X(name, value, before, unit, text) double name;
	BW_LATENCY_TABLE(X)
#undef X
};

extern const struct bw_latency_constants bw_latency_fitted, bw_latency_textbook;

/* Computes the costs of a kernel's stages by the model with these constants (struct bw_cost_model.cost). */
void bw_latency_cost(const struct bw_latency_constants *constants, const struct bw_context *context,
		     const struct bw_device *device, struct bw_arena *arena, struct bw_stage_cost *stages);
