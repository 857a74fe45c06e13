/* The threads of a search share out the parents of a decision; where there are fewer of these than threads,
 * the options of one parent after the other. What an option costs is noted with the option, so that it does
 * not matter who finds it. While one thread still fills a beam the others go ahead with the states that are
 * in it already, which are the next decision's parents. */
#include <sched.h>

#include "search/search_private.h"

/* What the threads share. */
struct sharing {
	struct bw_search *search;
	struct bw_underway *underway; /* whose parents are shared out */
	pthread_mutex_t lock;         /* of `taken`, and of what is begun of them */
	atomic_int taken;             /* parents, so far */
	atomic_int there;             /* parents that can be taken */
	atomic_bool more;             /* others may follow */
	struct bw_expanding *parent;  /* whose options are shared out */
	atomic_int next;              /* option of it */
	double deadline;
	const atomic_bool *stop;
};

enum { OPTIONS_A_LOOK = 4 };

static void sharing_begin(struct sharing *sharing, struct bw_search *search, struct bw_underway *underway,
			  double deadline, const atomic_bool *stop)
{
	*sharing = (struct sharing){.search = search, .underway = underway, .deadline = deadline, .stop = stop};
	pthread_mutex_init(&sharing->lock, NULL);
}

static void sharing_end(struct sharing *sharing)
{
	pthread_mutex_destroy(&sharing->lock);
}

static bool time_left(const struct sharing *sharing)
{
	return bw_search_time_left(sharing->deadline, sharing->stop);
}

static void gather(const struct sharing *sharing, int p)
{
	struct bw_parent *parent = sharing->underway->parents[p];
	if (parent->expanding.done && !parent->gathered.list)
		bw_gather(sharing->search, sharing->underway, p);
	sharing->underway->workers[p] = pthread_self();
}

/* A thread gives back the parents of the decision before that it expanded: their memory is its own, and the
 * others need not wait for it. */
static void give_back(struct sharing *sharing)
{
	struct bw_underway *spent = &sharing->search->spent;
	for (int p = 0; p < spent->n && time_left(sharing); p++)
		if (pthread_equal(spent->workers[p], pthread_self()))
			bw_underway_give_back(spent, p);
}

/* Whether a parent is begun, and there is time to go on with it. */
static bool is_begun(struct sharing *sharing, int p)
{
	struct bw_underway *underway = sharing->underway;
	return p < underway->begun ||
	       (bw_underway_begin_parent(underway, sharing->search, sharing->deadline, sharing->stop) &&
		time_left(sharing));
}

/* The next parent, begun; -1: there is none, or no time. */
static int take_parent(struct sharing *sharing, int there)
{
	const struct bw_underway *underway = sharing->underway;
	int p = -1;
	while (pthread_mutex_trylock(
	    &sharing->lock)) /* it is another's for less time than a thread takes to fall asleep */
		sched_yield();
	while (sharing->taken < underway->begun && underway->parents[sharing->taken]->expanding.done)
		sharing->taken++; /* in an earlier slice of time */
	if (sharing->taken < there && is_begun(sharing, sharing->taken))
		p = sharing->taken++;
	pthread_mutex_unlock(&sharing->lock);
	return p;
}

/* Expands one parent; false where the time is over. */
static bool expand_one(struct sharing *sharing, int p)
{
	struct bw_expanding *parent = &sharing->underway->parents[p]->expanding;
	bool late = false;
	bw_expanding_enter(parent);
	while (!parent->done && !late) {
		for (int i = 0; i < OPTIONS_A_LOOK && !parent->done; i++)
			bw_expanding_step(parent);
		late = !time_left(sharing);
	}
	bw_expanding_leave(parent);
	gather(sharing, p);
	return !late;
}

/* Takes parents in turn until none is left, and none will follow, or the time is over. */
static void expand_parents(void *data)
{
	struct sharing *sharing = data;
	give_back(sharing);
	bool more;
	do {
		more = atomic_load(&sharing->more);
		int there = atomic_load(&sharing->there);
		int p = atomic_load(&sharing->taken) < there ? take_parent(sharing, there) : -1;
		if (p >= 0)
			more = expand_one(sharing, p);
		else if (more)
			bw_crew_pause(sharing->search->crew);
	} while (more && time_left(sharing));
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
	for (; first < n && !late;
	     late = !time_left(sharing), first = late ? n : atomic_fetch_add(&sharing->next, OPTIONS_A_LOOK))
		for (int i = first; i < n && i < first + OPTIONS_A_LOOK; i++)
			bw_expanding_option(&hand, i);
	bw_expanding_leave(&hand);
	bw_expanding_hand_end(&hand);
}

/* Whether a parent has so many options to go through that it is worth calling others. Its first one tells
 * whether it has judged them all. */
static bool shareable(const struct bw_expanding *parent)
{
	enum { WORTH_A_CALL = 16 };
	return parent->lean && parent->expansion && (parent->next || parent->part != BW_EXPANDING_JUDGE) &&
	       parent->expansion->n - parent->next >= WORTH_A_CALL;
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
			late = !time_left(sharing);
		}
		bw_expanding_leave(parent);
		if (!parent->done && !late) {
			share_options(sharing);
			late = !time_left(sharing);
		}
		if (late)
			return false;
	}
	return true;
}

static void expand_in_turn(struct sharing *sharing)
{
	for (int p = 0, in_time = true; in_time && (p = take_parent(sharing, sharing->there)) >= 0;) {
		sharing->parent = &sharing->underway->parents[p]->expanding;
		in_time = expand_parent(sharing);
		gather(sharing, p);
	}
}

/* Those who help, called together; NULL where there is one thread. */
static struct bw_crew *crew_of(struct bw_search *search)
{
	if (!search->crew && search->options.threads > 1)
		search->crew = bw_crew_new(search->options.threads);
	return search->crew;
}

bool bw_search_expand_all(struct bw_search *search, struct bw_underway *underway, double deadline,
			  const atomic_bool *stop)
{
	struct sharing sharing;
	sharing_begin(&sharing, search, underway, deadline, stop);
	sharing.there = underway->n;
	if (crew_of(search) && underway->n < search->options.threads)
		expand_in_turn(&sharing);
	else
		bw_crew_work(search->crew, expand_parents, &sharing);
	sharing_end(&sharing);
	return bw_underway_done(underway);
}

/* Whether the decision after this one can be begun before its parents are all known: it is another one of the
 * same pass. */
static bool may_go_ahead(const struct bw_search *search, int index, int until)
{
	const struct bw_decision *decision = &search->plan[index];
	return search->options.threads > 1 && index + 1 < until &&
	       index + 1 < bw_search_pass_end(search, decision->pass) && decision->phase != BW_PHASE_PASS;
}

/* Lets the states that are in the next beam be expanded, once there is one for each thread: fewer are
 * expanded in another way. */
static void show(struct sharing *sharing, const struct bw_reached *next, int index)
{
	struct bw_search *search = sharing->search;
	struct bw_underway *ahead = &search->ahead;
	if (!ahead->most && next->n >= search->options.threads && !bw_search_alone(search, index, next))
		*ahead = bw_underway_new(index, next, search->options.beam + search->constraints.n);
	if (!ahead->most)
		return;
	ahead->n = next->n;
	atomic_store(&sharing->there, next->n);
}

bool bw_search_merge(struct bw_search *search, int until, double deadline, const atomic_bool *stop)
{
	int index = search->n_reached - 1;
	struct sharing sharing;
	sharing_begin(&sharing, search, &search->ahead, deadline, stop);
	if (!search->merging)
		search->merging = bw_merging_begin(search, index);
	bool goes_ahead = may_go_ahead(search, index, until), made;
	sharing.more = goes_ahead;
	if (goes_ahead)
		bw_crew_call(crew_of(search), expand_parents, &sharing);
	do {
		made = bw_merging_step(search->merging);
		if (goes_ahead || search->ahead.most) /* it may have gone ahead in an earlier slice of time */
			show(&sharing, bw_merging_next(search->merging), index + 1);
	} while (!made && time_left(&sharing));
	atomic_store(&sharing.more, false);
	if (made && goes_ahead) {
		double began = bw_search_now();
		expand_parents(&sharing);
		search->ahead.seconds += bw_search_now() - began;
	}
	if (goes_ahead)
		bw_crew_await(search->crew);
	sharing_end(&sharing);
	return made;
}
