/* The lineage of a search: the way of the best as the states themselves have it, who survives, costs, copies and classes of costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "figures/lineage.h"
#include "session/option_list.h"
#include "session_test.h"

/* The cheapest of the children that rank behind all that are kept; 0: there is none. */
static double cheapest_behind(const struct bw_decision *decision)
{
	int last = -1;
	double cost = 0;
	for (int i = 0; i < decision->n_recorded; i++)
		if (decision->children[i].kept >= 0 && bw_child_place(decision, &decision->children[i]) > last)
			last = bw_child_place(decision, &decision->children[i]);
	for (int i = 0; i < decision->n_recorded; i++)
		if (bw_child_place(decision, &decision->children[i]) > last && (cost == 0 || decision->children[i].cost < cost))
			cost = decision->children[i].cost;
	return cost;
}

static void the_way_of_the_best(void **state)
{
	(void)state;
	struct bw_session *session = session_open_on("harris", 8);
	struct bw_arena *arena = bw_arena_new();
	free(session_do(session, "run end"));
	struct bw_lineage lineage = bw_lineage_of(session->search, arena);
	const struct bw_state *const *states;
	int n = bw_search_beam(session->search, lineage.n, &states);
	assert_int_equal(lineage.n, bw_search_n_decisions(session->search));
	const struct bw_state *best = states[0];
	assert_int_equal(lineage.steps[lineage.n - 1].n_survivors, n);
	for (int k = lineage.n - 1; k >= 0; k--) {
		const struct bw_lineage_step *step = &lineage.steps[k];
		const struct bw_decision *decision = bw_search_decision(session->search, k);
		n = bw_search_beam(session->search, k + 1, &states);
		assert_int_equal(step->n, n);
		assert_ptr_equal(states[step->winner], best);
		assert_true(step->winner_cost == best->cost && step->best <= best->cost && best->cost <= step->worst);
		assert_true(step->best == states[0]->cost);
		assert_true(step->cut == cheapest_behind(decision));
		assert_true(step->n_survivors >= 1 && step->n_survivors <= n && step->n_kinds >= 1 && step->n_kinds <= n);
		assert_true(k == lineage.n - 1 || step->n_survivors <= lineage.steps[k + 1].n_survivors);
		int children[7], kept[7], all = 0, good = 0;
		bw_lineage_histogram(decision, 1.5, 7, children, kept);
		for (int i = 0; i < 7; i++) {
			all += children[i];
			good += kept[i];
		}
		assert_int_equal(all, decision->n_recorded);
		/* A state that polishing made is no child. */
		const struct bw_polish *polish = bw_search_polish(session->search, k + 1);
		assert_int_equal(good, n - (polish && polish->n > 0));
		best = best->parent;
	}
	/* Up to `common` one state alone has descendants, and after it several. */
	assert_true(lineage.common == 0 || lineage.steps[lineage.common - 1].n_survivors == 1);
	assert_true(lineage.common == lineage.n || lineage.steps[lineage.common].n_survivors > 1);
	/* From `decided` on the winner's ancestor is the cheapest state, and before it is not. */
	assert_true(lineage.decided <= 0 || lineage.steps[lineage.decided - 1].winner != 0);
	for (int k = lineage.decided; k >= 0 && k < lineage.n; k++)
		assert_int_equal(lineage.steps[k].winner, 0);
	bw_arena_free(arena);
	session_close(session);
}

static void it_is_written(void **state)
{
	(void)state;
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_arena *arena = bw_arena_new();
	char *text = session_do(session, "view --json search");
	json_t *json = json_loads(text, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(json, "decisions")), 0);
	json_decref(json);
	free(text);
	free(session_do(session, "run end"));
	text = session_do(session, "view --json search");
	json = json_loads(text, 0, NULL);
	struct bw_lineage lineage = bw_lineage_of(session->search, arena);
	for (int k = 0; k < lineage.n; k++) {
		const json_t *step = json_array_get(json_object_get(json, "decisions"), (size_t)k);
		assert_true(json_real_value(json_object_get(step, "best")) == lineage.steps[k].best);
		assert_int_equal(json_integer_value(json_object_get(step, "winner")), lineage.steps[k].winner + 1);
		assert_int_equal(json_array_size(json_object_get(step, "survivors")), lineage.steps[k].n_survivors);
		assert_int_equal(json_integer_value(json_array_get(json_object_get(step, "parents"), 0)), lineage.steps[k].lines[0].parent + 1);
	}
	const struct bw_polish *polish = bw_search_polish(session->search, lineage.n);
	json_t *polished = json_object_get(json, "polish");
	assert_true((polished != NULL) == (polish && polish->n));
	if (polished) {
		assert_int_equal(json_integer_value(json_object_get(polished, "changes")), polish->n);
		assert_true(json_real_value(json_object_get(polished, "after")) == polish->steps[polish->n - 1].after);
	}
	json_decref(json);
	free(text);
	bw_arena_free(arena);
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_way_of_the_best),
		cmocka_unit_test(it_is_written),
	};
	return cmocka_run_group_tests_name("lineage", tests, session_group_open, session_group_close);
}
