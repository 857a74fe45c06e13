/* Measures a list of objects with one worker. Every object gets exactly one outcome, even if the worker
 * ends. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "bench/bench_private.h"
#include "bench/complaint.h"

enum {
	MOST_DEATHS = 2, /* an object fails when so many workers have ended while they ran it */
	NOTHING = -2, REFERENCE = -1 /* values of under_way that are no object */
};
/* Seconds that a worker may take to end a cancelled request before it is killed. */
static const double cancel_seconds = 5;

/* Sends a request, which has no version and id. Takes ownership of it. Returns its id. */
static int64_t bench_send(struct bw_bench *bench, json_t *request)
{
	int64_t id = bw_link_id(&bench->link);
	json_object_set_new(request, "beamwalk-bench", json_integer(BW_BENCH_VERSION));
	json_object_set_new(request, "id", json_integer(id));
	BW_SCOPED_MEMORY char *line = json_dumps(request, JSON_COMPACT);
	json_decref(request);
	bw_link_send(&bench->link, line);
	return id;
}

/* Waits for an answer to request `id` until `deadline`. Skips answers to other requests. Returns
 * BW_LINK_WOKEN if the current task or the bench is to stop. After BW_LINK_ANSWER the caller frees the
 * answer. */
static enum bw_link_event bench_expect(struct bw_bench *bench, int64_t id, double deadline,
					  struct bw_answer *answer, struct bw_error *error)
{
	for (;;) {
		enum bw_link_event event = bw_clock() < deadline
					       ? bw_link_wait(&bench->link, deadline, answer, error)
					       : BW_LINK_LATE;
		if (event != BW_LINK_ANSWER || answer->id == id || answer->id == 0)
			return event;
		if (answer->kind == BW_ANSWER_DONE && answer->id == bench->cancelled)
			bench->cancelled = 0;
		bw_answer_free(answer);
	}
}

/* Returns true if PoCL's cache folder for a worker of this machine can be written. If it cannot, PoCL finds
 * no device. Returns false with an error. */
static bool can_begin(const struct bw_bench *bench, struct bw_error *error)
{
	const char *folder = strchr(bench->cache, '=') + 1;
	if (bench->command || bench->link.running || !bench->caches)
		return true;
	if (!bw_trusted_folder_make(folder, error))
		return bw_fail_in(error, "the cache cannot be used");
	return access(folder, W_OK) == 0 ||
	       bw_fail(error, BW_ERROR_IO, "the cache %s cannot be written: %s", folder, strerror(errno));
}

bool bw_bench_ready(struct bw_bench *bench, struct bw_error *error)
{
	struct bw_answer answer;
	double deadline = bw_clock() + cancel_seconds;
	while (bench->link.running && bench->cancelled) {
		enum bw_link_event event = bench_expect(bench, bench->cancelled, deadline, &answer, error);
		if (event == BW_LINK_ANSWER) {
			if (answer.kind == BW_ANSWER_DONE)
				bench->cancelled = 0;
			bw_answer_free(&answer);
		} else {
			bw_link_close(&bench->link);
		}
	}
	bench->cancelled = 0;
	return can_begin(bench, error) && bw_link_open(&bench->link, bench->silence, error);
}

bool bw_bench_call(struct bw_bench *bench, json_t *request, double seconds, enum bw_answer_kind kind,
			struct bw_answer *answer, struct bw_error *error)
{
	seconds += bench->silence;
	int64_t id = bench_send(bench, request);
	double began = bw_clock(), waited = 0;
	enum bw_link_event event;
	while ((event = bench_expect(bench, id, began + waited + seconds, answer, error)) == BW_LINK_ANSWER &&
	       answer->kind == BW_ANSWER_BEGIN) {
		waited = fmin(answer->waits, bw_clock() - began);
		bw_answer_free(answer);
	}
	switch (event) {
	case BW_LINK_ANSWER:
		if (answer->kind == kind)
			return true;
		if (answer->kind == BW_ANSWER_ERROR)
			bw_fail(error, answer->error.kind, "%s: %s", bench->name, answer->error.text);
		else
			bw_fail(error, BW_ERROR_DEVICE, "%s: answered another question than the one asked", bench->name);
		bw_answer_free(answer);
		return false;
	case BW_LINK_WOKEN:
		return bw_fail(error, BW_ERROR_STOPPED, "%s: stopped", bench->name);
	case BW_LINK_LATE:
		return bw_link_late(&bench->link, seconds, error);
	case BW_LINK_LOST:
		break;
	}
	return false;
}

/* Sends objects to a worker that cannot read this machine's files. Each content is sent once. */

/* The largest shared object that can be sent, in bytes. */
static const size_t most_object = 256 << 20;

static const char *path_of(const struct bw_task *task, int k)
{
	return k < task->n ? task->objects[k] : task->request->reference;
}

/* Returns true if the worker needs object k (n: the reference). It does not need objects that have an
 * outcome. */
static bool needed(const struct bw_task *task, int k)
{
	return k < task->n ? !task->answered[k] : task->request->reference != NULL;
}

static bool read_names(struct bw_task *task, struct bw_error *error)
{
	task->names = bw_new_array((size_t)task->n + 1, sizeof *task->names);
	for (int k = 0; k <= task->n; k++) {
		BW_SCOPED_TEXT content = {0};
		if (!needed(task, k))
			continue;
		if (!bw_file_read(path_of(task, k), most_object, &content, error))
			return false;
		bw_content_name(bw_text_get(&content), content.length, task->names[k]);
	}
	return true;
}

/* Sends a content in pieces and waits until the worker has all of them. */
static bool put(struct bw_bench *bench, const struct bw_task *task, int k, struct bw_error *error)
{
	BW_SCOPED_TEXT content = {0};
	struct bw_answer answer;
	bool good = bw_file_read(path_of(task, k), most_object, &content, error);
	for (size_t at = 0; good && at < content.length;) {
		size_t n = content.length - at < BW_PIECE ? content.length - at : BW_PIECE;
		BW_SCOPED_MEMORY char *bytes = bw_base64_encode((const unsigned char *)content.bytes + at, n);
		json_t *request = json_pack("{s:s,s:s,s:I,s:I,s:s}", "do", "put", "content", task->names[k], "size", (json_int_t)content.length, "at", (json_int_t)at, "bytes", bytes);
		good = bw_bench_call(bench, request, 0, BW_ANSWER_PUT, &answer, error);
		if (!good)
			break;
		at = (size_t)answer.number > at ? (size_t)answer.number : content.length + 1;
		good = at <= content.length ||
		       bw_fail(error, BW_ERROR_DEVICE, "%s: does not take %s", bench->name, path_of(task, k));
		bw_answer_free(&answer);
	}
	return good;
}

/* Sends the contents that the worker lacks: of the reference, and of the objects without an outcome. Returns
 * false with an error; its kind is STOPPED if the task was stopped. */
static bool upload(struct bw_bench *bench, struct bw_task *task, struct bw_error *error)
{
	struct bw_answer answer;
	json_t *names = json_array();
	if (!task->names && !read_names(task, error)) {
		json_decref(names);
		return false;
	}
	for (int k = 0; k <= task->n; k++)
		if (needed(task, k))
			json_array_append_new(names, json_string(task->names[k]));
	if (!bw_bench_call(bench, json_pack("{s:s,s:o}", "do", "have", "contents", names), 0, BW_ANSWER_HAVE, &answer, error))
		return false;
	bool good = true;
	for (int k = 0, asked = 0; k <= task->n && good; k++)
		if (needed(task, k) && (asked >= answer.n_have || !answer.have[asked++]))
			good = put(bench, task, k, error);
	bw_answer_free(&answer);
	return good;
}

static void set_answered(struct bw_task *task, int k)
{
	task->answered[k] = true;
	task->order[atomic_load(&task->n_answered)] = k;
	atomic_fetch_add(&task->n_answered, 1);
}

static void set_error(struct bw_task *task, int k, enum bw_loss loss, const struct bw_error *error)
{
	task->measured[k] = (struct bw_measured){.loss = loss, .error = *error};
	set_answered(task, k);
}

/* Sets the same error for all objects without an outcome. */
static void fail_rest(struct bw_task *task, enum bw_loss loss, const struct bw_error *error)
{
	for (int k = 0; k < task->n; k++)
		if (!task->answered[k])
			set_error(task, k, loss, error);
}

/* Returns the name of a shared object for a request. */
static json_t *object_name(const struct bw_task *task, int k)
{
	return task->names ? json_pack("{s:s}", "content", task->names[k]) : json_string(path_of(task, k));
}

json_t *bw_task_request(const struct bw_task *task, int *map, int *n)
{
	const struct bw_measure_request *request = task->request;
	json_t *line = json_pack("{s:s,s:I,s:[f,f],s:f,s:f}", "do", "measure", "seed", (json_int_t)(request->seed & INT64_MAX), "bound", request->bound.absolute, request->bound.relative,
	                         "seconds", request->seconds, "limit", request->limit);
	json_t *objects = json_array();
	bool good = line && objects;
	*n = 0;
	for (int k = 0; k < task->n && good; k++) {
		if (task->answered[k])
			continue;
		map[(*n)++] = k;
		good = json_array_append_new(objects, object_name(task, k)) == 0;
	}
	good = json_object_set_new(line, "objects", objects) == 0 && good;
	good = good && (!request->reference ||
			json_object_set_new(line, "reference", object_name(task, task->n)) == 0);
	good = good && (!request->estimates ||
			json_object_set_new(line, "estimates", json_loads(request->estimates, 0, NULL)) == 0);
	if (good && request->bound.by_type)
		good = json_object_set_new(line, "bound", json_string(BW_BOUND_WORD)) == 0;
	else if (good && request->bound.points)
		good = json_array_append_new(json_object_get(line, "bound"),
					     json_integer((json_int_t)request->bound.points)) == 0;
	good = good && (!request->registers ||
			json_object_set_new(line, "registers", json_integer(request->registers)) == 0);
	if (good && request->emulation.counts)
		good = json_object_set_new(line, "counts", json_true()) == 0;
	if (good && request->emulation.sampled)
		good = json_object_set_new(line, "sample", json_true()) == 0;
	if (good && *request->emulation.check)
		good = json_object_set_new(line, "check", json_string(request->emulation.check)) == 0;
	good = good && (!(request->slow > 0) || json_object_set_new(line, "slow", json_real(request->slow)) == 0);
	good = good && (!request->device ||
			json_object_set_new(line, "device", json_integer(request->device - 1)) == 0);
	if (good)
		return line;
	json_decref(line);
	return NULL;
}

/* Adds the worker's standard error to the error of a crashed run, because drivers print a message and then
 * abort. */
static void add_complaint(struct bw_text *errors, struct bw_error *error)
{
	BW_SCOPED_TEXT line = {0};
	bw_complaint(bw_text_get(errors), &line);
	size_t used = strlen(error->text);
	if (line.length && error->kind == BW_ERROR_DEVICE)
		snprintf(error->text + used, sizeof error->text - used, ": %s", line.bytes);
}

/* State of one request of bw_bench_measure. */
struct following {
	const int *map; /* the task's index per object of the request */
	int n;
	int under_way; /* index in the task */
	int begun; /* objects of the request, and the reference, that have begun; they begin in order */
	double since; /* bw_clock at the last progress */
	double waited; /* seconds that the current object has waited for its turn on the device since then */
	bool done;
};

/* Sets what the worker does now, in words. */
static void note(struct bw_bench *bench, bool waits, const char *doing)
{
	pthread_mutex_lock(&bench->lock);
	bench->waits = waits;
	snprintf(bench->doing, sizeof bench->doing, "%s", doing);
	pthread_mutex_unlock(&bench->lock);
}

/* Sets the object that runs now. */
static void get_on(struct bw_bench *bench, struct following *following, int under_way)
{
	note(bench, false,
		      under_way == NOTHING ? "" : under_way == REFERENCE ? "running the reference" : "running");
	following->since = bw_clock();
	following->waited = 0;
	following->under_way = under_way;
}

static void take_outcome(struct bw_bench *bench, struct bw_task *task, struct following *following,
			 struct bw_answer *answer)
{
	int k = answer->object < following->n ? following->map[answer->object] : -1;
	if (k < 0 || task->answered[k])
		return;
	if (answer->kind == BW_ANSWER_RESULT) {
		answer->measurement.attempts = 1 + task->deaths[k];
		task->measured[k] = (struct bw_measured){
		    .good = true, .measurement = answer->measurement, .counted = answer->counted};
		answer->counted = NULL;
		set_answered(task, k);
	} else {
		add_complaint(&bench->link.errors, &answer->error);
		set_error(task, k, BW_LOSS_NONE, &answer->error);
	}
	bw_text_clear(&bench->link.errors);
	get_on(bench, following, NOTHING);
}

/* Handles an answer BEGIN: the object begins, or it waits for its turn. Waiting does not count as silence. */
static void take_begin(struct bw_bench *bench, struct following *following, const struct bw_answer *answer)
{
	if (answer->waits > 0 && answer->object + 2 == following->begun) {
		char text[sizeof bench->doing];
		following->waited = fmin(answer->waits, bw_clock() - following->since);
		snprintf(text, sizeof text, "waiting for the device, which %s has",
			 *answer->holder ? answer->holder : "another process");
		note(bench, true, text);
	}
	if (answer->waits > 0 || answer->object >= following->n || answer->object + 1 < following->begun)
		return;
	if (following->under_way == REFERENCE)
		bench->reference =
		    fmax(bench->reference, bw_clock() - following->since - following->waited);
	following->begun = answer->object + 2;
	get_on(bench, following, answer->object < 0 ? REFERENCE : following->map[answer->object]);
}

/* Handles an answer. Sets done at the last one. */
static void take_answer(struct bw_bench *bench, struct bw_task *task, struct following *following,
			struct bw_answer *answer)
{
	struct bw_error nothing;
	switch (answer->kind) {
	case BW_ANSWER_BEGIN:
		take_begin(bench, following, answer);
		break;
	case BW_ANSWER_RESULT:
	case BW_ANSWER_ERROR:
		if (answer->object >= 0) {
			take_outcome(bench, task, following, answer);
			break;
		}
		fail_rest(task, BW_LOSS_NONE, &answer->error);
		following->done = true;
		break;
	case BW_ANSWER_DONE:
		bw_fail(&nothing, BW_ERROR_DEVICE, "%s: ended the request without a result for this schedule", bench->name);
		fail_rest(task, BW_LOSS_BEFORE, &nothing);
		following->done = true;
		break;
	default:
		break;
	}
}

static void cancel(struct bw_bench *bench, int64_t id)
{
	bench_send(bench, json_pack("{s:s,s:I}", "do", "cancel", "request", (json_int_t)id));
	bench->cancelled = id;
}

/* Handles answers until the request has ended; then returns true. Returns false with an error if the worker
 * ended, if it was killed because of silence, or if the task is stopped (kind STOPPED). */
static bool follow(struct bw_bench *bench, struct bw_task *task, int64_t id, struct following *following,
		   struct bw_error *error)
{
	while (!following->done) {
		struct bw_answer answer;
		double seconds =
		    fmin(task->patience,
			 bw_object_limit(task->request->limit, bench->reference) + bench->silence);
		switch (bench_expect(bench, id, following->since + following->waited + seconds, &answer, error)) {
		case BW_LINK_ANSWER:
			take_answer(bench, task, following, &answer);
			bw_answer_free(&answer);
			break;
		case BW_LINK_WOKEN:
			cancel(bench, id);
			return bw_fail(error, BW_ERROR_STOPPED, "%s: stopped", bench->name);
		case BW_LINK_LATE:
			task->deaths[following->under_way >= 0 ? following->under_way : task->n] = MOST_DEATHS - 1;
			return bw_link_late(&bench->link, seconds, error);
		case BW_LINK_LOST:
			return false;
		}
	}
	return true;
}

/* Handles the end of a worker. The object under way fails if it has had its attempts; otherwise it is tried
 * again. If no object was under way, the end counts in `deaths[n]`, and too many of them fail all remaining
 * objects. */
static void note_death(struct bw_task *task, int under_way, const struct bw_error *error)
{
	int k = under_way >= 0 ? under_way : task->n;
	if (++task->deaths[k] < MOST_DEATHS)
		return;
	if (k < task->n)
		set_error(task, k, BW_LOSS_DURING, error);
	else
		fail_rest(task, BW_LOSS_BEFORE, error);
}

/* Sends a request for the objects without an outcome, and handles it to its end. */
static void request_rest(struct bw_bench *bench, struct bw_task *task)
{
	int *map = BW_NEW_ARRAY(int, task->n), before = atomic_load(&task->n_answered);
	struct following following = {.map = map, .under_way = NOTHING, .since = bw_clock()};
	struct bw_error error = {0};
	json_t *request = bw_task_request(task, map, &following.n);
	if (!request) {
		bw_fail(&error, BW_ERROR_INPUT, "%s: a path that is no UTF-8 cannot be given to %s",
			task->objects[map[0]], bench->name);
		fail_rest(task, BW_LOSS_NONE, &error);
	} else if (!follow(bench, task, bench_send(bench, request), &following, &error)) {
		if (atomic_load(&task->n_answered) > before)
			task->deaths[task->n] = 0;
		if (error.kind == BW_ERROR_STOPPED)
			fail_rest(task, BW_LOSS_BEFORE, &error);
		else
			note_death(task, following.under_way, &error);
	}
	free(map);
}

void bw_task_run(struct bw_bench *bench, struct bw_task *task)
{
	while (atomic_load(&task->n_answered) < task->n) {
		struct bw_error error = {0};
		bool ready = bw_bench_ready(bench, &error);
		if (!ready) {
			fail_rest(task, BW_LOSS_BEFORE, &error);
			return;
		}
		if (!bench->command || upload(bench, task, &error))
			request_rest(bench, task);
		else if (error.kind == BW_ERROR_STOPPED || bench->link.running)
			fail_rest(task, BW_LOSS_BEFORE, &error);
		else
			note_death(task, NOTHING, &error);
	}
}
