/* Advances a search: the parents of a decision are expanded, then merged into the next beam. At the end of a
 * pass Funcs may be frozen, and at the end of the last one the best schedule is polished. */
#include <time.h>

#include "base/clock.h"
#include "search/polish.h"

/* Advances the companion search without the newest override (search->without), if any, to its end.
 * Returns false if it was stopped. */
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

/* Finishes decision `index`: freezes Funcs at the end of the freezing pass, and polishes the best
 * schedule at the end of the last pass. Returns false if it was stopped. */
static bool finish(struct bw_search *search, int index, struct bw_position *next)
{
	if (search->freezes && index + 1 == bw_search_pass_end(search, search->first_pass) &&
	    !bw_freeze(search, next))
		return false;
	return !bw_search_polishes(search) || index + 1 < search->n_decisions ||
	       (advance_without(search) && bw_polish(search, next));
}

/* Appends the position after a decision, and frees the stage costs of the position before it. */
static void reach(struct bw_search *search, struct bw_position *next)
{
	struct bw_position *before = search->reached[search->n_reached - 1];
	bw_position_measure(next, before);
	bw_position_forget(before);
	search->reached[search->n_reached++] = next;
}

/* Returns true if the search's memory is within memory_limit (0: no limit); else false with an error. */
static bool has_memory(const struct bw_search *search, int index, struct bw_error *error)
{
	int64_t most = search->options.memory_limit, bytes = most ? bw_search_bytes(search) : 0;
	return bytes <= most ||
	       bw_fail(error, BW_ERROR_FAILED,
		       "the search remembers %.1f MB after %d of %d decisions, more than memory_limit allows (%.1f MB): set memory_limit=BYTES higher, or beam or passes lower",
		       (double)bytes * 1e-6, index, search->n_decisions, (double)most * 1e-6);
}

/* Expands the beam and merges the children into *next. Otherwise *next is NULL: returns GOING if it was
 * stopped, DEAD with an error if no state is left or no state has a pinned choice. */
static enum bw_search_status find_next(const struct bw_search *search, int index, struct bw_position **next,
				       struct bw_error *error)
{
	struct bw_parents parents;
	bool expanded = bw_parents_expand(&parents, search, index, search->reached[index]);
	enum bw_search_status status = BW_SEARCH_GOING;
	*next = expanded ? bw_merge(search, &parents) : NULL;
	if (*next && ((*next)->missed || !(*next)->n)) {
		status = bw_search_say_dead(search, &parents, *next, error) ? BW_SEARCH_DEAD : BW_SEARCH_GOING;
		bw_position_drop(*next);
		*next = NULL;
	}
	bw_parents_end(&parents);
	return *next ? BW_SEARCH_DONE : status;
}

/* Makes one decision. If it is stopped in the middle, the next call starts the decision anew. */
static enum bw_search_status decide(struct bw_search *search, int index, struct bw_error *error)
{
	struct bw_position *next;
	double began = bw_clock_of(CLOCK_THREAD_CPUTIME_ID);
	if (!has_memory(search, index, error))
		return BW_SEARCH_DEAD;
	enum bw_search_status status = find_next(search, index, &next, error);
	if (status != BW_SEARCH_DONE)
		return status;
	if (!finish(search, index, next)) {
		bw_position_drop(next);
		return BW_SEARCH_GOING;
	}
	next->decision.seconds = bw_clock_of(CLOCK_THREAD_CPUTIME_ID) - began;
	reach(search, next);
	return BW_SEARCH_DONE;
}

enum bw_search_status bw_search_advance(struct bw_search *search, int until, const struct bw_yield *yield,
					struct bw_error *error)
{
	enum bw_search_status status = BW_SEARCH_DONE;
	double began = bw_clock_of(CLOCK_THREAD_CPUTIME_ID);
	search->yield = yield;
	while (status == BW_SEARCH_DONE && bw_search_reached(search) < search->n_decisions &&
	       bw_search_reached(search) < until)
		status = bw_yield(yield) ? decide(search, bw_search_reached(search), error) : BW_SEARCH_GOING;
	search->yield = NULL;
	search->seconds += bw_clock_of(CLOCK_THREAD_CPUTIME_ID) - began;
	return status;
}
