/* What a GPU does not tell: races between threads, and results that depend on memory that nothing wrote.
 * While it checks, blocks run one after another, and each byte of global and shared memory has a cell. */
#ifndef BW_EMULATOR_CHECK_H
#define BW_EMULATOR_CHECK_H
#include "emulator/ptx.h"

/* Bounds are always checked. */
enum bw_check {
	BW_CHECK_RACE = 1,
	BW_CHECK_INIT = 2,
	BW_CHECK_BOUNDS = 4,
	BW_CHECK_CELLS = BW_CHECK_RACE | BW_CHECK_INIT
};

/* The last accesses of a byte. A stamp counts the beginnings of blocks and the barriers of each, over all
 * launches; 0: never, 1: by the host. */
struct bw_byte_cell {
	uint32_t write_stamp, read_stamp;
	uint32_t write_line, read_line; /* of the PTX */
	uint16_t write_thread, read_thread; /* numbers in their blocks */
	uint32_t write_step; /* which of all accesses it was: the lanes of one instruction share it */
	bool atomic; /* the write */
	bool agreed; /* several blocks or warps wrote the same value */
	bool many; /* several warps of the block, or several blocks, read it */
	bool doubtful; /* its value depends on memory that nothing wrote */
};

/* Where a read of memory that nothing wrote was, or a point that two blocks rounded differently: the first
 * one. */
enum { BW_DOUBT_TEXT = 300 };

/* The state of checking, over all launches; zeros at first. */
struct bw_checks {
	unsigned what;          /* of enum bw_check */
	uint32_t stamp, step;   /* of the interval between barriers that runs, of the last access */
	uint32_t launch, block; /* stamps of the beginning of the launch and of the block */
	uint32_t *blocks;       /* stamp of the beginning of each block of the launch */
	uint64_t n_blocks;      /* that have begun */
	char doubt[BW_DOUBT_TEXT];
	uint64_t n_rounded; /* elements that a block of the launch wrote 1 off what another had, and no race */
	char rounded[BW_DOUBT_TEXT]; /* the first of them */
};

/* Reads "race", "bounds", "init" with commas between. Returns what is asked for; 0 if there is another word.
 */
unsigned bw_check_read(const char *words);
/* Tell of the beginning of a launch of n blocks (false: no memory is left), of a block, and of a barrier that
 * all of its warps have reached. */
bool bw_check_launch(struct bw_checks *checks, uint64_t n);
void bw_check_block(struct bw_checks *checks);
void bw_check_barrier(struct bw_checks *checks);
/* Return and set the doubts of a register: a bit for each lane. */
uint32_t bw_doubts_of(const struct bw_warp *warp, const struct bw_operand *operand);
void bw_doubts_set(const struct bw_warp *warp, const struct bw_operand *operand, uint32_t mask,
		   uint32_t value);
/* Hands doubts on from an instruction's sources to its results, before it runs. */
void bw_check_flow(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask);
/* Check the lanes' accesses of n elements of `bytes` bytes each, before they are made. Return false after a
 * finding. Without checks they only follow what is known (emulator/sample.h). */
bool bw_check_load(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		   unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
bool bw_check_store(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		    unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
bool bw_check_atomic(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		     unsigned bytes, unsigned char *const places[BW_LANES]);
#endif
