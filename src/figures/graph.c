#include "figures/graph.h"

#include <ctype.h>
#include <string.h>

BW_WORDS(bw_graph_word, enum bw_graph_kind, BW_GRAPH_KIND_TABLE(BW_SECOND))

static enum bw_graph_kind kind_of(const struct bw_nest *nest, int func)
{
	const struct bw_placed *placed = nest->placed[func];
	if (nest->pipeline->funcs[func].input)
		return BW_GRAPH_INPUT;
	if (!placed)
		return BW_GRAPH_UNPLACED;
	return placed->placement->compute.kind == BW_SITE_INLINE ? BW_GRAPH_INLINED
	       : placed->placement->compute.kind == BW_SITE_ROOT ? BW_GRAPH_KERNEL
								 : BW_GRAPH_INSIDE;
}

/* Returns the Func whose kernel computes a Func. The kernels of the Func's readers must be known. */
static int kernel_of(const struct bw_nest *nest, const struct bw_graph *graph, int func)
{
	const struct bw_func *about = &nest->pipeline->funcs[func];
	if (graph->funcs[func].kind == BW_GRAPH_INSIDE)
		return nest->placed[func]->kernel_func;
	for (int c = 0; c < about->n_consumers && graph->funcs[func].kind == BW_GRAPH_INLINED; c++)
		if (about->consumers[c]->func != func)
			return graph->funcs[about->consumers[c]->func].kernel;
	return func;
}

static void add_edge(struct bw_graph_edge *edges, int *n, int first, int from, int to)
{
	for (int i = first; i < *n; i++)
		if (edges[i].from == from && edges[i].to == to)
			return;
	edges[(*n)++] = (struct bw_graph_edge){from, to};
}

/* Adds links from the Funcs that a Func reads, through inlined Funcs; seen: by Func, whether this
 * kernel's walk has visited it. */
static void add_links(struct bw_graph *graph, const struct bw_pipeline *pipeline, int func, int kernel,
		      int first, bool *seen)
{
	for (int s = 0; s < pipeline->funcs[func].n_stages; s++)
		for (int i = 0; i < pipeline->funcs[func].stages[s].n_reads; i++) {
			int producer = pipeline->funcs[func].stages[s].reads[i].producer;
			bool inlined = graph->funcs[producer].kind == BW_GRAPH_INLINED;
			if (inlined && !seen[producer]) {
				seen[producer] = true;
				add_links(graph, pipeline, producer, kernel, first, seen);
			} else if (!inlined && graph->funcs[producer].kernel != kernel) {
				add_edge(graph->links, &graph->n_links, first, graph->funcs[producer].kernel, kernel);
			}
		}
}

static void link_kernels(struct bw_graph *graph, const struct bw_pipeline *pipeline, struct bw_arena *arena)
{
	bool *seen = BW_ARENA_ARRAY(arena, bool, graph->n);
	for (int kernel = 0; kernel < graph->n; kernel++) {
		int first = graph->n_links;
		if (graph->funcs[kernel].kernel != kernel)
			continue;
		memset(seen, 0, (size_t)graph->n * sizeof *seen);
		for (int func = 0; func < graph->n; func++)
			if (graph->funcs[func].kernel == kernel && graph->funcs[func].kind != BW_GRAPH_INLINED)
				add_links(graph, pipeline, func, kernel, first, seen);
	}
}

static int count_reads(const struct bw_pipeline *pipeline)
{
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			n += pipeline->funcs[f].stages[s].n_reads;
	return n;
}

static void find_shares(struct bw_graph *graph, const struct bw_pipeline *pipeline,
			const struct bw_cost *cost)
{
	for (int f = 0; f < graph->n && cost->total > 0; f++) {
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			graph->funcs[f].share += cost->stages[pipeline->funcs[f].first_stage + s].ms / cost->total;
		struct bw_graph_func *kernel = &graph->funcs[graph->funcs[f].kernel];
		kernel->kernel_share += graph->funcs[f].share;
		kernel->n_inside += graph->funcs[f].kernel != f;
	}
}

struct bw_graph bw_graph_of(const struct bw_nest *nest, const struct bw_cost *cost, struct bw_arena *arena)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	struct bw_graph graph = {.n = pipeline->n_funcs};
	int reads = count_reads(pipeline), n_order, *order = bw_nest_order(pipeline, &n_order);
	graph.funcs = BW_ARENA_ARRAY(arena, struct bw_graph_func, graph.n + 1);
	graph.edges = BW_ARENA_ARRAY(arena, struct bw_graph_edge, reads + 1);
	graph.links = BW_ARENA_ARRAY(arena, struct bw_graph_edge, graph.n * graph.n + 1);
	for (int f = 0; f < graph.n; f++)
		graph.funcs[f] = (struct bw_graph_func){.kind = kind_of(nest, f), .kernel = f};
	for (int i = 0; i < n_order; i++)
		graph.funcs[order[i]].kernel = kernel_of(nest, &graph, order[i]);
	for (int f = 0; f < graph.n; f++)
		for (int s = 0, first = graph.n_edges; s < pipeline->funcs[f].n_stages; s++)
			for (int i = 0; i < pipeline->funcs[f].stages[s].n_reads; i++)
				if (pipeline->funcs[f].stages[s].reads[i].producer != f)
					add_edge(graph.edges, &graph.n_edges, first, pipeline->funcs[f].stages[s].reads[i].producer, f);
	free(order);
	link_kernels(&graph, pipeline, arena);
	find_shares(&graph, pipeline, cost);
	return graph;
}

static json_t *edges_json(const struct bw_pipeline *pipeline, const struct bw_graph_edge *edges, int n)
{
	json_t *list = json_array();
	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_pack("[s, s]", pipeline->funcs[edges[i].from].name, pipeline->funcs[edges[i].to].name));
	return list;
}

json_t *bw_graph_json(const struct bw_pipeline *pipeline, const struct bw_graph *graph)
{
	json_t *funcs = json_array();
	for (int f = 0; f < graph->n; f++) {
		const struct bw_graph_func *func = &graph->funcs[f];
		json_array_append_new(funcs, json_pack("{s:s, s:s, s:s, s:f}", "func", pipeline->funcs[f].name, "is", bw_graph_word(func->kind), "kernel", pipeline->funcs[func->kernel].name, "share", func->share));
	}
	return json_pack("{s:o, s:o, s:o}", "funcs", funcs, "reads", edges_json(pipeline, graph->edges, graph->n_edges), "kernel_reads", edges_json(pipeline, graph->links, graph->n_links));
}

static void dot_func(const struct bw_pipeline *pipeline, const struct bw_graph *graph, int func,
		     struct bw_text *out)
{
	static const char *const shapes[BW_N_GRAPH_KINDS] = {"parallelogram", "box", "box", "plaintext", "ellipse"};
	const struct bw_graph_func *about = &graph->funcs[func];
	bw_text_printf(out, "    \"%s\" [shape=%s", pipeline->funcs[func].name, shapes[about->kind]);
	if (about->share > 0)
		bw_text_printf(out, ", label=\"%s\\n%.1f%%\", style=filled, fillcolor=\"0.08 %.2f 1.0\"",
			       pipeline->funcs[func].name, 100 * about->share, about->share);
	bw_text_puts(out, about->kind == BW_GRAPH_KERNEL ? ", penwidth=2];\n" : "];\n");
}

void bw_graph_dot(const struct bw_pipeline *pipeline, const struct bw_graph *graph, struct bw_text *out)
{
	bw_text_puts(out, "digraph pipeline {\n  node [fontname=\"sans-serif\", fontsize=10];\n");
	for (int kernel = 0; kernel < graph->n; kernel++) {
		bool cluster = graph->funcs[kernel].kind == BW_GRAPH_KERNEL;
		if (graph->funcs[kernel].kernel != kernel)
			continue;
		if (cluster)
			bw_text_printf(out, "  subgraph \"cluster_%s\" {\n    label=\"%s %.1f%%\";\n",
				       pipeline->funcs[kernel].name, pipeline->funcs[kernel].name,
				       100 * graph->funcs[kernel].kernel_share);
		for (int func = 0; func < graph->n; func++)
			if (graph->funcs[func].kernel == kernel)
				dot_func(pipeline, graph, func, out);
		bw_text_puts(out, cluster ? "  }\n" : "");
	}
	for (int i = 0; i < graph->n_edges; i++)
		bw_text_printf(out, "  \"%s\" -> \"%s\";\n", pipeline->funcs[graph->edges[i].from].name,
			       pipeline->funcs[graph->edges[i].to].name);
	bw_text_puts(out, "}\n");
}

const char *bw_graph_neighbours(const struct bw_pipeline *pipeline, const struct bw_graph *graph, int func,
			    bool producers, struct bw_arena *arena)
{
	struct bw_text names = {0};
	for (int e = 0; e < graph->n_edges; e++) {
		const struct bw_graph_edge *edge = &graph->edges[e];
		if ((producers ? edge->to : edge->from) == func)
			bw_text_printf(&names, "%s%s", names.length ? ", " : "",
				       pipeline->funcs[producers ? edge->from : edge->to].name);
	}
	return bw_text_keep(&names, arena);
}

const char *bw_family_name(const struct bw_pipeline *pipeline, int func, struct bw_arena *arena)
{
	const char *name = pipeline->funcs[func].name;
	char *pattern = BW_ARENA_ARRAY(arena, char, strlen(name) + 1);
	size_t at = 0;
	for (; *name; name++) {
		bool digit = isdigit((unsigned char)*name), goes_on = digit && at > 0 && pattern[at - 1] == '*';
		if (!goes_on)
			pattern[at++] = digit ? '*' : *name;
	}
	pattern[at] = 0;
	return pattern;
}

struct bw_families bw_families_of(const struct bw_pipeline *pipeline, struct bw_arena *arena)
{
	int n = pipeline->n_funcs;
	struct bw_families families = {BW_ARENA_ARRAY(arena, int, n + 1), BW_ARENA_ARRAY(arena, int, n + 1)};
	const char **names = BW_ARENA_ARRAY(arena, const char *, n + 1);
	for (int f = 0; f < n; f++) {
		names[f] = bw_family_name(pipeline, f, arena);
		families.of[f] = f;
		families.size[f] = 0;
		for (int g = 0; g < f && !pipeline->funcs[f].input; g++)
			if (families.of[g] == g && !pipeline->funcs[g].input && !strcmp(names[f], names[g])) {
				families.of[f] = g;
				break;
			}
		families.size[families.of[f]]++;
	}
	for (int f = n - 1; f >= 0; f--) {
		int first = families.of[f];
		families.size[f] = families.size[first];
		if (families.size[first] >= BW_FAMILY_LEAST)
			continue;
		families.size[f] = 1;
		families.of[f] = f;
	}
	return families;
}
