/* Makes plans: the loops of each stage of a Func from its site and a few sizes; and reads the sizes back. */
#include "nest/plan.h"

#include "base/arith.h"

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
static int64_t size_of(const struct bw_stage *stage, int loop, const int64_t *sizes)
{
	int axis = stage->loops[loop].axis;
	return sizes && axis >= 0 && sizes[axis] > 0 ? sizes[axis] : 1;
}

/* Returns the product of a stage's sizes; if that is more than `most`, some number above it. */
static int64_t product_of(const struct bw_stage *stage, const int64_t *sizes, int64_t most)
{
	int64_t product = 1;
	for (int i = 0; i < stage->n_across && product <= most; i++)
		product *= bw_min(size_of(stage, stage->across[i], sizes), most + 1);
	return product;
}

int64_t bw_plan_iterations(const struct bw_func *func, const int64_t *serial)
{
	int64_t most = 1;
	for (int s = 0; s < func->n_stages; s++)
		most = bw_max(most, product_of(&func->stages[s], serial, INT32_MAX));
	return most;
}

/* Adds the pieces of these sizes, except pieces of one iteration. */
static void add_pieces(struct growing *plan, const int64_t *sizes, enum bw_loop_kind kind)
{
	for (int i = plan->stage->n_across - 1; i >= 0; i--)
		if (size_of(plan->stage, plan->stage->across[i], sizes) > 1)
			add(plan, plan->stage->across[i], size_of(plan->stage, plan->stage->across[i], sizes), kind);
}

static void add_serial_pieces(struct growing *plan, const int64_t *serial)
{
	bool few = product_of(plan->stage, serial, BW_PLAN_UNROLLED) <= BW_PLAN_UNROLLED;
	add_pieces(plan, serial, few ? BW_LOOP_UNROLLED : BW_LOOP_SERIAL);
}

static void plan_root(struct growing *plan, const int64_t *serial, const int64_t *threads)
{
	int n = plan->stage->n_loops;
	for (int i = n - 1; i >= 0; i--)
		if (plan->stage->loops[i].parallel && plan->stage->loops[i].axis < 0)
			add(plan, i, 0, BW_LOOP_BLOCK);
	for (int i = plan->stage->n_across - 1; i >= 0; i--)
		add(plan, plan->stage->across[i], 0, BW_LOOP_BLOCK);
	add_pieces(plan, threads, BW_LOOP_THREAD);
	for (int i = n - 1; i >= 0; i--)
		if (!plan->stage->loops[i].parallel)
			add(plan, i, 0, BW_LOOP_SERIAL);
	add_serial_pieces(plan, serial);
}

static void plan_at_block(struct growing *plan, const int64_t *serial)
{
	const struct bw_stage *stage = plan->stage;
	bool threads[BW_MAX_LOOPS] = {false};
	int across[BW_PLAN_THREAD_LOOPS], n = 0;
	for (int i = 0; i < stage->n_across && n < BW_PLAN_THREAD_LOOPS; i++) {
		const struct bw_stage_loop *loop = &stage->loops[stage->across[i]];
		if (loop->pure || (serial && serial[loop->axis]))
			across[n++] = stage->across[i];
	}
	while (n) {
		threads[across[--n]] = true;
		add(plan, across[n], 0, BW_LOOP_THREAD);
	}
	for (int i = stage->n_loops - 1; i >= 0; i--)
		if (!threads[i])
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
		room.stages[i] = (struct bw_stage_plan){plan.n, plan.loops, false};
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

/* Moves the threads of a stage's axes beyond the third that has some to the serial sizes. */
static void fold_threads(const struct bw_stage *stage, int64_t *serial, int64_t *threads)
{
	int used = 0;
	for (int i = 0; i < stage->n_across; i++) {
		int axis = stage->loops[stage->across[i]].axis;
		if (threads[axis] == 1 || ++used <= BW_PLAN_THREAD_LOOPS)
			continue;
		serial[axis] *= threads[axis];
		threads[axis] = 1;
	}
}

static const struct bw_placement *make_root(const struct bw_pipeline *pipeline, int func, bool tiled,
					    const int64_t *serial, const int64_t *threads)
{
	const struct bw_func *of = &pipeline->funcs[func];
	int64_t serial_sizes[BW_MAX_AXES], thread_sizes[BW_MAX_AXES];
	for (int i = 0; i < of->n_axes; i++) {
		serial_sizes[i] = serial && serial[i] > 1 ? serial[i] : 1;
		thread_sizes[i] = threads && threads[i] > 1 ? threads[i] : 1;
	}
	for (int s = 0; s < of->n_stages; s++)
		fold_threads(&of->stages[s], serial_sizes, thread_sizes);
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

void bw_plan_spread(const struct bw_pipeline *pipeline, int func, int64_t most, int64_t *serial,
		    int64_t *threads)
{
	const struct bw_func *of = &pipeline->funcs[func];
	for (int i = of->n_dims; i < of->n_axes; i++)
		serial[i] = threads[i] = 1;
	for (int s = 1; s < of->n_stages; s++) {
		const struct bw_stage *stage = &of->stages[s];
		for (int i = 0, used = 0; i < stage->n_across; i++) {
			int axis = stage->loops[stage->across[i]].axis;
			if (axis >= of->n_dims && used < BW_PLAN_THREAD_LOOPS)
				threads[axis] = bw_max(most / product_of(stage, threads, most), 1);
			used += threads[axis] > 1;
		}
	}
}

/* Multiplies the sizes of a stage's axes, from `first` on, with the extents of the pieces of a plan. */
static void multiply_sizes(const struct bw_stage *stage, const struct bw_stage_plan *plan, int first,
			   int64_t *serial, int64_t *threads)
{
	for (int i = 0; i < plan->n_loops; i++) {
		const struct bw_loop *loop = &plan->loops[i];
		int axis = loop->loop < stage->n_loops ? stage->loops[loop->loop].axis : -1;
		if (axis < first || !loop->extent || loop->kind == BW_LOOP_BLOCK)
			continue;
		int64_t *size = bw_loop_role(loop->kind) == BW_ROLE_THREAD ? &threads[axis] : &serial[axis];
		if (__builtin_mul_overflow(*size, loop->extent, size))
			*size = INT64_MAX;
	}
}

void bw_plan_sizes(const struct bw_pipeline *pipeline, const struct bw_placement *placement, int64_t *serial,
		   int64_t *threads)
{
	const struct bw_func *func = &pipeline->funcs[placement->func];
	for (int i = 0; i < func->n_axes; i++)
		serial[i] = threads[i] = 1;
	for (int s = 0; s < placement->n_stages && s < func->n_stages; s++) {
		const struct bw_stage *stage = &func->stages[s];
		multiply_sizes(stage, &placement->stages[s], s ? func->n_dims : 0, serial, threads);
		for (int i = 0; i < stage->n_across && placement->compute.kind == BW_SITE_AT; i++)
			if (!stage->loops[stage->across[i]].pure &&
			    !bw_plan_has(&placement->stages[s], stage->across[i], BW_LOOP_THREAD))
				serial[stage->loops[stage->across[i]].axis] = 0;
	}
}

bool bw_plan_may_unroll(const struct bw_loop *loop)
{
	return loop->extent && (loop->kind == BW_LOOP_SERIAL || loop->kind == BW_LOOP_UNROLLED);
}
