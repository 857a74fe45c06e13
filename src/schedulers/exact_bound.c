/* Lower bounds on the cost of all schedules from a state on (exact.h). Goes through the combinations of
 * places of the undecided Funcs (inlined, at root, inside the kernel of their readers). For each
 * combination, adds up bounds on the stages of the kernels that may change, including the Funcs inlined
 * into these stages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "schedulers/exact_private.h"

/* The most partial combinations that are extended: MOST_TAKEN if at most FEW Funcs have a choice,
 * otherwise MOST_OF_MANY. */
enum { MOST_TAKEN = 1000, MOST_OF_MANY = 30, FEW = 12 };

/* Returns what one block of the kernel of a stage at root needs of each Func. The arena owns it. */
static struct bw_exact_block block_of(struct bw_exact_bounds *bounds, const struct bw_nest *nest, int func,
				      int stage, struct bw_arena *arena)
{
	const int64_t *grid = nest->placed[func]->stages[stage].blocks;
	struct bw_exact_block block = {.needs = BW_ARENA_ARRAY(arena, struct bw_exact_need *, func + 1)};
	bw_arena_reset(bounds->scratch);
	struct bw_exact_need *needs = BW_ARENA_ARRAY(bounds->scratch, struct bw_exact_need, func + 1);
	if (!bw_exact_needs_block(bounds->steps, nest, func, stage, needs))
		return block;
	block.blocks = (double)grid[0] * (double)grid[1] * (double)grid[2];
	for (int f = 0; f < func; f++)
		if (needs[f].known && !bounds->pipeline->funcs[f].input) {
			block.needs[f] = BW_ARENA_NEW(arena, struct bw_exact_need);
			*block.needs[f] = needs[f];
		}
	return block;
}

/* Returns true if no undecided Func is or may be inside a kernel in the current combination. */
static bool is_full(const struct bw_exact_bounds *bounds, int kernel)
{
	return !bounds->n_free && !bounds->members[kernel];
}

/* Returns true if all readers of a Func are decided. */
static bool is_next(const struct bw_exact_bounds *bounds, const struct bw_nest *nest, int f)
{
	const struct bw_func *func = &bounds->pipeline->funcs[f];
	for (int c = 0; c < func->n_consumers; c++)
		if (func->consumers[c]->func != f && bw_exact_undecided(nest, func->consumers[c]->func))
			return false;
	return true;
}

/* Returns a nest in which each Func whose only option is inlining is inlined, if its readers are decided.
 * Free with bw_nest_drop. */
static struct bw_nest *settle(const struct bw_exact_bounds *bounds, struct bw_nest *nest)
{
	bw_nest_keep(nest);
	for (int f = bounds->pipeline->n_funcs - 1; f >= 0; f--) {
		if (nest->placed[f] || !bounds->inlines[f] || !is_next(bounds, nest, f))
			continue;
		BW_SCOPED_PLACEMENT *inlined = bw_plan_inline(bounds->pipeline, f);
		struct bw_nest *more = bw_nest_place(nest, inlined, NULL);
		if (!more)
			continue;
		bw_nest_drop(nest);
		nest = more;
	}
	return nest;
}

/* The bound on the kernels of a Func at root that is not tiled yet: the least cost over all tilings that
 * the search would keep. The tilings follow from the Func's region at root, which is the same in all
 * schedules, and from rules that judge only the Func's loops, because nothing is inside its kernels yet.
 * So the tilings are listed once, with all readers at root. There is one exception: if a predicate
 * restricts what a direct or indirect reader needs, the region depends on what is inlined. Then no
 * tilings are listed. */

/* The most tilings of a Func that are listed, so that they fit in tens of megabytes. */
enum { MOST_TILES = 8192 };

/* Returns the option to place a Func at root. If there is none, returns the first option that the search
 * would keep, or NULL. */
static const struct bw_option *at_root(const struct bw_expansion *expansion)
{
	const struct bw_option *found = NULL;
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		bool root = option->placement && option->placement->compute.kind == BW_SITE_ROOT;
		if (option->fate == BW_FATE_COSTED && (!found || root))
			found = option;
	}
	return found;
}

/* Returns a nest in which the Funcs of all decisions before `until` are at root, untiled; a Func that
 * cannot be at root takes another option. Returns NULL if some Func has no option. */
static struct bw_nest *all_at_root(const struct bw_exact_bounds *bounds, int until)
{
	struct bw_nest *nest = bw_nest_keep(bw_search_state(bounds->search, 0, 0)->nest);
	for (int index = 0; index < until && nest; index++) {
		if (bw_search_decision(bounds->search, index)->phase != BW_PHASE_WHERE)
			continue;
		struct bw_expansion *expansion = bw_search_offered(bounds->search, index, nest, 0);
		const struct bw_option *option = at_root(expansion);
		struct bw_nest *next = option ? bw_nest_place(nest, option->placement, NULL) : NULL;
		bw_nest_drop(nest);
		nest = next;
		bw_expansion_free(expansion);
	}
	return nest;
}

/* Fills in a tiling. tiled: a nest that has the Func at root with this tiling. */
static void add_tile(struct bw_exact_bounds *bounds, struct bw_nest *tiled, int func,
		     struct bw_exact_tile *tile)
{
	BW_SCOPED_NEST *nest = settle(bounds, tiled);
	const struct bw_func *of = &bounds->pipeline->funcs[func];
	tile->placed = bw_placed_keep(nest->placed[func]);
	tile->figures = BW_ARENA_ARRAY(bounds->lasting, struct bw_stage_least, of->n_stages);
	tile->settled = BW_ARENA_ARRAY(bounds->lasting, bool, of->n_stages);
	tile->blocks = BW_ARENA_ARRAY(bounds->lasting, struct bw_exact_block, of->n_stages);
	struct bw_stage_least *all =
	    BW_ARENA_ARRAY(bounds->lasting, struct bw_stage_least, bounds->pipeline->n_stages);
	for (int s = 0; s < of->n_stages; s++) {
		bw_exact_find_figures(bounds, nest, func, s, all);
		tile->figures[s] = all[of->first_stage + s];
		tile->blocks[s] = block_of(bounds, nest, func, s, bounds->lasting);
		tile->settled[s] = bw_exact_settled(bounds, nest, &of->stages[s]);
	}
}

static void tiles_find(struct bw_exact_bounds *bounds, int func)
{
	struct bw_exact_tiles *tiles = &bounds->tiles[func];
	int index = bw_search_find(bounds->search, func, BW_PHASE_TILE, 1);
	if (tiles->found)
		return;
	tiles->found = true;
	if (!bounds->one_region[func])
		return;
	BW_SCOPED_NEST *nest = all_at_root(bounds, index);
	if (!nest || !bw_exact_undecided(nest, func))
		return;
	struct bw_expansion *expansion = bw_search_offered(bounds->search, index, nest, 0);
	tiles->list = BW_ARENA_ARRAY(bounds->lasting, struct bw_exact_tile, expansion->n);
	for (int i = 0; i < expansion->n && expansion->n <= MOST_TILES; i++) {
		const struct bw_option *option = &expansion->options[i];
		struct bw_nest *tiled =
		    option->fate == BW_FATE_COSTED ? bw_nest_place(nest, option->placement, NULL) : NULL;
		if (tiled)
			add_tile(bounds, tiled, func, &tiles->list[tiles->n++]);
		bw_nest_drop(tiled);
	}
	bw_expansion_free(expansion);
}

static void tiles_free(struct bw_exact_bounds *bounds)
{
	for (int f = 0; f < bounds->pipeline->n_funcs; f++)
		for (int t = 0; t < bounds->tiles[f].n; t++)
			bw_placed_release(bounds->tiles[f].list[t].placed);
}

/* Returns true if the Func f is inside one of the kernels of the Func func. */
static bool is_inside(const struct bw_exact_bounds *bounds, int f, int func)
{
	const struct bw_func *of = &bounds->pipeline->funcs[func];
	return bounds->place[f] == BW_EXACT_INSIDE && bounds->kernel[f] >= of->first_stage &&
	       bounds->kernel[f] < of->first_stage + of->n_stages;
}

/* Returns a lower bound on the cost of a Func's kernels with one tiling. If the bound reaches `below`,
 * may return a partial sum that is at least `below`. */
static double tile_bound(struct bw_exact_bounds *bounds, int func, const struct bw_exact_tile *tile,
			 double below)
{
	const struct bw_func *funcs = bounds->pipeline->funcs;
	double sum = 0;
	for (int f = func; f >= 0 && sum < below; f--)
		for (int s = 0; s < funcs[f].n_stages && (f == func || is_inside(bounds, f, func)); s++) {
			int kernel = f == func ? s : bounds->kernel[f] - funcs[func].first_stage;
			if (f == func && tile->settled[s]) {
				sum += tile->figures[s].ms;
				continue;
			}
			struct bw_exact_bounding bounding = {.func = &funcs[f],
							     .stage = &funcs[f].stages[s],
							     .placed = f == func ? tile->placed : NULL,
							     .figures = f == func ? &tile->figures[s] : NULL,
							     .full = is_full(bounds, funcs[func].first_stage + kernel),
							     .block = &tile->blocks[kernel],
							     .need = f == func ? NULL : tile->blocks[kernel].needs[f]};
			sum += bw_exact_stage_bound(bounds, &bounding);
		}
	return sum;
}

static double tiles_bound(struct bw_exact_bounds *bounds, int func)
{
	const struct bw_func *funcs = bounds->pipeline->funcs;
	const struct bw_exact_tiles *tiles = &bounds->tiles[func];
	uint64_t key = bounds->n_free ? 3 : 2;
	for (int f = func; f >= 0; f--)
		for (int s = 0; s < funcs[f].n_stages && (f == func || is_inside(bounds, f, func)); s++) {
			key = bw_hash_mix(key, f == func ? 0 : (uint64_t)bounds->kernel[f]);
			key = bw_exact_reads_key(bounds, &funcs[f].stages[s], key);
		}
	double least = bw_exact_kept_bound(bounds, key);
	if (least >= 0)
		return least;
	least = INFINITY;
	for (int t = 0; t < tiles->n; t++)
		least = fmin(least, tile_bound(bounds, func, &tiles->list[t], least));
	bw_exact_keep_bound(bounds, key, least);
	return least;
}

/* The combinations of places of the undecided Funcs. */

/* Returns true if the region of a Func at root is the same in all schedules: no predicate restricts what
 * its direct or indirect readers need. one_region of its readers must be set. */
static bool has_one_region(const struct bw_exact_bounds *bounds, int f)
{
	const struct bw_func *func = &bounds->pipeline->funcs[f];
	for (int c = 0; c < func->n_consumers; c++)
		if (func->consumers[c]->predicated || !bounds->one_region[func->consumers[c]->func])
			return false;
	return true;
}

struct bw_exact_bounds *bw_exact_bounds_new(const struct bw_search *search)
{
	struct bw_arena *lasting = bw_arena_new();
	struct bw_exact_bounds *bounds = BW_ARENA_NEW(lasting, struct bw_exact_bounds);
	const struct bw_pipeline *pipeline = bw_search_pipeline(search);
	int n = pipeline->n_funcs;
	*bounds = (struct bw_exact_bounds){.search = search,
					   .pipeline = pipeline,
					   .device = bw_search_device(search),
					   .model = bw_search_settings(search)->model,
					   .open = bw_exact_open_new(pipeline, lasting),
					   .steps = bw_exact_steps_new(pipeline, lasting),
					   .whole = BW_ARENA_ARRAY(lasting, struct bw_exact_need, n),
					   .inlines = BW_ARENA_ARRAY(lasting, bool, n),
					   .one_region = BW_ARENA_ARRAY(lasting, bool, n),
					   .arena = bw_arena_new(),
					   .scratch = bw_arena_new(),
					   .lasting = lasting,
					   .tiles = BW_ARENA_ARRAY(lasting, struct bw_exact_tiles, n),
					   .kept = bw_exact_kept_new(lasting),
					   .figures = BW_ARENA_ARRAY(lasting, struct bw_stage_least, pipeline->n_stages),
					   .settled = BW_ARENA_ARRAY(lasting, bool, pipeline->n_stages),
					   .blocks = BW_ARENA_ARRAY(lasting, struct bw_exact_block *, pipeline->n_stages),
					   .undecided = BW_ARENA_ARRAY(lasting, int, n),
					   .place = BW_ARENA_ARRAY(lasting, enum bw_exact_place, n),
					   .kernel = BW_ARENA_ARRAY(lasting, int, n),
					   .members = BW_ARENA_ARRAY(lasting, int, pipeline->n_stages),
					   .seen = BW_ARENA_ARRAY(lasting, bool, n)};
	bounds->roofline = bounds->model->cost == bw_roofline.cost;
	bw_exact_needs_whole(bounds->steps, bounds->whole);
	for (int f = n - 1; f >= 0; f--) {
		bounds->inlines[f] = !pipeline->funcs[f].input && bw_search_inlines(search, f);
		bounds->one_region[f] = has_one_region(bounds, f);
	}
	return bounds;
}

void bw_exact_bounds_free(struct bw_exact_bounds *bounds)
{
	if (!bounds)
		return;
	tiles_free(bounds);
	bw_arena_free(bounds->arena);
	bw_arena_free(bounds->scratch);
	bw_arena_free(bounds->lasting);
}

/* Returns the kernel that contains all readers of a Func, BW_EXACT_ANY_KERNEL if it is unknown, or
 * BW_EXACT_NO_KERNEL. */
static int kernel_of_readers(const struct bw_exact_bounds *bounds, int f)
{
	const struct bw_func *func = &bounds->pipeline->funcs[f];
	int kernel = BW_EXACT_ANY_KERNEL;
	for (int c = 0; c < func->n_consumers; c++) {
		int one = bw_exact_kernel_of(bounds, func->consumers[c]);
		if (one == BW_EXACT_NO_KERNEL || (one >= 0 && kernel >= 0 && one != kernel))
			return BW_EXACT_NO_KERNEL;
		kernel = one >= 0 ? one : kernel;
	}
	return kernel;
}

/* Returns true if a Func is at root, untiled, and its kernels are bounded by going through its tilings. */
static bool is_tried(const struct bw_exact_bounds *bounds, int f)
{
	return bounds->tries && bounds->place[f] == BW_EXACT_ROOT && bounds->tiles[f].n;
}

/* Returns true if a Func is inside a kernel that is bounded by its tilings: this bound includes the Func. */
static bool is_counted_elsewhere(const struct bw_exact_bounds *bounds, int f)
{
	if (bounds->place[f] != BW_EXACT_INSIDE || bounds->kernel[f] < 0 || bounds->blocks[bounds->kernel[f]])
		return false;
	const struct bw_func *funcs = bounds->pipeline->funcs;
	int host = bounds->pipeline->n_funcs - 1;
	while (funcs[host].input || funcs[host].first_stage > bounds->kernel[f])
		host--;
	return is_tried(bounds, host);
}

/* Returns true if a stage is stored and in a kernel that may change. */
static bool is_open(const struct bw_exact_bounds *bounds, const struct bw_stage *stage)
{
	enum bw_exact_place place = bounds->place[stage->func];
	return place == BW_EXACT_ROOT || place == BW_EXACT_INSIDE ||
	       (place == BW_EXACT_PLACED && bounds->open.open[bw_exact_kernel_of(bounds, stage)]);
}

/* Returns the bound of a stage whose kernel is not bounded by tilings. */
static double alone_bound(struct bw_exact_bounds *bounds, const struct bw_stage *stage)
{
	const struct bw_func *func = &bounds->pipeline->funcs[stage->func];
	bool placed = bounds->place[stage->func] == BW_EXACT_PLACED;
	int kernel = bw_exact_kernel_of(bounds, stage);
	struct bw_exact_bounding bounding = {
	    .func = func,
	    .stage = stage,
	    .placed = placed ? bounds->nest->placed[stage->func] : NULL,
	    .figures = placed ? &bounds->figures[func->first_stage + stage->index] : NULL,
	    .settled = placed && bounds->settled[func->first_stage + stage->index],
	    .full = placed && is_full(bounds, kernel),
	    .block = kernel < 0 ? NULL : bounds->blocks[kernel]};
	if (!placed)
		bounding.need =
		    bounding.block ? bounding.block->needs[stage->func] : &bounds->whole[stage->func];
	return bw_exact_stage_bound(bounds, &bounding);
}

/* Returns the sum of the bounds of all stored stages, or a partial sum once that reaches the best. */
static double sum_up(struct bw_exact_bounds *bounds)
{
	const struct bw_pipeline *pipeline = bounds->pipeline;
	double sum = bounds->closed;
	for (int f = pipeline->n_funcs - 1; f >= 0 && sum < bounds->best; f--)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			if (is_open(bounds, &pipeline->funcs[f].stages[s]) && !is_tried(bounds, f) &&
			    !is_counted_elsewhere(bounds, f))
				sum += alone_bound(bounds, &pipeline->funcs[f].stages[s]);
	for (int f = pipeline->n_funcs - 1; f >= 0 && sum < bounds->best; f--)
		if (is_tried(bounds, f))
			sum += tiles_bound(bounds, f);
	return sum;
}

/* Returns true if an undecided Func can be at several places. */
static bool has_choice(const struct bw_exact_bounds *bounds, int f)
{
	return !bounds->nest->placed[f] && !bounds->pipeline->funcs[f].output && !bounds->inlines[f];
}

static void combine(struct bw_exact_bounds *bounds, int n);

/* Extends the combination: puts the nth undecided Func at a place, and combines the rest. */
static void combine_with(struct bw_exact_bounds *bounds, int n, enum bw_exact_place place, int kernel)
{
	int f = bounds->undecided[n];
	bool member = place == BW_EXACT_INSIDE && kernel >= 0;
	bounds->place[f] = place;
	bounds->kernel[f] = kernel;
	if (member)
		bounds->members[kernel]++;
	combine(bounds, n + 1);
	if (member)
		bounds->members[kernel]--;
}

/* Goes through all places of the undecided Funcs from the nth on. Stops early if the bound with these
 * Funcs left open is already too high. */
static void combine(struct bw_exact_bounds *bounds, int n)
{
	for (; n < bounds->n_undecided && !has_choice(bounds, bounds->undecided[n]); n++)
		bounds->kernel[bounds->undecided[n]] = kernel_of_readers(bounds, bounds->undecided[n]);
	double sum = sum_up(bounds);
	if (sum >= bounds->best)
		return;
	if (n == bounds->n_undecided || !bounds->left) {
		bounds->best = sum;
		return;
	}
	int f = bounds->undecided[n], kernel = kernel_of_readers(bounds, f);
	bounds->left--;
	bounds->n_free--;
	if (bounds->pipeline->funcs[f].n_stages == 1)
		combine_with(bounds, n, BW_EXACT_INLINED, kernel);
	if (kernel != BW_EXACT_NO_KERNEL)
		combine_with(bounds, n, BW_EXACT_INSIDE, kernel);
	if (bounds->tries)
		tiles_find(bounds, f);
	combine_with(bounds, n, BW_EXACT_ROOT, kernel);
	bounds->place[f] = BW_EXACT_FREE;
	bounds->kernel[f] = BW_EXACT_ANY_KERNEL;
	bounds->n_free++;
}

/* Begins with a state: computes the figures of its kernels, and adds up the costs that no later decision
 * changes. */
static void take(struct bw_exact_bounds *bounds, const struct bw_nest *nest)
{
	const struct bw_pipeline *pipeline = bounds->pipeline;
	bounds->nest = nest;
	bounds->closed = 0;
	bw_exact_open_mark(&bounds->open, nest);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		bool stored = placed && !bw_exact_undecided(nest, f) &&
			      placed->placement->compute.kind != BW_SITE_INLINE;
		bounds->place[f] = pipeline->funcs[f].input ? BW_EXACT_INPUT
				   : stored		    ? BW_EXACT_PLACED
							    : BW_EXACT_INLINED;
		for (int s = 0; stored && placed->placement->compute.kind == BW_SITE_ROOT &&
				s < pipeline->funcs[f].n_stages;
		     s++)
			bw_exact_find_figures(bounds, nest, f, s, bounds->figures);
	}
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages && bounds->place[f] == BW_EXACT_PLACED; s++) {
			const struct bw_stage *stage = &pipeline->funcs[f].stages[s];
			int number = pipeline->funcs[f].first_stage + s;
			if (is_open(bounds, stage))
				bounds->settled[number] = bw_exact_settled(bounds, nest, stage);
			else
				bounds->closed += bounds->figures[number].ms;
		}
}

/* Computes what a block of each kernel that may change needs, and lists the undecided Funcs. */
static void take_open(struct bw_exact_bounds *bounds)
{
	const struct bw_pipeline *pipeline = bounds->pipeline;
	bw_arena_reset(bounds->arena);
	memset(bounds->blocks, 0, (size_t)pipeline->n_stages * sizeof *bounds->blocks);
	bounds->n_undecided = bounds->n_free = 0;
	bounds->tries = true;
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_placed *placed = bounds->nest->placed[f];
		if (pipeline->funcs[f].input)
			continue;
		if (bw_exact_undecided(bounds->nest, f)) {
			bounds->undecided[bounds->n_undecided++] = f;
			bounds->n_free += has_choice(bounds, f);
			bounds->place[f] = has_choice(bounds, f) ? BW_EXACT_FREE
					   : bounds->inlines[f]	 ? BW_EXACT_INLINED
								 : BW_EXACT_ROOT;
			bounds->kernel[f] = BW_EXACT_ANY_KERNEL;
			bounds->tries &= !pipeline->funcs[f].output;
			if (placed)
				tiles_find(bounds, f);
		} else if (bounds->place[f] == BW_EXACT_INLINED) {
			bounds->kernel[f] = kernel_of_readers(bounds, f);
		}
		for (int s = 0; s < pipeline->funcs[f].n_stages && bounds->place[f] == BW_EXACT_PLACED &&
				placed->placement->compute.kind == BW_SITE_ROOT;
		     s++) {
			int kernel = pipeline->funcs[f].first_stage + s;
			if (!bounds->open.open[kernel])
				continue;
			bounds->blocks[kernel] = BW_ARENA_NEW(bounds->arena, struct bw_exact_block);
			*bounds->blocks[kernel] = block_of(bounds, bounds->nest, f, s, bounds->arena);
		}
	}
	bounds->left = bounds->n_free <= FEW ? MOST_TAKEN : MOST_OF_MANY;
}

/* Factor that keeps a bound below the search's cost of the same schedule, although sums are rounded. */
static const double rounding = 1 - 1e-12;

double bw_exact_bounds_full(struct bw_exact_bounds *bounds, struct bw_nest *nest, double below)
{
	nest = settle(bounds, nest);
	take(bounds, nest);
	bounds->best = bounds->closed;
	if (bounds->roofline) {
		take_open(bounds);
		bounds->best = below;
		combine(bounds, 0);
	}
	bw_nest_drop(nest);
	return bounds->best < below ? bounds->best * rounding : below;
}
