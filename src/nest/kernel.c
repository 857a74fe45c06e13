/* Kernels: the launches of a nest, the threads and memory that one block needs, the region that one block
 * needs, and the part of this region that neighbouring blocks need, too. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"
#include "nest/staging.h"

/* The values that are staged by all stages which the thread loops of one stage run. */
struct staged {
	int func, stage; /* the stage with the thread loops */
	double bytes;
};

/* Returns the stage whose thread loops run another stage: that stage itself, its host, or one
 * further out. */
static struct staged threads_of(const struct bw_nest *nest, int func, int stage)
{
	for (;;) {
		const struct bw_placed *placed = nest->placed[func];
		const struct bw_site *site = &placed->placement->compute;
		bool own = site->kind != BW_SITE_AT || site->role == BW_ROLE_BLOCK;
		for (int i = 0; i < placed->stages[stage].n_levels; i++)
			own |= bw_level_role(placed->stages[stage].levels[i].level) == BW_ROLE_THREAD;
		if (own)
			return (struct staged){func, stage, 0};
		func = site->func;
		stage = site->stage;
	}
}

/* Adds the bytes that a stage stages to the sum of the threads that run it. In a pass of one point nothing
 * is loaded twice, so nothing is staged. */
static void add_staged(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		       struct staged *list, int *n)
{
	if (nest->unstaged || nest->placed[func]->stages[stage].unrolled <= 1)
		return;
	struct bw_stagings stagings = bw_nest_stagings(nest, func, stage, arena);
	struct staged more = threads_of(nest, func, stage);
	for (int i = 0; i < stagings.n; i++)
		if (stagings.list[i].verdict == BW_STAGING_STAGED)
			more.bytes += (double)stagings.list[i].bytes;
	for (int i = 0; i < *n; i++)
		if (list[i].func == more.func && list[i].stage == more.stage) {
			list[i].bytes += more.bytes;
			return;
		}
	list[(*n)++] = more;
}

int64_t bw_kernel_staged_bytes(const struct bw_nest *nest, const struct bw_kernel *kernel,
			       struct bw_arena *arena)
{
	const struct bw_func *funcs = nest->pipeline->funcs;
	int n = 0, stages = 1;
	for (int m = 0; m < kernel->n_members; m++)
		stages += funcs[kernel->members[m]].n_stages;
	struct staged *list = BW_ARENA_ARRAY(arena, struct staged, stages);
	add_staged(nest, kernel->func, kernel->stage, arena, list, &n);
	for (int m = 0; m < kernel->n_members; m++)
		for (int s = 0; s < funcs[kernel->members[m]].n_stages; s++)
			add_staged(nest, kernel->members[m], s, arena, list, &n);
	double most = 0;
	for (int i = 0; i < n; i++)
		most = fmax(most, list[i].bytes);
	return bw_capped(most);
}

/* Returns the bytes of a Func's allocation that are a thread's: all, or a lane's part of a warp's. */
static double bytes_of_thread(const struct bw_nest *nest, const struct bw_placed *placed)
{
	const struct bw_site *store = &placed->placement->store;
	if (store->kind != BW_SITE_AT || store->role != BW_ROLE_WARP)
		return placed->bytes;
	int value_bytes = nest->pipeline->funcs[placed->placement->func].bytes;
	return ceil(placed->bytes / value_bytes / (double)placed->stages[0].threads[0]) * value_bytes;
}

static void add_member(const struct bw_nest *nest, struct bw_kernel *kernel, int f)
{
	const struct bw_placed *placed = nest->placed[f];
	const struct bw_func *func = &nest->pipeline->funcs[f];
	for (int s = 0; s < func->n_stages; s++)
		for (int d = 0; d < 3 && !func->stages[s].undefined; d++)
			kernel->threads[d] = bw_max(kernel->threads[d], placed->stages[s].launched[d]);
	if (placed->memory == BW_MEMORY_REGISTERS || placed->memory == BW_MEMORY_STACK)
		kernel->register_bytes = bw_capped((double)kernel->register_bytes + bytes_of_thread(nest, placed));
	if (placed->memory != BW_MEMORY_GLOBAL)
		kernel->constant &= placed->proof >= BW_PROOF_BOUND;
}

static bool is_member(const struct bw_placed *placed, int func, int stage)
{
	return placed && placed->kernel_func == func && placed->kernel_stage == stage;
}

int bw_nest_members(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		    const int **members)
{
	int n = 0, *list, all = nest->pipeline->n_funcs;
	for (int f = 0; f < all; f++)
		n += is_member(nest->placed[f], func, stage);
	*members = list = BW_ARENA_ARRAY(arena, int, n);
	for (int f = all - 1; f >= 0; f--)
		if (is_member(nest->placed[f], func, stage))
			*list++ = f;
	return n;
}

struct bw_kernel bw_nest_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	const struct bw_placed_stage *root = &nest->placed[func]->stages[stage];
	struct bw_kernel kernel = {.func = func, .stage = stage, .constant = true, .n_blocks = 1};
	for (int d = 0; d < 3; d++) {
		kernel.blocks[d] = root->blocks[d];
		kernel.threads[d] = root->launched[d];
		kernel.n_blocks *= (double)root->blocks[d];
	}
	kernel.n_members = bw_nest_members(nest, func, stage, arena, &kernel.members);
	for (int m = 0; m < kernel.n_members; m++)
		add_member(nest, &kernel, kernel.members[m]);
	bw_kernel_lay_out(nest, &kernel, arena);
	kernel.n_threads =
	    bw_capped((double)kernel.threads[0] * (double)kernel.threads[1] * (double)kernel.threads[2]);
	return kernel;
}

/* The threads of a block that have work: layers of n rows of `lanes` threads, which lie `stride`
 * apart, and the number of threads without work between one layer and the next. */
struct rows {
	int64_t warp, stride, lanes, n, between;
};

/* Returns the sum of `of` at n positions in a warp: the first is `at`, and each following one is `step`
 * further. The positions repeat after at most a warp's number of positions, so no more than these are
 * visited. */
static double sum_around(const struct rows *rows, int64_t at, int64_t step, int64_t n,
			 double (*of)(const struct rows *rows, int64_t at))
{
	double all = 0, round = 0;
	int64_t rounds = n / rows->warp, rest = n % rows->warp;
	for (int64_t i = 0; i < (rounds ? rows->warp : rest); i++) {
		double one = of(rows, (at + i * step) % rows->warp);
		round += one;
		if (i < rest)
			all += one;
	}
	return all + (double)rounds * round;
}

/* Returns the number of warps that a row touches if its first thread is lane `at` of a warp. */
static double warps_of_row(const struct rows *rows, int64_t at)
{
	return (double)((at + rows->lanes - 1) / rows->warp + 1);
}

/* Returns the same without the warp that the row before also touches. */
static double more_of_row(const struct rows *rows, int64_t at)
{
	return warps_of_row(rows, at) - (rows->stride - rows->lanes < at);
}

static double warps_of_layer(const struct rows *rows, int64_t at)
{
	int64_t step = rows->stride % rows->warp;
	return warps_of_row(rows, at) + sum_around(rows, at + step, step, rows->n - 1, more_of_row);
}

static double more_of_layer(const struct rows *rows, int64_t at)
{
	return warps_of_layer(rows, at) - (rows->between < at);
}

double bw_busy_lanes(const int64_t block[3], const int64_t threads[3], int64_t warp)
{
	double work = (double)threads[0] * (double)threads[1] * (double)threads[2];
	if (work < 1)
		return 1;
	if (threads[0] == block[0] && threads[1] == block[1])
		return work / (ceil(work / (double)warp) * (double)warp);
	int64_t between = bw_min(block[1] - threads[1], warp) * bw_min(block[0], warp) + block[0] - threads[0];
	struct rows rows = {warp, block[0], threads[0], threads[1], between};
	int64_t layer = block[0] % warp * (block[1] % warp) % warp;
	double warps = warps_of_layer(&rows, 0) + sum_around(&rows, layer, layer, threads[2] - 1, more_of_layer);
	return work / (warps * (double)warp);
}

struct bw_kernel *bw_nest_kernels(const struct bw_nest *nest, struct bw_arena *arena, int *n_kernels)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	struct bw_kernel *kernels = BW_ARENA_ARRAY(arena, struct bw_kernel, pipeline->n_stages + 1);
	*n_kernels = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		if (!placed || placed->placement->compute.kind != BW_SITE_ROOT)
			continue;
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			if (!pipeline->funcs[f].stages[s].undefined)
				kernels[(*n_kernels)++] = bw_nest_kernel(nest, f, s, arena);
	}
	return kernels;
}

int bw_nest_realized(const struct bw_nest *nest, int func)
{
	return nest->facts->realized[func];
}

/* The region of a block. */

/* Returns the level of the blocks of a kernel, which is a stage of a Func at root; BW_LEVEL_ROOT if
 * the stage has no block loops. */
static bw_level block_level(const struct bw_nest *nest, int func, int stage)
{
	const struct bw_placed_stage *placed = &nest->placed[func]->stages[stage];
	for (int i = 0; i < placed->n_levels; i++)
		if (bw_level_role(placed->levels[i].level) == BW_ROLE_BLOCK)
			return placed->levels[i].level;
	return BW_LEVEL_ROOT;
}

/* Narrows a dimension of the kernel's own region to what a block stores there, if no Var of the stage walks
 * it and blocks divide the RVars that do, in steps that are known. */
static void narrow(const struct bw_stage *stage, const struct bw_interval *all, const struct bw_interval *own,
		   int d, struct bw_block_region *region)
{
	const struct bw_ratio *steps = &stage->store.entries[d * stage->n_loops];
	struct bw_interval *box = &region->box[d];
	int64_t before = 0, inside = 0, beside = 0;
	bool divided = false;
	for (int l = 0; l < stage->n_loops; l++) {
		int64_t step = steps[l].num < 0 ? -steps[l].num : steps[l].num, size = own[l].max - own[l].min;
		if (steps[l].den != 1 || (step && stage->loops[l].pure))
			return;
		divided |= step && size < all[l].max - all[l].min;
		before += step * (steps[l].num < 0 ? all[l].max - own[l].max : own[l].min - all[l].min);
		inside += step * size;
		beside += step * (size + 1);
	}
	if (!divided || before + inside > box->max - box->min)
		return;
	box->min += before;
	box->max = box->min + inside;
	region->step[d] = beside;
}

/* Finds the region of the kernel's own stage. Its loops cover the points of the Func, and blocks do
 * not overlap except where a tail is shifted inwards. */
static bool own_region(const struct bw_nest *nest, const struct bw_stage *stage, bw_level level,
		       struct bw_block_region *region)
{
	const struct bw_own_level *own = bw_placed_own_level(nest->placed[stage->func], level);
	const struct bw_interval *whole = nest->placed[stage->func]->regions[0].computed;
	struct bw_interval all[BW_MAX_LOOPS];
	bool known = own && stage->index > 0 && bw_stage_loops_of(stage, whole, all);
	for (int d = 0; d < region->n_dims; d++) {
		region->box[d] = whole[d];
		if (known)
			narrow(stage, all, own->loops, d, region);
	}
	for (int l = 0; own && l < stage->n_loops; l++) {
		int d = stage->loops[l].dim;
		if (d < 0 || d >= region->n_dims)
			continue;
		int64_t size = own->loops[l].max - own->loops[l].min + 1;
		region->box[d] = own->loops[l];
		region->step[d] = size < whole[d].max - whole[d].min + 1 ? size : 0;
	}
	return true;
}

bool bw_block_region_of(const struct bw_nest *nest, int kernel, int stage, int func,
		     struct bw_block_region *region)
{
	const struct bw_func *host = &nest->pipeline->funcs[kernel];
	const struct bw_stage_plan *plan = &nest->placed[kernel]->placement->stages[stage];
	bw_level level = block_level(nest, kernel, stage);
	*region = (struct bw_block_region){.n_dims = nest->pipeline->funcs[func].n_dims};
	if (func == kernel)
		return own_region(nest, &host->stages[stage], level, region);
	struct bw_interval required[BW_MAX_DIMS] = {{0, 0}};
	if (!bw_nest_required(nest, func, level, required))
		return false;
	memcpy(region->box, required, sizeof required);
	for (int l = 0; level != BW_LEVEL_ROOT && l < host->stages[stage].n_loops; l++) {
		struct bw_interval beside[BW_MAX_DIMS] = {{0, 0}};
		if (!bw_plan_has(plan, l, BW_LOOP_BLOCK) ||
		    !bw_nest_moved(nest, func, level, (struct bw_move){.loop = l, .steps = 1}, beside))
			continue;
		for (int d = 0; d < region->n_dims; d++)
			region->step[d] = bw_max(region->step[d], llabs(beside[d].min - required[d].min));
	}
	const struct bw_placed *placed = nest->placed[func];
	const struct bw_region *computed = placed ? bw_placed_region(placed, level) : NULL;
	if (computed && level != BW_LEVEL_ROOT)
		memcpy(region->box, computed->computed, (size_t)region->n_dims * sizeof *region->box);
	return true;
}

double bw_block_shared(const struct bw_block_region *region)
{
	double own = 1;
	for (int d = 0; d < region->n_dims; d++) {
		int64_t size = region->box[d].max - region->box[d].min + 1, around = size - region->step[d];
		/* A band at either side is also needed by the next block there. If the bands meet,
		 * no point belongs to this block alone. */
		own *= region->step[d] == 0 ? 1
		       : around <= 0        ? 1
		       : 2 * around >= size ? 0
					    : (double)(size - 2 * around) / (double)size;
	}
	return 1 - own;
}

/* Returns the iterations of a stage's loops each time that it runs, without the idle ones of tails. */
static double busy_iterations(const struct bw_stage *stage, const struct bw_placed *placed)
{
	struct bw_interval loops[BW_MAX_LOOPS];
	return bw_stage_loops_of(stage, placed->regions[0].computed, loops)
		   ? bw_box_points(loops, stage->n_loops)
		   : placed->stages[stage->index].points;
}

/* Does the work of bw_busy_points. known: by Func, the points found so far, else -1; many paths may lead to
 * one Func. */
static double busy_points(const struct bw_nest *nest, int func, double *known)
{
	const struct bw_func *about = &nest->pipeline->funcs[func];
	const struct bw_placed *placed = nest->placed[func];
	if (!placed || placed->placement->compute.kind != BW_SITE_INLINE)
		return placed ? placed->points : 0;
	if (known[func] >= 0)
		return known[func];
	double points = 0;
	for (int c = 0; c < about->n_consumers; c++) {
		const struct bw_stage *consumer = about->consumers[c];
		const struct bw_placed *by = nest->placed[consumer->func];
		const struct bw_read *read = bw_stage_read_of(consumer, func);
		double loads = 0;
		for (int i = 0; i < read->n_loads; i++)
			loads += read->loads[i].count;
		points += loads * (by->placement->compute.kind == BW_SITE_INLINE
				       ? busy_points(nest, consumer->func, known)
				       : by->realizations * busy_iterations(consumer, by));
	}
	return known[func] = points < BW_MOST_CALLS ? points : BW_MOST_CALLS;
}

double bw_busy_points(const struct bw_nest *nest, int func)
{
	BW_SCOPED_MEMORY double *known = BW_NEW_ARRAY(double, nest->pipeline->n_funcs);
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		known[f] = -1;
	return busy_points(nest, func, known);
}
