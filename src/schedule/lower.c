/* Lowers a nest to the directives that make Halide build its loops. */
#include "schedule/directive.h"

#include <stdlib.h>
#include <string.h>

#include "nest/staging.h"

struct bw_lowering {
	struct bw_directives *out;
	int capacity;
	const struct bw_nest *nest;
	int n_funcs; /* number of indexes in use, for the pipeline's Funcs and those that directives made */
};

/* Appends a directive on a stage. The pointer is valid until the next call. */
static struct bw_directive *emit(struct bw_lowering *lowering, enum bw_directive_op op, int func, int stage)
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

/* Sets the Vars of a directive. Copies the array, not the names. */
static void set_vars(struct bw_lowering *lowering, struct bw_directive *directive, const char *const *vars,
		   int n)
{
	const char **copy = BW_ARENA_ARRAY(lowering->out->arena, const char *, n);
	for (int i = 0; i < n; i++)
		copy[i] = bw_arena_strdup(lowering->out->arena, vars[i]);
	directive->vars = copy;
	directive->n_vars = n;
}

/* The loops of a stage as directives: splits, order, kinds. */

/* Loop names contain the kind of loop, so that exported schedules are readable. */

static int pieces_of(const struct bw_stage_plan *plan, int loop)
{
	int n = 0;
	for (int i = 0; i < plan->n_loops; i++)
		n += plan->loops[i].loop == loop;
	return n;
}

static const char *suffix(enum bw_loop_kind kind)
{
	return kind == BW_LOOP_UNROLLED ? "unroll" : bw_loop_kind_name(kind);
}

/* Returns a name for a new loop: `name`, with underscores appended until the stage has no loop of this
 * name. Takes ownership of `name`. */
static char *name_of(struct bw_arena *arena, const struct bw_stage *stage, struct bw_text *name)
{
	while (bw_stage_find_loop(stage, bw_text_get(name)) >= 0)
		bw_text_puts(name, "_");
	return bw_text_keep(name, arena);
}

/* Returns the name of the loop that piece i of a plan becomes. */
static char *piece_name(struct bw_arena *arena, const struct bw_stage *stage,
			const struct bw_stage_plan *plan, int i)
{
	const struct bw_loop *piece = &plan->loops[i];
	const char *loop = stage->loops[piece->loop].name;
	if (pieces_of(plan, piece->loop) == 1)
		return bw_arena_strdup(arena, loop);
	int alike = 0;
	for (int k = 0; k < i; k++)
		alike += plan->loops[k].loop == piece->loop && plan->loops[k].kind == piece->kind;
	struct bw_text name = {0};
	bw_text_printf(&name, alike ? "%s_%s%d" : "%s_%s", loop, suffix(piece->kind), alike + 1);
	return name_of(arena, stage, &name);
}

static void emit_split(struct bw_lowering *lowering, const struct bw_stage *stage, const char *const vars[3],
		       int64_t factor, enum bw_tail tail)
{
	struct bw_directive *split = emit(lowering, BW_DIRECTIVE_SPLIT, stage->func, stage->index);
	set_vars(lowering, split, vars, 3);
	split->factor = factor;
	split->tail = tail;
}

/* A loop and its pieces, in plan order. */
struct cut {
	const struct bw_stage *stage;
	const struct bw_stage_plan *plan;
	int loop, n, *pieces;
	enum bw_tail tail; /* tail of the outermost split */
};

static struct cut cut_of(struct bw_arena *arena, const struct bw_stage *stage,
			 const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int loop)
{
	struct cut cut = {.stage = stage,
			  .plan = plan,
			  .loop = loop,
			  .tail = BW_TAIL_AUTO,
			  .pieces = BW_ARENA_ARRAY(arena, int, plan->n_loops + 1)};
	for (int i = 0; i < plan->n_loops; i++) {
		if (plan->loops[i].loop != loop)
			continue;
		cut.tail = cut.n == 1 ? placed->tails[i] : cut.tail;
		cut.pieces[cut.n++] = i;
	}
	return cut;
}

static const char *cut_name(struct bw_arena *arena, const struct cut *cut, int i)
{
	return piece_name(arena, cut->stage, cut->plan, cut->pieces[i]);
}

/* Returns the name of an intermediate loop, which one split makes and the next one splits: x_in1, x_in2
 * with split_inwards; x_out1, x_out2 with split_outwards. */
static const char *between(struct bw_arena *arena, const struct cut *cut, const char *side, int number)
{
	struct bw_text name = {0};
	bw_text_printf(&name, "%s_%s%d", cut->stage->loops[cut->loop].name, side, number);
	return name_of(arena, cut->stage, &name);
}

/* Splits a loop outermost piece first. The first split has the tail of the plan. The factors of the other
 * splits always divide, so these splits take the tail that costs nothing: RoundUp, or GuardWithIf in
 * updates, where Halide refuses RoundUp. */
static void split_inwards(struct bw_lowering *lowering, const struct cut *cut)
{
	struct bw_arena *arena = lowering->out->arena;
	const struct bw_stage_loop *loop = &cut->stage->loops[cut->loop];
	enum bw_tail divides = loop->pure && cut->stage->index == 0 ? BW_TAIL_ROUND_UP : BW_TAIL_GUARD_WITH_IF;
	const char *rest = loop->name;
	for (int i = 1; i < cut->n; i++) {
		int64_t factor = 1;
		for (int k = i; k < cut->n; k++)
			factor *= cut->plan->loops[cut->pieces[k]].extent;
		const char *outer = cut_name(arena, cut, i - 1),
			   *inner = i == cut->n - 1 ? cut_name(arena, cut, i) : between(arena, cut, "in", i);
		emit_split(lowering, cut->stage, (const char *const[]){rest, outer, inner}, factor,
			   i == 1 ? cut->tail : divides);
		rest = inner;
	}
}

/* Splits a loop innermost piece first. Each split has its own guard (see bw_stage_splits_outwards). */
static void split_outwards(struct bw_lowering *lowering, const struct cut *cut)
{
	struct bw_arena *arena = lowering->out->arena;
	const char *rest = cut->stage->loops[cut->loop].name;
	for (int i = cut->n - 1; i > 0; i--) {
		const char *outer = i == 1 ? cut_name(arena, cut, 0) : between(arena, cut, "out", cut->n - i);
		emit_split(lowering, cut->stage, (const char *const[]){rest, outer, cut_name(arena, cut, i)},
			   cut->plan->loops[cut->pieces[i]].extent, cut->tail);
		rest = outer;
	}
}

/* Appends the splits of a loop. For a loop with the pieces x, 8, 4, split_inwards makes split(x, x_block,
 * x_in1, 32) and split(x_in1, x_thread, x_serial, 4); split_outwards makes split(x, x_out1, x_serial, 4)
 * and split(x_out1, x_block, x_thread, 8). */
static void lower_splits(struct bw_lowering *lowering, const struct bw_stage *stage,
			 const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int loop)
{
	struct cut cut = cut_of(lowering->out->arena, stage, plan, placed, loop);
	if (cut.tail == BW_TAIL_GUARD_WITH_IF && bw_stage_splits_outwards(plan, loop))
		split_outwards(lowering, &cut);
	else
		split_inwards(lowering, &cut);
}

/* Appends gpu_blocks for at most three loops: the block loops outside of the innermost two are fused into
 * one. */
static void lower_blocks(struct bw_lowering *lowering, const struct bw_stage *stage, const char **blocks,
			 int n)
{
	while (n > 3) {
		struct bw_text fused = {0};
		bw_text_printf(&fused, "%s_and_%s", blocks[n - 2], blocks[n - 1]);
		const char *vars[] = {blocks[n - 2], blocks[n - 1], name_of(lowering->out->arena, stage, &fused)};
		set_vars(lowering, emit(lowering, BW_DIRECTIVE_FUSE, stage->func, stage->index), vars, 3);
		blocks[--n - 1] = vars[2];
	}
	if (n)
		set_vars(lowering,
			      emit(lowering, BW_DIRECTIVE_GPU_BLOCKS, stage->func, stage->index),
			      blocks, n);
}

static void lower_kinds(struct bw_lowering *lowering, const struct bw_stage *stage,
			const struct bw_stage_plan *plan, const struct bw_placed_stage *placed,
			const char *const *names, bool root)
{
	const char *blocks[BW_MAX_LOOPS], *threads[BW_MAX_LOOPS], *lanes[BW_MAX_LOOPS];
	int n_blocks = 0, n_threads = 0, n_lanes = 0;
	for (int i = plan->n_loops - 1; i >= 0; i--) {
		enum bw_loop_kind kind = plan->loops[i].kind;
		if (kind == BW_LOOP_BLOCK && n_blocks < BW_MAX_LOOPS)
			blocks[n_blocks++] = names[i];
		else if (kind == BW_LOOP_THREAD && n_threads < BW_MAX_LOOPS && bw_stage_launches(plan, placed, i))
			threads[n_threads++] = names[i];
		else if (kind == BW_LOOP_LANE && n_lanes < BW_MAX_LOOPS)
			lanes[n_lanes++] = names[i];
		else if (kind == BW_LOOP_UNROLLED || (placed->extents[i] > 1 && bw_stage_unrolls(plan, placed, i)))
			set_vars(lowering,
				      emit(lowering, BW_DIRECTIVE_UNROLL, stage->func, stage->index),
				      &names[i], 1);
		else if (kind == BW_LOOP_VECTOR)
			set_vars(
			    lowering,
			    emit(lowering, BW_DIRECTIVE_VECTORIZE, stage->func, stage->index),
			    &names[i], 1);
	}
	lower_blocks(lowering, stage, blocks, n_blocks);
	if (n_threads)
		set_vars(lowering,
			      emit(lowering, BW_DIRECTIVE_GPU_THREADS, stage->func, stage->index),
			      threads, n_threads);
	if (n_lanes)
		set_vars(lowering,
			      emit(lowering, BW_DIRECTIVE_GPU_LANES, stage->func, stage->index),
			      lanes, n_lanes);
	if (root && n_blocks == 0)
		emit(lowering, BW_DIRECTIVE_GPU_SINGLE_THREAD, stage->func, stage->index);
}

/* Returns true if a Func is stored, or a value staged, in registers inside of a stage at root. */
static bool has_registers(struct bw_lowering *lowering, const struct bw_stage *stage)
{
	struct bw_kernel kernel = bw_nest_kernel(lowering->nest, stage->func, stage->index, lowering->out->arena);
	return kernel.register_bytes > 0 ||
	       bw_kernel_staged_bytes(lowering->nest, &kernel, lowering->out->arena) > 0;
}

/* Returns true if a piece is a whole loop that lower_blocks fuses with other block loops: there are at
 * least three block loops, and at least two of them are inside of the piece. */
static bool whole_and_fused(const struct bw_stage_plan *plan, int piece)
{
	int inside = 0, outside = 0;
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].kind == BW_LOOP_BLOCK)
			*(i < piece ? &outside : &inside) += i != piece;
	return plan->loops[piece].kind == BW_LOOP_BLOCK && inside >= 2 && inside + outside >= 3 &&
	       pieces_of(plan, plan->loops[piece].loop) == 1;
}

/* Splits a loop by factor 1 into a new outer loop and an inner one. Halide does not know the bounds of a
 * fused loop's variable, and then refuses to keep Funcs computed inside of it in registers. It does know
 * the bounds of a split loop's variable. */
static void split_by_one(struct bw_lowering *lowering, const struct bw_stage *stage, const char **name,
			 const char **inner)
{
	struct bw_text outer_name = {0}, inner_name = {0};
	bw_text_printf(&outer_name, "%s_%s", *name, suffix(BW_LOOP_BLOCK));
	bw_text_printf(&inner_name, "%s_one", *name);
	const char *vars[] = {*name, name_of(lowering->out->arena, stage, &outer_name),
			      name_of(lowering->out->arena, stage, &inner_name)};
	struct bw_directive *split = emit(lowering, BW_DIRECTIVE_SPLIT, stage->func, stage->index);
	set_vars(lowering, split, vars, 3);
	split->factor = 1;
	split->tail = BW_TAIL_GUARD_WITH_IF;
	*name = vars[1];
	*inner = vars[2];
}

/* Appends all directives on the loops of a stage. root: the Func is computed at root. */
static void lower_stage(struct bw_lowering *lowering, const struct bw_stage *stage,
		    const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, bool root)
{
	const char **names = BW_ARENA_ARRAY(lowering->out->arena, const char *, plan->n_loops + 1);
	const char **inside_out = BW_ARENA_ARRAY(lowering->out->arena, const char *, 2 * plan->n_loops + 1);
	int n = 0;
	for (int l = 0; l < stage->n_loops; l++)
		lower_splits(lowering, stage, plan, placed, l);
	for (int i = 0; i < plan->n_loops; i++) {
		names[i] = piece_name(lowering->out->arena, stage, plan, i);
		if (root && whole_and_fused(plan, i) && has_registers(lowering, stage))
			split_by_one(lowering, stage, &names[i], &inside_out[n++]);
	}
	for (int i = plan->n_loops - 1; i >= 0; i--)
		inside_out[n++] = names[i];
	if (n > 1)
		set_vars(lowering,
			      emit(lowering, BW_DIRECTIVE_REORDER, stage->func, stage->index),
			      inside_out, n);
	if (plan->atomic)
		emit(lowering, BW_DIRECTIVE_ATOMIC, stage->func, stage->index);
	lower_kinds(lowering, stage, plan, placed, names, root);
}

/* Appends the directive for where a Func is computed or stored. The pointer is valid until the next
 * directive is added. */
static struct bw_directive *lower_site(struct bw_lowering *lowering, int func, const struct bw_site *site,
				       enum bw_directive_op root, enum bw_directive_op at)
{
	if (site->kind == BW_SITE_ROOT)
		return emit(lowering, root, func, 0);
	const struct bw_placed *host = lowering->nest->placed[site->func];
	const struct bw_func *host_func = &lowering->nest->pipeline->funcs[site->func];
	const struct bw_placed_stage *stage = &host->stages[site->stage];
	bw_level level = bw_level_make(site->func, site->stage, site->role, site->serial);
	int piece = 0;
	for (int i = 0; i < stage->n_levels; i++)
		if (stage->levels[i].level == level)
			piece = stage->levels[i].piece;
	const char *var = piece_name(lowering->out->arena, &host_func->stages[site->stage],
					 &host->placement->stages[site->stage], piece);
	struct bw_directive *directive = emit(lowering, at, func, 0);
	directive->at_func = host_func->handle;
	directive->at_stage = site->stage;
	set_vars(lowering, directive, &var, 1);
	return directive;
}

/* Returns the memory for store_in; BW_MEMORY_AUTO: no store_in. A Func in global memory at root needs no
 * store_in.
 *
 * Without store_in, Halide 14 puts a per-thread allocation into global memory unless it sees at once that
 * the size is constant; a let in an extent is enough to hide that. It then makes the allocation too small
 * for the block if the thread loops around it have fewer iterations than the block has threads. With
 * MemoryType::Register, Halide tries harder to find a constant size, and fails if there is none. It also
 * fails for a Func with updates of even one element (pooling under a split of the channels).
 * MemoryType::Stack has no such failure: it is never global memory, and code generators treat it like
 * registers. The stack needs a size that no guard changes. In all other cases Halide decides, and the
 * search offers no such schedule. */
static enum bw_memory memory_said(const struct bw_func *func, const struct bw_placed *placed)
{
	bool said = placed->placement->memory != BW_MEMORY_AUTO;
	if (said || placed->memory == BW_MEMORY_SHARED ||
	    (placed->memory == BW_MEMORY_REGISTERS && func->n_stages == 1))
		return placed->memory;
	return placed->memory == BW_MEMORY_REGISTERS && placed->proof >= BW_PROOF_BOUND ? BW_MEMORY_STACK
											: BW_MEMORY_AUTO;
}

/* Appends an in() wrapper of a staged producer for the readers that belong to this stage only. The wrapper
 * is computed at the start of the unrolled loops, with all its own loops unrolled, so that every index is
 * constant. */
static void lower_staging(struct bw_lowering *lowering, const struct bw_staging *staging)
{
	const struct bw_func *funcs = lowering->nest->pipeline->funcs;
	struct bw_directive *wrap = emit(lowering, BW_DIRECTIVE_IN, staging->func, 0);
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
	struct bw_directive *store = emit(lowering, BW_DIRECTIVE_STORE_IN, staging->func, 0);
	store->func = result;
	store->memory = BW_MEMORY_REGISTERS;
	for (int d = 0; d < funcs[staging->func].n_dims; d++) {
		if (staging->extents[d] <= 1)
			continue;
		struct bw_directive *unroll = emit(lowering, BW_DIRECTIVE_UNROLL, staging->func, 0);
		unroll->func = result;
		set_vars(lowering, unroll, &funcs[staging->func].dims[d], 1);
	}
}

static void lower_stagings(struct bw_lowering *lowering, int f, int stage)
{
	struct bw_stagings stagings = bw_nest_stagings(lowering->nest, f, stage, lowering->out->arena);
	for (int i = 0; i < stagings.n; i++)
		if (stagings.list[i].verdict == BW_STAGING_STAGED)
			lower_staging(lowering, &stagings.list[i]);
}

/* Appends the directives that factor an update. They must come before all other directives. */
static void lower_rfactor(struct bw_lowering *lowering, const struct bw_rfactor *rfactor)
{
	const char *const split_vars[] = {rfactor->rvar, rfactor->outer, rfactor->inner},
			  *const kept[] = {rfactor->apart ? rfactor->inner : rfactor->outer, rfactor->var};
	struct bw_directive *split = emit(lowering, BW_DIRECTIVE_SPLIT, rfactor->func, rfactor->stage);
	split->factor = rfactor->factor;
	split->tail = BW_TAIL_GUARD_WITH_IF;
	set_vars(lowering, split, split_vars, 3);
	struct bw_directive *directive = emit(lowering, BW_DIRECTIVE_RFACTOR, rfactor->func, rfactor->stage);
	directive->result = lowering->nest->pipeline->funcs[rfactor->made].handle;
	set_vars(lowering, directive, kept, 2);
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
		emit(lowering, BW_DIRECTIVE_STORE_IN, f, 0)->memory = memory;
	for (int d = 0; d < func->n_dims; d++)
		if (placement->align[d]) {
			struct bw_directive *align = emit(lowering, BW_DIRECTIVE_ALIGN_BOUNDS, f, 0);
			align->factor = placement->align[d];
			set_vars(lowering, align, &func->dims[d], 1);
		}
	int64_t aligned = bw_placed_aligned(func, placed);
	if (aligned > 1) {
		struct bw_directive *align = emit(lowering, BW_DIRECTIVE_ALIGN_STORAGE, f, 0);
		align->factor = aligned;
		set_vars(lowering, align, &func->dims[0], 1);
	}
	if (placement->n_storage) {
		const char *dims[BW_MAX_DIMS];
		for (int d = 0; d < placement->n_storage; d++)
			dims[d] = func->dims[placement->storage[d]];
		set_vars(lowering, emit(lowering, BW_DIRECTIVE_REORDER_STORAGE, f, 0), dims,
			      placement->n_storage);
	}
	for (int s = 0; s < placement->n_stages; s++)
		lower_stage(lowering, &func->stages[s], &placement->stages[s], &placed->stages[s],
			       placement->compute.kind == BW_SITE_ROOT);
	for (int s = 0; s < placement->n_stages; s++)
		lower_stagings(lowering, f, s);
}

/* Halide substitutes an inlined Func into each of its calls. In a chain of inlined Funcs, the expressions
 * are multiplied by the number of reads of each stage. Halide compiles 625 calls in half a minute; with
 * 15625 it does not finish, or runs out of memory. */
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

/* Appends compute_root() for each extern stage. Each computed Func that the stage reads gets an in()
 * wrapper, also at root, as a copy on the host: Halide does not copy GPU results to the host for an extern
 * stage. */
static void lower_externs(struct bw_lowering *lowering)
{
	const struct bw_pipeline *pipeline = lowering->nest->pipeline;
	for (int i = 0; i < pipeline->n_externs; i++) {
		const struct bw_extern *stage = &pipeline->externs[i];
		for (int r = 0; r < stage->n_reads; r++) {
			if (pipeline->funcs[stage->reads[r]].input)
				continue;
			struct bw_directive *copy = emit(lowering, BW_DIRECTIVE_IN, stage->reads[r], 0);
			copy->at_func = stage->handle;
			copy->result = lowering->n_funcs++;
			emit(lowering, BW_DIRECTIVE_COMPUTE_ROOT, stage->reads[r], 0)->func = lowering->n_funcs - 1;
		}
		emit(lowering, BW_DIRECTIVE_COMPUTE_ROOT, 0, 0)->func = stage->handle;
	}
}

struct bw_directives *bw_lower(const struct bw_nest *nest, struct bw_error *error)
{
	int n_order, *order = bw_nest_order(nest->pipeline, &n_order);
	struct bw_lowering lowering = {.out = BW_NEW(struct bw_directives), .nest = nest};
	lowering.out->arena = bw_arena_new();
	lowering.n_funcs = bw_pipeline_n_handles(nest->pipeline);
	for (int i = 0; i < nest->pipeline->n_rfactors; i++)
		lower_rfactor(&lowering, &nest->pipeline->rfactors[i]);
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
