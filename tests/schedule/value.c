/* Placements and schedules as values: what is equal, what is not, hashes, counts of references; the sizes of plans. */
#include <pthread.h>
#include <string.h>

#include "../core/test.h"
#include "made.h"
#include "nest/plan.h"
#include "schedule/schedule.h"

static const struct bw_placement *read_placement(const char *text)
{
	struct bw_error error = {0};
	const struct bw_placement *placement = bw_placement_parse(&made, text, &error);
	if (!placement)
		fail_msg("%s: %s", text, error.text);
	return placement;
}

/* Each differs from the first in one thing. */
static void one_difference_makes_them_unequal(void **state)
{
	static const char *const texts[] = {
		"hist at output.thread; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"Ix at output.thread; serial y, x, x 4 round_up",
		"hist in output at output.thread; serial x, x 4 round_up",
		"hist clone output at output.thread; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist at output.block; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist at output.serial0; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist at output.serial1; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist at sum.update0.thread; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist at sum.thread; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist root; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist root untiled; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist inline",
		"hist at output.thread store output.block; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist at output.thread store root; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist at output.thread in stack; serial x, x 4 round_up; update 0: serial r$y, r$x",
		"hist at output.thread; serial x, x 4; update 0: serial r$y, r$x",
		"hist at output.thread; serial x, x 8 round_up; update 0: serial r$y, r$x",
		"hist at output.thread; serial x; unrolled x 4 round_up; update 0: serial r$y, r$x",
		"hist at output.thread; serial x, x 4 round_up; update 0: serial r$x, r$y",
		"hist at output.thread; serial x, x 4 round_up, x 2; update 0: serial r$y, r$x",
		"Y at output.thread; serial y, x",
		"Y at output.thread order y x; serial y, x",
	};
	enum { N = sizeof texts / sizeof *texts };
	const struct bw_placement *all[N];
	for (int i = 0; i < N; i++)
		all[i] = read_placement(texts[i]);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++) {
			if (bw_placement_equal(all[i], all[k]) != (i == k))
				fail_msg("%s\n%s", texts[i], texts[k]);
			assert_int_equal(all[i]->hash == all[k]->hash, i == k);
			assert_int_equal(bw_placement_order(all[i], all[k]), -bw_placement_order(all[k], all[i]));
		}
	for (int i = 0; i < N; i++)
		bw_placement_drop(all[i]);
}

/* Drafts that mean the same, filled in differently where nothing is said. */
static void what_has_no_meaning_makes_no_difference(void **state)
{
	static const struct bw_loop loops[] = {{.loop = 1}, {.loop = 0}, {.loop = 0, .extent = 8, .tail = BW_TAIL_ROUND_UP}, {.loop = 0, .extent = 4}};
	static const struct bw_loop same_loops[] = {
		{.loop = 1, .tail = BW_TAIL_GUARD_WITH_IF}, {.loop = 0, .tail = BW_TAIL_ROUND_UP}, {.loop = 0, .extent = 8, .tail = BW_TAIL_ROUND_UP}, {.loop = 0, .extent = 4, .tail = BW_TAIL_ROUND_UP}};
	static const struct bw_stage_plan plan = {4, loops, false}, same_plan = {4, same_loops, false};
	static const int storage[] = {0, 1};
	static const struct bw_placement pairs[][2] = {
		{{.func = MADE_IX, .compute = {.kind = BW_SITE_INLINE}},
		 {.func = MADE_IX, .compute = {.kind = BW_SITE_INLINE, .func = 4, .stage = 1, .serial = 3}, .store = {.kind = BW_SITE_ROOT}, .memory = BW_MEMORY_SHARED, .tiled = true, .n_storage = 2, .storage = storage, .n_stages = 1, .stages = &plan, .derived_for = 7}},
		{{.func = MADE_IX, .compute = {.kind = BW_SITE_ROOT}, .tiled = true, .n_stages = 1, .stages = &plan},
		 {.func = MADE_IX, .compute = {.kind = BW_SITE_ROOT, .func = 3, .role = BW_ROLE_SERIAL, .serial = 2}, .store = {.kind = BW_SITE_ROOT, .func = 5}, .tiled = true, .n_stages = 1, .stages = &same_plan, .n_storage = 2, .storage = storage}},
		{{.func = MADE_IX, .compute = {.kind = BW_SITE_AT, .func = MADE_OUTPUT}, .n_stages = 1, .stages = &plan},
		 {.func = MADE_IX, .compute = {.kind = BW_SITE_AT, .func = MADE_OUTPUT, .serial = 4}, .tiled = true, .n_stages = 1, .stages = &plan}},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const struct bw_placement *a = bw_placement_make(&pairs[i][0]), *b = bw_placement_make(&pairs[i][1]);
		assert_true(bw_placement_equal(a, b));
		assert_int_equal(a->hash, b->hash);
		assert_int_equal(a->derived_for, -1);
		assert_true(bw_site_equal(&a->store, &a->compute));
		bw_placement_drop(a);
		bw_placement_drop(b);
	}
}

static void a_placement_is_a_copy(void **state)
{
	struct bw_loop loops[] = {{.loop = 0}};
	int storage[] = {1, 0};
	struct bw_stage_plan plan = {1, loops, false};
	struct bw_placement draft = {.func = MADE_HIST, .compute = {.kind = BW_SITE_ROOT}, .tiled = true, .n_storage = 2, .storage = storage, .n_stages = 1, .stages = &plan};
	const struct bw_placement *placement = bw_placement_make(&draft);
	loops[0] = (struct bw_loop){.loop = 5};
	storage[0] = 9;
	plan.n_loops = 0;
	assert_int_equal(placement->stages[0].n_loops, 1);
	assert_int_equal(placement->stages[0].loops[0].loop, 0);
	assert_int_equal(placement->storage[0], 1);
	bw_placement_drop(placement);
}

enum { THREADS = 4, KEEPS = 20000 };

static void *keep_and_drop(void *placement)
{
	for (int i = 0; i < KEEPS; i++) {
		bw_placement_keep(placement);
		bw_placement_keep(placement);
		bw_placement_drop(placement);
	}
	return NULL;
}

static void references_are_counted_across_threads(void **state)
{
	const struct bw_placement *placement = read_placement("Ix inline");
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, keep_and_drop, (void *)placement), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(placement->references, 1 + THREADS * KEEPS);
	for (int i = 0; i <= THREADS * KEEPS; i++)
		bw_placement_drop(placement);
	assert_null(bw_placement_keep(NULL));
	bw_placement_drop(NULL);
}

static void set(struct bw_schedule *schedule, const char *text)
{
	const struct bw_placement *placement = read_placement(text);
	bw_schedule_set(schedule, placement);
	bw_placement_drop(placement);
}

static void schedules_are_equal_by_meaning(void **state)
{
	struct bw_schedule *a = bw_schedule_new(&made), *b = bw_schedule_new(&made);
	assert_int_equal(a->algorithm, made.algorithm);
	set(a, "Ix inline");
	set(a, "Y in output root");
	set(a, "Y in Ix root");
	set(a, "hist root 4/32");
	set(b, "hist root");
	assert_false(bw_schedule_equal(a, b));
	set(b, "hist root 4/32"); /* takes the place of the other */
	set(b, "Y in Ix root; thread x");
	set(b, "Ix inline");
	set(b, "Y in output root");
	assert_false(bw_schedule_equal(a, b));
	assert_true(bw_schedule_hash(a) != bw_schedule_hash(b));
	set(b, "Y in Ix root");
	b->algorithm = 0;
	assert_true(bw_schedule_equal(a, b));
	assert_int_equal(bw_schedule_hash(a), bw_schedule_hash(b));
	assert_int_equal(a->n, MADE_FUNCS + 2);
	assert_int_equal(b->n, MADE_FUNCS + 2);
	assert_int_equal(a->placements[MADE_FUNCS]->derived_for, MADE_IX);
	assert_int_equal(a->placements[MADE_FUNCS + 1]->derived_for, MADE_OUTPUT);
	set(b, "Y clone Ix root");
	assert_false(bw_schedule_equal(a, b));

	const struct bw_placement *like = read_placement("Y clone Ix root; thread x");
	assert_null(bw_schedule_find(a, like));
	assert_ptr_equal(bw_schedule_find(b, like), b->placements[MADE_FUNCS + 2]);
	bw_placement_drop(like);
	bw_schedule_drop(bw_schedule_keep(a));
	bw_schedule_drop(a);
	bw_schedule_drop(b);
}

/* The hashes of files and records: they must not change from machine to machine, nor without notice from version to version. */
static void the_hash_is_what_it_was(void **state)
{
	const struct bw_placement *placement = read_placement("Ix at output.block 1x4");
	assert_int_equal(placement->hash, 0x6192810fb5fd956c);
	bw_placement_drop(placement);
}

static void plans_give_their_sizes_back(void **state)
{
	static const int64_t serial[] = {2, 1, 4, 1}, threads[] = {16, 8, 1, 2};
	static const struct bw_site block = {.kind = BW_SITE_AT, .func = MADE_OUTPUT};
	int64_t s[4], t[4];
	const struct bw_placement *plan = bw_plan_root(&made, MADE_F, serial, threads);
	bw_plan_sizes(&made, plan, s, t);
	assert_memory_equal(s, serial, sizeof s);
	assert_memory_equal(t, threads, sizeof t);
	bw_placement_drop(plan);
	plan = bw_plan_at_block(&made, MADE_F, &block, serial);
	bw_plan_sizes(&made, plan, s, t);
	assert_memory_equal(s, serial, sizeof s);
	for (int i = 0; i < 4; i++)
		assert_int_equal(t[i], 1);
	bw_placement_drop(plan);
	plan = bw_plan_inline(&made, MADE_F);
	bw_plan_sizes(&made, plan, s, t);
	for (int i = 0; i < 4; i++)
		assert_int_equal(s[i] * t[i], 1);
	bw_placement_drop(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_difference_makes_them_unequal),
		cmocka_unit_test(what_has_no_meaning_makes_no_difference),
		cmocka_unit_test(a_placement_is_a_copy),
		cmocka_unit_test(references_are_counted_across_threads),
		cmocka_unit_test(schedules_are_equal_by_meaning),
		cmocka_unit_test(the_hash_is_what_it_was),
		cmocka_unit_test(plans_give_their_sizes_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
