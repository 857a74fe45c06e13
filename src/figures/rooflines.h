/* Kernels under the ceilings of the device, and the bottleneck of each: the figures of the view
 * `roofline`. Times, shares and bottlenecks are predictions of the model that steers the search; if its
 * costs are not times, of the roofline model. The rate of a kernel is always the roofline model's,
 * because the ceilings are. */
#pragma once

#include "figures/kernels.h"
#include "figures/picture.h"

/* Memories with a ceiling: name in C, word, key, field of the device's record. DRAM: each byte once,
 * without bytes that an earlier kernel left in the cache. L2: the needs of all blocks. Shared: reads
 * and writes, including bank conflicts. */
#define BW_ROOF_TABLE(X) \
	X(BW_ROOF_DRAM, "DRAM", "dram", global_bandwidth) \
	X(BW_ROOF_L2, "L2", "l2", l2_bandwidth) \
	X(BW_ROOF_SHARED, "shared", "shared", shared_bandwidth)

enum bw_roof { BW_ROOF_TABLE(BW_FIRST) BW_N_ROOFS };
const char *bw_roof_word(enum bw_roof roof);

/* The nearest change of one need of a block that lets an SM hold more warps. */
struct bw_occupancy_step {
	int64_t value;    /* the changed need; -1: no change of it alone helps */
	double occupancy; /* then, 0..1 */
};

struct bw_roofline_kernel {
	int func, stage;
	double share, ms; /* of all kernels, 0..1; predicted */
	double operations, rate; /* in all; a second, under the roofline model */
	double bytes[BW_N_ROOFS]; /* in all, that each memory moves */
	double intensity[BW_N_ROOFS]; /* operations a byte of each memory; 0: it moves none */
	double ceiling; /* operations a second that the arithmetic and all memories allow */
	int bound; /* the term of the model that takes longest */
	double bound_share; /* of the kernel's time, 0..1 */
	double load_efficiency; /* bytes used over bytes loaded from global memory, 0..1 */
	double recompute; /* points computed over points needed, of the stage with the highest ratio */
	int inlined; /* the inlined Func whose points computed again cost most; -1: none costs anything */
	double inlined_again, inlined_share; /* its points computed over points needed; of the kernel's time, 0..1 */
	double busy_sms, busy_lanes; /* 0..1; lanes: the mean over its stages by cost */
	bool compiled;               /* its registers are the compiler's, not the model's estimate */
	struct bw_block_needs needs; /* registers 0: not known */
	struct bw_occupancy occupancy;
	struct bw_occupancy_step threads, registers, shared;
};

struct bw_rooflines {
	const struct bw_device *device;
	const struct bw_cost_model *model; /* the model that predicted the times */
	int n;
	struct bw_roofline_kernel *kernels; /* the most expensive first */
};

/* Returns the kernels of a nest on a device, owned by the arena. model: the one that steers. uses:
 * resources of the compiled kernels; NULL: not compiled. */
struct bw_rooflines bw_rooflines_of(const struct bw_nest *nest, const struct bw_device *device,
				    const struct bw_cost_model *model, const struct bw_kernel_uses *uses,
				    struct bw_arena *arena);
/* Returns the nearest change of threads (in whole warps), registers or shared bytes of a block that raises
 * its occupancy. */
struct bw_occupancy_step bw_step_threads(const struct bw_device *device, const struct bw_block_needs *needs);
struct bw_occupancy_step bw_step_registers(const struct bw_device *device,
					   const struct bw_block_needs *needs);
struct bw_occupancy_step bw_step_shared(const struct bw_device *device, const struct bw_block_needs *needs);
/* Returns the inlined Func whose points computed again take a tenth of a kernel's time or more, where that is
 * what binds it; else -1. */
int bw_roofline_again(const struct bw_rooflines *rooflines, const struct bw_roofline_kernel *kernel);
/* Appends what a kernel is bound by, and which part of its time goes into points computed more than once. */
void bw_roofline_cause(const struct bw_pipeline *pipeline, const struct bw_rooflines *rooflines,
		       const struct bw_roofline_kernel *kernel, struct bw_text *out);
/* Returns the operations of a kernel for each byte from DRAM; if that moves none, from L2. */
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
