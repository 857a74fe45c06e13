/* A layered layout of a directed acyclic graph on cells, after Sugiyama, Tagawa and Toda 1981: each
 * node is below all its predecessors, edges cross rarely and are as straight as the boxes allow. */
#ifndef BW_FIGURES_LAYERED_H
#define BW_FIGURES_LAYERED_H
#include <stdbool.h>

#include "base/mem.h"

struct bw_layered_node {
	int columns, rows; /* its size; set by the caller */
	int layer;         /* from 0 */
	int x, y;          /* of its upper left cell */
};

struct bw_layered_edge {
	int from, to; /* nodes */
	int n_bends;  /* layers that it crosses between the layers of its nodes */
	int *bends;   /* its column in each crossed layer; shared with the other edges from its node */
	bool longest; /* the longest edge from its node, for which the bends are computed */
};

struct bw_layered {
	int n;
	struct bw_layered_node *nodes;
	int n_edges;
	struct bw_layered_edge *edges;
	int gap_x, gap_y;  /* cells between nodes of a layer, and between layers */
	int columns, rows; /* of all */
	int n_layers;
	int *tops, *heights; /* of the layers: first row, and rows */
};

/* Lays out a graph. Reads the sizes of nodes and the ends of edges, and sets all other fields. Ignores
 * edges that would close a cycle when it assigns layers. */
void bw_layered_lay(struct bw_layered *graph, struct bw_arena *arena);
#endif
