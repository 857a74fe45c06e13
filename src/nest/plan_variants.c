#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/mem.h"
#include "nest/plan.h"

/* A placement whose loops are changed. */
struct changing {
	const struct bw_func *func;
	struct bw_stage_plan *stages;
	struct bw_placement draft;
	bool changed;
};

/* Changes the loops of a stage in place. */
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

/* Returns the iterations of a loop between constants; 0 of any other. */
static int64_t iterations_of(const struct bw_stage_loop *loop)
{
	int64_t min, max;
	bool constant = bw_expr_constant(loop->bound.min) && bw_expr_constant(loop->bound.max) &&
			bw_expr_eval(loop->bound.min, NULL, &min) && bw_expr_eval(loop->bound.max, NULL, &max);
	return constant && max >= min ? max - min + 1 : 0;
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

/* Makes vectors of the points of a thread along rows, which are then its innermost loop. */
static void make_vectors(struct changing *changing, const struct bw_stage *stage, struct bw_loop *loops,
			 int n)
{
	bool in_thread = is_in_thread(loops, n);
	for (int i = n - 1; i >= 0; i--) {
		struct bw_loop row = loops[i];
		bool piece = row.kind == BW_LOOP_UNROLLED && (row.extent == 2 || row.extent == 4);
		if (stage->loops[row.loop].dim != 0 || !(piece || (in_thread && row.kind == BW_LOOP_SERIAL)))
			continue;
		row.kind = BW_LOOP_VECTOR;
		memmove(&loops[i], &loops[i + 1], (size_t)(n - 1 - i) * sizeof *loops);
		loops[n - 1] = row;
		changing->changed = true;
		return;
	}
}

static const struct {
	const char *name;
	change_function *change;
	bool late;
} variants[] = {
#define X(symbol, name, change, late, meaning) {name, change, late},
	BW_PLAN_VARIANT_TABLE(X)
#undef X
};

bool bw_plan_variant_late(enum bw_plan_variant variant)
{
	return variants[variant].late;
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
		n += placement->stages[s].n_loops;
	changing.stages = BW_NEW_ARRAY(struct bw_stage_plan, placement->n_stages);
	struct bw_loop *loops = BW_NEW_ARRAY(struct bw_loop, n), *next = loops;
	for (int s = 0; s < placement->n_stages; s++) {
		const struct bw_stage_plan *plan = &placement->stages[s];
		changing.stages[s] = (struct bw_stage_plan){plan->n_loops, next};
		memcpy(next, plan->loops, (size_t)plan->n_loops * sizeof *next);
		variants[variant].change(&changing, &changing.func->stages[s], next, plan->n_loops);
		next += plan->n_loops;
	}
	changing.draft.stages = changing.stages;
	const struct bw_placement *made = changing.changed ? bw_placement_make(&changing.draft) : NULL;
	free(changing.stages);
	free(loops);
	return made;
}
