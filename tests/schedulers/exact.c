/* The exact scheduler against all schedules of small spaces gone through one by one: its best is theirs,
 * and its bound of each state is at most what the cheapest schedule from there costs; and in large spaces
 * at most what random schedules cost. Also that it stops, goes on, and decides again when a person takes
 * another option. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/hash.h"
#include "schedulers/exact.h"
#include "schedulers/walk.h"
#include "search/search.h"

struct fixture {
	struct bw_device *devices;
	struct bw_pipeline *pipeline;
	struct bw_settings options;
	struct bw_exact *exact;
	long states;
};

static struct fixture open_fixture(const char *name)
{
	struct fixture fixture = {.devices = bundled_devices(NULL), .pipeline = bundled_pipeline(name)};
	fixture.options = bw_settings_default(fixture.devices);
	fixture.options.model = &bw_roofline; /* which has a bound */
	return fixture;
}

static void begin(struct fixture *fixture)
{
	struct bw_error error = {0};
	fixture->exact = bw_exact_new(fixture->pipeline, &fixture->options, &error);
	if (!fixture->exact)
		fail_msg("%s", error.text);
}

static void close_fixture(struct fixture *fixture)
{
	bw_exact_free(fixture->exact);
	bw_pipeline_free(fixture->pipeline);
	free(fixture->devices);
}

/* Returns the cost of the cheapest schedule from a state, all of which are gone through; infinite if there is
 * none. */
static double cheapest(struct fixture *fixture, struct bw_nest *nest, int index, double cost)
{
	const struct bw_search *search = bw_exact_search(fixture->exact);
	if (index == bw_search_n_decisions(search))
		return cost;
	struct bw_expansion *expansion = bw_search_offered(search, index, nest, cost);
	double least = INFINITY;
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		if (option->fate != BW_FATE_COSTED)
			continue;
		struct bw_nest *next =
		    option->placement ? bw_nest_place(nest, option->placement, NULL) : bw_nest_keep(nest);
		least = fmin(least, cheapest(fixture, next, index + 1, option->cost));
		bw_nest_drop(next);
	}
	bw_expansion_free(expansion);
	fixture->states++;
	assert_true(bw_exact_bound(fixture->exact, nest, index, cost) <= least * (1 + 1e-9));
	return least;
}

/* Spaces with small tiles alone have few schedules. */
static void all_schedules(void **state)
{
	static const struct {
		const char *pipeline;
		double unrolled;
		int space;
	} table[] = {
		{"cs6120_sum", 16, 0}, {"cs6120_roots", 4, 0}, {"cs6120_blur", 3, 0}, {"blur", 3, 0}, {"two_stencils", 3, 0},
		{"blur", 3, BW_SITES_ROOT | BW_SITES_INLINE},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct fixture fixture = open_fixture(table[i].pipeline);
		fixture.options.unrolled_limit = table[i].unrolled;
		fixture.options.polish = false;
		if (table[i].space)
			fixture.options.search_space = table[i].space;
		begin(&fixture);
		double least = cheapest(&fixture, bw_exact_first(fixture.exact), 0, 0);
		assert_true(bw_exact_work(fixture.exact, NULL, NULL, 0));
		struct bw_exact_progress progress = bw_exact_progress(fixture.exact);
		assert_true(progress.proven && progress.bound == progress.best);
		assert_true(progress.best <= progress.beam);
		assert_true(fabs(progress.best - least) <= 1e-9 * least);
		assert_true(bw_nest_complete(bw_exact_best(fixture.exact)));
		assert_true(fixture.states < 10 || progress.expanded < fixture.states);
		close_fixture(&fixture);
	}
}

/* Returns one of the options that the search would go on with; any of them, or the cheapest so far of a
 * few. */
static const struct bw_option *draw(const struct bw_expansion *expansion, int few, uint64_t *seed)
{
	const struct bw_option *drawn = NULL;
	int n = 0;
	for (int i = 0; i < expansion->n; i++)
		n += expansion->options[i].fate == BW_FATE_COSTED;
	for (int k = 0; k < few && n; k++) {
		*seed = bw_hash_mix(*seed, (uint64_t)k);
		int left = (int)(*seed % (uint64_t)n);
		for (int i = 0; i < expansion->n; i++) {
			const struct bw_option *option = &expansion->options[i];
			if (option->fate == BW_FATE_COSTED && !left-- && (!drawn || option->cost < drawn->cost))
				drawn = option;
		}
	}
	return drawn;
}

/* Makes random decisions to the end, if options are left for all; no state on the way has a bound above
 * what the schedule costs. Returns the bound at the start as a part of that cost, or 0. */
static double random_schedule(struct fixture *fixture, uint64_t seed)
{
	enum { MOST_DECISIONS = 256, MOST_DRAWN = 17 };
	const struct bw_search *search = bw_exact_search(fixture->exact);
	struct bw_nest *nest = bw_nest_keep(bw_exact_first(fixture->exact));
	double bounds[MOST_DECISIONS], cost = 0;
	int n = bw_search_n_decisions(search), index = 0, few = 1 + (int)(seed % MOST_DRAWN);
	assert_true(n <= MOST_DECISIONS);
	for (bool on = true; on && index < n; index += on) {
		struct bw_expansion *expansion = bw_search_offered(search, index, nest, cost);
		const struct bw_option *option = draw(expansion, few, &seed);
		bounds[index] = bw_exact_bound(fixture->exact, nest, index, cost);
		on = option;
		if (on && option->placement) {
			struct bw_nest *next = bw_nest_place(nest, option->placement, NULL);
			bw_nest_drop(nest);
			nest = next;
		}
		cost = on ? option->cost : 0;
		bw_expansion_free(expansion);
	}
	bw_nest_drop(nest);
	for (int i = 0; i < n && index == n; i++)
		if (bounds[i] > cost)
			fail_msg("%s: bound %.9g at decision %d, cost %.9g", fixture->pipeline->name, bounds[i], i, cost);
	return index == n ? bounds[0] / cost : 0;
}

/* Pipelines whose Funcs load, clamp, stride, reduce and scatter. The bound before the first decision is a
 * good part of what the best of the schedules costs. */
static void random_schedules(void **state)
{
	static const struct {
		const char *pipeline;
		int n;
		double part;
	} table[] = {
		{"unsharp", 40, 0.3}, {"depthwise_separable_conv", 30, 0.4}, {"hist_equalize", 40, 0.01}, {"harris", 12, 0.2}, {"max_filter", 5, 0.4},
		{"conv_layer", 20, 0.5}, {"iir_blur", 30, 0.01}, {"pyramid_blend", 2, 0.05}, {"bilateral_grid", 5, 0.1}, {"kwz", 30, 0.5},
		{"mat_mul", 30, 0.3},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct fixture fixture = open_fixture(table[i].pipeline);
		double part = 0;
		fixture.options.polish = false;
		fixture.options.beam = 1;
		begin(&fixture);
		for (int k = 0; k < table[i].n; k++)
			part = fmax(part, random_schedule(&fixture, bw_hash_mix(i, (uint64_t)k)));
		assert_true(part >= table[i].part);
		close_fixture(&fixture);
	}
}

/* Stopped, it says between what the optimum lies; another one takes over what it knows, and comes to the end.
 */
static void stopped_and_resumed(void **state)
{
	struct fixture fixture = open_fixture("blur"), other = open_fixture("blur");
	fixture.options.unrolled_limit = other.options.unrolled_limit = 8;
	begin(&fixture);
	begin(&other);
	assert_true(bw_exact_work(fixture.exact, NULL, NULL, 0));
	struct bw_exact_progress whole = bw_exact_progress(fixture.exact);
	assert_true(bw_exact_work(other.exact, NULL, NULL, whole.expanded / 2));
	struct bw_exact_progress half = bw_exact_progress(other.exact);
	assert_int_equal(half.expanded, whole.expanded / 2);
	assert_false(half.proven);
	assert_true(half.bound < half.best && half.bound <= whole.best && half.best >= whole.best);
	bw_exact_free(fixture.exact);
	begin(&fixture);
	bw_exact_resume(fixture.exact, other.exact);
	assert_true(bw_exact_work(fixture.exact, NULL, NULL, 0));
	struct bw_exact_progress again = bw_exact_progress(fixture.exact);
	assert_true(again.proven && again.best == whole.best);
	assert_true(again.expanded < whole.expanded);
	atomic_bool stop = true;
	bw_exact_free(other.exact);
	begin(&other);
	assert_true(bw_exact_work(other.exact, NULL, &stop, 0));
	assert_int_equal(bw_exact_progress(other.exact).expanded, 1);
	close_fixture(&fixture);
	close_fixture(&other);
}

/* Another option taken by hand: the best schedule with it costs more. */
static void walked(void **state)
{
	struct bw_error error = {0};
	struct fixture fixture = open_fixture("blur");
	struct bw_walk *walk = NULL;
	double costs[2];
	for (int k = 0; k < 2; k++) {
		const struct bw_walk_step *first = walk ? bw_walk_step(walk, 0) : NULL;
		struct bw_walk_mark mark = {BW_WALK_TAKE, 0, first ? (char *)first->candidates[1].name : NULL};
		struct bw_walk *next = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_scheduler_find("exact", &error),
									     .pipeline = fixture.pipeline,
									     .options = &fixture.options,
									     .marks = &mark,
									     .n_marks = k,
									     .older = walk});
		bw_walk_drop(walk);
		walk = next;
		while (bw_walk_work(walk, NULL, NULL, &error) == BW_WALK_GOING)
			;
		struct bw_schedule *schedule = bw_walk_schedule(walk, bw_walk_steps(walk));
		struct bw_nest *nest = bw_schedule_nest(fixture.pipeline, schedule, &error);
		struct bw_arena *arena = bw_arena_new();
		costs[k] = bw_cost_of(fixture.options.model, nest, fixture.devices, arena).total;
		bw_arena_free(arena);
		bw_nest_drop(nest);
		bw_schedule_drop(schedule);
	}
	assert_true(bw_walk_step(walk, 0)->by_hand);
	assert_true(costs[0] < costs[1]);
	bw_walk_drop(walk);
	bw_pipeline_free(fixture.pipeline);
	free(fixture.devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_schedules),
		cmocka_unit_test(random_schedules),
		cmocka_unit_test(stopped_and_resumed),
		cmocka_unit_test(walked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
