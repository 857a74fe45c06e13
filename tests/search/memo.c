/* The memo of a search: what it keeps and gives up, that its bytes stay within the limit, and that what it lends stays. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "search/memo.h"

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
	struct bw_memo_reader *reader = bw_memo_enter(memo);
	bw_memo_put(reader, BW_MEMO_KERNELS, key, &numbered(number, bytes)->head);
	bw_memo_leave(reader);
}

/* The number of a value, -1: none. */
static int number_of(const struct bw_memo_value *value)
{
	return value ? ((const struct numbered *)value)->number : -1;
}

/* That under a key. */
static int get(struct bw_memo *memo, uint64_t key)
{
	struct bw_memo_reader *reader = bw_memo_enter(memo);
	int number = number_of(bw_memo_get(reader, BW_MEMO_KERNELS, key));
	bw_memo_leave(reader);
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
	struct bw_memo_reader *reader = bw_memo_enter(memo);
	assert_null(bw_memo_get(reader, BW_MEMO_PLACEMENTS, 3));
	bw_memo_leave(reader);
	/* Another value takes the place of the first; nothing goes for it. */
	put(memo, 3, 33, 1000);
	assert_int_equal(get(memo, 3), 33);
	assert_int_equal(get(memo, 2), 2);
	/* What does not fit at all is not kept, and takes nothing else's place. */
	put(memo, 4, 4, 4000);
	assert_int_equal(get(memo, 4), -1);
	assert_int_equal(get(memo, 0), 0);
	struct bw_memo_counts counts = bw_memo_counts(memo);
	assert_int_equal(counts.kinds[BW_MEMO_KERNELS].evictions, 1);
	assert_int_equal(counts.kinds[BW_MEMO_KERNELS].hits, 7);
	assert_int_equal(counts.kinds[BW_MEMO_KERNELS].misses, 2);
	assert_int_equal(counts.kinds[BW_MEMO_PLACEMENTS].misses, 1);
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

static struct bw_memo_held put_counted(struct bw_memo_reader *reader, uint64_t key, int number, size_t bytes)
{
	struct numbered *value = numbered(number, bytes);
	value->head.release = release_and_count;
	return bw_memo_put(reader, BW_MEMO_KERNELS, key, &value->head);
}

/* A thread that puts one value, and when it is its turn again another one. */
struct giver {
	struct bw_memo *memo;
	pthread_barrier_t turn;
};

static void put_alone(struct bw_memo *memo, int number)
{
	struct bw_memo_reader *reader = bw_memo_enter(memo);
	put_counted(reader, (uint64_t)number, number, 1000);
	bw_memo_leave(reader);
}

static void *put_twice(void *data)
{
	struct giver *giver = data;
	put_alone(giver->memo, 1);
	pthread_barrier_wait(&giver->turn);
	pthread_barrier_wait(&giver->turn);
	struct bw_memo_reader *reader = bw_memo_enter(giver->memo);
	pthread_barrier_wait(&giver->turn);
	pthread_barrier_wait(&giver->turn);
	put_counted(reader, 4, 4, 1000);
	assert_int_equal(released, 1);
	bw_memo_leave(reader);
	return NULL;
}

/* What one thread put there and another one took out, in a memo that has room for one, is released by the first when it puts something again; where it does not
 * read any more, by the other. */
static void what_was_taken_out_returns_to_its_giver(void **state)
{
	(void)state;
	released = 0;
	struct giver giver = {.memo = bw_memo_new(2000)};
	pthread_t thread;
	struct bw_memo_reader *reader = bw_memo_enter(giver.memo); /* each has one of its own from then on */
	pthread_barrier_init(&giver.turn, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, put_twice, &giver), 0);
	pthread_barrier_wait(&giver.turn);
	bw_memo_leave(reader);
	put_alone(giver.memo, 2);
	pthread_barrier_wait(&giver.turn);
	pthread_barrier_wait(&giver.turn);
	put_alone(giver.memo, 3);
	assert_int_equal(get(giver.memo, 1), -1);
	assert_int_equal(released, 0);
	pthread_barrier_wait(&giver.turn);
	pthread_join(thread, NULL);
	put_alone(giver.memo, 5);
	put_alone(giver.memo, 6);
	assert_int_equal(released, 4); /* 4 among them, whose giver is gone */
	pthread_barrier_destroy(&giver.turn);
	bw_memo_drop(giver.memo);
	assert_int_equal(released, 6);
}

/* What a reader was lent stays until it has left, though the memo, which has room for one, gave it up; then it is released when something is put. One who
 * entered later is not waited for. What was never kept is lent all the same. */
static void what_is_lent_stays(void **state)
{
	(void)state;
	released = 0;
	struct bw_memo *memo = bw_memo_new(2000);
	struct bw_memo_reader *writer = bw_memo_enter(memo), *reader = bw_memo_enter(memo);
	put_counted(writer, 1, 1, 1000);
	struct bw_memo_value *lent = bw_memo_get(reader, BW_MEMO_KERNELS, 1);
	assert_int_equal(number_of(put_counted(writer, 2, 2, 1000).value), 2);
	struct bw_memo_held large = put_counted(writer, 3, 3, 3000);
	bw_memo_leave(writer);
	assert_int_equal(get(memo, 1), -1);
	assert_int_equal(get(memo, 2), 2);
	assert_int_equal(get(memo, 3), -1);
	assert_int_equal(number_of(lent), 1);
	assert_int_equal(number_of(large.value), 3);
	assert_int_equal(released, 0);
	bw_memo_leave(reader);
	writer = bw_memo_enter(memo);
	put_counted(writer, 4, 4, 1000);
	assert_int_equal(released, 2); /* 1 and 3; 2 was given up when its reader was there */
	bw_memo_leave(writer);
	bw_memo_drop(memo);
	assert_int_equal(released, 4);
}

/* What somebody keeps stays for as long as that, and is dropped once. */
static void what_is_kept_stays(void **state)
{
	(void)state;
	released = 0;
	struct bw_memo *memo = bw_memo_new(2000);
	struct bw_memo_reader *reader = bw_memo_enter(memo);
	struct bw_memo_held kept = put_counted(reader, 1, 1, 1000), lent = kept, nothing = {0};
	bw_memo_held_keep(&kept);
	bw_memo_held_keep(&kept);
	bw_memo_held_keep(&nothing);
	bw_memo_held_drop(&lent);
	bw_memo_held_drop(&nothing);
	bw_memo_leave(reader);
	bw_memo_drop(memo);
	assert_int_equal(released, 0);
	assert_int_equal(number_of(kept.value), 1);
	bw_memo_held_drop(&kept);
	assert_int_equal(released, 1);
	assert_null(kept.value);
	/* Without a memo all is the caller's own. */
	assert_null(bw_memo_enter(NULL));
	assert_null(bw_memo_get(NULL, BW_MEMO_KERNELS, 1));
	kept = put_counted(NULL, 1, 1, 1000);
	assert_true(kept.kept);
	bw_memo_held_drop(&kept);
	assert_int_equal(released, 2);
}

/* A reader is told when many values wait for it, not before. */
static void a_reader_outstays(void **state)
{
	(void)state;
	struct bw_memo *memo = bw_memo_new(2000);
	struct bw_memo_reader *reader = bw_memo_enter(memo);
	put(memo, 0, 0, 1000);
	int given_up = 0;
	for (; given_up < 1000 && !bw_memo_outstayed(reader); given_up++)
		put(memo, (uint64_t)given_up + 1, 1, 1000);
	assert_in_range(given_up, 10, 999);
	bw_memo_leave(reader);
	reader = bw_memo_enter(memo);
	assert_false(bw_memo_outstayed(reader));
	bw_memo_leave(reader);
	bw_memo_drop(memo);
}

enum { KEYS = 200, READERS = 4 };

/* Looks for all keys, again and again, where the memo has room for a part; puts those that are not there. Numbers those that are not its key's. */
static void *come_and_go(void *data)
{
	struct bw_memo *memo = data;
	intptr_t wrong = 0;
	for (int round = 0; round < 300; round++) {
		struct bw_memo_reader *reader = bw_memo_enter(memo);
		struct bw_memo_value *values[KEYS];
		for (int key = 0; key < KEYS; key++) {
			values[key] = bw_memo_get(reader, BW_MEMO_KERNELS, (uint64_t)key);
			if (!values[key])
				values[key] = bw_memo_put(reader, BW_MEMO_KERNELS, (uint64_t)key, &numbered(key, 100)->head).value;
		}
		for (int key = 0; key < KEYS; key++)
			wrong += number_of(values[key]) != key;
		bw_memo_leave(reader);
	}
	return (void *)wrong; /* NOLINT(performance-no-int-to-ptr): a number */
}

/* Several threads read, put and give up at once; each looking up is counted once. */
static void threads_read_what_others_give_up(void **state)
{
	(void)state;
	struct bw_memo *memo = bw_memo_new(100 * 100);
	pthread_t threads[READERS];
	for (int t = 0; t < READERS; t++)
		assert_int_equal(pthread_create(&threads[t], NULL, come_and_go, memo), 0);
	for (int t = 0; t < READERS; t++) {
		void *wrong;
		pthread_join(threads[t], &wrong);
		assert_null(wrong);
	}
	struct bw_memo_counts counts = bw_memo_counts(memo);
	assert_int_equal(counts.kinds[BW_MEMO_KERNELS].hits + counts.kinds[BW_MEMO_KERNELS].misses, 300 * READERS * KEYS);
	assert_in_range(counts.peak_bytes, 1, 100 * 100);
	bw_memo_drop(memo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_recently_used_is_given_up), cmocka_unit_test(what_is_lent_stays), cmocka_unit_test(what_is_kept_stays), cmocka_unit_test(what_was_taken_out_returns_to_its_giver),
		cmocka_unit_test(a_reader_outstays), cmocka_unit_test(threads_read_what_others_give_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
