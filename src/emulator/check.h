/* Errors that a GPU does not report: races between threads, and results that depend on uninitialized
 * memory. While checking, blocks run one after another, and each byte of global and shared memory has a
 * cell. */
#pragma once
#include "emulator/order.h"
#include "emulator/ptx.h"

/* Doubts: for each bit of a register, whether its value depends on uninitialized memory, or on a block
 * that was not run. They are laid out like the registers, in separate memory (struct bw_warp.doubts). */

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

/* Bounds are always checked. */
enum bw_check {
	BW_CHECK_RACE = 1,
	BW_CHECK_INIT = 2,
	BW_CHECK_BOUNDS = 4,
	BW_CHECK_CELLS = BW_CHECK_RACE | BW_CHECK_INIT
};

/* An access of a byte. The stamp is the checks' clock at the access; 0: never, 1: by the host. */
struct bw_byte_access {
	uint32_t stamp;
	uint32_t thread : 10; /* number in its block */
	uint32_t at : 22;     /* instruction of the kernel */
};

/* Whether other warps or blocks wrote a byte's last plain value, too, unordered with that write. */
enum bw_agreed { BW_AGREED_NOBODY, BW_AGREED_WARPS, BW_AGREED_BLOCKS };

/* The last accesses of a byte. Atomics may be unordered among each other, so two are kept: for any
 * accessing warp one of them is another warp's. */
struct bw_byte_cell {
	struct bw_byte_access plain; /* the last write that was not atomic */
	struct bw_byte_access atomic, other_atomic; /* last; last of other block or warp */
	struct bw_byte_access read; /* the last, except accesses as strong as atomics */
	uint32_t plain_step; /* which of all accesses it was: the lanes of one instruction share it */
	uint8_t agreed; /* of enum bw_agreed */
	bool many; /* several warps of the block, or several blocks, read it */
	bool doubtful; /* its value depends on uninitialized memory */
	bool released; /* stored by a release of earlier writes (emulator/order.h) */
};

static inline bool bw_cell_is_written(const struct bw_byte_cell *cell)
{
	return cell->plain.stamp || cell->atomic.stamp;
}

/* Length of a text on the first read of uninitialized memory, or on the first point that two blocks
 * rounded differently. */
enum { BW_DOUBT_TEXT = 300 };

/* The state of checking, over all launches; zeros at first. Stamps count the beginnings of blocks, barriers
 * and fences, over all launches. */
struct bw_checks {
	unsigned what;          /* of enum bw_check */
	uint32_t stamp, step;   /* now; of the last access */
	uint32_t launch, block; /* stamps of the beginning of the launch and of the block */
	uint32_t interval;      /* and of the last barrier of the whole block */
	double *greatest;       /* by stage of the kernel: of the floats that the launch has stored there */
	uint32_t *blocks;       /* stamp of the beginning of each block of the launch */
	uint64_t n_blocks;      /* that have begun */
	struct bw_orders orders; /* of the launch */
	char doubt[BW_DOUBT_TEXT];
	uint64_t n_rounded; /* elements that differ by 1 from another block's by rounding: no race */
	char rounded[BW_DOUBT_TEXT]; /* the first of them */
};

/* Parses a list of "race", "bounds", "init" with commas between. Returns the requested checks; 0 if
 * there is an unknown word. */
unsigned bw_check_read(const char *words);
/* Finds the kinds of the values that the kernels store. Returns false if out of memory. */
bool bw_check_prepare(struct bw_ptx *module);
/* Tell of the beginning of a launch of n blocks (false: no memory is left), of a block, and of a barrier that
 * all of its warps have reached. */
bool bw_check_launch(struct bw_checks *checks, const struct bw_ptx_kernel *kernel, uint64_t n);
void bw_check_block(struct bw_checks *checks);
void bw_check_barrier(struct bw_checks *checks);
/* Frees the memory of the checks. */
void bw_check_end(struct bw_checks *checks);
/* Check the lanes' accesses of n elements of `bytes` bytes each, before they are made. Return false
 * after a finding. Without checks they only track which bytes are known (emulator/sample.h). */
bool bw_check_load(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		   unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
bool bw_check_store(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		    unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
/* Checks a copy of a lane from global to shared memory: of `take` bytes, and zeros up to `bytes`. */
bool bw_check_copy(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, int lane,
		   const unsigned char *to, const unsigned char *from, unsigned take, unsigned bytes);
bool bw_check_atomic(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		     unsigned bytes, unsigned char *const places[BW_LANES]);
