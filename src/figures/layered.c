#include "base/arith.h"
#include "figures/graph.h"

#include <string.h>

/* A place in a layer, taken by a node or by an edge that crosses the layer. */
struct place {
	int node, edge; /* node -1: the place of the edge */
	int columns, x;
	double key; /* sort key in the layer; later, the wanted middle */
	int index;
};

struct layer {
	int n;
	struct place *places;
};

enum { SWEEPS = 6, UNKNOWN = -1, UNDER_WAY = -2 };

/* Returns the layer of a node: one below the lowest of its predecessors. */
static int layer_of(struct bw_layered *graph, int node)
{
	struct bw_layered_node *at = &graph->nodes[node];
	if (at->layer != UNKNOWN)
		return at->layer == UNDER_WAY ? 0 : at->layer;
	int layer = 0;
	at->layer = UNDER_WAY;
	for (int e = 0; e < graph->n_edges; e++)
		if (graph->edges[e].to == node && graph->edges[e].from != node) {
			int above = layer_of(graph, graph->edges[e].from) + 1;
			layer = above > layer ? above : layer;
		}
	at->layer = layer;
	return layer;
}

/* Moves nodes without predecessors down to the layer above their first successor. */
static void pull_down(struct bw_layered *graph)
{
	for (int node = 0; node < graph->n; node++) {
		int least = -1, leads = 0;
		for (int e = 0; e < graph->n_edges; e++) {
			leads += graph->edges[e].to == node;
			int below = graph->nodes[graph->edges[e].to].layer;
			if (graph->edges[e].from == node && (least < 0 || below < least))
				least = below;
		}
		if (!leads && least > 0)
			graph->nodes[node].layer = least - 1;
	}
}

/* Finds the layers that edges cross. Edges from one node share their path. */
static void find_bends(struct bw_layered *graph, struct bw_arena *arena)
{
	int *longest = BW_ARENA_ARRAY(arena, int, graph->n + 1);
	for (int node = 0; node < graph->n; node++)
		longest[node] = -1;
	for (int e = 0; e < graph->n_edges; e++) {
		struct bw_layered_edge *edge = &graph->edges[e];
		int apart = graph->nodes[edge->to].layer - graph->nodes[edge->from].layer;
		edge->n_bends = apart > 1 ? apart - 1 : 0;
		edge->longest = false;
		if (longest[edge->from] < 0 || graph->edges[longest[edge->from]].n_bends < edge->n_bends)
			longest[edge->from] = e;
	}
	for (int node = 0; node < graph->n; node++)
		if (longest[node] >= 0) {
			struct bw_layered_edge *edge = &graph->edges[longest[node]];
			edge->longest = true;
			edge->bends = BW_ARENA_ARRAY(arena, int, edge->n_bends + 1);
		}
	for (int e = 0; e < graph->n_edges; e++)
		graph->edges[e].bends = graph->edges[longest[graph->edges[e].from]].bends;
}

static struct layer *make_layers(struct bw_layered *graph, struct bw_arena *arena)
{
	struct layer *layers = BW_ARENA_ARRAY(arena, struct layer, graph->n_layers + 1);
	for (int l = 0; l < graph->n_layers; l++)
		layers[l] =
		    (struct layer){0, BW_ARENA_ARRAY(arena, struct place, graph->n + graph->n_edges + 1)};
	for (int node = 0; node < graph->n; node++) {
		struct layer *layer = &layers[graph->nodes[node].layer];
		layer->places[layer->n++] = (struct place){node, -1, graph->nodes[node].columns, 0, 0, node};
	}
	for (int e = 0; e < graph->n_edges; e++) {
		struct bw_layered_edge *edge = &graph->edges[e];
		int from = graph->nodes[edge->from].layer, to = graph->nodes[edge->to].layer;
		for (int l = from + 1; edge->longest && l < to; l++)
			layers[l].places[layers[l].n++] = (struct place){-1, e, 1, 0, 0, graph->n + e};
	}
	return layers;
}

/* Returns the middle of an edge in a layer. */
static double middle(const struct bw_layered *graph, const struct bw_layered_edge *edge, int layer)
{
	int from = graph->nodes[edge->from].layer, to = graph->nodes[edge->to].layer;
	const struct bw_layered_node *node = &graph->nodes[layer <= from ? edge->from : edge->to];
	return layer > from && layer < to ? edge->bends[layer - from - 1]
					  : node->x + (node->columns - 1) / 2.0;
}

/* Returns the mean middle of a place's neighbours in the adjacent layer, or `otherwise` if there are
 * none. */
static double wanted(const struct bw_layered *graph, const struct place *place, int layer, int beside,
		     double otherwise)
{
	double sum = 0;
	int n = 0;
	for (int e = 0; e < graph->n_edges; e++) {
		const struct bw_layered_edge *edge = &graph->edges[e];
		int from = graph->nodes[edge->from].layer, to = graph->nodes[edge->to].layer;
		bool mine = place->node < 0  ? place->edge == e
			    : beside < layer ? edge->to == place->node
					     : edge->from == place->node;
		if (!mine || beside < from || beside > to || from >= to)
			continue;
		sum += middle(graph, edge, beside);
		n++;
	}
	return n ? sum / n : otherwise;
}

BW_ORDER(by_key, struct place, 2 * BW_COMPARE(a->key, b->key) + BW_COMPARE(a->index, b->index))

static void set_place(struct bw_layered *graph, const struct place *place, int layer)
{
	if (place->node >= 0)
		graph->nodes[place->node].x = place->x;
	else
		graph->edges[place->edge]
		    .bends[layer - graph->nodes[graph->edges[place->edge].from].layer - 1] = place->x;
}

/* Assigns columns to the places of a layer, in order: each as near to its key as the places to its left
 * allow. Then shifts the whole layer so that the mean distance to the keys is 0. */
static void settle(struct bw_layered *graph, struct layer *layer, int index)
{
	int end = -(1 << 20);
	double off = 0;
	for (int i = 0; i < layer->n; i++) {
		struct place *place = &layer->places[i];
		int x = (int)(place->key - (place->columns - 1) / 2.0 + 0.5 + 4096) - 4096;
		place->x = x > end ? x : end;
		end = place->x + place->columns + graph->gap_x;
		off += place->x - x;
	}
	int shift = layer->n ? (int)(off / layer->n) : 0;
	for (int i = 0; i < layer->n; i++) {
		layer->places[i].x -= shift;
		set_place(graph, &layer->places[i], index);
	}
}

static void order(struct bw_layered *graph, struct layer *layers)
{
	for (int l = 0; l < graph->n_layers; l++) {
		int x = 0;
		for (int i = 0; i < layers[l].n; i++) {
			layers[l].places[i].x = x;
			set_place(graph, &layers[l].places[i], l);
			x += layers[l].places[i].columns + graph->gap_x;
		}
	}
	for (int sweep = 0; sweep < SWEEPS; sweep++)
		for (int k = 1; k < graph->n_layers; k++) {
			int l = sweep % 2 ? graph->n_layers - 1 - k : k, beside = sweep % 2 ? l + 1 : l - 1;
			for (int i = 0; i < layers[l].n; i++) {
				struct place *place = &layers[l].places[i];
				place->key =
				    wanted(graph, place, l, beside, place->x + (place->columns - 1) / 2.0);
			}
			qsort(layers[l].places, (size_t)layers[l].n, sizeof *layers[l].places, by_key);
			settle(graph, &layers[l], l);
		}
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Moves the layout so that it begins at column 0. Computes the rows of the layers and the size of the
 * layout. */
static void close_up(struct bw_layered *graph)
{
	int left = 1 << 20, y = 0;
	for (int node = 0; node < graph->n; node++)
		left = least(left, graph->nodes[node].x);
	for (int e = 0; e < graph->n_edges; e++)
		for (int i = 0; graph->edges[e].longest && i < graph->edges[e].n_bends; i++)
			left = least(left, graph->edges[e].bends[i]);
	for (int node = 0; node < graph->n; node++) {
		struct bw_layered_node *at = &graph->nodes[node];
		at->x -= left;
		graph->columns = at->x + at->columns > graph->columns ? at->x + at->columns : graph->columns;
		graph->heights[at->layer] =
		    at->rows > graph->heights[at->layer] ? at->rows : graph->heights[at->layer];
	}
	for (int e = 0; e < graph->n_edges; e++)
		for (int i = 0; graph->edges[e].longest && i < graph->edges[e].n_bends; i++) {
			int x = graph->edges[e].bends[i] -= left;
			graph->columns = x + 1 > graph->columns ? x + 1 : graph->columns;
		}
	for (int l = 0; l < graph->n_layers; l++) {
		graph->tops[l] = y;
		y += graph->heights[l] + (l + 1 < graph->n_layers ? graph->gap_y : 0);
	}
	graph->rows = y;
	for (int node = 0; node < graph->n; node++)
		graph->nodes[node].y = graph->tops[graph->nodes[node].layer];
}

void bw_layered_lay(struct bw_layered *graph, struct bw_arena *arena)
{
	graph->columns = graph->rows = graph->n_layers = 0;
	for (int node = 0; node < graph->n; node++)
		graph->nodes[node].layer = UNKNOWN;
	for (int node = 0; node < graph->n; node++)
		layer_of(graph, node);
	pull_down(graph);
	for (int node = 0; node < graph->n; node++)
		graph->n_layers = graph->nodes[node].layer >= graph->n_layers ? graph->nodes[node].layer + 1
									      : graph->n_layers;
	graph->tops = BW_ARENA_ARRAY(arena, int, graph->n_layers + 1);
	graph->heights = BW_ARENA_ARRAY(arena, int, graph->n_layers + 1);
	memset(graph->heights, 0, (size_t)(graph->n_layers + 1) * sizeof *graph->heights);
	find_bends(graph, arena);
	order(graph, make_layers(graph, arena));
	close_up(graph);
}
