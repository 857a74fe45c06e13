/* A bench: a thread that owns the worker and runs the tasks in the queue. */
#include "bench/bench.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "bench/bench_private.h"

enum { TICK_MS = 20 };
static const double default_silence = 60;

/* Callback of the link: returns true if waiting is to end. In the bench's thread. */
static bool is_stopped(void *of)
{
	const struct bw_bench *bench = of;
	return atomic_load(&bench->quit) || (bench->current && atomic_load(&bench->current->stopped));
}

struct bw_bench *bw_bench_new(const struct bw_places *places, const char *command, double seconds)
{
	struct bw_bench *bench = BW_NEW(struct bw_bench);
	struct bw_text cache = {0};
	bw_text_printf(&cache, "POCL_CACHE_DIR=%s/pocl", places->cache ? places->cache : "");
	bench->references = 1;
	bench->command = command ? bw_strdup(command) : NULL;
	bench->name = bw_strdup(command ? command : places->bench ? places->bench : "beamwalk-bench");
	bench->cache = bw_text_take(&cache);
	bench->caches = places->cache;
	bench->silence = seconds > 0 ? seconds : default_silence;
	const char *const remote[] = {"sh", "-c", bench->name}, *const local[] = {bench->name, NULL, NULL};
	memcpy(bench->argv, command ? remote : local, sizeof remote);
	bench->settings[0] = bench->cache;
	bench->link = (struct bw_link){.name = bench->name,
				       .argv = bench->argv,
				       .settings = bench->settings,
				       .shell = command,
				       .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
				       .stop = is_stopped,
				       .context = bench};
	bench->told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bw_lock_begin(&bench->lock, &bench->changed);
	return bench;
}

struct bw_bench *bw_bench_keep(struct bw_bench *bench)
{
	pthread_mutex_lock(&bench->lock);
	bench->references++;
	pthread_mutex_unlock(&bench->lock);
	return bench;
}

/* Wakes the bench's thread. */
static void bench_wake(const struct bw_bench *bench)
{
	eventfd_write(bench->link.wake, 1);
}

void bw_bench_drop(struct bw_bench *bench)
{
	if (!bench)
		return;
	pthread_mutex_lock(&bench->lock);
	bool last = --bench->references == 0;
	pthread_mutex_unlock(&bench->lock);
	if (!last)
		return;
	atomic_store(&bench->quit, true);
	bench_wake(bench);
	if (bench->threaded)
		pthread_join(bench->thread, NULL);
	bw_lock_end(&bench->lock, &bench->changed);
	close(bench->link.wake);
	close(bench->told);
	json_decref(bench->question.request);
	free(bench->command);
	free(bench->name);
	free(bench->cache);
	free(bench);
}

const char *bw_bench_command(const struct bw_bench *bench)
{
	return bench->command;
}

bool bw_bench_doing(struct bw_bench *bench, char *text, size_t size)
{
	pthread_mutex_lock(&bench->lock);
	bool waits = bench->waits;
	snprintf(text, size, "%s", bench->doing);
	pthread_mutex_unlock(&bench->lock);
	return waits;
}

/* Waits while there is no task. Ignores the worker's answers, except the end of a cancelled request, and
 * notices if the worker ends. */
static void idle(struct bw_bench *bench)
{
	struct bw_answer answer;
	struct bw_error error;
	eventfd_t wakes;
	poll((struct pollfd[]){{bench->link.wake, POLLIN, 0},
			       {bench->link.running ? bench->link.child.output : -1, POLLIN, 0}},
	     2, -1);
	eventfd_read(bench->link.wake, &wakes);
	if (bench->link.running && bw_link_wait(&bench->link, 0, &answer, &error) == BW_LINK_ANSWER) {
		if (answer.kind == BW_ANSWER_DONE && answer.id == bench->cancelled)
			bench->cancelled = 0;
		bw_answer_free(&answer);
	}
}

/* Sends the inquiry and waits for its answer. Kills the worker if the inquiry is stopped. In the bench's
 * thread. */
static void inquiry_ask(struct bw_bench *bench, struct bw_inquiry *inquiry)
{
	struct bw_error *error = &inquiry->error;
	json_t *request = inquiry->request;
	inquiry->good = bw_bench_ready(bench, error);
	inquiry->request = NULL;
	if (!inquiry->good)
		json_decref(request);
	else
		inquiry->good =
			bw_bench_call(bench, request, inquiry->seconds, inquiry->kind, &inquiry->answer, error);
	if (!inquiry->good && error->kind == BW_ERROR_STOPPED && bench->link.running)
		bw_link_close(&bench->link);
}

/* Stores the answer to the question for devices. Under lock. */
static void hear_devices(struct bw_bench *bench)
{
	struct bw_inquiry *question = &bench->question;
	bench->asked = question->good ? BW_TOLD : BW_ASKED_IN_VAIN;
	if (question->good)
		bench->devices = *question->answer.devices;
	bench->error = question->error;
	bench->lost = !question->good && bench->link.lost;
	bw_answer_free(&question->answer);
	eventfd_write(bench->told, 1);
}

static void *serve(void *of)
{
	struct bw_bench *bench = of;
	pthread_mutex_lock(&bench->lock);
	while (!atomic_load(&bench->quit)) {
		struct bw_task *task = bench->first;
		if (task)
			bench->first = task->next;
		pthread_mutex_unlock(&bench->lock);
		bench->current = task;
		if (task && task->inquiry)
			inquiry_ask(bench, task->inquiry);
		else if (task)
			bw_task_run(bench, task);
		else
			idle(bench);
		bench->current = NULL;
		pthread_mutex_lock(&bench->lock);
		if (task == &bench->asking)
			hear_devices(bench);
		if (task)
			task->ended = true;
		pthread_cond_broadcast(&bench->changed);
	}
	pthread_mutex_unlock(&bench->lock);
	bw_link_free(&bench->link);
	return NULL;
}

/* Starts the bench's thread if it does not run. Under lock. */
static bool bench_start(struct bw_bench *bench, struct bw_error *error)
{
	if (bench->threaded)
		return true;
	int failed = bw_thread_begin(&bench->thread, serve, bench);
	bench->threaded = !failed;
	return !failed || bw_fail(error, BW_ERROR_FAILED, "no thread: %s", strerror(failed));
}

/* Waits for a change, at most for one tick. Under lock. */
static void bench_wait(struct bw_bench *bench)
{
	bw_lock_wait(&bench->lock, &bench->changed, 1e-3 * TICK_MS);
}

static void enqueue(struct bw_bench *bench, struct bw_task *task)
{
	struct bw_task **end = &bench->first;
	while (*end)
		end = &(*end)->next;
	*end = task;
	bench_wake(bench);
}

/* Removes a task that has not begun from the queue. Under lock. */
static bool dequeue(struct bw_bench *bench, const struct bw_task *task)
{
	struct bw_task **at = &bench->first;
	while (*at && *at != task)
		at = &(*at)->next;
	if (!*at)
		return false;
	*at = task->next;
	return true;
}

/* Waits for the task's end and reports its progress. Under lock; releases the lock while it calls
 * progress. */
static void follow(struct bw_bench *bench, struct bw_task *task, const atomic_bool *stop,
		   bw_measure_progress *progress, void *context)
{
	int shown = 0;
	while (!task->ended || (progress && shown < atomic_load(&task->n_answered))) {
		if (!task->ended)
			bench_wait(bench);
		int done = atomic_load(&task->n_answered);
		if (stop && !task->ended && atomic_load(stop) && !atomic_exchange(&task->stopped, true)) {
			task->ended = dequeue(bench, task);
			bench_wake(bench);
		}
		if (done == shown || !progress)
			continue;
		pthread_mutex_unlock(&bench->lock);
		for (; shown < done; shown++)
			progress(context, task->order[shown], shown + 1, task->n);
		pthread_mutex_lock(&bench->lock);
	}
}

bool bw_bench_do(struct bw_bench *bench, struct bw_task *task, const atomic_bool *stop,
		 bw_measure_progress *progress, void *context, struct bw_error *error)
{
	pthread_mutex_lock(&bench->lock);
	bool good = bench_start(bench, error);
	if (good) {
		enqueue(bench, task);
		follow(bench, task, stop, progress, context);
	}
	pthread_mutex_unlock(&bench->lock);
	return good;
}

void bw_bench_measure(struct bw_bench *bench, const struct bw_measure_request *request,
		      const char *const *objects, int n, const struct bw_patience *patience,
		      struct bw_measured *measured, bw_measure_progress *progress, void *context)
{
	struct bw_task task = {.request = request,
			       .objects = objects,
			       .n = n,
			       .patience = patience->seconds,
			       .measured = measured};
	struct bw_error error = {0};
	task.answered = BW_NEW_ARRAY(bool, n);
	task.order = BW_NEW_ARRAY(int, n + 1);
	task.deaths = BW_NEW_ARRAY(int, n + 1);
	if (bw_bench_do(bench, &task, patience->stop, progress, context, &error))
		bw_fail(&error, BW_ERROR_STOPPED, "%s: stopped", bench->name);
	for (int k = 0; k < n; k++)
		if (!task.answered[k])
			measured[k] = (struct bw_measured){.loss = BW_LOSS_BEFORE, .error = error};
	free(task.answered);
	free(task.order);
	free(task.deaths);
	free(task.names);
}

bool bw_measure(struct bw_bench *bench, const struct bw_measure_request *request,
		const struct bw_patience *patience, struct bw_measurement *measurement,
		struct bw_counted **counted, struct bw_error *error)
{
	struct bw_measured *measured = BW_NEW(struct bw_measured);
	bw_bench_measure(bench, request, &request->object, 1, patience, measured, NULL, NULL);
	bool good = measured->good;
	*measurement = measured->measurement;
	*error = measured->error;
	if (counted && measured->counted)
		*counted = measured->counted;
	else
		bw_counted_free(measured->counted);
	free(measured);
	return good;
}

/* Asking the worker once for the devices of its machine, in the background or while the caller waits. */

int bw_bench_fd(const struct bw_bench *bench)
{
	return bench->told;
}

bool bw_bench_rates(struct bw_bench *bench, int device, double seconds, double limit, const atomic_bool *stop,
                    struct bw_rates *rates, struct bw_error *error)
{
	struct bw_inquiry inquiry = {.kind = BW_ANSWER_RATES, .seconds = limit};
	struct bw_task task = {.inquiry = &inquiry};
	inquiry.request = json_pack("{s:s,s:f,s:f}", "do", "rates", "seconds", seconds, "limit", limit);
	if (device)
		json_object_set_new(inquiry.request, "device", json_integer(device - 1));
	if (bw_bench_do(bench, &task, stop, NULL, NULL, &inquiry.error) && inquiry.request)
		bw_fail(&inquiry.error, BW_ERROR_STOPPED, "%s: stopped", bench->name);
	json_decref(inquiry.request);
	if (inquiry.good)
		*rates = *inquiry.answer.rates;
	else if (error)
		*error = inquiry.error;
	bw_answer_free(&inquiry.answer);
	return inquiry.good;
}

/* Queues the question for devices, unless that was done before. Under lock. */
static void ask_once(struct bw_bench *bench)
{
	if (bench->requested)
		return;
	eventfd_t before;
	eventfd_read(bench->told, &before);
	bench->requested = true;
	bench->asked = bench_start(bench, &bench->error) ? BW_ASKING : BW_ASKED_IN_VAIN;
	if (bench->asked == BW_ASKED_IN_VAIN)
		return;
	bench->question = (struct bw_inquiry){.request = json_pack("{s:s}", "do", "devices"),
					      .kind = BW_ANSWER_DEVICES};
	bench->asking = (struct bw_task){.inquiry = &bench->question};
	enqueue(bench, &bench->asking);
}

/* Returns the state of the question, with the devices or the error. Under lock. */
static enum bw_asked told(const struct bw_bench *bench, struct bw_presents *devices, struct bw_error *error)
{
	if (bench->asked == BW_TOLD)
		*devices = bench->devices;
	else if (bench->asked == BW_ASKED_IN_VAIN && error)
		*error = bench->error;
	return bench->asked;
}

enum bw_asked bw_bench_devices(struct bw_bench *bench, struct bw_presents *devices, struct bw_error *error)
{
	pthread_mutex_lock(&bench->lock);
	ask_once(bench);
	enum bw_asked asked = told(bench, devices, error);
	pthread_mutex_unlock(&bench->lock);
	return asked;
}

bool bw_bench_devices_wait(struct bw_bench *bench, const struct bw_patience *patience,
			   struct bw_presents *devices, struct bw_error *error)
{
	double deadline = bw_clock() + patience->seconds;
	bool stopped = false;
	pthread_mutex_lock(&bench->lock);
	bench->requested &= bench->asked != BW_ASKED_IN_VAIN;
	ask_once(bench);
	while (bench->asked == BW_ASKING && !stopped && bw_clock() < deadline) {
		bench_wait(bench);
		stopped = patience->stop && atomic_load(patience->stop);
	}
	enum bw_asked asked = told(bench, devices, error);
	pthread_mutex_unlock(&bench->lock);
	if (asked == BW_ASKING && stopped)
		bw_fail(error, BW_ERROR_STOPPED, "%s: stopped", bench->name);
	else if (asked == BW_ASKING)
		bw_fail(error, BW_ERROR_DEVICE, "%s: did not tell its devices within %g s", bench->name, patience->seconds);
	return asked == BW_TOLD;
}
