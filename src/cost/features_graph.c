/* The edges of a pipeline's graph, in the order of Halide's autoscheduler. */
#include <string.h>

#include "cost/features_private.h"

bool bw_func_wraps_input(const struct bw_pipeline *pipeline, const struct bw_func *func)
{
	if (!func->wrapper || func->n_stages != 1)
		return false;
	for (int r = 0; r < func->stages[0].n_reads; r++)
		if (!pipeline->funcs[func->stages[0].reads[r].producer].input)
			return false;
	return true;
}

static void collect_edges(struct bw_loop_tree *tree)
{
	const struct bw_pipeline *pipeline = tree->pipeline;
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			n += pipeline->funcs[f].stages[s].n_reads;
	struct bw_edge *edges = BW_ARENA_ARRAY(tree->arena, struct bw_edge, n + 1);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			for (int r = 0; r < pipeline->funcs[f].stages[s].n_reads; r++) {
				const struct bw_read *read = &pipeline->funcs[f].stages[s].reads[r];
				if (!pipeline->funcs[read->producer].input && read->producer != f)
					edges[tree->n_edges++] = (struct bw_edge){read->producer, f, s, read->calls, read};
			}
	tree->edges = edges;
}

/* Inserts an edge into a list that is sorted by the producers' names. */
static void insert_by_name(const struct bw_loop_tree *tree, int *list, int n, int edge)
{
	const struct bw_func *funcs = tree->pipeline->funcs;
	for (; n > 0 && strcmp(funcs[tree->edges[list[n - 1]].producer].name,
			       funcs[tree->edges[edge].producer].name) > 0;
	     n--)
		list[n] = list[n - 1];
	list[n] = edge;
}

static void link_edges(struct bw_loop_tree *tree)
{
	const struct bw_pipeline *pipeline = tree->pipeline;
	struct bw_arena *arena = tree->arena;
	tree->incoming = BW_ARENA_ARRAY(arena, int *, pipeline->n_stages + 1);
	tree->n_incoming = BW_ARENA_ARRAY(arena, int, pipeline->n_stages + 1);
	tree->outgoing = BW_ARENA_ARRAY(arena, int *, pipeline->n_funcs);
	tree->n_outgoing = BW_ARENA_ARRAY(arena, int, pipeline->n_funcs);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		int readers = 0;
		for (int e = 0; e < tree->n_edges; e++)
			readers += tree->edges[e].producer == f;
		tree->outgoing[f] = BW_ARENA_ARRAY(arena, int, readers + 1);
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			tree->incoming[pipeline->funcs[f].first_stage + s] =
			    BW_ARENA_ARRAY(arena, int, pipeline->funcs[f].stages[s].n_reads + 1);
	}
	for (int e = 0; e < tree->n_edges; e++) {
		const struct bw_edge *edge = &tree->edges[e];
		int stage = pipeline->funcs[edge->consumer].first_stage + edge->stage;
		insert_by_name(tree, tree->incoming[stage], tree->n_incoming[stage]++, e);
		tree->outgoing[edge->producer][tree->n_outgoing[edge->producer]++] = e;
	}
}

static void find_dependencies(struct bw_loop_tree *tree)
{
	const struct bw_pipeline *pipeline = tree->pipeline;
	tree->depends = BW_ARENA_ARRAY(tree->arena, bool *, pipeline->n_stages + 1);
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++) {
			int number = pipeline->funcs[f].first_stage + s;
			bool *depends = tree->depends[number] = BW_ARENA_ARRAY(tree->arena, bool, pipeline->n_funcs);
			for (int i = 0; i < tree->n_incoming[number]; i++) {
				const struct bw_func *producer = &pipeline->funcs[tree->edges[tree->incoming[number][i]].producer];
				depends[producer - pipeline->funcs] = true;
				for (int t = 0; t < producer->n_stages; t++)
					for (int g = 0; g < pipeline->n_funcs; g++)
						depends[g] |= tree->depends[producer->first_stage + t][g];
			}
		}
}

void bw_loop_tree_link(struct bw_loop_tree *tree)
{
	collect_edges(tree);
	link_edges(tree);
	find_dependencies(tree);
}

/* Appends the producers of a Func by name, each once and before the Func itself: depth first, like Halide. */
static void put_in_order(const struct bw_loop_tree *tree, int func, bool *seen, int *order, int *n)
{
	const struct bw_func *of = &tree->pipeline->funcs[func];
	seen[func] = true;
	for (;;) {
		int next = -1;
		for (int s = 0; s < of->n_stages; s++)
			for (int i = 0; i < tree->n_incoming[of->first_stage + s]; i++) {
				int producer = tree->edges[tree->incoming[of->first_stage + s][i]].producer;
				if (!seen[producer] &&
				    (next < 0 || strcmp(tree->pipeline->funcs[producer].name,
							tree->pipeline->funcs[next].name) < 0))
					next = producer;
			}
		if (next < 0)
			break;
		put_in_order(tree, next, seen, order, n);
	}
	order[(*n)++] = func;
}

int *bw_loop_tree_order(const struct bw_loop_tree *tree, int *n)
{
	const struct bw_pipeline *pipeline = tree->pipeline;
	int *order = BW_ARENA_ARRAY(tree->arena, int, pipeline->n_funcs);
	bool *seen = BW_ARENA_ARRAY(tree->arena, bool, pipeline->n_funcs);
	*n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (pipeline->funcs[f].output && !seen[f])
			put_in_order(tree, f, seen, order, n);
	return order;
}
