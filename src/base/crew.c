#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

/* Threads poll atomic numbers for a while before they sleep, and a thread that changes a number takes the
 * lock only if another one sleeps. Calls that follow each other closely therefore take a fraction of a
 * microsecond.
 *
 * A thread first counts itself as busy and then checks that the call still stands; the caller first
 * revokes the call and then checks for busy threads. So either the thread sees that it is too late, or the
 * caller sees that it has to wait. */
struct bw_crew {
	atomic_long call;   /* number of the current call; 0: none */
	void (*work)(void *data);
	void *data;
	long calls;         /* number of calls so far */
	bool watches;       /* there is a processor for each thread */
	char apart[BW_APART];
	atomic_long n_busy; /* threads that work */
	char end[BW_APART];
	pthread_mutex_t lock;
	pthread_cond_t called, back;
	atomic_long n_asleep;     /* threads that wait for `called` */
	atomic_bool awaits;       /* the caller waits for `back` */
	atomic_bool dismissed;
	int n;
	pthread_t threads[BW_MOST_CREW - 1];
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns true if there is a call that the thread has not answered, or the pool is dismissed. */
static bool is_called(struct bw_crew *crew, long answered)
{
	long call = atomic_load(&crew->call);
	return (call && call != answered) || atomic_load(&crew->dismissed);
}

static bool is_back(struct bw_crew *crew)
{
	return !atomic_load(&crew->n_busy);
}

/* How long a thread polls before it sleeps. Falling asleep and waking take about as long as the work between
 * two calls often does. */
static const double most_seconds_awake = 0.001;

static void await_call(struct bw_crew *crew, long answered)
{
	double end = crew->watches ? now() + most_seconds_awake : 0;
	while (!is_called(crew, answered) && end > 0 && now() < end)
		;
	if (is_called(crew, answered))
		return;
	pthread_mutex_lock(&crew->lock);
	atomic_fetch_add(&crew->n_asleep, 1);
	while (!is_called(crew, answered))
		pthread_cond_wait(&crew->called, &crew->lock);
	atomic_fetch_sub(&crew->n_asleep, 1);
	pthread_mutex_unlock(&crew->lock);
}

static void wake_caller(struct bw_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	pthread_cond_signal(&crew->back);
	pthread_mutex_unlock(&crew->lock);
}

/* The main function of a thread: answers each call. */
static void *serve(void *data)
{
	struct bw_crew *crew = data;
	for (long answered = 0; await_call(crew, answered), !atomic_load(&crew->dismissed);) {
		long call = atomic_load(&crew->call);
		atomic_fetch_add(&crew->n_busy, 1);
		if (call && atomic_load(&crew->call) == call) {
			crew->work(crew->data);
			answered = call;
		}
		if (atomic_fetch_sub(&crew->n_busy, 1) == 1 && atomic_load(&crew->awaits))
			wake_caller(crew);
	}
	return NULL;
}

/* Returns the number of processors that this process may run on. */
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

static void wake_all(struct bw_crew *crew)
{
	if (!atomic_load(&crew->n_asleep))
		return;
	pthread_mutex_lock(&crew->lock);
	pthread_cond_broadcast(&crew->called);
	pthread_mutex_unlock(&crew->lock);
}

void bw_crew_call(struct bw_crew *crew, void (*work)(void *data), void *data)
{
	crew->work = work;
	crew->data = data;
	atomic_store(&crew->call, ++crew->calls);
	wake_all(crew);
}

void bw_crew_await(struct bw_crew *crew)
{
	atomic_store(&crew->call, 0);
	double end = crew->watches ? now() + most_seconds_awake : 0;
	while (!is_back(crew) && end > 0 && now() < end)
		;
	if (is_back(crew))
		return;
	pthread_mutex_lock(&crew->lock);
	atomic_store(&crew->awaits, true);
	while (!is_back(crew))
		pthread_cond_wait(&crew->back, &crew->lock);
	atomic_store(&crew->awaits, false);
	pthread_mutex_unlock(&crew->lock);
}

void bw_crew_work(struct bw_crew *crew, void (*work)(void *data), void *data)
{
	if (crew)
		bw_crew_call(crew, work, data);
	work(data);
	if (crew)
		bw_crew_await(crew);
}

void bw_crew_pause(const struct bw_crew *crew)
{
	if (!crew || !crew->watches)
		sched_yield();
}

void bw_crew_dismiss(struct bw_crew *crew)
{
	if (!crew)
		return;
	atomic_store(&crew->dismissed, true);
	wake_all(crew);
	for (int i = 0; i < crew->n; i++)
		pthread_join(crew->threads[i], NULL);
	pthread_cond_destroy(&crew->back);
	pthread_cond_destroy(&crew->called);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}
