/* Variants of plans that polishing tries: each changes the loops of a placement (nest/plan.h). */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "nest/plan.h"

/* State while a placement's loops are changed. */
struct changing {
	const struct bw_func *func;
	struct bw_stage_plan *stages, *plan; /* of all stages; of the stage being changed */
	struct bw_placement draft;
	bool changed;
};

enum { MORE_LOOPS = 1 }; /* most that a variant adds to a stage */

/* Changes the n loops of a stage in place; adds loops behind them, if any, and counts them in the plan. */
typedef void change_function(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops,
			     int n);

static void set_kinds(struct changing *changing, struct bw_loop *loops, int n, enum bw_loop_kind kind)
{
	for (int i = 0; i < n; i++)
		if (bw_plan_may_unroll(&loops[i])) {
			changing->changed = true;
			loops[i].kind = kind;
		}
}

static void unroll(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops, int n)
{
	(void)stage;
	set_kinds(changing, loops, n, BW_LOOP_UNROLLED);
}

static void roll(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops, int n)
{
	(void)stage;
	set_kinds(changing, loops, n, BW_LOOP_SERIAL);
}

/* Returns true if a stage's loops are all whole and serial, as in a thread. */
static bool is_in_thread(const struct bw_loop *loops, int n)
{
	bool serial = true;
	for (int i = 0; i < n; i++)
		serial &= !loops[i].extent && (loops[i].kind == BW_LOOP_SERIAL || loops[i].kind == BW_LOOP_UNROLLED);
	return serial;
}

/* Puts the RVars of a stage in a thread outside of its Vars, in the same order otherwise. */
static void put_outside(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops, int n)
{
	struct bw_loop sorted[BW_MAX_LOOPS];
	int sorts = 0;
	if (!is_in_thread(loops, n) || n > BW_MAX_LOOPS)
		return;
	for (int pure = 0; pure < 2; pure++)
		for (int i = 0; i < n; i++)
			if (stage->loops[loops[i].loop].pure == pure)
				sorted[sorts++] = loops[i];
	for (int i = 0; i < n; i++)
		changing->changed |= sorted[i].loop != loops[i].loop;
	memcpy(loops, sorted, (size_t)n * sizeof *loops);
}

/* Returns the iterations of a loop that no Var bounds, as estimated; 0 of any other. */
static int64_t estimated(const struct bw_stage_loop *loop)
{
	int64_t min, max;
	bool known = !bw_expr_variables(loop->bound.min) && !bw_expr_variables(loop->bound.max) &&
		     bw_expr_eval(loop->bound.min, NULL, &min) && bw_expr_eval(loop->bound.max, NULL, &max);
	return known && max >= min ? max - min + 1 : 0;
}

/* Returns the iterations of a loop between constants; 0 of any other. */
static int64_t iterations_of(const struct bw_stage_loop *loop)
{
	return bw_expr_constant(loop->bound.min) && bw_expr_constant(loop->bound.max) ? estimated(loop) : 0;
}

/* Unrolls the innermost RVar of a stage together with the Vars inside of it, if it has few iterations. */
static void unroll_window(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops,
			  int n)
{
	put_outside(changing, stage, loops, n);
	for (int i = n - 1; i >= 0 && is_in_thread(loops, n); i--) {
		const struct bw_stage_loop *loop = &stage->loops[loops[i].loop];
		if (loop->pure)
			continue;
		int64_t iterations = iterations_of(loop);
		bool few = iterations > 1 && iterations <= BW_PLAN_WINDOW;
		changing->changed |= few && loops[i].kind != BW_LOOP_UNROLLED;
		loops[i].kind = few ? BW_LOOP_UNROLLED : loops[i].kind;
		return;
	}
}

/* Returns the innermost piece of a loop that may be unrolled, so that it is known modulo a number; -1 if
 * there is none. */
static int piece_of(const struct bw_func *func, const struct bw_stage *stage, const struct bw_loop *loops,
		    int n, const struct bw_parity_loop *parity)
{
	int i = n - 1, d = stage->loops[parity->loop].dim;
	while (i > 0 && loops[i].loop != parity->loop)
		i--;
	bool known = d >= 0 && (!func->output || func->begins >> d & 1);
	return known && bw_plan_may_unroll(&loops[i]) && loops[i].extent % parity->modulus == 0 ? i : -1;
}

/* Makes the last points of an output along a loop be left out, where the others stay. */
static void guard(struct changing *changing, struct bw_loop *loops, int n, int loop)
{
	int i = 0;
	while (i < n - 1 && !(loops[i].loop == loop && loops[i].extent))
		i++;
	changing->changed |= loops[i].tail != BW_TAIL_GUARD_WITH_IF;
	loops[i].tail = BW_TAIL_GUARD_WITH_IF;
}

/* Unrolls the pieces of which the selects of a stage ask a remainder, all of some parity, and aligns the Func
 * to it. Of an output it is known where it begins, if at all. */
static void align(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops, int n)
{
	const struct bw_parity *parity = NULL;
	for (int p = stage->n_parities - 1; p >= 0 && !parity; p--) {
		bool all = false;
		for (int i = 0; i < stage->parities[p].n_loops; i++) {
			const struct bw_parity_loop *loop = &stage->parities[p].loops[i];
			all = (all || !i) &&
			      (!loop->modulus || piece_of(changing->func, stage, loops, n, loop) >= 0);
		}
		parity = all ? &stage->parities[p] : NULL;
	}
	for (int i = 0; parity && i < parity->n_loops; i++) {
		int modulus = parity->loops[i].modulus;
		if (!modulus)
			continue;
		struct bw_loop *piece = &loops[piece_of(changing->func, stage, loops, n, &parity->loops[i])];
		unsigned char *to = &changing->draft.align[stage->loops[piece->loop].dim];
		changing->changed |= piece->kind != BW_LOOP_UNROLLED;
		piece->kind = BW_LOOP_UNROLLED;
		if (changing->func->output)
			guard(changing, loops, n, piece->loop);
		else if (!*to || *to % modulus) {
			changing->changed = true;
			*to = (unsigned char)modulus;
		}
	}
}

/* Moves a loop to another position. */
static void move_loop(struct bw_loop *loops, int from, int to)
{
	struct bw_loop moved = loops[from];
	if (from < to)
		memmove(&loops[from], &loops[from + 1], (size_t)(to - from) * sizeof *loops);
	else
		memmove(&loops[to + 1], &loops[to], (size_t)(from - to) * sizeof *loops);
	loops[to] = moved;
}

/* Makes vectors of the points of a thread along rows, which are then its innermost loop. */
static void make_vectors(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops,
			 int n)
{
	bool in_thread = is_in_thread(loops, n);
	for (int i = n - 1; i >= 0 && !changing->plan->atomic; i--) {
		struct bw_loop *row = &loops[i];
		bool piece = row->kind == BW_LOOP_UNROLLED && (row->extent == 2 || row->extent == 4);
		if (stage->loops[row->loop].dim != 0 || !(piece || (in_thread && row->kind == BW_LOOP_SERIAL)))
			continue;
		row->kind = BW_LOOP_VECTOR;
		move_loop(loops, i, n - 1);
		changing->changed = true;
		return;
	}
}

/* Adds a piece of a loop after all other pieces. */
static void add_piece(struct changing *changing, struct bw_loop *loops, int loop, int64_t extent,
		      enum bw_loop_kind kind)
{
	loops[changing->plan->n_loops++] = (struct bw_loop){.loop = loop, .extent = extent, .kind = kind};
}

/* Unrolls a piece of the innermost reduction of a stage in a thread, with all points inside of it, if that
 * leaves no rest. Pieces of 4 make mat_mul spill at the 64 registers that Halide 14 leaves a thread. */
static void cut_reduction(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops,
			  int n)
{
	enum { PIECE = 2 };
	int at = n - 1, pieces = 0;
	while (at >= 0 && stage->loops[loops[at].loop].pure)
		at--;
	for (int i = 0; i < n; i++)
		pieces += at >= 0 && loops[i].loop == loops[at].loop;
	if (pieces != 1 || changing->draft.compute.kind != BW_SITE_AT || loops[at].kind != BW_LOOP_SERIAL ||
	    iterations_of(&stage->loops[loops[at].loop]) % PIECE ||
	    iterations_of(&stage->loops[loops[at].loop]) <= BW_PLAN_WINDOW)
		return;
	for (int i = at + 1; i < n; i++)
		loops[i].kind = loops[i].kind == BW_LOOP_SERIAL ? BW_LOOP_UNROLLED : loops[i].kind;
	add_piece(changing, loops, loops[at].loop, PIECE, BW_LOOP_UNROLLED);
	move_loop(loops, n, at + 1);
	changing->changed = true;
}

/* Returns true if an update is on integers, where the order of additions does not change the result, and
 * may be atomic. */
static bool is_exact(const struct changing *changing, const struct bw_stage *stage)
{
	return stage->atomic && changing->func->types[0] < BW_TYPE_FLOAT32;
}

/* Returns the position of an RVar that carries a reduction: the innermost whole loop, serial or of blocks, or
 * the outermost serial one; -1 if there is none. */
static int find_reduction(const struct bw_stage *stage, const struct bw_loop *loops, int n, bool whole)
{
	int found = -1;
	for (int i = 0; i < n; i++) {
		const struct bw_stage_loop *loop = &stage->loops[loops[i].loop];
		int pieces = 0;
		for (int k = 0; k < n; k++)
			pieces += loops[k].loop == loops[i].loop;
		bool serial = loops[i].kind == BW_LOOP_SERIAL, block = loops[i].kind == BW_LOOP_BLOCK;
		if (!loop->parallel && !loop->empty && !loops[i].extent &&
		    (whole ? pieces == 1 && (serial || block) : serial && found < 0))
			found = i;
	}
	return found;
}

/* Gives the threads of a block to the innermost reduction of a stage, consecutive ones to consecutive
 * iterations, with a serial loop around them; without blocks this is one of blocks. At a block no other loops
 * have threads then. */
static void share_threads(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops,
			  int n)
{
	enum { MOST = 256, LEAST = 8 };
	const struct bw_site *site = &changing->draft.compute;
	bool root = site->kind == BW_SITE_ROOT;
	int at = find_reduction(stage, loops, n, true), blocks = 0, threads = 0;
	int64_t width = MOST;
	if (!is_exact(changing, stage) || at < 0 || !(root || site->role == BW_ROLE_BLOCK))
		return;
	for (int i = 0; i < n; i++) {
		bool thread = root && loops[i].kind == BW_LOOP_THREAD;
		if (thread && !loops[i].extent)
			return;
		blocks += loops[i].kind == BW_LOOP_BLOCK;
		threads += thread;
		width /= thread ? loops[i].extent : 1;
	}
	int64_t iterations = estimated(&stage->loops[loops[at].loop]), power = LEAST;
	while (2 * power <= width && power < iterations)
		power *= 2;
	if (width < LEAST || iterations < LEAST || threads == BW_PLAN_THREAD_LOOPS)
		return;
	for (int i = 0; i < n; i++)
		if (loops[i].kind == BW_LOOP_THREAD && !root)
			loops[i].kind = BW_LOOP_SERIAL;
	int to = !root ? at : at < blocks ? at : blocks;
	loops[at].kind = root && (!blocks || at < blocks) ? BW_LOOP_BLOCK : BW_LOOP_SERIAL;
	move_loop(loops, at, to);
	add_piece(changing, loops, loops[to].loop, power, BW_LOOP_THREAD);
	move_loop(loops, n, root ? bw_max(blocks, to + 1) + threads : to + 1);
	changing->plan->atomic = changing->changed = true;
}

/* Makes the outermost reduction loop of a stage at root a block loop. */
static void share_blocks(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops,
			 int n)
{
	enum { MOST = 4096 };
	int at = find_reduction(stage, loops, n, false), pieces = 0;
	if (!is_exact(changing, stage) || at < 0 || changing->draft.compute.kind != BW_SITE_ROOT)
		return;
	int64_t each = 1, iterations = estimated(&stage->loops[loops[at].loop]);
	for (int i = 0; i < n; i++)
		pieces += loops[i].loop == loops[at].loop;
	while (each * MOST < iterations)
		each *= 2;
	loops[at].kind = BW_LOOP_BLOCK;
	move_loop(loops, at, 0);
	if (each > 1 && pieces == 1)
		add_piece(changing, loops, loops[0].loop, each, BW_LOOP_SERIAL);
	changing->plan->atomic = changing->changed = true;
}

static const struct {
	const char *name;
	change_function *change;
	enum bw_plan_tried tried;
} variants[] = {
#define X(symbol, name, change, tried, meaning) {name, change, BW_TRIED_##tried},
	BW_PLAN_VARIANT_TABLE(X)
#undef X
};

enum bw_plan_tried bw_plan_variant_tried(enum bw_plan_variant variant)
{
	return variants[variant].tried;
}

const char *bw_plan_variant_name(enum bw_plan_variant variant)
{
	return variants[variant].name;
}

const struct bw_placement *bw_plan_variant(const struct bw_pipeline *pipeline,
					   const struct bw_placement *placement, enum bw_plan_variant variant)
{
	struct changing changing = {.func = &pipeline->funcs[placement->func], .draft = *placement};
	int n = 0;
	for (int s = 0; s < placement->n_stages; s++)
		n += placement->stages[s].n_loops + MORE_LOOPS;
	changing.stages = BW_NEW_ARRAY(struct bw_stage_plan, placement->n_stages);
	struct bw_loop *loops = BW_NEW_ARRAY(struct bw_loop, n), *next = loops;
	for (int s = 0; s < placement->n_stages; s++) {
		const struct bw_stage_plan *plan = &placement->stages[s];
		changing.plan = &changing.stages[s];
		*changing.plan = (struct bw_stage_plan){plan->n_loops, next, plan->atomic};
		memcpy(next, plan->loops, (size_t)plan->n_loops * sizeof *next);
		variants[variant].change(&changing, &changing.func->stages[s], next, plan->n_loops);
		next += changing.plan->n_loops;
	}
	changing.draft.stages = changing.stages;
	const struct bw_placement *made = changing.changed ? bw_placement_make(&changing.draft) : NULL;
	free(changing.stages);
	free(loops);
	return made;
}

/* Returns the plan with these sizes at the placement's site and in its memory. */
static const struct bw_placement *plan_like(const struct bw_pipeline *pipeline, const struct bw_placement *of,
					    const int64_t *serial, const int64_t *threads)
{
	const struct bw_site *site = &of->compute;
	BW_SCOPED_PLACEMENT *plan =
	    site->kind == BW_SITE_ROOT    ? bw_plan_root(pipeline, of->func, serial, threads)
	    : site->role == BW_ROLE_BLOCK ? bw_plan_at_block(pipeline, of->func, site, serial)
					  : bw_plan_in_thread(pipeline, of->func, site);
	struct bw_placement draft = *plan;
	draft.memory = of->memory;
	return bw_placement_make(&draft);
}

/* Returns a copy of a placement without the tails of its splits. */
static const struct bw_placement *without_tails(const struct bw_placement *of)
{
	int n = 0;
	for (int s = 0; s < of->n_stages; s++)
		n += of->stages[s].n_loops;
	BW_SCOPED_MEMORY struct bw_stage_plan *stages = BW_NEW_ARRAY(struct bw_stage_plan, of->n_stages);
	BW_SCOPED_MEMORY struct bw_loop *loops = BW_NEW_ARRAY(struct bw_loop, n);
	struct bw_placement draft = *of;
	draft.stages = stages;
	n = 0;
	for (int s = 0; s < of->n_stages; s++) {
		stages[s] = (struct bw_stage_plan){of->stages[s].n_loops, &loops[n], of->stages[s].atomic};
		for (int i = 0; i < of->stages[s].n_loops; i++, n++) {
			loops[n] = of->stages[s].loops[i];
			loops[n].tail = BW_TAIL_AUTO;
		}
	}
	return bw_placement_make(&draft);
}

/* Returns true if a placement is a plan, or variants of one after another; bare: but for tails. Applies these
 * variants to *other, a plan with other sizes, as far as they change it; NULL: there is none. */
static bool is_planned(const struct bw_pipeline *pipeline, const struct bw_placement *placement, bool bare,
		       const struct bw_placement **other)
{
	enum { MOST = 256 };
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	bw_plan_sizes(pipeline, placement, serial, threads);
	BW_SCOPED_PLACEMENT *sought = bare ? without_tails(placement) : bw_placement_keep(placement);
	const struct bw_placement *list[MOST] = {plan_like(pipeline, placement, serial, threads)};
	int n = 1, from[MOST] = {0}, by[MOST] = {0}, at = -1;
	for (int i = 0; i < n && at < 0; i++) {
		BW_SCOPED_PLACEMENT *made = bare ? without_tails(list[i]) : bw_placement_keep(list[i]);
		at = bw_placement_equal(made, sought) ? i : -1;
		for (int v = 0; v < BW_N_PLAN_VARIANTS && n < MOST && at < 0; v++) {
			const struct bw_placement *next = bw_plan_variant(pipeline, list[i], (enum bw_plan_variant)v);
			bool known = !next;
			for (int k = 0; k < n && !known; k++)
				known = bw_placement_equal(list[k], next);
			from[n] = i;
			by[n] = v;
			if (known)
				bw_placement_drop(next);
			else
				list[n++] = next;
		}
	}
	int way[MOST], steps = 0;
	for (int i = at; i > 0; i = from[i])
		way[steps++] = by[i];
	while (other && steps-- > 0) {
		const struct bw_placement *next = bw_plan_variant(pipeline, *other, (enum bw_plan_variant)way[steps]);
		if (next)
			bw_placement_drop(*other);
		*other = next ? next : *other;
	}
	for (int i = 0; i < n; i++)
		bw_placement_drop(list[i]);
	return at >= 0;
}

const struct bw_placement *bw_plan_resized(const struct bw_pipeline *pipeline, const struct bw_placement *of,
					   const int64_t *serial, const int64_t *threads)
{
	int64_t before[BW_MAX_AXES], others[BW_MAX_AXES];
	const struct bw_func *func = &pipeline->funcs[of->func];
	const struct bw_placement *made = plan_like(pipeline, of, serial, threads);
	bw_plan_sizes(pipeline, of, before, others);
	int64_t points = bw_plan_iterations(func, serial);
	bool unrolls = bw_plan_iterations(func, before) <= BW_PLAN_UNROLLED && points > BW_PLAN_UNROLLED &&
		       points <= BW_PLAN_POINTS;
	const struct bw_placement *unrolled =
	    unrolls ? bw_plan_variant(pipeline, made, BW_PLAN_UNROLLED_VARIANT) : NULL;
	if (unrolled) {
		bw_placement_drop(made);
		made = unrolled;
	}
	if (!is_planned(pipeline, of, false, &made))
		is_planned(pipeline, of, true, &made);
	return made;
}

const char *bw_plan_lacks(const struct bw_pipeline *pipeline, const struct bw_placement *placement)
{
	if (placement->compute.kind == BW_SITE_INLINE)
		return NULL;
	if (placement->n_storage)
		return "an order of storage that no change makes";
	if (!bw_site_equal(&placement->compute, &placement->store))
		return "storage outside of where it is computed, which no change makes";
	return is_planned(pipeline, placement, false, NULL)  ? NULL
	       : is_planned(pipeline, placement, true, NULL) ? "tails of splits that no change makes"
						       : "loops that no change makes";
}
