#include "schedule/lower.h"

#include <stdlib.h>
#include <string.h>

#include "nest/staging.h"
#include "schedule/lower_private.h"

struct bw_directive *bw_lower_emit(struct bw_lowering *lowering, enum bw_directive_op op, int func, int stage)
{
	BW_GROW(lowering->out->list, lowering->out->n, lowering->capacity);
	struct bw_directive *directive = &lowering->out->list[lowering->out->n++];
	*directive = (struct bw_directive){.op = op,
					   .func = lowering->nest->pipeline->funcs[func].handle,
					   .stage = stage,
					   .at_func = -1,
					   .at_stage = -1,
					   .result = -1};
	return directive;
}

void bw_lower_vars(struct bw_lowering *lowering, struct bw_directive *directive, const char *const *vars,
		   int n)
{
	const char **copy = BW_ARENA_ARRAY(lowering->out->arena, const char *, n);
	for (int i = 0; i < n; i++)
		copy[i] = bw_arena_strdup(lowering->out->arena, vars[i]);
	directive->vars = copy;
	directive->n_vars = n;
}

/* Appends the directive for where a Func is computed or stored. The pointer is valid until the next
 * directive is added. */
static struct bw_directive *lower_site(struct bw_lowering *lowering, int func, const struct bw_site *site,
				       enum bw_directive_op root, enum bw_directive_op at)
{
	if (site->kind == BW_SITE_ROOT)
		return bw_lower_emit(lowering, root, func, 0);
	const struct bw_placed *host = lowering->nest->placed[site->func];
	const struct bw_func *host_func = &lowering->nest->pipeline->funcs[site->func];
	const struct bw_placed_stage *stage = &host->stages[site->stage];
	bw_level level = bw_level_make(site->func, site->stage, site->role, site->serial);
	int piece = 0;
	for (int i = 0; i < stage->n_levels; i++)
		if (stage->levels[i].level == level)
			piece = stage->levels[i].piece;
	const char *var = bw_lower_piece(lowering->out->arena, &host_func->stages[site->stage],
					 &host->placement->stages[site->stage], piece);
	struct bw_directive *directive = bw_lower_emit(lowering, at, func, 0);
	directive->at_func = host_func->handle;
	directive->at_stage = site->stage;
	bw_lower_vars(lowering, directive, &var, 1);
	return directive;
}

/* Returns the memory for store_in, which is given for all but global memory at root. Without it, Halide 14
 * puts an allocation in a thread into global memory if it does not see at once that its size is constant
 * (a let in an extent suffices), and makes it too small for the block if the thread loops around it are
 * fewer than the block's. With registers, Halide looks harder for a constant, and fails if there is none.
 * It also fails for a Func with updates of even one element (pooling under a split of the channels), but
 * not on the stack, which code generators treat the same and which is never global memory. The stack needs
 * a size that no guard changes; elsewhere Halide decides by itself, and the search offers no such
 * schedule. */
static enum bw_memory memory_said(const struct bw_func *func, const struct bw_placed *placed)
{
	bool said = placed->placement->memory != BW_MEMORY_AUTO;
	if (said || placed->memory == BW_MEMORY_SHARED ||
	    (placed->memory == BW_MEMORY_REGISTERS && func->n_stages == 1))
		return placed->memory;
	return placed->memory == BW_MEMORY_REGISTERS && placed->proof >= BW_PROOF_BOUND ? BW_MEMORY_STACK
											: BW_MEMORY_AUTO;
}

/* Appends a wrapper of a staged producer, for those readers that belong to the stage alone: computed where
 * a pass through the unrolled loops begins, with all its loops unrolled, so that every index is constant. */
static void lower_staging(struct bw_lowering *lowering, const struct bw_staging *staging)
{
	const struct bw_func *funcs = lowering->nest->pipeline->funcs;
	struct bw_directive *wrap = bw_lower_emit(lowering, BW_DIRECTIVE_IN, staging->func, 0);
	int result = lowering->n_funcs++, *also = BW_ARENA_ARRAY(lowering->out->arena, int, staging->n_readers);
	for (int i = 1; i < staging->n_readers; i++)
		also[i - 1] = funcs[staging->readers[i]].handle;
	wrap->at_func = funcs[staging->readers[0]].handle;
	wrap->also = also;
	wrap->n_also = staging->n_readers - 1;
	wrap->result = result;
	lower_site(lowering, staging->func, &staging->site, BW_DIRECTIVE_COMPUTE_ROOT,
		   BW_DIRECTIVE_COMPUTE_AT)
	    ->func = result;
	struct bw_directive *store = bw_lower_emit(lowering, BW_DIRECTIVE_STORE_IN, staging->func, 0);
	store->func = result;
	store->memory = BW_MEMORY_REGISTERS;
	for (int d = 0; d < funcs[staging->func].n_dims; d++) {
		if (staging->extents[d] <= 1)
			continue;
		struct bw_directive *unroll = bw_lower_emit(lowering, BW_DIRECTIVE_UNROLL, staging->func, 0);
		unroll->func = result;
		bw_lower_vars(lowering, unroll, &funcs[staging->func].dims[d], 1);
	}
}

static void lower_stagings(struct bw_lowering *lowering, int f, int stage)
{
	struct bw_stagings stagings = bw_nest_stagings(lowering->nest, f, stage, lowering->out->arena);
	for (int i = 0; i < stagings.n; i++)
		if (stagings.list[i].verdict == BW_STAGING_STAGED)
			lower_staging(lowering, &stagings.list[i]);
}

static void lower_func(struct bw_lowering *lowering, int f)
{
	const struct bw_func *func = &lowering->nest->pipeline->funcs[f];
	const struct bw_placed *placed = lowering->nest->placed[f];
	const struct bw_placement *placement = placed->placement;
	if (placement->compute.kind == BW_SITE_INLINE)
		return;
	lower_site(lowering, f, &placement->compute, BW_DIRECTIVE_COMPUTE_ROOT, BW_DIRECTIVE_COMPUTE_AT);
	if (!bw_site_equal(&placement->compute, &placement->store))
		lower_site(lowering, f, &placement->store, BW_DIRECTIVE_STORE_ROOT, BW_DIRECTIVE_STORE_AT);
	enum bw_memory memory = memory_said(func, placed);
	if (memory != BW_MEMORY_AUTO)
		bw_lower_emit(lowering, BW_DIRECTIVE_STORE_IN, f, 0)->memory = memory;
	for (int d = 0; d < func->n_dims; d++)
		if (placement->align[d]) {
			struct bw_directive *align = bw_lower_emit(lowering, BW_DIRECTIVE_ALIGN_BOUNDS, f, 0);
			align->factor = placement->align[d];
			bw_lower_vars(lowering, align, &func->dims[d], 1);
		}
	int64_t aligned = bw_placed_aligned(func, placed);
	if (aligned > 1) {
		struct bw_directive *align = bw_lower_emit(lowering, BW_DIRECTIVE_ALIGN_STORAGE, f, 0);
		align->factor = aligned;
		bw_lower_vars(lowering, align, &func->dims[0], 1);
	}
	if (placement->n_storage) {
		const char *dims[BW_MAX_DIMS];
		for (int d = 0; d < placement->n_storage; d++)
			dims[d] = func->dims[placement->storage[d]];
		bw_lower_vars(lowering, bw_lower_emit(lowering, BW_DIRECTIVE_REORDER_STORAGE, f, 0), dims,
			      placement->n_storage);
	}
	for (int s = 0; s < placement->n_stages; s++)
		bw_lower_stage(lowering, &func->stages[s], &placement->stages[s], &placed->stages[s],
			       placement->compute.kind == BW_SITE_ROOT);
	for (int s = 0; s < placement->n_stages; s++)
		lower_stagings(lowering, f, s);
}

/* Halide substitutes an inlined Func into each of its calls, so that expressions grow by the reads of
 * every stage of a chain. It compiles 625 calls in half a minute; with 15625 it does not finish, or runs
 * out of memory. */
enum { MOST_CALLS = 4096 };

static bool can_be_compiled(const struct bw_func *func, const struct bw_placed *placed,
			    struct bw_error *error)
{
	if (!placed || !placed->placement->tiled)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: %s; only a complete schedule can be compiled",
			       func->name, placed ? "its tiling is not decided yet" : "it is not placed yet");
	if (placed->calls > MOST_CALLS)
		return bw_fail(
		    error, BW_ERROR_CONFLICT,
		    "%s: inlined, it is called %.6g times for a point; Halide cannot compile more than %d: it, or a Func that reads it, is to be computed elsewhere",
		    func->name, placed->calls, MOST_CALLS);
	return true;
}

/* Appends the root of each extern stage, and a copy in host memory of each Func that it reads: Halide leaves
 * what a GPU computed on the device. */
static void lower_externs(struct bw_lowering *lowering)
{
	const struct bw_pipeline *pipeline = lowering->nest->pipeline;
	for (int i = 0; i < pipeline->n_externs; i++) {
		const struct bw_extern *stage = &pipeline->externs[i];
		for (int r = 0; r < stage->n_reads; r++) {
			if (pipeline->funcs[stage->reads[r]].input)
				continue;
			struct bw_directive *copy = bw_lower_emit(lowering, BW_DIRECTIVE_IN, stage->reads[r], 0);
			copy->at_func = stage->handle;
			copy->result = lowering->n_funcs++;
			bw_lower_emit(lowering, BW_DIRECTIVE_COMPUTE_ROOT, stage->reads[r], 0)->func = lowering->n_funcs - 1;
		}
		bw_lower_emit(lowering, BW_DIRECTIVE_COMPUTE_ROOT, 0, 0)->func = stage->handle;
	}
}

struct bw_directives *bw_lower(const struct bw_nest *nest, struct bw_error *error)
{
	int n_order, *order = bw_nest_order(nest->pipeline, &n_order);
	struct bw_lowering lowering = {.out = BW_NEW(struct bw_directives), .nest = nest};
	lowering.out->arena = bw_arena_new();
	lowering.n_funcs = bw_pipeline_n_handles(nest->pipeline);
	for (int i = 0; i < n_order; i++) {
		if (!can_be_compiled(&nest->pipeline->funcs[order[i]], nest->placed[order[i]], error)) {
			bw_directives_free(lowering.out);
			free(order);
			return NULL;
		}
		lower_func(&lowering, order[i]);
	}
	lower_externs(&lowering);
	free(order);
	return lowering.out;
}
