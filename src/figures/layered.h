/* A layered layout of a directed acyclic graph on cells, after Sugiyama, Tagawa and Toda 1981: each node
 * below all that lead to it, few crossings, edges as straight as the boxes allow. */
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
	int n_bends;  /* layers that it passes between those of its nodes */
	int *bends;   /* column in each; shared with the other edges from the same node */
	bool longest; /* of these: the bends are found for it */
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

/* Lays out nodes with their sizes and edges with their ends, all else is set. Edges that would close a cycle
 * are left out of the layering. */
void bw_layered_lay(struct bw_layered *graph, struct bw_arena *arena);
#endif
