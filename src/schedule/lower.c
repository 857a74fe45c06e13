#include "schedule/lower.h"

#include <stdlib.h>
#include <string.h>

/* A loop that is cut into pieces x, 8, 4 becomes split(x, x_block, x_in1, 32) and split(x_in1, x_thread, x_serial, 4): names say the
 * kind of loop, so that an exported schedule can be read. */

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

static bool is_loop(const struct bw_stage *stage, const char *name)
{
	for (int l = 0; l < stage->n_loops; l++)
		if (!strcmp(stage->loops[l].name, name))
			return true;
	return false;
}

/* A name for a loop that the stage of itself does not have: this one, with as many underscores after it as that takes. Takes over the text. */
static char *name_of(struct bw_arena *arena, const struct bw_stage *stage, struct bw_text *name)
{
	while (is_loop(stage, bw_text_get(name)))
		bw_text_puts(name, "_");
	char *copy = bw_arena_strdup(arena, bw_text_get(name));
	bw_text_free(name);
	return copy;
}

/* The name of the loop that piece i becomes. */
static char *piece_name(struct bw_arena *arena, const struct bw_stage *stage, const struct bw_stage_plan *plan, int i)
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

struct writer {
	struct bw_directives *out;
	int capacity;
	const struct bw_nest *nest;
};

static struct bw_directive *emit(struct writer *writer, enum bw_directive_op op, int func, int stage)
{
	BW_GROW(writer->out->list, writer->out->n, writer->capacity);
	struct bw_directive *directive = &writer->out->list[writer->out->n++];
	*directive = (struct bw_directive){.op = op, .func = writer->nest->pipeline->funcs[func].handle, .stage = stage, .at_func = -1, .at_stage = -1, .result = -1};
	return directive;
}

static void set_vars(struct writer *writer, struct bw_directive *directive, const char *const *vars, int n)
{
	const char **copy = BW_ARENA_ARRAY(writer->out->arena, const char *, n);
	memcpy(copy, vars, (size_t)n * sizeof *copy);
	directive->vars = copy;
	directive->n_vars = n;
}

static void lower_site(struct writer *writer, int func, const struct bw_site *site, enum bw_directive_op root, enum bw_directive_op at)
{
	if (site->kind == BW_SITE_ROOT) {
		emit(writer, root, func, 0);
		return;
	}
	const struct bw_placed *host = writer->nest->placed[site->func];
	const struct bw_func *host_func = &writer->nest->pipeline->funcs[site->func];
	const struct bw_placed_stage *stage = &host->stages[site->stage];
	bw_level level = bw_level_make(site->func, site->stage, site->role, site->serial);
	int piece = 0;
	for (int i = 0; i < stage->n_levels; i++)
		if (stage->levels[i].level == level)
			piece = stage->levels[i].piece;
	const char *var = piece_name(writer->out->arena, &host_func->stages[site->stage], &host->placement->stages[site->stage], piece);
	struct bw_directive *directive = emit(writer, at, func, 0);
	directive->at_func = host_func->handle;
	directive->at_stage = site->stage;
	set_vars(writer, directive, &var, 1);
}

/* The splits that cut one loop into its pieces, outermost split first. The first takes the tail; the others always
 * divide, and say so by the tail that costs nothing: RoundUp, which Halide refuses in updates. */
static void lower_splits(struct writer *writer, const struct bw_stage *stage, const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int loop)
{
	struct bw_arena *arena = writer->out->arena;
	int left = pieces_of(plan, loop) - 1, cuts = 0;
	const char *rest = stage->loops[loop].name;
	for (int i = 0; left > 0; i++) {
		if (plan->loops[i].loop != loop)
			continue;
		int next = i + 1;
		while (plan->loops[next].loop != loop)
			next++;
		int64_t factor = 1;
		for (int k = next; k < plan->n_loops; k++)
			if (plan->loops[k].loop == loop)
				factor *= plan->loops[k].extent;
		struct bw_text inner = {0};
		bw_text_printf(&inner, "%s_in%d", stage->loops[loop].name, cuts + 1);
		const char *vars[] = {rest, piece_name(arena, stage, plan, i), left == 1 ? piece_name(arena, stage, plan, next) : name_of(arena, stage, &inner)};
		bw_text_free(&inner);
		struct bw_directive *split = emit(writer, BW_DIRECTIVE_SPLIT, stage->func, stage->index);
		set_vars(writer, split, vars, 3);
		split->factor = factor;
		split->tail = cuts == 0 ? placed->tails[next] : stage->loops[loop].pure && stage->index == 0 ? BW_TAIL_ROUND_UP : BW_TAIL_GUARD_WITH_IF;
		rest = vars[2];
		cuts++;
		left--;
	}
}

/* gpu_blocks of the innermost three; what is further out is fused into the third. */
static void lower_blocks(struct writer *writer, const struct bw_stage *stage, const char **blocks, int n)
{
	while (n > 3) {
		struct bw_text fused = {0};
		bw_text_printf(&fused, "%s_and_%s", blocks[n - 2], blocks[n - 1]);
		const char *vars[] = {blocks[n - 2], blocks[n - 1], name_of(writer->out->arena, stage, &fused)};
		set_vars(writer, emit(writer, BW_DIRECTIVE_FUSE, stage->func, stage->index), vars, 3);
		blocks[--n - 1] = vars[2];
	}
	if (n)
		set_vars(writer, emit(writer, BW_DIRECTIVE_GPU_BLOCKS, stage->func, stage->index), blocks, n);
}

static void lower_kinds(struct writer *writer, const struct bw_stage *stage, const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, const char *const *names, bool root)
{
	const char *blocks[BW_MAX_LOOPS], *threads[BW_MAX_LOOPS], *lanes[BW_MAX_LOOPS];
	int n_blocks = 0, n_threads = 0, n_lanes = 0;
	for (int i = plan->n_loops - 1; i >= 0; i--) {
		enum bw_loop_kind kind = plan->loops[i].kind;
		if (kind == BW_LOOP_BLOCK && n_blocks < BW_MAX_LOOPS)
			blocks[n_blocks++] = names[i];
		else if (kind == BW_LOOP_THREAD && n_threads < BW_MAX_LOOPS)
			threads[n_threads++] = names[i];
		else if (kind == BW_LOOP_LANE && n_lanes < BW_MAX_LOOPS)
			lanes[n_lanes++] = names[i];
		else if (kind == BW_LOOP_UNROLLED || (placed->extents[i] > 1 && bw_stage_unrolls(plan, placed, i)))
			set_vars(writer, emit(writer, BW_DIRECTIVE_UNROLL, stage->func, stage->index), &names[i], 1);
		else if (kind == BW_LOOP_VECTOR)
			set_vars(writer, emit(writer, BW_DIRECTIVE_VECTORIZE, stage->func, stage->index), &names[i], 1);
	}
	lower_blocks(writer, stage, blocks, n_blocks);
	if (n_threads)
		set_vars(writer, emit(writer, BW_DIRECTIVE_GPU_THREADS, stage->func, stage->index), threads, n_threads);
	if (n_lanes)
		set_vars(writer, emit(writer, BW_DIRECTIVE_GPU_LANES, stage->func, stage->index), lanes, n_lanes);
	if (root && n_blocks == 0)
		emit(writer, BW_DIRECTIVE_GPU_SINGLE_THREAD, stage->func, stage->index);
}

/* Whether something is stored in registers inside a stage at root. */
static bool has_registers(const struct bw_nest *nest, const struct bw_stage *stage)
{
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		if (placed && placed->kernel_func == stage->func && placed->kernel_stage == stage->index && placed->memory == BW_MEMORY_REGISTERS)
			return true;
	}
	return false;
}

/* Whether a piece is a whole loop that is fused with blocks further out. */
static bool fused_inside(const struct bw_stage_plan *plan, int piece)
{
	int inside = 0, outside = 0;
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].kind == BW_LOOP_BLOCK)
			*(i < piece ? &outside : &inside) += i != piece;
	return plan->loops[piece].kind == BW_LOOP_BLOCK && inside >= 2 && outside >= 1 && pieces_of(plan, plan->loops[piece].loop) == 1;
}

/* Splits a loop by one: the new outer loop, and the inner one. Of the variable of a fused loop itself Halide knows no bounds, and then
 * refuses registers for what is computed inside; of one that was split it does. */
static void split_by_one(struct writer *writer, const struct bw_stage *stage, const char **name, const char **inner)
{
	struct bw_text outer_name = {0}, inner_name = {0};
	bw_text_printf(&outer_name, "%s_%s", *name, suffix(BW_LOOP_BLOCK));
	bw_text_printf(&inner_name, "%s_one", *name);
	const char *vars[] = {*name, name_of(writer->out->arena, stage, &outer_name), name_of(writer->out->arena, stage, &inner_name)};
	struct bw_directive *split = emit(writer, BW_DIRECTIVE_SPLIT, stage->func, stage->index);
	set_vars(writer, split, vars, 3);
	split->factor = 1;
	split->tail = BW_TAIL_GUARD_WITH_IF;
	*name = vars[1];
	*inner = vars[2];
}

static void lower_stage(struct writer *writer, const struct bw_stage *stage, const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, bool root)
{
	const char **names = BW_ARENA_ARRAY(writer->out->arena, const char *, plan->n_loops + 1);
	const char **inside_out = BW_ARENA_ARRAY(writer->out->arena, const char *, 2 * plan->n_loops + 1);
	int n = 0;
	for (int l = 0; l < stage->n_loops; l++)
		lower_splits(writer, stage, plan, placed, l);
	for (int i = 0; i < plan->n_loops; i++) {
		names[i] = piece_name(writer->out->arena, stage, plan, i);
		if (root && fused_inside(plan, i) && has_registers(writer->nest, stage))
			split_by_one(writer, stage, &names[i], &inside_out[n++]);
	}
	for (int i = plan->n_loops - 1; i >= 0; i--)
		inside_out[n++] = names[i];
	if (n > 1)
		set_vars(writer, emit(writer, BW_DIRECTIVE_REORDER, stage->func, stage->index), inside_out, n);
	lower_kinds(writer, stage, plan, placed, names, root);
}

/* Memory is always said, but for global memory at root. Left to itself, Halide 14 takes an allocation in a thread for one in global memory where it
 * does not see at once that its size is constant (a let in an extent is enough), and then makes it too small for the block
 * if the thread loops around it are fewer than the block has. Asked for registers it looks for a constant harder, and refuses where there is none.
 * A Func with updates it refuses even where it is one element (pooling under a split of the channels), not so on the stack: that is the same to
 * the code generators, and never global memory. It can only be had where no guard changes its size: elsewhere Halide is left to itself, whatever
 * comes of it; the search offers nothing such. */
static enum bw_memory memory_said(const struct bw_func *func, const struct bw_placed *placed)
{
	bool said = placed->placement->memory != BW_MEMORY_AUTO;
	if (said || placed->memory == BW_MEMORY_SHARED || (placed->memory == BW_MEMORY_REGISTERS && func->n_stages == 1))
		return placed->memory;
	return placed->memory == BW_MEMORY_REGISTERS && placed->constant ? BW_MEMORY_STACK : BW_MEMORY_AUTO;
}

static void lower_func(struct writer *writer, int f)
{
	const struct bw_func *func = &writer->nest->pipeline->funcs[f];
	const struct bw_placed *placed = writer->nest->placed[f];
	const struct bw_placement *placement = placed->placement;
	if (placement->compute.kind == BW_SITE_INLINE)
		return;
	lower_site(writer, f, &placement->compute, BW_DIRECTIVE_COMPUTE_ROOT, BW_DIRECTIVE_COMPUTE_AT);
	if (!bw_site_equal(&placement->compute, &placement->store))
		lower_site(writer, f, &placement->store, BW_DIRECTIVE_STORE_ROOT, BW_DIRECTIVE_STORE_AT);
	enum bw_memory memory = memory_said(func, placed);
	if (memory != BW_MEMORY_AUTO)
		emit(writer, BW_DIRECTIVE_STORE_IN, f, 0)->memory = memory;
	if (placement->n_storage) {
		const char *dims[BW_MAX_DIMS];
		for (int d = 0; d < placement->n_storage; d++)
			dims[d] = func->dims[placement->storage[d]];
		set_vars(writer, emit(writer, BW_DIRECTIVE_REORDER_STORAGE, f, 0), dims, placement->n_storage);
	}
	for (int s = 0; s < placement->n_stages; s++)
		lower_stage(writer, &func->stages[s], &placement->stages[s], &placed->stages[s], placement->compute.kind == BW_SITE_ROOT);
}

/* Halide substitutes an inlined Func into each of its calls: expressions grow by what every stage of a chain reads. With 625 calls its compilation
 * takes half a minute; with 15625 of them it does not end, or runs out of memory. */
enum { MOST_CALLS = 4096 };

static bool can_be_compiled(const struct bw_func *func, const struct bw_placed *placed, struct bw_error *error)
{
	if (!placed || !placed->placement->tiled)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: %s; only a complete schedule can be compiled", func->name, placed ? "its tiling is not decided yet" : "it is not placed yet");
	if (placed->calls > MOST_CALLS)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: inlined, it is called %.6g times for a point; Halide cannot compile more than %d: it, or a Func that reads it, is to be computed elsewhere", func->name, placed->calls, MOST_CALLS);
	return true;
}

struct bw_directives *bw_lower(const struct bw_nest *nest, struct bw_error *error)
{
	int n_order, *order = bw_nest_order(nest->pipeline, &n_order);
	struct writer writer = {.out = BW_NEW(struct bw_directives), .nest = nest};
	writer.out->arena = bw_arena_new();
	for (int i = 0; i < n_order; i++) {
		if (!can_be_compiled(&nest->pipeline->funcs[order[i]], nest->placed[order[i]], error)) {
			bw_directives_free(writer.out);
			free(order);
			return NULL;
		}
		lower_func(&writer, order[i]);
	}
	free(order);
	return writer.out;
}
