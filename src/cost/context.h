/* Everything that a cost model sees of one kernel: the Funcs computed inside of it, and a few facts about
 * each Func outside that its stages read. The costs of the kernel's stages depend on nothing else, so they
 * are the same in every nest with an equal context. */
#pragma once
#include "nest/staging.h"

/* A stored Func as its readers see it. A Func that is not placed yet is assumed to be at root, with the
 * region required so far. */
struct bw_storage {
	enum bw_memory memory;
	double points;               /* per allocation */
	double strides[BW_MAX_DIMS]; /* elements from one point to the next, by dimension */
};

/* A Func or input outside of the kernel that its stages read, directly or through inlined Funcs. */
struct bw_outside {
	int func;
	bool inlined;              /* inlined into stages of the kernel, and therefore not stored */
	int sole_func, sole_stage; /* if inlined: the only stage that it is inlined into; -1: several */
	struct bw_storage storage;
};

struct bw_context {
	const struct bw_pipeline *pipeline;
	struct bw_kernel kernel;
	int n_inside;
	const struct bw_placed *const
	    *inside; /* the Func at root, then the other Funcs of the kernel, by decreasing index */
	int n_outside;
	const struct bw_outside *outside; /* by decreasing index */
	bool unstaged;                    /* staging is off */
	const struct bw_stagings
	    /* by stage of the kernel: the staging of each producer that it loads; NULL before
	     * bw_context_complete */
	    *stagings;
};

/* Returns the context of the kernel of one stage of a Func at root. The arena owns it; `inside` stays
 * owned by the nest. */
struct bw_context bw_context_of(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
/* The two steps of bw_context_of. bw_context_find leaves out the kernel's fields, which take longer to
 * compute; its result suffices for all functions of this header. bw_context_complete fills them in. */
struct bw_context bw_context_find(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
void bw_context_complete(const struct bw_nest *nest, struct bw_context *context, struct bw_arena *arena);
/* Returns a hash of the whole context. Two contexts of the same pipeline are equal if their hashes are
 * equal. */
uint64_t bw_context_hash(const struct bw_context *context);
/* Return a Func that is computed inside the kernel, or a Func outside that the kernel reads. Return NULL
 * if `func` is not such a Func. */
const struct bw_placed *bw_context_inside(const struct bw_context *context, int func);
const struct bw_outside *bw_context_outside(const struct bw_context *context, int func);
/* Returns the number of stages of the kernel: the stage at root, then the stages of the other Funcs
 * inside, in order. Undefined stages (struct bw_stage) do not count. */
int bw_context_stages(const struct bw_context *context);
/* The position of a loop over the stages of a kernel, `BW_CONTEXT_EACH(context, at) { ... }`, in the order
 * of bw_context_stages. number: of the stage, from 0. inside: index of the stage's Func in
 * context->inside. */
struct bw_context_at {
	int func, stage, number, inside;
};
bool bw_context_next(const struct bw_context *context, struct bw_context_at *at);
#define BW_CONTEXT_EACH(context, at) \
	for (struct bw_context_at at = {.stage = (context)->kernel.stage - 1, .number = -1}; \
	     bw_context_next(context, &at);)
/* Returns the storage of a Func that is inside the kernel or stored outside. */
struct bw_storage bw_context_storage(const struct bw_context *context, int func);
/* Returns the storage of a placed Func. */
struct bw_storage bw_storage_of(const struct bw_func *func, const struct bw_placed *placed);
