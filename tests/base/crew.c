/* Threads that help: all of what is to be done is done once, however calls follow one another, and however many threads there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/crew.h"

enum { PIECES = 1000 };

struct task {
	atomic_int next, done, inside;
};

/* Takes pieces until none is left. */
static void work(void *data)
{
	struct task *task = data;
	atomic_fetch_add(&task->inside, 1);
	while (atomic_fetch_add(&task->next, 1) < PIECES)
		atomic_fetch_add(&task->done, 1);
	atomic_fetch_sub(&task->inside, 1);
}

static void pass_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Calls that follow one another at once, and some that find all asleep. */
static void every_piece_is_done_once(void **state)
{
	(void)state;
	static const int threads[] = {1, 2, 3, 16};
	for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
		struct bw_crew *crew = bw_crew_new(threads[t]);
		for (int call = 0; call < 300; call++) {
			struct task task = {0};
			if (call % 100 == 99)
				pass_ms(5);
			bw_crew_work(crew, work, &task);
			assert_int_equal(task.done, PIECES);
			assert_int_equal(task.inside, 0);
		}
		bw_crew_dismiss(crew);
	}
}

/* Between the call and waiting for it the caller does what it likes; who comes too late does not begin. */
static void the_caller_does_something_else(void **state)
{
	(void)state;
	struct bw_crew *crew = bw_crew_new(4);
	for (int call = 0; call < 100; call++) {
		struct task task = {0};
		bw_crew_call(crew, work, &task);
		if (call % 2)
			while (atomic_load(&task.done) < PIECES)
				bw_crew_pause(crew);
		bw_crew_await(crew);
		assert_int_equal(task.inside, 0);
		int done = task.done;
		assert_true(call % 2 ? done == PIECES : done == 0 || done == PIECES);
		pass_ms(call % 10 == 9 ? 3 : 0);
		assert_int_equal(task.done, done);
	}
	bw_crew_dismiss(crew);
}

static void nobody_is_a_crew(void **state)
{
	(void)state;
	struct task task = {0};
	bw_crew_work(NULL, work, &task);
	assert_int_equal(task.done, PIECES);
	bw_crew_dismiss(NULL);
	bw_crew_dismiss(bw_crew_new(3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_piece_is_done_once),
		cmocka_unit_test(the_caller_does_something_else),
		cmocka_unit_test(nobody_is_a_crew),
	};
	return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
