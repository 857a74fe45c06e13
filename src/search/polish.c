/* Polishing: after the last pass the best schedules are changed in one Func at a time, while that lowers
 * the cost: the best one of each family (bw_nest_family), since no change of a single Func leads from one
 * to the other. What a Func can be changed to are its variants (search/variants.h), with nothing left to a
 * draw. Where no variant of any Func costs less, one is taken all the same that puts a costly Func at another
 * site, and what is next to that Func follows; it is kept if the cost is less in the end. After the last of
 * these moves no single change lowers the predicted cost. */
#include "search/polish.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/variants.h"

/* Schedules that polishing begins with, at most; and how much of the least cost one of them may have. */
enum { MOST_STARTS = 3 };
static const double worth_a_start = 1.05;
/* Moves that raise the cost at first (move_all): the share of the cost that a Func next to the moved one must
 * have, and how many times the cost may be paid meanwhile. */
static const double worth_a_move = 0.03, dearest_move = 2;
/* How many Funcs are tried after a move; how many Funcs the schedules that are priced for moves have
 * together, before the last one. */
enum { MOST_TRIED = 30, MOST_FUNCS = 100000 };

/* A schedule that polishing begins with, and what it becomes. */
struct start {
	struct bw_variants *variants;
	struct bw_polish polish; /* what was done */
};

/* What is known of a Func. */
enum {
	SUSPECT = 1, /* a Func next to it, or itself, was changed since it was tried last */
	SETTLED = 2, /* it was tried since the last change of any, and no variant of it costs less */
	VISITED = 4, /* by suspect_around */
};

struct polishing {
	const struct bw_search *search;
	struct bw_reached *end;
	int n_starts;
	struct start starts[MOST_STARTS];
	unsigned char *known; /* by Func, of the start at hand */
	long priced;          /* in all */
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

static void add_start(struct polishing *polishing, int rank, struct bw_variants *variants)
{
	polishing->starts[polishing->n_starts++] = (struct start){variants, .polish.from = rank};
}

/* Adds the best schedules of the beam, one of each family. */
static void add_families(struct polishing *polishing)
{
	const struct bw_search *search = polishing->search;
	const struct bw_reached *end = polishing->end;
	uint64_t families[MOST_STARTS];
	for (int i = 0; i < end->n && polishing->n_starts < MOST_STARTS; i++) {
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

/* Begins with the best schedules of the beam; or, if that costs less, with the best one without the newest
 * override, which the form of `override` has shown. */
static void begin(struct polishing *polishing)
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

static bool is_inlined(const struct bw_nest *nest, int func)
{
	return nest->placed[func] && nest->placed[func]->placement->compute.kind == BW_SITE_INLINE;
}

/* Suspects a Func, what it reads and what reads it; of these, the inlined ones likewise. */
static void suspect_around(struct polishing *polishing, const struct bw_nest *nest, int func)
{
	const struct bw_func *of = &nest->pipeline->funcs[func];
	unsigned char *known = polishing->known;
	known[func] |= SUSPECT | VISITED;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		bool next = false;
		for (int c = 0; c < of->n_consumers && !next; c++)
			next = of->consumers[c]->func == f;
		for (int s = 0; s < of->n_stages && !next; s++)
			next = bw_stage_read_of(&of->stages[s], f);
		bool through = next && is_inlined(nest, f) && !(known[f] & VISITED);
		known[f] |= next ? SUSPECT : 0;
		if (through)
			suspect_around(polishing, nest, f);
	}
}

/* Suspects the Funcs whose best placement is likely to be another one because a Func is, or will be,
 * changed in this schedule: those next to it. No Func is settled any more. */
static void suspect(struct polishing *polishing, const struct bw_nest *nest, int func)
{
	suspect_around(polishing, nest, func);
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		polishing->known[f] &= SUSPECT;
}

/* Makes a change. */
static void change(struct polishing *polishing, struct start *start, int number)
{
	struct bw_polish *polish = &start->polish;
	int n;
	const struct bw_variant *variant = &bw_variants_list(start->variants, &n)[number];
	const struct bw_nest *nest = bw_variants_nest(start->variants);
	int func = variant->placement->func;
	BW_GROW(polish->steps, polish->n, polish->capacity);
	polish->steps[polish->n++] =
	    (struct bw_polish_step){.from = bw_placement_keep(nest->placed[func]->placement),
				    .to = bw_placement_keep(variant->placement),
				    .before = bw_variants_cost(start->variants),
				    .after = variant->cost};
	suspect(polishing, nest, func);
	bw_variants_take(start->variants, number);
	suspect(polishing, bw_variants_nest(start->variants), func);
}

/* Makes the best change of one Func, if any lowers the cost. Returns false if it was stopped. */
static bool polish_func(struct polishing *polishing, struct start *start, int place)
{
	struct bw_variants *variants = start->variants;
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
		polishing->priced++;
		if (list[i].allowed && list[i].cost < least) {
			best = i;
			least = list[i].cost;
		}
	}
	if (best >= 0)
		change(polishing, start, best);
	else
		polishing->known[bw_variants_func(variants, place)] = SETTLED;
	return true;
}

/* Returns the next place in a circle whose Func has these `bits` of what is known `as` they are given; -1
 * if there is none. */
static int find_next(const struct polishing *polishing, const struct start *start, int place, int bits,
		     int as)
{
	int n = bw_variants_funcs(start->variants);
	for (int i = 1; i <= n; i++)
		if ((polishing->known[bw_variants_func(start->variants, (place + i) % n)] & bits) == as)
			return (place + i) % n;
	return -1;
}

/* Tries one Func after the other, until all of them are settled: those that are suspect first, then the
 * others. A Func that was changed is suspect, too: other tilings are near now. A start that costs no less
 * than `best` after one round is given up. Returns false if it was stopped. */
static bool settle(struct polishing *polishing, struct start *start, double best)
{
	int n = bw_variants_funcs(start->variants), tried = 0;
	for (int place = 0; place >= 0 && !(tried == n && bw_variants_cost(start->variants) >= best); tried++) {
		if (!polish_func(polishing, start, place))
			return false;
		int next = find_next(polishing, start, place, SUSPECT, SUSPECT);
		place = next >= 0 ? next : find_next(polishing, start, place, SETTLED, 0);
	}
	return true;
}

static bool polish_start(struct polishing *polishing, struct start *start, double best)
{
	memset(polishing->known, SUSPECT, (size_t)polishing->search->pipeline->n_funcs);
	return settle(polishing, start, best);
}

/* Polishes all starts. Returns the one that costs least in the end; NULL if it was stopped. */
static struct start *polish_all(struct polishing *polishing)
{
	struct start *best = NULL;
	for (int i = 0; i < polishing->n_starts; i++) {
		struct start *start = &polishing->starts[i];
		double least = best ? bw_variants_cost(best->variants) : INFINITY;
		if (!polish_start(polishing, start, least))
			return NULL;
		if (bw_variants_cost(start->variants) < least)
			best = start;
	}
	return best;
}

/* Puts what was found before the others of the beam, which then holds one state more: the one that was best
 * before stays the second. */
static void put_first(struct bw_reached *end, const struct start *found)
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

/* Moves of a Func to another site that raise the cost at first: one for each site, the cheapest one there. */
enum { MOST_MOVES = 8 };
struct moves {
	int n;
	struct move {
		const struct bw_placement *placement; /* with a reference */
		double cost;
	} list[MOST_MOVES];
};

/* Adds a move, or puts it in the place of a dearer one to the same site. Those to the site where the Func is
 * are not of interest. */
static void add_move(struct moves *moves, const struct bw_placement *now, const struct bw_variant *variant)
{
	const struct bw_site *site = &variant->placement->compute;
	int at = 0;
	if (bw_site_equal(site, &now->compute))
		return;
	while (at < moves->n && !bw_site_equal(site, &moves->list[at].placement->compute))
		at++;
	if (at == MOST_MOVES || (at < moves->n && moves->list[at].cost <= variant->cost))
		return;
	if (at < moves->n)
		bw_placement_drop(moves->list[at].placement);
	else
		moves->n++;
	moves->list[at] = (struct move){bw_placement_keep(variant->placement), variant->cost};
}

/* Lists the moves of a Func after which a schedule costs at most `most`. Returns false if it was stopped. */
static bool find_moves(struct polishing *polishing, const struct start *start, int place, double most,
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
	BW_GROW(polish->steps, polish->n, polish->capacity);
	polish->steps[polish->n++] =
	    (struct bw_polish_step){bw_placement_keep(from), bw_placement_keep(to), before, after};
}

/* Tries the Funcs that are suspect, at most so many, while the schedule costs at least `cost`. Returns false
 * if it was stopped. */
static bool follow(struct polishing *polishing, struct start *start, double cost, int most)
{
	for (int place = 0, tried = 0; tried < most && bw_variants_cost(start->variants) >= cost; tried++) {
		place = find_next(polishing, start, place, SUSPECT, SUSPECT);
		if (place < 0)
			return true;
		if (!polish_func(polishing, start, place))
			return false;
	}
	return true;
}

/* Makes a move, and polishes the Funcs around it until the schedule costs less than before, which it then
 * is, or nothing more helps. Returns false if it was stopped. */
static bool try_move(struct polishing *polishing, struct start *start, const struct move *move, bool *took)
{
	const struct bw_search *search = polishing->search;
	int func = move->placement->func;
	double cost = bw_variants_cost(start->variants);
	const struct bw_nest *now = bw_variants_nest(start->variants);
	struct bw_nest *nest = bw_variants_changed(start->variants, move->placement);
	struct start trial = {.variants = bw_variants_begin(search, nest, search->options.passes, false)};
	add_step(&trial.polish, now->placed[func]->placement, move->placement, cost,
		 bw_variants_cost(trial.variants));
	memset(polishing->known, 0, (size_t)search->pipeline->n_funcs);
	suspect(polishing, nest, func);
	bw_nest_drop(nest);
	bool done = follow(polishing, &trial, cost, MOST_TRIED);
	*took = done && bw_variants_cost(trial.variants) < cost;
	if (*took) {
		struct bw_variants *old = start->variants;
		for (int i = 0; i < trial.polish.n; i++) {
			const struct bw_polish_step *step = &trial.polish.steps[i];
			add_step(&start->polish, step->from, step->to, step->before, step->after);
		}
		start->variants = trial.variants;
		trial.variants = old;
	}
	bw_polish_free(&trial.polish);
	bw_variants_end(trial.variants);
	return done;
}

/* A Func that a move may gain from: itself, or a Func next to it, costs so much. */
struct heavy {
	int place;
	double cost;
};

static int by_cost(const void *a, const void *b)
{
	const struct heavy *x = a, *y = b;
	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Lists the Funcs next to those whose stages cost much, the costliest first. Returns how many there are. */
static int find_heavy(struct polishing *polishing, const struct start *start, struct heavy *list)
{
	const struct bw_nest *nest = bw_variants_nest(start->variants);
	const struct bw_pipeline *pipeline = nest->pipeline;
	double *most = BW_NEW_ARRAY(double, pipeline->n_funcs);
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		double cost = 0;
		for (int s = 0; s < pipeline->funcs[f].n_stages && !pipeline->funcs[f].input; s++)
			cost += bw_variants_ms(start->variants)[pipeline->funcs[f].first_stage + s];
		if (cost < worth_a_move * bw_variants_cost(start->variants))
			continue;
		memset(polishing->known, 0, (size_t)pipeline->n_funcs);
		suspect_around(polishing, nest, f);
		for (int k = 0; k < pipeline->n_funcs; k++)
			most[k] = polishing->known[k] & SUSPECT && cost > most[k] ? cost : most[k];
	}
	for (int place = 0; place < bw_variants_funcs(start->variants); place++)
		if (most[bw_variants_func(start->variants, place)] > 0)
			list[n++] = (struct heavy){place, most[bw_variants_func(start->variants, place)]};
	qsort(list, (size_t)n, sizeof *list, by_cost);
	free(most);
	return n;
}

/* Makes the first move of a Func that gains something in the end, and what follows from it. Returns false if
 * it was stopped. */
static bool move_func(struct polishing *polishing, struct start *start, int place, bool *took)
{
	struct moves moves = {0};
	bool done = find_moves(polishing, start, place, dearest_move * bw_variants_cost(start->variants), &moves);
	for (int i = 0; done && !*took && i < moves.n; i++)
		done = try_move(polishing, start, &moves.list[i], took);
	for (int i = 0; i < moves.n; i++)
		bw_placement_drop(moves.list[i].placement);
	return done && (!*took || follow(polishing, start, 0, INT_MAX));
}

/* Where no change of a single Func lowers the cost any more, moves a Func to another site all the same, and
 * lets the Funcs around it follow. What is gained is settled again. Returns false if it was stopped. */
static bool move_all(struct polishing *polishing, struct start *start)
{
	struct heavy *heavy = BW_NEW_ARRAY(struct heavy, polishing->search->pipeline->n_funcs);
	int n = find_heavy(polishing, start, heavy);
	long limit = polishing->priced + MOST_FUNCS / bw_variants_funcs(start->variants);
	bool done = true, any = false;
	for (int i = 0; done && i < n && polishing->priced < limit; i++) {
		bool took = false;
		done = move_func(polishing, start, heavy[i].place, &took);
		any |= took;
	}
	free(heavy);
	return done && (!any || polish_start(polishing, start, INFINITY));
}

bool bw_polish(const struct bw_search *search, struct bw_reached *end)
{
	struct polishing polishing = {
	    .search = search, .end = end, .known = BW_NEW_ARRAY(unsigned char, search->pipeline->n_funcs)};
	begin(&polishing);
	struct start *best = polish_all(&polishing);
	if (best && !move_all(&polishing, best))
		best = NULL;
	if (best && (best->polish.n || best->polish.overridden))
		put_first(end, best);
	if (best) {
		best->polish.starts = polishing.n_starts;
		best->polish.priced = polishing.priced;
		best->polish.done = true;
		end->polish = best->polish;
		best->polish = (struct bw_polish){0};
	}
	for (int i = 0; i < polishing.n_starts; i++) {
		bw_polish_free(&polishing.starts[i].polish);
		bw_variants_end(polishing.starts[i].variants);
	}
	free(polishing.known);
	return best;
}
