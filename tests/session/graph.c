/* The graph of harris under a schedule by hand: which kernel has what, the edges of the algorithm, what kernels read of each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "figures/family.h"
#include "figures/graph.h"
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
	(void)state;
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
	(void)state;
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
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_are_found),
		cmocka_unit_test(kernels_of_harris),
		cmocka_unit_test(the_graph_is_written),
	};
	return cmocka_run_group_tests_name("graph", tests, session_group_open, session_group_close);
}
