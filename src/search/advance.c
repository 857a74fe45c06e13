/* Going on: parents are expanded by some threads, between options at a time, and merged when all are done. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "search/search_private.h"

double bw_search_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void bw_underway_end(struct bw_underway *underway)
{
	for (int i = 0; i < underway->n; i++)
		bw_expanding_end(&underway->parents[i]);
	free(underway->parents);
	*underway = (struct bw_underway){0};
}

/* What the threads that expand share. */
struct crew {
	struct bw_underway *underway;
	atomic_int next;
	double deadline;
	const atomic_bool *stop;
};

/* Takes parents in turn until none is left or the time is over. */
static void *expand_some(void *data)
{
	enum { OPTIONS_A_LOOK = 16 };
	struct crew *crew = data;
	for (int p = atomic_fetch_add(&crew->next, 1); p < crew->underway->n; p = atomic_fetch_add(&crew->next, 1)) {
		struct bw_expanding *parent = &crew->underway->parents[p];
		while (!parent->done) {
			for (int i = 0; i < OPTIONS_A_LOOK && !parent->done; i++)
				bw_expanding_step(parent);
			if (bw_search_now() > crew->deadline || (crew->stop && atomic_load(crew->stop)))
				return NULL;
		}
	}
	return NULL;
}

bool bw_search_expand_all(struct bw_search *search, double deadline, const atomic_bool *stop)
{
	enum { MOST_THREADS = 64 };
	struct crew crew = {.underway = &search->underway, .deadline = deadline, .stop = stop};
	pthread_t threads[MOST_THREADS];
	int n = 0, wanted = search->options.threads < MOST_THREADS ? search->options.threads : MOST_THREADS;
	while (n + 1 < wanted && n + 1 < search->underway.n && pthread_create(&threads[n], NULL, expand_some, &crew) == 0)
		n++;
	expand_some(&crew);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (int p = 0; p < search->underway.n; p++)
		if (!search->underway.parents[p].done)
			return false;
	return true;
}

/* The parent before this one that is asked for the same tiles; NULL: none. */
static struct bw_expanding *alike(const struct bw_underway *underway, int p)
{
	for (int q = 0; q < p; q++)
		if (bw_tiles_alike(&underway->parents[q].question, &underway->parents[p].question))
			return &underway->parents[q];
	return NULL;
}

/* Most parents are asked for the same tiles: these are made once. */
static void begin(struct bw_search *search, int index)
{
	const struct bw_reached *from = search->reached[index];
	search->underway.n = from->n;
	search->underway.parents = BW_NEW_ARRAY(struct bw_expanding, from->n);
	for (int p = 0; p < from->n; p++) {
		struct bw_question question = bw_search_question(search, index, from->beam[p]);
		bw_expanding_begin(&search->underway.parents[p], &question, from->ms ? from->ms[p] : NULL, true);
		struct bw_expanding *other = alike(&search->underway, p);
		if (other)
			bw_expanding_like(&search->underway.parents[p], other);
	}
}

/* Works on the expansions of a decision. True where all parents are done, and there is time to merge them: that is not stopped half way, and so
 * begins with time of its own where expanding took what there was. */
static bool expand(struct bw_search *search, int index, double deadline, const atomic_bool *stop)
{
	if (search->underway.expanded)
		return true;
	double began = bw_search_now();
	if (!search->underway.n)
		begin(search, index);
	search->underway.expanded = bw_search_expand_all(search, deadline, stop);
	double now = bw_search_now();
	search->underway.seconds += now - began;
	return search->underway.expanded && now <= deadline && !(stop && atomic_load(stop));
}

/* Gives back what was merged: later, where there is no time left and a later time comes. */
static void spend(struct bw_search *search, int until, double deadline)
{
	bool goes_on = search->n_reached <= search->n_decisions && search->n_reached - 1 < until;
	if (goes_on && bw_search_now() > deadline) {
		search->spent = search->underway;
		search->underway = (struct bw_underway){0};
	} else {
		bw_underway_end(&search->underway);
	}
}

/* The end of the pre-pass is reached when what it freezes is known. False where there was no time for that. */
static bool freeze(struct bw_search *search, double deadline, const atomic_bool *stop)
{
	enum { STEPS_A_LOOK = 8 };
	if (!search->unfrozen)
		return true;
	double began = bw_search_now(), now = began;
	bool done = false;
	if (!search->freezer)
		search->freezer = bw_freezer_begin(search, search->unfrozen);
	do {
		for (int i = 0; i < STEPS_A_LOOK && !done; i++)
			done = bw_freezer_step(search->freezer);
		now = bw_search_now();
	} while (!done && now <= deadline && !(stop && atomic_load(stop)));
	search->unfrozen->decision.seconds += now - began;
	if (!done)
		return false;
	bw_freezer_end(search->freezer);
	search->reached[search->n_reached++] = search->unfrozen;
	search->freezer = NULL;
	search->unfrozen = NULL;
	return true;
}

/* Takes what a decision led to; the end of the pre-pass waits for what it freezes. */
static void reach(struct bw_search *search, int index, struct bw_reached *next)
{
	bw_reached_forget(search->reached[index]);
	if (search->first_pass == 0 && index + 1 == bw_search_pass_end(search, 0))
		search->unfrozen = next;
	else
		search->reached[search->n_reached++] = next;
}

enum bw_search_status bw_search_advance(struct bw_search *search, int until, double seconds, const atomic_bool *stop, struct bw_error *error)
{
	double start = bw_search_now(), deadline = start + seconds;
	bw_underway_end(&search->spent);
	enum bw_search_status status = BW_SEARCH_GOING;
	while (status == BW_SEARCH_GOING) {
		if (!freeze(search, deadline, stop))
			break;
		int index = search->n_reached - 1;
		if (index >= search->n_decisions || index >= until) {
			status = BW_SEARCH_DONE;
			break;
		}
		if (!expand(search, index, deadline, stop))
			break;
		struct bw_reached *next = bw_search_merge(search, index);
		if (next->n) {
			reach(search, index, next);
		} else {
			bw_search_say_dead(search, index, &next->decision, error);
			bw_reached_drop(next);
			status = BW_SEARCH_DEAD;
		}
		spend(search, until, deadline);
		if (bw_search_now() > deadline || (stop && atomic_load(stop)))
			break;
	}
	search->seconds += bw_search_now() - start;
	if (status == BW_SEARCH_GOING && (search->n_reached > search->n_decisions || search->n_reached - 1 >= until))
		status = BW_SEARCH_DONE;
	return status;
}
