/* Comparing an output with the reference's. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/rows.h"
#include "bench/worker.h"

/* The number in the 16 bits of an IEEE half. */
static double half_value(uint16_t half)
{
	int exponent = half >> 10 & 31, fraction = half & 1023;
	double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
	             : exponent == 0 ? ldexp(fraction, -24)
	                             : ldexp(1024 + fraction, exponent - 25);
	return half & 0x8000 ? -value : value;
}

static double float_value(const uint8_t *at, struct bw_halide_type type)
{
	float single;
	double value;
	uint16_t half;
	if (type.bits == 64) {
		memcpy(&value, at, sizeof value);
	} else if (type.bits == 32) {
		memcpy(&single, at, sizeof single);
		value = single;
	} else {
		memcpy(&half, at, sizeof half);
		uint32_t upper = (uint32_t)half << 16;
		memcpy(&single, &upper, sizeof single);
		value = type.code == BW_HALIDE_BFLOAT ? single : half_value(half);
	}
	return value;
}

static bool is_float(struct bw_halide_type type)
{
	return type.code == BW_HALIDE_FLOAT || type.code == BW_HALIDE_BFLOAT;
}

/* The value of an integer of 32 bits at most. */
static double integer_value(const uint8_t *at, struct bw_halide_type type)
{
	int bytes = (int)bw_halide_bytes(type);
	uint64_t bits = 0;
	memcpy(&bits, at, (size_t)bytes);
	return type.code == BW_HALIDE_INT ? (double)((int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes)) : (double)bits;
}

/* Integers rounded from floats may be off by the bound where that is whole units; otherwise they are equal or wrong. */
static double integer_error(const uint8_t *a, const uint8_t *b, struct bw_halide_type type, const struct bw_bound_of_error *bound)
{
	if (!memcmp(a, b, (size_t)bw_halide_bytes(type)))
		return 0;
	if (bound->absolute < 1 || type.bits > 32)
		return (double)INFINITY;
	return fabs(integer_value(a, type) - integer_value(b, type)) / bound->absolute;
}

/* The error of one point in units of the bound: 0 where equal, above 1 where wrong. */
static double point_error(const uint8_t *a, const uint8_t *b, struct bw_halide_type type, const struct bw_bound_of_error *bound)
{
	if (!is_float(type))
		return integer_error(a, b, type, bound);
	double x = float_value(a, type), y = float_value(b, type);
	if (x == y || (isnan(x) && isnan(y)))
		return 0;
	double allowed = bound->absolute + bound->relative * fabs(y), off = fabs(x - y);
	if (!isfinite(x) || !isfinite(y) || !(allowed > 0))
		return (double)INFINITY;
	return off / allowed;
}

/* An element as text. */
static void print_value(const uint8_t *at, struct bw_halide_type type, char *text, size_t size)
{
	int bytes = (int)bw_halide_bytes(type);
	uint64_t bits = 0;
	memcpy(&bits, at, (size_t)bytes);
	if (is_float(type))
		snprintf(text, size, "%.9g", float_value(at, type));
	else if (type.code == BW_HALIDE_INT)
		snprintf(text, size, "%" PRId64, (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
	else
		snprintf(text, size, "%" PRIu64, bits);
}

/* The point, its value and what the reference has there, as in `output(12,5) is 3.5, not 3.25`. */
static void describe(const char *name, const struct bw_halide_buffer *output, const int64_t *point, const uint8_t *a, const uint8_t *b, struct bw_comparison *comparison)
{
	char coordinates[96] = "", mine[32], other[32];
	size_t used = 0;
	for (int d = 0; d < output->dimensions && used < sizeof coordinates; d++)
		used += (size_t)snprintf(coordinates + used, sizeof coordinates - used, "%s%" PRId64, d ? "," : "", point[d]);
	print_value(a, output->type, mine, sizeof mine);
	print_value(b, output->type, other, sizeof other);
	snprintf(comparison->where, sizeof comparison->where, "%.40s(%.50s) is %.24s, not %.24s", name, coordinates, mine, other);
}

static void compare_row(const char *name, const struct bw_halide_buffer *output, const struct bw_halide_buffer *reference, int64_t *point, const struct bw_bound_of_error *bound, struct bw_comparison *comparison)
{
	int64_t bytes = bw_halide_bytes(output->type), length = bw_rows_length(output);
	int64_t step_a = bw_rows_stride(output) * bytes, step_b = bw_rows_stride(reference) * bytes;
	const uint8_t *a = bw_rows_address(output, point), *b = bw_rows_address(reference, point);
	if (step_a == bytes && step_b == bytes && memcmp(a, b, (size_t)(length * bytes)) == 0)
		return;
	for (int64_t x = 0; x < length; x++, a += step_a, b += step_b) {
		double error = point_error(a, b, output->type, bound);
		if (error == 0)
			continue;
		comparison->differs = true;
		comparison->mismatches += error > 1;
		if (error <= comparison->worst)
			continue;
		comparison->worst = error;
		int64_t here[BW_BUFFER_DIMS];
		memcpy(here, point, sizeof here);
		here[0] += x;
		describe(name, output, here, a, b, comparison);
	}
}

void bw_compare(const char *name, const struct bw_halide_buffer *output, const struct bw_halide_buffer *reference, const struct bw_bound_of_error *bound, struct bw_comparison *comparison)
{
	int64_t point[BW_BUFFER_DIMS] = {0};
	bw_rows_first(output, point);
	do
		compare_row(name, output, reference, point, bound, comparison);
	while (bw_rows_next(output, point));
}
