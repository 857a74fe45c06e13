/* The graph of harris under a schedule by hand: which kernel has what, the edges of the algorithm, what kernels read of each other. */
#include <math.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "figures/attribution.h"
#include "figures/graph.h"
#include "figures/lineage.h"
#include "session/explain.h"
#include "session/option_list.h"
#include "session_test.h"

static const char schedule[] = "apply {output root 1x4/32x8 | trace inline | det inline | Sxx inline | Syy inline | Sxy inline | Ixx inline | Iyy inline | Ixy inline | "
			       "Ix root 1x4/32x8 | Iy at output.block 1x2 | Y inline | input_im inline}";

static struct bw_session *scheduled(void)
{
	struct bw_session *session = session_open_on("harris", 4);
	free(session_do(session, schedule));
	free(session_do(session, "run end"));
	return session;
}

static int find(const struct bw_session *session, const char *name)
{
	int func = bw_pipeline_find(session->pipeline, name);
	assert_true(func >= 0);
	return func;
}

static bool has(const struct bw_session *session, const struct bw_graph_edge *edges, int n, const char *from, const char *to)
{
	for (int i = 0; i < n; i++)
		if (edges[i].from == find(session, from) && edges[i].to == find(session, to))
			return true;
	return false;
}

static void kernels_of_harris(void **state)
{
	struct bw_session *session = scheduled();
	struct bw_arena *arena = bw_arena_new();
	const struct bw_cost *cost = bw_session_cost(session);
	struct bw_graph graph = bw_graph_of(bw_session_state(session)->nest, cost, arena);
	static const struct {
		const char *func, *kernel;
		enum bw_graph_kind kind;
	} expected[] = {
		{"output", "output", BW_GRAPH_KERNEL}, {"det", "output", BW_GRAPH_INLINED}, {"Ixx", "output", BW_GRAPH_INLINED}, {"Iy", "output", BW_GRAPH_INSIDE},
		{"Ix", "Ix", BW_GRAPH_KERNEL}, {"input", "input", BW_GRAPH_INPUT},
	};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		const struct bw_graph_func *func = &graph.funcs[find(session, expected[i].func)];
		assert_int_equal(func->kind, expected[i].kind);
		assert_int_equal(func->kernel, find(session, expected[i].kernel));
	}
	/* The algorithm's edges: output reads det and trace, both derivatives Y. */
	assert_true(has(session, graph.edges, graph.n_edges, "det", "output") && has(session, graph.edges, graph.n_edges, "trace", "output"));
	assert_true(has(session, graph.edges, graph.n_edges, "Y", "Ix") && has(session, graph.edges, graph.n_edges, "Y", "Iy"));
	assert_false(has(session, graph.edges, graph.n_edges, "Y", "output"));
	/* Both kernels read the input through Y and input_im; output reads Ix besides. */
	assert_int_equal(graph.n_links, 3);
	assert_true(has(session, graph.links, graph.n_links, "input", "Ix") && has(session, graph.links, graph.n_links, "input", "output") && has(session, graph.links, graph.n_links, "Ix", "output"));
	double sum = 0;
	for (int f = 0; f < graph.n; f++)
		sum += graph.funcs[f].kernel_share;
	assert_true(fabs(sum - 1) < 1e-9);
	assert_int_equal(graph.funcs[find(session, "output")].n_inside + graph.funcs[find(session, "Ix")].n_inside, 11);
	bw_arena_free(arena);
	session_close(session);
}

static void the_graph_is_written(void **state)
{
	struct bw_session *session = scheduled();
	struct bw_arena *arena = bw_arena_new();
	struct bw_graph graph = bw_graph_of(bw_session_state(session)->nest, bw_session_cost(session), arena);
	char *text = session_do(session, "view --json graph");
	json_t *json = json_loads(text, 0, NULL), *funcs = json_object_get(json, "funcs");
	assert_int_equal(json_array_size(funcs), graph.n);
	for (int f = 0; f < graph.n; f++) {
		const json_t *func = json_array_get(funcs, (size_t)f);
		assert_string_equal(json_string_value(json_object_get(func, "func")), session->pipeline->funcs[f].name);
		assert_string_equal(json_string_value(json_object_get(func, "is")), bw_graph_word(graph.funcs[f].kind));
		assert_true(json_real_value(json_object_get(func, "share")) == graph.funcs[f].share);
	}
	assert_int_equal(json_array_size(json_object_get(json, "reads")), graph.n_edges);
	assert_int_equal(json_array_size(json_object_get(json, "kernel_reads")), graph.n_links);
	json_decref(json);
	free(text);
	struct bw_text line = {0};
	bw_text_printf(&line, "export %s", session_path("graph.dot"));
	free(session_do(session, bw_text_get(&line)));
	char *dot = session_read("graph.dot");
	assert_non_null(strstr(dot, "  subgraph \"cluster_output\" {\n"));
	assert_non_null(strstr(dot, "  \"det\" -> \"output\";\n"));
	assert_non_null(strstr(dot, "    \"Ixx\" [shape=plaintext];\n"));
	free(dot);
	bw_text_free(&line);
	bw_arena_free(arena);
	session_close(session);
}

/* Names that differ in numbers alone are a family of at least three: the levels of the pyramids, but neither the two collapsed2$1 and
 * collapsed2$1_wide, nor an input. */
static void families_are_found(void **state)
{
	struct bw_session *session = session_open_on("local_laplacian", 1);
	struct bw_arena *arena = bw_arena_new();
	const struct bw_pipeline *pipeline = session->pipeline;
	struct bw_families families = bw_families_of(pipeline, arena);
	int gray0 = bw_pipeline_find(pipeline, "gray0"), gray7 = bw_pipeline_find(pipeline, "gray7"), luma = bw_pipeline_find(pipeline, "luma");
	assert_string_equal(bw_family_name(pipeline, bw_pipeline_find(pipeline, "remapped_rows1"), arena), "remapped_rows*");
	assert_true(families.of[gray0] == families.of[gray7] && families.size[gray0] == 8 && families.size[gray7] == 8);
	assert_true(families.of[luma] == luma && families.size[luma] == 1);
	for (int f = 0; f < pipeline->n_funcs; f++)
		assert_true(families.size[f] == 1 || (families.size[f] >= BW_FAMILY_LEAST && !pipeline->funcs[f].input));
	assert_true(bw_family_folded(session, &families, gray7) && !bw_family_folded(session, &families, luma));
	free(session_do(session, "unfold gray3"));
	assert_false(bw_family_folded(session, &families, gray7));
	free(session_do(session, "fold stages"));
	assert_true(bw_family_folded(session, &families, gray0));
	bw_arena_free(arena);
	session_close(session);
}

/* The lineage of a search: the way of the best as the states themselves have it, who survives, costs, copies and classes of costs. */

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

/* From `leads` on the winner's ancestor is the cheapest state, and before it is not. What decided is the decision with the greatest regret, and its
 * parent had at least two live options, counted by making the options again. What polishing put in its place is what the best state has, and is said
 * with it. Returns true if it did. */
static bool check_decided(struct bw_session *session, const struct bw_lineage *lineage)
{
	assert_true(lineage->leads <= 0 || lineage->steps[lineage->leads - 1].winner != 0);
	for (int k = lineage->leads; k >= 0 && k < lineage->n; k++)
		assert_int_equal(lineage->steps[k].winner, 0);
	bw_regrets_finish(session, INT_MAX);
	const struct bw_regret *most = bw_regret_most(session);
	int n, costed = 0;
	const struct bw_regret *list = bw_regrets(session, &n);
	assert_true(n > 0);
	for (int i = 0; i < n; i++)
		assert_true(list[i].cost > 0 && list[i].cost <= most->cost);
	int k = most->decision;
	struct bw_expansion *expansion = bw_search_expand(session->search, k, lineage->steps[k].lines[lineage->steps[k].winner].parent, NULL);
	for (int i = 0; i < expansion->n; i++)
		costed += expansion->options[i].cost > 0;
	assert_true(costed > 1 && lineage->steps[k].winner == most->rank);
	bw_expansion_free(expansion);
	struct bw_text words = {0}, stands = {0};
	bw_decided_words(session, &words);
	assert_int_equal(strstr(bw_text_get(&words), ", which polishing changed to ") != NULL, most->stands != NULL);
	if (most->stands) {
		bw_placement_words(session->pipeline, most->stands, &stands);
		const char *from = strchr(bw_text_get(&stands), ' ') + 1;
		assert_non_null(strstr(bw_text_get(&words), from));
		assert_false(bw_placement_equal(most->stands, most->taken));
		assert_ptr_equal(most->stands, bw_search_state(session->search, lineage->n, 0)->nest->placed[most->stands->func]->placement);
	}
	bw_text_free(&words);
	bw_text_free(&stands);
	return most->stands;
}

static void the_way_of_the_best(void **state)
{
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
	check_decided(session, &lineage);
	bw_arena_free(arena);
	session_close(session);
}

/* A decision with one option decides nothing; a schedule that is held whole is decided nowhere. */
static void what_had_one_option_decided_nothing(void **state)
{
	(void)state;
	static const char *const pipelines[] = {"camera_pipe", "harris", "two_stencils", "kwz", "cs6120_blur"};
	struct bw_arena *arena = bw_arena_new();
	int replaced = 0;
	for (int i = 0; i < 10; i++) {
		struct bw_session *session = session_open_on(pipelines[i / 2], 8);
		free(session_do(session, i % 2 ? "set cost_model=roofline" : "set cost_model=latency"));
		free(session_do(session, "run end"));
		struct bw_lineage lineage = bw_lineage_of(session->search, arena);
		replaced += check_decided(session, &lineage);
		session_close(session);
	}
	assert_true(replaced > 0);
	struct bw_session *session = session_open_on("two_stencils", 4);
	free(session_do(session, "freeze {output root 1x4/32x8 | intermed root 1x4/32x8 | input_im inline}"));
	free(session_do(session, "run end"));
	struct bw_lineage lineage = bw_lineage_of(session->search, arena);
	assert_true(lineage.n > 0 && lineage.leads >= 0);
	bw_regrets_finish(session, INT_MAX);
	assert_null(bw_regret_most(session));
	assert_int_equal(lineage.tightest, -1);
	session_close(session);
	session = session_open_on("cs6120_sum", 2);
	free(session_do(session, "run end"));
	lineage = bw_lineage_of(session->search, arena);
	assert_int_equal(lineage.steps[lineage.n - 1].winner, 0);
	assert_int_equal(lineage.tightest, -1); /* the cheapest state cannot be lost */
	session_close(session);
	bw_arena_free(arena);
}

static void it_is_written(void **state)
{
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

/* The split of a stage's cost over what is inlined into it: on harris, where Sxx is a sum of nine calls of Ixx, and Ixx is a square of Ix. */

static void parts_of_a_stage(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_arena *arena = bw_arena_new();
	free(session_do(session, "apply {output root 1x4/32x8 | trace inline | det inline | Sxx root 1x4/32x8 | Syy inline | Sxy inline | Ixx inline | Iyy inline | Ixy inline | Ix root 1x4/32x8 | Iy root 1x4/32x8 | Y root 1x4/32x8 | input_im inline}"));
	free(session_do(session, "run end"));
	const struct bw_nest *nest = bw_session_state(session)->nest;
	const struct bw_cost *cost = bw_session_cost(session);
	int n, sxx = bw_pipeline_find(session->pipeline, "Sxx"), ixx = bw_pipeline_find(session->pipeline, "Ixx");
	const struct bw_stage_cost *stage = &cost->stages[session->pipeline->funcs[sxx].first_stage];
	struct bw_part *parts = bw_parts_of(nest, sxx, 0, session->options.model, stage, session->options.device, arena, &n);
	assert_int_equal(n, 2);
	double sum = 0;
	for (int i = 0; i < n; i++) {
		sum += parts[i].ms;
		assert_true(parts[i].ms >= 0 && parts[i].calls == (parts[i].func == ixx ? 9 : 1));
	}
	assert_true(fabs(sum / stage->ms - 1) < 1e-12);
	/* Sxx adds nine squares of Ixx: the arithmetic is all spent, on nine products at least. */
	int n_spent;
	const struct bw_spent *spent = bw_spent_of(nest, sxx, 0, stage, session->options.device, arena, &n_spent);
	double all = 0, products = 0;
	for (int i = 0; i < n_spent; i++) {
		all += spent[i].ms;
		products += spent[i].operation == BW_OPERATION_MUL ? spent[i].count : 0;
		assert_true(i == 0 || spent[i].ms <= spent[i - 1].ms);
	}
	assert_true(n_spent > 1 && fabs(all / stage->terms[BW_TERM_ARITHMETIC] - 1) < 1e-12 && products >= 9);
	/* All loads are Ixx's, which reads Ix; a Func without anything inlined has its cost alone. */
	double loading = stage->terms[BW_TERM_GLOBAL_LOAD];
	assert_true(parts[parts[0].func == ixx ? 0 : 1].ms > loading && loading > 0);
	int ix = bw_pipeline_find(session->pipeline, "Ix");
	stage = &cost->stages[session->pipeline->funcs[ix].first_stage];
	parts = bw_parts_of(nest, ix, 0, session->options.model, stage, session->options.device, arena, &n);
	assert_int_equal(n, 1);
	assert_true(parts[0].func == ix && fabs(parts[0].ms / stage->ms - 1) < 1e-12);
	bw_arena_free(arena);
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_are_found), cmocka_unit_test(kernels_of_harris),
		cmocka_unit_test(the_graph_is_written), cmocka_unit_test(the_way_of_the_best), cmocka_unit_test(what_had_one_option_decided_nothing),
		cmocka_unit_test(it_is_written), cmocka_unit_test(parts_of_a_stage),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
