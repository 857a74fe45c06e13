/* Routines: two threads that take turns. What both write is exact without locks, an owner gets its turn while
 * the routine computes, and a routine that is ended returns early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <poll.h>

#include "base/routine.h"

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
	(void)state;
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
	(void)state;
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
	(void)state;
	struct counting counting = {.until = 10};
	bw_routine_end(bw_routine_new(count, &counting));
	assert_int_equal(counting.at, 0);
	bw_routine_end(NULL);
}

static void its_end_can_be_polled(void **state)
{
	(void)state;
	struct counting counting = {.until = 100000};
	struct bw_routine *routine = bw_routine_new(count, &counting);
	struct pollfd end = {.fd = bw_routine_fd(routine), .events = POLLIN};
	assert_int_equal(poll(&end, 1, 0), 0);
	bw_routine_release(routine);
	assert_int_equal(poll(&end, 1, 10000), 1);
	assert_true(bw_routine_hold(routine));
	assert_int_equal(counting.at, 100000);
	bw_routine_end(routine);
}

static void a_flag_stops_it_anywhere(void **state)
{
	(void)state;
	atomic_bool stop = false;
	struct bw_yield yield = {bw_yield_unless, &stop};
	assert_true(bw_yield(NULL));
	assert_true(bw_yield(&yield));
	atomic_store(&stop, true);
	assert_false(bw_yield(&yield));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(runs_to_its_end),       cmocka_unit_test(the_owner_has_its_turns),
	    cmocka_unit_test(ends_before_it_begins), cmocka_unit_test(its_end_can_be_polled),
	    cmocka_unit_test(a_flag_stops_it_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
