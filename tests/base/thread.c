/* Routines: two threads that take turns. What both write is exact without locks, an owner gets its turn while
 * the routine computes, and a routine that is ended returns early.
 * Work on several threads: all of it is done, once, by the time the call returns, with any number of threads. */
#include <math.h>
#include <poll.h>
#include <stdatomic.h>

#include "../core/test.h"
#include "base/routine.h"
#include "base/thread.h"

struct counting {
	long until, at; /* both threads write `at` */
	bool stopped;
};

static void count(const struct bw_yield *yield, void *data)
{
	struct counting *counting = data;
	while (counting->at < counting->until) {
		if (!bw_yield(yield)) {
			counting->stopped = true;
			return;
		}
		counting->at++;
	}
}

static void runs_to_its_end(void **state)
{
	struct counting counting = {.until = 1000};
	struct bw_routine *routine = bw_routine_new(count, &counting);
	assert_int_equal(counting.at, 0);
	assert_true(bw_routine_go(routine, INFINITY));
	assert_int_equal(counting.at, 1000);
	assert_true(bw_routine_go(routine, INFINITY));
	bw_routine_end(routine);
	assert_false(counting.stopped);
}

static void the_owner_has_its_turns(void **state)
{
	enum { TURNS = 200, OWN = 1000 };
	struct counting counting = {.until = 1L << 62};
	struct bw_routine *routine = bw_routine_new(count, &counting);
	long owned = 0, before = 0;
	for (int turn = 0; turn < TURNS; turn++) {
		assert_false(bw_routine_go(routine, 1e-5));
		assert_true(counting.at >= before);
		for (int i = 0; i < OWN; i++, owned++)
			counting.at++; /* nobody else writes it now */
		before = counting.at;
	}
	bw_routine_end(routine);
	assert_true(counting.stopped);
	assert_true(counting.at >= owned);
}

static void ends_before_it_begins(void **state)
{
	struct counting counting = {.until = 10};
	bw_routine_end(bw_routine_new(count, &counting));
	assert_int_equal(counting.at, 0);
	bw_routine_end(NULL);
}

static void its_end_can_be_polled(void **state)
{
	struct counting counting = {.until = 100000};
	struct bw_routine *routine = bw_routine_new(count, &counting);
	struct pollfd end = {.events = POLLIN};
	assert_int_equal(bw_routine_fds(routine, &end.fd, 1), 1);
	assert_int_equal(poll(&end, 1, 0), 0);
	bw_routine_release(routine);
	assert_int_equal(poll(&end, 1, 10000), 1);
	assert_true(bw_routine_hold(routine));
	assert_int_equal(counting.at, 100000);
	bw_routine_end(routine);
}

static void a_flag_stops_it_anywhere(void **state)
{
	atomic_bool stop = false;
	struct bw_yield yield = {bw_yield_unless, &stop};
	assert_true(bw_yield(NULL));
	assert_true(bw_yield(&yield));
	atomic_store(&stop, true);
	assert_false(bw_yield(&yield));
}

/* An owner that never takes its turn back hears what is told, and the end. */
struct telling {
	struct bw_routine *routine;
	atomic_bool heard;
};

static void tell(const struct bw_yield *yield, void *data)
{
	struct telling *telling = data;
	bw_routine_tell(telling->routine);
	while (!atomic_load(&telling->heard) && bw_yield(yield))
		continue;
}

static void the_owner_hears_it(void **state)
{
	struct telling telling = {0};
	struct pollfd told = {.events = POLLIN};
	telling.routine = bw_routine_new(tell, &telling);
	assert_int_equal(bw_routine_fds(telling.routine, &told.fd, 1), 1);
	bw_routine_release(telling.routine);
	assert_int_equal(poll(&told, 1, 10000), 1);
	assert_false(bw_routine_heard(telling.routine));
	assert_int_equal(poll(&told, 1, 0), 0);
	atomic_store(&telling.heard, true);
	assert_int_equal(poll(&told, 1, 10000), 1);
	assert_true(bw_routine_heard(telling.routine));
	bw_routine_end(telling.routine);
	assert_int_equal(bw_routine_fds(NULL, &told.fd, 1), 0);
}

enum { PARTS = 10000 };

struct parts {
	atomic_int next, calls;
	atomic_int done[PARTS];
};

static void take_parts(void *data)
{
	struct parts *parts = data;
	atomic_fetch_add(&parts->calls, 1);
	for (int part; (part = atomic_fetch_add(&parts->next, 1)) < PARTS;)
		atomic_fetch_add(&parts->done[part], 1);
}

static void every_part_is_done_once(void **state)
{
	static const int threads[] = {-1, 0, 1, 2, 3, BW_MOST_THREADS, 1000};
	for (int i = 0; i < 7; i++) {
		static struct parts parts;
		atomic_store(&parts.next, 0);
		atomic_store(&parts.calls, 0);
		for (int part = 0; part < PARTS; part++)
			atomic_store(&parts.done[part], 0);
		bw_parallel(threads[i], take_parts, &parts);
		for (int part = 0; part < PARTS; part++)
			assert_int_equal(atomic_load(&parts.done[part]), 1);
		int most = threads[i] < 1 ? 1 : threads[i] > BW_MOST_THREADS ? BW_MOST_THREADS : threads[i];
		assert_in_range(atomic_load(&parts.calls), 1, most);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(runs_to_its_end),       cmocka_unit_test(the_owner_has_its_turns),
	    cmocka_unit_test(ends_before_it_begins), cmocka_unit_test(its_end_can_be_polled),
	    cmocka_unit_test(a_flag_stops_it_anywhere), cmocka_unit_test(the_owner_hears_it),
	    cmocka_unit_test(every_part_is_done_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
