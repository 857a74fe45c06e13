/* Funcs that follow what is held: those that read it, up to its host, are computed inside of that loop or inlined; the host has such a loop. What
 * nothing can follow is told with the held Func. Passes, freezing, the memo and forks make no difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../core/bundled.h"
#include "base/mem.h"
#include "schedule/schedule.h"
#include "search/search.h"

static struct bw_device *devices;
static struct bw_pipeline *harris;

static int open_all(void **state)
{
	(void)state;
	devices = bundled_devices(NULL);
	harris = bundled_pipeline("harris");
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	free(devices);
	bw_pipeline_free(harris);
	return 0;
}

static struct bw_constraint hold(const char *words)
{
	struct bw_error error = {0};
	const struct bw_placement *placement = bw_placement_parse(harris, words, &error);
	if (!placement)
		fail_msg("%s: %s", words, error.text);
	return (struct bw_constraint){.placement = placement, .source = BW_CONSTRAINT_FILE};
}

/* Y is read by Ix and Iy, these by Ixx, Iyy and Ixy, these by Sxx, Syy and Sxy, these by det and trace, and these by output. */
static const struct {
	const char *held, *follow; /* the Funcs that follow, with blanks around */
	const char *dead;          /* what the error says; NULL: there is a schedule */
} cases[] = {
	{"Y at output.thread", " output trace det Sxx Syy Sxy Ixx Iyy Ixy Ix Iy ", NULL},
	{"Y at output.block", " output trace det Sxx Syy Sxy Ixx Iyy Ixy Ix Iy ", NULL},
	{"Ixx at Sxx.block", " Sxx ", NULL},
	{"Iyy at det.thread", " output trace det Syy ", "output: no legal option for where: of 1 enumerated, pruned 1 by constraint (Iyy, held at det.thread, would be read outside of that loop)"},
	{"Sxy at det.thread", " det ", NULL},
	{"Y root", " ", NULL},
};

static void readers_follow(void **state)
{
	(void)state;
	static const int passes[] = {1, 5};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (size_t p = 0; p < sizeof passes / sizeof *passes; p++) {
			struct bw_error error = {0};
			struct bw_constraint held = hold(cases[i].held);
			struct bw_constraints constraints = {.n = 1, .list = &held};
			struct bw_search_options options = bw_search_options_default(devices);
			options.beam = 4;
			options.passes = passes[p];
			struct bw_search *free_one = bw_search_new(harris, &options, NULL);
			assert_int_equal(bw_search_advance(free_one, bw_search_n_decisions(free_one), NULL, &error), BW_SEARCH_DONE);
			struct bw_search *search = bw_search_new(harris, &options, &constraints), *fork = bw_search_fork(free_one, NULL, &constraints);
			bw_search_check_memo(search);
			for (int f = 0; f < harris->n_funcs; f++) {
				char name[40];
				snprintf(name, sizeof name, " %s ", harris->funcs[f].name);
				assert_int_equal(bw_search_followed(search, f, passes[p]) != NULL, strstr(cases[i].follow, name) != NULL);
			}
			enum bw_search_status status = bw_search_advance(search, bw_search_n_decisions(search), NULL, &error);
			if (cases[i].dead) {
				assert_int_equal(status, BW_SEARCH_DEAD);
				assert_string_equal(error.text, cases[i].dead);
			} else {
				const struct bw_state *const *states;
				int end = bw_search_n_decisions(search);
				if (status != BW_SEARCH_DONE)
					fail_msg("%s, %d passes: %s", cases[i].held, passes[p], error.text);
				bw_search_beam(search, end, &states);
				assert_true(bw_constraint_names(&held, states[0]->nest->placed[held.placement->func]->placement));
				assert_int_equal(bw_search_advance(fork, end, NULL, &error), BW_SEARCH_DONE);
				assert_int_equal(bw_search_digest(fork, end), bw_search_digest(search, end));
				assert_int_equal(bw_search_totals(search).memo.wrong, 0);
			}
			bw_search_free(fork);
			bw_search_free(search);
			bw_search_free(free_one);
			bw_placement_drop(held.placement);
		}
}

/* What is decided before the first Func that follows is shared with the search that holds nothing. */
static void forks_share_what_comes_before(void **state)
{
	(void)state;
	struct bw_error error = {0};
	struct bw_constraint held = hold("Ixx at Sxx.block");
	struct bw_constraints constraints = {.n = 1, .list = &held};
	struct bw_search_options options = bw_search_options_default(devices);
	options.beam = 4;
	struct bw_search *search = bw_search_new(harris, &options, NULL);
	assert_int_equal(bw_search_advance(search, bw_search_n_decisions(search), NULL, &error), BW_SEARCH_DONE);
	struct bw_search *fork = bw_search_fork(search, NULL, &constraints);
	assert_int_equal(bw_search_reached(fork), bw_search_find(search, bw_pipeline_find(harris, "Sxx"), BW_PHASE_WHERE, 1));
	bw_search_free(fork);
	bw_search_free(search);
	bw_placement_drop(held.placement);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_follow),
		cmocka_unit_test(forks_share_what_comes_before),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
