/* Doubts: for each bit of a register, whether its value depends on uninitialized memory, or on a block
 * that was not run. They are laid out like the registers, in separate memory (struct bw_warp.doubts). */
#ifndef BW_EMULATOR_DOUBT_H
#define BW_EMULATOR_DOUBT_H
#include "emulator/ptx.h"

/* Returns the lanes that have a doubtful bit in the register. */
uint32_t bw_doubts_of(const struct bw_warp *warp, const struct bw_operand *operand);
/* Makes all bits of the register doubtful in the lanes of `value`, and certain in the other lanes of
 * `mask`. */
void bw_doubts_set(struct bw_warp *warp, const struct bw_operand *operand, uint32_t mask, uint32_t value);
/* Return and set the doubtful bits of the register in a lane; of a predicate all or none. */
uint64_t bw_doubts_get(const struct bw_warp *warp, const struct bw_operand *operand, int lane);
void bw_doubts_put(struct bw_warp *warp, const struct bw_operand *operand, int lane, uint64_t bits);
/* Propagates doubts from an instruction's sources to its results, before it runs. Instructions that
 * only move bits propagate them bit by bit, since compilers pack several small values into a register
 * to store them at once; for all others every result bit depends on all sources. */
void bw_check_flow(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask);
#endif
