/* The reconvergence points of branches: each branch's immediate post-dominator, found by the iterative
 * algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001) on the reversed
 * graph. */
#include <stdlib.h>
#include <string.h>

#include "emulator/parser.h"

/* Basic blocks in the order of the code, followed by one block for the end of the kernel. */
struct graph {
	const struct bw_ptx_instruction *code;
	int n_code, n;
	int *begin;     /* first instruction of each block, and n_code */
	int *of;        /* block of each instruction */
	int (*next)[2]; /* blocks that follow; -1: none */
	int *order, *number;  /* blocks in reverse post-order (of the reversed graph); index in it,
				 -1: cannot reach the end */
	int *above; /* immediate post-dominator; -1: not found */
	int *first, *link,
	    *from; /* for each block its incoming edges: first edge, next edge, origin */
	int n_order;
};

static bool ends_block(const struct bw_ptx_instruction *instruction)
{
	return instruction->action == BW_ACTION_BRANCH || instruction->action == BW_ACTION_EXIT ||
	       instruction->action == BW_ACTION_TRAP || instruction->action == BW_ACTION_RETURN;
}

static bool is_conditional(const struct bw_ptx_instruction *instruction)
{
	return instruction->guard.bytes == 0;
}

static void find_blocks(struct graph *graph)
{
	for (int k = 0; k < graph->n_code; k++)
		graph->of[k] = k == 0;
	for (int k = 0; k < graph->n_code; k++) {
		if (graph->code[k].action == BW_ACTION_BRANCH && graph->code[k].target < graph->n_code)
			graph->of[graph->code[k].target] = 1;
		if (ends_block(&graph->code[k]) && k + 1 < graph->n_code)
			graph->of[k + 1] = 1;
		if (graph->code[k].target && graph->code[k].target < graph->n_code)
			graph->of[graph->code[k].target] = 1;
	}
	for (int k = 0; k < graph->n_code; k++) {
		if (graph->of[k])
			graph->begin[graph->n++] = k;
		graph->of[k] = graph->n - 1;
	}
	graph->begin[graph->n] = graph->n_code;
}

static void find_edges(struct graph *graph)
{
	int end = graph->n, n_edges = 0;
	for (int b = 0; b <= end; b++)
		graph->first[b] = -1;
	for (int b = 0; b < end; b++) {
		const struct bw_ptx_instruction *last = &graph->code[graph->begin[b + 1] - 1];
		int after = b + 1, *next = graph->next[b];
		next[0] = next[1] = -1;
		if (last->action == BW_ACTION_BRANCH)
			next[0] = last->target < graph->n_code ? graph->of[last->target] : end;
		else if (ends_block(last)) /* in a function, exiting threads leave through its end */
			next[0] = last->target ? graph->of[last->target] : end;
		if (next[0] < 0)
			next[0] = after;
		else if (is_conditional(last))
			next[1] = after;
		for (int e = 0; e < 2; e++) {
			if (next[e] < 0)
				continue;
			graph->from[n_edges] = b;
			graph->link[n_edges] = graph->first[next[e]];
			graph->first[next[e]] = n_edges++;
		}
	}
}

/* Numbers the blocks from which the end can be reached, in post-order of a walk from the end along the
 * reversed edges. */
static void find_order(struct graph *graph, int *stack, int *edge)
{
	int depth = 0, n = graph->n + 1, placed = n;
	for (int b = 0; b < n; b++)
		graph->number[b] = -1;
	stack[depth] = graph->n;
	edge[depth++] = graph->first[graph->n];
	graph->number[graph->n] = 0;
	while (depth) {
		int e = edge[depth - 1];
		if (e < 0) {
			graph->order[--placed] = stack[--depth];
			continue;
		}
		edge[depth - 1] = graph->link[e];
		if (graph->number[graph->from[e]] >= 0)
			continue;
		graph->number[graph->from[e]] = 0;
		stack[depth] = graph->from[e];
		edge[depth++] = graph->first[graph->from[e]];
	}
	graph->n_order = n - placed;
	memmove(graph->order, graph->order + placed, (size_t)graph->n_order * sizeof *graph->order);
	for (int k = 0; k < graph->n_order; k++)
		graph->number[graph->order[k]] = k;
}

static int meet(const struct graph *graph, int a, int b)
{
	while (a != b) {
		while (graph->number[a] > graph->number[b])
			a = graph->above[a];
		while (graph->number[b] > graph->number[a])
			b = graph->above[b];
	}
	return a;
}

static void find_post_dominators(struct graph *graph)
{
	for (int b = 0; b <= graph->n; b++)
		graph->above[b] = -1;
	graph->above[graph->n] = graph->n;
	for (bool changed = true; changed;) {
		changed = false;
		for (int k = 1; k < graph->n_order; k++) {
			int b = graph->order[k], above = -1;
			for (int e = 0; e < 2; e++) {
				int next = graph->next[b][e];
				if (next >= 0 && graph->number[next] >= 0 && graph->above[next] >= 0)
					above = above < 0 ? next : meet(graph, above, next);
			}
			changed |= graph->above[b] != above;
			graph->above[b] = above;
		}
	}
}

bool bw_flow_find_joins(struct bw_ptx_kernel *kernel)
{
	size_t n = (size_t)kernel->n_code + 2;
	int *memory = calloc(13 * n, sizeof *memory);
	if (!memory)
		return false;
	struct graph graph = {.code = kernel->code,
			      .n_code = kernel->n_code,
			      .begin = memory,
			      .of = memory + n,
			      .order = memory + 2 * n,
			      .number = memory + 3 * n,
			      .above = memory + 4 * n,
			      .first = memory + 5 * n,
			      .link = memory + 6 * n,
			      .from = memory + 8 * n,
			      .next = (int(*)[2])(memory + 10 * n)};
	int *stack = memory + 12 * n, *edge = calloc(n, sizeof *edge);
	if (edge) {
		find_blocks(&graph);
		find_edges(&graph);
		find_order(&graph, stack, edge);
		find_post_dominators(&graph);
		for (int k = 0; k < kernel->n_code; k++) {
			int above = graph.above[graph.of[k]];
			kernel->code[k].join = above < 0 || above == graph.n ? kernel->n_code : graph.begin[above];
		}
	}
	free(edge);
	free(memory);
	return edge != NULL;
}
