#include "results/results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

struct bw_recorder {
	char *path;
	int busy_ms, again_ms;
	pthread_t thread;
	bool running;         /* there is a thread to join */
	int changed;          /* eventfd */
	pthread_mutex_t lock; /* for the fields below */
	pthread_cond_t came;
	struct bw_result **waiting; /* the first one is being stored */
	int n_waiting, capacity;
	struct bw_text said;
	bool ending;
};

static void say(struct bw_recorder *recorder, const char *line)
{
	bw_text_printf(&recorder->said, "%s\n", line);
	eventfd_write(recorder->changed, 1);
}

/* Adds the notice about the file to the news, line by line. */
static void say_all(struct bw_recorder *recorder, struct bw_text *notice)
{
	if (notice->length) {
		bw_text_append(&recorder->said, notice->bytes, notice->length);
		eventfd_write(recorder->changed, 1);
	}
	bw_text_clear(notice);
}

/* Stores one result. If that fails, the file is opened again the next time. */
static bool store(const struct bw_recorder *recorder, struct bw_results **results,
		  const struct bw_result *result, struct bw_text *notice, struct bw_error *error)
{
	if (!*results)
		*results = bw_results_open(recorder->path, true, recorder->busy_ms, notice, error);
	if (*results && bw_results_add(*results, result, notice, error))
		return true;
	bw_results_close(*results);
	*results = NULL;
	return false;
}

/* Shortens the name at the beginning of an error to the file's name, so that the reason is visible in one
 * line of the screen. */
static const char *without_folder(const struct bw_recorder *recorder, const char *text)
{
	const char *slash = strrchr(recorder->path, '/');
	return slash && !strncmp(text, recorder->path, strlen(recorder->path))
		   ? text + (slash + 1 - recorder->path)
		   : text;
}

/* Waits until it is time to try again or to end. */
static void pause_a_while(struct bw_recorder *recorder)
{
	struct timespec until = bw_clock_in(1e-3 * (double)recorder->again_ms);
	int n = recorder->n_waiting, timed_out = 0;
	while (!recorder->ending && recorder->n_waiting == n && timed_out != ETIMEDOUT)
		timed_out = pthread_cond_timedwait(&recorder->came, &recorder->lock, &until);
}

static void take_first(struct bw_recorder *recorder)
{
	bw_result_free(recorder->waiting[0]);
	BW_REMOVE(recorder->waiting, recorder->n_waiting, 0);
}

/* Stores the waiting results. Holds the lock, except while it stores. */
static void record(struct bw_recorder *recorder)
{
	struct bw_results *results = NULL;
	BW_SCOPED_TEXT notice = {0};
	bool late = false, last = false;
	while (!last) {
		while (!recorder->ending && !recorder->n_waiting)
			pthread_cond_wait(&recorder->came, &recorder->lock);
		last = recorder->ending;
		for (bool good = true; good && recorder->n_waiting;) {
			struct bw_error error = {0};
			const struct bw_result *first = recorder->waiting[0];
			pthread_mutex_unlock(&recorder->lock);
			good = store(recorder, &results, first, &notice, &error);
			pthread_mutex_lock(&recorder->lock);
			say_all(recorder, &notice);
			if (good)
				take_first(recorder);
			else if (!late)
				bw_text_printf(&recorder->said, "not stored yet: %s\n", without_folder(recorder, error.text));
			if (good && late && !recorder->n_waiting)
				say(recorder, "stored now");
			late = good ? late && recorder->n_waiting : true;
			eventfd_write(recorder->changed, 1);
		}
		bw_results_close(results);
		results = NULL;
		if (recorder->n_waiting && !last)
			pause_a_while(recorder);
	}
}

static void *run(void *of)
{
	struct bw_recorder *recorder = of;
	pthread_mutex_lock(&recorder->lock);
	record(recorder);
	pthread_mutex_unlock(&recorder->lock);
	return NULL;
}

struct bw_recorder *bw_recorder_new(const char *path, int busy_ms, int again_ms)
{
	struct bw_recorder *recorder = BW_NEW(struct bw_recorder);
	recorder->path = bw_strdup(path);
	recorder->busy_ms = busy_ms;
	recorder->again_ms = again_ms;
	recorder->changed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bw_lock_begin(&recorder->lock, &recorder->came);
	return recorder;
}

void bw_recorder_add(struct bw_recorder *recorder, struct bw_result *result)
{
	pthread_mutex_lock(&recorder->lock);
	BW_PUSH(recorder->waiting, recorder->n_waiting, recorder->capacity, result);
	pthread_cond_signal(&recorder->came);
	if (!recorder->running)
		recorder->running = !bw_thread_begin(&recorder->thread, run, recorder);
	pthread_mutex_unlock(&recorder->lock);
}

int bw_recorder_poll(struct bw_recorder *recorder, struct bw_text *said)
{
	eventfd_t changes;
	eventfd_read(recorder->changed, &changes);
	pthread_mutex_lock(&recorder->lock);
	int n = recorder->n_waiting;
	if (recorder->said.length)
		bw_text_append(said, recorder->said.bytes, recorder->said.length);
	bw_text_clear(&recorder->said);
	pthread_mutex_unlock(&recorder->lock);
	return n;
}

int bw_recorder_fd(const struct bw_recorder *recorder)
{
	return recorder->changed;
}

/* Writes the remaining results into a file of their own beside the file, which appears complete or not at
 * all. */
static bool put_beside(struct bw_recorder *recorder, struct bw_text *path, struct bw_error *error)
{
	char uid[BW_UID_SIZE];
	bw_result_uid(uid);
	bw_text_printf(path, "%s.unsaved-%s", recorder->path, uid);
	BW_SCOPED_MEMORY char *part = bw_format("%s.part", bw_text_get(path));
	struct bw_results *results = bw_results_open(part, true, recorder->busy_ms, NULL, error);
	bool good = results;
	for (int i = 0; good && i < recorder->n_waiting; i++)
		good = bw_results_add(results, recorder->waiting[i], NULL, error);
	bw_results_close(results);
	good = good && (rename(part, bw_text_get(path)) == 0 ||
			bw_fail(error, BW_ERROR_IO, "%s: %s", bw_text_get(path), strerror(errno)));
	if (!good)
		unlink(part);
	return good;
}

static bool leave_rest(struct bw_recorder *recorder, struct bw_text *said)
{
	BW_SCOPED_TEXT path = {0};
	struct bw_error error = {0};
	int n = recorder->n_waiting;
	bool good = put_beside(recorder, &path, &error);
	if (good) {
		bw_text_printf(said, "%d measurement%s in %s; the next run stores %s\n", n,
			       n == 1 ? " waits" : "s wait", bw_text_get(&path), n == 1 ? "it" : "them");
	} else {
		bw_text_printf(said, "%s; %s\n", error.text,
			       n == 1 ? "the measurement that could not be stored:"
				      : "the measurements that could not be stored:");
		for (int i = 0; i < n; i++)
			bw_result_print_json(recorder->waiting[i], said);
	}
	return good;
}

bool bw_recorder_end(struct bw_recorder *recorder, struct bw_text *said)
{
	if (!recorder)
		return true;
	pthread_mutex_lock(&recorder->lock);
	recorder->ending = true;
	pthread_cond_signal(&recorder->came);
	pthread_mutex_unlock(&recorder->lock);
	if (recorder->running)
		pthread_join(recorder->thread, NULL);
	bw_recorder_poll(recorder, said);
	bool good = !recorder->n_waiting || leave_rest(recorder, said);
	while (recorder->n_waiting)
		take_first(recorder);
	free(recorder->waiting);
	bw_text_free(&recorder->said);
	bw_lock_end(&recorder->lock, &recorder->came);
	if (recorder->changed >= 0)
		close(recorder->changed);
	free(recorder->path);
	free(recorder);
	return good;
}
