/* Buffers: their layout, their contents, and the guard room around them, in which nothing may be written. */
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "bench/rows.h"
#include "bench/worker.h"

enum {
	ALIGNMENT = 128, /* bytes: of host memory, and of the room on each side of the innermost dimension */
	LEAST_ROOM = 2, MOST_ROOM = 32, /* room on each side of an outer dimension, in its elements */
	MARGIN = 4096    /* bytes of room on each side of the whole allocation */
};

void bw_strides_lay(struct bw_halide_dim *dim, int n, const bool *fixed)
{
	int64_t stride = 1;
	for (int d = 0; d < n; d++)
		if (fixed[d])
			stride = bw_max(stride, (int64_t)dim[d].stride * dim[d].extent);
	for (int d = 0; d < n; d++) {
		if (fixed[d])
			continue;
		dim[d].stride = (int32_t)stride;
		stride = bw_min(stride * bw_max(dim[d].extent, 1), INT32_MAX);
	}
}

/* Returns the elements of guard room on each side of dimension d. Dimension 0: one alignment unit. Dimension
 * 1: as many rows as a block may have. Others: half the extent, within limits, so that a dimension of few
 * channels or frames does not multiply the memory. */
static int64_t room_around(const struct bw_halide_dim *dim, int d, int64_t bytes)
{
	return d == 0   ? ALIGNMENT / bytes
	       : d == 1 ? MOST_ROOM
			: bw_max(LEAST_ROOM, bw_min(dim->extent / 2, MOST_ROOM));
}

/* Adds guard room on both sides of every dimension and recomputes the strides. Rows stay aligned. */
static void add_room(struct bw_halide_dim *dim, int n, int64_t bytes)
{
	static const bool none_fixed[BW_BUFFER_DIMS];
	for (int d = 0; d < n; d++) {
		int64_t room = room_around(&dim[d], d, bytes);
		int64_t extent = dim[d].extent + 2 * room;
		dim[d].min -= (int32_t)room;
		dim[d].extent = (int32_t)(d == 0 ? bw_round_up(extent, room) : extent);
	}
	bw_strides_lay(dim, n, none_fixed);
}

/* Returns the elements from the first to the last one in memory, both included. Returns -1 if Halide's 32-bit
 * indices cannot address them. */
static int64_t span(const struct bw_halide_buffer *buffer)
{
	int64_t last = 0;
	for (int d = 0; d < buffer->dimensions; d++) {
		const struct bw_halide_dim *dim = &buffer->dim[d];
		if (dim->extent <= 0 || dim->stride <= 0)
			return -1;
		last += (int64_t)(dim->extent - 1) * dim->stride;
		if (last >= INT32_MAX / bw_halide_bytes(buffer->type))
			return -1;
	}
	return last + 1;
}

bool bw_buffer_make(struct bw_buffer *buffer, const struct bw_halide_buffer *shape, bool guarded,
		    struct bw_error *error)
{
	int n = shape->dimensions;
	int64_t bytes = bw_halide_bytes(shape->type);
	memset(buffer, 0, sizeof *buffer);
	buffer->whole.type = buffer->view.type = shape->type;
	buffer->whole.dimensions = buffer->view.dimensions = n;
	buffer->whole.dim = buffer->whole_dim;
	buffer->view.dim = buffer->view_dim;
	memcpy(buffer->whole_dim, shape->dim, (size_t)n * sizeof *shape->dim);
	memcpy(buffer->view_dim, shape->dim, (size_t)n * sizeof *shape->dim);
	if (guarded) {
		add_room(buffer->whole_dim, n, bytes);
		for (int d = 0; d < n; d++)
			buffer->view_dim[d].stride = buffer->whole_dim[d].stride;
	}
	buffer->elements = span(&buffer->whole);
	if (buffer->elements < 0)
		return bw_fail(error, BW_ERROR_INPUT, "a buffer is empty or does not fit Halide's 32-bit indices");
	size_t size = (size_t)bw_round_up(buffer->elements * bytes + 2 * MARGIN, ALIGNMENT);
	buffer->memory = aligned_alloc(ALIGNMENT, size);
	if (!buffer->memory)
		return bw_fail(error, BW_ERROR_FAILED, "no memory for a buffer of %zu bytes", size);
	buffer->whole.host = buffer->memory + MARGIN;
	int64_t corner[BW_BUFFER_DIMS];
	bw_rows_first(&buffer->view, corner);
	buffer->view.host = bw_rows_address(&buffer->whole, corner);
	return true;
}

void bw_buffer_free(struct bw_buffer *buffer)
{
	free(buffer->memory);
	buffer->memory = NULL;
}

/* Returns the random bits of a point. row: bits from the seed, the name and the outer coordinates; x: the
 * first coordinate. Each step is a bijection that mixes well (the finalizer of SplitMix64). */
static uint64_t point_bits(uint64_t row, int64_t x)
{
	uint64_t z = row + (uint64_t)x * 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Writes an element with a value from random bits. PROTOCOL lists the range of values per type. */
static void set_element(uint8_t *at, struct bw_halide_type type, uint64_t bits)
{
	uint16_t upper = (uint16_t)(bits >> 48);
	if (type.code == BW_HALIDE_FLOAT && type.bits == 64) {
		double value = (double)(bits >> 11) * 0x1p-53;
		memcpy(at, &value, sizeof value);
	} else if (type.code == BW_HALIDE_FLOAT && type.bits == 32) {
		float value = (float)(bits >> 40) * 0x1p-24f;
		memcpy(at, &value, sizeof value);
	} else if (type.code == BW_HALIDE_FLOAT) {
		uint16_t half = upper % 0x3c00;
		memcpy(at, &half, sizeof half);
	} else if (type.code == BW_HALIDE_BFLOAT) {
		uint16_t half = upper % 0x3f80;
		memcpy(at, &half, sizeof half);
	} else if (type.bits == 1) {
		*at = bits >> 63;
	} else if (type.bits <= 16) {
		memcpy(at, &upper, (size_t)bw_halide_bytes(type));
	} else {
		int64_t value = type.code == BW_HALIDE_INT ? (int16_t)upper : upper;
		memcpy(at, &value, (size_t)bw_halide_bytes(type));
	}
}

void bw_buffer_fill(struct bw_buffer *buffer, uint64_t seed, const char *name)
{
	const struct bw_halide_buffer *view = &buffer->view;
	int64_t point[BW_BUFFER_DIMS], step = bw_rows_stride(view) * bw_halide_bytes(view->type);
	uint64_t argument = bw_hash_string(seed, name);
	bw_rows_first(view, point);
	do {
		uint64_t row =
		    bw_hash_bytes(argument, point + 1,
				  view->dimensions > 1 ? (size_t)(view->dimensions - 1) * sizeof *point : 0);
		uint8_t *at = bw_rows_address(view, point);
		int64_t min = view->dimensions ? view->dim[0].min : 0, length = bw_rows_length(view);
		for (int64_t x = 0; x < length; x++, at += step)
			set_element(at, view->type, point_bits(row, min + x));
	} while (bw_rows_next(view, point));
}

void bw_buffer_copy(const struct bw_halide_buffer *to, const struct bw_halide_buffer *from)
{
	int64_t point[BW_BUFFER_DIMS], bytes = bw_halide_bytes(to->type), step_to = bw_rows_stride(to) * bytes,
				       step_from = bw_rows_stride(from) * bytes;
	bw_rows_first(to, point);
	do {
		uint8_t *a = bw_rows_address(to, point);
		const uint8_t *b = bw_rows_address(from, point);
		for (int64_t x = 0; x < bw_rows_length(to); x++, a += step_to, b += step_from)
			memcpy(a, b, (size_t)bytes);
	} while (bw_rows_next(to, point));
}

void bw_buffer_poison(struct bw_buffer *buffer, uint8_t poison)
{
	memset(buffer->memory, poison, (size_t)(buffer->elements * bw_halide_bytes(buffer->view.type) + 2 * MARGIN));
}

/* Returns the index of the first of `length` bytes that is not poison. Returns length if all are poison. */
static int64_t first_written(const uint8_t *bytes, int64_t length, uint8_t poison)
{
	if (length == 0 || (bytes[0] == poison && memcmp(bytes, bytes + 1, (size_t)length - 1) == 0))
		return length;
	int64_t k = 0;
	while (bytes[k] == poison)
		k++;
	return k;
}

/* Returns true if the row of whole at `point` was not written outside view. Otherwise returns false and sets
 * the first coordinate of the point that was written. */
static bool row_guarded(const struct bw_buffer *buffer, uint8_t poison, int64_t *point)
{
	const struct bw_halide_dim *whole = buffer->whole_dim, *view = buffer->view_dim;
	int64_t bytes = bw_halide_bytes(buffer->view.type), left = view[0].min - whole[0].min,
		right = whole[0].extent - left - view[0].extent;
	for (int d = 1; d < buffer->view.dimensions; d++)
		if (point[d] < view[d].min || point[d] >= (int64_t)view[d].min + view[d].extent) {
			left = whole[0].extent;
			right = 0;
		}
	const uint8_t *row = bw_rows_address(&buffer->whole, point);
	int64_t written = first_written(row, left * bytes, poison) / bytes;
	if (written < left) {
		point[0] = whole[0].min + written;
		return false;
	}
	int64_t start = whole[0].extent - right;
	written = first_written(row + start * bytes, right * bytes, poison) / bytes;
	point[0] = whole[0].min + start + written;
	return written == right;
}

bool bw_buffer_guarded(const struct bw_buffer *buffer, uint8_t poison, int64_t *point)
{
	int64_t bytes = buffer->elements * bw_halide_bytes(buffer->view.type);
	bw_rows_first(&buffer->whole, point);
	if (first_written(buffer->memory, MARGIN, poison) < MARGIN ||
	    first_written(buffer->whole.host + bytes, MARGIN, poison) < MARGIN)
		return false;
	if (buffer->whole.host == buffer->view.host)
		return true;
	do {
		int64_t row[BW_BUFFER_DIMS];
		memcpy(row, point, sizeof row);
		row[0] = buffer->whole_dim[0].min;
		if (!row_guarded(buffer, poison, row)) {
			memcpy(point, row, sizeof row);
			return false;
		}
	} while (bw_rows_next(&buffer->whole, point));
	return true;
}
