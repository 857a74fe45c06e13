/* Compares an output with the reference's output. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "bench/rows.h"
#include "bench/worker.h"

/* Returns the value of an IEEE half from its 16 bits. */
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

/* Returns the epsilon of a float type: the distance from 1 to the next larger number. */
static double epsilon_of(struct bw_halide_type type)
{
	return type.bits == 64                ? DBL_EPSILON
	       : type.bits == 32              ? FLT_EPSILON
	       : type.code == BW_HALIDE_FLOAT ? 0x1p-10
					      : 0x1p-7;
}

/* Returns the value of an integer of at most 32 bits. */
static double integer_value(const uint8_t *at, struct bw_halide_type type)
{
	int bytes = (int)bw_halide_bytes(type);
	uint64_t bits = 0;
	memcpy(&bits, at, (size_t)bytes);
	return type.code == BW_HALIDE_INT ? (double)((int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes))
					  : (double)bits;
}

/* Returns the error of an integer in units of the bound. Integers may differ (they can be rounded floats) if
 * the absolute bound is at least 1. Otherwise they must be equal. */
static double integer_error(const uint8_t *a, const uint8_t *b, struct bw_halide_type type,
			    const struct bw_bound_of_error *bound)
{
	if (!memcmp(a, b, (size_t)bw_halide_bytes(type)))
		return 0;
	if (bound->absolute < 1 || type.bits > 32)
		return (double)INFINITY;
	return fabs(integer_value(a, type) - integer_value(b, type)) / bound->absolute;
}

/* Returns the error of one point in units of the bound: 0 if equal, above 1 if wrong. */
static double point_error(const uint8_t *a, const uint8_t *b, struct bw_halide_type type,
			  const struct bw_bound_of_error *bound)
{
	if (!is_float(type))
		return integer_error(a, b, type, bound);
	double x = float_value(a, type), y = float_value(b, type);
	if (x == y || (isnan(x) && isnan(y)))
		return 0;
	double allowed = bound->absolute + bound->relative * fabs(y), off = fabs(x - y);
	if (bound->by_type)
		allowed = fmax(allowed, epsilon_of(type) * (1 + 4 * fabs(y)));
	if (!isfinite(x) || !isfinite(y) || !(allowed > 0))
		return (double)INFINITY;
	return off / allowed;
}

/* Prints an element. */
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

/* Describes a point, its value and the reference's value, as in `output(12,5) is 3.5, not 3.25`. */
static void describe(const char *name, const struct bw_halide_buffer *output, const int64_t *point,
		     const uint8_t *a, const uint8_t *b, struct bw_comparison *comparison)
{
	char coordinates[96] = "", mine[32], other[32];
	size_t used = 0;
	for (int d = 0; d < output->dimensions && used < sizeof coordinates; d++)
		used += (size_t)snprintf(coordinates + used, sizeof coordinates - used, "%s%" PRId64,
					 d ? "," : "", point[d]);
	print_value(a, output->type, mine, sizeof mine);
	print_value(b, output->type, other, sizeof other);
	snprintf(comparison->where, sizeof comparison->where, "%.40s(%.50s) is %.24s, not %.24s", name,
		 coordinates, mine, other);
}

/* The smallest box around the mismatches of one output. */
struct region {
	int64_t low[BW_BUFFER_DIMS], high[BW_BUFFER_DIMS];
	bool any;
};

static void add_point(struct region *region, const int64_t *point, int n)
{
	for (int d = 0; d < n; d++) {
		region->low[d] = region->any ? bw_min(region->low[d], point[d]) : point[d];
		region->high[d] = region->any ? bw_max(region->high[d], point[d]) : point[d];
	}
	region->any = true;
}

static void print_region(const char *name, const struct region *region, int n, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%.40s[", name);
	for (int d = 0; d < n && used < size - 48; d++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRId64 "..%" PRId64, d ? ", " : "",
					 region->low[d], region->high[d]);
	snprintf(text + used, size - used, "]");
}

/* Returns |a - b|. Converts 64-bit integers to double first. */
static double distance(const uint8_t *a, const uint8_t *b, struct bw_halide_type type)
{
	double off = is_float(type) ? fabs(float_value(a, type) - float_value(b, type))
				    : fabs(integer_value(a, type) - integer_value(b, type));
	return isfinite(off) ? off : (double)INFINITY;
}

/* State of comparing one output. */
struct comparing {
	const char *name;
	const struct bw_halide_buffer *output, *reference;
	const struct bw_bound_of_error *bound;
	struct bw_comparison *comparison;
	struct region region;
	bool worst;        /* the worst point of all is in this output */
	int64_t differing; /* number of points that are not equal */
	double off;        /* largest |a - b| */
};

static void compare_point(struct comparing *comparing, const int64_t *point, const uint8_t *a,
			  const uint8_t *b)
{
	struct bw_comparison *comparison = comparing->comparison;
	struct bw_halide_type type = comparing->output->type;
	double error = point_error(a, b, type, comparing->bound);
	if (error == 0)
		return;
	comparison->differs = true;
	comparison->differing++;
	comparing->differing++;
	double off = distance(a, b, type);
	comparing->off = fmax(comparing->off, off);
	comparison->largest = fmax(comparison->largest, off);
	if (error > 1) {
		comparison->mismatches++;
		add_point(&comparing->region, point, comparing->output->dimensions);
	}
	if (error < comparison->worst || (error == comparison->worst && off <= comparison->worst_off))
		return;
	comparison->worst = error;
	comparison->worst_off = off;
	comparing->worst = true;
	describe(comparing->name, comparing->output, point, a, b, comparison);
}

static void compare_row(struct comparing *comparing, const int64_t *point)
{
	const struct bw_halide_buffer *output = comparing->output, *reference = comparing->reference;
	int64_t bytes = bw_halide_bytes(output->type), length = bw_rows_length(output);
	int64_t step_a = bw_rows_stride(output) * bytes, step_b = bw_rows_stride(reference) * bytes;
	const uint8_t *a = bw_rows_address(output, point), *b = bw_rows_address(reference, point);
	int64_t here[BW_BUFFER_DIMS];
	comparing->comparison->points += length;
	if (step_a == bytes && step_b == bytes && memcmp(a, b, (size_t)(length * bytes)) == 0)
		return;
	memcpy(here, point, sizeof here);
	for (int64_t x = 0; x < length; x++, a += step_a, b += step_b, here[0]++)
		compare_point(comparing, here, a, b);
}

/* Returns the largest finite |value| of a buffer. */
static double largest_value(const struct bw_halide_buffer *buffer)
{
	int64_t point[BW_BUFFER_DIMS] = {0}, step = bw_rows_stride(buffer) * bw_halide_bytes(buffer->type);
	double largest = 0;
	bw_rows_first(buffer, point);
	do {
		const uint8_t *at = bw_rows_address(buffer, point);
		for (int64_t x = 0; x < bw_rows_length(buffer); x++, at += step) {
			double value = fabs(is_float(buffer->type) ? float_value(at, buffer->type)
								   : integer_value(at, buffer->type));
			if (isfinite(value))
				largest = fmax(largest, value);
		}
	} while (bw_rows_next(buffer, point));
	return largest;
}

/* For an output that differs: notes the largest difference in steps of its type, and for integers the share
 * of points that differ. */
static void note_steps(const struct comparing *comparing, int64_t points)
{
	static const double small = 64;
	struct bw_comparison *comparison = comparing->comparison;
	struct bw_halide_type type = comparing->output->type;
	double largest = largest_value(comparing->reference);
	double step = is_float(type)   ? 4 * epsilon_of(type) * largest
		      : type.bits > 32 ? 0
				       : fmin(1, largest / small);
	comparison->steps = fmax(comparison->steps, step > 0 ? comparing->off / step : (double)INFINITY);
	if (!is_float(type))
		comparison->integers = fmax(comparison->integers, (double)comparing->differing / (double)points);
}

void bw_compare(const char *name, const struct bw_halide_buffer *output,
		const struct bw_halide_buffer *reference, const struct bw_bound_of_error *bound,
		struct bw_comparison *comparison)
{
	struct comparing comparing = {
	    .name = name, .output = output, .reference = reference, .bound = bound, .comparison = comparison};
	int64_t point[BW_BUFFER_DIMS] = {0}, before = comparison->points;
	bw_rows_first(output, point);
	do
		compare_row(&comparing, point);
	while (bw_rows_next(output, point));
	if (comparing.differing)
		note_steps(&comparing, comparison->points - before);
	if (comparing.worst && comparing.region.any)
		print_region(name, &comparing.region, output->dimensions, comparison->region, sizeof comparison->region);
}

void bw_comparison_join(struct bw_comparison *comparison, const struct bw_comparison *other)
{
	struct bw_comparison worse = other->worst > comparison->worst ? *other : *comparison;
	worse.differs = comparison->differs || other->differs;
	worse.outside = comparison->outside || other->outside;
	worse.differing = bw_max(comparison->differing, other->differing);
	worse.points = bw_max(comparison->points, other->points);
	worse.mismatches = bw_max(comparison->mismatches, other->mismatches);
	worse.skipped = fmax(comparison->skipped, other->skipped);
	worse.largest = fmax(comparison->largest, other->largest);
	worse.steps = fmax(comparison->steps, other->steps);
	worse.integers = fmax(comparison->integers, other->integers);
	*comparison = worse;
}

bool bw_comparison_wrong(const struct bw_comparison *comparison, const struct bw_bound_of_error *bound)
{
	return comparison->outside || comparison->mismatches > bound->points;
}
