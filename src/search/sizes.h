/* The sizes with which tiles are enumerated, by dimension: iterations per thread, and threads per block
 * (Anderson et al. 2021, sections 4.1 and 4.2), plus the sizes that Halide's anderson2021 adds
 * (Tiling.cpp). Private to the files of this room. */
#ifndef BW_SEARCH_SIZES_H
#define BW_SEARCH_SIZES_H
#include <stdbool.h>
#include <stdint.h>

/* Number of dimensions with all serial extents, and with all threads. Each dimension beyond has 1,
 * or its whole extent up to BW_WHOLE_SIZE, so that the number of combinations stays bounded. */
enum { BW_SERIAL_DIMS = 4, BW_THREAD_DIMS = 3, BW_MOST_SIZES = 16, BW_WHOLE_SIZE = 16 };

/* Sizes of one dimension, in ascending order, without duplicates; at least one. */
struct bw_sizes {
	int n;
	int64_t list[BW_MOST_SIZES];
};
/* Finds the iterations per thread over `extent` points: powers of two to 8; 3, 5 and 7 if they
 * leave a multiple of a warp of threads; the whole of an extent of 3, 5 or 7, or 1. No size is more
 * than its threads need: 9 threads do 17 points with 2 each, and 3 threads with 6, not 8. */
void bw_sizes_serial(int64_t extent, int64_t warp, struct bw_sizes *sizes);
/* Finds the iterations per thread for a Func at a block, where they determine the threads. Adds the
 * iterations that powers of two of threads leave, up to 16 (9 of 17 with 2 threads), if at most an
 * eighth of them is idle. `innermost`: the dimension of consecutive threads, which are at least 16. */
void bw_sizes_serial_at_block(int64_t extent, int64_t warp, bool innermost, struct bw_sizes *sizes);
/* Finds the threads for `extent` iterations: powers of two, from 16 to 64 in the dimension of
 * consecutive threads and to 16 in others, and the number of iterations itself if it is below 64.
 * Never more than there are iterations. */
void bw_sizes_threads(int64_t extent, bool innermost, struct bw_sizes *sizes);
/* Adds the threads that are also tried when one dimension of a tiling is changed: all powers of two
 * up to 256, 32 and 16 in the first three dimensions. */
void bw_sizes_widen(int64_t extent, int dim, struct bw_sizes *sizes);
/* Finds serial extents or threads for a dimension beyond the first ones. */
void bw_sizes_whole(int64_t extent, struct bw_sizes *sizes);
/* Returns the dimension of consecutive threads: the first of at least 16 iterations, else the
 * first. `serial` is by dimension; NULL: all 1. */
int bw_sizes_innermost(const int64_t *extents, const int64_t *serial, int n_dims);
#endif
