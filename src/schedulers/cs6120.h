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

/* A place: inside of the `level` outermost loops over dimensions of a Func's stage. func -1: the root. */
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

/* A transformer, the Func that it changes, and of REORDER the outer of two loops that it exchanges. */
struct cs6120_move {
	enum cs6120_transformer transformer;
	int func, loop;
};

struct cs6120_cost {
	double total, terms[BW_CS6120_TERMS]; /* weighted */
	double block_bytes;                   /* the most that a kernel stores in its blocks */
	double thread_bytes;                  /* the most that a Func takes in a thread */
};

/* Facts about a pipeline, and arrays for the tree being priced. */
struct cs6120 {
	const struct bw_pipeline *pipeline;
	struct bw_device device;
	struct bw_groups of; /* regions; nothing is grouped */
	double calls_limit;  /* of an inlined Func, per point */
	struct bw_arena *arena;
	double *operations; /* BW_CS6120_TERMS by stage: counts of a point without what it reads */
	/* Places of Funcs that were tried on the GPU: their hashes, and the reasons for those that it
	 * refuses. */
	struct bw_hashes tried;
	struct cs6120_refusal {
		uint64_t place;
		const char *why;
	} * refusals;
	int n_refusals, capacity;
	/* By Func, of the tree that was priced last: */
	struct bw_interval *computed,
	    *stored;    /* BW_MAX_DIMS each: region at the place of computation, and of storage */
	double *visits; /* how often its place of computation is reached */
	double *values; /* BW_CS6120_TERMS each: counts of a value of an inlined Func */
	double *calls;  /* of an inlined Func, per point of its callers that are not inlined */
	double *blocks; /* bytes that a block of a kernel stores */
};
struct cs6120 *cs6120_new(const struct bw_pipeline *pipeline, const struct bw_settings *options);
void cs6120_free(struct cs6120 *of);

/* Trees of an arena. */
struct cs6120_tree cs6120_default(struct cs6120 *of, struct bw_arena *arena);
struct cs6120_tree cs6120_copy(const struct cs6120 *of, const struct cs6120_tree *tree,
			       struct bw_arena *arena);

/* Returns how often a Func would be called per point of its callers if it were inlined. of->calls must
 * be set for its inlined callers. */
double cs6120_calls(const struct cs6120 *of, const struct cs6120_tree *tree, int func);
/* Returns how many loops over dimensions a stage has that others can be computed in: all or none. */
bool cs6120_same(struct cs6120_place a, struct cs6120_place b);
/* Returns true if `inner` lies in `outer` or is `outer`. */
bool cs6120_within(const struct cs6120_tree *tree, struct cs6120_place inner, struct cs6120_place outer);

/* Writes the moves that can be tried on a tree, at most `most`, and returns how many there are. */
int cs6120_moves(const struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_move *moves,
		 int most);
/* Changes a tree. Returns false, with the tree changed in part, if the outcome is not well-formed. */
bool cs6120_apply(const struct cs6120 *of, struct cs6120_tree *tree, const struct cs6120_move *move);
/* Append a move, `hoist compute blur_x` or `reorder output x y`, and its effect: `to output.y`. */
void cs6120_print_move(const struct cs6120 *of, const struct cs6120_tree *before,
		       const struct cs6120_move *move, struct bw_text *out);
void cs6120_print_effect(const struct cs6120 *of, const struct cs6120_tree *after,
			 const struct cs6120_move *move, struct bw_text *out);
/* Appends the tree in words: `output y x; blur_x at output.y; inlined: g`. */
void cs6120_describe(const struct cs6120 *of, const struct cs6120_tree *tree, struct bw_text *out);
/* Appends the directives for the CPU as in the report, a line for each Func: `blur_x.store_root();
 * blur_x.compute_at(output, y); blur_x.reorder(x, y);`. */
void cs6120_print_halide(const struct cs6120 *of, const struct cs6120_tree *tree, struct bw_text *out);

/* Prices a tree. Returns false if a region has no bound, or calls are more than Halide could compile. */
bool cs6120_price(struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_cost *cost);

/* Returns true if the GPU can hold the tree priced last, by its shape, its memory and the places of its
 * Funcs; else appends the reason to `why`, which may be NULL. */
bool cs6120_held(struct cs6120 *of, const struct cs6120_tree *tree, const struct cs6120_cost *cost,
		 struct bw_text *why);
/* Returns the schedule of a tree that was priced last, for the GPU, or NULL with an error. */
struct bw_schedule *cs6120_schedule(struct cs6120 *of, const struct cs6120_tree *tree,
				    struct bw_error *error);

/* A search: its nodes are the trees of the beams. */
struct cs6120_node {
	struct cs6120_tree tree;
	struct cs6120_move move; /* that made it of its parent */
	int parent;              /* -1: the search began here */
	int depth;
	double cost;
	double best; /* the least cost of it and its descendants that the GPU can hold */
	bool held;
};
struct cs6120_request {
	int depth, width;
	long most;        /* trees priced; 0: no limit */
	const bool *held; /* by Func: it must not be changed */
};
struct cs6120_search {
	int references;
	struct cs6120_request request;
	struct cs6120_node *nodes;
	int n, capacity;
	int target; /* the tree of the least cost that the GPU can hold, from the node on at which it aims */
	double found;  /* cost of the best of all */
	bool changed;  /* trees turned out not to be held after the search had ended */
	int narrowest; /* fewest trees of a beam expanded: below the width if time ran out */
	long priced;
	bool done;
	struct cs6120_growing *growing; /* state needed only until it is done */
	struct bw_arena *arena;
};
/* Returns a search from a tree on, with one reference. */
struct cs6120_search *cs6120_search_new(struct cs6120 *of, const struct cs6120_tree *tree,
					const struct cs6120_request *request);
/* Searches. Returns false if `yield` stopped it. Ends soon after *stop is set. */
bool cs6120_search_work(struct cs6120_search *search, struct cs6120 *of, const struct bw_yield *yield,
			const atomic_bool *stop);
/* Chooses the target among the trees that were made from a node. */
void cs6120_search_aim(struct cs6120_search *search, struct cs6120 *of, int node);
void cs6120_search_drop(struct cs6120_search *search);
