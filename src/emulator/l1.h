/* The cache L1, as far as loads of global memory go. */
#ifndef BW_EMULATOR_L1_H
#define BW_EMULATOR_L1_H
#include <stdbool.h>
#include <stdint.h>

/* Bytes per line, and per sector, the unit in which lines are filled. */
enum { BW_L1_LINE = 128, BW_L1_SECTOR = 32 };

/* A line. It is in the list of all lines, in order of last use, and in the list of its hash bucket.
 * Both lists link lines by index in bw_l1.lines; 0 is none. */
struct bw_l1_line {
	uint64_t number;            /* sector over the sectors of a line */
	uint32_t newer, older, next;
	uint32_t sectors; /* that it holds, a bit each */
};

/* A cache of lines in sectors. Any line can be in any place; the line that was used the longest ago goes
 * first. NVIDIA's caches since Volta have few sets of many ways (Jia et al. 2018, "Dissecting the NVIDIA
 * Volta GPU architecture via microbenchmarking", table 3.1: four sets), which comes near to that. */
struct bw_l1 {
	struct bw_l1_line *lines; /* n_lines, from 1 on; of lines[0] `older` is the newest, `newer` the oldest */
	uint32_t *first;          /* line of each hash */
	uint32_t n_lines, n_used, mask;
};

/* Makes an empty cache of `bytes` bytes, but at least one line. Returns false if no memory is left.
 * bw_l1_free() in any case. */
bool bw_l1_make(struct bw_l1 *l1, unsigned bytes);
void bw_l1_free(struct bw_l1 *l1);
/* Empties the cache. */
void bw_l1_clear(struct bw_l1 *l1);
/* Loads a sector, by its number. Returns true if the cache had it. */
bool bw_l1_load(struct bw_l1 *l1, uint64_t sector);
#endif
