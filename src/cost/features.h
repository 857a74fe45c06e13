/* The features of a stage that the learned cost model reads (Anderson et al. 2021, section 5.1 and
 * appendix A): 73 of the schedule, 280 of the algorithm. Their values are exactly those of Halide 19's
 * autoscheduler, because published weights were trained on them. */
#pragma once
#include "gpu/device.h"
#include "nest/nest.h"

/* Groups of features, for display. */
#define BW_FEATURE_GROUP_TABLE(X) \
	X(POINTS, "points computed") \
	X(LOOPS, "innermost loops") \
	X(PARALLELISM, "parallelism") \
	X(STORAGE, "storage") \
	X(FOOTPRINT, "footprint of loads") \
	X(LIVE, "working sets") \
	X(TRANSACTIONS, "memory transactions") \
	X(OCCUPANCY, "occupancy")

enum bw_feature_group {
#define X(name, text) BW_FEATURES_##name,
	BW_FEATURE_GROUP_TABLE(X)
#undef X
	BW_N_FEATURE_GROUPS
};

/* What a feature depends on: the kernel that computes the stage and the Funcs which this kernel reads, or
 * the whole schedule. A feature of an inlined Func is the sum over the kernels that the Func is inlined
 * into. */
enum bw_feature_scope { BW_FEATURE_OF_KERNEL, BW_FEATURE_OF_SCHEDULE };

/* Features of the schedule, in the order of the network's input: name, unit, group, section of the paper
 * ("A": appendix A; "5.1"; "Adams": Adams et al. 2019), scope, meaning. */
#define BW_SCHEDULE_FEATURE_TABLE(X) \
	X(num_realizations, "times", POINTS, "Adams", KERNEL, "times that its storage is allocated") \
	X(num_productions, "times", POINTS, "Adams", KERNEL, "times that a tile of it is computed") \
	X(points_computed_per_realization, "points", POINTS, "Adams", KERNEL, "iterations of its loops for one allocation") \
	X(points_computed_per_production, "points", POINTS, "Adams", KERNEL, "iterations of its loops for one tile") \
	X(points_computed_per_thread, "points", POINTS, "A", KERNEL, "iterations of its serial loops in a thread") \
	X(points_computed_total, "points", POINTS, "Adams", KERNEL, "iterations of its loops in all") \
	X(points_computed_minimum, "points", POINTS, "Adams", KERNEL, "the least that any schedule computes") \
	X(innermost_loop_extent, "points", LOOPS, "Adams", KERNEL, "iterations of the loops of a thread's innermost tile") \
	X(innermost_pure_loop_extent, "points", LOOPS, "Adams", KERNEL, "the same without reduction loops") \
	X(unrolled_loop_extent, "points", LOOPS, "Adams", KERNEL, "copies of its body if the innermost tile is unrolled, else 1") \
	X(inner_parallelism, "blocks", PARALLELISM, "Adams", KERNEL, "blocks that its own loops are spread over") \
	X(outer_parallelism, "blocks", PARALLELISM, "Adams", KERNEL, "blocks of the kernel around it") \
	X(bytes_at_realization, "bytes", STORAGE, "Adams", KERNEL, "computed for one allocation") \
	X(bytes_at_production, "bytes", STORAGE, "Adams", KERNEL, "computed for one tile") \
	X(bytes_at_root, "bytes", STORAGE, "Adams", KERNEL, "computed if it were at root") \
	X(innermost_bytes_at_realization, "bytes", STORAGE, "Adams", KERNEL, "of one row of what is computed for one allocation") \
	X(innermost_bytes_at_production, "bytes", STORAGE, "Adams", KERNEL, "of one row of what is computed for one tile") \
	X(innermost_bytes_at_root, "bytes", STORAGE, "Adams", KERNEL, "of one row of it at root") \
	X(inlined_calls, "calls", POINTS, "Adams", KERNEL, "calls of an inlined Func in all") \
	X(unique_global_bytes_read_per_realization, "bytes", FOOTPRINT, "A", KERNEL, "of global memory that one allocation's computation touches") \
	X(unique_shared_bytes_read_per_realization, "bytes", FOOTPRINT, "A", KERNEL, "of shared memory that one allocation's computation touches") \
	X(unique_register_bytes_read_per_realization, "bytes", FOOTPRINT, "A", KERNEL, "of registers that one allocation's computation touches") \
	X(unique_global_lines_read_per_realization, "lines", FOOTPRINT, "A", KERNEL, "of global memory that one allocation's computation touches") \
	X(unique_shared_lines_read_per_realization, "lines", FOOTPRINT, "A", KERNEL, "of shared memory that one allocation's computation touches") \
	X(unique_register_lines_read_per_realization, "lines", FOOTPRINT, "A", KERNEL, "of registers that one allocation's computation touches") \
	X(unique_global_bytes_read_per_thread, "bytes", FOOTPRINT, "A", KERNEL, "of global memory that a thread touches") \
	X(unique_shared_bytes_read_per_thread, "bytes", FOOTPRINT, "A", KERNEL, "of shared memory that a thread touches") \
	X(unique_register_bytes_read_per_thread, "bytes", FOOTPRINT, "A", KERNEL, "of registers that a thread touches") \
	X(unique_global_lines_read_per_thread, "lines", FOOTPRINT, "A", KERNEL, "of global memory that a thread touches") \
	X(unique_shared_lines_read_per_thread, "lines", FOOTPRINT, "A", KERNEL, "of shared memory that a thread touches") \
	X(unique_register_lines_read_per_thread, "lines", FOOTPRINT, "A", KERNEL, "of registers that a thread touches") \
	X(global_allocation_bytes_read_per_realization, "bytes", FOOTPRINT, "A", KERNEL, "of the allocations in global memory that it reads") \
	X(shared_allocation_bytes_read_per_realization, "bytes", FOOTPRINT, "A", KERNEL, "of the allocations in shared memory that it reads") \
	X(register_allocation_bytes_read_per_realization, "bytes", FOOTPRINT, "A", KERNEL, "of its own allocation in registers that an update reads") \
	X(working_set, "bytes", LIVE, "Adams", KERNEL, "allocated while one tile is computed") \
	X(num_scalars, "points", POINTS, "A", KERNEL, "the total product of the extents of its loops") \
	X(global_bytes_at_task, "bytes", STORAGE, "A", KERNEL, "written to global memory by a block") \
	X(shared_bytes_at_task, "bytes", STORAGE, "A", KERNEL, "written to shared memory by a block") \
	X(register_bytes_at_task, "bytes", STORAGE, "A", KERNEL, "written to registers for one allocation") \
	X(global_innermost_bytes_at_task, "bytes", STORAGE, "A", KERNEL, "of one row written to global memory by a block") \
	X(shared_innermost_bytes_at_task, "bytes", STORAGE, "A", KERNEL, "of one row written to shared memory by a block") \
	X(register_innermost_bytes_at_task, "bytes", STORAGE, "A", KERNEL, "of one row written to registers for one allocation") \
	X(unique_bytes_read_per_point, "bytes", FOOTPRINT, "Adams", KERNEL, "touched by a pass through the innermost tile") \
	X(unique_lines_read_per_point, "lines", FOOTPRINT, "Adams", KERNEL, "touched by a pass through the innermost tile") \
	X(unique_bytes_read_per_task, "bytes", FOOTPRINT, "Adams", KERNEL, "from outside the kernel that a block touches") \
	X(unique_lines_read_per_task, "lines", FOOTPRINT, "Adams", KERNEL, "from outside the kernel that a block touches") \
	X(working_set_at_task, "bytes", LIVE, "Adams", KERNEL, "allocated inside a block") \
	X(working_set_at_production, "bytes", LIVE, "Adams", SCHEDULE, "allocated at the loop where it is computed") \
	X(working_set_at_realization, "bytes", LIVE, "Adams", SCHEDULE, "allocated at the loop where it is stored") \
	X(working_set_at_root, "bytes", LIVE, "Adams", SCHEDULE, "allocated by the whole pipeline") \
	X(num_blocks, "blocks", PARALLELISM, "A", KERNEL, "blocks of its kernel") \
	X(num_warps_per_block, "warps", PARALLELISM, "A", KERNEL, "warps of a block of its kernel") \
	X(block_occupancy, "0..1", OCCUPANCY, "A", KERNEL, "threads that compute it over the most that a block may have") \
	X(warp_lane_utilization, "0..1", PARALLELISM, "A", KERNEL, "threads that compute it over the lanes of warps that have any") \
	X(num_active_warps_per_block, "warps", PARALLELISM, "A", KERNEL, "warps with a thread that computes it") \
	X(warp_lane_utilization_at_block_y, "0..1", PARALLELISM, "A", KERNEL, "always 1, as in Halide") \
	X(warp_lane_utilization_at_block_z, "0..1", PARALLELISM, "A", KERNEL, "always 1, as in Halide") \
	X(idle_lane_wastage, "0..1", PARALLELISM, "A", KERNEL, "idle lanes of active warps over the most threads of a block") \
	X(num_shared_mem_loads_per_block, "transactions", TRANSACTIONS, "A", KERNEL, "loads of shared memory, bank conflicts counted") \
	X(num_global_mem_loads_per_block, "transactions", TRANSACTIONS, "A", KERNEL, "loads of global memory, of 32 bytes each") \
	X(num_shared_mem_stores_per_block, "transactions", TRANSACTIONS, "A", KERNEL, "stores to shared memory, bank conflicts counted") \
	X(num_global_mem_stores_per_block, "transactions", TRANSACTIONS, "A", KERNEL, "stores to global memory, of 32 bytes each") \
	X(shared_mem_store_efficiency, "0..1", TRANSACTIONS, "A", KERNEL, "bytes stored over bytes moved") \
	X(shared_mem_load_efficiency, "0..1", TRANSACTIONS, "A", KERNEL, "bytes loaded over bytes moved") \
	X(global_mem_store_efficiency, "0..1", TRANSACTIONS, "A", KERNEL, "bytes stored over bytes moved") \
	X(global_mem_load_efficiency, "0..1", TRANSACTIONS, "A", KERNEL, "bytes loaded over bytes moved") \
	X(working_set_at_thread, "bytes", LIVE, "A", KERNEL, "allocated inside a thread") \
	X(shared_mem_occupancy, "0..1", OCCUPANCY, "A", KERNEL, "shared memory of a block over the most that one may have") \
	X(shared_mem_block_limit_factor, "0..1", OCCUPANCY, "A", KERNEL, "blocks that an SM's shared memory holds over the most it runs") \
	X(max_warp_occupancy, "0..1", OCCUPANCY, "A", KERNEL, "warps active at once over the most that an SM runs") \
	X(max_block_occupancy, "0..1", OCCUPANCY, "A", KERNEL, "blocks active at once over the most that an SM runs") \
	X(num_threads_per_block, "threads", PARALLELISM, "A", KERNEL, "threads of a block that compute it") \
	X(expr_branching, "registers", OCCUPANCY, "A", KERNEL, "Strahler number of its expression: registers to evaluate it")

enum bw_schedule_feature {
#define X(name, unit, group, section, scope, meaning) BW_FEATURE_##name,
	BW_SCHEDULE_FEATURE_TABLE(X)
#undef X
	BW_SCHEDULE_FEATURES
};

/* Shapes and kinds of accesses. Each pair is a row of the algorithm's features, after the rows of
 * operations (BW_OPERATION_TABLE). */
#define BW_ACCESS_SHAPE_TABLE(X) \
	X(BW_ACCESS_POINTWISE, "pointwise", "at the loops' own coordinates") \
	X(BW_ACCESS_TRANSPOSE, "transpose", "at the loops' coordinates in another order") \
	X(BW_ACCESS_BROADCAST, "broadcast", "at some of the loops, each once") \
	X(BW_ACCESS_SLICE, "slice", "at all of the loops, and at constants")

#define BW_ACCESS_KIND_TABLE(X) \
	X(BW_ACCESS_LOAD_FUNC, "load_func", "loads from other Funcs") \
	X(BW_ACCESS_LOAD_SELF, "load_self", "loads of an update from its own Func") \
	X(BW_ACCESS_LOAD_IMAGE, "load_image", "loads from inputs") \
	X(BW_ACCESS_STORE, "store", "stores")

enum bw_access_shape { BW_ACCESS_SHAPE_TABLE(BW_FIRST) BW_N_ACCESS_SHAPES };

enum bw_access_kind { BW_ACCESS_KIND_TABLE(BW_FIRST) BW_N_ACCESS_KINDS };

/* Rows (operations, then shapes by kinds) by types (BW_TYPE_TABLE), row by row. */
enum {
	BW_PIPELINE_FEATURE_ROWS = BW_N_OPERATIONS + BW_N_ACCESS_SHAPES * BW_N_ACCESS_KINDS,
	BW_PIPELINE_FEATURES = BW_PIPELINE_FEATURE_ROWS * BW_N_TYPES
};

/* The features of one stage. */
struct bw_features {
	float pipeline[BW_PIPELINE_FEATURES];
	float schedule[BW_SCHEDULE_FEATURES];
};

/* Constant facts about a feature. */
struct bw_feature_text {
	const char *name, *unit, *group, *section, *meaning;
	enum bw_feature_scope scope;
};

const struct bw_feature_text *bw_schedule_feature_text(enum bw_schedule_feature feature);
/* Return the name (`add`, `pointwise_load_func`) and the meaning of a row of the algorithm's features. */
const char *bw_pipeline_feature_row(int row);
void bw_pipeline_feature_meaning(int row, struct bw_text *out);

/* Computes the algorithm's features of a stage. */
void bw_pipeline_features(const struct bw_pipeline *pipeline, int func, int stage,
			  float features[BW_PIPELINE_FEATURES]);

/* The device's limits that the features of a schedule use. */
struct bw_feature_limits {
	int64_t parallelism; /* SMs */
	int64_t warp, block_threads; /* threads per warp, most threads per block */
	int64_t shared_block, shared_sm; /* bytes */
	int64_t sm_blocks, sm_warps; /* most resident per SM */
	int64_t sector, banks; /* bytes per transaction with global memory, banks of 4 bytes of shared memory */
	bool stored_apart; /* a Func computed inside a block counts as stored there; Halide 19 counts all as
			      global memory */
	bool open_deep;    /* a Func that is not placed counts as computed as deep inside its readers as
			      possible, as in Halide 19; else as at root */
	bool busy_block;   /* a block counts as its threads with work, as in Halide 19; else as those that are
			      launched, which are more if Halide bounds its loops over all blocks */
};

/* Returns the limits of a device. stored_apart, open_deep and busy_block are all false. Weights were
 * trained with stored_apart false. With open_deep true, Funcs that are not placed cost almost nothing, and
 * a search by the cost so far finds worse schedules than if their loads cost as much as loads from global
 * memory. */
struct bw_feature_limits bw_feature_limits_of(const struct bw_device *device);

/* Returns a value as float, the type of features. A value beyond the range of float becomes the largest
 * float. */
float bw_feature_float(double value);
/* Returns the features of all stages of a nest, by bw_func.first_stage + stage. Features of inputs and of
 * Funcs that only wrap an input are 0. Features of Funcs that are not placed are meaningless; their
 * readers see them as limits->open_deep says, with the best layout for each reader. The arena owns them. */
struct bw_features *bw_nest_features(const struct bw_nest *nest, const struct bw_feature_limits *limits,
				     struct bw_arena *arena);
/* Appends the features in the format of Halide's files of features: stages of outputs first, each Func's
 * last update first; for each stage the schedule's features, a flag for each type that is used, and the
 * algorithm's features, as 32-bit floats in native byte order. */
void bw_featurization_append(const struct bw_pipeline *pipeline, const struct bw_features *features,
			     struct bw_text *out);
/* Returns true if a Func only wraps an input. Halide treats it as the input, so it has no features. */
bool bw_func_wraps_input(const struct bw_pipeline *pipeline, const struct bw_func *func);

/* The features of the stages of one kernel, and how they combine into those of the schedule. A kernel's
 * features depend on the algorithm and on the kernel's key. The key covers the placements inside the
 * kernel; and of each Func that the kernel reads, whether it is inlined, its layout if it is placed, or
 * else whether it could still be computed inside. So the features are the same in every schedule in which
 * the kernel has the same key. */

/* Facts that the features of all schedules of a pipeline share. Read-only once made. */
struct bw_feature_basis;
/* Returns the basis, owned by the arena. The pipeline must outlive it. */
const struct bw_feature_basis *bw_feature_basis_new(const struct bw_pipeline *pipeline,
						    struct bw_arena *arena);

/* What a kernel contributes to the features of a stage. If the kernel computes the stage, it contributes
 * all features except working_set_at_production, working_set_at_realization and working_set_at_root. If
 * the stage is inlined, it contributes summands. */
struct bw_kernel_part {
	int stage; /* index in the pipeline */
	bool inlined;
	bool launched; /* the stage is at root: working_set_at_production is that of the whole schedule */
	/* the stage counts as stored at root: working_set_at_realization is that of the whole schedule */
	bool kept;
	double features[BW_SCHEDULE_FEATURES];
};

struct bw_kernel_features {
	int n;
	struct bw_kernel_part *parts;
	double working_set; /* bytes that the kernel adds to the allocations of the whole schedule */
};

/* Calls `each` for all kernels of a nest, in Halide's order. A kernel is identified by its stage at root. */
typedef void bw_feature_each(void *data, int func, int stage);
void bw_feature_each_kernel(const struct bw_feature_basis *basis, const struct bw_nest *nest,
			    bw_feature_each *each, void *data);
/* Returns the features of one kernel, owned by the arena. */
struct bw_kernel_features bw_kernel_features_of(const struct bw_feature_basis *basis,
						const struct bw_nest *nest, int func, int stage,
						const struct bw_feature_limits *limits,
						struct bw_arena *arena);
/* Computes the keys of all kernels. The arena holds temporary data. */
void bw_kernel_keys(const struct bw_feature_basis *basis, const struct bw_nest *nest, struct bw_arena *arena,
		    uint64_t *keys);
/* Initializes the features of an inlined stage, and adds the contribution of one kernel. */
void bw_inlined_begin(const struct bw_feature_basis *basis, int stage, const struct bw_feature_limits *limits,
		      double features[BW_SCHEDULE_FEATURES]);
void bw_inlined_add(const struct bw_kernel_part *part, double features[BW_SCHEDULE_FEATURES]);
