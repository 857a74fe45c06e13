/* Advances a search: the parents of a decision are expanded, then merged into the next beam. All work is done
 * in small steps, so that it can stop at a deadline and go on later. */
#include <stdlib.h>
#include <time.h>

#include "search/polish.h"

double bw_search_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool bw_search_time_left(double deadline, const atomic_bool *stop)
{
	return bw_search_now() <= deadline && !(stop && atomic_load(stop));
}

/* Frees a part of what the last decision and its explanation took. Returns true if nothing of it is
 * left. */
static bool spend(struct bw_search *search, double deadline, const atomic_bool *stop)
{
	bool done = false;
	do
		done = bw_underway_shrink(&search->spent) && (search->dead || bw_underway_shrink(&search->again));
	while (!done && bw_search_time_left(deadline, stop));
	return done;
}

/* Expands the parents of a decision. Returns true if all are done and there is time left. */
static bool expand(struct bw_search *search, int index, double deadline, const atomic_bool *stop)
{
	struct bw_underway *underway = &search->underway;
	const struct bw_reached *from = search->reached[index];
	bool done;
	if (!underway->parents) {
		*underway = bw_underway_new(index, from);
		underway->alone = bw_search_alone(search, index, from);
	}
	if (underway->done == underway->n)
		return true;
	do
		done = bw_underway_step(underway, search);
	while (!done && bw_search_time_left(deadline, stop));
	return done && bw_search_time_left(deadline, stop);
}

/* Makes the next beam of the decision under way, whose parents are all done. Returns true if it is made. */
static bool merge(struct bw_search *search, int index, double deadline, const atomic_bool *stop)
{
	bool made;
	if (!search->merging)
		search->merging = bw_merging_begin(search, index);
	do
		made = bw_merging_step(search->merging);
	while (!made && bw_search_time_left(deadline, stop));
	return made;
}

/* Freezes Funcs if the end of the pass that freezes has just been found; only then is its end
 * reached. Returns false if time ran out. */
static bool freeze(struct bw_search *search, double deadline, const atomic_bool *stop)
{
	enum { STEPS_A_LOOK = 1 };
	if (!search->unfrozen)
		return true;
	double began = bw_search_now();
	bool done = false;
	if (!search->freezer)
		search->freezer = bw_freezer_begin(search, search->unfrozen);
	do {
		for (int i = 0; i < STEPS_A_LOOK && !done; i++)
			done = bw_freezer_step(search->freezer);
	} while (!done && bw_search_time_left(deadline, stop));
	search->unfrozen->decision.seconds += bw_search_now() - began;
	if (!done)
		return false;
	bw_freezer_end(search->freezer);
	search->reached[search->n_reached++] = search->unfrozen;
	search->freezer = NULL;
	search->unfrozen = NULL;
	return true;
}

/* Goes on with the search without the newest override; returns true if there is none, or it is at its end. */
static bool advance_without(struct bw_search *search, double deadline, const atomic_bool *stop)
{
	struct bw_search *without = search->without;
	struct bw_error error;
	if (!without || without->n_reached > without->n_decisions)
		return true;
	double left = deadline - bw_search_now();
	enum bw_search_status status = bw_search_advance(without, without->n_decisions, left, stop, &error);
	if (status == BW_SEARCH_DEAD) {
		bw_search_free(without);
		search->without = NULL;
	}
	return status != BW_SEARCH_GOING;
}

/* Polishes the best schedule if the end of the search has just been found; only then is that end
 * reached. Returns false if time ran out. */
static bool polish(struct bw_search *search, double deadline, const atomic_bool *stop)
{
	enum { STEPS_A_LOOK = 8 };
	if (!search->unpolished)
		return true;
	struct bw_reached *end = search->unpolished;
	double began = bw_search_now();
	if (!search->polisher && !advance_without(search, deadline, stop))
		return false;
	bool done = false;
	if (!search->polisher)
		search->polisher = bw_polisher_begin(search, end);
	do {
		for (int i = 0; i < STEPS_A_LOOK && !done; i++)
			done = bw_polisher_step(search->polisher);
	} while (!done && bw_search_time_left(deadline, stop));
	end->decision.seconds += bw_search_now() - began;
	if (!done)
		return false;
	bw_polisher_end(search->polisher);
	bw_reached_measure(end, search->reached[search->n_reached - 1]);
	search->reached[search->n_reached++] = end;
	search->polisher = NULL;
	search->unpolished = NULL;
	return true;
}

/* Takes what a decision led to; the end of the pass that freezes waits for what it does. */
static void reach(struct bw_search *search, int index, struct bw_reached *next)
{
	next->decision.seconds = search->underway.seconds;
	bw_reached_measure(next, search->reached[index]);
	bw_reached_forget(search->reached[index]);
	if (search->freezes && index + 1 == bw_search_pass_end(search, search->first_pass))
		search->unfrozen = next;
	else if (bw_search_polishes(search) && index + 1 == search->n_decisions)
		search->unpolished = next;
	else
		search->reached[search->n_reached++] = next;
}

/* Explains why no state is left. Returns GOING if time ran out. */
static enum bw_search_status die(struct bw_search *search, int index, double deadline,
				 const atomic_bool *stop, struct bw_error *error)
{
	bool known = false;
	do
		known = bw_search_explain(search);
	while (!known && bw_search_time_left(deadline, stop));
	if (!known)
		return BW_SEARCH_GOING;
	bw_search_say_dead(search, index, search->dead, error);
	bw_reached_drop(search->dead);
	search->dead = NULL;
	search->spent = search->underway;
	search->underway = (struct bw_underway){0};
	return BW_SEARCH_DEAD;
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

/* Makes one decision. Returns GOING if time ran out. */
static enum bw_search_status decide(struct bw_search *search, int index, double deadline,
				    const atomic_bool *stop, struct bw_error *error)
{
	if (search->dead)
		return die(search, index, deadline, stop, error);
	if (!has_memory(search, index, error))
		return BW_SEARCH_DEAD;
	double began = bw_search_now();
	bool made = expand(search, index, deadline, stop) && merge(search, index, deadline, stop);
	search->underway.seconds += bw_search_now() - began;
	if (!made)
		return BW_SEARCH_GOING;
	struct bw_reached *next = bw_merging_end(search->merging);
	search->merging = NULL;
	if (!next->n || next->missed) {
		search->dead = next;
		return die(search, index, deadline, stop, error);
	}
	reach(search, index, next);
	search->spent = search->underway;
	search->underway = (struct bw_underway){0};
	return BW_SEARCH_DONE;
}

/* Does what is left to do: frees what the last decision took, freezes, polishes, decides. */
static enum bw_search_status go_on(struct bw_search *search, int until, double deadline,
				   const atomic_bool *stop, struct bw_error *error)
{
	for (enum bw_search_status status = BW_SEARCH_DONE; status == BW_SEARCH_DONE;) {
		if (!spend(search, deadline, stop) || !freeze(search, deadline, stop) ||
		    !polish(search, deadline, stop))
			return BW_SEARCH_GOING;
		int index = search->n_reached - 1;
		if (index >= search->n_decisions || index >= until)
			return BW_SEARCH_DONE;
		status = decide(search, index, deadline, stop, error);
		if (status != BW_SEARCH_DONE || !bw_search_time_left(deadline, stop))
			return status == BW_SEARCH_DEAD ? status : BW_SEARCH_GOING;
	}
	return BW_SEARCH_GOING;
}

enum bw_search_status bw_search_advance(struct bw_search *search, int until, double seconds,
					const atomic_bool *stop, struct bw_error *error)
{
	double start = bw_search_now();
	enum bw_search_status status = go_on(search, until, start + seconds, stop, error);
	search->seconds += bw_search_now() - start;
	return status;
}
