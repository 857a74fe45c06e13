/* Nested fusion, and the schedule of groups (Sioutas et al. 2020, section 4.3). */
#include "schedulers/sioutas.h"

#include <stdlib.h>
#include <string.h>

/* Returns the only Func that reads a member, directly or through inlined Funcs; -1: none or several do. */
static int only_consumer(const struct sioutas *sioutas, int func)
{
	const struct bw_groups *of = &sioutas->own.of;
	BW_SCOPED_MEMORY bool *marked = BW_NEW_ARRAY(bool, of->pipeline->n_funcs);
	int consumer = -1;
	bw_groups_mark_readers(of, func, marked);
	for (int f = 0; f < of->pipeline->n_funcs; f++)
		if (marked[f] && !of->inlined[f])
			consumer = consumer == -1 ? f : -2;
	return consumer < 0 ? -1 : consumer;
}

/* Sets the box of `func` to the region that one thread of a stage needs. The thread computes one point in
 * the tiled dimensions, and all points in the others. The point is in the middle, moved by `step` in
 * dimension d. Returns false if `func` is not needed or has no bound. */
static bool thread_needs(struct sioutas *sioutas, const struct bw_stage *stage, int func, int d, int step)
{
	struct bw_groups *of = &sioutas->own.of;
	uint32_t tiled = sioutas_tiled(sioutas, stage->func);
	struct bw_interval *box = &of->boxes[stage->func * BW_MAX_DIMS];
	double ignored;
	memset(of->known, 0, (size_t)of->pipeline->n_funcs * sizeof *of->known);
	memcpy(box, &of->whole[stage->func * BW_MAX_DIMS], BW_MAX_DIMS * sizeof *box);
	for (int e = 0; e < of->pipeline->funcs[stage->func].n_dims; e++)
		if (tiled >> e & 1) {
			box[e].min += (box[e].max - box[e].min) / 2 + (e == d ? step : 0);
			box[e].max = box[e].min;
		}
	if (!bw_groups_stage_reads(of, stage, box, &ignored))
		return false;
	for (int f = stage->func - 1; f > func; f--)
		if (of->known[f] && of->inlined[f] &&
		    !bw_groups_stage_reads(of, &of->pipeline->funcs[f].stages[0], &of->boxes[f * BW_MAX_DIMS], &ignored))
			return false;
	return of->known[func];
}

static bool overlaps(const struct bw_interval *a, const struct bw_interval *b, int n_dims)
{
	for (int d = 0; d < n_dims; d++)
		if (a[d].max < b[d].min || b[d].max < a[d].min)
			return false;
	return true;
}

/* Returns true if two neighbouring threads of a stage need, or may need, the same value of a Func
 * (reuse_per_stage of listing 2). */
static bool threads_share(struct sioutas *sioutas, const struct bw_stage *stage, int func)
{
	int n_dims = sioutas->own.of.pipeline->funcs[func].n_dims;
	uint32_t tiled = sioutas_tiled(sioutas, stage->func);
	const struct bw_interval *box = &sioutas->own.of.boxes[func * BW_MAX_DIMS];
	struct bw_interval before[BW_MAX_DIMS];
	for (int d = 0; d < sioutas->own.of.pipeline->funcs[stage->func].n_dims; d++)
		for (int step = 0; step < 2 && tiled >> d & 1; step++) {
			if (!thread_needs(sioutas, stage, func, d, step))
				return true;
			memcpy(before, box, (size_t)n_dims * sizeof *before);
			if (!thread_needs(sioutas, stage, func, d, step + 1) || overlaps(before, box, n_dims))
				return true;
		}
	return false;
}

/* Returns the only stage of `consumer` that reads `func`, directly or through inlined Funcs; -1: none or
 * several do. */
static int reading_stage(struct sioutas *sioutas, int consumer, int func)
{
	const struct bw_func *of = &sioutas->own.of.pipeline->funcs[consumer];
	int stage = -1;
	for (int s = 0; s < of->n_stages; s++)
		if (thread_needs(sioutas, &of->stages[s], func, 0, 0))
			stage = stage == -1 ? s : -2;
	return stage < 0 ? -1 : stage;
}

int sioutas_nest(struct sioutas *sioutas, int func, const char **refused)
{
	const struct bw_groups *of = &sioutas->own.of;
	int group = of->group[func], consumer = group < 0 || group == func ? -1 : only_consumer(sioutas, func);
	if (consumer < 0 || of->group[consumer] != group || !of->bounded[consumer])
		return -1;
	int stage = reading_stage(sioutas, consumer, func);
	*refused = sioutas->nested[consumer] >= 0 ? "its consumer is nested itself"
		   : stage < 0			 ? "several stages of its consumer read it"
		   : threads_share(sioutas, &of->pipeline->funcs[consumer].stages[stage], func)
		       ? "neighbouring threads need the same values of it"
		       : NULL;
	return consumer;
}

enum { THREADS = 64 };

/* Sets the sizes of a group's output by dimension: the tiled dimensions are threads, the others are
 * serial. A group without a tile has up to 64 threads, in its first dimensions. */
static void output_sizes(const struct sioutas *sioutas, int output, int64_t *serial, int64_t *threads)
{
	const int64_t *tile = sioutas->own.of.tiles[output];
	uint32_t tiled = tile ? sioutas_tiled(sioutas, output) : 0;
	int64_t left = THREADS;
	for (int d = 0; d < sioutas->own.of.pipeline->funcs[output].n_dims; d++) {
		int64_t extent = bw_groups_extent(&sioutas->own.of, output, d), size = 1;
		while (!tile && size < left && size < extent)
			size *= 2;
		left /= size;
		threads[d] = tile ? tiled >> d & 1 ? tile[d] : 1 : size;
		serial[d] = tile && !(tiled >> d & 1) ? tile[d] : 1;
	}
}

/* Adds a loop of a stage to its plan. */
static void add_loop(struct bw_stage_plan *plan, struct bw_loop *loops, int loop, enum bw_loop_kind kind)
{
	loops[plan->n_loops++] = (struct bw_loop){.loop = loop, .kind = kind, .tail = BW_TAIL_AUTO};
}

/* Plans the loops of a member's stage, outermost first: threads in the tiled dimensions, RVars, untiled
 * dimensions. */
static void plan_member(const struct sioutas *sioutas, const struct bw_stage *stage, struct bw_arena *arena,
			struct bw_stage_plan *plan)
{
	struct bw_loop *loops = BW_ARENA_ARRAY(arena, struct bw_loop, stage->n_loops);
	uint32_t tiled = sioutas_tiled(sioutas, stage->func);
	*plan = (struct bw_stage_plan){0, loops, false};
	for (int l = stage->n_loops - 1; l >= 0; l--)
		if (stage->loops[l].pure && tiled >> stage->loops[l].dim & 1)
			add_loop(plan, loops, l, BW_LOOP_THREAD);
	for (int l = stage->n_loops - 1; l >= 0; l--)
		if (!stage->loops[l].pure)
			add_loop(plan, loops, l, BW_LOOP_SERIAL);
	for (int l = stage->n_loops - 1; l >= 0; l--)
		if (stage->loops[l].pure && !(tiled >> stage->loops[l].dim & 1))
			add_loop(plan, loops, l, BW_LOOP_SERIAL);
}

static const struct bw_placement *place_member(struct sioutas *sioutas, int func)
{
	const struct bw_func *of = &sioutas->own.of.pipeline->funcs[func];
	int output = sioutas->own.of.group[func], host = sioutas->nested[func];
	struct bw_site site = {.kind = BW_SITE_AT,
			       .func = output,
			       .stage = bw_groups_host(&sioutas->own.of, output),
			       .role = BW_ROLE_BLOCK};
	if (host >= 0) {
		site.func = host;
		site.stage = reading_stage(sioutas, host, func);
		site.role = BW_ROLE_THREAD;
		return bw_plan_in_thread(sioutas->own.of.pipeline, func, &site);
	}
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_stage_plan *stages = BW_ARENA_ARRAY(arena, struct bw_stage_plan, of->n_stages);
	for (int s = 0; s < of->n_stages; s++)
		plan_member(sioutas, &of->stages[s], arena, &stages[s]);
	struct bw_placement draft = {.func = func,
				     .compute = site,
				     .store = site,
				     .tiled = true,
				     .n_stages = of->n_stages,
				     .stages = stages};
	return bw_placement_make(&draft);
}

const struct bw_placement *sioutas_place(void *data, int func)
{
	struct sioutas *sioutas = data;
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	if (sioutas->own.of.inlined[func])
		return bw_plan_inline(sioutas->own.of.pipeline, func);
	if (sioutas->own.of.group[func] != func)
		return place_member(sioutas, func);
	output_sizes(sioutas, func, serial, threads);
	bw_plan_spread(sioutas->own.of.pipeline, func, THREADS, serial, threads);
	return bw_plan_root(sioutas->own.of.pipeline, func, serial, threads);
}
