/* The structs that a compiled Halide filter and its caller share, with the layout of HalideRuntime.h (the
 * same in Halide 14 to 21). They are written out here so that the worker builds and runs without Halide.
 * tests/bench/abi.c compares every field with the real header. */
#pragma once
#include <stdint.h>

/* The codes of struct bw_halide_type. */
enum { BW_HALIDE_INT, BW_HALIDE_UINT, BW_HALIDE_FLOAT, BW_HALIDE_HANDLE, BW_HALIDE_BFLOAT };

/* The type of an element. A 1-bit uint is bool, stored in a byte. */
struct bw_halide_type {
	uint8_t code, bits;
	uint16_t lanes;
};

/* One dimension of a buffer; the stride is in elements. */
struct bw_halide_dim {
	int32_t min, extent, stride;
	uint32_t flags;
};

enum { BW_HALIDE_HOST_DIRTY = 1, BW_HALIDE_DEVICE_DIRTY = 2 };

/* A buffer. host points to the element at the minimum of every dimension. If host and device are both 0, the
 * call is a bounds query: the filter does not run but writes the box that it needs into dim. */
struct bw_halide_buffer {
	uint64_t device;
	const void *device_interface;
	uint8_t *host;
	uint64_t flags;
	struct bw_halide_type type;
	int32_t dimensions;
	struct bw_halide_dim *dim;
	void *padding;
};

enum { BW_HALIDE_INPUT_SCALAR, BW_HALIDE_INPUT_BUFFER, BW_HALIDE_OUTPUT_BUFFER };

/* One argument of a filter. Pointers are NULL for values that the generator does not give. buffer_estimates:
 * minimum and extent of each dimension. */
struct bw_halide_argument {
	const char *name;
	int32_t kind, dimensions;
	struct bw_halide_type type;
	const void *scalar_def, *scalar_min, *scalar_max, *scalar_estimate;
	const int64_t *const *buffer_estimates;
};

/* The metadata that NAME_metadata() returns. */
struct bw_halide_metadata {
	int32_t version, num_arguments;
	const struct bw_halide_argument *arguments;
	const char *target, *name;
};

_Static_assert(sizeof(struct bw_halide_type) == 4, "halide_type_t is 4 bytes");
_Static_assert(sizeof(struct bw_halide_dim) == 16, "halide_dimension_t is 16 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(struct bw_halide_buffer) == 56, "halide_buffer_t is 56 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(struct bw_halide_argument) == 64,
	       "halide_filter_argument_t is 64 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(struct bw_halide_metadata) == 32,
	       "halide_filter_metadata_t is 32 bytes");

/* Returns the bytes of an element. */
static inline int64_t bw_halide_bytes(struct bw_halide_type type)
{
	return (type.bits + 7) / 8;
}
