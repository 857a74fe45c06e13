/* Iterates over the points of a buffer, one row of its first dimension at a time. A point is an array of
 * coordinates. bw_rows_next does not change the first coordinate. */
#pragma once
#include <stdbool.h>

#include "bench/halide_abi.h"

/* Sets the point to the minimum of every dimension. */
static inline void bw_rows_first(const struct bw_halide_buffer *buffer, int64_t *point)
{
	for (int d = 0; d < buffer->dimensions; d++)
		point[d] = buffer->dim[d].min;
}

/* Moves the point to the next row. Returns false after the last row. */
static inline bool bw_rows_next(const struct bw_halide_buffer *buffer, int64_t *point)
{
	for (int d = 1; d < buffer->dimensions; d++) {
		if (++point[d] < (int64_t)buffer->dim[d].min + buffer->dim[d].extent)
			return true;
		point[d] = buffer->dim[d].min;
	}
	return false;
}

/* Returns the number of points of a row; 1 for a buffer of no dimensions. */
static inline int64_t bw_rows_length(const struct bw_halide_buffer *buffer)
{
	return buffer->dimensions ? buffer->dim[0].extent : 1;
}

/* Returns the distance from one point of a row to the next, in elements. */
static inline int64_t bw_rows_stride(const struct bw_halide_buffer *buffer)
{
	return buffer->dimensions ? buffer->dim[0].stride : 1;
}

/* Returns the address of a point on the host. */
static inline uint8_t *bw_rows_address(const struct bw_halide_buffer *buffer, const int64_t *point)
{
	int64_t offset = 0;
	for (int d = 0; d < buffer->dimensions; d++)
		offset += (point[d] - buffer->dim[d].min) * buffer->dim[d].stride;
	return buffer->host + offset * bw_halide_bytes(buffer->type);
}
