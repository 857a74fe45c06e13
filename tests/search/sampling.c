/* Structural hashes of loop nests, worked out by hand for each depth; and the draw from their buckets: how many, evenly, and the same each
 * time it is made. */
#include <stdlib.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "schedule/schedule.h"
#include "search/search.h"

#define MAD "'add':{'float32':9},'mul':{'float32':1}"
#define READ_X3(from) READ(from, SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)

/* in -> f (3 in x) -> g (3 in y) -> h (3 in x), h of 512 x 512. */
static const char chain[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-2,516],[-2,516]"),
	FUNC_XY("f", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("g", "1", "float32", MAD, READ_Y3("f"), "") ","
	FUNC_XY("h", "2", "float32", MAD, READ_X3("g"), OUTPUT("[0,512],[0,512]")));

/* Two nests are alike up to a depth, and no further. -1: not even at depth 0. */
static void nests_are_alike_to_a_depth(void **state)
{
	enum { MOST = 6 };
	static const struct {
		const char *a[4], *b[4];
		int alike;
	} pairs[] = {
		{{"h root 1x1/32x8"}, {"h root 1x1/32x8"}, MOST},
		/* Which Funcs have kernels. */
		{{"h root 1x1/32x8", "g root 1x1/32x8"}, {"h root 1x1/32x8", "g inline"}, -1},
		/* In a block, in a thread, inlined: a block shows the first, threads the second. */
		{{"h root 1x1/32x8", "g at h.block 1x1"}, {"h root 1x1/32x8", "g inline"}, 0},
		{{"h root 1x1/32x8", "g at h.thread"}, {"h root 1x1/32x8", "g inline"}, 1},
		{{"h root 1x1/32x8", "g at h.block 1x1"}, {"h root 1x1/32x8", "g at h.thread"}, 0},
		/* A serial loop of 4 below the threads: with g inside it, at depth 3. */
		{{"h root 1x4/32x8", "g at h.thread"}, {"h root 1x4/32x8", "g at h.serial0"}, 1},
		{{"h root 1x4/32x8", "g at h.serial0"}, {"h root 1x4/32x8", "g inline"}, 2},
		/* Blocks of 32 x 8 and of 64 x 8: 16 x 64 and 8 x 64 of them; more than one at depth 1, exactly at depth 2. */
		{{"h root 1x1/32x8"}, {"h root 1x1/64x8"}, 1},
		/* 512 x 512 threads and 1 x 1 blocks against 16 x 64 blocks: one block or more of them is seen at once. */
		{{"h root 1x1/32x8"}, {"h root 1x1/512x512"}, 0},
		/* The same blocks of 32 x 32 points, 32 x 8 threads of 4 or 32 x 16 of 2: threads exactly at depth 3. */
		{{"h root 1x4/32x8"}, {"h root 1x2/32x16"}, 2},
		/* f is in a thread of g, which is one of the threads of a block of h. */
		{{"h root 1x1/32x8", "g at h.block 1x1", "f at g.thread"}, {"h root 1x1/32x8", "g at h.block 1x1", "f inline"}, 1},
		{{"h root 1x1/32x8", "g at h.block 1x1"}, {"h root 1x1/32x8", "g at h.block 1x2"}, 2},
		/* Whether its tiling is decided says nothing about the kernels that there are. */
		{{"h root"}, {"h root 1x1/32x8"}, 0},
	};
	struct bw_pipeline *pipeline = description_read(chain);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct bw_nest *a = nest_of(pipeline, pairs[i].a, NULL), *b = nest_of(pipeline, pairs[i].b, NULL);
		for (int depth = 0; depth <= MOST; depth++)
			if ((bw_nest_structure(a, depth) == bw_nest_structure(b, depth)) != (depth <= pairs[i].alike))
				fail_msg("pair %zu at depth %d", i, depth);
		bw_nest_drop(a);
		bw_nest_drop(b);
	}
	bw_pipeline_free(pipeline);
}

struct fixture {
	struct bw_pipeline *pipeline;
	struct bw_search *search;
};

static struct fixture searched(uint64_t seed, int sampling, int passes, const struct bw_constraints *constraints)
{
	struct fixture fixture = {.pipeline = description_read(chain)};
	struct bw_settings options = bw_settings_default(&round_device);
	struct bw_error error;
	options.beam = 4;
	options.passes = passes;
	options.freezing = BW_FREEZING_OFF;
	options.seed = seed;
	options.sampling = sampling;
	fixture.search = bw_search_new(fixture.pipeline, &options, constraints);
	if (bw_search_advance(fixture.search, bw_search_n_decisions(fixture.search), NULL, &error) != BW_SEARCH_DONE)
		fail_msg("%s", error.text);
	return fixture;
}

static void close_fixture(struct fixture *fixture)
{
	bw_search_free(fixture->search);
	bw_pipeline_free(fixture->pipeline);
}

/* floor(log2 n), by a table: buckets here are smaller than 1024. */
static int log_of(int n)
{
	static const int powers[] = {2, 4, 8, 16, 32, 64, 128, 256, 512};
	int log = 0;
	while (log < 9 && powers[log] <= n)
		log++;
	assert_true(n < 1024);
	return log;
}

static bool in_bucket(const struct bw_option *option, int bucket)
{
	return option->bucket == bucket;
}

/* How many of a bucket are costed by each of so many states of a beam of 4: floor(log2 n), of one its one; of a state that is alone, unless the paper's
 * draw is asked for, all in a single pass, and in the first of several three times as many. */
static int share_of(int n, int states, int sampling, int passes, int pass)
{
	int share = n == 1 ? 1 : log_of(n);
	if (states == 1 && pass == 1 && sampling == BW_SAMPLING_ON)
		share = passes == 1 ? n : 3 * share;
	return share < n ? share : n;
}

static void draw_is_as_said(int sampling, int passes)
{
	struct fixture fixture = searched(1, sampling, passes, NULL);
	long unsampled = 0;
	for (int d = 0; d < bw_search_n_decisions(fixture.search); d++) {
		const struct bw_state *const *states;
		const struct bw_decision *decision = bw_search_decision(fixture.search, d);
		long buckets = 0;
		int n_states = bw_search_beam(fixture.search, d, &states);
		for (int s = 0; s < n_states; s++) {
			struct bw_expansion *expansion = bw_search_expand(fixture.search, d, s, NULL);
			for (int b = 0; b < expansion->n_buckets; b++) {
				int members = 0, drawn = 0;
				for (int o = 0; o < expansion->n; o++) {
					const struct bw_option *option = &expansion->options[o];
					members += in_bucket(option, b);
					drawn += in_bucket(option, b) && option->fate != BW_FATE_UNSAMPLED;
					if (in_bucket(option, b) && option->placement && option->placement->compute.kind == BW_SITE_INLINE)
						assert_int_not_equal(option->fate, BW_FATE_UNSAMPLED);
				}
				assert_int_equal(drawn, share_of(members, n_states, sampling, passes, decision->pass));
				unsampled += members - drawn;
				buckets++;
			}
			bw_expansion_free(expansion);
		}
		assert_int_equal(decision->buckets, buckets);
	}
	assert_true(unsampled > 50);
	assert_int_equal(bw_search_totals(fixture.search).unsampled, unsampled);
	close_fixture(&fixture);
}

/* Of a bucket of B > 1 options floor(log2 B) are costed by each state, more by one that is alone; inlining is a bucket of its own, and always costed. */
static void the_logarithm_of_a_bucket_is_costed(void **state)
{
	for (int sampling = BW_SAMPLING_ON; sampling <= BW_SAMPLING_PAPER; sampling++) {
		draw_is_as_said(sampling, 1);
		draw_is_as_said(sampling, 3);
	}
}

/* The tilings of h are one bucket, since each of them leaves many blocks: over 400 seeds each of its members is drawn as often as the others.
 * 4 deviations of a binomial distribution are allowed; the seeds are always the same. */
static void the_draw_is_even(void **state)
{
	enum { SEEDS = 400 };
	int *times = NULL, n = 0, members = 0, drawn = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct bw_pipeline *pipeline = description_read(chain);
		struct bw_settings options = bw_settings_default(&round_device);
		struct bw_error error;
		options.seed = seed;
		options.beam = 1;
		struct bw_search *search = bw_search_new(pipeline, &options, NULL);
		assert_int_equal(bw_search_advance(search, 1, NULL, &error), BW_SEARCH_DONE);
		struct bw_expansion *expansion = bw_search_expand(search, 1, 0, NULL);
		if (!times)
			times = BW_NEW_ARRAY(int, n = expansion->n);
		members = drawn = 0;
		for (int o = 0; o < n; o++) {
			members += in_bucket(&expansion->options[o], 0);
			drawn += in_bucket(&expansion->options[o], 0) && expansion->options[o].fate != BW_FATE_UNSAMPLED;
			times[o] += in_bucket(&expansion->options[o], 0) && expansion->options[o].fate != BW_FATE_UNSAMPLED ? 1 : in_bucket(&expansion->options[o], 0) ? 0 : -1000000;
		}
		bw_expansion_free(expansion);
		bw_search_free(search);
		bw_pipeline_free(pipeline);
	}
	double share = (double)drawn / members, expected = SEEDS * share, most = 16 * expected * (1 - share);
	assert_true(members > 50);
	for (int o = 0; o < n; o++)
		if (times[o] >= 0 && (times[o] - expected) * (times[o] - expected) > most)
			fail_msg("option %d of %d was drawn %d times, %g expected", o, members, times[o], expected);
	free(times);
}

/* Without sampling every legal option is costed; with it full beams cost fewer, and the best is found all the same or nearly. */
static void sampling_saves_and_loses_little(void **state)
{
	struct fixture all = searched(0, BW_SAMPLING_OFF, 1, NULL), some = searched(0, BW_SAMPLING_ON, 1, NULL);
	const struct bw_state *const *best_of_all, *const *best_of_some;
	bw_search_beam(all.search, bw_search_n_decisions(all.search), &best_of_all);
	bw_search_beam(some.search, bw_search_n_decisions(some.search), &best_of_some);
	assert_int_equal(bw_search_totals(all.search).unsampled, 0);
	long costed = 0, costed_of_all = 0;
	for (int d = 0; d < bw_search_n_decisions(some.search); d++) {
		const struct bw_state *const *states;
		bool full = bw_search_beam(some.search, d, &states) == 4 && bw_search_beam(all.search, d, &states) == 4;
		costed += full ? bw_search_decision(some.search, d)->costed : 0;
		costed_of_all += full ? bw_search_decision(all.search, d)->costed : 0;
	}
	if (costed * 3 > costed_of_all)
		fail_msg("%ld of %ld costed", costed, costed_of_all);
	assert_true(best_of_some[0]->cost < 1.25 * best_of_all[0]->cost);
	close_fixture(&all);
	close_fixture(&some);
}

/* What is held with its sizes is not left to a draw. */
static void what_is_held_is_costed(void **state)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct bw_pipeline *pipeline = description_read(chain);
		struct bw_error error;
		const struct bw_placement *placement = bw_placement_parse(pipeline, "h root 1x2/16x8", &error);
		struct bw_constraint held = {.placement = placement, .sizes = true, .source = BW_CONSTRAINT_FREEZE};
		struct bw_constraints constraints = {.n = 1, .list = &held};
		struct fixture fixture = searched(seed, BW_SAMPLING_ON, 1, &constraints);
		const struct bw_state *const *states;
		bw_search_beam(fixture.search, bw_search_n_decisions(fixture.search), &states);
		assert_true(bw_placement_equal(states[0]->nest->placed[placement->func]->placement, placement));
		close_fixture(&fixture);
		bw_placement_drop(placement);
		bw_pipeline_free(pipeline);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nests_are_alike_to_a_depth),
		cmocka_unit_test(the_logarithm_of_a_bucket_is_costed),
		cmocka_unit_test(the_draw_is_even),
		cmocka_unit_test(sampling_saves_and_loses_little),
		cmocka_unit_test(what_is_held_is_costed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
