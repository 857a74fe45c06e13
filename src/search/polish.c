/* Polishing: after the last pass, changes the best schedules one Func at a time as long as the cost falls.
 * It starts from the best schedule of each family (bw_nest_family), because no change of a single Func
 * leads from one family to another. A change replaces a Func's placement by one of its variants
 * (search/variants.h); variants are not sampled.
 *
 * When no variant of any Func costs less, a costly Func is moved to another site or tiled in another way,
 * although the cost rises, and the Funcs next to it are polished. The result is kept if it costs less.
 * After the last of these moves, no single change lowers the predicted cost. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/polishing.h"

/* Polishing starts from schedules that cost at most this many times the least cost. */
static const double worth_a_start = 1.05;

/* Returns the number of the cheapest allowed variant of the current Func; -1 if none is allowed. */
static int best_variant(struct bw_variants *variants)
{
	int n, best = -1;
	const struct bw_variant *list = bw_variants_list(variants, &n);
	for (int i = 0; i < n; i++) {
		bw_variants_price(variants, i, best < 0 ? INFINITY : list[best].cost);
		if (list[i].allowed && list[i].cost > 0 && (best < 0 || list[i].cost < list[best].cost))
			best = i;
	}
	return best;
}

struct bw_variants *bw_polish_held(const struct bw_search *search, const struct bw_constraint *constraint,
				   struct bw_nest *nest)
{
	int pass = search->options.passes, place = 0, func = constraint->placement->func;
	if (!bw_constraint_applies(constraint, pass))
		return NULL;
	struct bw_variants *variants = bw_variants_begin(search, nest, pass, false);
	while (bw_variants_func(variants, place) != func)
		place++;
	bool so = bw_constraint_names(constraint, nest->placed[func]->placement);
	int best = !so && bw_variants_turn(variants, place, NULL) ? best_variant(variants) : -1;
	if (best >= 0)
		bw_variants_take(variants, best);
	if (best >= 0 || so)
		return variants;
	bw_variants_end(variants);
	return NULL;
}

/* Applies the newest override to the best schedule of the search without this override. Returns the
 * variants of the result. Returns NULL if that is impossible. */
static struct bw_variants *overridden(const struct bw_search *search)
{
	const struct bw_search *without = search->without;
	const struct bw_constraints *constraints = &search->constraints;
	return without ? bw_polish_held(search, &constraints->list[bw_constraints_newest_override(constraints)],
				    without->reached[without->n_decisions]->beam[0]->nest)
		       : NULL;
}

void bw_search_suffice(struct bw_search *search, double cost)
{
	search->enough = cost;
}

static void add_start(struct bw_polishing *polishing, int rank, struct bw_variants *variants)
{
	struct bw_exhausted *exhausted = bw_exhausted_new(polishing->search->pipeline->n_funcs);
	polishing->starts[polishing->n_starts++] = (struct bw_start){variants, exhausted, .polish.from = rank};
}

/* Adds the best schedule of each family in the beam to the starts. */
static void add_families(struct bw_polishing *polishing)
{
	const struct bw_search *search = polishing->search;
	const struct bw_position *end = polishing->end;
	uint64_t families[BW_MOST_STARTS];
	for (int i = 0; i < end->n && polishing->n_starts < BW_MOST_STARTS; i++) {
		uint64_t family = bw_nest_family(end->beam[i]->nest, -1);
		int n = 0;
		while (n < polishing->n_starts && families[n] != family)
			n++;
		if (n < polishing->n_starts || end->beam[i]->cost > worth_a_start * end->beam[0]->cost)
			continue;
		families[n] = family;
		add_start(polishing, i,
			  bw_variants_begin(search, end->beam[i]->nest, search->options.passes, false));
	}
}

/* Sets the starts: the best schedules of the beam. There is one other candidate: the best schedule of the
 * search without the newest override, with this override applied, as the form of `override` shows it. If
 * it costs less, it is the only start. */
static void begin(struct bw_polishing *polishing)
{
	struct bw_variants *other = overridden(polishing->search);
	if (other && bw_variants_cost(other) < polishing->end->beam[0]->cost) {
		add_start(polishing, 0, other);
		polishing->starts[0].polish.overridden = true;
		return;
	}
	bw_variants_end(other);
	add_families(polishing);
}

/* Polishes all starts. Returns the start that costs least after that; NULL if it was stopped. */
static struct bw_start *polish_all(struct bw_polishing *polishing)
{
	struct bw_start *best = NULL;
	for (int i = 0; i < polishing->n_starts; i++) {
		struct bw_start *start = &polishing->starts[i];
		double least = best ? bw_variants_cost(best->variants) : INFINITY;
		if (!bw_polish_start(polishing, start, least))
			return NULL;
		if (bw_variants_cost(start->variants) < least)
			best = start;
	}
	return best;
}

/* Puts the polished schedule first in the beam. The beam then has one more state: the former best state is
 * the second one. */
static void put_first(struct bw_position *end, const struct bw_start *found)
{
	const struct bw_state *of = end->beam[found->polish.from];
	struct bw_nest *nest = (struct bw_nest *)bw_variants_nest(found->variants);
	struct bw_state *state =
	    bw_state_new(of->parent, of->parent_rank, -1, nest, bw_variants_cost(found->variants));
	struct bw_child *children = (struct bw_child *)end->decision.children;
	state->position = of->position;
	state->structures[0] = of->structures[0];
	state->structures[1] = of->structures[1];
	end->beam = bw_resize_array(end->beam, (size_t)end->n + 1, sizeof *end->beam);
	end->ms = bw_resize_array(end->ms, (size_t)end->n + 1, sizeof *end->ms);
	for (int i = end->n++; i > 0; i--) {
		end->beam[i] = end->beam[i - 1];
		end->ms[i] = end->ms[i - 1];
	}
	end->beam[0] = state;
	end->ms[0] = NULL;
	for (int i = 0; i < end->decision.n_recorded; i++)
		children[i].kept += children[i].kept >= 0;
	end->decision.kept = end->n;
}

/* Under the learned model, tries again all Funcs that were tried before the last change. Returns false if
 * it was stopped. */
static bool make_sure(struct bw_polishing *polishing, struct bw_start *start)
{
	while (polishing->search->recall.basis && !polishing->cut && bw_exhausted_doubt(start->exhausted))
		if (!bw_polish_start(polishing, start, INFINITY))
			return false;
	return true;
}

/* Tries all Funcs again, either with the variants of plans that are tried at the end of polishing, or with
 * all other variants. Returns false if it was stopped. */
static bool try_anew(struct bw_polishing *polishing, struct bw_start *start, bool late)
{
	bw_exhausted_free(start->exhausted);
	start->exhausted = bw_exhausted_new(polishing->search->pipeline->n_funcs);
	bw_variants_late(start->variants, late, false);
	return bw_polish_start(polishing, start, INFINITY);
}

/* Continues with a start in which no single change lowers the cost any more: tries moves, then variants
 * that are tried late, and then, if these changed anything, single changes again. Returns false if it was
 * stopped. */
static bool polish_on(struct bw_polishing *polishing, struct bw_start *start)
{
	if (!bw_move_all(polishing, start) || !make_sure(polishing, start))
		return false;
	int n = start->polish.n;
	return try_anew(polishing, start, true) && bw_move_together(polishing, start) &&
	       (start->polish.n == n || try_anew(polishing, start, false));
}

/* Moves the record of a start that was polished to `polish`. */
static void take_record(struct bw_polishing *polishing, struct bw_start *start, struct bw_polish *polish)
{
	*polish = start->polish;
	polish->starts = polishing->n_starts;
	polish->priced = polishing->priced;
	polish->spared = polishing->spared;
	polish->cut = polishing->cut;
	polish->done = true;
	start->polish = (struct bw_polish){0};
	polish->tries = polishing->end ? polishing->tries : NULL;
	polishing->tries = NULL;
}

static void end(struct bw_polishing *polishing)
{
	for (int i = 0; i < polishing->n_starts; i++) {
		bw_polish_free(&polishing->starts[i].polish);
		bw_variants_end(polishing->starts[i].variants);
		bw_exhausted_free(polishing->starts[i].exhausted);
	}
	if (polishing->end)
		bw_tries_drop(polishing->tries);
	free(polishing->known);
}

bool bw_polish(const struct bw_search *search, struct bw_position *at)
{
	struct bw_polishing polishing = {
	    .search = search,
	    .tries = search->recall.basis ? NULL : bw_tries_new(search->pipeline->n_funcs),
	    .end = at,
	    .known = BW_NEW_ARRAY(unsigned char, search->pipeline->n_funcs)};
	begin(&polishing);
	struct bw_start *best = polish_all(&polishing);
	if (best && !polish_on(&polishing, best))
		best = NULL;
	if (best && (best->polish.n || best->polish.overridden))
		put_first(at, best);
	if (best)
		take_record(&polishing, best, &at->polish);
	end(&polishing);
	return best;
}

bool bw_search_improve(struct bw_search *search, struct bw_nest *nest, const struct bw_yield *yield,
		       struct bw_polish *polish, struct bw_nest **after)
{
	struct bw_polishing polishing = {
	    .search = search,
	    .tries = search->tries,
	    .known = BW_NEW_ARRAY(unsigned char, search->pipeline->n_funcs)};
	search->yield = yield;
	add_start(&polishing, 0, bw_variants_begin(search, nest, search->options.passes, false));
	struct bw_start *start = polishing.starts;
	bool done = bw_polish_start(&polishing, start, INFINITY) && polish_on(&polishing, start);
	if (done && after)
		*after = bw_nest_keep((struct bw_nest *)bw_variants_nest(start->variants));
	if (done)
		take_record(&polishing, start, polish);
	search->yield = NULL;
	end(&polishing);
	return done;
}

bool bw_search_otherwise(struct bw_search *search, struct bw_nest *nest, int func,
			 const struct bw_yield *yield, const struct bw_placement **placement, double *cost)
{
	struct bw_variants *variants = bw_variants_begin(search, nest, search->options.passes, true);
	int place = 0, n;
	while (bw_variants_func(variants, place) != func)
		place++;
	bool done = bw_variants_turn(variants, place, yield);
	int best = done ? best_variant(variants) : -1;
	*placement = best >= 0 ? bw_placement_keep(bw_variants_list(variants, &n)[best].placement) : NULL;
	*cost = best >= 0 ? bw_variants_list(variants, &n)[best].cost : 0;
	bw_variants_end(variants);
	return done;
}
