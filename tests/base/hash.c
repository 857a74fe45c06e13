/* Hashes: stable values, order matters; random numbers that depend on their keys alone and are uniform. */
#include "../core/test.h"
#include "base/arith.h"
#include "base/hash.h"

/* The published value of XXH3_64bits over no bytes with seed 0: cached files must keep their names. */
static void the_empty_hash_is_the_published_one(void **state)
{
	assert_true(bw_hash_bytes(0, "", 0) == UINT64_C(0x2d06800538d394c2));
	assert_true(bw_hash_string(0, "") == UINT64_C(0x2d06800538d394c2));
}

static void a_string_hashes_as_its_bytes(void **state)
{
	assert_true(bw_hash_string(5, "harris") == bw_hash_bytes(5, "harris", 6));
	assert_true(bw_hash_string(5, "harris") != bw_hash_string(6, "harris"));
	assert_true(bw_hash_string(5, "harris") != bw_hash_string(5, "harriS"));
}

static void order_matters(void **state)
{
	assert_true(bw_hash_mix(bw_hash_mix(0, 1), 2) != bw_hash_mix(bw_hash_mix(0, 2), 1));
}

static void random_numbers_depend_on_every_key(void **state)
{
	const uint64_t keys[] = {1, 2, 3}, again[] = {1, 2, 3}, other[] = {1, 2, 4};
	assert_true(bw_random(keys, 3) == bw_random(again, 3));
	assert_true(bw_random(keys, 3) != bw_random(other, 3));
	assert_true(bw_random(keys, 3) != bw_random(keys, 2));
}

/* 70,000 draws below 7: 10,000 each, standard deviation below 93; seven of them are allowed. */
static void draws_below_are_uniform(void **state)
{
	int count[7] = {0};
	for (uint64_t i = 0; i < 70000; i++) {
		const uint64_t keys[] = {42, i};
		uint64_t draw = bw_random_below(bw_random(keys, 2), 7);
		assert_true(draw < 7);
		count[draw]++;
	}
	for (int i = 0; i < 7; i++)
		assert_in_range(count[i], 10000 - 650, 10000 + 650);
	assert_true(bw_random_below(UINT64_MAX, 1) == 0);
	assert_true(bw_random_below(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
}

static void division_rounds_up(void **state)
{
	static const struct {
		int64_t a, b, quotient, multiple;
	} cases[] = {
		{0, 5, 0, 0}, {1, 5, 1, 5}, {5, 5, 1, 5}, {6, 5, 2, 10}, {INT64_MAX, 1, INT64_MAX, INT64_MAX}, {INT64_MAX - 1, 2, INT64_MAX / 2, INT64_MAX - 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(bw_div_up(cases[i].a, cases[i].b) == cases[i].quotient);
		assert_true(bw_round_up(cases[i].a, cases[i].b) == cases[i].multiple);
	}
	assert_true(bw_min(-3, 2) == -3 && bw_max(-3, 2) == 2);
}

static void the_greatest_divisor_is_common(void **state)
{
	static const struct {
		int64_t a, b, divisor;
	} cases[] = {
		{0, 0, 0}, {0, 7, 7}, {7, 0, 7}, {12, 18, 6}, {-12, 18, 6}, {12, -18, 6}, {35, 64, 1}, {INT64_MAX, 1, 1}, {-INT64_MAX, INT64_MAX, INT64_MAX},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(bw_gcd(cases[i].a, cases[i].b) == cases[i].divisor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_empty_hash_is_the_published_one),
		cmocka_unit_test(a_string_hashes_as_its_bytes),
		cmocka_unit_test(order_matters),
		cmocka_unit_test(random_numbers_depend_on_every_key),
		cmocka_unit_test(draws_below_are_uniform),
		cmocka_unit_test(division_rounds_up),
		cmocka_unit_test(the_greatest_divisor_is_common),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
