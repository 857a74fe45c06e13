/* Placing one Func into a nest: its site's levels, its regions at each, its stages' loops, its allocation. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "nest/nest_private.h"

/* Most levels that a Func can have regions at: an inlined one has those of all its consumers. */
enum { MAX_LEVELS = 256 };

struct levels {
	int n;
	bw_level list[MAX_LEVELS];
};

static void add_level(struct levels *levels, bw_level level)
{
	for (int i = 0; i < levels->n; i++)
		if (levels->list[i] == level)
			return;
	if (levels->n < MAX_LEVELS)
		levels->list[levels->n++] = level;
}

/* Adds the levels of a stage from `level` (or from its innermost where level is root) outward to the root. */
static void add_path(const struct bw_nest *nest, int func, int stage, bw_level level, struct levels *levels)
{
	const struct bw_placed *placed = nest->placed[func];
	if (placed->placement->compute.kind != BW_SITE_INLINE) {
		const struct bw_placed_stage *own = &placed->stages[stage];
		bool reached = level == BW_LEVEL_ROOT;
		for (int i = own->n_levels - 1; i >= 0; i--) {
			reached |= own->levels[i].level == level;
			if (reached)
				add_level(levels, own->levels[i].level);
		}
	}
	for (int i = 0; i < placed->n_regions; i++)
		add_level(levels, placed->regions[i].level);
}

/* The levels that a Func has regions at. */
static void levels_of(const struct bw_nest *nest, int func, const struct bw_site *site, struct levels *levels)
{
	levels->n = 0;
	if (site->kind == BW_SITE_AT) {
		add_path(nest, site->func, site->stage, bw_level_make(site->func, site->stage, site->role, site->serial), levels);
	} else if (site->kind == BW_SITE_INLINE) {
		const struct bw_func *f = &nest->pipeline->funcs[func];
		for (int c = 0; c < f->n_consumers; c++)
			add_path(nest, f->consumers[c]->func, f->consumers[c]->index, BW_LEVEL_ROOT, levels);
	} else {
		add_level(levels, BW_LEVEL_ROOT);
	}
}

static bool consumers_placed(const struct bw_nest *nest, const struct bw_func *func, struct bw_error *error)
{
	for (int c = 0; c < func->n_consumers; c++)
		if (!nest->placed[func->consumers[c]->func])
			return bw_fail(error, BW_ERROR_CONFLICT, "%s: its consumer %s is not placed yet", func->name, nest->pipeline->funcs[func->consumers[c]->func].name);
	return true;
}

/* Whether Halide can compute the Func there, by the shape of the nest alone. */
static bool check_site(const struct bw_nest *nest, const struct bw_func *func, const struct bw_site *site, struct bw_error *error)
{
	if (!consumers_placed(nest, func, error))
		return false;
	if (func->output && site->kind != BW_SITE_ROOT)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: an output of the pipeline is computed at root", func->name);
	if (site->kind == BW_SITE_INLINE && func->n_stages > 1)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: a Func with updates cannot be inlined", func->name);
	if (site->kind != BW_SITE_AT)
		return true;
	const struct bw_placed *host = nest->placed[site->func];
	const char *host_name = nest->pipeline->funcs[site->func].name;
	bw_level level = bw_level_make(site->func, site->stage, site->role, site->serial);
	if (!host || host->placement->compute.kind == BW_SITE_INLINE)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: %s is %s and has no loops to compute it in", func->name, host_name, host ? "inlined" : "not placed");
	if (site->stage >= host->placement->n_stages || !bw_placed_own_level(host, level))
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: %s has no such loops to compute it in", func->name, host_name);
	for (int c = 0; c < func->n_consumers; c++)
		if (!bw_nest_under(nest, func->consumers[c], level))
			return bw_fail(error, BW_ERROR_CONFLICT, "%s: its consumer %s is not computed inside that loop of %s", func->name, nest->pipeline->funcs[func->consumers[c]->func].name, host_name);
	return true;
}

/* Whether a level lies inside thread loops: there a Func is a thread's own. */
static bool inside_threads(const struct bw_nest *nest, const struct bw_site *site)
{
	for (struct bw_site at = *site; at.kind == BW_SITE_AT;) {
		const struct bw_placed *host = nest->placed[at.func];
		const struct bw_placed_stage *stage = &host->stages[at.stage];
		bw_level level = bw_level_make(at.func, at.stage, at.role, at.serial);
		for (int i = 0; i < stage->n_levels; i++) {
			if (bw_level_role(stage->levels[i].level) == BW_ROLE_THREAD)
				return true;
			if (stage->levels[i].level == level)
				break;
		}
		at = host->placement->compute;
	}
	return false;
}

static bool check_kinds(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placement *placement, struct bw_error *error)
{
	bool threaded = inside_threads(nest, &placement->compute);
	if (placement->n_stages != func->n_stages)
		return bw_fail(error, BW_ERROR_INPUT, "%s: has %d stages, the schedule says %d", func->name, func->n_stages, placement->n_stages);
	for (int s = 0; s < placement->n_stages; s++) {
		bool blocks = false;
		for (int i = 0; i < placement->stages[s].n_loops; i++) {
			enum bw_loop_kind kind = placement->stages[s].loops[i].kind;
			if (kind == BW_LOOP_BLOCK && placement->compute.kind != BW_SITE_ROOT)
				return bw_fail(error, BW_ERROR_CONFLICT, "%s: block loops only at root", func->name);
			if ((kind == BW_LOOP_THREAD || kind == BW_LOOP_LANE) && threaded)
				return bw_fail(error, BW_ERROR_CONFLICT, "%s: thread loops inside thread loops", func->name);
			blocks |= kind == BW_LOOP_BLOCK;
			if ((kind == BW_LOOP_THREAD || kind == BW_LOOP_LANE) && !blocks && placement->compute.kind == BW_SITE_ROOT)
				return bw_fail(error, BW_ERROR_CONFLICT, "%s: thread loops at root need block loops around them", func->name);
		}
	}
	return true;
}

/* The bump allocator of a placed Func: all that belongs to it lies in one piece of memory. */
struct bump {
	unsigned char *at, *end;
};

static void *take(struct bump *bump, size_t count, size_t size)
{
	unsigned char *memory = bump->at;
	bump->at += (count * size + 15) / 16 * 16;
	return bump->at <= bump->end ? memory : NULL;
}

static size_t stage_bytes(const struct bw_stage_plan *plan, int n_loops)
{
	return (size_t)plan->n_loops * (sizeof(int64_t) + sizeof(enum bw_tail) + sizeof(struct bw_own_level) + (size_t)n_loops * sizeof(struct bw_interval) + 16) + 96;
}

static size_t placed_bytes(const struct bw_func *func, const struct bw_placement *placement, int n_levels)
{
	size_t bytes = sizeof(struct bw_placed) + 128;
	bytes += (size_t)n_levels * (sizeof(struct bw_region) + 2 * ((size_t)func->n_dims * sizeof(struct bw_interval) + 16));
	bytes += (size_t)func->n_dims * sizeof(int64_t) + (size_t)placement->n_stages * (sizeof(struct bw_placed_stage) + 16);
	for (int s = 0; s < placement->n_stages; s++)
		bytes += stage_bytes(&placement->stages[s], func->stages[s].n_loops);
	return bytes;
}

/* Room for a placed Func with that many regions, its arrays laid out. */
static struct bw_placed *placed_new(const struct bw_func *func, const struct bw_placement *placement, int n_levels)
{
	size_t bytes = placed_bytes(func, placement, n_levels);
	struct bump bump = {bw_new_array(bytes, 1), NULL};
	bump.end = bump.at + bytes;
	struct bw_placed *placed = take(&bump, 1, sizeof *placed);
	struct bw_region *regions = take(&bump, (size_t)n_levels, sizeof *regions);
	struct bw_placed_stage *stages = take(&bump, (size_t)placement->n_stages, sizeof *stages);
	placed->allocated = take(&bump, (size_t)func->n_dims, sizeof(int64_t));
	for (int i = 0; i < n_levels; i++) {
		regions[i].required = take(&bump, (size_t)func->n_dims, sizeof(struct bw_interval));
		regions[i].computed = take(&bump, (size_t)func->n_dims, sizeof(struct bw_interval));
	}
	for (int s = 0; s < placement->n_stages; s++) {
		size_t n = (size_t)placement->stages[s].n_loops;
		stages[s].extents = take(&bump, n, sizeof(int64_t));
		stages[s].tails = take(&bump, n, sizeof(enum bw_tail));
		struct bw_own_level *levels = take(&bump, n, sizeof *levels);
		for (size_t i = 0; i < n; i++)
			levels[i].loops = take(&bump, (size_t)func->stages[s].n_loops, sizeof(struct bw_interval));
		stages[s].levels = levels;
	}
	placed->references = 1;
	placed->placement = bw_placement_keep(placement);
	placed->n_dims = func->n_dims;
	placed->n_regions = n_levels;
	placed->regions = regions;
	placed->stages = stages;
	placed->kernel_func = placed->kernel_stage = -1;
	return placed;
}

static void placed_drop(const struct bw_placed *placed)
{
	struct bw_placed *mine = (struct bw_placed *)placed;
	if (!mine || __atomic_sub_fetch(&mine->references, 1, __ATOMIC_ACQ_REL))
		return;
	bw_placement_drop(mine->placement);
	free(mine);
}

/* Regions at all levels: required from the consumers, computed from what the updates add. */
static bool fill_regions(const struct bw_nest *nest, const struct bw_func *func, const struct levels *levels, struct bw_placed *placed, struct bw_error *error)
{
	for (int i = 0; i < levels->n; i++) {
		struct bw_region *region = (struct bw_region *)&placed->regions[i];
		region->level = levels->list[i];
		struct bw_interval *required = (struct bw_interval *)region->required, *computed = (struct bw_interval *)region->computed;
		if (!bw_nest_required(nest, placed->placement->func, region->level, required) || !bw_computed_box(func, required, computed)) {
			if (placed->placement->compute.kind == BW_SITE_INLINE)
				memset(computed, 0, (size_t)func->n_dims * sizeof *computed);
			else
				return bw_fail(error, BW_ERROR_CONFLICT, "%s: the region that its consumers need has no bound; it can only be inlined, or needs a clamp in the algorithm", func->name);
		}
	}
	return true;
}

/* Whether the region's extents at its site could differ between iterations: the loops of the host are moved on by one
 * iteration of each, twice, and the region found there must have the same size. */
static bool region_varies(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed)
{
	int f = placed->placement->func;
	if (placed->placement->compute.kind != BW_SITE_AT || nest->facts->rigid[f])
		return false;
	const struct bw_region *site = &placed->regions[0];
	for (int steps = 1; steps <= 2; steps++) {
		struct bw_interval moved[BW_MAX_DIMS];
		if (!bw_nest_required_moved(nest, f, site->level, steps, moved))
			return true;
		for (int d = 0; d < func->n_dims; d++)
			if (moved[d].max - moved[d].min != site->required[d].max - site->required[d].min)
				return true;
	}
	return false;
}

static void set_host(const struct bw_nest *nest, const struct bw_placement *placement, struct bw_placed *placed)
{
	const struct bw_site *site = &placement->compute;
	placed->realizations = 1;
	if (site->kind != BW_SITE_AT)
		return;
	const struct bw_placed *host = nest->placed[site->func];
	const struct bw_placed_stage *stage = &host->stages[site->stage];
	bool at_root = host->placement->compute.kind == BW_SITE_ROOT;
	placed->kernel_func = at_root ? site->func : host->kernel_func;
	placed->kernel_stage = at_root ? site->stage : host->kernel_stage;
	placed->realizations = host->realizations;
	for (int i = 0; i < stage->n_levels; i++) {
		placed->realizations *= stage->levels[i].iterations;
		if (stage->levels[i].level == placed->regions[0].level)
			break;
	}
}

static void set_allocation(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placement *placement, struct bw_placed *placed)
{
	if (placement->compute.kind == BW_SITE_INLINE) {
		placed->allocated = NULL;
		return;
	}
	const struct bw_region *stored = &placed->regions[0];
	if (placement->store.kind == BW_SITE_ROOT)
		stored = &placed->regions[placed->n_regions - 1];
	else if (placement->store.kind == BW_SITE_AT)
		for (int i = 0; i < placed->n_regions; i++)
			if (placed->regions[i].level == bw_level_make(placement->store.func, placement->store.stage, placement->store.role, placement->store.serial))
				stored = &placed->regions[i];
	double points = 1;
	for (int d = 0; d < func->n_dims; d++) {
		int64_t extent = bw_max(stored->computed[d].max - stored->computed[d].min + 1, 0);
		((int64_t *)placed->allocated)[d] = extent;
		points *= (double)extent;
	}
	placed->bytes = points * func->bytes;
	placed->memory = placement->memory;
	if (placed->memory == BW_MEMORY_AUTO)
		placed->memory = stored->level == BW_LEVEL_ROOT ? BW_MEMORY_GLOBAL : inside_threads(nest, &placement->store) ? BW_MEMORY_REGISTERS : BW_MEMORY_SHARED;
}

/* Stages, and how far RoundUp widens the computed region at every level. */
static bool place_stages(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed, struct bw_error *error)
{
	int64_t growth[BW_MAX_DIMS] = {0};
	const struct bw_placement *placement = placed->placement;
	for (int s = 0; s < placement->n_stages; s++) {
		struct bw_interval loops[BW_MAX_LOOPS];
		if (!bw_stage_loops_of(&func->stages[s], placed->regions[0].computed, loops))
			return bw_fail(error, BW_ERROR_CONFLICT, "%s: the bounds of its loops are not known", func->name);
		struct bw_stage_request request = {func, &func->stages[s], &placement->stages[s], loops, nest->facts->overruns[placement->func], placement->compute.kind == BW_SITE_AT};
		if (!bw_stage_place(&request, growth, (struct bw_placed_stage *)&placed->stages[s], error))
			return false;
	}
	for (int i = 0; i < placed->n_regions; i++)
		for (int d = 0; d < func->n_dims; d++)
			((struct bw_interval *)placed->regions[i].computed)[d].max += growth[d];
	return true;
}

/* How often the Func is computed in all: its own loops, or each call of an inlined one. */
static void count_points(const struct bw_nest *nest, const struct bw_func *func, struct bw_placed *placed)
{
	const struct bw_region *root = bw_placed_region(placed, BW_LEVEL_ROOT);
	placed->minimum_points = root ? bw_box_points(root->required, func->n_dims) : 0;
	if (placed->placement->compute.kind != BW_SITE_INLINE) {
		placed->points = placed->realizations * placed->stages[0].points;
		return;
	}
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *consumer = func->consumers[c];
		const struct bw_placed *by = nest->placed[consumer->func];
		const struct bw_read *read = bw_stage_read_of(consumer, placed->placement->func);
		bool inlined = by->placement->compute.kind == BW_SITE_INLINE;
		double loads = 0;
		for (int i = 0; i < read->n_loads; i++)
			loads += read->loads[i].count;
		placed->points += loads * (inlined ? by->points : by->realizations * by->stages[consumer->index].points);
		placed->calls += loads * (inlined ? by->calls : 1);
	}
}

static struct bw_placed *place(const struct bw_nest *nest, const struct bw_placement *placement, struct bw_error *error)
{
	const struct bw_func *func = &nest->pipeline->funcs[placement->func];
	struct levels levels;
	if (!check_site(nest, func, &placement->compute, error))
		return NULL;
	if (placement->compute.kind != BW_SITE_INLINE && !check_kinds(nest, func, placement, error))
		return NULL;
	levels_of(nest, placement->func, &placement->compute, &levels);
	struct bw_placed *placed = placed_new(func, placement, levels.n);
	if (!fill_regions(nest, func, &levels, placed, error)) {
		placed_drop(placed);
		return NULL;
	}
	bool varies = region_varies(nest, func, placed);
	if (!place_stages(nest, func, placed, error)) {
		placed_drop(placed);
		return NULL;
	}
	placed->constant = !varies;
	set_host(nest, placement, placed);
	set_allocation(nest, func, placement, placed);
	count_points(nest, func, placed);
	placed->hash = bw_hash_mix(placement->hash, (uint64_t)placement->func);
	return placed;
}

struct bw_nest *bw_nest_place(const struct bw_nest *nest, const struct bw_placement *placement, struct bw_error *error)
{
	struct bw_placed *placed = place(nest, placement, error);
	if (!placed)
		return NULL;
	struct bw_nest *child = bw_nest_copy(nest);
	bw_placed_release(child->placed[placement->func]);
	child->placed[placement->func] = placed;
	child->n_placed += nest->placed[placement->func] == NULL;
	return child;
}

void bw_placed_release(const struct bw_placed *placed)
{
	placed_drop(placed);
}
