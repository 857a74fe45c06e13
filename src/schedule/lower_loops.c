/* The loops of a stage as directives: splits, order, kinds. */
#include <string.h>

#include "schedule/lower_private.h"

/* Names tell the kind of loop, to make exported schedules readable. */

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

/* Returns a name for a new loop: this one, with underscores appended until the stage has no loop of that
 * name. Takes ownership of the text. */
static char *name_of(struct bw_arena *arena, const struct bw_stage *stage, struct bw_text *name)
{
	while (is_loop(stage, bw_text_get(name)))
		bw_text_puts(name, "_");
	char *copy = bw_arena_strdup(arena, bw_text_get(name));
	bw_text_free(name);
	return copy;
}

char *bw_lower_piece(struct bw_arena *arena, const struct bw_stage *stage, const struct bw_stage_plan *plan,
		     int i)
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
	struct bw_directive *split = bw_lower_emit(lowering, BW_DIRECTIVE_SPLIT, stage->func, stage->index);
	bw_lower_vars(lowering, split, vars, 3);
	split->factor = factor;
	split->tail = tail;
}

/* A loop and its pieces, in plan order. */
struct cut {
	const struct bw_stage *stage;
	const struct bw_stage_plan *plan;
	int loop, n, *pieces;
	enum bw_tail tail; /* of the outermost split */
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
	return bw_lower_piece(arena, cut->stage, cut->plan, cut->pieces[i]);
}

/* Returns the name between two splits: x_in1, x_in2, or from the inside x_out1, x_out2. */
static const char *between(struct bw_arena *arena, const struct cut *cut, const char *side, int number)
{
	struct bw_text name = {0};
	bw_text_printf(&name, "%s_%s%d", cut->stage->loops[cut->loop].name, side, number);
	return name_of(arena, cut->stage, &name);
}

/* Splits outermost first. The first split has the tail; the others always divide, and have the tail
 * without cost: RoundUp, which Halide refuses in updates. */
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

/* Splits innermost first, each with a guard of its own (see bw_stage_splits_outwards). */
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

/* Appends the splits of a stage. A loop with the pieces x, 8, 4 becomes split(x, x_block, x_in1, 32) and
 * split(x_in1, x_thread, x_serial, 4), or from the inside split(x, x_out1, x_serial, 4) and split(x_out1,
 * x_block, x_thread, 8). */
static void lower_splits(struct bw_lowering *lowering, const struct bw_stage *stage,
			 const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int loop)
{
	struct cut cut = cut_of(lowering->out->arena, stage, plan, placed, loop);
	if (cut.tail == BW_TAIL_GUARD_WITH_IF && bw_stage_splits_outwards(plan, loop))
		split_outwards(lowering, &cut);
	else
		split_inwards(lowering, &cut);
}

/* Appends gpu_blocks of the innermost three block loops, after fusing the outer ones into the third. */
static void lower_blocks(struct bw_lowering *lowering, const struct bw_stage *stage, const char **blocks,
			 int n)
{
	while (n > 3) {
		struct bw_text fused = {0};
		bw_text_printf(&fused, "%s_and_%s", blocks[n - 2], blocks[n - 1]);
		const char *vars[] = {blocks[n - 2], blocks[n - 1], name_of(lowering->out->arena, stage, &fused)};
		bw_lower_vars(lowering, bw_lower_emit(lowering, BW_DIRECTIVE_FUSE, stage->func, stage->index), vars, 3);
		blocks[--n - 1] = vars[2];
	}
	if (n)
		bw_lower_vars(lowering,
			      bw_lower_emit(lowering, BW_DIRECTIVE_GPU_BLOCKS, stage->func, stage->index),
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
			bw_lower_vars(lowering,
				      bw_lower_emit(lowering, BW_DIRECTIVE_UNROLL, stage->func, stage->index),
				      &names[i], 1);
		else if (kind == BW_LOOP_VECTOR)
			bw_lower_vars(
			    lowering,
			    bw_lower_emit(lowering, BW_DIRECTIVE_VECTORIZE, stage->func, stage->index),
			    &names[i], 1);
	}
	lower_blocks(lowering, stage, blocks, n_blocks);
	if (n_threads)
		bw_lower_vars(lowering,
			      bw_lower_emit(lowering, BW_DIRECTIVE_GPU_THREADS, stage->func, stage->index),
			      threads, n_threads);
	if (n_lanes)
		bw_lower_vars(lowering,
			      bw_lower_emit(lowering, BW_DIRECTIVE_GPU_LANES, stage->func, stage->index),
			      lanes, n_lanes);
	if (root && n_blocks == 0)
		bw_lower_emit(lowering, BW_DIRECTIVE_GPU_SINGLE_THREAD, stage->func, stage->index);
}

/* Returns true if some Func is stored in registers inside of a stage at root. */
static bool has_registers(struct bw_lowering *lowering, const struct bw_stage *stage)
{
	struct bw_kernel kernel = bw_nest_kernel(lowering->nest, stage->func, stage->index, lowering->out->arena);
	return kernel.register_bytes > 0 ||
	       bw_kernel_staged_bytes(lowering->nest, &kernel, lowering->out->arena) > 0;
}

/* Returns true if a piece is a whole loop that is fused with other blocks: one of four or more, and not
 * one of the innermost two. */
static bool whole_and_fused(const struct bw_stage_plan *plan, int piece)
{
	int inside = 0, outside = 0;
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].kind == BW_LOOP_BLOCK)
			*(i < piece ? &outside : &inside) += i != piece;
	return plan->loops[piece].kind == BW_LOOP_BLOCK && inside >= 2 && inside + outside >= 3 &&
	       pieces_of(plan, plan->loops[piece].loop) == 1;
}

/* Splits a loop by one into a new outer loop and an inner one. Halide does not know bounds of a fused
 * loop's variable, and then refuses registers for Funcs computed inside; it does know those of a split
 * loop. */
static void split_by_one(struct bw_lowering *lowering, const struct bw_stage *stage, const char **name,
			 const char **inner)
{
	struct bw_text outer_name = {0}, inner_name = {0};
	bw_text_printf(&outer_name, "%s_%s", *name, suffix(BW_LOOP_BLOCK));
	bw_text_printf(&inner_name, "%s_one", *name);
	const char *vars[] = {*name, name_of(lowering->out->arena, stage, &outer_name),
			      name_of(lowering->out->arena, stage, &inner_name)};
	struct bw_directive *split = bw_lower_emit(lowering, BW_DIRECTIVE_SPLIT, stage->func, stage->index);
	bw_lower_vars(lowering, split, vars, 3);
	split->factor = 1;
	split->tail = BW_TAIL_GUARD_WITH_IF;
	*name = vars[1];
	*inner = vars[2];
}

void bw_lower_stage(struct bw_lowering *lowering, const struct bw_stage *stage,
		    const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, bool root)
{
	const char **names = BW_ARENA_ARRAY(lowering->out->arena, const char *, plan->n_loops + 1);
	const char **inside_out = BW_ARENA_ARRAY(lowering->out->arena, const char *, 2 * plan->n_loops + 1);
	int n = 0;
	for (int l = 0; l < stage->n_loops; l++)
		lower_splits(lowering, stage, plan, placed, l);
	for (int i = 0; i < plan->n_loops; i++) {
		names[i] = bw_lower_piece(lowering->out->arena, stage, plan, i);
		if (root && whole_and_fused(plan, i) && has_registers(lowering, stage))
			split_by_one(lowering, stage, &names[i], &inside_out[n++]);
	}
	for (int i = plan->n_loops - 1; i >= 0; i--)
		inside_out[n++] = names[i];
	if (n > 1)
		bw_lower_vars(lowering,
			      bw_lower_emit(lowering, BW_DIRECTIVE_REORDER, stage->func, stage->index),
			      inside_out, n);
	if (plan->atomic)
		bw_lower_emit(lowering, BW_DIRECTIVE_ATOMIC, stage->func, stage->index);
	lower_kinds(lowering, stage, plan, placed, names, root);
}
