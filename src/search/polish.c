/* Polishing: after the last pass the best schedule is changed in one Func at a time, while that lowers its
 * cost. What a Func can be changed to are its variants (search/variants.h), with nothing left to a draw. A
 * round that changes nothing is the last one: then no single change lowers the predicted cost. */
#include "search/polish.h"

#include <math.h>
#include <stdlib.h>

#include "search/variants.h"

struct polishing {
	const struct bw_search *search;
	struct bw_reached *end;
	struct bw_variants *variants;
	struct bw_polish polish; /* what was done */
};

/* Returns the number of the best variant of the Func that is turned to; -1 if none is allowed. */
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

/* Returns the variants of the best schedule without the newest override, which is made in it; NULL if that
 * cannot be. */
static struct bw_variants *overridden(const struct bw_search *search)
{
	if (!search->without)
		return NULL;
	const struct bw_constraint *override =
	    &search->constraints.list[bw_constraints_newest_override(&search->constraints)];
	struct bw_nest *nest = search->without->reached[search->without->n_decisions]->beam[0]->nest;
	int pass = search->options.passes, place = 0, func = override->placement->func;
	if (!bw_constraint_applies(override, pass))
		return NULL;
	struct bw_variants *variants = bw_variants_begin(search, nest, pass, false);
	while (bw_variants_func(variants, place) != func)
		place++;
	bool so = bw_constraint_names(override, nest->placed[func]->placement);
	int best = !so && bw_variants_turn(variants, place, NULL) ? best_variant(variants) : -1;
	if (best >= 0)
		bw_variants_take(variants, best);
	if (best >= 0 || so)
		return variants;
	bw_variants_end(variants);
	return NULL;
}

/* Begins with the best schedule: that of the beam, or the best without the newest override, which the form of
 * `override` has shown. */
static void begin(struct polishing *polishing)
{
	const struct bw_search *search = polishing->search;
	const struct bw_state *best = polishing->end->beam[0];
	struct bw_variants *other = overridden(search);
	if (other && bw_variants_cost(other) < best->cost) {
		polishing->variants = other;
		polishing->polish.overridden = true;
		return;
	}
	bw_variants_end(other);
	polishing->variants = bw_variants_begin(search, best->nest, search->options.passes, false);
}

/* Makes a change. */
static void change(struct polishing *polishing, int number)
{
	struct bw_polish *polish = &polishing->polish;
	int n;
	const struct bw_variant *variant = &bw_variants_list(polishing->variants, &n)[number];
	const struct bw_placed *now = bw_variants_nest(polishing->variants)->placed[variant->placement->func];
	BW_GROW(polish->steps, polish->n, polish->capacity);
	polish->steps[polish->n++] = (struct bw_polish_step){.from = bw_placement_keep(now->placement),
							     .to = bw_placement_keep(variant->placement),
							     .before = bw_variants_cost(polishing->variants),
							     .after = variant->cost};
	bw_variants_take(polishing->variants, number);
}

/* Makes the best change of one Func, if any lowers the cost: *changed. Returns false if it was stopped. */
static bool polish_func(struct polishing *polishing, int place, bool *changed)
{
	struct bw_variants *variants = polishing->variants;
	const struct bw_yield *yield = polishing->search->yield;
	int n, best = -1;
	double least = bw_variants_cost(variants);
	if (!bw_variants_turn(variants, place, yield))
		return false;
	const struct bw_variant *list = bw_variants_list(variants, &n);
	for (int i = 0; i < n; i++) {
		if (!bw_yield(yield))
			return false;
		bw_variants_price(variants, i, least);
		polishing->polish.priced++;
		if (list[i].allowed && list[i].cost < least) {
			best = i;
			least = list[i].cost;
		}
	}
	*changed = best >= 0;
	if (best >= 0)
		change(polishing, best);
	return true;
}

/* Tries one Func after the other, until none of them is changed any more. A Func that was changed is tried
 * again, too: other tilings are near now. Returns false if it was stopped. */
static bool polish_all(struct polishing *polishing)
{
	int n = bw_variants_funcs(polishing->variants);
	for (int place = 0, settled = 0; settled < n; place = (place + 1) % n) {
		bool changed;
		if (!polish_func(polishing, place, &changed))
			return false;
		settled = changed ? 0 : settled + 1;
	}
	return true;
}

/* Puts what was found before the others of the beam, which then holds one state more: the one that was best
 * before stays the second. */
static void put_first(const struct polishing *polishing)
{
	struct bw_reached *end = polishing->end;
	const struct bw_state *best = end->beam[0];
	struct bw_nest *nest = (struct bw_nest *)bw_variants_nest(polishing->variants);
	struct bw_state *state =
	    bw_state_new(best->parent, best->parent_rank, -1, nest, bw_variants_cost(polishing->variants));
	struct bw_child *children = (struct bw_child *)end->decision.children;
	state->position = best->position;
	state->structures[0] = best->structures[0];
	state->structures[1] = best->structures[1];
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

bool bw_polish(const struct bw_search *search, struct bw_reached *end)
{
	struct polishing polishing = {.search = search, .end = end};
	begin(&polishing);
	bool done = polishing.polish.done = polish_all(&polishing);
	if (done && (polishing.polish.n || polishing.polish.overridden))
		put_first(&polishing);
	if (done)
		end->polish = polishing.polish;
	else
		bw_polish_free(&polishing.polish);
	bw_variants_end(polishing.variants);
	return done;
}
