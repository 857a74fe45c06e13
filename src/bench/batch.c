/* A request from its first to its last object. The reference and each object run in processes of their own; what the reference
 * computed reaches the others through a file in memory. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/worker.h"

struct task {
	const struct bw_request *request;
	int file; /* for the reference's outputs */
	int object;
	const struct bw_expected *expected;
};

/* In a process of its own. */
static void run_reference(void *context, struct bw_progress *progress)
{
	struct task *task = context;
	bw_reference_run(task->request, task->file, progress);
}

/* In a process of its own. */
static void run_object(void *context, struct bw_progress *progress)
{
	struct task *task = context;
	bw_object_measure(task->request, task->object, task->expected, progress);
}

/* Runs the reference and maps what it left; *size is for unmapping. NULL on error. */
static const struct bw_expected *expect(struct task *task, size_t *size, struct bw_error *error)
{
	struct bw_progress answer;
	struct stat info;
	if (!bw_supervise(run_reference, task, task->request->limit, &answer, error)) {
		bw_fail_in(error, "reference");
		return NULL;
	}
	void *expected = fstat(task->file, &info) ? MAP_FAILED : mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, task->file, 0);
	if (expected == MAP_FAILED) {
		bw_fail(error, BW_ERROR_FAILED, "reference: its outputs cannot be mapped: %s", strerror(errno));
		return NULL;
	}
	*size = (size_t)info.st_size;
	return expected;
}

static bool run_objects(struct task *task, int results)
{
	for (task->object = 0; task->object < task->request->n_objects; task->object++) {
		struct bw_error error = {0};
		struct bw_progress answer;
		bool good = bw_supervise(run_object, task, task->request->limit, &answer, &error);
		if (!(good ? bw_report(results, task->object, &answer.measurement) : bw_report_error(results, task->object, &error)))
			return false;
	}
	return true;
}

/* The same error for every object. */
static bool report_all(const struct bw_request *request, int results, const struct bw_error *error)
{
	for (int k = 0; k < request->n_objects; k++)
		if (!bw_report_error(results, k, error))
			return false;
	return true;
}

bool bw_request_run(const struct bw_request *request, int results)
{
	struct task task = {.request = request, .file = -1};
	struct bw_error error = {0};
	if (!request->reference)
		return run_objects(&task, results);
	task.file = memfd_create("beamwalk-bench", MFD_CLOEXEC);
	if (task.file < 0) {
		bw_fail(&error, BW_ERROR_FAILED, "no memory for the reference's outputs: %s", strerror(errno));
		return report_all(request, results, &error);
	}
	size_t size = 0;
	task.expected = expect(&task, &size, &error);
	bool good = task.expected ? run_objects(&task, results) : report_all(request, results, &error);
	if (task.expected)
		munmap((void *)task.expected, size);
	close(task.file);
	return good;
}
