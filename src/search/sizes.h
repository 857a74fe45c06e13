/* The sizes that tiles are enumerated with, dimension by dimension: iterations of a thread, and threads of a
 * block (Anderson et al. 2021, sections 4.1 and 4.2), with those that Halide's anderson2021 has beside the
 * paper's (Tiling.cpp). Shared by the files of this room alone. */
#ifndef BW_SEARCH_SIZES_H
#define BW_SEARCH_SIZES_H
#include <stdbool.h>
#include <stdint.h>

/* Dimensions with all serial extents, and with all threads. Each of those beyond has 1, or all that is there
 * up to BW_WHOLE_SIZE, so that the number of combinations stays bounded. */
enum { BW_SERIAL_DIMS = 4, BW_THREAD_DIMS = 3, BW_MOST_SIZES = 16, BW_WHOLE_SIZE = 16 };

/* Sizes of one dimension, in ascending order, none twice; at least one. */
struct bw_sizes {
	int n;
	int64_t list[BW_MOST_SIZES];
};
/* Iterations of a thread over `extent` points: powers of two to 8; 3, 5 and 7 where they leave threads that
 * are a multiple of a warp, and of an extent of 3, 5 or 7 all or one. None is more than what its threads
 * need: 9 threads do 17 points with 2 each, and 3 with 6, not 8. */
void bw_sizes_serial(int64_t extent, int64_t warp, struct bw_sizes *sizes);
/* The same of a Func at a block, whose threads are what these leave; with them the iterations that powers of
 * two of threads leave, up to 16 (9 of 17 with 2 threads), where at most an eighth of these is idle.
 * innermost: the dimension of consecutive threads, of which there are at least 16. */
void bw_sizes_serial_at_block(int64_t extent, int64_t warp, bool innermost, struct bw_sizes *sizes);
/* Threads for `extent` iterations: powers of two, from 16 to 64 in the dimension of consecutive threads, to
 * 16 in others, and as many as there are iterations, below 64. Never more than iterations. */
void bw_sizes_threads(int64_t extent, bool innermost, struct bw_sizes *sizes);
/* Adds threads that are tried in a dimension of a tiling that is there already: all powers of two up to 256,
 * 32 and 16 in the first three. */
void bw_sizes_widen(int64_t extent, int dim, struct bw_sizes *sizes);
/* Serial extents or threads in a dimension beyond those. */
void bw_sizes_whole(int64_t extent, struct bw_sizes *sizes);
/* The dimension of consecutive threads: the first of at least 16 iterations, else the first. serial: by
 * dimension, NULL: all 1. */
int bw_sizes_innermost(const int64_t *extents, const int64_t *serial, int n_dims);
#endif
