/* The counts of a kernel, with the names of Nsight Compute's metrics. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Columns: field, metric of Nsight Compute or of beamwalk, meaning. All counts are per launch. A request
 * is one access instruction of a warp. A sector has 32 bytes. A wavefront is the part of a request that
 * shared memory serves at once.
 *
 * L1: each block has its own L1, empty at first. Its size is the SM's 192 KiB minus the shared memory of
 * the resident blocks, divided by the number of resident blocks (limited by threads and shared memory). L1
 * has lines of 128 bytes, made of sectors. It is fully associative and replaces the least recently used
 * line. Stores bypass L1. L2: holds all data that a kernel touches, and no data from before the kernel. */
#define BW_COUNT_TABLE(X) \
	X(instructions, "smsp__inst_executed.sum", "instructions of warps") \
	X(issued, "beamwalk__inst_issued.sum", "instructions of warps, without moves, casts of addresses and parameters, which the assembler makes operands of others") \
	X(thread_instructions, "smsp__thread_inst_executed.sum", "instructions of threads, predicated off or not") \
	X(active_instructions, "smsp__thread_inst_executed_pred_on.sum", "instructions of threads, not predicated off") \
	X(branches, "smsp__inst_executed_op_branch.sum", "branches of warps") \
	X(divergent, "smsp__sass_branch_targets_threads_divergent.sum", "branches at which the lanes of a warp part") \
	X(barriers, "smsp__inst_executed_op_barrier.sum", "barriers of the block that warps reach") \
	X(block_cycles, "beamwalk__block_cycles.sum", "cycles that the blocks take, each alone on a GPU that issues without end") \
	X(float_adds, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "additions of 32-bit floats of threads") \
	X(float_multiplies, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "multiplications of 32-bit floats of threads") \
	X(float_fused, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "fused multiply-adds of 32-bit floats of threads") \
	X(doubles, "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", "operations on 64-bit floats of threads") \
	X(integers, "smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "operations on integers of threads") \
	X(conversions, "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", "conversions of threads") \
	X(global_load_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "requests of global loads") \
	X(global_load_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors of global loads") \
	X(global_load_bytes, "smsp__sass_data_bytes_mem_global_op_ld.sum", "bytes that threads load from global memory") \
	X(l1_hits, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sectors of global loads that L1 has") \
	X(l2_read_sectors, "lts__t_sectors_op_read.sum", "sectors of global loads that L1 does not have") \
	X(dram_read_bytes, "dram__bytes_read.sum", "bytes of sectors that global loads touch, each once a launch") \
	X(dram_write_bytes, "dram__bytes_write.sum", "bytes of sectors that global stores touch, each once a launch") \
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

/* Returns true if a metric describes a whole kernel and not its single stages. */
static inline bool bw_count_is_whole(const char *metric)
{
	return !strncmp(metric, "dram", 4) || !strncmp(metric, "beamwalk__block", 15);
}

struct bw_counts {
#define X(field, metric, text) uint64_t field;
	BW_COUNT_TABLE(X)
#undef X
};

/* Returns the name of the loop after which LLVM named a block of PTX. The block's name is in a comment
 * that ends at `end`: %"for gray.s0.y", or with Halide 19 and 21 %"12_for_gray.s0.y". Returns NULL if the
 * block is not named after a loop. */
static inline const char *bw_ptx_loop(const char *comment, const char *end)
{
	const char *at = memmem(comment, (size_t)(end - comment), "%\"", 2);
	if (!at)
		return NULL;
	const char *number = at += 2;
	while (number < end && *number >= '0' && *number <= '9')
		number++;
	if (number > at && number < end && *number == '_')
		at = number + 1;
	return end - at > 4 && !memcmp(at, "for", 3) && (at[3] == ' ' || at[3] == '_') ? at + 4 : NULL;
}
