/* Polishing: after the last pass, changes the best schedules one Func at a time as long as the cost
 * falls. It starts from the best schedule of each family (bw_nest_family), since no change of a single
 * Func leads from one family to another. A Func is changed to one of its variants (search/variants.h),
 * which are not sampled. When no variant of any Func costs less, a costly Func is put at another site or
 * tiled otherwise although the cost rises, and the Funcs next to it are polished; the result is kept if
 * it costs less. After the last of these moves no single change lowers the predicted cost. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/polishing.h"

/* Polishing begins with schedules that cost at most this many times the least cost. */
static const double worth_a_start = 1.05;
/* A change that leaves more than this share of the cost gains little: the Funcs next to the changed one
 * then wait for their turn. */
static const double small_gain = 0.99;
/* The work limit, after which polishing ends early: variants priced, times the Funcs of each; some
 * seconds. Bundled pipelines need at most half of it (local_laplacian in five passes). */
static const double most_work = 6e6;
/* How many Funcs are tried after a move. */
enum { MOST_TRIED = 30 };

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

/* Changes one Func of a schedule as a constraint of the search says, and returns the variants of the result;
 * NULL if that is impossible. */
static struct bw_variants *changed_so(const struct bw_search *search, const struct bw_constraint *constraint,
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

/* Applies the newest override to the best schedule of the search without it, and returns the variants of
 * the result; NULL if that is impossible. */
static struct bw_variants *overridden(const struct bw_search *search)
{
	const struct bw_search *without = search->without;
	const struct bw_constraints *constraints = &search->constraints;
	return without ? changed_so(search, &constraints->list[bw_constraints_newest_override(constraints)],
				    without->reached[without->n_decisions]->beam[0]->nest)
		       : NULL;
}

void bw_search_suffice(struct bw_search *search, double cost)
{
	search->enough = cost;
}

/* Returns a fork of a branch that holds each Func that it has not decided yet as in `nest`, except those let
 * go. */
static struct bw_search *fork_like(const struct bw_search *branch, const struct bw_nest *nest,
				   const bool *let_go)
{
	const struct bw_constraints *old = &branch->constraints;
	BW_SCOPED_MEMORY struct bw_constraint *list =
	    BW_NEW_ARRAY(struct bw_constraint, old->n + branch->pipeline->n_funcs);
	struct bw_constraints with = {.list = list, .n_free = old->n_free, .free = old->free};
	for (; with.n < old->n; with.n++)
		list[with.n] = old->list[with.n];
	int decided = bw_search_reached(branch), pass = bw_search_pass(branch, decided);
	for (int d = decided; d < bw_search_pass_end(branch, pass); d++) {
		int func = branch->plan[d].func;
		if (branch->plan[d].phase == BW_PHASE_WHERE && !let_go[func] && !bw_constraint_on(old, func, pass))
			list[with.n++] = (struct bw_constraint){.placement = nest->placed[func]->placement,
								.sizes = true,
								.source = BW_CONSTRAINT_ACCEPT};
	}
	struct bw_search *fork = bw_search_fork(branch, NULL, &with);
	fork->enough = INFINITY;
	return fork;
}

/* Goes on with a branch as in `nest`, and decides anew the Funcs that cannot be placed as there. Returns the
 * schedule at the end, for bw_nest_drop; NULL if there is none or it was stopped. */
static struct bw_nest *follow_nest(const struct bw_search *branch, const struct bw_nest *nest,
				   const struct bw_yield *yield)
{
	BW_SCOPED_MEMORY bool *let_go = BW_NEW_ARRAY(bool, nest->pipeline->n_funcs);
	struct bw_error ignored;
	enum bw_search_status status;
	bool held;
	struct bw_nest *found = NULL;
	do {
		struct bw_search *fork = fork_like(branch, nest, let_go);
		status = bw_search_advance(fork, fork->n_decisions, yield, &ignored);
		int at = bw_search_reached(fork), func = at < fork->n_decisions ? fork->plan[at].func : 0;
		held = !let_go[func];
		let_go[func] = true;
		if (status == BW_SEARCH_DONE)
			found = bw_nest_keep(fork->reached[fork->n_decisions]->beam[0]->nest);
		bw_search_free(fork);
	} while (status == BW_SEARCH_DEAD && held);
	return found;
}

struct bw_nest *bw_search_branch_nest(const struct bw_search *branch, const struct bw_search *search,
				      const struct bw_yield *yield, double *cost)
{
	const struct bw_constraints *constraints = &branch->constraints;
	struct bw_nest *best = search->reached[search->n_decisions]->beam[0]->nest;
	struct bw_variants *variants =
	    constraints->n > search->constraints.n
		? changed_so(branch, &constraints->list[constraints->n - 1], best)
		: NULL;
	struct bw_nest *nest = variants ? bw_nest_keep((struct bw_nest *)bw_variants_nest(variants))
					: follow_nest(branch, best, yield);
	if (!variants && nest)
		variants = bw_variants_begin(branch, nest, branch->options.passes, false);
	*cost = variants ? bw_variants_cost(variants) : INFINITY;
	bw_variants_end(variants);
	return nest;
}

static void add_start(struct bw_polishing *polishing, int rank, struct bw_variants *variants)
{
	struct bw_exhausted *exhausted = bw_exhausted_new(polishing->search->pipeline->n_funcs);
	polishing->starts[polishing->n_starts++] = (struct bw_start){variants, exhausted, .polish.from = rank};
}

/* Adds the best schedules of the beam, one of each family. */
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

/* Begins with the best schedules of the beam; or, if it costs less, with the best schedule without the
 * newest override, after applying the override, as the form of `override` has shown it. */
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

void bw_suspect_around(struct bw_polishing *polishing, const struct bw_nest *nest, int func)
{
	const struct bw_func *of = &nest->pipeline->funcs[func];
	unsigned char *known = polishing->known;
	known[func] |= BW_SUSPECT | BW_VISITED;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		bool next = false;
		for (int c = 0; c < of->n_consumers && !next; c++)
			next = of->consumers[c]->func == f;
		for (int s = 0; s < of->n_stages && !next; s++)
			next = bw_stage_read_of(&of->stages[s], f);
		bool through = next && bw_is_inlined(nest, f) && !(known[f] & BW_VISITED);
		known[f] |= next ? BW_SUSPECT : 0;
		if (through)
			bw_suspect_around(polishing, nest, f);
	}
}

/* Marks a changed Func as suspect, and no Func as settled. */
static void unsettle(struct bw_polishing *polishing, int func)
{
	polishing->known[func] |= BW_SUSPECT;
	for (int f = 0; f < polishing->search->pipeline->n_funcs; f++)
		polishing->known[f] &= BW_SUSPECT;
}

void bw_suspect(struct bw_polishing *polishing, const struct bw_nest *nest, int func)
{
	bw_suspect_around(polishing, nest, func);
	unsettle(polishing, func);
}

/* Makes a change. */
static void change(struct bw_polishing *polishing, struct bw_start *start, int number)
{
	struct bw_polish *polish = &start->polish;
	int n;
	const struct bw_variant *variant = &bw_variants_list(start->variants, &n)[number];
	BW_SCOPED_NEST *nest = bw_nest_keep((struct bw_nest *)bw_variants_nest(start->variants));
	int func = variant->placement->func;
	BW_PUSH(polish->steps, polish->n, polish->capacity,
		(struct bw_polish_step){.from = bw_placement_keep(nest->placed[func]->placement),
					.to = bw_placement_keep(variant->placement),
					.before = bw_variants_cost(start->variants),
					.after = variant->cost});
	bool much = variant->cost < small_gain * bw_variants_cost(start->variants);
	if (much)
		bw_suspect(polishing, nest, func);
	bw_variants_take(start->variants, number);
	if (much)
		bw_suspect(polishing, bw_variants_nest(start->variants), func);
	unsettle(polishing, func);
	bw_exhausted_change(start->exhausted, nest, bw_variants_nest(start->variants));
}

/* Finds the current Func's variant that lowers the cost most; *best: its number, -1 if none does. Returns
 * false if it was stopped. */
static bool find_best(struct bw_polishing *polishing, struct bw_variants *variants, int *best)
{
	double least = bw_variants_cost(variants);
	int n;
	const struct bw_variant *list = bw_variants_list(variants, &n);
	for (int i = 0; i < n; i++) {
		if (!bw_yield(polishing->search->yield))
			return false;
		bw_variants_price(variants, i, least);
		polishing->priced++;
		if (list[i].allowed && list[i].cost < least) {
			*best = i;
			least = list[i].cost;
		}
	}
	return true;
}

/* Finds the best change of one Func. *best: its number; -1 if none lowers the cost, and the Func is then
 * exhausted. A branch does not try a Func that the search tried in vain in a schedule that is the same
 * around it; the limits count it as tried, so that the result is the same. Returns false if it was
 * stopped. */
static bool try_func(struct bw_polishing *polishing, struct bw_start *start, int place, int *best)
{
	struct bw_variants *variants = start->variants;
	int func = bw_variants_func(variants, place);
	const struct bw_try *vain = polishing->end ? NULL : bw_tries_find(polishing->tries, variants, place);
	if (vain) {
		bw_exhausted_put(start->exhausted, func, vain->set);
		polishing->priced += vain->priced;
		polishing->spared += vain->priced;
		return true;
	}
	if (!bw_variants_turn(variants, place, polishing->search->yield) ||
	    !find_best(polishing, variants, best))
		return false;
	if (*best < 0) {
		bw_tries_add(polishing->tries, variants, place);
		bw_exhausted_add(start->exhausted, variants, func);
	}
	return true;
}

/* Makes the best change of one Func, if any lowers the cost. Skips a Func that was tried without gain.
 * Returns false if it was stopped. */
static bool polish_func(struct bw_polishing *polishing, struct bw_start *start, int place)
{
	int best = -1, func = bw_variants_func(start->variants, place);
	if (!bw_exhausted_has(start->exhausted, func) && !try_func(polishing, start, place, &best))
		return false;
	if (best >= 0)
		change(polishing, start, best);
	else
		polishing->known[func] = BW_SETTLED;
	return true;
}

/* Returns the next place, in a circle, whose Func's known `bits` equal `as`; -1 if there is none. */
static int find_next(const struct bw_polishing *polishing, const struct bw_start *start, int place, int bits,
		     int as)
{
	int n = bw_variants_funcs(start->variants);
	for (int i = 1; i <= n; i++)
		if ((polishing->known[bw_variants_func(start->variants, (place + i) % n)] & bits) == as)
			return (place + i) % n;
	return -1;
}

/* Tries one Func after the other until all are settled, suspects first. A changed Func is suspect, too:
 * other tilings are near now. Gives up a start that costs no less than `best` after one round, and all
 * starts once the work limit is reached. Returns false if it was stopped. */
static bool settle(struct bw_polishing *polishing, struct bw_start *start, double best)
{
	int n = bw_variants_funcs(start->variants), tried = 0;
	for (int place = 0; place >= 0 && !(tried == n && bw_variants_cost(start->variants) >= best); tried++) {
		polishing->cut = (double)polishing->priced * n > most_work ||
				 bw_variants_cost(start->variants) < polishing->search->enough;
		if (polishing->cut)
			return true;
		if (!polish_func(polishing, start, place))
			return false;
		int next = find_next(polishing, start, place, BW_SUSPECT, BW_SUSPECT);
		place = next >= 0 ? next : find_next(polishing, start, place, BW_SETTLED, 0);
	}
	return true;
}

/* Returns true if a schedule costs no less than `from`, the schedule before a move, and differs from it:
 * no change of a single Func improves `from`. Always true if `from` is NULL. */
static bool is_underway(const struct bw_start *start, const struct bw_start *from)
{
	return !from || (bw_variants_cost(start->variants) >= bw_variants_cost(from->variants) &&
			 bw_variants_nest(start->variants)->hash != bw_variants_nest(from->variants)->hash);
}

bool bw_follow(struct bw_polishing *polishing, struct bw_start *start, const struct bw_start *from)
{
	const int most = from ? MOST_TRIED : INT_MAX;
	for (int place = 0, tried = 0; tried < most && is_underway(start, from); tried++) {
		place = find_next(polishing, start, place, BW_SUSPECT, BW_SUSPECT);
		if (place < 0)
			return true;
		if (!polish_func(polishing, start, place))
			return false;
	}
	return true;
}

bool bw_polish_start(struct bw_polishing *polishing, struct bw_start *start, double best)
{
	memset(polishing->known, BW_SUSPECT, (size_t)polishing->search->pipeline->n_funcs);
	return settle(polishing, start, best);
}

/* Polishes all starts. Returns the one that costs least in the end; NULL if it was stopped. */
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

/* Puts the polished schedule first in the beam, which then holds one state more: the formerly best state
 * becomes the second. */
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

/* Under the learned model, tries all Funcs once more that were tried before the last change. Returns false
 * if it was stopped. */
static bool make_sure(struct bw_polishing *polishing, struct bw_start *start)
{
	while (polishing->search->recall.basis && !polishing->cut && bw_exhausted_doubt(start->exhausted))
		if (!bw_polish_start(polishing, start, INFINITY))
			return false;
	return true;
}

/* Tries all Funcs anew: variants of plans that are left to the end of polishing, or all others. Returns false
 * if it was stopped. */
static bool try_anew(struct bw_polishing *polishing, struct bw_start *start, bool late)
{
	bw_exhausted_free(start->exhausted);
	start->exhausted = bw_exhausted_new(polishing->search->pipeline->n_funcs);
	bw_variants_late(start->variants, late, false);
	return bw_polish_start(polishing, start, INFINITY);
}

/* Polishes from a start on which all that the beam search tries is tried: single changes, moves, variants
 * that are tried late, and single changes of what came of these. Returns false if it was stopped. */
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
