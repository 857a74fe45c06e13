/* What Halide can prove of extents when it compiles. It knows the algorithm and the schedule, and no extent
 * of an input or an output, no parameter and nothing that follows from these, whatever their estimates are.
 * Of the extent of a region inside a kernel it needs a number, or at least a bound, before it keeps it in
 * registers or unrolls a loop over it; else it refuses, or moves storage to global memory that it makes too
 * small.
 *
 * The rules here are stated by what Halide 14 to 21 were seen to prove: they may say NONE where Halide proves
 * more, and never the contrary. */
#ifndef BW_NEST_PROOF_H
#define BW_NEST_PROOF_H
#include "nest/nest.h"

/* Sets the extents of the storage of a Func at its level, the most of any iteration that there is; its
 * regions must be placed. */
enum bw_proof bw_prove_storage(const struct bw_nest *nest, const struct bw_func *func,
			       const struct bw_placed *placed, int64_t *most);
/* Of an inlined Func: of all that reads it. */
enum bw_proof bw_prove_inlined(const struct bw_nest *nest, const struct bw_func *func);
/* Of the iterations of a loop of a placed Func each time that it is reached. */
enum bw_proof bw_prove_loop(const struct bw_stage_loop *loop, const struct bw_placed *placed);
/* Of the `extents` (by dimension) that a stage reads of a Func in an iteration of a site, which is one of its
 * own loops, or where it is computed; as far as follows from splits. */
enum bw_proof bw_prove_pass(const struct bw_nest *nest, const struct bw_stage *stage,
			    const struct bw_site *site, int func, const int64_t *extents);
#endif
