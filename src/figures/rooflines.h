/* Kernels under the ceilings of the device, and the bottleneck of each: the data of the view `roofline`.
 * The model that steers the search predicts times, shares and bottlenecks; if its costs are not times,
 * the roofline model does. The rate of a kernel is always the roofline model's, because the ceilings are. */
#pragma once

#include "figures/kernels.h"
#include "figures/picture.h"

/* Memories with a ceiling: name in C, word, key, field of the device's record. Traffic of DRAM: each byte
 * once, without bytes that an earlier kernel left in the cache. Traffic of L2: the bytes that all blocks
 * need. Traffic of shared memory: reads and writes, including bank conflicts. */
#define BW_ROOF_TABLE(X) \
	X(BW_ROOF_DRAM, "DRAM", "dram", global_bandwidth) \
	X(BW_ROOF_L2, "L2", "l2", l2_bandwidth) \
	X(BW_ROOF_SHARED, "shared", "shared", shared_bandwidth)

enum bw_roof { BW_ROOF_TABLE(BW_FIRST) BW_N_ROOFS };
const char *bw_roof_word(enum bw_roof roof);

/* The smallest change of one resource of a block (threads, registers, shared memory) with which an SM
 * holds more warps. */
struct bw_occupancy_step {
	int64_t value;    /* the new amount of the resource; -1: no change of this resource alone helps */
	double occupancy; /* occupancy with the new amount, 0..1 */
};

struct bw_roofline_kernel {
	int func, stage;
	double share, ms; /* predicted: share in the time of all kernels, 0..1; time */
	/* operations of the whole kernel; operations per second under the roofline model */
	double operations, rate;
	double bytes[BW_N_ROOFS]; /* bytes that each memory moves for the whole kernel */
	double intensity[BW_N_ROOFS]; /* operations per byte of each memory; 0: the memory moves nothing */
	double ceiling; /* operations per second that the arithmetic and all memories allow */
	int bound; /* the term of the model that takes longest */
	double bound_share; /* share of `bound` in the kernel's time, 0..1 */
	double load_efficiency; /* bytes used over bytes loaded from global memory, 0..1 */
	double recompute; /* points computed over points needed, of the stage with the highest ratio */
	int inlined; /* the inlined Func whose recomputed points cost most; -1: none costs anything */
	/* of `inlined`: points computed over points needed; share of the Func in the kernel's time, 0..1 */
	double inlined_again, inlined_share;
	double busy_sms, busy_lanes; /* shares, 0..1; lanes: mean over the stages, weighted by cost */
	bool compiled;               /* the number of registers is the compiler's, not the model's estimate */
	struct bw_block_needs needs; /* registers: 0 if not known */
	struct bw_occupancy occupancy;
	struct bw_occupancy_step threads, registers, shared;
};

struct bw_rooflines {
	const struct bw_device *device;
	const struct bw_cost_model *model; /* the model that predicted the times */
	int n;
	struct bw_roofline_kernel *kernels; /* the most expensive first */
};

/* Returns the kernels of a nest on a device, owned by the arena. model: the model that steers the search.
 * uses: resources of the compiled kernels; NULL: not compiled. */
struct bw_rooflines bw_rooflines_of(const struct bw_nest *nest, const struct bw_device *device,
				    const struct bw_cost_model *model, const struct bw_kernel_uses *uses,
				    struct bw_arena *arena);
/* Return the smallest change of a block's threads (in whole warps), registers or shared bytes that raises
 * the occupancy. */
struct bw_occupancy_step bw_step_threads(const struct bw_device *device, const struct bw_block_needs *needs);
struct bw_occupancy_step bw_step_registers(const struct bw_device *device,
					   const struct bw_block_needs *needs);
struct bw_occupancy_step bw_step_shared(const struct bw_device *device, const struct bw_block_needs *needs);
/* Returns the inlined Func whose recomputed points take at least a tenth of a kernel's time, if the
 * kernel is bound by operations or by loads; otherwise -1. */
int bw_roofline_again(const struct bw_rooflines *rooflines, const struct bw_roofline_kernel *kernel);
/* Appends the kernel's bottleneck, and the part of its time that goes into recomputed points. */
void bw_roofline_cause(const struct bw_pipeline *pipeline, const struct bw_rooflines *rooflines,
		       const struct bw_roofline_kernel *kernel, struct bw_text *out);
/* Returns the operations of a kernel per byte from DRAM; per byte from L2 if the kernel moves none from
 * DRAM. */
double bw_roofline_intensity(const struct bw_roofline_kernel *kernel);
/* Returns the kernels, drawn as letters, under the ceilings. selected: the marked kernel, whose
 * intensities for all memories are also drawn. */
struct bw_picture bw_roofline_picture(const struct bw_pipeline *pipeline,
				      const struct bw_rooflines *rooflines, int selected,
				      struct bw_arena *arena);
/* Returns a picture of the occupancy of blocks from 1 warp to the most, with a kernel's occupancy
 * marked. */
struct bw_picture bw_occupancy_picture(const struct bw_rooflines *rooflines,
				       const struct bw_roofline_kernel *kernel, struct bw_arena *arena);
/* Returns the rooflines and kernels as JSON: a new reference. */
json_t *bw_rooflines_json(const struct bw_pipeline *pipeline, const struct bw_rooflines *rooflines);
