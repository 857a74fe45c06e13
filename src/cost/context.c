/* Collects what a cost model sees of a kernel, and hashes it. */
#include "cost/context.h"

#include <string.h>

#include "base/arith.h"
#include "base/hash.h"

/* Extent of a dimension with unknown bounds. */
enum { UNKNOWN_EXTENT = 4096 };

static int64_t extent_of(const struct bw_interval *interval)
{
	return bw_max(interval->max - interval->min + 1, 1);
}

/* Computes strides from the extents of the dimensions in storage order. */
static void fill_strides(const int64_t *extents, const int *order, int n, double *strides)
{
	double stride = 1;
	for (int i = 0; i < n; i++) {
		int d = order ? order[i] : i;
		strides[d] = stride;
		stride *= (double)extents[d];
	}
}

struct bw_storage bw_storage_of(const struct bw_func *func, const struct bw_placed *placed)
{
	struct bw_storage storage = {.memory = placed->memory, .points = placed->bytes / func->bytes};
	int64_t extents[BW_MAX_DIMS];
	for (int d = 0; d < func->n_dims; d++)
		extents[d] = bw_max(placed->allocated[d], 1);
	fill_strides(extents,
		     placed->placement->n_storage == func->n_dims ? placed->placement->storage : NULL,
		     func->n_dims, storage.strides);
	return storage;
}

/* Returns the assumed storage of an input, or of a Func that is not placed. */
static struct bw_storage storage_assumed(const struct bw_nest *nest, int f)
{
	const struct bw_func *func = &nest->pipeline->funcs[f];
	struct bw_storage storage = {.memory = BW_MEMORY_GLOBAL};
	struct bw_interval required[BW_MAX_DIMS];
	bool known = !func->input && bw_nest_required(nest, f, BW_LEVEL_ROOT, required);
	int64_t extents[BW_MAX_DIMS];
	for (int d = 0; d < func->n_dims; d++)
		extents[d] = func->estimate ? extent_of(&func->estimate[d])
			     : known        ? extent_of(&required[d])
					    : UNKNOWN_EXTENT;
	fill_strides(extents, NULL, func->n_dims, storage.strides);
	storage.points = func->input ? bw_box_points(func->estimate, func->n_dims)
			 : known     ? bw_box_points(required, func->n_dims)
				     : 1;
	return storage;
}

/* The Funcs outside that were found, by decreasing index. */
struct finding {
	const struct bw_nest *nest;
	const struct bw_context *context;
	struct bw_arena *arena;
	struct bw_outside *list;
	int n, capacity;
};

static void grow(struct finding *finding)
{
	if (finding->n < finding->capacity)
		return;
	finding->capacity = finding->capacity ? 2 * finding->capacity : 8;
	struct bw_outside *list = BW_ARENA_ARRAY(finding->arena, struct bw_outside, finding->capacity);
	if (finding->n)
		memcpy(list, finding->list, (size_t)finding->n * sizeof *list);
	finding->list = list;
}

static void add_outside(struct finding *finding, int func)
{
	int at = finding->n;
	while (at > 0 && finding->list[at - 1].func < func)
		at--;
	if ((at > 0 && finding->list[at - 1].func == func) || bw_context_inside(finding->context, func))
		return;
	grow(finding);
	memmove(&finding->list[at + 1], &finding->list[at], (size_t)(finding->n++ - at) * sizeof *finding->list);
	const struct bw_placed *placed = finding->nest->placed[func];
	struct bw_outside *outside = &finding->list[at];
	*outside = (struct bw_outside){
	    .func = func, .inlined = placed && placed->placement->compute.kind == BW_SITE_INLINE};
	if (outside->inlined) {
		outside->sole_func = placed->sole_func;
		outside->sole_stage = placed->sole_stage;
	} else {
		outside->storage = placed ? bw_storage_of(&finding->nest->pipeline->funcs[func], placed)
					  : storage_assumed(finding->nest, func);
	}
}

static void add_reads(struct finding *finding, const struct bw_stage *stage)
{
	for (int r = 0; r < stage->n_reads; r++)
		add_outside(finding, stage->reads[r].producer);
}

struct bw_context bw_context_find(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	const int *members;
	int n = bw_nest_members(nest, func, stage, arena, &members);
	struct bw_context context = {
	    .pipeline = nest->pipeline, .kernel = {.func = func, .stage = stage}, .n_inside = n + 1};
	const struct bw_placed **inside = BW_ARENA_ARRAY(arena, const struct bw_placed *, context.n_inside);
	inside[0] = nest->placed[func];
	for (int m = 0; m < n; m++)
		inside[m + 1] = nest->placed[members[m]];
	context.inside = inside;
	struct finding finding = {.nest = nest, .context = &context, .arena = arena};
	BW_CONTEXT_EACH(&context, at)
		add_reads(&finding, &nest->pipeline->funcs[at.func].stages[at.stage]);
	for (int i = 0; i < finding.n; i++)
		if (finding.list[i].inlined)
			add_reads(&finding, &nest->pipeline->funcs[finding.list[i].func].stages[0]);
	context.n_outside = finding.n;
	context.outside = finding.list;
	context.unstaged = nest->unstaged;
	return context;
}

void bw_context_complete(const struct bw_nest *nest, struct bw_context *context, struct bw_arena *arena)
{
	context->kernel = bw_nest_kernel(nest, context->kernel.func, context->kernel.stage, arena);
	struct bw_stagings *stagings = BW_ARENA_ARRAY(arena, struct bw_stagings, bw_context_stages(context));
	BW_CONTEXT_EACH(context, at)
		stagings[at.number] = bw_nest_stagings(nest, at.func, at.stage, arena);
	context->stagings = stagings;
}

struct bw_context bw_context_of(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	struct bw_context context = bw_context_find(nest, func, stage, arena);
	bw_context_complete(nest, &context, arena);
	return context;
}

uint64_t bw_context_hash(const struct bw_context *context)
{
	uint64_t hash = (uint64_t)context->kernel.stage << 1 | (uint64_t)context->unstaged;
	for (int i = 0; i < context->n_inside; i++)
		hash = bw_hash_mix(hash, context->inside[i]->content);
	for (int i = 0; i < context->n_outside; i++) {
		const struct bw_outside *outside = &context->outside[i];
		hash = bw_hash_mix(hash, (uint64_t)outside->func << 8 | (uint64_t)outside->inlined << 7 |
					     (uint64_t)outside->storage.memory);
		if (outside->inlined) {
			hash = bw_hash_mix(hash, (uint64_t)outside->sole_func << 32 | (uint32_t)outside->sole_stage);
			continue;
		}
		hash = bw_hash_bytes(hash, &outside->storage.points, sizeof outside->storage.points);
		hash = bw_hash_bytes(hash, outside->storage.strides,
				     (size_t)context->pipeline->funcs[outside->func].n_dims *
					 sizeof *outside->storage.strides);
	}
	return hash;
}

const struct bw_placed *bw_context_inside(const struct bw_context *context, int func)
{
	int low = 0, high = context->n_inside;
	while (low < high) {
		int middle = (low + high) / 2, here = context->inside[middle]->placement->func;
		if (here == func)
			return context->inside[middle];
		if (here > func)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct bw_outside *bw_context_outside(const struct bw_context *context, int func)
{
	int low = 0, high = context->n_outside;
	while (low < high) {
		int middle = (low + high) / 2, here = context->outside[middle].func;
		if (here == func)
			return &context->outside[middle];
		if (here > func)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

int bw_context_stages(const struct bw_context *context)
{
	int n = 0;
	BW_CONTEXT_EACH(context, at)
		n++;
	return n;
}

bool bw_context_next(const struct bw_context *context, struct bw_context_at *at)
{
	for (;; at->stage = -1) {
		const struct bw_placement *placement = context->inside[at->inside]->placement;
		int end = at->inside ? placement->n_stages : context->kernel.stage + 1;
		at->func = placement->func;
		while (++at->stage < end)
			if (!context->pipeline->funcs[at->func].stages[at->stage].undefined) {
				at->number++;
				return true;
			}
		if (++at->inside == context->n_inside)
			return false;
	}
}

struct bw_storage bw_context_storage(const struct bw_context *context, int func)
{
	const struct bw_placed *placed = bw_context_inside(context, func);
	return placed ? bw_storage_of(&context->pipeline->funcs[func], placed)
		      : bw_context_outside(context, func)->storage;
}
