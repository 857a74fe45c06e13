#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

struct bw_crew {
	pthread_mutex_t lock; /* of all that follows; calls and n_busy may be looked at without it */
	pthread_cond_t called, back;
	void (*work)(void *data); /* NULL: nothing is to be done */
	void *data;
	atomic_long calls;  /* so far, the dismissal among them */
	atomic_long n_busy; /* of the threads */
	bool dismissed;
	bool watches; /* there is a processor for each */
	int n;
	pthread_t threads[BW_MOST_CREW - 1];
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Looks for a little while whether a number is (or is not) a value: to fall asleep and be woken takes as long as much of what one thread does between two
 * calls. */
static void watch(const struct bw_crew *crew, const atomic_long *number, long value, bool is)
{
	const double most_seconds = 0.001;
	if (!crew->watches)
		return;
	double end = now() + most_seconds;
	while ((atomic_load_explicit(number, memory_order_relaxed) == value) != is && now() < end)
		;
}

/* Waits for a call after so many; the lock is held before and after. */
static void await_call(struct bw_crew *crew, long answered)
{
	pthread_mutex_unlock(&crew->lock);
	watch(crew, &crew->calls, answered, false);
	pthread_mutex_lock(&crew->lock);
	while (crew->calls == answered)
		pthread_cond_wait(&crew->called, &crew->lock);
}

/* Works as often as it is called. */
static void *serve(void *data)
{
	struct bw_crew *crew = data;
	long answered = 0;
	pthread_mutex_lock(&crew->lock);
	while (!crew->dismissed) {
		bool wanted = crew->work && crew->calls != answered;
		answered = crew->calls;
		if (!wanted) {
			await_call(crew, answered);
			continue;
		}
		crew->n_busy++;
		void (*work)(void *) = crew->work;
		void *on = crew->data;
		pthread_mutex_unlock(&crew->lock);
		work(on);
		pthread_mutex_lock(&crew->lock);
		if (!--crew->n_busy)
			pthread_cond_signal(&crew->back);
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* Processors that this process may run on. */
static int processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

struct bw_crew *bw_crew_new(int threads)
{
	struct bw_crew *crew = BW_NEW(struct bw_crew);
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->called, NULL);
	pthread_cond_init(&crew->back, NULL);
	int others = threads < BW_MOST_CREW ? threads - 1 : BW_MOST_CREW - 1;
	crew->watches = others < processors();
	while (crew->n < others && pthread_create(&crew->threads[crew->n], NULL, serve, crew) == 0)
		crew->n++;
	return crew;
}

static void call(struct bw_crew *crew, void (*work)(void *data), void *data)
{
	pthread_mutex_lock(&crew->lock);
	crew->work = work;
	crew->data = data;
	crew->calls++;
	pthread_cond_broadcast(&crew->called);
	pthread_mutex_unlock(&crew->lock);
}

static void await(struct bw_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	crew->work = NULL;
	pthread_mutex_unlock(&crew->lock);
	watch(crew, &crew->n_busy, 0, true);
	pthread_mutex_lock(&crew->lock);
	while (crew->n_busy)
		pthread_cond_wait(&crew->back, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

void bw_crew_work(struct bw_crew *crew, void (*work)(void *data), void *data)
{
	if (crew)
		call(crew, work, data);
	work(data);
	if (crew)
		await(crew);
}

void bw_crew_dismiss(struct bw_crew *crew)
{
	if (!crew)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->dismissed = true;
	crew->calls++;
	pthread_cond_broadcast(&crew->called);
	pthread_mutex_unlock(&crew->lock);
	for (int i = 0; i < crew->n; i++)
		pthread_join(crew->threads[i], NULL);
	pthread_cond_destroy(&crew->back);
	pthread_cond_destroy(&crew->called);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}
