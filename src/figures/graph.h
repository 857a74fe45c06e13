/* The pipeline as a graph under a schedule: each Func with its kernel, its kind (own kernel, inside
 * another kernel, inlined), and its share of the cost. The data of the view `graph`. */
#pragma once

#include "cost/cost.h"
#include "figures/picture.h"

/* A family: Funcs whose names differ only in their numbers, such as the levels of a pyramid or the steps
 * of a chain. Long lists of Funcs show each family as one row. */
enum {
	BW_FAMILY_LEAST = 3, /* fewest Funcs of a family */
	BW_FOLD_FROM = 60    /* families begin folded if the pipeline has at least this many Funcs */
};

struct bw_families {
	int *of;   /* by Func: the first Func of its family; the Func itself if it has none */
	int *size; /* by Func: number of Funcs in its family; 1 if it has none */
};

/* Finds the families of a pipeline, owned by the arena. */
struct bw_families bw_families_of(const struct bw_pipeline *pipeline, struct bw_arena *arena);
/* Returns the name of a Func's family, `remapped*_rows`, owned by the arena. */
const char *bw_family_name(const struct bw_pipeline *pipeline, int func, struct bw_arena *arena);

/* A layered layout of a directed acyclic graph on cells, after Sugiyama, Tagawa and Toda 1981: each
 * node is below all its predecessors, edges cross rarely and are as straight as the boxes allow. */
struct bw_layered_node {
	int columns, rows; /* size of the node; set by the caller */
	int layer;         /* from 0 */
	int x, y;          /* position of the upper left cell */
};

struct bw_layered_edge {
	int from, to; /* nodes */
	int n_bends;  /* number of layers that it crosses between the layers of its nodes */
	int *bends;   /* its column in each crossed layer; shared with the other edges from its node */
	bool longest; /* the longest edge from its node, for which the bends are computed */
};

struct bw_layered {
	int n;
	struct bw_layered_node *nodes;
	int n_edges;
	struct bw_layered_edge *edges;
	int gap_x, gap_y;  /* cells between nodes of a layer, and between layers */
	int columns, rows; /* size of the whole layout */
	int n_layers;
	int *tops, *heights; /* of the layers: first row, and rows */
};

/* Lays out a graph. Reads the sizes of nodes and the ends of edges, and sets all other fields. Ignores
 * edges that would close a cycle when it assigns layers. */
void bw_layered_lay(struct bw_layered *graph, struct bw_arena *arena);

/* The kind of a Func under the schedule: name in C, word. */
#define BW_GRAPH_KIND_TABLE(X) \
	X(BW_GRAPH_INPUT, "input") \
	X(BW_GRAPH_KERNEL, "kernel") \
	X(BW_GRAPH_INSIDE, "inside") \
	X(BW_GRAPH_INLINED, "inlined") \
	X(BW_GRAPH_UNPLACED, "not placed")

enum bw_graph_kind { BW_GRAPH_KIND_TABLE(BW_FIRST) BW_N_GRAPH_KINDS };
const char *bw_graph_word(enum bw_graph_kind kind);

struct bw_graph_func {
	enum bw_graph_kind kind;
	/* the Func whose kernel computes this Func; if inlined, the kernel of the first Func that reads it;
	 * without a kernel, the Func itself */
	int kernel;
	double share;        /* share of its stages in the total cost, 0..1; 0 if inlined */
	double kernel_share; /* KERNEL: share including all Funcs computed inside */
	int n_inside;        /* KERNEL: number of Funcs computed inside or inlined */
};

struct bw_graph_edge {
	int from, to; /* producer and consumer, as Funcs; for an edge between kernels, the kernels' Funcs */
};

struct bw_graph {
	int n;                       /* Funcs of the pipeline */
	struct bw_graph_func *funcs; /* by index */
	int n_edges;
	struct bw_graph_edge *edges; /* edges of the algorithm, each once, ordered by consumer */
	int n_links;
	struct bw_graph_edge
	    *links; /* edges from kernels to the kernels that read them, also through inlined Funcs; each once */
};

/* Returns the graph of a pipeline with the placements of a nest, owned by the arena. cost: the cost of
 * the nest. */
struct bw_graph bw_graph_of(const struct bw_nest *nest, const struct bw_cost *cost, struct bw_arena *arena);
/* Returns the names of the Funcs that a Func reads (`producers`), or of the Funcs that read it. The arena
 * owns the text. */
const char *bw_graph_neighbours(const struct bw_pipeline *pipeline, const struct bw_graph *graph, int func,
			    bool producers, struct bw_arena *arena);
/* How a graph is drawn. */
struct bw_graph_look {
	bool coarse;         /* drawn for a terminal */
	int rows;            /* most rows; 0: any number */
	int all_open;        /* if the graph has more Funcs than this, only the box of the selected Func is open */
	bool closed;         /* no box is open */
	int only;            /* the only kernel that is drawn; -1: all are */
	int selected, next;  /* marked Funcs; -1: none */
	const void *context; /* first argument of the functions below */
	/* returns the label of a Func; NULL: labels are names */
	const char *(*name)(const void *context, int func);
	/* Returns true if the unplaced Funcs of a Func's family are drawn as one node. NULL: never. */
	bool (*folded)(const void *context, const struct bw_families *families, int func);
};
/* Returns the graph as boxes, one for each kernel, and edges between them. Sets focus to the cell of
 * the selected Func. */
struct bw_picture bw_graph_picture(const struct bw_pipeline *pipeline, const struct bw_graph *graph,
				   const struct bw_graph_look *look, struct bw_arena *arena, int focus[2]);
/* Returns the graph as JSON: a new reference. */
json_t *bw_graph_json(const struct bw_pipeline *pipeline, const struct bw_graph *graph);
/* Appends the graph in the language of Graphviz, kernels as clusters. */
void bw_graph_dot(const struct bw_pipeline *pipeline, const struct bw_graph *graph, struct bw_text *out);
