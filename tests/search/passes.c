/* Several passes: where they begin and end, that what a pass has found is not lost, and that beams are chosen with the penalties that a second,
 * simpler piece of code gives. How much memory a search takes, and its limit. */
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/hash.h"
#include "base/mem.h"
#include "nest/plan.h"
#include "search/search.h"

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

static struct bw_search *finished(int beam, int passes, uint64_t seed)
{
	struct bw_settings options = bw_settings_default(devices);
	options.model = &bw_roofline;
	struct bw_error error;
	options.polish = 0; /* which puts one more state into the last beam */
	options.beam = beam;
	options.passes = passes;
	options.freezing = BW_FREEZING_OFF;
	options.seed = seed;
	struct bw_search *search = bw_search_new(harris, &options, NULL);
	if (bw_search_advance(search, bw_search_n_decisions(search), NULL, &error) != BW_SEARCH_DONE)
		fail_msg("%s", error.text);
	return search;
}

/* harris has 13 Funcs that are decided: 26 decisions a pass, and one between two passes. */
static void passes_have_their_places(void **state)
{
	struct bw_search *search = finished(2, 3, 0);
	assert_int_equal(bw_search_n_decisions(search), 26 + 1 + 26 + 1 + 26);
	for (int pass = 1; pass <= 3; pass++) {
		const struct bw_state *const *states;
		int start = bw_search_pass_start(search, pass), end = bw_search_pass_end(search, pass);
		assert_int_equal(start, 27 * (pass - 1));
		assert_int_equal(end, start + 26);
		assert_int_equal(bw_search_pass(search, start), pass);
		assert_int_equal(bw_search_pass(search, end), pass);
		assert_int_equal(bw_search_decision(search, start)->phase, BW_PHASE_WHERE);
		assert_int_equal(bw_search_find(search, bw_search_decision(search, 0)->func, BW_PHASE_WHERE, pass), start);
		if (pass < 3)
			assert_int_equal(bw_search_decision(search, end)->phase, BW_PHASE_PASS);
		assert_int_equal(bw_search_beam(search, start, &states), 1);
		assert_null(states[0]->parent);
		assert_int_equal(states[0]->nest->n_placed, 0);
		assert_int_equal(bw_search_beam(search, end, &states), 2);
		assert_true(bw_nest_complete(states[0]->nest));
	}
	bw_search_free(search);
}

/* With no number of passes there are five, under a beam of one state one, as in Halide's anderson2021. */
static void none_said_are_five(void **state)
{
	static const int cases[][2] = {{2, 5}, {1, 1}};
	for (int i = 0; i < 2; i++) {
		struct bw_search *search = finished(cases[i][0], 0, 0), *said = finished(cases[i][0], cases[i][1], 0);
		int end = bw_search_n_decisions(said);
		assert_int_equal(end, 27 * cases[i][1] - 1);
		assert_int_equal(bw_search_n_decisions(search), end);
		assert_int_equal(bw_search_pass(search, end), cases[i][1]);
		assert_true(bw_search_digest(search, end) == bw_search_digest(said, end));
		assert_int_equal(bw_search_settings(search)->passes, 0);
		bw_search_free(search);
		bw_search_free(said);
	}
}

/* The best schedule of all passes is the best one at the end of the last; the end of a pass is in order of cost. */
static void what_was_found_stays_found(void **state)
{
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct bw_search *search = finished(4, 4, seed);
		double before = 1e30;
		for (int pass = 1; pass <= 4; pass++) {
			const struct bw_state *const *states;
			int n = bw_search_beam(search, bw_search_pass_end(search, pass), &states);
			for (int s = 1; s < n; s++)
				assert_true(states[s - 1]->cost <= states[s]->cost);
			assert_true(states[0]->cost <= before);
			before = states[0]->cost;
		}
		bw_search_free(search);
	}
}

/* A child as the slow choice of a beam sees it. */
struct child {
	double cost;
	uint64_t hash;
	struct bw_nest *nest;
	uint64_t counted; /* of it, its structure and in the first pass the size of the tiling that was decided */
	int penalty;
	bool looked_at, gone;
};

/* Structures that the good schedules of the first pass went through. Returns how many. */
static int blessed_by(const struct bw_search *search, uint64_t *list, int most)
{
	const struct bw_state *const *states;
	int n = 0, end = bw_search_beam(search, bw_search_pass_end(search, 1), &states);
	for (int s = 0; s < end; s++)
		for (const struct bw_state *state = states[s]; state && states[s]->cost <= 1.2 * states[0]->cost; state = state->parent) {
			assert_true(n < most);
			list[n++] = bw_nest_structure(state->nest, 1);
		}
	for (int s = 0; s < end; s++)
		assert_int_equal(bw_search_blesses(search, bw_search_pass_end(search, 1), s), states[s]->cost <= 1.2 * states[0]->cost);
	return n;
}

static bool is_one_of(uint64_t value, const uint64_t *list, int n)
{
	for (int i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return false;
}

/* The class of a Func's blocks: 0 if they have fewer than 4 points, 1 if fewer than 16, 2 if fewer than 64, and so on. */
static uint64_t class_of(const struct bw_nest *nest, int func)
{
	int64_t points = 1, serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	uint64_t class = 0;
	bw_plan_sizes(harris, nest->placed[func]->placement, serial, threads);
	for (int d = 0; d < harris->funcs[func].n_dims; d++)
		points *= serial[d] * threads[d];
	while (points > (4LL << 2 * class) - 1)
		class++;
	return class;
}

/* In the first pass blocks of several sizes are told apart, where their Func was just tiled. In a single pass with a beam of 16 or more states those of harris's
 * one output are besides: not where it is the Func that is decided. */
static uint64_t counted(const struct bw_search *search, const struct bw_decision *decision, const struct bw_nest *nest)
{
	const struct bw_placement *placement = nest->placed[decision->func]->placement;
	const struct bw_settings *options = bw_search_settings(search);
	uint64_t structure = bw_nest_structure(nest, decision->pass);
	int output = bw_search_decision(search, 0)->func;
	if (options->passes == 1 && options->beam >= 16)
		structure = bw_hash_mix(structure, decision->func == output ? 0 : bw_hash_mix(0, class_of(nest, output)));
	if (decision->pass > 1 || decision->phase != BW_PHASE_TILE || placement->compute.kind != BW_SITE_ROOT)
		return structure;
	return bw_hash_mix(structure, class_of(nest, decision->func));
}

static struct child *cheapest(struct child *children, int n, const struct child *but)
{
	struct child *best = NULL;
	for (int i = 0; i < n; i++) {
		struct child *child = &children[i];
		double cost = child->cost * child->penalty, least = best ? best->cost * best->penalty : 0;
		if (!child->gone && child != but && (!best || cost < least || (cost == least && best->looked_at && !child->looked_at)))
			best = child;
	}
	return best;
}

/* Chooses a beam by looking through all children each time. Returns how many; *kept are their indices. */
static int choose(struct child *children, int n, int beam, int pass, const uint64_t *blessed, int n_blessed, int *kept)
{
	int n_kept = 0, n_seen = 0;
	uint64_t *seen = BW_NEW_ARRAY(uint64_t, n);
	for (struct child *child; n_kept < beam && (child = cheapest(children, n, NULL));) {
		bool twin = false;
		for (int k = 0; k < n_kept; k++)
			twin |= children[kept[k]].hash == child->hash;
		if (!twin && !child->looked_at) {
			child->looked_at = true;
			for (int i = 0; i < n_seen; i++)
				child->penalty += seen[i] == child->counted;
			seen[n_seen++] = child->counted;
			if (pass > 1 && !is_one_of(bw_nest_structure(child->nest, pass - 1), blessed, n_blessed))
				child->penalty += 10;
			struct child *other = cheapest(children, n, child);
			if (child->penalty > 1 && other && other->cost * other->penalty < child->cost * child->penalty)
				continue;
		}
		child->gone = true;
		if (!twin)
			kept[n_kept++] = (int)(child - children);
	}
	free(seen);
	return n_kept;
}

/* What is said of a penalty is what it was made of. */
static void explains(const struct bw_search *search, int d, const struct child *child, const uint64_t *blessed, int n_blessed)
{
	int pass = bw_search_decision(search, d)->pass;
	struct bw_steering steering = bw_search_steering(search, d, child->nest);
	assert_true(steering.penalized);
	assert_int_equal(steering.depth, pass);
	assert_true(steering.structure == child->counted);
	assert_int_equal(steering.judged, pass > 1);
	assert_int_equal(steering.blessed, pass > 1 && is_one_of(bw_nest_structure(child->nest, pass - 1), blessed, n_blessed));
	assert_true(child->penalty > (steering.judged && !steering.blessed ? BW_PENALTY_UNBLESSED : 0));
}

static void choose_as(int beam, int passes)
{
	enum { BEAM = 16 };
	struct bw_search *search = finished(beam, passes, 3);
	uint64_t blessed[BEAM * 32];
	int n_blessed = passes > 1 ? blessed_by(search, blessed, BEAM * 32) : 0, penalties = 0, unblessed = 0;
	for (int d = 0; d < bw_search_n_decisions(search); d++) {
		const struct bw_decision *decision = bw_search_decision(search, d);
		const struct bw_state *const *states;
		if (decision->phase == BW_PHASE_PASS || d + 1 == bw_search_pass_end(search, decision->pass))
			continue;
		struct bw_expansion *expansions[BEAM] = {NULL};
		struct child *children = BW_NEW_ARRAY(struct child, decision->n_children);
		int n_states = bw_search_beam(search, d, &states), kept[BEAM];
		for (int s = 0; s < n_states; s++)
			expansions[s] = bw_search_expand(search, d, s, NULL);
		for (int c = 0; c < decision->n_children; c++) {
			const struct bw_child *child = &decision->children[c];
			const struct bw_option *option = &expansions[child->parent]->options[child->option];
			children[c] = (struct child){child->cost, option->hash, option->nest, counted(search, decision, option->nest), 1, false, false};
		}
		int n = choose(children, decision->n_children, beam, decision->pass, blessed, n_blessed, kept);
		assert_int_equal(n, decision->kept);
		for (int k = 0; k < n; k++) {
			assert_int_equal(decision->children[kept[k]].kept, k);
			assert_int_equal(decision->children[kept[k]].penalty, children[kept[k]].penalty);
		}
		for (int c = 0; c < decision->n_children; c++) {
			if (children[c].looked_at)
				explains(search, d, &children[c], blessed, n_blessed);
			penalties += children[c].penalty > 1;
			unblessed += children[c].penalty > 10;
		}
		for (int s = 0; s < n_states; s++)
			bw_expansion_free(expansions[s]);
		free(children);
	}
	assert_true(penalties > 100);
	assert_true(passes == 1 || unblessed > 5);
	bw_search_free(search);
}

static void beams_are_chosen_with_penalties(void **state)
{
	choose_as(6, 2);
	choose_as(16, 1);
}

/* A search that remembers more than it may stops and says so; with more it goes on, and finds what it would have found. */
static void memory_is_limited(void **state)
{
	struct bw_settings options = bw_settings_default(devices);
	struct bw_error error = {0};
	options.beam = 8;
	options.passes = 3;
	struct bw_search *all = bw_search_new(harris, &options, NULL);
	int n = bw_search_n_decisions(all);
	assert_int_equal(bw_search_advance(all, n, NULL, &error), BW_SEARCH_DONE);
	options.memory_limit = bw_search_bytes(all) / 2;
	struct bw_search *search = bw_search_new(harris, &options, NULL);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(bw_search_advance(search, n, NULL, &error), BW_SEARCH_DEAD);
		assert_int_equal(error.kind, BW_ERROR_FAILED);
		assert_non_null(strstr(error.text, "more than memory_limit allows"));
		assert_null(strstr(error.text, " 0.0 MB"));
	}
	int reached = bw_search_reached(search);
	assert_in_range(reached, n / 4, 3 * n / 4);
	assert_true(bw_search_bytes(search) > options.memory_limit);
	options.memory_limit = 0;
	struct bw_search *more = bw_search_fork(search, &options, NULL);
	assert_int_equal(bw_search_reached(more), reached);
	assert_int_equal(bw_search_advance(more, n, NULL, &error), BW_SEARCH_DONE);
	assert_true(bw_search_digest(more, n) == bw_search_digest(all, n));
	bw_search_free(all);
	bw_search_free(search);
	bw_search_free(more);
}

static int64_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();
	return (int64_t)(info.uordblks + info.hblkhd);
}

/* What a search is said to take is given back when it is freed: what its states share counts once. */
static void bytes_are_what_is_freed(void **state)
{
	struct bw_error error = {0};
	struct bw_settings options = bw_settings_default(devices);
	struct bw_pipeline *deep = bundled_pipeline("local_laplacian");
	options.passes = 2;
	for (int i = 0; i < 2; i++) {
		struct bw_search *search = bw_search_new(i ? deep : harris, &options, NULL);
		assert_int_equal(bw_search_advance(search, bw_search_n_decisions(search), NULL, &error), BW_SEARCH_DONE);
		int64_t said = bw_search_bytes(search), before = allocated();
		bw_search_free(search);
		int64_t freed = before - allocated();
		if (freed > 0 && fabs((double)said / (double)freed - 1) > 0.1) /* 0 under sanitizers */
			fail_msg("%s: %lld bytes are said, %lld freed", i ? "local_laplacian" : "harris", (long long)said, (long long)freed);
	}
	bw_pipeline_free(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_have_their_places), cmocka_unit_test(memory_is_limited), cmocka_unit_test(bytes_are_what_is_freed),
		cmocka_unit_test(none_said_are_five),
		cmocka_unit_test(what_was_found_stays_found),
		cmocka_unit_test(beams_are_chosen_with_penalties),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
