/* Measures the objects of a request, one after the other. The reference and each object run in child
 * processes. The objects' processes get the reference's outputs through a file in memory. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/opencl.h"
#include "bench/serve.h"
#include "bench/turn.h"

struct task {
	struct bw_server *server;
	struct bw_request *request;
	const struct bw_present *device; /* requested device; NULL: none */
	int file;                        /* file for the reference's outputs while the reference runs */
	int object;
	const struct bw_expected *expected;
	int counts;             /* file for the emulated device's counts; -1: none */
	double limit;           /* seconds per object */
	char kernels[PATH_MAX]; /* PoCL's cache folder of the current object; "": none */
};

/* Runs in a child process. */
static void take_kernels(const struct task *task)
{
	if (*task->kernels)
		setenv(BW_POCL_VARIABLE, task->kernels, 1);
}

/* Runs in a child process. */
static void run_reference(void *context, struct bw_progress *progress)
{
	struct task *task = context;
	take_kernels(task);
	bw_turn_on(task->device);
	bw_reference_run(task->request, task->file, progress);
}

/* Runs in a child process. */
static void run_object(void *context, struct bw_progress *progress)
{
	struct task *task = context;
	take_kernels(task);
	bw_turn_on(task->device);
	bw_environment_set(task->request, task->device, task->server->emulator, task->counts);
	bw_object_measure(task->request, task->object, task->expected, progress);
}

/* Runs in a child process. */
static void run_drivers(void *context, struct bw_progress *progress)
{
	const struct bw_server *server = context;
	bw_drivers_ask(server->emulator, &progress->devices);
	progress->phase = BW_PHASE_ANSWERED;
}

static bool supervise(struct bw_server *server, bw_supervised *job, void *context, double limit,
		      struct bw_progress *answer, struct bw_error *error)
{
	bool good = bw_supervise(job, context, limit, &server->watch, answer, error);
	server->waited += answer->waited;
	return good;
}

/* Returns true when a filter has crashed in a bounds query for the first time: it reads an input, which has
 * no memory in a query. After that, no filter of the request is queried, and inputs have the boxes of their
 * estimates. */
static bool crashed_when_asked(const struct task *task, const struct bw_progress *answer)
{
	if (answer->phase != BW_PHASE_SHAPING || answer->signal != SIGSEGV || task->request->unasked)
		return false;
	return task->request->unasked = true;
}

/* Runs an object or the reference. Removes its PoCL cache folder if the run fails or the output is wrong.
 * Then runs it once more, within the same limit, if the folder had content before the run. Also runs it once
 * more, without a bounds query, if it crashed in a bounds query. */
static bool run_job(struct task *task, bw_supervised *job, const struct bw_object_name *object, double limit,
		    struct bw_progress *answer, struct bw_error *error)
{
	double end = bw_clock() + limit;
	for (;; limit = end - bw_clock()) {
		bool kept = bw_pocl_folder(object->content ? object->content : object->path, task->kernels);
		bool good = supervise(task->server, job, task, limit, answer, error);
		bw_pocl_tidy(*task->kernels ? task->kernels : NULL);
		end += answer->waited;
		if (good ? answer->measurement.verdict != BW_OUTPUT_WRONG : error->kind == BW_ERROR_STOPPED)
			return good;
		bool again = crashed_when_asked(task, answer);
		if (((!bw_pocl_forget(task->kernels) || !kept) && !again) || bw_clock() >= end)
			return good;
		*error = (struct bw_error){0};
	}
}

bool bw_server_devices(struct bw_server *server, struct bw_error *error)
{
	static const double limit = 60;
	struct bw_progress answer;
	if (server->asked)
		return true;
	bool told = supervise(server, run_drivers, server, limit, &answer, error);
	bw_pocl_tidy(NULL);
	if (!told)
		return bw_fail_in(error, "asking the drivers for devices");
	server->devices = answer.devices;
	server->asked = true;
	return true;
}

/* Tells the client that an object (-1: the reference) begins. Returns false if the line cannot be written. */
static bool begin(struct task *task, int object)
{
	struct bw_server *server = task->server;
	server->object = object;
	server->waited = 0;
	return bw_report_begin(server->results, task->request->id, object, task->request->n_objects, 0, "");
}

/* Sets the path of an object that the client has sent. */
static bool resolve(struct bw_server *server, struct bw_object_name *object, struct bw_error *error)
{
	if (object->content)
		object->path = bw_store_path(&server->store, object->content);
	return object->path || bw_fail(error, BW_ERROR_INPUT,
				       "content %s is not here: it is to be sent first", object->content);
}

/* Runs the reference and keeps its outputs. Returns NULL with an error. */
static const struct bw_expected *run_expected(struct task *task, uint64_t key, bool in_memory,
					      struct bw_error *error)
{
	struct bw_references *references = &task->server->references;
	struct bw_progress answer;
	double start = bw_clock();
	task->file = bw_references_file(references, key, in_memory);
	if (task->file < 0) {
		bw_fail(error, BW_ERROR_FAILED, "no memory for the reference's outputs: %s", strerror(errno));
		return NULL;
	}
	if (!run_job(task, run_reference, &task->request->reference, task->request->limit, &answer, error)) {
		bw_references_discard(references, key, task->file);
		return NULL;
	}
	return bw_references_add(references, key, bw_clock() - start - answer.waited, task->file, error);
}

/* Returns the reference's outputs, computed now or for an earlier request. Returns NULL with an error. If the
 * folder for outputs is full, the outputs are in memory. */
static const struct bw_expected *expect(struct task *task, struct bw_error *error)
{
	const struct bw_expected *expected = NULL;
	if (resolve(task->server, &task->request->reference, error)) {
		uint64_t key = bw_references_key(task->request);
		expected = bw_references_find(&task->server->references, key);
		if (!expected)
			expected = run_expected(task, key, false, error);
		if (!expected && error->kind == BW_ERROR_IO && task->server->references.folder) {
			*error = (struct bw_error){0};
			expected = run_expected(task, key, true, error);
		}
	}
	if (expected)
		task->limit = bw_object_limit(task->request->limit, expected->seconds);
	else
		bw_fail_in(error, "reference");
	return expected;
}

/* Returns the counts as lines of JSON; free(). Returns NULL if there are none. */
static char *read_counts(int file)
{
	struct stat info;
	if (file < 0 || fstat(file, &info) || !info.st_size)
		return NULL;
	char *text = calloc(1, (size_t)info.st_size + 1);
	if (text && pread(file, text, (size_t)info.st_size, 0) != info.st_size) {
		free(text);
		return NULL;
	}
	return text;
}

static bool run_one(struct task *task, int results)
{
	struct bw_error error = {0};
	struct bw_progress answer;
	const struct bw_request *request = task->request;
	if (!begin(task, task->object))
		return false;
	task->counts = request->emulation.counts ? memfd_create("beamwalk-counts", MFD_CLOEXEC) : -1;
	struct bw_object_name *object = &request->objects[task->object];
	bool good = resolve(task->server, object, &error) &&
		    run_job(task, run_object, object, task->limit, &answer, &error);
	BW_SCOPED_MEMORY char *counts = read_counts(task->counts);
	if (task->counts >= 0)
		close(task->counts);
	return good ? bw_report(results, request->id, task->object, &answer.measurement, counts)
		    : bw_report_error(results, request->id, task->object, &error);
}

/* Reports the same error for the current object and all objects after it. */
static bool report_all(const struct task *task, int results, const struct bw_error *error)
{
	for (int k = task->object; k < task->request->n_objects; k++)
		if (!bw_report_error(results, task->request->id, k, error))
			return false;
	return true;
}

static bool run_objects(struct task *task, int results)
{
	for (; task->object < task->request->n_objects; task->object++) {
		if (task->server->under_way->cancelled)
			return report_all(task, results, &(struct bw_error){BW_ERROR_STOPPED, "cancelled"});
		if (task->server->unread || !run_one(task, results))
			return false;
	}
	return true;
}

static bool run_with_reference(struct task *task, int results)
{
	struct bw_error error = {0};
	if (!begin(task, -1))
		return false;
	task->expected = expect(task, &error);
	return task->expected || task->server->under_way->cancelled ? run_objects(task, results)
								     : report_all(task, results, &error);
}

bool bw_server_measure(struct bw_server *server)
{
	struct bw_request *request = &server->under_way->request;
	struct task task = {.server = server, .request = request, .file = -1, .limit = request->limit};
	struct bw_error error = {0};
	int results = server->results, wanted = request->device;
	bool good;
	if (wanted >= 0 && bw_server_devices(server, &error) && wanted < server->devices.n)
		task.device = &server->devices.list[wanted];
	if (wanted >= 0 && !task.device) {
		if (error.kind == BW_ERROR_NONE)
			bw_fail(&error, BW_ERROR_DEVICE, "there is no device %d: %d are listed", wanted, server->devices.n);
		good = report_all(&task, results, &error);
	} else if (request->reference.path || request->reference.content) {
		good = run_with_reference(&task, results);
	} else {
		good = run_objects(&task, results);
	}
	return good && bw_report_number(results, request->id, "done", request->n_objects);
}
