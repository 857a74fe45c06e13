/* The threads of a search share out the parents of a decision; where there are fewer of these than threads, the options of one parent after the other. What
 * an option costs is noted with the option, so that it does not matter who finds it. */
#include "search/search_private.h"

/* What the threads share. */
struct sharing {
	struct bw_search *search;
	struct bw_expanding *parent; /* whose options are shared out */
	atomic_int next;             /* parent, or option of one */
	double deadline;
	const atomic_bool *stop;
};

enum { OPTIONS_A_LOOK = 4 };

static void gather(const struct bw_search *search, int p)
{
	struct bw_gathered *gathered = &search->underway.gathered[p];
	if (search->underway.parents[p].done && !gathered->list)
		bw_gather(search, search->n_reached - 1, p, gathered);
	gathered->worker = pthread_self();
}

/* A thread gives back the parents of the decision before that it expanded: their memory is its own, and the others need not wait for it. */
static void give_back(struct sharing *sharing)
{
	struct bw_underway *spent = &sharing->search->spent;
	for (int p = 0; p < spent->n && bw_search_time_left(sharing->deadline, sharing->stop); p++)
		if (pthread_equal(spent->gathered[p].worker, pthread_self()))
			bw_underway_give_back(spent, p);
}

/* Takes parents in turn until none is left or the time is over. */
static void expand_parents(void *data)
{
	struct sharing *sharing = data;
	struct bw_underway *underway = &sharing->search->underway;
	give_back(sharing);
	for (int p = atomic_fetch_add(&sharing->next, 1); p < underway->n; p = atomic_fetch_add(&sharing->next, 1)) {
		struct bw_expanding *parent = &underway->parents[p];
		bool late = false;
		bw_expanding_enter(parent);
		while (!parent->done && !late) {
			for (int i = 0; i < OPTIONS_A_LOOK && !parent->done; i++)
				bw_expanding_step(parent);
			late = !bw_search_time_left(sharing->deadline, sharing->stop);
		}
		bw_expanding_leave(parent);
		gather(sharing->search, p);
		if (late)
			return;
	}
}

/* Takes options of a parent in turn until none is left in this part of it or the time is over. */
static void expand_options(void *data)
{
	struct sharing *sharing = data;
	int n = sharing->parent->expansion->n, first = atomic_fetch_add(&sharing->next, OPTIONS_A_LOOK);
	bool late = false;
	struct bw_expanding hand;
	if (first >= n)
		return;
	bw_expanding_hand_begin(&hand, sharing->parent);
	bw_expanding_enter(&hand);
	for (; first < n && !late; late = !bw_search_time_left(sharing->deadline, sharing->stop), first = late ? n : atomic_fetch_add(&sharing->next, OPTIONS_A_LOOK))
		for (int i = first; i < n && i < first + OPTIONS_A_LOOK; i++)
			bw_expanding_option(&hand, i);
	bw_expanding_leave(&hand);
	bw_expanding_hand_end(&hand);
}

/* Whether a parent has so many options to go through that it is worth calling others. Its first one tells whether it has judged them all. */
static bool shareable(const struct bw_expanding *parent)
{
	enum { WORTH_A_CALL = 16 };
	return parent->lean && parent->expansion && (parent->next || parent->part != BW_EXPANDING_JUDGE) && parent->expansion->n - parent->next >= WORTH_A_CALL;
}

static void share_options(struct sharing *sharing)
{
	struct bw_expanding *parent = sharing->parent;
	atomic_store(&sharing->next, parent->next);
	bw_crew_work(sharing->search->crew, expand_options, sharing);
	int next = atomic_load(&sharing->next);
	parent->next = next < parent->expansion->n ? next : parent->expansion->n;
}

/* Expands a parent with all threads. False where the time is over. */
static bool expand_parent(struct sharing *sharing)
{
	struct bw_expanding *parent = sharing->parent;
	while (!parent->done) {
		bool late = false;
		bw_expanding_enter(parent);
		while (!parent->done && !shareable(parent) && !late) {
			bw_expanding_step(parent);
			late = !bw_search_time_left(sharing->deadline, sharing->stop);
		}
		bw_expanding_leave(parent);
		if (!parent->done && !late) {
			share_options(sharing);
			late = !bw_search_time_left(sharing->deadline, sharing->stop);
		}
		if (late)
			return false;
	}
	return true;
}

static void expand_in_turn(struct sharing *sharing)
{
	struct bw_underway *underway = &sharing->search->underway;
	for (int p = 0; p < underway->n; p++) {
		sharing->parent = &underway->parents[p];
		bool in_time = expand_parent(sharing);
		gather(sharing->search, p);
		if (!in_time)
			return;
	}
}

bool bw_search_expand_all(struct bw_search *search, double deadline, const atomic_bool *stop)
{
	struct sharing sharing = {.search = search, .deadline = deadline, .stop = stop};
	bool together = search->options.threads > 1;
	if (together && !search->crew)
		search->crew = bw_crew_new(search->options.threads);
	if (together && search->underway.n < search->options.threads)
		expand_in_turn(&sharing);
	else
		bw_crew_work(search->crew, expand_parents, &sharing);
	for (int p = 0; p < search->underway.n; p++)
		if (!search->underway.parents[p].done)
			return false;
	return true;
}
