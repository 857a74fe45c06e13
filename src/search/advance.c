/* Advances a search: the parents of a decision are expanded, then merged into the next beam. At the end of a
 * pass Funcs may be frozen, and at the end of the last one the best schedule is polished. */
#include <time.h>

#include "search/polishing.h"

/* Returns the processor seconds of this thread, which does not count the time that others have their turn. */
static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Goes on with the search without the newest override to its end, if there is one. Returns false if it was
 * stopped. */
static bool advance_without(struct bw_search *search)
{
	struct bw_search *without = search->without;
	struct bw_error error;
	if (!without)
		return true;
	enum bw_search_status status = bw_search_advance(without, without->n_decisions, search->yield, &error);
	if (status == BW_SEARCH_DEAD) {
		bw_search_free(without);
		search->without = NULL;
	}
	return status != BW_SEARCH_GOING;
}

/* Does what follows on a decision: freezes Funcs at the end of the pass that freezes, polishes the best
 * schedule at the end of the last one. Returns false if it was stopped. */
static bool finish(struct bw_search *search, int index, struct bw_reached *next)
{
	if (search->freezes && index + 1 == bw_search_pass_end(search, search->first_pass) &&
	    !bw_freeze(search, next))
		return false;
	return !bw_search_polishes(search) || index + 1 < search->n_decisions ||
	       (advance_without(search) && bw_polish(search, next));
}

/* Takes what a decision led to. */
static void reach(struct bw_search *search, struct bw_reached *next)
{
	struct bw_reached *before = search->reached[search->n_reached - 1];
	bw_reached_measure(next, before);
	bw_reached_forget(before);
	search->reached[search->n_reached++] = next;
}

/* Returns true if the search remembers no more than it may. */
static bool has_memory(const struct bw_search *search, int index, struct bw_error *error)
{
	int64_t most = search->options.memory_limit, bytes = most ? bw_search_bytes(search) : 0;
	return bytes <= most ||
	       bw_fail(error, BW_ERROR_FAILED,
		       "the search remembers %.1f MB after %d of %d decisions, more than memory_limit allows (%.1f MB): set memory_limit=BYTES higher, or beam or passes lower",
		       (double)bytes * 1e-6, index, search->n_decisions, (double)most * 1e-6);
}

/* Finds what a decision leads to: *next, which is NULL if it was stopped; DEAD if that is nothing. */
static enum bw_search_status find_next(const struct bw_search *search, int index, struct bw_reached **next,
				       struct bw_error *error)
{
	struct bw_parents parents;
	bool expanded = bw_parents_expand(&parents, search, index, search->reached[index]);
	enum bw_search_status status = BW_SEARCH_GOING;
	*next = expanded ? bw_merge(search, &parents) : NULL;
	if (*next && ((*next)->missed || !(*next)->n)) {
		status = bw_search_say_dead(search, &parents, *next, error) ? BW_SEARCH_DEAD : BW_SEARCH_GOING;
		bw_reached_drop(*next);
		*next = NULL;
	}
	bw_parents_end(&parents);
	return *next ? BW_SEARCH_DONE : status;
}

/* Returns a search that holds every Func as it is in a schedule, but those that are held already. */
static struct bw_search *hold_all(const struct bw_search *search, const struct bw_nest *nest)
{
	const struct bw_constraints *of = &search->constraints;
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, of->n + search->pipeline->n_funcs);
	struct bw_constraints all = {.n = of->n, .list = list, .n_free = of->n_free, .free = of->free};
	int pass = search->options.passes;
	for (int i = 0; i < of->n; i++)
		list[i] = of->list[i];
	for (int f = 0; f < search->pipeline->n_funcs; f++)
		if (nest->placed[f] && !bw_constraint_on(of, f, pass))
			list[all.n++] = (struct bw_constraint){.placement = nest->placed[f]->placement,
							       .sizes = !bw_is_inlined(nest, f),
							       .source = BW_CONSTRAINT_SEARCH,
							       .here = true,
							       .pass = pass};
	struct bw_search *held = bw_search_fork(search, NULL, &all);
	free(list);
	return held;
}

/* Takes the positions of the search that holds all Funcs, and what holds them. */
static void take_held(struct bw_search *search)
{
	struct bw_search *held = search->held, own = *search;
	search->reached = held->reached;
	search->n_reached = held->n_reached;
	search->constraints = held->constraints;
	search->held = NULL;
	held->reached = own.reached;
	held->n_reached = own.n_reached;
	held->constraints = own.constraints;
	bw_search_give_back(held, search->yield);
}

/* Where the beam has left the newest override no option, goes on with the best schedule without it, in which
 * it is made: the beam has lost the sites that it needs, or polishing has brought them. Returns DEAD if that
 * cannot be, GOING if it was stopped. */
static enum bw_search_status revive(struct bw_search *search)
{
	struct bw_error ignored;
	if (!search->without || !advance_without(search))
		return search->without ? BW_SEARCH_GOING : BW_SEARCH_DEAD;
	if (!search->without)
		return BW_SEARCH_DEAD;
	if (!search->held) {
		struct bw_variants *variants = bw_overridden(search);
		if (!variants)
			return BW_SEARCH_DEAD;
		search->held = hold_all(search, bw_variants_nest(variants));
		bw_variants_end(variants);
		/* It would be revived itself. */
		bw_search_free(search->held->without);
		search->held->without = NULL;
	}
	enum bw_search_status status =
	    bw_search_advance(search->held, search->n_decisions, search->yield, &ignored);
	if (status == BW_SEARCH_DONE)
		take_held(search);
	if (status == BW_SEARCH_DEAD) {
		bw_search_free(search->held);
		search->held = NULL;
	}
	return status;
}

/* Makes one decision. What is stopped in the middle is made again from its start. */
static enum bw_search_status decide(struct bw_search *search, int index, struct bw_error *error)
{
	struct bw_reached *next;
	double began = now();
	if (!has_memory(search, index, error))
		return BW_SEARCH_DEAD;
	enum bw_search_status status = find_next(search, index, &next, error);
	if (status == BW_SEARCH_DEAD)
		return revive(search);
	if (status != BW_SEARCH_DONE)
		return status;
	if (!finish(search, index, next)) {
		bw_reached_drop(next);
		return BW_SEARCH_GOING;
	}
	next->decision.seconds = now() - began;
	reach(search, next);
	return BW_SEARCH_DONE;
}

enum bw_search_status bw_search_advance(struct bw_search *search, int until, const struct bw_yield *yield,
					struct bw_error *error)
{
	enum bw_search_status status = BW_SEARCH_DONE;
	double began = now();
	search->yield = yield;
	while (status == BW_SEARCH_DONE && bw_search_reached(search) < search->n_decisions &&
	       bw_search_reached(search) < until)
		status = bw_yield(yield) ? decide(search, bw_search_reached(search), error) : BW_SEARCH_GOING;
	search->yield = NULL;
	search->seconds += now() - began;
	return status;
}
