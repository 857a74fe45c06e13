/* Going on: parents are expanded by some threads, between options at a time, and merged when all are done. */
#include <stdlib.h>
#include <time.h>

#include "search/search_private.h"

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

void bw_underway_give_back(struct bw_underway *underway, int parent)
{
	bw_expanding_end(&underway->parents[parent]);
	if (underway->gathered) {
		free(underway->gathered[parent].list);
		underway->gathered[parent].list = NULL;
	}
}

bool bw_underway_shrink(struct bw_underway *underway)
{
	if (underway->n) {
		bw_underway_give_back(underway, --underway->n);
		return false;
	}
	free(underway->parents);
	free(underway->gathered);
	free(underway->leaders);
	*underway = (struct bw_underway){0};
	return true;
}

void bw_underway_end(struct bw_underway *underway)
{
	while (!bw_underway_shrink(underway))
		;
}

/* The parent before this one that is asked for the same tiles; NULL: none. */
static struct bw_expanding *leader_of(const struct bw_underway *underway, int p)
{
	for (int i = 0; i < underway->n_leaders; i++) {
		struct bw_expanding *leader = &underway->parents[underway->leaders[i]];
		if (bw_tiles_alike(&leader->question, &underway->parents[p].question))
			return leader;
	}
	return NULL;
}

/* Most parents are asked for the same tiles: these are made once. True where all parents are begun. */
static bool begin(struct bw_search *search, int index, double deadline, const atomic_bool *stop)
{
	const struct bw_reached *from = search->reached[index];
	struct bw_underway *underway = &search->underway;
	if (!underway->n) {
		underway->n = from->n;
		underway->parents = BW_NEW_ARRAY(struct bw_expanding, from->n);
		underway->gathered = BW_NEW_ARRAY(struct bw_gathered, from->n);
		underway->leaders = BW_NEW_ARRAY(int, from->n);
	}
	for (; underway->begun < underway->n; underway->begun++) {
		int p = underway->begun;
		struct bw_expanding *parent = &underway->parents[p];
		if (!parent->question.pipeline) {
			struct bw_question question = bw_search_question(search, index, from->beam[p]);
			bw_expanding_begin(parent, &question, from->ms ? from->ms[p] : NULL, true);
			parent->part_of_way = (double)(p % search->options.threads) / search->options.threads;
		}
		struct bw_expanding *leader = leader_of(underway, p);
		if (!leader && parent->question.phase == BW_PHASE_TILE)
			underway->leaders[underway->n_leaders++] = p;
		parent->leader = leader;
		while (leader && !bw_expanding_like(parent, leader))
			if (!bw_search_time_left(deadline, stop))
				return false;
		if (!bw_search_time_left(deadline, stop)) {
			underway->begun++;
			break;
		}
	}
	return underway->begun == underway->n;
}

/* Gives back what was merged, and what it took to say why nothing was left alive. True where nothing of it is left. */
static bool spend(struct bw_search *search, double deadline, const atomic_bool *stop)
{
	bool done = false;
	do
		done = bw_underway_shrink(&search->spent) && (search->dead || bw_underway_shrink(&search->again));
	while (!done && bw_search_time_left(deadline, stop));
	return done;
}

/* Works on the expansions of a decision. True where all parents are done. */
static bool expand(struct bw_search *search, int index, double deadline, const atomic_bool *stop)
{
	struct bw_underway *underway = &search->underway;
	if (!underway->expanded)
		underway->expanded = begin(search, index, deadline, stop) && bw_search_expand_all(search, deadline, stop);
	return underway->expanded && spend(search, deadline, stop);
}

/* Makes the next beam from them. True where it is made. */
static bool merge(struct bw_search *search, int index, double deadline, const atomic_bool *stop)
{
	bool done = false;
	if (!search->merging)
		search->merging = bw_merging_begin(search, index);
	do
		done = bw_merging_step(search->merging);
	while (!done && bw_search_time_left(deadline, stop));
	return done;
}

/* The end of the pass that freezes is reached when what it freezes is known. False where there was no time for that. */
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

/* Takes what a decision led to; the end of the pass that freezes waits for what it does. */
static void reach(struct bw_search *search, int index, struct bw_reached *next)
{
	next->decision.seconds = search->underway.seconds;
	bw_reached_measure(next, search->reached[index]);
	bw_reached_forget(search->reached[index]);
	if (search->freezes && index + 1 == bw_search_pass_end(search, search->first_pass))
		search->unfrozen = next;
	else
		search->reached[search->n_reached++] = next;
}

/* Says why nothing is left alive. GOING where there was no time to find out. */
static enum bw_search_status die(struct bw_search *search, int index, double deadline, const atomic_bool *stop, struct bw_error *error)
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

/* One decision. GOING where there was no time to make it. */
static enum bw_search_status decide(struct bw_search *search, int index, double deadline, const atomic_bool *stop, struct bw_error *error)
{
	if (search->dead)
		return die(search, index, deadline, stop, error);
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

/* What is left to do: to give back what the last decision took, to freeze, to decide. */
static enum bw_search_status go_on(struct bw_search *search, int until, double deadline, const atomic_bool *stop, struct bw_error *error)
{
	for (enum bw_search_status status = BW_SEARCH_DONE; status == BW_SEARCH_DONE;) {
		bool helped = search->crew; /* then those who expand the next parents give back */
		if ((!helped && !spend(search, deadline, stop)) || !freeze(search, deadline, stop))
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

enum bw_search_status bw_search_advance(struct bw_search *search, int until, double seconds, const atomic_bool *stop, struct bw_error *error)
{
	double start = bw_search_now();
	enum bw_search_status status = go_on(search, until, start + seconds, stop, error);
	bw_crew_dismiss(search->crew);
	search->crew = NULL;
	search->seconds += bw_search_now() - start;
	return status;
}
