/* The worker's parts that need no filter: layouts, contents of inputs, room around outputs, comparison point by point, statistics of times. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../core/test.h"
#include "bench/rows.h"
#include "bench/worker.h"

static const struct bw_halide_type int8 = {BW_HALIDE_INT, 8, 1}, uint8 = {BW_HALIDE_UINT, 8, 1}, boolean = {BW_HALIDE_UINT, 1, 1}, int16 = {BW_HALIDE_INT, 16, 1},
	int32 = {BW_HALIDE_INT, 32, 1}, uint32 = {BW_HALIDE_UINT, 32, 1}, int64 = {BW_HALIDE_INT, 64, 1}, half = {BW_HALIDE_FLOAT, 16, 1}, bfloat = {BW_HALIDE_BFLOAT, 16, 1},
	single = {BW_HALIDE_FLOAT, 32, 1}, twofold = {BW_HALIDE_FLOAT, 64, 1};

static void strides(void **state)
{
	static const struct {
		struct bw_halide_dim dim[3];
		bool fixed[3];
		int32_t expected[3];
	} cases[] = {
		{{{0, 5, 0, 0}, {0, 4, 0, 0}, {0, 3, 0, 0}}, {false, false, false}, {1, 5, 20}},
		{{{0, 5, 3, 0}, {0, 4, 0, 0}, {0, 3, 1, 0}}, {true, false, true}, {3, 15, 1}},
		{{{0, 5, 8, 0}, {0, 4, 1, 0}, {0, 3, 0, 0}}, {true, true, false}, {8, 1, 40}},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_halide_dim dim[3];
		memcpy(dim, cases[k].dim, sizeof dim);
		bw_strides_lay(dim, 3, cases[k].fixed);
		for (int d = 0; d < 3; d++)
			assert_int_equal(dim[d].stride, cases[k].expected[d]);
	}
}

static void make(struct bw_buffer *buffer, struct bw_halide_type type, struct bw_halide_dim *dim, int n, bool guarded)
{
	static const bool free_strides[3];
	struct bw_error error = {0};
	bw_strides_lay(dim, n, free_strides);
	struct bw_halide_buffer shape = {.type = type, .dimensions = n, .dim = dim};
	if (!bw_buffer_make(buffer, &shape, guarded, &error))
		fail_msg("%s", error.text);
}

/* Any byte written between the rows, before the first and after the last is found, and none inside. */
static void guards(void **state)
{
	struct bw_halide_dim dim[2] = {{2, 5, 0, 0}, {-1, 3, 0, 0}};
	struct bw_buffer buffer;
	int64_t point[BW_BUFFER_DIMS];
	make(&buffer, int32, dim, 2, true);
	assert_int_equal((uintptr_t)buffer.view.host % 128, 0);
	for (int y = -33; y <= 33; y++)
		for (int x = -30; x <= 38; x++) {
			bool inside = x >= 2 && x < 7 && y >= -1 && y < 2;
			bw_buffer_poison(&buffer, 0xc5);
			assert_true(bw_buffer_guarded(&buffer, 0xc5, point));
			int64_t at[2] = {x, y};
			bw_rows_address(&buffer.view, at)[3] = 1;
			assert_int_equal(bw_buffer_guarded(&buffer, 0xc5, point), inside);
			if (!inside) {
				assert_int_equal(point[0], x);
				assert_int_equal(point[1], y);
			}
		}
	bw_buffer_poison(&buffer, 0xc5);
	buffer.whole.host[-1] = 0;
	assert_false(bw_buffer_guarded(&buffer, 0xc5, point));
	bw_buffer_free(&buffer);
}

static void shapes_that_are_refused(void **state)
{
	struct bw_halide_dim empty[1] = {{0, 0, 1, 0}}, huge[2] = {{0, 1 << 20, 1, 0}, {0, 1 << 20, 1 << 20, 0}};
	struct bw_halide_buffer shape = {.type = uint8, .dimensions = 1, .dim = empty};
	struct bw_buffer buffer;
	struct bw_error error = {0};
	assert_false(bw_buffer_make(&buffer, &shape, false, &error));
	shape.dimensions = 2;
	shape.dim = huge;
	assert_false(bw_buffer_make(&buffer, &shape, false, &error));
	assert_int_equal(error.kind, BW_ERROR_INPUT);
}

static void scalars_have_no_dimensions(void **state)
{
	struct bw_buffer buffer;
	struct bw_comparison comparison = {0};
	struct bw_halide_dim none[1] = {{0}};
	make(&buffer, int32, none, 0, false);
	bw_buffer_fill(&buffer, 1, "in");
	bw_compare("out", &buffer.view, &buffer.view, &(struct bw_bound_of_error){0}, &comparison);
	assert_false(comparison.differs);
	assert_int_equal(buffer.elements, 1);
	bw_buffer_free(&buffer);
}

/* The value of a point does not depend on the box around it; seed, name and every coordinate change it. */
static void contents(void **state)
{
	struct bw_halide_dim small[3] = {{0, 4, 0, 0}, {0, 3, 0, 0}, {5, 2, 0, 0}}, large[3] = {{-7, 40, 0, 0}, {-2, 9, 0, 0}, {4, 5, 0, 0}};
	struct bw_buffer a, b;
	make(&a, int64, small, 3, false);
	make(&b, int64, large, 3, false);
	bw_buffer_fill(&a, 9, "in");
	bw_buffer_fill(&b, 9, "in");
	int64_t point[3];
	bw_rows_first(&a.view, point);
	do
		assert_memory_equal(bw_rows_address(&a.view, point), bw_rows_address(&b.view, point), 4 * 8);
	while (bw_rows_next(&a.view, point));
	int64_t first = *(int64_t *)a.view.host;
	assert_int_not_equal(first, *(int64_t *)bw_rows_address(&a.view, (int64_t[]){1, 0, 5}));
	assert_int_not_equal(first, *(int64_t *)bw_rows_address(&a.view, (int64_t[]){0, 1, 5}));
	assert_int_not_equal(first, *(int64_t *)bw_rows_address(&a.view, (int64_t[]){0, 0, 6}));
	bw_buffer_fill(&a, 9, "other");
	assert_int_not_equal(first, *(int64_t *)a.view.host);
	bw_buffer_fill(&a, 10, "in");
	assert_int_not_equal(first, *(int64_t *)a.view.host);
	bw_buffer_free(&a);
	bw_buffer_free(&b);
}

/* Every type stays in the range that PROTOCOL gives and comes near both its ends over 4096 points. */
static void ranges(void **state)
{
	const struct {
		struct bw_halide_type type;
		double low, high, near;
	} cases[] = {{boolean, 0, 1, 0}, {uint8, 0, 255, 0}, {int8, -128, 127, 0}, {int16, -32768, 32767, 200}, {int32, -32768, 32767, 200}, {uint32, 0, 65535, 200}, {int64, -32768, 32767, 200}, {single, 0, 1, 0.01}, {twofold, 0, 1, 0.01}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_halide_dim dim[1] = {{0, 4096, 0, 0}};
		struct bw_buffer buffer;
		double low = DBL_MAX, high = -DBL_MAX;
		make(&buffer, cases[k].type, dim, 1, false);
		bw_buffer_fill(&buffer, 5, "in");
		for (int x = 0; x < 4096; x++) {
			const void *at = buffer.view.host + x * bw_halide_bytes(cases[k].type);
			double value = cases[k].type.code == BW_HALIDE_FLOAT ? (cases[k].type.bits == 64 ? *(const double *)at : (double)*(const float *)at)
			             : cases[k].type.bits <= 8 ? (cases[k].type.code == BW_HALIDE_INT ? *(const int8_t *)at : *(const uint8_t *)at)
			             : cases[k].type.bits == 16 ? *(const int16_t *)at
			             : cases[k].type.bits == 32 ? *(const int32_t *)at
			                                        : (double)*(const int64_t *)at;
			low = fmin(low, value);
			high = fmax(high, value);
		}
		assert_true(low >= cases[k].low && low <= cases[k].low + cases[k].near);
		assert_true(high <= cases[k].high && high >= cases[k].high - cases[k].near);
		bw_buffer_free(&buffer);
	}
}

static void comparisons(void **state)
{
	static const float nan_value = NAN, infinite = INFINITY;
	const struct {
		struct bw_halide_type type;
		const void *a, *b;
		double absolute, relative;
		double worst; /* by hand; -1: equal */
		const char *where;
	} cases[] = {
		{int32, (int32_t[]){-5}, (int32_t[]){-5}, 0, 0, -1, ""},
		{int32, (int32_t[]){-5}, (int32_t[]){-6}, 0.5, 10, INFINITY, "out(0) is -5, not -6"},
		{int32, (int32_t[]){-5}, (int32_t[]){3}, 16, 10, 0.5, "out(0) is -5, not 3"},
		{uint8, (uint8_t[]){200}, (uint8_t[]){203}, 1, 9, 3, "out(0) is 200, not 203"},
		{uint8, (uint8_t[]){200}, (uint8_t[]){201}, 0, 0, INFINITY, "out(0) is 200, not 201"},
		{int8, (int8_t[]){-1}, (int8_t[]){1}, 0, 0, INFINITY, "out(0) is -1, not 1"},
		{single, (float[]){1.5f}, (float[]){1}, 1, 0, 0.5, "out(0) is 1.5, not 1"},
		{single, (float[]){3}, (float[]){1}, 1, 0, 2, "out(0) is 3, not 1"},
		{single, (float[]){-3}, (float[]){-2}, 1, 0.5, 0.5, "out(0) is -3, not -2"},
		{single, (float[]){-0.0f}, (float[]){0}, 0, 0, -1, ""},
		{single, (float[]){1}, (float[]){2}, 0, 0, INFINITY, "out(0) is 1, not 2"},
		{single, &nan_value, &nan_value, 0, 0, -1, ""},
		{single, &infinite, &infinite, 0, 0, -1, ""},
		{single, &nan_value, (float[]){1}, 9, 9, INFINITY, "out(0) is nan, not 1"},
		{single, (float[]){1}, &infinite, 9, 9, INFINITY, "out(0) is 1, not inf"},
		{twofold, (double[]){1.25}, (double[]){1}, 0.125, 0, 2, "out(0) is 1.25, not 1"},
		{half, (uint16_t[]){0x3e00}, (uint16_t[]){0x3c00}, 1, 0, 0.5, "out(0) is 1.5, not 1"},
		{half, (uint16_t[]){0x8001}, (uint16_t[]){0x0000}, 1, 0, 0x1p-24, "out(0) is -5.96046448e-08, not 0"},
		{bfloat, (uint16_t[]){0x4040}, (uint16_t[]){0x3f80}, 1, 0, 2, "out(0) is 3, not 1"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_halide_dim dim[1] = {{0, 1, 1, 0}};
		struct bw_halide_buffer a = {.host = (uint8_t *)cases[k].a, .type = cases[k].type, .dimensions = 1, .dim = dim}, b = a;
		struct bw_comparison got = {0};
		b.host = (uint8_t *)cases[k].b;
		bw_compare("out", &a, &b, &(struct bw_bound_of_error){.absolute = cases[k].absolute, .relative = cases[k].relative}, &got);
		if (got.differs != (cases[k].worst >= 0) || got.worst != fmax(cases[k].worst, 0) || got.mismatches != (cases[k].worst > 1) || strcmp(got.where, cases[k].where) != 0)
			fail_msg("case %zu: worst %g, %d mismatches, '%s'", k, got.worst, (int)got.mismatches, got.where);
	}
}

/* The default bound is by the epsilon of the type: 2^-10 of a half, 2^-7 of a bfloat. By hand: one last bit of 1.5 is allowed, nine are not. Steps: 4 epsilons
 * of the largest value; of integers 1, or 1/64 of the largest. */
static void bounds_and_steps_by_type(void **state)
{
	const struct {
		struct bw_halide_type type;
		const void *a, *b; /* 2 elements */
		int mismatches;
		double steps, integers;
	} cases[] = {
		{half, (uint16_t[]){0x3e01, 0x4000}, (uint16_t[]){0x3e00, 0x4000}, 0, 0.125, 0},
		{half, (uint16_t[]){0x3e09, 0x4000}, (uint16_t[]){0x3e00, 0x4000}, 1, 1.125, 0},
		{bfloat, (uint16_t[]){0x3fc1, 0x4000}, (uint16_t[]){0x3fc0, 0x4000}, 0, 0.125, 0},
		{single, (float[]){1.5f + 0x1p-20f, 2}, (float[]){1.5f, 2}, 0, 1, 0},
		{single, (float[]){1.5f + 0x1p-10f, 2}, (float[]){1.5f, 2}, 1, 1024, 0},
		{uint8, (uint8_t[]){101, 200}, (uint8_t[]){100, 200}, 1, 1, 0.5},
		{uint8, (uint8_t[]){3, 3}, (uint8_t[]){2, 4}, 2, 16, 1},
		{boolean, (uint8_t[]){1, 1}, (uint8_t[]){0, 1}, 1, 64, 0.5},
		{int64, (int64_t[]){1, 2}, (int64_t[]){2, 2}, 1, INFINITY, 0.5},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_halide_dim dim[1] = {{0, 2, 1, 0}};
		struct bw_halide_buffer a = {.host = (uint8_t *)cases[k].a, .type = cases[k].type, .dimensions = 1, .dim = dim}, b = a;
		struct bw_comparison got = {0};
		b.host = (uint8_t *)cases[k].b;
		bw_compare("out", &a, &b, &BW_BOUND_DEFAULT, &got);
		if (got.mismatches != cases[k].mismatches || got.steps != cases[k].steps || got.integers != cases[k].integers)
			fail_msg("case %zu: %d mismatches, %g steps, %g of integers", k, (int)got.mismatches, got.steps, got.integers);
	}
}

/* The worst of several points is told with its own coordinates, and layouts may differ. */
static void worst_of_many(void **state)
{
	struct bw_halide_dim rows[2] = {{10, 2, 1, 0}, {20, 3, 2, 0}}, columns[2] = {{10, 2, 3, 0}, {20, 3, 1, 0}};
	float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 3, 5, 2, 4, 6};
	struct bw_halide_buffer x = {.host = (uint8_t *)a, .type = single, .dimensions = 2, .dim = rows}, y = {.host = (uint8_t *)b, .type = single, .dimensions = 2, .dim = columns};
	struct bw_comparison got = {0};
	bw_compare("out", &x, &y, &(struct bw_bound_of_error){.absolute = 1}, &got);
	assert_false(got.differs);
	a[2] = 3.5f;
	a[5] = 9;
	bw_compare("out", &x, &y, &(struct bw_bound_of_error){.absolute = 1}, &got);
	assert_int_equal(got.mismatches, 1);
	assert_true(got.worst == 3);
	assert_string_equal(got.where, "out(11,22) is 9, not 6");
	/* Of whole numbers that must be equal, the one that is farthest off. */
	int32_t c[6] = {1, 2, 3, 4, 5, 6}, d[6] = {1, 2, 4, 4, 15, 7};
	struct bw_halide_buffer u = {.host = (uint8_t *)c, .type = int32, .dimensions = 2, .dim = rows}, v = {.host = (uint8_t *)d, .type = int32, .dimensions = 2, .dim = rows};
	got = (struct bw_comparison){0};
	bw_compare("out", &u, &v, &(struct bw_bound_of_error){0}, &got);
	assert_int_equal(got.mismatches, 3);
	assert_string_equal(got.where, "out(10,22) is 5, not 15");
	assert_string_equal(got.region, "out[10..11, 21..22]");
}

static void statistics(void **state)
{
	static const struct {
		int n;
		double ms[5], minimum, median, spread;
	} cases[] = {
		{1, {4}, 4, 4, 0},
		{2, {3, 1}, 1, 2, 0.25},       /* quartiles 1.5 and 2.5 */
		{5, {5, 1, 4, 2, 3}, 1, 3, 1.0 / 3}, /* quartiles 2 and 4 */
		{4, {10, 10, 10, 30}, 10, 10, 0.25}, /* quartiles 10 and 15 */
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		double ms[5];
		memcpy(ms, cases[k].ms, sizeof ms);
		struct bw_timing got = bw_timing_of(ms, cases[k].n);
		assert_int_equal(got.runs, cases[k].n);
		assert_true(got.minimum == cases[k].minimum && got.median == cases[k].median && fabs(got.spread - cases[k].spread) < 1e-12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strides), cmocka_unit_test(guards), cmocka_unit_test(shapes_that_are_refused), cmocka_unit_test(scalars_have_no_dimensions), cmocka_unit_test(contents),
		cmocka_unit_test(ranges), cmocka_unit_test(comparisons), cmocka_unit_test(bounds_and_steps_by_type), cmocka_unit_test(worst_of_many), cmocka_unit_test(statistics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
