#include "search/crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

struct bw_crew {
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t called, back;
	void (*work)(void *data); /* NULL: nothing is to be done */
	void *data;
	long calls; /* so far */
	int n_busy; /* of the threads */
	bool dismissed;
	int n;
	pthread_t threads[BW_MOST_CREW - 1];
};

/* Works as often as it is called. */
static void *serve(void *data)
{
	struct bw_crew *crew = data;
	long answered = 0;
	pthread_mutex_lock(&crew->lock);
	while (!crew->dismissed) {
		if (!crew->work || crew->calls == answered) {
			pthread_cond_wait(&crew->called, &crew->lock);
			continue;
		}
		answered = crew->calls;
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

struct bw_crew *bw_crew_new(int threads)
{
	struct bw_crew *crew = BW_NEW(struct bw_crew);
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->called, NULL);
	pthread_cond_init(&crew->back, NULL);
	int others = threads < BW_MOST_CREW ? threads - 1 : BW_MOST_CREW - 1;
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
	pthread_cond_broadcast(&crew->called);
	pthread_mutex_unlock(&crew->lock);
	for (int i = 0; i < crew->n; i++)
		pthread_join(crew->threads[i], NULL);
	pthread_cond_destroy(&crew->back);
	pthread_cond_destroy(&crew->called);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}
