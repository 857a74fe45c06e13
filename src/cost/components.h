/* The components of the learned cost model (Anderson et al. 2021, appendix B). The cost of a stage is the
 * sum of its components, each a factor computed from the stage's features, times a coefficient computed by
 * the network. */
#ifndef BW_COST_COMPONENTS_H
#define BW_COST_COMPONENTS_H
#include "cost/features.h"
#include "cost/weights.h"

/* Equations of appendix B: name in C, name in the paper. */
#define BW_EQUATION_TABLE(X) \
	X(COMPUTE, "compute_cost") \
	X(LOAD, "load_cost") \
	X(STORE, "store_cost") \
	X(MALLOC, "cost_of_malloc") \
	X(PARALLELISM, "cost_of_parallelism") \
	X(WORKING_SET, "cost_of_working_set")

enum bw_equation {
#define X(name, text) BW_EQUATION_##name,
	BW_EQUATION_TABLE(X)
#undef X
	BW_N_EQUATIONS
};

/* Components, in the order of summation: name in C, in words, key in JSON, index of the coefficient,
 * equation that it belongs to, factor, meaning. In a factor, F(name) is a feature of the schedule, and:
 * `direct` is 1 unless the stage is inlined, else 0; `inlined` is 1 - direct; `blocks` is at least 1;
 * `threads` counts all blocks; `tasks` is inner times outer parallelism, at least 1; `idle` is the cost of
 * idle SMs as a multiple; `lanes` is the share of busy lanes. Where Halide's anderson2021 differs from the
 * paper, this follows Halide, because published weights were trained on it: the coefficients 27 and 28,
 * `threads` instead of num_realizations for loads of a thread, no efficiency of shared loads. Coefficients
 * 23, 30 and 31 are unused. */
#define BW_COMPONENT_TABLE(X) \
	X(SCALARS, "scalars", "scalars", 1, COMPUTE, direct * F(num_scalars) * idle / lanes, "iterations of the stage's loops") \
	X(INLINED_SCALARS, "inlined scalars", "inlined_scalars", 3, COMPUTE, inlined * F(num_scalars) * idle, "iterations of the loops of an inlined stage") \
	X(POINTS, "points", "points", 19, COMPUTE, direct * threads * F(points_computed_per_thread) * idle / lanes, "points that the threads of all blocks compute") \
	X(INLINED_POINTS, "inlined points", "inlined_points", 4, COMPUTE, inlined * threads * F(points_computed_per_thread) * idle, "points that threads compute of an inlined stage") \
	X(GLOBAL_LINES, "global lines", "global_lines", 5, LOAD, F(num_realizations) * F(unique_global_lines_read_per_realization), "lines of global memory that its allocations' computation touches") \
	X(SHARED_LINES, "shared lines", "shared_lines", 16, LOAD, F(num_realizations) * F(unique_shared_lines_read_per_realization), "lines of shared memory that its allocations' computation touches") \
	X(REGISTER_LINES, "register lines", "register_lines", 8, LOAD, F(num_realizations) * F(unique_register_lines_read_per_realization), "lines of registers that its allocations' computation touches") \
	X(GLOBAL_BYTES, "global bytes", "global_bytes", 6, LOAD, F(num_realizations) * F(unique_global_bytes_read_per_realization), "bytes of global memory that its allocations' computation touches") \
	X(SHARED_BYTES, "shared bytes", "shared_bytes", 20, LOAD, F(num_realizations) * F(unique_shared_bytes_read_per_realization), "bytes of shared memory that its allocations' computation touches") \
	X(REGISTER_BYTES, "register bytes", "register_bytes", 7, LOAD, F(num_realizations) * F(unique_register_bytes_read_per_realization), "bytes of registers that its allocations' computation touches") \
	X(THREAD_GLOBAL_LINES, "thread's global lines", "thread_global_lines", 18, LOAD, threads * F(unique_global_lines_read_per_thread), "lines of global memory that the threads touch") \
	X(THREAD_SHARED_LINES, "thread's shared lines", "thread_shared_lines", 17, LOAD, threads * F(unique_shared_lines_read_per_thread), "lines of shared memory that the threads touch") \
	X(THREAD_REGISTER_LINES, "thread's register lines", "thread_register_lines", 2, LOAD, threads * F(unique_register_lines_read_per_thread), "lines of registers that the threads touch") \
	X(THREAD_GLOBAL_BYTES, "thread's global bytes", "thread_global_bytes", 13, LOAD, threads * F(unique_global_bytes_read_per_thread), "bytes of global memory that the threads touch") \
	X(THREAD_SHARED_BYTES, "thread's shared bytes", "thread_shared_bytes", 11, LOAD, threads * F(unique_shared_bytes_read_per_thread), "bytes of shared memory that the threads touch") \
	X(THREAD_REGISTER_BYTES, "thread's register bytes", "thread_register_bytes", 0, LOAD, threads * F(unique_register_bytes_read_per_thread), "bytes of registers that the threads touch") \
	X(POINT_BYTES, "bytes a point", "point_bytes", 10, LOAD, F(num_scalars) * F(unique_bytes_read_per_point), "bytes touched by all passes through the innermost tile") \
	X(POINT_LINES, "lines a point", "point_lines", 12, LOAD, F(num_scalars) * F(unique_lines_read_per_point), "lines touched by all passes through the innermost tile") \
	X(TASK_BYTES, "bytes a block", "task_bytes", 14, LOAD, tasks * F(unique_bytes_read_per_task), "bytes from outside the kernel that blocks touch") \
	X(TASK_LINES, "lines a block", "task_lines", 15, LOAD, tasks * F(unique_lines_read_per_task), "lines from outside the kernel that blocks touch") \
	X(GLOBAL_LOADS, "global loads", "global_loads", 28, LOAD, over(blocks * F(num_global_mem_loads_per_block), direct ? F(global_mem_load_efficiency) : 1), "transactions that load from global memory, divided by their efficiency") \
	X(SHARED_LOADS, "shared loads", "shared_loads", 27, LOAD, blocks * F(num_shared_mem_loads_per_block), "transactions that load from shared memory") \
	X(SHARED_STORES, "shared stores", "shared_stores", 29, STORE, blocks * F(num_shared_mem_stores_per_block), "transactions that store to shared memory") \
	X(GLOBAL_STORES, "global stores", "global_stores", 21, STORE, over(blocks * F(num_global_mem_stores_per_block), direct ? F(global_mem_store_efficiency) : 1), "transactions that store to global memory, divided by their efficiency") \
	X(FALSE_SHARING, "false sharing", "false_sharing", 22, STORE, F(inner_parallelism) > 1 ? F(num_scalars) / at_least_one(F(global_innermost_bytes_at_task)) : 0, "stores to lines that two blocks share") \
	X(ALLOCATIONS, "allocations", "allocations", 24, MALLOC, F(num_realizations), "number of allocations of its storage") \
	X(LAUNCHES, "launches", "launches", 25, PARALLELISM, F(inner_parallelism) > 1 ? F(num_productions) : 0, "kernel launches") \
	X(TASKS, "blocks", "blocks", 26, PARALLELISM, F(num_productions) * (F(inner_parallelism) - 1), "blocks after the first of each launch") \
	X(WORKING_SET, "working set", "working_set", 9, WORKING_SET, F(working_set), "bytes allocated while a tile is computed")

enum bw_component {
#define X(name, words, key, coefficient, equation, factor, meaning) BW_COMPONENT_##name,
	BW_COMPONENT_TABLE(X)
#undef X
	BW_N_COMPONENTS
};

/* Constant facts about a component. */
struct bw_component_info {
	const char *name, *key, *meaning;
	int coefficient; /* index among the network's coefficients */
	enum bw_equation equation;
};
const struct bw_component_info *bw_component_info(enum bw_component component);

/* Scale of the sum of components: with it, the costs of Halide's weights read as ms. */
#define BW_COMPONENT_SCALE 1e-9

/* Computes the factors of a stage's components on a device with `sms` SMs. The stage's cost is
 * BW_COMPONENT_SCALE times the sum of factors times coefficients. */
void bw_component_factors(const float features[BW_SCHEDULE_FEATURES], double sms,
			  double factors[BW_N_COMPONENTS]);
#endif
