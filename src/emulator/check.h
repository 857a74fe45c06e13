/* Errors that a GPU does not report: races between threads, and results that depend on uninitialized
 * memory. While checking, blocks run one after another, and each byte of global and shared memory has a
 * cell (struct bw_byte_cell) that records the last accesses of the byte. */
#pragma once
#include "emulator/order.h"
#include "emulator/ptx.h"

/* Doubts: for each bit of a register, whether its value depends on uninitialized memory, or on a block that
 * was not run. The doubts have the layout of the registers, in separate memory (struct bw_warp.doubts). */

/* Returns the lanes that have a doubtful bit in the register. */
uint32_t bw_doubts_of(const struct bw_warp *warp, const struct bw_operand *operand);
/* Makes all bits of the register doubtful in the lanes of `value`, and certain in the other lanes of
 * `mask`. */
void bw_doubts_set(struct bw_warp *warp, const struct bw_operand *operand, uint32_t mask, uint32_t value);
/* Return and set the doubtful bits of the register in a lane. Of a predicate, either all bits or none are
 * doubtful. */
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

/* An access of a byte. stamp: bw_checks.stamp at the time of the access; 0: there was no access; 1: the
 * host made it. */
struct bw_byte_access {
	uint32_t stamp;
	uint32_t thread : 10; /* number of the thread in its block */
	uint32_t at : 22;     /* index of the instruction in the kernel's code */
};

/* Whether another warp or block also wrote the value of a byte's last plain write, without being ordered
 * with this write. */
enum bw_agreed { BW_AGREED_NOBODY, BW_AGREED_WARPS, BW_AGREED_BLOCKS };

/* The last accesses of a byte. Atomics need not be ordered with each other, so the cell keeps two atomics
 * of different warps: whichever warp accesses the byte, another warp made at least one of the two. */
struct bw_byte_cell {
	struct bw_byte_access plain; /* the last write that was not atomic */
	/* last atomic write; last one by another block, or else by another warp */
	struct bw_byte_access atomic, other_atomic;
	struct bw_byte_access read; /* the last read that was not strong (enum bw_order) */
	/* bw_checks.step of the last plain write; equal for the lanes of one instruction */
	uint32_t plain_step;
	uint8_t agreed; /* of enum bw_agreed */
	bool many; /* several warps of the block, or several blocks, read it */
	bool doubtful; /* its value depends on uninitialized memory */
	bool released; /* stored by a release of earlier writes (emulator/order.h) */
};

static inline bool bw_cell_is_written(const struct bw_byte_cell *cell)
{
	return cell->plain.stamp || cell->atomic.stamp;
}

/* Size of the text about the first read of uninitialized memory, and of the text about the first element
 * that two blocks rounded differently. */
enum { BW_DOUBT_TEXT = 300 };

/* The state of the checks, kept over all launches; zeros at first. The stamp is a clock: it counts block
 * starts, barriers, fences and releases of all launches. */
struct bw_checks {
	unsigned what;          /* of enum bw_check */
	uint32_t stamp, step;   /* the current stamp; the number of the last access */
	uint32_t launch, block; /* stamps at the start of the launch and of the block */
	uint32_t interval;      /* stamp at the last barrier of the whole block, at first of its start */
	/* per stage of the kernel: largest absolute value of the floats that the stage has stored in this
	 * launch */
	double *greatest;
	uint32_t *blocks;       /* stamp of the beginning of each block of the launch */
	uint64_t n_blocks;      /* number of blocks that have started in the launch */
	struct bw_orders orders; /* releases of the launch and acquires of the block */
	char doubt[BW_DOUBT_TEXT];
	/* elements that differ by 1 from another block's value because of rounding; they are no races */
	uint64_t n_rounded;
	char rounded[BW_DOUBT_TEXT]; /* about the first of these elements */
};

/* Parses a comma-separated list of "race", "bounds", "init". Returns the requested checks; 0 if a word is
 * unknown. */
unsigned bw_check_read(const char *words);
/* Finds the kinds (enum bw_made) of the values that the kernels store. Returns false if out of memory. */
bool bw_check_prepare(struct bw_ptx *module);
/* Record the start of a launch of n blocks, the start of a block, and a barrier that all warps of the block
 * have reached. bw_check_launch() returns false if out of memory. */
bool bw_check_launch(struct bw_checks *checks, const struct bw_ptx_kernel *kernel, uint64_t n);
void bw_check_block(struct bw_checks *checks);
void bw_check_barrier(struct bw_checks *checks);
/* Frees the memory of the checks. */
void bw_check_end(struct bw_checks *checks);
/* Check the lanes' accesses of n elements of `bytes` bytes each, before the accesses are made. Return false
 * if there is an error. Without checks, these functions only track which bytes are known
 * (emulator/sample.h). */
bool bw_check_load(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		   unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
bool bw_check_store(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		    unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
/* Checks a lane's copy from global to shared memory (cp.async): `take` bytes, followed by zeros up to
 * `bytes` bytes. */
bool bw_check_copy(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, int lane,
		   const unsigned char *to, const unsigned char *from, unsigned take, unsigned bytes);
bool bw_check_atomic(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		     unsigned bytes, unsigned char *const places[BW_LANES]);
