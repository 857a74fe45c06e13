/* What a GPU does not tell: races between threads, and results that depend on memory that nothing wrote.
 * While it checks, blocks run one after another, and each byte of global and shared memory has a cell. */
#ifndef BW_EMULATOR_CHECK_H
#define BW_EMULATOR_CHECK_H
#include "emulator/doubt.h"
#include "emulator/order.h"
#include "emulator/ptx.h"

/* Bounds are always checked. */
enum bw_check {
	BW_CHECK_RACE = 1,
	BW_CHECK_INIT = 2,
	BW_CHECK_BOUNDS = 4,
	BW_CHECK_CELLS = BW_CHECK_RACE | BW_CHECK_INIT
};

/* An access of a byte. The stamp is that of the time of checking; 0: never, 1: by the host. */
struct bw_byte_access {
	uint32_t stamp;
	uint32_t thread : 10; /* number in its block */
	uint32_t at : 22;     /* instruction of the kernel */
};

/* Who else wrote the value of a byte's last plain write, with nothing that orders the two. */
enum bw_agreed { BW_AGREED_NOBODY, BW_AGREED_WARPS, BW_AGREED_BLOCKS };

/* The last accesses of a byte. Those of a kind that may be unordered among each other (atomics) need two, so
 * that one of them is of another warp than any that comes. */
struct bw_byte_cell {
	struct bw_byte_access plain; /* the last write that was not atomic */
	struct bw_byte_access atomic, other_atomic; /* the last, and one of another block or else warp */
	struct bw_byte_access read; /* the last, but those that are as strong as atomics */
	uint32_t plain_step; /* which of all accesses it was: the lanes of one instruction share it */
	uint8_t agreed; /* of enum bw_agreed */
	bool many; /* several warps of the block, or several blocks, read it */
	bool doubtful; /* its value depends on memory that nothing wrote */
	bool released; /* it has passed on what was written before (emulator/order.h) */
};

static inline bool bw_cell_is_written(const struct bw_byte_cell *cell)
{
	return cell->plain.stamp || cell->atomic.stamp;
}

/* Where a read of memory that nothing wrote was, or a point that two blocks rounded differently: the first
 * one. */
enum { BW_DOUBT_TEXT = 300 };

/* The state of checking, over all launches; zeros at first. Stamps count the beginnings of blocks, barriers
 * and fences, over all launches. */
struct bw_checks {
	unsigned what;          /* of enum bw_check */
	uint32_t stamp, step;   /* now; of the last access */
	uint32_t launch, block; /* stamps of the beginning of the launch and of the block */
	uint32_t interval;      /* and of the last barrier of the whole block */
	double *greatest;       /* by part of the kernel: of the floats that the launch has stored there */
	uint32_t *blocks;       /* stamp of the beginning of each block of the launch */
	uint64_t n_blocks;      /* that have begun */
	struct bw_orders orders; /* of the launch */
	char doubt[BW_DOUBT_TEXT];
	uint64_t n_rounded; /* elements that a block of the launch wrote 1 off what another had, and no race */
	char rounded[BW_DOUBT_TEXT]; /* the first of them */
};

/* Reads "race", "bounds", "init" with commas between. Returns what is asked for; 0 if there is another word.
 */
unsigned bw_check_read(const char *words);
/* Finds what the values are that the kernels store. Returns false if no memory is left. */
bool bw_check_prepare(struct bw_ptx *module);
/* Tell of the beginning of a launch of n blocks (false: no memory is left), of a block, and of a barrier that
 * all of its warps have reached. */
bool bw_check_launch(struct bw_checks *checks, const struct bw_ptx_kernel *kernel, uint64_t n);
void bw_check_block(struct bw_checks *checks);
void bw_check_barrier(struct bw_checks *checks);
/* Frees what the checks hold. */
void bw_check_end(struct bw_checks *checks);
/* Check the lanes' accesses of n elements of `bytes` bytes each, before they are made. Return false after a
 * finding. Without checks they only follow what is known (emulator/sample.h). */
bool bw_check_load(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		   unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
bool bw_check_store(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		    unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
/* Checks a copy of a lane from global to shared memory: of `take` bytes, and zeros up to `bytes`. */
bool bw_check_copy(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, int lane,
		   const unsigned char *to, const unsigned char *from, unsigned take, unsigned bytes);
bool bw_check_atomic(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		     unsigned bytes, unsigned char *const places[BW_LANES]);
#endif
