/* Launches that are too long to be run whole: blocks at the edges, at the corners and in the middle are run
 * for all, and each byte is followed that a block would have written that was not run. */
#pragma once
#include "emulator/count.h"

/* State of a tracked byte. */
enum {
	BW_BYTE_KNOWN = 1, /* the value is final, as if all blocks had run */
	BW_BYTE_WRITTEN = 2 /* the launch that runs has written it */
};

/* Kinds of blocks: first, last or neither, in x, y and z. The sample's counters are scaled by kind. */
enum { BW_SAMPLE_KINDS = 27 };
struct bw_sample_kind {
	uint64_t blocks, run;     /* of the launch, of the sample */
	struct bw_counts *counts; /* by part, of the blocks run; NULL: no counting */
};

struct bw_block_sample {
	uint64_t *numbers, *others; /* of the blocks in the sample, and of the rest */
	uint64_t n, n_others;
	struct bw_sample_kind kinds[BW_SAMPLE_KINDS];
};

/* Returns the kind of a block. */
int bw_sample_kind(const unsigned grid[3], uint64_t number);
/* Makes the sample of a grid, of as few blocks as tell its kinds apart if `least` is true, with n_parts
 * counters for each kind unless it is 0. Returns false if out of memory. Call bw_sample_free() in any
 * case. */
bool bw_sample_make(struct bw_block_sample *sample, const unsigned grid[3], bool least, int n_parts);
void bw_sample_free(struct bw_block_sample *sample);
/* Adds the counters of all kinds, each scaled to all blocks of its kind. */
void bw_sample_scale(const struct bw_block_sample *sample, struct bw_counts *counts, int n_parts);

/* Start and stop tracking the bytes of all allocations during a launch. `partial`: only the sample ran;
 * allocations that it stores to are then unknown except where it has written. begin: returns false if
 * out of memory. */
bool bw_follow_begin(struct bw_memory *memory);
void bw_follow_end(struct bw_memory *memory, bool partial);
/* Record which bytes become known or unknown by the lanes' access of n elements of `bytes` bytes
 * each. */
void bw_follow_load(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		    unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
void bw_follow_store(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		     unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
void bw_follow_copy(const struct bw_ptx_instruction *instruction, const struct bw_warp *warp,
		    const unsigned char *to, const unsigned char *from, unsigned take, unsigned bytes);
void bw_follow_atomic(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		      unsigned bytes, unsigned char *const places[BW_LANES]);
