/* Polishing: after the last pass the best schedule is changed in one Func at a time, while that lowers its
 * cost. What a Func can be changed to are its variants (search/variants.h), with nothing left to a draw. A
 * round that changes nothing is the last one: then no single change lowers the predicted cost. */
#include "search/polish.h"

#include <math.h>
#include <stdlib.h>

#include "search/variants.h"

struct bw_polisher {
	struct bw_reached *end;
	struct bw_variants *variants;
	int place;   /* of the Func that is tried */
	int settled; /* Funcs in a row that no change of theirs lowers the cost */
	int next;    /* variant to be priced */
	int best;    /* that lowers the cost most so far, -1: none does */
	double best_cost;
};

/* Turns to the Func at hand. */
static void turn(struct bw_polisher *polisher)
{
	polisher->next = 0;
	polisher->best = -1;
	polisher->best_cost = bw_variants_cost(polisher->variants);
	bw_variants_turn(polisher->variants, polisher->place);
}

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
	bw_variants_turn(variants, place);
	while (!bw_variants_enumerate(variants))
		;
	bool so = bw_constraint_names(override, nest->placed[func]->placement);
	int best = so ? -1 : best_variant(variants);
	if (best >= 0)
		bw_variants_take(variants, best);
	if (best >= 0 || so)
		return variants;
	bw_variants_end(variants);
	return NULL;
}

/* Begins with the best schedule: that of the beam, or the best without the newest override, which the form of
 * `override` has shown. */
static void begin(struct bw_polisher *polisher, const struct bw_search *search)
{
	const struct bw_state *best = polisher->end->beam[0];
	struct bw_variants *other = overridden(search);
	if (other && bw_variants_cost(other) < best->cost) {
		polisher->variants = other;
		polisher->end->polish.overridden = true;
		return;
	}
	bw_variants_end(other);
	polisher->variants = bw_variants_begin(search, best->nest, search->options.passes, false);
}

struct bw_polisher *bw_polisher_begin(const struct bw_search *search, struct bw_reached *end)
{
	struct bw_polisher *polisher = BW_NEW(struct bw_polisher);
	polisher->end = end;
	begin(polisher, search);
	turn(polisher);
	return polisher;
}

/* Prices a variant, and keeps it in mind if it is the best so far. */
static void price(struct bw_polisher *polisher, int number)
{
	int n;
	bw_variants_price(polisher->variants, number, polisher->best_cost);
	const struct bw_variant *variant = &bw_variants_list(polisher->variants, &n)[number];
	polisher->end->polish.priced++;
	if (variant->allowed && variant->cost < polisher->best_cost) {
		polisher->best = number;
		polisher->best_cost = variant->cost;
	}
}

/* Makes the best change. */
static void change(struct bw_polisher *polisher)
{
	struct bw_polish *polish = &polisher->end->polish;
	int n;
	const struct bw_variant *variant = &bw_variants_list(polisher->variants, &n)[polisher->best];
	const struct bw_placed *now = bw_variants_nest(polisher->variants)->placed[variant->placement->func];
	BW_GROW(polish->steps, polish->n, polish->capacity);
	polish->steps[polish->n++] = (struct bw_polish_step){.from = bw_placement_keep(now->placement),
							     .to = bw_placement_keep(variant->placement),
							     .before = bw_variants_cost(polisher->variants),
							     .after = polisher->best_cost};
	bw_variants_take(polisher->variants, polisher->best);
}

/* All variants of the Func are priced: the best change is made, and the next Func is tried. */
static void settle(struct bw_polisher *polisher)
{
	if (polisher->best >= 0)
		change(polisher);
	/* A Func that was changed is tried again, too: other tilings are near now. */
	polisher->settled = polisher->best >= 0 ? 0 : polisher->settled + 1;
	polisher->place = (polisher->place + 1) % bw_variants_funcs(polisher->variants);
	if (polisher->settled < bw_variants_funcs(polisher->variants))
		turn(polisher);
}

bool bw_polisher_step(struct bw_polisher *polisher)
{
	int n;
	if (polisher->settled == bw_variants_funcs(polisher->variants))
		return true;
	if (!bw_variants_enumerate(polisher->variants))
		return false;
	bw_variants_list(polisher->variants, &n);
	if (polisher->next < n)
		price(polisher, polisher->next++);
	else
		settle(polisher);
	return false;
}

/* Puts what was found before the others of the beam, which then holds one state more: the one that was best
 * before stays the second. */
static void put_first(const struct bw_polisher *polisher)
{
	struct bw_reached *end = polisher->end;
	const struct bw_state *best = end->beam[0];
	struct bw_nest *nest = (struct bw_nest *)bw_variants_nest(polisher->variants);
	struct bw_state *state =
	    bw_state_new(best->parent, best->parent_rank, -1, nest, bw_variants_cost(polisher->variants));
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

void bw_polisher_end(struct bw_polisher *polisher)
{
	if (!polisher)
		return;
	bool done = polisher->settled == bw_variants_funcs(polisher->variants);
	if (done && (polisher->end->polish.n || polisher->end->polish.overridden))
		put_first(polisher);
	polisher->end->polish.done = done;
	bw_variants_end(polisher->variants);
	free(polisher);
}

void bw_polish_free(struct bw_polish *polish)
{
	for (int i = 0; i < polish->n; i++) {
		bw_placement_drop(polish->steps[i].from);
		bw_placement_drop(polish->steps[i].to);
	}
	free(polish->steps);
}

const struct bw_polish *bw_search_polish(const struct bw_search *search, int position)
{
	const struct bw_polish *polish = &search->reached[position]->polish;
	return polish->done ? polish : NULL;
}
