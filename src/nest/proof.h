/* What Halide can prove of extents at compile time. Halide knows the algorithm and the schedule. It
 * knows no extent of an input or output, no parameter, and nothing that follows from these,
 * whatever the estimates say. Before Halide keeps a region inside a kernel in registers, or unrolls
 * a loop over it, it needs a number for its extent, or at least a bound. Otherwise it refuses, or
 * moves the storage to global memory, where it makes it too small.
 *
 * The rules follow what Halide 14 to 21 were seen to prove. They may say BW_PROOF_NONE where Halide
 * proves more, but never the contrary. */
#pragma once
#include "nest/nest.h"

/* Finds the extents of a Func's storage at its level, the most of any iteration, and what is proven
 * of them. The regions of `placed` must be set. */
enum bw_proof bw_prove_storage(const struct bw_nest *nest, const struct bw_func *func,
			       const struct bw_placed *placed, int64_t *most);
/* Returns what is proven of an inlined Func: the least of all its consumers. */
enum bw_proof bw_prove_inlined(const struct bw_nest *nest, const struct bw_func *func);
/* Returns what is proven of the iterations of a placed Func's loop, each time that the loop is
 * reached. */
enum bw_proof bw_prove_loop(const struct bw_stage_loop *loop, const struct bw_placed *placed);
/* Returns what follows from splits alone about the `extents` (by dimension) that a stage reads of a
 * Func in one iteration of a site. The site is one of the stage's own loops, or where the stage is
 * computed. */
enum bw_proof bw_prove_pass(const struct bw_nest *nest, const struct bw_stage *stage,
			    const struct bw_site *site, int func, const int64_t *extents);
