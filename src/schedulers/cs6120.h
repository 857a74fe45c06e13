/* The scheduler of "An Autoscheduler for Halide" by Calinao Correa, Doenges and Recto (CS 6120, 2019). A
 * schedule is a tree of loops, storage and computation; transformers change it; a beam search looks for the
 * tree of the least cost, beginning with the default schedule. Costs are those of cost/cs6120.h.
 *
 * Here a tree is kept by Func: whether it is inlined, the order of its loops, and at which loop of another
 * Func it is computed and stored. The places of the computations make the tree. Where the report is silent:
 * - Loops of a reduction stay inside of the loops over the Func's dimensions.
 * - A Func that is taken out of its callers is computed and stored inside of the innermost loop around all of
 *   its calls; from there it is hoisted, one loop at a time.
 * - Computation that is hoisted above its storage takes the storage along. Lowered, it leaves it behind.
 * - A value is computed anew in each iteration that needs it, even if its storage outlasts the iteration: on
 *   a GPU the iterations run at once. */
#pragma once
#include "base/hash.h"
#include "cost/cs6120.h"
#include "schedulers/groups.h"

/* A place in the tree: inside of the `level` outermost loops over dimensions of a Func's stage. func -1:
 * the root. */
struct cs6120_place {
	int16_t func, stage, level;
};

struct cs6120_func {
	bool inlined;
	struct cs6120_place compute, store; /* the root if it is inlined */
	uint8_t order[BW_MAX_DIMS];         /* dimensions, outermost loop first */
};

/* A tree: its Funcs, and a hash of them. */
struct cs6120_tree {
	struct cs6120_func *funcs;
	uint64_t hash;
};

/* Transformers: name in C, name. */
#define CS6120_TABLE(X) \
	X(CS6120_REORDER, "reorder") \
	X(CS6120_HOIST_COMPUTE, "hoist compute") X(CS6120_LOWER_COMPUTE, "lower compute") \
	    X(CS6120_HOIST_STORAGE, "hoist storage") X(CS6120_INLINE, "inline") X(CS6120_DEINLINE, "deinline")
enum cs6120_transformer { CS6120_TABLE(BW_FIRST) CS6120_TRANSFORMERS };
const char *cs6120_transformer_name(enum cs6120_transformer transformer);

/* A transformer and the Func that it changes. loop: for REORDER, the outer of the two loops that are
 * exchanged. */
struct cs6120_move {
	enum cs6120_transformer transformer;
	int func, loop;
};

struct cs6120_cost {
	double total, terms[BW_CS6120_TERMS]; /* weighted */
	double block_bytes;                   /* the most bytes that a kernel stores per block */
	double thread_bytes;                  /* the most bytes that a Func takes per thread */
};

/* Facts about a pipeline, and arrays for the tree being priced. */
struct cs6120 {
	const struct bw_pipeline *pipeline;
	struct bw_device device;
	struct bw_groups of; /* used for its regions; every Func is a group of its own */
	double calls_limit;  /* most calls of an inlined Func per point */
	struct bw_arena *arena;
	double *operations; /* BW_CS6120_TERMS by stage: counts per point, without the Funcs that it reads */
	/* Hashes of the Funcs' places that were tried on the GPU, and the reasons for the refused ones. */
	struct bw_hashes tried;
	struct cs6120_refusal {
		uint64_t place;
		const char *why;
	} * refusals;
	int n_refusals, capacity;
	/* Arrays by Func for the tree that was priced last: */
	struct bw_interval *computed,
	    *stored;    /* BW_MAX_DIMS each: region at the place of computation, and of storage */
	double *visits; /* number of times that the place of computation is reached */
	double *values; /* BW_CS6120_TERMS each: counts per value of an inlined Func */
	double *calls;  /* calls of an inlined Func per point of its callers that are not inlined */
	double *blocks; /* bytes that a kernel stores per block */
};
struct cs6120 *cs6120_new(const struct bw_pipeline *pipeline, const struct bw_settings *options);
void cs6120_free(struct cs6120 *of);

/* Return a new tree in an arena: the default schedule; a copy. */
struct cs6120_tree cs6120_default(struct cs6120 *of, struct bw_arena *arena);
struct cs6120_tree cs6120_copy(const struct cs6120 *of, const struct cs6120_tree *tree,
			       struct bw_arena *arena);

/* Returns the calls of a Func per point of its callers, if the Func were inlined. of->calls must be set
 * for its inlined callers. */
double cs6120_calls(const struct cs6120 *of, const struct cs6120_tree *tree, int func);
/* Returns true if two places are the same. */
bool cs6120_same(struct cs6120_place a, struct cs6120_place b);
/* Returns true if the place `inner` is inside of the place `outer`, or is the same. */
bool cs6120_within(const struct cs6120_tree *tree, struct cs6120_place inner, struct cs6120_place outer);

/* Writes the moves that can be tried on a tree, at most `most`. Returns their number. */
int cs6120_moves(const struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_move *moves,
		 int most);
/* Applies a move to a tree. Returns false if the outcome is not well-formed; then the tree is changed in
 * part. */
bool cs6120_apply(const struct cs6120 *of, struct cs6120_tree *tree, const struct cs6120_move *move);
/* Append a move, as `hoist compute blur_x` or `reorder output x y`, and its effect, as `to output.y`. */
void cs6120_print_move(const struct cs6120 *of, const struct cs6120_tree *before,
		       const struct cs6120_move *move, struct bw_text *out);
void cs6120_print_effect(const struct cs6120 *of, const struct cs6120_tree *after,
			 const struct cs6120_move *move, struct bw_text *out);
/* Appends the tree in words: `output y x; blur_x at output.y; inlined: g`. */
void cs6120_describe(const struct cs6120 *of, const struct cs6120_tree *tree, struct bw_text *out);
/* Appends the report's directives for the CPU, one line per Func: `blur_x.store_root();
 * blur_x.compute_at(output, y); blur_x.reorder(x, y);`. */
void cs6120_print_halide(const struct cs6120 *of, const struct cs6120_tree *tree, struct bw_text *out);

/* Computes the cost of a tree. Returns false if a region has no bound, or if inlining makes more calls
 * than Halide can compile. */
bool cs6120_price(struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_cost *cost);

/* Returns true if the GPU can run the tree that was priced last. Checks its shape, its memory and the
 * places of its Funcs. Otherwise appends the reason to `why`, which may be NULL. */
bool cs6120_held(struct cs6120 *of, const struct cs6120_tree *tree, const struct cs6120_cost *cost,
		 struct bw_text *why);
/* Returns the GPU schedule of the tree that was priced last. Returns NULL with an error if there is none. */
struct bw_schedule *cs6120_schedule(struct cs6120 *of, const struct cs6120_tree *tree,
				    struct bw_error *error);

/* A node of a search: a tree of one of its beams. */
struct cs6120_node {
	struct cs6120_tree tree;
	struct cs6120_move move; /* the move that made this tree from its parent */
	int parent;              /* node; -1: the search began with this tree */
	int depth;
	double cost;
	double best; /* the least cost among this tree and its descendants that the GPU can run */
	bool held;
};
struct cs6120_request {
	int depth, width;
	long most;        /* most trees to price; 0: no limit */
	const bool *held; /* by Func: the Func must not be changed */
};
struct cs6120_search {
	int references;
	struct cs6120_request request;
	struct cs6120_node *nodes;
	int n, capacity;
	/* node of the cheapest tree that the GPU can run, among the node of the last cs6120_search_aim() and its
	 * descendants */
	int target;
	double found;  /* cost of the target when the search ended */
	bool changed;  /* after the search had ended, trees turned out not to run on the GPU */
	int narrowest; /* fewest trees that were expanded of any beam; less than the width if time ran out */
	long priced;
	bool done;
	struct cs6120_growing *growing; /* state needed only until the search is done */
	struct bw_arena *arena;
};
/* Returns a search that begins with a tree, with one reference. */
struct cs6120_search *cs6120_search_new(struct cs6120 *of, const struct cs6120_tree *tree,
					const struct cs6120_request *request);
/* Runs the search. Returns false if `yield` stopped it. Ends soon after *stop is set. */
bool cs6120_search_work(struct cs6120_search *search, struct cs6120 *of, const struct bw_yield *yield,
			const atomic_bool *stop);
/* Chooses the target among a node's tree and its descendants. */
void cs6120_search_aim(struct cs6120_search *search, struct cs6120 *of, int node);
void cs6120_search_drop(struct cs6120_search *search);
