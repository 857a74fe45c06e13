/* The cost of groups: listing 1 of Sioutas et al. 2020, from the regions that a tile needs. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "schedulers/sioutas.h"

/* A kernel while its cost is computed: one stage of a group's output, with the members if the stage is
 * their host. */
struct counting {
	struct sioutas *sioutas;
	int output, stage, extra;
	bool hosts;
	const int64_t *tile;
	struct bw_sioutas *kernel;
	struct counted {
		const struct bw_stage *stage;
		double operations; /* operations per tile */
		double count;      /* threads */
		int64_t threads[3];
	} * stages;
	int n;
};

static bool is_member(const struct counting *counting, int func)
{
	int group = counting->sioutas->own.of.group[func];
	return counting->hosts && (group == counting->output || (group >= 0 && group == counting->extra));
}

/* Adds the loads of a stage with `times` points to the demand of the Funcs that it reads. */
static void add_demand(struct sioutas *sioutas, const struct bw_stage *stage, double times)
{
	for (int r = 0; r < stage->n_reads; r++)
		sioutas->demand[stage->reads[r].producer] += times * stage->reads[r].calls;
}

/* Computes the threads of a stage: the extents of its box in the tiled dimensions for which the stage has
 * a loop. */
static void count_threads(const struct sioutas *sioutas, const struct bw_stage *stage,
			  const struct bw_interval *box, int64_t *threads)
{
	uint32_t tiled = sioutas_tiled(sioutas, stage->func);
	int used = 0;
	for (int k = 0; k < BW_PLAN_THREAD_LOOPS; k++)
		threads[k] = 1;
	for (int l = 0; l < stage->n_loops; l++) {
		int d = stage->loops[l].dim;
		if (d >= 0 && tiled >> d & 1 && used < BW_PLAN_THREAD_LOOPS)
			threads[used++] = box[d].max - box[d].min + 1;
	}
}

/* Counts a stage of the kernel. computed: the box of its Func that is computed. */
static bool count_stage(struct counting *counting, const struct bw_stage *stage,
			const struct bw_interval *computed)
{
	struct sioutas *sioutas = counting->sioutas;
	double iterations;
	if (!bw_groups_stage_reads(&sioutas->own.of, stage, computed, &iterations))
		return false;
	struct counted *counted = &counting->stages[counting->n++];
	*counted = (struct counted){.stage = stage,
				    .operations = iterations * bw_groups_operations(&sioutas->own.of, stage)};
	count_threads(sioutas, stage, computed, counted->threads);
	add_demand(sioutas, stage, iterations);
	return true;
}

static bool count_func(struct counting *counting, int f)
{
	struct sioutas *sioutas = counting->sioutas;
	const struct bw_func *func = &sioutas->own.of.pipeline->funcs[f];
	struct bw_interval *box = &sioutas->own.of.boxes[f * BW_MAX_DIMS], computed[BW_MAX_DIMS];
	if (!bw_computed_box(func, box, computed))
		return false;
	memcpy(box, computed, (size_t)func->n_dims * sizeof *box);
	for (int s = 0; s < func->n_stages; s++)
		if ((f != counting->output || s == counting->stage) && !func->stages[s].undefined &&
		    !count_stage(counting, &func->stages[s], computed))
			return false;
	return true;
}

/* Adds the cost of the loads of a Func from the memory that stores it (lines 3 to 7). */
static void count_loads(struct counting *counting, int f)
{
	struct sioutas *sioutas = counting->sioutas;
	const struct bw_func *func = &sioutas->own.of.pipeline->funcs[f];
	double points = bw_groups_clip(&sioutas->own.of, f);
	if (f != counting->output && is_member(counting, f)) {
		if (sioutas->nested[f] >= 0)
			return;
		counting->kernel->memory_cost += sioutas->demand[f] * BW_SIOUTAS_SHARED_COST;
		counting->kernel->footprint += points * func->bytes;
		return;
	}
	const struct bw_interval *row = &sioutas->own.of.boxes[f * BW_MAX_DIMS];
	double consecutive = bw_sioutas_consecutive(func, func->n_dims ? (double)(row->max - row->min + 1) : 1);
	counting->kernel->memory_cost += sioutas->demand[f] * BW_SIOUTAS_GLOBAL_COST / consecutive;
}

/* Counts the output and all Funcs that it needs. */
static bool count_all(struct counting *counting)
{
	struct sioutas *sioutas = counting->sioutas;
	struct bw_groups *of = &sioutas->own.of;
	double ignored;
	for (int f = counting->output; f >= 0; f--) {
		if (!of->known[f])
			continue;
		if (of->inlined[f]) {
			const struct bw_stage *stage = &of->pipeline->funcs[f].stages[0];
			if (!bw_groups_stage_reads(of, stage, &of->boxes[f * BW_MAX_DIMS], &ignored))
				return false;
			add_demand(sioutas, stage, sioutas->demand[f]);
			continue;
		}
		if ((f == counting->output || is_member(counting, f)) && !count_func(counting, f))
			return false;
		count_loads(counting, f);
	}
	return true;
}

/* Returns the counted stage whose threads run a stage: the stage itself, or a stage of the Func in which
 * it is nested. */
static const struct counted *run_by(const struct counting *counting, const struct counted *counted)
{
	int host = counting->sioutas->nested[counted->stage->func];
	for (int i = 0; i < counting->n && host >= 0; i++)
		if (counting->stages[i].stage->func == host)
			return &counting->stages[i];
	return counted;
}

/* Computes the terms of one kernel. */
static bool count_kernel(struct counting *counting)
{
	struct sioutas *sioutas = counting->sioutas;
	struct bw_sioutas *kernel = counting->kernel;
	memset(sioutas->demand, 0, (size_t)sioutas->own.of.pipeline->n_funcs * sizeof *sioutas->demand);
	double tiles = bw_groups_place(&sioutas->own.of, counting->output, counting->tile);
	bw_sioutas_begin(kernel, &sioutas->own.device, tiles, 0);
	if (!count_all(counting))
		return false;
	for (int i = 0; i < counting->n; i++)
		bw_sioutas_stage(kernel, counting->stages[i].operations * tiles,
				 run_by(counting, &counting->stages[i])->threads);
	kernel->memory_cost *= tiles;
	return true;
}

bool sioutas_has_vars(const struct bw_stage *stage)
{
	for (int l = 0; l < stage->n_loops; l++)
		if (stage->loops[l].pure)
			return true;
	return false;
}

bool sioutas_cost(struct sioutas *sioutas, int output, int extra, const int64_t *tile,
		  struct sioutas_cost *cost)
{
	const struct bw_func *func = &sioutas->own.of.pipeline->funcs[output];
	int host = bw_groups_host(&sioutas->own.of, output);
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct counting counting = {.sioutas = sioutas, .output = output, .extra = extra, .tile = tile};
	bool known = sioutas->own.of.bounded[output];
	*cost = (struct sioutas_cost){0};
	counting.stages = BW_ARENA_ARRAY(arena, struct counted, sioutas->own.of.pipeline->n_stages);
	for (int s = 0; s < func->n_stages && known; s++) {
		struct bw_sioutas kernel;
		if (func->stages[s].undefined)
			continue;
		counting.stage = s;
		counting.hosts = s == host;
		counting.kernel = &kernel;
		counting.n = 0;
		known = count_kernel(&counting);
		if (!known)
			break;
		cost->arithmetic_cost += kernel.arithmetic_cost;
		cost->memory_cost += kernel.memory_cost;
		cost->scaled += bw_sioutas_memory(&kernel);
		int broken = sioutas_has_vars(&func->stages[s]) ? bw_sioutas_broken(&kernel) : 0;
		if (broken && (!cost->broken || s == host))
			cost->worst = kernel;
		cost->broken |= broken;
		if (s == host)
			cost->host = kernel;
	}
	return known;
}

double sioutas_grouping_cost(const struct sioutas_cost *cost)
{
	return cost->arithmetic_cost + cost->memory_cost;
}

double sioutas_final_cost(const struct sioutas_cost *cost)
{
	return cost->arithmetic_cost + cost->scaled;
}

/* Returns the operations and loads per point of a stage, including inlined Funcs. */
static double point_cost(const struct sioutas *sioutas, const struct bw_stage *stage)
{
	const struct bw_func *func = &sioutas->own.of.pipeline->funcs[stage->func];
	double sum = sioutas->own.of.stage_operations[func->first_stage + stage->index];
	for (int r = 0; r < stage->n_reads; r++) {
		int p = stage->reads[r].producer;
		sum += stage->reads[r].calls * (sioutas->own.of.inlined[p] ? sioutas->demand[p] : 1);
	}
	return sum;
}

double sioutas_alone(void *state, int f)
{
	struct sioutas *sioutas = state;
	const struct bw_groups *of = &sioutas->own.of;
	const struct bw_func *func = &of->pipeline->funcs[f];
	struct bw_interval computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS];
	double sum = 0;
	if (!of->bounded[f] || !bw_computed_box(func, &of->whole[f * BW_MAX_DIMS], computed))
		return INFINITY;
	/* `demand` has the cost per value of each inlined Func. */
	for (int p = 0; p < f; p++)
		if (of->inlined[p])
			sioutas->demand[p] = point_cost(sioutas, &of->pipeline->funcs[p].stages[0]);
	for (int s = 0; s < func->n_stages; s++) {
		if (func->stages[s].undefined)
			continue;
		if (!bw_stage_loops_of(&func->stages[s], computed, loops))
			return INFINITY;
		sum += bw_box_points(loops, func->stages[s].n_loops) * point_cost(sioutas, &func->stages[s]);
	}
	return sum;
}

/* The candidate tiles (Sioutas et al. 2020, section 4.2). */

/* Loops with fewer iterations are not tiled, unless all loops have fewer. */
enum { LOW_COUNT = 64 };

uint32_t sioutas_tiled(const struct sioutas *sioutas, int func)
{
	int n_dims = sioutas->own.of.pipeline->funcs[func].n_dims, largest = 0, n = 0;
	uint32_t tiled = 0;
	for (int d = 0; d < n_dims; d++) {
		int64_t extent = bw_groups_extent(&sioutas->own.of, func, d);
		if (extent > bw_groups_extent(&sioutas->own.of, func, largest))
			largest = d;
		if (extent < LOW_COUNT || n == BW_PLAN_THREAD_LOOPS)
			continue;
		tiled |= 1u << d;
		n++;
	}
	return tiled || !n_dims ? tiled : 1u << largest;
}

bool sioutas_tile_bounds(int64_t extent, int n_tiled, int64_t *least, int64_t *most)
{
	enum { LONG = 1024, ALONE = 128, AMONG = 32 };
	*least = extent >= LOW_COUNT ? 8 : 2;
	*most = extent < LONG ? extent / 2 : n_tiled > 1 ? extent / AMONG : extent / ALONE;
	return *least <= *most;
}

/* Lists the tile sizes of a dimension, at most most_sizes. If the dimension is too short for the bounds,
 * its size is the whole extent. */
static int list_sizes(int64_t extent, int n_tiled, bool final, int64_t *sizes, int most_sizes)
{
	int64_t least, most;
	int n = 0;
	if (!sioutas_tile_bounds(extent, n_tiled, &least, &most))
		sizes[n++] = extent;
	else
		for (int64_t size = least; size <= most && n < most_sizes; size = final ? size + 2 : size * 2)
			sizes[n++] = size;
	return n;
}

int64_t *sioutas_tiles(const struct sioutas *sioutas, int func, bool final, struct bw_arena *arena, int *n)
{
	enum { SIZES = 512 };
	int n_dims = sioutas->own.of.pipeline->funcs[func].n_dims;
	uint32_t tiled = sioutas_tiled(sioutas, func);
	int64_t threads = (int64_t)sioutas->own.device.threads_per_block, sizes[SIZES];
	int capacity = 1;
	int64_t *tiles = BW_ARENA_ARRAY(arena, int64_t, bw_max(n_dims, 1));
	*n = 1;
	bool alone = __builtin_popcount(tiled) == 1;
	for (int d = 0; d < n_dims; d++)
		tiles[d] = tiled >> d & 1 || alone ? 1 : bw_groups_extent(&sioutas->own.of, func, d);
	for (int d = 0; d < n_dims; d++) {
		if (!(tiled >> d & 1))
			continue;
		int n_sizes = list_sizes(bw_groups_extent(&sioutas->own.of, func, d), __builtin_popcount(tiled), final,
					 sizes, SIZES);
		int64_t *old = tiles;
		int n_old = *n;
		capacity = n_old * n_sizes;
		tiles = BW_ARENA_ARRAY(arena, int64_t, bw_max(capacity * n_dims, 1));
		*n = 0;
		for (int i = 0; i < n_old; i++) {
			int64_t product = 1;
			for (int e = 0; e < d; e++)
				product *= tiled >> e & 1 ? old[i * n_dims + e] : 1;
			for (int k = 0; k < n_sizes && (product * sizes[k] <= threads || k == 0); k++) {
				memcpy(&tiles[*n * n_dims], &old[i * n_dims], (size_t)n_dims * sizeof *tiles);
				tiles[(*n)++ * n_dims + d] = sizes[k];
			}
		}
	}
	return tiles;
}
