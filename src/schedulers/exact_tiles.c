/* What the kernels of a Func at root cost at least before it is tiled: the least over all tilings that the
 * search would go on with. These follow from the Func's region at root, which is the same in all schedules,
 * and from rules that judge its loops alone, since nothing is inside its kernels yet. So they are listed
 * once, beside readers that are at root, too. Only if a predicate restricts what a reader needs, directly
 * or not, the region depends on what is inlined; then nothing is listed. */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "schedulers/exact_bounds.h"
#include "search/expander.h"

/* Most tilings of a Func that are gone through, so that they fit in tens of megabytes. */
enum { MOST_TILES = 8192 };

/* Returns the option to place a Func at root, or to inline it if it cannot be there, or NULL. */
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

/* Returns a nest in which a Func and all Funcs decided before it are at root, untiled, if they can be;
 * NULL if some Func has no place. */
static struct bw_nest *all_at_root(const struct bw_exact_bounds *bounds, int until)
{
	const struct bw_state *const *states;
	bw_search_beam(bounds->search, 0, &states);
	struct bw_nest *nest = bw_nest_keep(states[0]->nest);
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

/* Adds a tiling: the nest has the Func at root with it. */
static void add_tile(struct bw_exact_bounds *bounds, struct bw_nest *tiled, int func,
		     struct bw_exact_tile *tile)
{
	struct bw_nest *nest = bw_exact_settle(bounds, tiled);
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
		tile->blocks[s] = bw_exact_block_of(bounds, nest, func, s, bounds->lasting);
		tile->settled[s] = bw_exact_settled(bounds, nest, &of->stages[s]);
	}
	bw_nest_drop(nest);
}

void bw_exact_tiles_find(struct bw_exact_bounds *bounds, int func)
{
	struct bw_exact_tiles *tiles = &bounds->tiles[func];
	int index = bw_search_find(bounds->search, func, BW_PHASE_TILE, 1);
	if (tiles->found)
		return;
	tiles->found = true;
	if (!bounds->one_region[func])
		return;
	struct bw_nest *nest = all_at_root(bounds, index);
	if (!nest || !bw_exact_undecided(nest, func)) {
		bw_nest_drop(nest);
		return;
	}
	struct bw_expansion *expansion = bw_search_offered(bounds->search, index, nest, 0);
	tiles->list = BW_NEW_ARRAY(struct bw_exact_tile, expansion->n);
	for (int i = 0; i < expansion->n && expansion->n <= MOST_TILES; i++) {
		const struct bw_option *option = &expansion->options[i];
		struct bw_nest *tiled =
		    option->fate == BW_FATE_COSTED ? bw_nest_place(nest, option->placement, NULL) : NULL;
		if (tiled)
			add_tile(bounds, tiled, func, &tiles->list[tiles->n++]);
		bw_nest_drop(tiled);
	}
	bw_expansion_free(expansion);
	bw_nest_drop(nest);
}

void bw_exact_tiles_free(struct bw_exact_bounds *bounds)
{
	for (int f = 0; f < bounds->pipeline->n_funcs; f++) {
		for (int t = 0; t < bounds->tiles[f].n; t++)
			bw_placed_release(bounds->tiles[f].list[t].placed);
		free(bounds->tiles[f].list);
	}
	free(bounds->tiles);
}

/* Returns true if a Func is inside one of the kernels of another one. */
static bool is_inside(const struct bw_exact_bounds *bounds, int f, int func)
{
	const struct bw_func *of = &bounds->pipeline->funcs[func];
	return bounds->place[f] == BW_EXACT_INSIDE && bounds->kernel[f] >= of->first_stage &&
	       bounds->kernel[f] < of->first_stage + of->n_stages;
}

/* Returns the least cost of a Func's kernels with one tiling, or a number above `below`. */
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
							     .full = bw_exact_full(bounds, funcs[func].first_stage + kernel),
							     .block = &tile->blocks[kernel],
							     .need = f == func ? NULL : tile->blocks[kernel].needs[f]};
			sum += bw_exact_stage_bound(bounds, &bounding);
		}
	return sum;
}

double bw_exact_tiles_bound(struct bw_exact_bounds *bounds, int func)
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
