/* Launches that are too long to run whole. Only a sample of the blocks runs: those at the edges, at the
 * corners and in the middle of the grid. The emulator tracks which bytes are unknown, because a block that
 * did not run would have written them. */
#pragma once
#include "emulator/count.h"

/* State of a tracked byte. */
enum {
	BW_BYTE_KNOWN = 1, /* the value is final, as if all blocks had run */
	BW_BYTE_WRITTEN = 2 /* the current launch has written the byte */
};

/* Kinds of blocks: first, last or neither, in x, y and z. The sample's counters are scaled by kind. */
enum { BW_SAMPLE_KINDS = 27 };
struct bw_sample_kind {
	uint64_t blocks, run;     /* number of blocks of this kind in the launch; in the sample */
	struct bw_counts *counts; /* per part: counters of the blocks that ran; NULL: no counting */
};

struct bw_block_sample {
	uint64_t *numbers, *others; /* numbers of the blocks in the sample, and of all other blocks */
	uint64_t n, n_others;
	struct bw_sample_kind kinds[BW_SAMPLE_KINDS];
};

/* Returns the kind of a block. */
int bw_sample_kind(const unsigned grid[3], uint64_t number);
/* Makes the sample of a grid, with n_parts counters per kind (0: none). least: the sample has only as few
 * blocks as the kinds need. Returns false if out of memory. Call bw_sample_free() in any case. */
bool bw_sample_make(struct bw_block_sample *sample, const unsigned grid[3], bool least, int n_parts);
void bw_sample_free(struct bw_block_sample *sample);
/* Adds the counters of all kinds to `counts`, each scaled from the blocks that ran to all blocks of its
 * kind. */
void bw_sample_scale(const struct bw_block_sample *sample, struct bw_counts *counts, int n_parts);

/* Start and stop tracking the bytes of all allocations during a launch. bw_follow_begin() returns false if
 * out of memory. partial: only the sample ran. In the allocations that the launch stored to, the bytes that
 * the sample did not write are then unknown. */
bool bw_follow_begin(struct bw_memory *memory);
void bw_follow_end(struct bw_memory *memory, bool partial);
/* Record which bytes become known or unknown when the lanes access n elements of `bytes` bytes each. */
void bw_follow_load(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		    unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
void bw_follow_store(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		     unsigned bytes, unsigned n, unsigned char *const places[BW_LANES]);
void bw_follow_copy(const struct bw_ptx_instruction *instruction, const struct bw_warp *warp,
		    const unsigned char *to, const unsigned char *from, unsigned take, unsigned bytes);
void bw_follow_atomic(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		      unsigned bytes, unsigned char *const places[BW_LANES]);
