/* Jobs: compiling, checking and timing in the background, while the explorer answers keys. */
#include <stdlib.h>
#include <string.h>

#include "base/routine.h"
#include "bench/bench_private.h"
#include "bench/ptxas.h"
#include "bench/sass.h"
#include "bench/device_code.h"

enum {
	COMPILE_SECONDS = 600, /* for one run of a generator: a pipeline of a hundred stages takes seconds */
	RUN_SECONDS = 60       /* for one run of an object, unless the request says otherwise */
};

struct bw_job {
	struct bw_job_request request;
	struct bw_device device; /* for which it compiles */
	int number;              /* index in the bench's list, from 1; 0: Halide's runtime chooses */
	struct bw_routine *routine; /* runs the job */
	atomic_bool stop;
	_Atomic(enum bw_job_phase) phase;
	_Atomic(const char *) step; /* what the job does now, in words */
	/* Owned by the owner once the job has ended: */
	struct bw_measurement measurement;
	struct bw_error error;
	struct bw_counted *counted;
};

/* The worker must be told the estimates: the user's estimates are not in the objects, and the generator's
 * estimates may contradict the bounds that it fixes. */
bool bw_job_described(const struct bw_job_request *request, const struct bw_patience *patience,
		      char **estimates, char *halide, size_t size, struct bw_error *error)
{
	*estimates = NULL;
	BW_SCOPED_TEXT description = {0};
	const char *version;
	bool good = bw_generator_describe(request->generator, request->places, patience, &description, error);
	struct bw_json *json =
	    good ? bw_json_parse("description", bw_text_get(&description), description.length, error) : NULL;
	if (json) {
		struct bw_json_at root = bw_json_root(json);
		good = bw_json_get_string(&root, "halide", &version, error);
		snprintf(halide, size, "%s", good ? version : "");
		bw_json_free(json);
	}
	good = good && json;
	if (good)
		*estimates = bw_estimates_described(bw_text_get(&description), description.length, error);
	return *estimates;
}

bool bw_job_device_among(const struct bw_job_request *request, const struct bw_presents *presents,
			 struct bw_device *device, int *number, struct bw_error *error)
{
	int place = bw_presents_choose(presents, request->wanted, request->records, request->n_records);
	if (place < 0 && bw_device_emulated(request->wanted))
		return bw_fail(
		    error, BW_ERROR_DEVICE,
		    "no emulated device to run on: beamwalk-bench does not find its driver, emulator/libcuda.so.1; install beamwalk again");
	if (place < 0)
		return bw_fail(
		    error, BW_ERROR_DEVICE,
		    "no device to run on: there is neither CUDA's driver nor OpenCL with a device%s%s",
		    *presents->trouble ? "; " : "", presents->trouble);
	*device = bw_present_record(&presents->list[place], request->records, request->n_records);
	*number = place + 1;
	return true;
}

bool bw_job_device_of(const struct bw_job_request *request, struct bw_bench *bench,
		      const struct bw_patience *patience, struct bw_device *device, int *number,
		      struct bw_error *error)
{
	struct bw_presents presents;
	return bw_bench_devices_wait(bench, patience, &presents, error) &&
	       bw_job_device_among(request, &presents, device, number, error);
}

/* Finds the device to compile for and to run on. */
static bool find_device(struct bw_job *job, const struct bw_patience *patience, struct bw_error *error)
{
	const struct bw_job_request *request = &job->request;
	if (!request->device)
		return bw_job_device_of(request, request->bench, patience, &job->device, &job->number, error);
	job->device = *request->device;
	return true;
}

/* Compiles the object under the directives, or under the generator's own schedule; free(). */
static char *compile(const struct bw_job_request *request, const struct bw_device *device,
		     const struct bw_patience *patience, struct bw_error *error)
{
	return bw_generator_compile(request->generator, request->places, patience,
				    request->directives ? BW_BUILD_GPU : BW_BUILD_OWN, request->directives,
				    device, error);
}

/* Compiles for the device and assembles the kernels. For devices without CUDA it only compiles, because the
 * driver compiles the kernels. */
static bool assemble(struct bw_job *job, struct bw_measurement *measurement, struct bw_error *error)
{
	const struct bw_job_request *request = &job->request;
	struct bw_patience patience = {COMPILE_SECONDS, &job->stop};
	BW_SCOPED_MEMORY char *object = compile(request, request->device, &patience, error);
	struct bw_assembly assembly = {request->ptxas, request->device->ptxas, request->registers,
				       request->places->cache, false};
	return object && (request->device->api != BW_API_CUDA ||
			  bw_ptxas_object(&assembly, object, &patience, &measurement->kernels, error));
}

/* Assembles PTX and counts its kernels' SASS instructions. Returns false if there is no usable ptxas. */
static bool inspect(const struct bw_assembly *assembly, const struct bw_text *ptx,
		    const struct bw_patience *patience, struct bw_kernel_uses *uses,
		    struct bw_counted *counted)
{
	struct bw_text cubin = {0};
	struct bw_error ignored;
	int sm = atoi(assembly->architecture + strcspn(assembly->architecture, "0123456789"));
	bool good = bw_ptxas_run(assembly, ptx, patience, &cubin, uses, &ignored);
	size_t length = cubin.length;
	char *bytes = bw_text_take(&cubin);
	struct bw_sass *sass = good ? bw_sass_read("cubin", bytes, length, sm, &ignored) : NULL;
	if (sass && counted && !counted->sass) {
		bw_sass_count(sass, bw_text_get(ptx), counted);
		counted->sass = sass;
		counted->cubin = bytes;
		return good;
	}
	bw_sass_free(sass);
	free(bytes);
	return good;
}

/* Returns the device for whose machine code counts are made: the request's device, or the emulated device if
 * the request's cannot run the emulated device's PTX. */
static const struct bw_device *assembled_for(const struct bw_job_request *request,
					     const struct bw_device *emulated)
{
	const struct bw_device *device = request->assembled_for;
	bool can = device && device->api == BW_API_CUDA && *device->ptxas &&
		   device->capability >= emulated->capability;
	return can ? device : emulated;
}

void bw_job_inspect(const struct bw_job_request *request, const struct bw_device *device, const char *object,
		    const atomic_bool *stop, struct bw_measurement *measurement, struct bw_counted *counted)
{
	enum { ASSEMBLE_SECONDS = 60 };
	struct bw_patience patience = {ASSEMBLE_SECONDS, stop};
	const struct bw_device *of = assembled_for(request, device);
	int registers = request->registers ? request->registers : (int)of->register_limit;
	struct bw_assembly assembly = {request->ptxas, of->ptxas, registers, request->places->cache, true};
	struct bw_kernel_uses uses = {0};
	struct bw_error ignored;
	BW_SCOPED_TEXT ptx = {0};
	if (!request->emulation.counts || !bw_device_emulated(device) ||
	    !bw_device_code_read(object, BW_API_CUDA, &ptx, &ignored))
		return;
	if (request->ptxas && !measurement->kernels.n && inspect(&assembly, &ptx, &patience, &uses, counted))
		measurement->kernels = uses;
	if (counted && !counted->ptx)
		counted->ptx = bw_text_take(&ptx);
}

/* Stores the schedule's lowered statement with the counts. If that fails, views of the code do not show the
 * statement. */
static void lower(struct bw_job *job)
{
	const struct bw_job_request *request = &job->request;
	struct bw_patience patience = {COMPILE_SECONDS, &job->stop};
	struct bw_error ignored;
	BW_SCOPED_TEXT statement = {0};
	if (job->counted && !request->emulation.sampled &&
	    bw_generator_lower(request->generator, request->places, &patience, request->directives, &job->device,
			       &statement, &ignored))
		job->counted->statement = bw_text_take(&statement);
}

static bool work(struct bw_job *job, struct bw_measurement *measurement, struct bw_error *error)
{
	const struct bw_job_request *request = &job->request;
	struct bw_patience patience = {COMPILE_SECONDS, &job->stop};
	char *estimates = NULL, *object = NULL, *reference = NULL, halide[sizeof measurement->halide] = "";
	job->step = "asking for devices";
	bool good = find_device(job, &patience, error);
	job->step = "describing the pipeline";
	good = good && bw_job_described(request, &patience, &estimates, halide, sizeof halide, error);
	job->step = "compiling";
	if (good)
		object = compile(request, &job->device, &patience, error);
	if (object && !request->emulation.sampled) {
		job->step = "compiling the reference";
		reference = bw_generator_compile(request->generator, request->places, &patience,
						 BW_BUILD_REFERENCE, NULL, &job->device, error);
	}
	good = object && (reference || request->emulation.sampled);
	if (good) {
		job->step = "running";
		job->phase = BW_JOB_MEASURING;
		bw_routine_tell(job->routine);
		double limit = request->limit > 0 ? request->limit : RUN_SECONDS;
		struct bw_measure_request what = {
		    object, reference, request->seed,      request->bound, request->seconds,
		    limit,  estimates, request->registers, job->number,    request->emulation, 0};
		good = bw_measure(request->bench, &what, &patience, measurement, &job->counted, error);
		memcpy(measurement->halide, halide, sizeof halide);
		if (good) {
			job->step = "compiling a second reference";
			bw_job_find_fault(&(struct bw_doubt){request, &job->device, &job->stop, &what}, measurement);
			bw_job_inspect(request, &job->device, object, &job->stop, measurement, job->counted);
			job->step = "lowering";
			lower(job);
		}
	}
	free(estimates);
	free(object);
	free(reference);
	return good;
}

/* Runs a job in its thread. Fails if no thread could be started: in the owner's thread, the job would block
 * the user for minutes and could not be stopped. */
static void run(const struct bw_yield *yield, void *data)
{
	struct bw_job *job = data;
	int failed = bw_routine_threadless(job->routine);
	(void)yield;
	bool good = failed ? bw_fail(&job->error, BW_ERROR_FAILED, "%s: cannot be compiled, since no thread can be begun: %s", job->request.generator->path, strerror(failed))
			   : (job->request.assemble ? assemble : work)(job, &job->measurement, &job->error);
	job->phase = good ? BW_JOB_DONE : BW_JOB_FAILED;
}

struct bw_job *bw_job_start(const struct bw_job_request *request)
{
	struct bw_job *job = BW_NEW(struct bw_job);
	job->request = *request;
	job->phase = BW_JOB_COMPILING;
	job->step = "compiling";
	bw_bench_keep(request->bench);
	job->routine = bw_routine_new(run, job);
	bw_routine_release(job->routine);
	return job;
}

enum bw_job_phase bw_job_poll(struct bw_job *job, struct bw_measurement *measurement, struct bw_error *error)
{
	bw_routine_heard(job->routine);
	enum bw_job_phase phase = job->phase;
	if (phase == BW_JOB_DONE)
		*measurement = job->measurement;
	if (phase == BW_JOB_FAILED && error)
		*error = job->error;
	return phase;
}

int bw_job_fd(const struct bw_job *job)
{
	int fd = -1;
	bw_routine_fds(job->routine, &fd, 1);
	return fd;
}

const struct bw_device *bw_job_device(const struct bw_job *job)
{
	return *job->device.name ? &job->device : NULL;
}

bool bw_job_doing(struct bw_job *job, char *text, size_t size)
{
	bool waits = bw_bench_doing(job->request.bench, text, size);
	if (!*text)
		snprintf(text, size, "%s", job->step);
	return waits;
}

struct bw_counted *bw_job_take_counted(struct bw_job *job)
{
	struct bw_counted *counted = job->counted;
	job->counted = NULL;
	return counted;
}

void bw_job_stop(struct bw_job *job)
{
	atomic_store(&job->stop, true);
}

void bw_job_free(struct bw_job *job)
{
	if (!job)
		return;
	bw_job_stop(job);
	bw_routine_end(job->routine);
	bw_bench_drop(job->request.bench);
	bw_counted_free(job->counted);
	free(job);
}
