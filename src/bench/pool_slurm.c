/* A worker of a pool that is an array of Slurm jobs. Each compiled schedule is put into the folder as a
 * request. Answers are taken in any order. */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/pool_private.h"
#include "bench/slurm.h"

enum { POLL_US = 200000, MOST_TROUBLES = 900 /* looks at the jobs, or writes, in a row that failed */ };
static const double look_seconds = 3, write_seconds = 2;

/* A request in the folder. */
struct held {
	struct bw_pool_item *item;
	char name[BW_CONTENT_NAME];
};

struct array {
	struct bw_pool_worker *worker;
	struct bw_slurm *slurm;
	char *reference; /* the reference's path in the folder; NULL: not there yet */
	struct held *list;
	int n, capacity;
	int troubles;
	double looked, failed; /* bw_clock: when the jobs were checked last; when writing failed last */
};

/* Reports a failure in the news, but only the first of several in a row. Drops the worker after many in a
 * row. */
static void say_trouble(struct array *array, const struct bw_error *error)
{
	struct bw_pool *pool = array->worker->pool;
	array->failed = bw_clock();
	if (array->troubles == 0)
		bw_text_printf(&pool->news, "%s; trying again\n", error->text);
	if (++array->troubles > MOST_TROUBLES)
		bw_pool_drop(array->worker, error->kind, error->text);
}

/* Checks the jobs from time to time. Releases the lock meanwhile. */
static void look_after(struct array *array)
{
	struct bw_pool *pool = array->worker->pool;
	BW_SCOPED_TEXT news = {0};
	struct bw_error error = {0};
	if (bw_clock() < array->looked + look_seconds)
		return;
	pthread_mutex_unlock(&pool->lock);
	bool good = bw_slurm_look_after(array->slurm, &news, &error);
	pthread_mutex_lock(&pool->lock);
	array->looked = bw_clock();
	bw_text_puts(&pool->news, bw_text_get(&news));
	if (!good)
		bw_pool_drop(array->worker, error.kind, error.text);
}

/* Adds the version and the id to a request and returns it as a line; free(). Takes ownership of the
 * request. */
static char *line_of(json_t *request)
{
	json_auto_t *whole = json_pack("{s:i,s:i}", "beamwalk-bench", BW_BENCH_VERSION, "id", 1);
	json_object_update(whole, request);
	BW_SCOPED_MEMORY char *text = json_dumps(whole, JSON_COMPACT);
	json_decref(request);
	return bw_format("%s\n", text);
}

/* Puts the request for an item into the folder. Not under lock. */
static bool put(struct array *array, const char *object, struct held *held, struct bw_error *error)
{
	struct bw_pool_worker *worker = array->worker;
	struct bw_measure_request what = bw_pool_request(worker);
	BW_SCOPED_MEMORY char *content = NULL;
	bool answered = false,
	     good = array->reference || !what.reference ||
		    bw_slurm_content(array->slurm, what.reference, &array->reference, error);
	if (!good || !bw_slurm_content(array->slurm, object, &content, error))
		return false;
	int map, n;
	what.reference = array->reference;
	struct bw_task task = {
	    .request = &what, .objects = (const char *const[]){content}, .n = 1, .answered = &answered};
	json_t *request = bw_task_request(&task, &map, &n);
	BW_SCOPED_MEMORY char *line = request ? line_of(request) : NULL;
	return line ? bw_slurm_put(array->slurm, line, held->name, error)
		    : bw_fail(error, BW_ERROR_INPUT, "%s: it is no UTF-8", content);
}

/* Puts the next compiled schedule into the folder. Releases the lock meanwhile. Returns false if there is
 * none. */
static bool put_next(struct array *array)
{
	struct bw_pool_worker *worker = array->worker;
	struct bw_pool *pool = worker->pool;
	struct bw_pool_item *item = pool->first;
	struct bw_error error = {0};
	while (item && !(item->state == BW_ITEM_COMPILED && !item->holders && item->wanted &&
			 item->kind == worker->kind))
		item = item->next;
	if (!item || !bw_pool_can_run(worker) || bw_clock() < array->failed + write_seconds)
		return false;
	struct held held = {.item = item};
	item->holders++;
	pthread_mutex_unlock(&pool->lock);
	bool good = put(array, item->object, &held, &error);
	pthread_mutex_lock(&pool->lock);
	if (!good) {
		item->holders--;
		say_trouble(array, &error);
		return false;
	}
	array->troubles = 0;
	item->since = bw_clock();
	BW_PUSH(array->list, array->n, array->capacity, held);
	return true;
}

/* Reads the answers to one schedule. Returns false with an error of kind IO if they are incomplete. */
static bool read_outcome(const char *answers, struct bw_measured *measured)
{
	struct bw_answer answer;
	struct bw_error error = {0};
	bool found = false;
	*measured = (struct bw_measured){.loss = BW_LOSS_DURING};
	for (const char *line = answers; *line && !found;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		size_t length = strcspn(line, "\n");
		if (!bw_answer_read(line, length, &answer, &error)) {
			bw_answer_free(&answer);
			break;
		}
		found = answer.kind == BW_ANSWER_RESULT || answer.kind == BW_ANSWER_ERROR;
		if (answer.kind == BW_ANSWER_RESULT) {
			*measured = (struct bw_measured){
			    .good = true, .measurement = answer.measurement, .counted = answer.counted};
			answer.counted = NULL;
		} else if (answer.kind == BW_ANSWER_ERROR) {
			bool own =
			    answer.error.kind == BW_ERROR_HALIDE || answer.error.kind == BW_ERROR_DEVICE;
			*measured = (struct bw_measured){.loss = own ? BW_LOSS_NONE : BW_LOSS_DURING,
							 .error = answer.error};
		}
		bw_answer_free(&answer);
	}
	if (!found)
		bw_fail(&measured->error, BW_ERROR_IO, "Slurm: a job left an answer that is not whole");
	return found;
}

/* Returns true if the schedule ran on another kind of device than the one for which it was compiled. */
static bool is_elsewhere(const struct bw_pool_worker *worker, const struct bw_measurement *measurement)
{
	return *worker->told && strcmp(measurement->device, worker->told) != 0;
}

/* Handles the answers to the request at `place`. */
static void take_answer(struct array *array, int place, const char *answers)
{
	struct bw_pool_worker *worker = array->worker;
	struct bw_pool *pool = worker->pool;
	struct bw_measured *measured = &worker->measured[0];
	read_outcome(answers, measured);
	if (measured->good && is_elsewhere(worker, &measured->measurement)) {
		bw_counted_free(measured->counted);
		struct bw_error error = {0};
		bw_fail(&error, BW_ERROR_DEVICE,
			"Slurm: a node has %s, and not %s: ask for one kind, as in --gres=gpu:NAME:1",
			measured->measurement.device, worker->told);
		*measured = (struct bw_measured){.loss = BW_LOSS_DURING, .error = error};
		if (!worker->disagrees)
			bw_text_printf(&pool->news, "%s\n", error.text);
		worker->disagrees = true;
	}
	if (measured->good && measured->measurement.verdict != BW_OUTPUT_WRONG &&
	    !(measured->measurement.minimum > 0)) {
		bw_counted_free(measured->counted);
		*measured = (struct bw_measured){.loss = BW_LOSS_DURING};
		bw_fail(&measured->error, BW_ERROR_DEVICE, "Slurm: a job says that a schedule takes no time");
	}
	worker->began = 0;
	worker->last = bw_clock();
	worker->batch[0] = array->list[place].item;
	worker->objects[0] = array->list[place].item->object;
	if (measured->good && measured->counted) {
		pthread_mutex_unlock(&pool->lock);
		bw_job_inspect(&pool->setup.request, &pool->kinds[worker->kind].device, worker->objects[0],
				 &pool->quit, &measured->measurement, measured->counted);
		pthread_mutex_lock(&pool->lock);
	}
	bw_pool_take_in(worker, 0);
	array->list[place] = array->list[--array->n];
}

/* Takes the available answers, and withdraws requests that are no longer wanted. Releases the lock
 * meanwhile. */
static void take_answers(struct array *array)
{
	struct bw_pool *pool = array->worker->pool;
	for (int i = array->n - 1; i >= 0; i--) {
		BW_SCOPED_TEXT answers = {0};
		struct held *held = &array->list[i];
		bool wanted = held->item->wanted;
		pthread_mutex_unlock(&pool->lock);
		bool there = wanted && bw_slurm_take(array->slurm, held->name, &answers);
		if (!wanted)
			bw_slurm_withdraw(array->slurm, held->name);
		pthread_mutex_lock(&pool->lock);
		if (there)
			take_answer(array, i, bw_text_get(&answers));
		else if (!wanted) {
			held->item->holders--;
			array->list[i] = array->list[--array->n];
		}
	}
	bw_pool_sweep(pool);
}

/* Reads the list of devices from answers. Returns false with an error if there is none. */
static bool read_devices(const char *answers, struct bw_presents *devices, struct bw_error *error)
{
	struct bw_answer answer;
	bool good = bw_answer_read(answers, strcspn(answers, "\n"), &answer, error) &&
		    (answer.kind == BW_ANSWER_DEVICES ||
		     bw_fail(error, BW_ERROR_DEVICE, "Slurm: a job could not tell its devices%s%s",
			     answer.kind == BW_ANSWER_ERROR ? ": " : "",
			     answer.kind == BW_ANSWER_ERROR ? answer.error.text : ""));
	if (good)
		*devices = *answer.devices;
	bw_answer_free(&answer);
	return good;
}

/* Asks a job for its devices. Releases the lock meanwhile. */
static bool ask_devices(struct array *array, struct bw_presents *devices, struct bw_error *error)
{
	struct bw_pool_worker *worker = array->worker;
	struct bw_pool *pool = worker->pool;
	BW_SCOPED_TEXT answers = {0};
	char name[BW_CONTENT_NAME], *line = line_of(json_pack("{s:s}", "do", "devices"));
	bool put = false, there = false;
	while (!there && !atomic_load(&pool->quit) && worker->health == BW_WORKER_ASKED) {
		if (!put && bw_clock() > array->failed + write_seconds) {
			put = bw_slurm_put(array->slurm, line, name, error);
			if (!put)
				say_trouble(array, error);
		}
		look_after(array);
		pthread_mutex_unlock(&pool->lock);
		usleep(POLL_US);
		there = put && bw_slurm_take(array->slurm, name, &answers);
		pthread_mutex_lock(&pool->lock);
	}
	free(line);
	return there && read_devices(bw_text_get(&answers), devices, error);
}

/* Joins the pool as a worker with the device that a job reports. Under lock. */
static void join(struct array *array)
{
	struct bw_pool_worker *worker = array->worker;
	struct bw_presents devices;
	struct bw_device device;
	struct bw_error error = {0};
	bool good =
	    ask_devices(array, &devices, &error) &&
	    bw_job_device_among(&worker->pool->setup.request, &devices, &device, &worker->device, &error);
	if (good)
		snprintf(worker->told, sizeof worker->told, "%s", devices.list[worker->device - 1].name);
	bw_pool_join(worker, good ? &device : NULL, &error);
}

void *bw_pool_serve_slurm(void *of)
{
	struct bw_pool_worker *worker = of;
	struct bw_pool *pool = worker->pool;
	struct array array = {.worker = worker, .slurm = pool->setup.slurm};
	pthread_mutex_lock(&pool->lock);
	join(&array);
	while (!atomic_load(&pool->quit) && worker->health == BW_WORKER_WORKS) {
		while (put_next(&array))
			;
		take_answers(&array);
		worker->n = array.n > 0;
		look_after(&array);
		pthread_mutex_unlock(&pool->lock);
		usleep(POLL_US);
		pthread_mutex_lock(&pool->lock);
	}
	worker->n = 0;
	for (int i = 0; i < array.n; i++) {
		array.list[i].item->holders--;
		bw_slurm_withdraw(array.slurm, array.list[i].name);
	}
	pthread_mutex_unlock(&pool->lock);
	free(array.reference);
	free(array.list);
	return NULL;
}
