/* What Halide can prove about extents at compile time. Halide knows the algorithm and the schedule.
 * Whatever the estimates say, it does not know the extents of inputs and outputs, the parameters, or
 * anything that follows from these. Before Halide keeps a region in registers inside a kernel, or unrolls
 * a loop over it, it needs a number for the extent, or at least a bound. Without one, Halide refuses, or
 * moves the storage to global memory, where it makes it too small.
 *
 * The rules follow what Halide 14 to 21 were observed to prove. They may say BW_PROOF_NONE where Halide
 * proves more, but never claim more than Halide proves. */
#pragma once
#include "nest/nest.h"

/* Finds the extents of a Func's storage at its level, the largest of any iteration. Returns what is proven
 * about them. The regions of `placed` must be set. */
enum bw_proof bw_prove_storage(const struct bw_nest *nest, const struct bw_func *func,
			       const struct bw_placed *placed, int64_t *most);
/* Returns what is proven of an inlined Func: BW_PROOF_CONSTANT if all its consumers have
 * BW_PROOF_CONSTANT, else BW_PROOF_BOUND. */
enum bw_proof bw_prove_inlined(const struct bw_nest *nest, const struct bw_func *func);
/* Returns what is proven about the number of iterations of a placed Func's loop, each time that the loop
 * is reached. */
enum bw_proof bw_prove_loop(const struct bw_stage_loop *loop, const struct bw_placed *placed);
/* Returns what the splits alone prove about the `extents` (by dimension) that a stage reads of a Func in
 * one iteration of a site. The site is one of the stage's own loops, or the stage's compute site. */
enum bw_proof bw_prove_pass(const struct bw_nest *nest, const struct bw_stage *stage,
			    const struct bw_site *site, int func, const int64_t *extents);
