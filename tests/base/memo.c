/* The memo: what it keeps and evicts, that its bytes stay within the limit, and that a value stays for as long as somebody refers to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/memo.h"

/* Kinds of values. */
enum { ONE, OTHER };

/* A value with a number in it that takes so many bytes, or says so. */
struct numbered {
	struct bw_memo_value head;
	int number;
};

static void release(struct bw_memo_value *value)
{
	free(value);
}

static struct numbered *numbered(int number, size_t bytes)
{
	struct numbered *value = BW_NEW(struct numbered);
	*value = (struct numbered){{.references = 1, .bytes = bytes, .release = release}, number};
	return value;
}

static void put(struct bw_memo *memo, uint64_t key, int number, size_t bytes)
{
	bw_memo_value_drop(bw_memo_put(memo, ONE, key, &numbered(number, bytes)->head));
}

/* The number of a value, -1: none. */
static int number_of(const struct bw_memo_value *value)
{
	return value ? ((const struct numbered *)value)->number : -1;
}

/* The number of the value under a key. */
static int get(struct bw_memo *memo, uint64_t key)
{
	struct bw_memo_value *value = bw_memo_get(memo, ONE, key);
	int number = number_of(value);
	bw_memo_value_drop(value);
	return number;
}

static void the_least_recently_used_is_given_up(void **state)
{
	(void)state;
	/* Three of a thousand bytes fit, with the 120 or so that each takes beside, and a fourth does not. */
	struct bw_memo *memo = bw_memo_new(4000);
	for (int i = 0; i < 3; i++)
		put(memo, (uint64_t)i, i, 1000);
	assert_int_equal(get(memo, 0), 0);
	put(memo, 3, 3, 1000);
	assert_int_equal(get(memo, 0), 0);
	assert_int_equal(get(memo, 1), -1);
	assert_int_equal(get(memo, 2), 2);
	assert_int_equal(get(memo, 3), 3);
	/* The other kind has keys of its own. */
	assert_null(bw_memo_get(memo, OTHER, 3));
	/* Another value takes the place of the first; nothing goes for it. */
	put(memo, 3, 33, 1000);
	assert_int_equal(get(memo, 3), 33);
	assert_int_equal(get(memo, 2), 2);
	/* What does not fit at all is not kept, and takes nothing else's place. */
	put(memo, 4, 4, 4000);
	assert_int_equal(get(memo, 4), -1);
	assert_int_equal(get(memo, 0), 0);
	struct bw_memo_counts counts = bw_memo_counts(memo);
	assert_int_equal(counts.kinds[ONE].evictions, 1);
	assert_int_equal(counts.kinds[ONE].hits, 7);
	assert_int_equal(counts.kinds[ONE].misses, 2);
	assert_int_equal(counts.kinds[OTHER].misses, 1);
	assert_int_equal(counts.limit_bytes, 4000);
	assert_in_range(counts.bytes, 3000, 4000);
	assert_in_range(counts.peak_bytes, counts.bytes, 4000);
	bw_memo_drop(memo);
	assert_null(bw_memo_new(0));
	assert_int_equal(bw_memo_counts(NULL).peak_bytes, 0);
}

/* Values that were released so far. */
static int released;

static void release_and_count(struct bw_memo_value *value)
{
	released++;
	free(value);
}

static struct bw_memo_value *put_counted(struct bw_memo *memo, uint64_t key, int number, size_t bytes)
{
	struct numbered *value = numbered(number, bytes);
	value->head.release = release_and_count;
	return bw_memo_put(memo, ONE, key, &value->head);
}

/* A value that is evicted, replaced or never kept stays for as long as somebody refers to it, and is released once. */
static void a_value_stays_while_it_is_held(void **state)
{
	(void)state;
	released = 0;
	struct bw_memo *memo = bw_memo_new(2000); /* has room for one */
	bw_memo_value_drop(put_counted(memo, 1, 1, 1000));
	struct bw_memo_value *first = bw_memo_get(memo, ONE, 1), *second = put_counted(memo, 2, 2, 1000),
			     *replaced = bw_memo_get(memo, ONE, 2), *large = put_counted(memo, 3, 3, 3000);
	assert_ptr_equal(second, replaced);
	assert_int_equal(get(memo, 1), -1);
	bw_memo_value_drop(put_counted(memo, 2, 22, 1000));
	assert_int_equal(get(memo, 2), 22);
	assert_int_equal(get(memo, 3), -1);
	assert_int_equal(number_of(first), 1);
	assert_int_equal(number_of(second), 2);
	assert_int_equal(number_of(large), 3);
	bw_memo_value_drop(second);
	assert_int_equal(released, 0);
	bw_memo_value_drop(bw_memo_value_keep(first));
	bw_memo_value_drop(replaced);
	bw_memo_value_drop(large);
	assert_int_equal(released, 2);
	struct bw_memo *same = bw_memo_keep(memo);
	bw_memo_drop(memo);
	assert_int_equal(released, 2);
	bw_memo_drop(same);
	assert_int_equal(released, 3);
	bw_memo_value_drop(first);
	assert_int_equal(released, 4);
	/* Without a memo the value is the caller's own. */
	assert_null(bw_memo_get(NULL, ONE, 1));
	bw_memo_value_drop(put_counted(NULL, 1, 1, 1000));
	assert_int_equal(released, 5);
	bw_memo_value_drop(NULL);
	assert_null(bw_memo_value_keep(NULL));
}

/* With room for some eighty of two hundred keys that come again in changing order, each value is found under its own key, and each look-up is counted
 * once: places that are freed hide no value behind them. */
static void values_are_found_among_evictions(void **state)
{
	(void)state;
	enum { KEYS = 200, LOOKS = 40000 };
	struct bw_memo *memo = bw_memo_new(80 * 164);
	uint64_t keys[KEYS];
	for (int k = 0; k < KEYS; k++)
		keys[k] = (uint64_t)k % 7 << 40 | (uint64_t)(k % 50); /* many share a first place */
	for (int k = 0; k < KEYS; k++)
		keys[k] = keys[k] << 8 | (uint64_t)k / 50;
	for (int look = 0; look < LOOKS; look++) {
		uint64_t seed = (uint64_t)look;
		int k = (int)bw_random_below(bw_random(&seed, 1), KEYS);
		int number = get(memo, keys[k]);
		if (number < 0)
			put(memo, keys[k], k, 100);
		else if (keys[number] != keys[k])
			fail_msg("key %d has the value %d", k, number);
		assert_int_not_equal(get(memo, keys[k]), -1);
	}
	struct bw_memo_counts counts = bw_memo_counts(memo);
	assert_int_equal(counts.kinds[ONE].hits + counts.kinds[ONE].misses, 2 * LOOKS);
	assert_true(counts.kinds[ONE].evictions > LOOKS / 10);
	assert_in_range(counts.peak_bytes, 70 * 164, 80 * 164);
	bw_memo_drop(memo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_recently_used_is_given_up),
		cmocka_unit_test(a_value_stays_while_it_is_held),
		cmocka_unit_test(values_are_found_among_evictions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
