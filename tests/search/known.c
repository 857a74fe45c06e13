/* Costs that a search knows: who looks finds what was added, as far as there was room, whoever added it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pricing/known.h"

enum { MANY = 4000 };

static uint64_t hash_of(long i)
{
	return ((uint64_t)i + 1) * 0x9e3779b97f4a7c15;
}

static double cost_of(long i)
{
	return 0.5 * (double)i;
}

static void finds_what_was_added(void **state)
{
	(void)state;
	struct bw_known *known = bw_known_new();
	double cost = -1;
	bw_known_add(known, hash_of(1), 0.25);
	bw_known_add(known, hash_of(1), 0.75); /* the first one stays: both are the cost of the same state */
	assert_true(bw_known_get(known, hash_of(1), &cost));
	assert_true(cost == 0.25);
	assert_false(bw_known_get(known, hash_of(2), &cost));
	assert_true(cost == 0.25);
	bw_known_free(known);
}

/* They mark places in the table. */
static void hash_0_is_never_known(void **state)
{
	(void)state;
	struct bw_known *known = bw_known_new();
	double cost;
	bw_known_add(known, 0, 1);
	assert_false(bw_known_get(known, 0, &cost));
	bw_known_free(known);
}

static void nothing_is_known_without_a_table(void **state)
{
	(void)state;
	double cost;
	bw_known_add(NULL, hash_of(1), 1);
	bw_known_fetch(NULL, hash_of(1));
	bw_known_make_room(NULL, 10);
	assert_false(bw_known_get(NULL, hash_of(1), &cost));
	bw_known_free(NULL);
}

static void add_many(struct bw_known *known)
{
	for (long i = 0; i < MANY; i++)
		bw_known_add(known, hash_of(i), cost_of(i));
}

static long n_found(const struct bw_known *known)
{
	long n = 0;
	for (long i = 0; i < MANY; i++) {
		double cost;
		bool found = bw_known_get(known, hash_of(i), &cost);
		n += found;
		if (found)
			assert_true(cost == cost_of(i));
	}
	return n;
}

/* What there is no place for is not known, and nothing else suffers; when there is room, all is, and what was known before still is. */
static void makes_room_for_as_many_as_were_missed(void **state)
{
	(void)state;
	struct bw_known *known = bw_known_new();
	add_many(known);
	long first = n_found(known);
	assert_in_range(first, 512, MANY - 1);
	bw_known_make_room(known, MANY);
	assert_int_equal(n_found(known), first);
	add_many(known);
	assert_int_equal(n_found(known), MANY);
	bw_known_free(known);
}

static void knows_no_more_than_it_may(void **state)
{
	(void)state;
	struct bw_known *known = bw_known_new();
	bw_known_make_room(known, BW_MOST_KNOWN - 1);
	add_many(known);
	assert_int_equal(n_found(known), MANY);
	bw_known_make_room(known, 1);
	double cost;
	bw_known_add(known, hash_of(MANY), 1);
	assert_false(bw_known_get(known, hash_of(MANY), &cost));
	bw_known_free(known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_added),
		cmocka_unit_test(hash_0_is_never_known),
		cmocka_unit_test(nothing_is_known_without_a_table),
		cmocka_unit_test(makes_room_for_as_many_as_were_missed),
		cmocka_unit_test(knows_no_more_than_it_may),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
