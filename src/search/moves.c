/* Moves of polishing. When no change of a single Func lowers the cost, a costly Func is moved to another
 * site although the cost rises, and the Funcs next to it are polished. A Func with loops of its own tries
 * all sites with loops. An inlined Func that several stages read tries only the cheapest site. (All other
 * moves took three quarters of the pricing, and brought a twentieth of the gain.)
 *
 * When no move to a site gains anything, the costliest Funcs at root are tiled in another way, and the
 * Funcs next to them are polished: a larger tile may save more in the producers than it costs.
 *
 * At the end come variants of plans that save nothing alone. Each is tried together with the best change
 * of one Func next to the changed one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "search/polishing.h"

/* Limits for moves: the least share of the cost that the moved Func, or a Func next to it, must have; then
 * the factor by which the cost may rise before it falls, for a Func with loops and for an inlined Func. */
static const double worth_a_move = 0.03, dearest_move = 2, dearest_inlined = 1.2;
/* Limits for other tilings of a Func: the least share of the cost that it must have, and the factor by
 * which the cost may rise before it falls. */
static const double worth_a_tile = 0.1, dearest_tile = 1.25;
/* Work limit for moves: the number of priced schedules, each times its number of Funcs. The last move may
 * exceed it. */
enum { MOST_FUNCS = 85000 };

/* Most moves of a Func, which raise the cost at first: the cheapest move to each other site; or the
 * cheapest other tilings at root. */
enum { MOST_MOVES = 8, MOST_TILES = 2 };
struct moves {
	bool tiles;
	int n;
	struct move {
		const struct bw_placement *placement; /* with a reference */
		double cost;
	} list[MOST_MOVES];
};

/* Returns the index of the move to this site in the list, or the list's length if there is none. */
static int place_of_site(const struct moves *moves, const struct bw_site *site)
{
	int at = 0;
	while (at < moves->n && !bw_site_equal(site, &moves->list[at].placement->compute))
		at++;
	return at;
}

/* Returns the index at which to put another tiling: the end of the list, or that of the most expensive
 * tiling if the list is full. */
static int place_of_tile(const struct moves *moves)
{
	int dearest = 0;
	for (int i = 1; i < moves->n; i++)
		if (moves->list[i].cost > moves->list[dearest].cost)
			dearest = i;
	return moves->n < MOST_TILES ? moves->n : dearest;
}

/* Adds a move, or replaces a more expensive one. Ignores inlining. If moves to sites are listed, ignores
 * the current site; if tilings are listed, ignores all other sites. */
static void add_move(struct moves *moves, const struct bw_placement *now, const struct bw_variant *variant)
{
	const struct bw_site *site = &variant->placement->compute;
	if (bw_site_equal(site, &now->compute) != moves->tiles || site->kind == BW_SITE_INLINE)
		return;
	int at = moves->tiles ? place_of_tile(moves) : place_of_site(moves, site);
	if (at == MOST_MOVES || (at < moves->n && moves->list[at].cost <= variant->cost))
		return;
	if (at < moves->n)
		bw_placement_drop(moves->list[at].placement);
	else
		moves->n++;
	moves->list[at] = (struct move){bw_placement_keep(variant->placement), variant->cost};
}

/* Lists the moves of a Func after which a schedule costs at most `most`. Returns false if it was stopped. */
static bool find_moves(struct bw_polishing *polishing, const struct bw_start *start, int place, double most,
		       struct moves *moves)
{
	struct bw_variants *variants = start->variants;
	const struct bw_nest *nest = bw_variants_nest(variants);
	int n;
	if (!bw_variants_turn(variants, place, polishing->search->yield))
		return false;
	const struct bw_variant *list = bw_variants_list(variants, &n);
	for (int i = 0; i < n; i++) {
		if (!bw_yield(polishing->search->yield))
			return false;
		bw_variants_price(variants, i, most);
		polishing->priced++;
		if (list[i].allowed && list[i].cost > 0 && list[i].cost <= most)
			add_move(moves, nest->placed[list[i].placement->func]->placement, &list[i]);
	}
	return true;
}

static void add_step(struct bw_polish *polish, const struct bw_placement *from, const struct bw_placement *to,
		     double before, double after)
{
	BW_PUSH(polish->steps, polish->n, polish->capacity,
		(struct bw_polish_step){bw_placement_keep(from), bw_placement_keep(to), before, after});
}

/* Finds the change of a suspect Func that lowers the cost most. Returns a reference to the placement, or
 * NULL if no change lowers the cost. Sets *at to the Func's place. Returns false if it was stopped. */
static bool find_steepest(struct bw_polishing *polishing, struct bw_variants *variants,
			  const struct bw_placement **best, int *at)
{
	double least = bw_variants_cost(variants);
	int n;
	for (int place = 0; place < bw_variants_funcs(variants); place++) {
		int found = -1;
		if (!(polishing->known[bw_variants_func(variants, place)] & BW_SUSPECT))
			continue;
		if (!bw_variants_turn(variants, place, polishing->search->yield) ||
		    !bw_best_variant(polishing, variants, &least, &found))
			return false;
		if (found < 0)
			continue;
		bw_placement_drop(*best);
		*best = bw_placement_keep(bw_variants_list(variants, &n)[found].placement);
		*at = place;
	}
	return true;
}

/* Makes the change of a suspect Func that lowers the cost most. Does nothing if no change lowers the cost.
 * Returns false if it was stopped. */
static bool take_steepest(struct bw_polishing *polishing, struct bw_start *trial)
{
	struct bw_variants *variants = trial->variants;
	BW_SCOPED_NEST *nest = bw_nest_keep((struct bw_nest *)bw_variants_nest(variants));
	const struct bw_placement *best = NULL;
	double before = bw_variants_cost(variants);
	int n, at = 0, i = 0;
	bool done = find_steepest(polishing, variants, &best, &at) &&
		    (!best || bw_variants_turn(variants, at, polishing->search->yield));
	if (done && best) {
		const struct bw_variant *list = bw_variants_list(variants, &n);
		while (!bw_placement_equal(list[i].placement, best))
			i++;
		bw_variants_take(variants, i);
		add_step(&trial->polish, nest->placed[best->func]->placement, best, before,
			 bw_variants_cost(variants));
		bw_exhausted_change(trial->exhausted, nest, bw_variants_nest(variants));
	}
	bw_placement_drop(best);
	return done;
}

/* Makes a move, then polishes the Funcs around it until the schedule costs less than before the move, or
 * no change helps any more. together: makes only the best change of one of these Funcs. Keeps the move,
 * and sets *took, only if the schedule then costs less. Returns false if it was stopped. */
static bool try_move(struct bw_polishing *polishing, struct bw_start *start, const struct move *move,
		     bool together, bool *took)
{
	const struct bw_search *search = polishing->search;
	int func = move->placement->func;
	double cost = bw_variants_cost(start->variants);
	const struct bw_nest *now = bw_variants_nest(start->variants);
	BW_SCOPED_NEST *nest = bw_variants_changed(start->variants, move->placement);
	struct bw_start trial = {bw_variants_begin(search, nest, search->options.passes, false),
				 bw_exhausted_copy(start->exhausted), .polish = {0}};
	bw_variants_late(trial.variants, false, together);
	add_step(&trial.polish, now->placed[func]->placement, move->placement, cost,
		 bw_variants_cost(trial.variants));
	memset(polishing->known, 0, (size_t)search->pipeline->n_funcs);
	bw_suspect(polishing, nest, func);
	bw_exhausted_change(trial.exhausted, now, nest);
	bool done = together ? take_steepest(polishing, &trial) : bw_follow(polishing, &trial, start);
	*took = done && bw_variants_cost(trial.variants) < cost;
	if (*took) {
		struct bw_start old = *start;
		for (int i = 0; i < trial.polish.n; i++) {
			const struct bw_polish_step *step = &trial.polish.steps[i];
			add_step(&start->polish, step->from, step->to, step->before, step->after);
		}
		start->variants = trial.variants;
		start->exhausted = trial.exhausted;
		trial.variants = old.variants;
		trial.exhausted = old.exhausted;
	}
	bw_polish_free(&trial.polish);
	bw_variants_end(trial.variants);
	bw_exhausted_free(trial.exhausted);
	return done;
}

/* A Func that may gain by a move, and the largest cost among this Func and the Funcs next to it. */
struct heavy {
	int place;
	double cost;
};

BW_ORDER(by_cost, struct heavy, 2 * BW_COMPARE(b->cost, a->cost) + BW_COMPARE(a->place, b->place))

/* Returns true if moving a Func may gain enough: it has loops of its own, or it is inlined into several
 * stages. */
static bool is_moved(const struct bw_nest *nest, int func)
{
	return !bw_is_inlined(nest, func) || nest->pipeline->funcs[func].n_consumers > 1;
}

/* Returns the cost of a Func's stages; 0 for an input. */
static double cost_of(const struct bw_start *start, int f)
{
	const struct bw_func *func = &bw_variants_nest(start->variants)->pipeline->funcs[f];
	double cost = 0;
	for (int s = 0; s < func->n_stages && !func->input; s++)
		cost += bw_variants_ms(start->variants)[func->first_stage + s];
	return cost;
}

/* Lists the Funcs that are costly or next to a costly Func, the costliest first. Leaves out Funcs that are
 * inlined into a single stage. Returns their number. */
static int find_heavy(struct bw_polishing *polishing, const struct bw_start *start, struct heavy *list)
{
	const struct bw_nest *nest = bw_variants_nest(start->variants);
	const struct bw_pipeline *pipeline = nest->pipeline;
	BW_SCOPED_MEMORY double *most = BW_NEW_ARRAY(double, pipeline->n_funcs);
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		double cost = cost_of(start, f);
		if (cost < worth_a_move * bw_variants_cost(start->variants))
			continue;
		memset(polishing->known, 0, (size_t)pipeline->n_funcs);
		bw_suspect_around(polishing, nest, f);
		for (int k = 0; k < pipeline->n_funcs; k++)
			most[k] = polishing->known[k] & BW_SUSPECT && cost > most[k] ? cost : most[k];
	}
	for (int place = 0; place < bw_variants_funcs(start->variants); place++) {
		int func = bw_variants_func(start->variants, place);
		if (most[func] > 0 && is_moved(nest, func))
			list[n++] = (struct heavy){place, most[func]};
	}
	qsort(list, (size_t)n, sizeof *list, by_cost);
	return n;
}

/* Drops all moves but the one that costs least. */
static void keep_cheapest(struct moves *moves)
{
	for (; moves->n > 1; moves->n--) {
		struct move *last = &moves->list[moves->n - 1], *first = &moves->list[0];
		bool cheaper = last->cost < first->cost;
		bw_placement_drop(cheaper ? first->placement : last->placement);
		if (cheaper)
			*first = *last;
	}
}

/* Makes the first move of a Func after which polishing the Funcs around it lowers the cost. Returns false
 * if it was stopped. */
static bool move_func(struct bw_polishing *polishing, struct bw_start *start, int place, bool tiles,
		      bool *took)
{
	struct moves moves = {.tiles = tiles};
	bool inlined =
	    bw_is_inlined(bw_variants_nest(start->variants), bw_variants_func(start->variants, place));
	double most = (tiles     ? dearest_tile
		       : inlined ? dearest_inlined
				 : dearest_move) *
		      bw_variants_cost(start->variants);
	bool done = find_moves(polishing, start, place, most, &moves);
	if (inlined)
		keep_cheapest(&moves);
	for (int i = 0; done && !*took && i < moves.n; i++)
		done = try_move(polishing, start, &moves.list[i], false, took);
	for (int i = 0; i < moves.n; i++)
		bw_placement_drop(moves.list[i].placement);
	return done && (!*took || bw_follow(polishing, start, NULL));
}

/* Returns true if another tiling of a Func at root may gain enough: the Func, and the Funcs computed in
 * its kernels, whose tiles depend on the Func's, have a large enough share of the cost. */
static bool is_tiled(const struct bw_start *start, int place)
{
	const struct bw_nest *nest = bw_variants_nest(start->variants);
	int func = bw_variants_func(start->variants, place);
	double cost = cost_of(start, func);
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		cost += nest->placed[f] && nest->placed[f]->kernel_func == func ? cost_of(start, f) : 0;
	return nest->placed[func]->placement->compute.kind == BW_SITE_ROOT &&
	       cost >= worth_a_tile * bw_variants_cost(start->variants);
}

/* Moves one Func after the other, to other sites or to other tilings. Sets *any to true if a move gained
 * something. Returns false if it was stopped. */
static bool move_each(struct bw_polishing *polishing, struct bw_start *start, long limit, bool tiles,
		      bool *any)
{
	BW_SCOPED_MEMORY struct heavy *heavy =
	    BW_NEW_ARRAY(struct heavy, polishing->search->pipeline->n_funcs);
	int n = find_heavy(polishing, start, heavy);
	bool done = true;
	*any = false;
	for (int i = 0; done && i < n && polishing->priced < limit; i++) {
		bool took = false;
		if (!tiles || is_tiled(start, heavy[i].place))
			done = move_func(polishing, start, heavy[i].place, tiles, &took);
		*any |= took;
	}
	return done;
}

bool bw_move_all(struct bw_polishing *polishing, struct bw_start *start)
{
	long limit = polishing->priced + MOST_FUNCS / bw_variants_funcs(start->variants);
	bool done = true, tiles = false, any = true;
	while (done && (any || tiles) && polishing->priced < limit &&
	       bw_variants_cost(start->variants) >= polishing->search->enough) {
		done = move_each(polishing, start, limit, tiles, &any) &&
		       (!any || bw_polish_start(polishing, start, INFINITY));
		tiles = !any && !tiles;
	}
	return done;
}

/* Tries the variants of a Func's plan that are tried together with changes of the Funcs that it reads.
 * Returns false if it was stopped. */
static bool try_together(struct bw_polishing *polishing, struct bw_start *start, int place)
{
	struct moves moves = {.tiles = true};
	bool took = false;
	double most = dearest_tile * bw_variants_cost(start->variants);
	bw_variants_late(start->variants, true, true);
	bool done = find_moves(polishing, start, place, most, &moves);
	for (int i = 0; done && !took && i < moves.n; i++)
		done = try_move(polishing, start, &moves.list[i], true, &took);
	for (int i = 0; i < moves.n; i++)
		bw_placement_drop(moves.list[i].placement);
	return done && (!took || bw_follow(polishing, start, NULL));
}

bool bw_move_together(struct bw_polishing *polishing, struct bw_start *start)
{
	BW_SCOPED_MEMORY struct heavy *heavy =
	    BW_NEW_ARRAY(struct heavy, polishing->search->pipeline->n_funcs);
	int n = find_heavy(polishing, start, heavy);
	bool done = true;
	bw_exhausted_free(start->exhausted);
	start->exhausted = bw_exhausted_new(polishing->search->pipeline->n_funcs);
	for (int i = 0; done && i < n && !polishing->cut; i++)
		if (cost_of(start, bw_variants_func(start->variants, heavy[i].place)) >=
		    worth_a_tile * bw_variants_cost(start->variants))
			done = try_together(polishing, start, heavy[i].place);
	return done;
}
