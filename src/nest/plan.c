#include "nest/plan.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/mem.h"

/* A stage's plan while it is made. A loop is split into three pieces at most: block, thread,
 * serial. */
enum { MOST_PIECES = 3 };
struct growing {
	const struct bw_stage *stage;
	struct bw_loop *loops; /* has room for MOST_PIECES pieces of each loop of the stage */
	int n;
};

static void add(struct growing *plan, int loop, int64_t extent, enum bw_loop_kind kind)
{
	plan->loops[plan->n++] =
	    (struct bw_loop){.loop = loop, .extent = extent, .kind = kind, .tail = BW_TAIL_AUTO};
}

/* Returns the size that applies to a loop of the stage; 1 if there is none. */
static int64_t size_of(const struct growing *plan, int loop, const int64_t *sizes)
{
	int dim = plan->stage->loops[loop].dim;
	return sizes && dim >= 0 && sizes[dim] > 0 ? sizes[dim] : 1;
}

static void add_serial_pieces(struct growing *plan, const int64_t *serial)
{
	int64_t product = 1;
	for (int i = 0; i < plan->stage->n_loops; i++)
		if (product <= BW_PLAN_UNROLLED)
			product *= bw_min(size_of(plan, i, serial), BW_PLAN_UNROLLED + 1);
	for (int i = plan->stage->n_loops - 1; i >= 0; i--)
		if (size_of(plan, i, serial) > 1)
			add(plan, i, size_of(plan, i, serial), product <= BW_PLAN_UNROLLED ? BW_LOOP_UNROLLED : BW_LOOP_SERIAL);
}

static void plan_root(struct growing *plan, const int64_t *serial, const int64_t *threads)
{
	int n = plan->stage->n_loops;
	for (int i = n - 1; i >= 0; i--)
		if (plan->stage->loops[i].parallel)
			add(plan, i, 0, BW_LOOP_BLOCK);
	for (int i = n - 1; i >= 0; i--)
		if (size_of(plan, i, threads) > 1)
			add(plan, i, size_of(plan, i, threads), BW_LOOP_THREAD);
	for (int i = n - 1; i >= 0; i--)
		if (!plan->stage->loops[i].parallel)
			add(plan, i, 0, BW_LOOP_SERIAL);
	add_serial_pieces(plan, serial);
}

/* Returns true if a loop of a stage at a block is a thread loop: the innermost Vars are, three at
 * most. */
static bool is_thread(const struct bw_stage *stage, int loop)
{
	int vars = 0;
	for (int i = 0; i <= loop; i++)
		vars += stage->loops[i].pure;
	return stage->loops[loop].pure && vars <= BW_PLAN_THREAD_LOOPS;
}

static void plan_at_block(struct growing *plan, const int64_t *serial)
{
	int n = plan->stage->n_loops;
	for (int i = n - 1; i >= 0; i--)
		if (is_thread(plan->stage, i))
			add(plan, i, 0, BW_LOOP_THREAD);
	for (int i = n - 1; i >= 0; i--)
		if (!is_thread(plan->stage, i))
			add(plan, i, 0, BW_LOOP_SERIAL);
	add_serial_pieces(plan, serial);
}

static void plan_in_thread(struct growing *plan)
{
	for (int i = plan->stage->n_loops - 1; i >= 0; i--)
		add(plan, i, 0, BW_LOOP_SERIAL);
}

/* Memory for a draft. It is on the stack for all but the largest Funcs, because the next rule
 * prunes most drafts. */
struct room {
	struct bw_stage_plan few_stages[4], *stages;
	struct bw_loop few_loops[4 * MOST_PIECES * 4], *loops;
};

static void begin_room(struct room *room, const struct bw_func *func)
{
	int n_loops = 0;
	for (int i = 0; i < func->n_stages; i++)
		n_loops += MOST_PIECES * func->stages[i].n_loops;
	bool few = func->n_stages <= (int)(sizeof room->few_stages / sizeof *room->few_stages) &&
		   n_loops <= (int)(sizeof room->few_loops / sizeof *room->few_loops);
	room->stages = few ? room->few_stages : BW_NEW_ARRAY(struct bw_stage_plan, func->n_stages);
	room->loops = few ? room->few_loops : BW_NEW_ARRAY(struct bw_loop, n_loops);
}

static void end_room(struct room *room)
{
	if (room->stages == room->few_stages)
		return;
	free(room->stages);
	free(room->loops);
}

static const struct bw_placement *make(const struct bw_pipeline *pipeline, int func,
				       const struct bw_site *site, bool tiled, const int64_t *serial,
				       const int64_t *threads)
{
	const struct bw_func *f = &pipeline->funcs[func];
	struct room room;
	begin_room(&room, f);
	struct bw_loop *loops = room.loops;
	for (int i = 0; i < f->n_stages; i++) {
		struct growing plan = {.stage = &f->stages[i], .loops = loops};
		if (site->kind == BW_SITE_ROOT)
			plan_root(&plan, serial, threads);
		else if (site->role == BW_ROLE_BLOCK)
			plan_at_block(&plan, serial);
		else
			plan_in_thread(&plan);
		room.stages[i] = (struct bw_stage_plan){plan.n, plan.loops};
		loops += plan.n;
	}
	struct bw_placement draft = {.func = func,
				     .compute = *site,
				     .store = *site,
				     .tiled = tiled,
				     .n_stages = f->n_stages,
				     .stages = room.stages};
	const struct bw_placement *placement = bw_placement_make(&draft);
	end_room(&room);
	return placement;
}

/* Makes a plan at root. Thread extents are used on three dimensions at most, the innermost ones;
 * those beyond go to the serial extents. */
static const struct bw_placement *make_root(const struct bw_pipeline *pipeline, int func, bool tiled,
					    const int64_t *serial, const int64_t *threads)
{
	int64_t serial_sizes[BW_MAX_DIMS], thread_sizes[BW_MAX_DIMS];
	int used = 0;
	for (int i = 0; i < pipeline->funcs[func].n_dims; i++) {
		int64_t across = threads && threads[i] > 1 ? threads[i] : 1;
		bool fits = across == 1 || ++used <= BW_PLAN_THREAD_LOOPS;
		serial_sizes[i] = (serial && serial[i] > 1 ? serial[i] : 1) * (fits ? 1 : across);
		thread_sizes[i] = fits ? across : 1;
	}
	return make(pipeline, func, &(struct bw_site){.kind = BW_SITE_ROOT}, tiled, serial_sizes, thread_sizes);
}

const struct bw_placement *bw_plan_root(const struct bw_pipeline *pipeline, int func, const int64_t *serial,
					const int64_t *threads)
{
	return make_root(pipeline, func, true, serial, threads);
}

const struct bw_placement *bw_plan_untiled(const struct bw_pipeline *pipeline, int func,
					   const int64_t *serial, const int64_t *threads)
{
	return make_root(pipeline, func, false, serial, threads);
}

const struct bw_placement *bw_plan_at_block(const struct bw_pipeline *pipeline, int func,
					    const struct bw_site *site, const int64_t *serial)
{
	return make(pipeline, func, site, true, serial, NULL);
}

const struct bw_placement *bw_plan_in_thread(const struct bw_pipeline *pipeline, int func,
					     const struct bw_site *site)
{
	return make(pipeline, func, site, true, NULL, NULL);
}

const struct bw_placement *bw_plan_inline(const struct bw_pipeline *pipeline, int func)
{
	(void)pipeline;
	struct bw_placement draft = {.func = func, .compute = {.kind = BW_SITE_INLINE}};
	return bw_placement_make(&draft);
}

void bw_plan_sizes(const struct bw_pipeline *pipeline, const struct bw_placement *placement, int64_t *serial,
		   int64_t *threads)
{
	const struct bw_func *func = &pipeline->funcs[placement->func];
	for (int i = 0; i < func->n_dims; i++)
		serial[i] = threads[i] = 1;
	if (!placement->n_stages)
		return;
	for (int i = 0; i < placement->stages[0].n_loops; i++) {
		const struct bw_loop *loop = &placement->stages[0].loops[i];
		int dim = loop->loop < func->stages[0].n_loops ? func->stages[0].loops[loop->loop].dim : -1;
		if (dim < 0 || !loop->extent || loop->kind == BW_LOOP_BLOCK)
			continue;
		int64_t *size = loop->kind == BW_LOOP_THREAD || loop->kind == BW_LOOP_LANE ? &threads[dim] : &serial[dim];
		if (__builtin_mul_overflow(*size, loop->extent, size))
			*size = INT64_MAX;
	}
}

bool bw_plan_may_unroll(const struct bw_loop *loop)
{
	return loop->extent && (loop->kind == BW_LOOP_SERIAL || loop->kind == BW_LOOP_UNROLLED);
}

const struct bw_placement *bw_plan_unrolled(const struct bw_placement *placement, bool on)
{
	int pieces = 0, n = 0;
	for (int s = 0; s < placement->n_stages; s++)
		n += placement->stages[s].n_loops;
	struct bw_stage_plan *stages = BW_NEW_ARRAY(struct bw_stage_plan, placement->n_stages);
	struct bw_loop *loops = BW_NEW_ARRAY(struct bw_loop, n), *next = loops;
	for (int s = 0; s < placement->n_stages; s++) {
		stages[s] = (struct bw_stage_plan){placement->stages[s].n_loops, next};
		for (int i = 0; i < placement->stages[s].n_loops; i++, next++) {
			*next = placement->stages[s].loops[i];
			if (bw_plan_may_unroll(next)) {
				next->kind = on ? BW_LOOP_UNROLLED : BW_LOOP_SERIAL;
				pieces++;
			}
		}
	}
	struct bw_placement draft = *placement;
	draft.stages = stages;
	const struct bw_placement *unrolled = pieces ? bw_placement_make(&draft) : NULL;
	free(stages);
	free(loops);
	return unrolled;
}
