/* Work on several threads: all of it is done, once, by the time the call returns, with any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/parallel.h"

enum { PARTS = 10000 };

struct counting {
	atomic_int next, calls;
	atomic_int done[PARTS];
};

static void count(void *data)
{
	struct counting *counting = data;
	atomic_fetch_add(&counting->calls, 1);
	for (int part; (part = atomic_fetch_add(&counting->next, 1)) < PARTS;)
		atomic_fetch_add(&counting->done[part], 1);
}

static void every_part_is_done_once(void **state)
{
	(void)state;
	static const int threads[] = {-1, 0, 1, 2, 3, BW_MOST_THREADS, 1000};
	for (int i = 0; i < 7; i++) {
		static struct counting counting;
		atomic_store(&counting.next, 0);
		atomic_store(&counting.calls, 0);
		for (int part = 0; part < PARTS; part++)
			atomic_store(&counting.done[part], 0);
		bw_parallel(threads[i], count, &counting);
		for (int part = 0; part < PARTS; part++)
			assert_int_equal(atomic_load(&counting.done[part]), 1);
		int most = threads[i] < 1 ? 1 : threads[i] > BW_MOST_THREADS ? BW_MOST_THREADS : threads[i];
		assert_in_range(atomic_load(&counting.calls), 1, most);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_part_is_done_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
