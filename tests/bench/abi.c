/* src/bench/halide_abi.h against the HalideRuntime.h that is installed: sizes, the place of every field, every code. */
#include <HalideRuntime.h>

#include "../core/test.h"
#include "bench/halide_abi.h"

#define SAME_SIZE(theirs, ours) assert_int_equal(sizeof(theirs), sizeof(ours))
#define SAME(theirs, ours, field) \
	do { \
		assert_int_equal(offsetof(theirs, field), offsetof(ours, field)); \
		assert_int_equal(sizeof(((theirs *)0)->field), sizeof(((ours *)0)->field)); \
	} while (0)

static void types_and_dimensions(void **state)
{
	SAME_SIZE(struct halide_type_t, struct bw_halide_type);
	SAME(struct halide_type_t, struct bw_halide_type, code);
	SAME(struct halide_type_t, struct bw_halide_type, bits);
	SAME(struct halide_type_t, struct bw_halide_type, lanes);
	SAME_SIZE(halide_dimension_t, struct bw_halide_dim);
	SAME(halide_dimension_t, struct bw_halide_dim, min);
	SAME(halide_dimension_t, struct bw_halide_dim, extent);
	SAME(halide_dimension_t, struct bw_halide_dim, stride);
	SAME(halide_dimension_t, struct bw_halide_dim, flags);
}

static void buffers(void **state)
{
	SAME_SIZE(halide_buffer_t, struct bw_halide_buffer);
	SAME(halide_buffer_t, struct bw_halide_buffer, device);
	SAME(halide_buffer_t, struct bw_halide_buffer, device_interface);
	SAME(halide_buffer_t, struct bw_halide_buffer, host);
	SAME(halide_buffer_t, struct bw_halide_buffer, flags);
	SAME(halide_buffer_t, struct bw_halide_buffer, type);
	SAME(halide_buffer_t, struct bw_halide_buffer, dimensions);
	SAME(halide_buffer_t, struct bw_halide_buffer, dim);
	SAME(halide_buffer_t, struct bw_halide_buffer, padding);
}

static void arguments_and_metadata(void **state)
{
	typedef struct halide_filter_argument_t argument;
	typedef struct halide_filter_metadata_t metadata;
	SAME_SIZE(argument, struct bw_halide_argument);
	SAME(argument, struct bw_halide_argument, name);
	SAME(argument, struct bw_halide_argument, kind);
	SAME(argument, struct bw_halide_argument, dimensions);
	SAME(argument, struct bw_halide_argument, type);
	SAME(argument, struct bw_halide_argument, scalar_def);
	SAME(argument, struct bw_halide_argument, scalar_min);
	SAME(argument, struct bw_halide_argument, scalar_max);
	SAME(argument, struct bw_halide_argument, scalar_estimate);
	SAME(argument, struct bw_halide_argument, buffer_estimates);
	SAME_SIZE(metadata, struct bw_halide_metadata);
	SAME(metadata, struct bw_halide_metadata, version);
	SAME(metadata, struct bw_halide_metadata, num_arguments);
	SAME(metadata, struct bw_halide_metadata, arguments);
	SAME(metadata, struct bw_halide_metadata, target);
	SAME(metadata, struct bw_halide_metadata, name);
}

static void codes(void **state)
{
	assert_int_equal(halide_type_int, BW_HALIDE_INT);
	assert_int_equal(halide_type_uint, BW_HALIDE_UINT);
	assert_int_equal(halide_type_float, BW_HALIDE_FLOAT);
	assert_int_equal(halide_type_handle, BW_HALIDE_HANDLE);
	assert_int_equal(halide_type_bfloat, BW_HALIDE_BFLOAT);
	assert_int_equal(halide_buffer_flag_host_dirty, BW_HALIDE_HOST_DIRTY);
	assert_int_equal(halide_buffer_flag_device_dirty, BW_HALIDE_DEVICE_DIRTY);
	assert_int_equal(halide_argument_kind_input_scalar, BW_HALIDE_INPUT_SCALAR);
	assert_int_equal(halide_argument_kind_input_buffer, BW_HALIDE_INPUT_BUFFER);
	assert_int_equal(halide_argument_kind_output_buffer, BW_HALIDE_OUTPUT_BUFFER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(types_and_dimensions), cmocka_unit_test(buffers), cmocka_unit_test(arguments_and_metadata), cmocka_unit_test(codes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
