/* The best schedule of a search is legal when all of it is held, on the bundled pipelines: it costs the same. */
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/mem.h"
#include "search/search_private.h"

static struct bw_device *devices;

static int open_devices(void **state)
{
	devices = bundled_devices(NULL);
	return 0;
}

static int close_devices(void **state)
{
	free(devices);
	return 0;
}

static enum bw_search_status run(struct bw_search *search, struct bw_error *error)
{
	*error = (struct bw_error){0};
	return bw_search_advance(search, bw_search_n_decisions(search), NULL, error);
}

static const struct bw_state *best_of(struct bw_search *search)
{
	return bw_search_state(search, bw_search_reached(search), 0);
}

/* Holds all that a nest places. The caller frees the list, which borrows the placements. */
static struct bw_constraints hold(const struct bw_nest *nest)
{
	int n, *order = bw_nest_order(nest->pipeline, &n);
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, n);
	for (int i = 0; i < n; i++) {
		const struct bw_placement *placement = nest->placed[order[i]]->placement;
		list[i] = (struct bw_constraint){.placement = placement, .sizes = placement->tiled, .source = BW_CONSTRAINT_FILE};
	}
	free(order);
	return (struct bw_constraints){.n = n, .list = list};
}

static void best_of_bundled(void **state)
{
	static const char *const names[] = {"bgu", "bilateral_grid", "blur", "camera_pipe", "conv_layer", "cs6120_blur", "cs6120_roots", "cs6120_sum",
					    "depthwise_separable_conv", "harris", "hist_equalize", "iir_blur", "interpolate", "kwz", "learned_demosaic", "lens_blur",
					    "local_laplacian", "mat_mul", "max_filter", "nl_means", "pyramid_blend", "stencil_chain", "two_stencils", "unsharp"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct bw_pipeline *pipeline = bundled_pipeline(names[i]);
		struct bw_settings settings = bw_settings_default(devices);
		struct bw_error error;
		struct bw_search *search = bw_search_new(pipeline, &settings, NULL);
		assert_int_equal(run(search, &error), BW_SEARCH_DONE);
		struct bw_constraints held = hold(best_of(search)->nest);
		struct bw_search *again = bw_search_new(pipeline, &settings, &held);
		if (run(again, &error) != BW_SEARCH_DONE)
			fail_msg("%s: %s", names[i], error.text);
		if (best_of(again)->hash != best_of(search)->hash || best_of(again)->cost != best_of(search)->cost)
			fail_msg("%s: held %.9g, found %.9g", names[i], best_of(again)->cost, best_of(search)->cost);
		bw_search_free(again);
		free((void *)held.list);
		bw_search_free(search);
		bw_pipeline_free(pipeline);
	}
}

/* A search with one Func less held, or more, ends as one that begins with these. */
static void like_afresh(struct bw_search *fork, struct bw_search *afresh, int f)
{
	struct bw_error error, other;
	enum bw_search_status status = run(fork, &error);
	if (run(afresh, &other) != status || strcmp(error.text, other.text) != 0 || (status == BW_SEARCH_DONE && best_of(fork)->hash != best_of(afresh)->hash))
		fail_msg("Func %d: \"%s\" and afresh \"%s\"", f, error.text, other.text);
	bw_search_free(afresh);
}

/* In lens_blur's greatest kernel the vectors of output are aligned in shared memory only once all of the Funcs there are placed, random
 * last. So the search refuses them if random is let go, and if any other Func is, it waits for random, which is held. */
static void let_go_and_held_again(void **state)
{
	struct bw_pipeline *pipeline = bundled_pipeline("lens_blur");
	struct bw_settings settings = bw_settings_default(devices);
	struct bw_error error;
	struct bw_search *search = bw_search_new(pipeline, &settings, NULL);
	assert_int_equal(run(search, &error), BW_SEARCH_DONE);
	const struct bw_nest *nest = best_of(search)->nest;
	struct bw_constraints held = hold(nest);
	struct bw_constraint *list = (struct bw_constraint *)held.list;
	struct bw_search *all = bw_search_new(pipeline, &settings, &held);
	int let_go = 0, refused = 0;
	assert_int_equal(run(all, &error), BW_SEARCH_DONE);
	for (int i = 0; i < held.n; i++) {
		struct bw_constraint one = list[i];
		const struct bw_placed *placed = nest->placed[one.placement->func];
		if (placed->kernel_func != pipeline->n_funcs - 1)
			continue;
		list[i] = list[--held.n];
		struct bw_search *without = bw_search_fork(all, NULL, &held);
		like_afresh(without, bw_search_new(pipeline, &settings, &held), one.placement->func);
		refused += bw_search_reached(without) < bw_search_n_decisions(without);
		list[held.n++] = list[i];
		list[i] = one;
		struct bw_search *again = bw_search_fork(without, NULL, &held);
		like_afresh(again, bw_search_new(pipeline, &settings, &held), one.placement->func);
		assert_int_equal(bw_search_reached(again), bw_search_n_decisions(again));
		bw_search_free(again);
		bw_search_free(without);
		let_go++;
	}
	assert_true(let_go > 4 && refused == 1);
	bw_search_free(all);
	free(list);
	bw_search_free(search);
	bw_pipeline_free(pipeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(best_of_bundled),
		cmocka_unit_test(let_go_and_held_again),
	};
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
