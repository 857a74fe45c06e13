/* Options that leave something out of a search: kinds of site, subtiling, children at random, and limits that are said in the place of the device's.
 * Each is seen in the schedules, and in the record with its reason. */
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/description.h"
#include "../core/test.h"
#include "base/hash.h"
#include "base/mem.h"
#include "nest/plan.h"
#include "schedule/schedule.h"
#include "search/search_private.h"

static struct bw_device *devices;
static struct bw_pipeline *harris;

static int open_all(void **state)
{
	devices = bundled_devices(NULL);
	harris = bundled_pipeline("harris");
	return 0;
}

static int close_all(void **state)
{
	free(devices);
	bw_pipeline_free(harris);
	return 0;
}

static struct bw_settings options_new(void)
{
	struct bw_settings options = bw_settings_default(devices);
	options.beam = 4;
	return options;
}

static struct bw_search *finished(const struct bw_settings *options, const struct bw_constraints *constraints)
{
	struct bw_error error;
	struct bw_search *search = bw_search_new(harris, options, constraints);
	if (bw_search_advance(search, bw_search_n_decisions(search), NULL, &error) != BW_SEARCH_DONE)
		fail_msg("%s", error.text);
	return search;
}

/* The kind of a Func's site in a nest. */
static int site_of(const struct bw_nest *nest, int func)
{
	const struct bw_site *site = &nest->placed[func]->placement->compute;
	if (site->kind != BW_SITE_AT)
		return site->kind == BW_SITE_ROOT ? BW_SITES_ROOT : BW_SITES_INLINE;
	return bw_nest_inside_threads(nest, site) ? BW_SITES_THREAD : BW_SITES_BLOCK;
}

/* How many options of all expansions of a search a rule gave a fate. */
static int judged(const struct bw_search *search, enum bw_rule rule, enum bw_fate fate)
{
	int n = 0;
	for (int d = 0; d < bw_search_n_decisions(search); d++) {
		const struct bw_state *const *states;
		for (int s = 0; s < bw_search_beam(search, d, &states); s++) {
			struct bw_expansion *expansion = bw_search_expand(search, d, s, NULL);
			for (int i = 0; i < expansion->n; i++)
				n += expansion->options[i].rule == rule && expansion->options[i].fate == fate;
			bw_expansion_free(expansion);
		}
	}
	return n;
}

/* Whatever kinds of site are left, Funcs are at these, or at root where none of these is legal. Of harris every kind is used where it may be. */
static void sites_that_are_left_out_are_not_used(void **state)
{
	int seen = 0;
	for (int sites = 1; sites <= BW_SITES_ALL; sites++) {
		struct bw_settings options = options_new();
		const struct bw_state *const *states;
		options.search_space = sites;
		struct bw_search *search = finished(&options, NULL);
		int n = bw_search_beam(search, bw_search_n_decisions(search), &states);
		for (int s = 0; s < n; s++)
			for (int f = 0; f < harris->n_funcs; f++)
				if (!harris->funcs[f].input && !harris->funcs[f].output) {
					assert_true(site_of(states[s]->nest, f) & (sites | BW_SITES_ROOT));
					seen |= site_of(states[s]->nest, f);
				}
		if (sites == BW_SITES_ALL)
			assert_int_equal(judged(search, BW_RULE_SPACE, BW_FATE_PRUNED), 0);
		else if (sites != (BW_SITES_ALL & ~BW_SITES_ROOT))
			assert_true(judged(search, BW_RULE_SPACE, BW_FATE_PRUNED) > 0);
		assert_int_equal(judged(search, BW_RULE_SPACE, BW_FATE_SECOND_CHOICE) > 0, !(sites & BW_SITES_ROOT));
		bw_search_free(search);
	}
	assert_int_equal(seen, BW_SITES_ALL);
}

static void what_is_held_is_done_all_the_same(void **state)
{
	struct bw_settings options = options_new();
	struct bw_error error;
	const struct bw_state *const *states;
	options.search_space = BW_SITES_ROOT;
	const struct bw_placement *placement = bw_placement_parse(harris, "Ix inline", &error);
	assert_non_null(placement);
	struct bw_constraint constraint = {.placement = placement, .sizes = false, .source = BW_CONSTRAINT_FREEZE};
	struct bw_search *search = finished(&options, &(struct bw_constraints){.n = 1, .list = &constraint});
	int n = bw_search_beam(search, bw_search_n_decisions(search), &states), inlined = 0;
	for (int s = 0; s < n; s++)
		for (int f = 0; f < harris->n_funcs; f++)
			if (!harris->funcs[f].input && site_of(states[s]->nest, f) == BW_SITES_INLINE) {
				assert_string_equal(harris->funcs[f].name, "Ix");
				inlined++;
			}
	assert_int_equal(inlined, n);
	bw_search_free(search);
	bw_placement_drop(placement);
}

/* With subtiling Ix can be computed in Sxx which is in output's blocks; without it, no host is in another's kernel. */
static void hosts_are_at_root_without_subtiling(void **state)
{
	struct bw_settings options = options_new();
	const struct bw_state *const *states;
	int pruned[2];
	for (int disable = 0; disable < 2; disable++) {
		options.disable_subtiling = disable;
		struct bw_search *search = finished(&options, NULL);
		pruned[disable] = judged(search, BW_RULE_SPACE, BW_FATE_PRUNED);
		for (int p = 0; p <= bw_search_n_decisions(search) && disable; p++)
			for (int s = 0; s < bw_search_beam(search, p, &states); s++)
				for (int f = 0; f < harris->n_funcs; f++) {
					const struct bw_placed *placed = states[s]->nest->placed[f];
					if (placed && placed->placement->compute.kind == BW_SITE_AT)
						assert_int_equal(states[s]->nest->placed[placed->placement->compute.func]->placement->compute.kind, BW_SITE_ROOT);
				}
		bw_search_free(search);
	}
	assert_int_equal(pruned[0], 0);
	assert_true(pruned[1] > 0);
}

/* Rules measure by the limits that are said: 2 blocks for each of 1000 SMs, 1 KiB of shared memory. */
static void rules_see_the_limits_that_are_said(void **state)
{
	struct bw_settings options = options_new();
	int idle = 0, shared = 0;
	options.parallelism = 1000;
	options.shared_block_kb = 1;
	struct bw_search *search = finished(&options, NULL);
	assert_true(bw_search_device(search)->sms == 1000);
	assert_ptr_equal(bw_search_settings(search)->device, devices);
	for (int d = 0; d < bw_search_n_decisions(search); d++) {
		const struct bw_state *const *states;
		for (int s = 0; s < bw_search_beam(search, d, &states); s++) {
			struct bw_expansion *expansion = bw_search_expand(search, d, s, NULL);
			for (int i = 0; i < expansion->n; i++) {
				const struct bw_option *option = &expansion->options[i];
				if (option->rule == BW_RULE_IDLE_SMS)
					assert_true(option->limit == 2000 && option->figure < 2000);
				if (option->rule == BW_RULE_SHARED)
					assert_true(option->limit == 1024 && option->figure > 1024);
				idle += option->rule == BW_RULE_IDLE_SMS;
				shared += option->rule == BW_RULE_SHARED;
			}
			bw_expansion_free(expansion);
		}
	}
	assert_true(idle > 0);
	assert_true(shared > 0);
	bw_search_free(search);
}

/* 0.5 to the power 1/26 is 0.973693: so often a child stays, drawn anew for every state. */
static void children_drop_out_as_often_as_said(void **state)
{
	struct bw_settings options = options_new();
	options.random_dropout = 50;
	struct bw_search *search = bw_search_new(harris, &options, NULL);
	struct bw_dropout dropout = bw_dropout_begin(search, 3);
	assert_true(dropout.stays > 0.9736926 && dropout.stays < 0.9736936);
	enum { DRAWS = 100000 };
	int out = 0;
	for (uint64_t i = 0; i < DRAWS; i++) {
		out += bw_dropped_out(&dropout, bw_hash_mix(1, i), 2);
		assert_false(bw_dropped_out(&dropout, bw_hash_mix(1, i), 1));
	}
	/* 2631 are expected, with a deviation of 51. */
	assert_in_range(out, 2631 - 4 * 51, 2631 + 4 * 51);
	bw_search_free(search);
	options.random_dropout = 100;
	search = bw_search_new(harris, &options, NULL);
	dropout = bw_dropout_begin(search, 3);
	for (uint64_t i = 0; i < 1000; i++)
		assert_false(bw_dropped_out(&dropout, i, 100));
	bw_search_free(search);
}

/* What dropped out is in no beam, is in the record, and is the same when the decision is made again. */
static void what_dropped_out_is_recorded(void **state)
{
	struct bw_settings options = options_new();
	options.random_dropout = 1;
	options.passes = 2;
	options.freezing = BW_FREEZING_OFF;
	struct bw_search *search = finished(&options, NULL);
	struct bw_search *other = finished(&options, NULL);
	long total = 0;
	for (int d = 0; d < bw_search_n_decisions(search); d++) {
		const struct bw_decision *decision = bw_search_decision(search, d), *twin = bw_search_decision(other, d);
		const struct bw_state *const *states;
		long out = 0, made_again = 0;
		assert_int_equal(decision->n_children, twin->n_children);
		for (int c = 0; c < decision->n_children; c++) {
			assert_false(decision->children[c].dropped_out && decision->children[c].kept >= 0);
			assert_int_equal(decision->children[c].kept, twin->children[c].kept);
			assert_int_equal(decision->children[c].dropped_out, twin->children[c].dropped_out);
			out += decision->children[c].dropped_out;
		}
		assert_int_equal(out, decision->dropped_out);
		for (int s = 0; s < bw_search_beam(search, d, &states) && d % 5 == 0; s++) {
			struct bw_expansion *expansion = bw_search_expand(search, d, s, NULL);
			for (int i = 0; i < expansion->n; i++)
				made_again += expansion->options[i].fate == BW_FATE_DROPPED_OUT;
			bw_expansion_free(expansion);
		}
		assert_true(d % 5 != 0 || made_again == out);
		assert_true(bw_search_beam(search, d + 1, &states) > 0);
		total += out;
	}
	assert_int_equal(bw_search_totals(search).dropped_out, total);
	assert_true(total > 0);
	bw_search_free(search);
	bw_search_free(other);
}

/* With these options, too, what is remembered of other states, or of a search under other options, changes nothing. */
static void what_is_remembered_changes_nothing(void **state)
{
	static const char *const said[] = {"search_space=block,thread", "search_space=root,inline", "disable_subtiling=1", "parallelism=1000", "shared_memory_limit_kb=4", "active_warp_limit=8", "random_dropout=5"};
	struct bw_settings plain = options_new();
	struct bw_search *first = finished(&plain, NULL);
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		struct bw_settings options = plain;
		struct bw_assignment assignment;
		struct bw_error error;
		const struct bw_state *const *states, *const *others;
		assert_true(bw_assignment_read(said[i], &assignment, &error) && bw_settings_assign(&assignment, devices, 1, &options, &error));
		struct bw_search *fork = bw_search_fork(first, &options, NULL);
		assert_int_equal(bw_search_advance(fork, bw_search_n_decisions(fork), NULL, &error), BW_SEARCH_DONE);
		struct bw_search *fresh = finished(&options, NULL);
		struct bw_search_totals totals = bw_search_totals(fork), expected = bw_search_totals(fresh);
		int n = bw_search_beam(fork, bw_search_n_decisions(fork), &states);
		assert_int_equal(bw_search_beam(fresh, bw_search_n_decisions(fresh), &others), n);
		for (int s = 0; s < n; s++)
			assert_true(states[s]->hash == others[s]->hash && states[s]->cost == others[s]->cost);
		assert_memory_equal(totals.pruned, expected.pruned, sizeof totals.pruned);
		assert_int_equal(totals.second, expected.second);
		assert_int_equal(totals.dropped_out, expected.dropped_out);
		bw_search_free(fork);
		bw_search_free(fresh);
	}
	bw_search_free(first);
}

/* out(x) = 0 of 4,096 points; out(2 * r) += 1 over 2,048 iterations that may run at once; out(0) += 1 over 8 that may not. */
static const char scatter[] = DESCRIPTION("",
	FUNC("out", "0", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", "") ","
		STAGE(RLOOP("r", "0", "2047", ",'parallel':true"), "[[2]]", "'add':{'float32':1}", READ("out", BOUND("['*'," MIN("r") ",2]", "['*'," MAX("r") ",2]"), "1", "[[2]]")) ","
		STAGE(RLOOP("s", "0", "7", ""), "[[0]]", "'add':{'float32':1}", READ("out", BOUND("0", "0"), "1", "[[0]]")), OUTPUT("[0,4096]")));

/* Of a plane: out(x, 2 * r) and out(2 * s, y), both loops in parallel. */
static const char rows_and_columns[] = DESCRIPTION("",
	FUNC("out", "0", "float32", XY, STAGE(LOOP_XY, EYE2, "", "") ","
		STAGE(RLOOP("r", "0", "31", ",'parallel':true") "," LOOP("x"), "[[0,1],[2,0]]", "", "") ","
		STAGE(RLOOP("s", "0", "31", ",'parallel':true") "," LOOP("y"), "[[2,0],[0,1]]", "", ""), OUTPUT("[0,64],[0,64]")));

/* The tiling of x has 4 serial sizes (1, 2, 4, 8) with 3 numbers of threads each (16, 32, 64), and that of r has them, too: 24 options, in which
 * the other loop has no serial size and as many threads as a warp. */
static void parallel_loops_of_updates_are_tiled(void **state)
{
	static const char *const threads[] = {"out root; block x; thread x 64; update 0: block r; thread r 64; update 1: serial s"};
	struct bw_settings options = options_new();
	struct bw_error error;
	const struct bw_state *const *states;
	struct bw_pipeline *pipeline = description_read(scatter);
	options.sampling = BW_SAMPLING_OFF;
	struct bw_search *search = bw_search_new(pipeline, &options, NULL);
	assert_int_equal(bw_search_advance(search, bw_search_n_decisions(search), NULL, &error), BW_SEARCH_DONE);
	struct bw_expansion *expansion = bw_search_expand(search, 1, 0, NULL);
	int of_x = 0, of_r = 0;
	assert_int_equal(expansion->n, 24);
	for (int i = 0; i < expansion->n; i++) {
		int64_t serial[BW_MAX_AXES], across[BW_MAX_AXES];
		bw_plan_sizes(pipeline, expansion->options[i].placement, serial, across);
		of_x += serial[1] == 1 && across[1] == 32;
		of_r += serial[0] == 1 && across[0] == 32;
	}
	assert_int_equal(of_x, 13); /* with the one of r that is just that */
	assert_int_equal(of_r, 13);
	bw_expansion_free(expansion);
	const char *const by_hand[] = {threads[0], NULL};
	struct bw_nest *nest = nest_of(pipeline, by_hand, NULL);
	struct bw_arena *arena = bw_arena_new();
	bw_search_beam(search, bw_search_n_decisions(search), &states);
	assert_true(states[0]->cost <= bw_cost_of(options.model, nest, options.device, arena).total);
	bw_arena_free(arena);
	bw_nest_drop(nest);
	bw_search_free(search);
	bw_pipeline_free(pipeline);
}

/* Of an update over 50 x 50 iterations that may run at once: no option is left that gives any kernel more threads than a block has, whatever the
 * softer rules say of another kernel. */
static void no_kernel_has_too_many_threads(void **state)
{
	static const char plane[] = DESCRIPTION("",
		FUNC("out", "0", "float32", XY, STAGE(LOOP_XY, EYE2, "", "") ","
			STAGE(RLOOP("r", "0", "49", ",'parallel':true") "," RLOOP("s", "0", "49", ",'parallel':true"), EYE2, "", ""), OUTPUT("[0,64],[0,64]")));
	struct bw_settings options = options_new();
	struct bw_error error;
	struct bw_pipeline *pipeline = description_read(plane);
	struct bw_arena *arena = bw_arena_new();
	options.sampling = BW_SAMPLING_OFF;
	struct bw_search *search = bw_search_new(pipeline, &options, NULL);
	assert_int_equal(bw_search_advance(search, bw_search_n_decisions(search), NULL, &error), BW_SEARCH_DONE);
	struct bw_expansion *expansion = bw_search_expand(search, 1, 0, NULL);
	struct bw_nest *none = bw_nest_new(pipeline);
	int left = 0, refused = 0;
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		struct bw_nest *nest = bw_nest_place(none, option->placement, NULL);
		bool exceeds = false;
		for (int s = 0; s < 2; s++)
			exceeds |= bw_nest_kernel(nest, 0, s, arena).n_threads > 1024;
		assert_true(!exceeds || (option->fate == BW_FATE_PRUNED && (option->rule == BW_RULE_THREADS || option->rule == BW_RULE_UNROLLED)));
		refused += exceeds;
		left += option->fate != BW_FATE_PRUNED;
		bw_nest_drop(nest);
	}
	assert_true(left > 0 && refused > 0);
	bw_nest_drop(none);
	bw_arena_free(arena);
	bw_expansion_free(expansion);
	bw_search_free(search);
	bw_pipeline_free(pipeline);
}

/* Neighbouring threads store next to each other: the Var x is innermost where it is, r where it walks the first dimension. */
static void loops_of_updates_stand_as_they_store(void **state)
{
	static const char *const entries[][2] = {
		{"out root 1x1x2x1/32x2x4x1", "out root; block y, x; thread y 2, x 32; update 0: block r, x; thread r 4, x 32; unrolled r 2; update 1: block y, s; thread y 2"},
		{"out root 1x4x1x2/32x2x1x8", "out root; block y, x; thread y 2, x 32; unrolled y 4; update 0: block r, x; thread x 32; update 1: block y, s; thread y 2, s 8; unrolled y 4, s 2"},
	};
	struct bw_pipeline *pipeline = description_read(rows_and_columns);
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		struct bw_error error;
		const struct bw_placement *sizes = bw_placement_parse(pipeline, entries[i][0], &error), *loops = bw_placement_parse(pipeline, entries[i][1], &error);
		assert_true(sizes && loops && bw_placement_equal(sizes, loops));
		bw_placement_drop(sizes);
		bw_placement_drop(loops);
	}
	bw_pipeline_free(pipeline);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_that_are_left_out_are_not_used),
		cmocka_unit_test(what_is_held_is_done_all_the_same),
		cmocka_unit_test(hosts_are_at_root_without_subtiling),
		cmocka_unit_test(rules_see_the_limits_that_are_said),
		cmocka_unit_test(children_drop_out_as_often_as_said),
		cmocka_unit_test(what_dropped_out_is_recorded),
		cmocka_unit_test(what_is_remembered_changes_nothing),
		cmocka_unit_test(parallel_loops_of_updates_are_tiled),
		cmocka_unit_test(no_kernel_has_too_many_threads),
		cmocka_unit_test(loops_of_updates_stand_as_they_store),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
