/* All that a cost model sees when it costs one kernel: what is computed inside it, and of each Func outside that its stages read a few figures.
 * A stage's cost is a function of these alone, so that what was found of one nest holds in every other where they are the same. */
#ifndef BW_COST_CONTEXT_H
#define BW_COST_CONTEXT_H
#include "nest/staging.h"

/* A stored Func as its readers see it. One that is not placed yet is taken to be at root, with what is required of it so far. */
struct bw_storage {
	enum bw_memory memory;
	double points;                /* of one allocation */
	double strides[BW_MAX_DIMS];  /* elements from a point to the next in each dimension */
};

/* A Func or input outside of the kernel that its stages read, directly or through what is inlined into them. */
struct bw_outside {
	int func;
	bool inlined;              /* into stages of the kernel: then it is not stored */
	int sole_func, sole_stage; /* inlined: the only stage that it is inlined into; -1: there are several */
	struct bw_storage storage;
};

struct bw_context {
	const struct bw_pipeline *pipeline;
	struct bw_kernel kernel;
	int n_inside;
	const struct bw_placed *const *inside; /* the Func at root, then the kernel's members: Funcs of falling index */
	int n_outside;
	const struct bw_outside *outside;      /* Funcs of falling index */
	bool unstaged;                         /* nothing is staged */
	const struct bw_stagings *stagings;    /* by stage of the kernel: what becomes of all that it loads; NULL before bw_context_complete */
};

/* The context of the kernel of one stage of a placed Func at root. Owned by the arena; what is inside stays the nest's. */
struct bw_context bw_context_of(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
/* The same in two steps: first without the figures of the kernel, which take longer to find; enough for all that is declared here. */
struct bw_context bw_context_find(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
void bw_context_complete(const struct bw_nest *nest, struct bw_context *context, struct bw_arena *arena);
/* A hash of the whole context: equal hashes are equal contexts, whatever the nests of the pipeline. */
uint64_t bw_context_hash(const struct bw_context *context);
/* A Func that is computed inside the kernel, and one that is read from outside; NULL where it is no such. */
const struct bw_placed *bw_context_inside(const struct bw_context *context, int func);
const struct bw_outside *bw_context_outside(const struct bw_context *context, int func);
/* Stages of the kernel: its own, then those of its members in order. */
int bw_context_stages(const struct bw_context *context);
/* Calls `each` for every one of them in that order; number: from 0. */
typedef void bw_context_each(const struct bw_context *context, int func, int stage, int number, void *data);
void bw_context_each_stage(const struct bw_context *context, bw_context_each *each, void *data);
/* How a Func that is inside or stored outside is stored. */
struct bw_storage bw_context_storage(const struct bw_context *context, int func);
#endif
