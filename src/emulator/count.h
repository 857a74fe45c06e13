/* Counters of a launch, named as Nsight Compute names them. */
#ifndef BW_EMULATOR_COUNT_H
#define BW_EMULATOR_COUNT_H
#include <stdio.h>

#include "emulator/ptx.h"

/* Field, metric of Nsight Compute, what it counts; all per launch. A request is one access instruction of a warp, a sector 32 bytes, a wavefront what shared
 * memory serves at once. Loads that two requests make of one sector count twice: no cache is simulated. */
#define BW_COUNT_TABLE(X) \
	X(instructions, "smsp__inst_executed.sum", "instructions of warps") \
	X(thread_instructions, "smsp__thread_inst_executed.sum", "instructions of threads, predicated off or not") \
	X(active_instructions, "smsp__thread_inst_executed_pred_on.sum", "instructions of threads, not predicated off") \
	X(branches, "smsp__inst_executed_op_branch.sum", "branches of warps") \
	X(divergent, "smsp__sass_branch_targets_threads_divergent.sum", "branches at which the lanes of a warp part") \
	X(barriers, "smsp__inst_executed_op_barrier.sum", "barriers of the block that warps reach") \
	X(float_adds, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "additions of 32-bit floats of threads") \
	X(float_multiplies, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "multiplications of 32-bit floats of threads") \
	X(float_fused, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "fused multiply-adds of 32-bit floats of threads") \
	X(doubles, "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", "operations on 64-bit floats of threads") \
	X(integers, "smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "operations on integers of threads") \
	X(conversions, "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", "conversions of threads") \
	X(global_load_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "requests of global loads") \
	X(global_load_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors of global loads") \
	X(global_load_bytes, "smsp__sass_data_bytes_mem_global_op_ld.sum", "bytes that threads load from global memory") \
	X(global_store_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "requests of global stores") \
	X(global_store_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors of global stores") \
	X(global_store_bytes, "smsp__sass_data_bytes_mem_global_op_st.sum", "bytes that threads store to global memory") \
	X(shared_load_requests, "smsp__inst_executed_op_shared_ld.sum", "requests of shared loads") \
	X(shared_load_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefronts of shared loads") \
	X(shared_load_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "wavefronts of shared loads that bank conflicts add") \
	X(shared_store_requests, "smsp__inst_executed_op_shared_st.sum", "requests of shared stores") \
	X(shared_store_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefronts of shared stores") \
	X(shared_store_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "wavefronts of shared stores that bank conflicts add") \
	X(local_load_requests, "smsp__inst_executed_op_local_ld.sum", "requests of local loads") \
	X(local_store_requests, "smsp__inst_executed_op_local_st.sum", "requests of local stores") \
	X(global_atomics, "smsp__inst_executed_op_global_atom.sum", "requests of global atomics and reductions") \
	X(shared_atomics, "smsp__inst_executed_op_shared_atom.sum", "requests of shared atomics and reductions")

struct bw_counts {
#define X(field, metric, text) uint64_t field;
	BW_COUNT_TABLE(X)
#undef X
};

/* Counts an instruction for the lanes of `mask`; `lanes` are those of its path, predicated off or not. */
void bw_count(struct bw_counts *counts, const struct bw_ptx_instruction *instruction, const struct bw_warp *warp, uint32_t lanes, uint32_t mask);
/* Counts an access of `bytes` bytes per lane. */
void bw_count_access(struct bw_counts *counts, const struct bw_ptx_instruction *instruction, const struct bw_warp *warp, uint32_t mask, unsigned bytes, bool stores, unsigned char *const places[BW_LANES]);
/* Adds the counts of other blocks. */
void bw_counts_add(struct bw_counts *counts, const struct bw_counts *others);
struct bw_ptx_launch;
/* Writes a line of JSON: kernel, grid, block, shared_bytes, and all metrics. */
void bw_counts_write(const struct bw_ptx_launch *launch, FILE *file);
#endif
