/* Measures the time of each kernel of a run, with CUDA events around every launch of Halide's runtime. */
#include <dlfcn.h>
#include <string.h>

#include "base/arith.h"
#include "bench/cuda.h"

enum {
	RUNS = BW_LAUNCH_RUNS - 1, /* timed runs; the first run only counts launches */
	MOST_LAUNCHES = 1024 /* per run */
};
/* Upper limits of the host's time to queue one launch with its events, and to queue all launches. */
static const double queue_seconds = 15e-6, queue_most = 20e-3;

/* A kernel that keeps the device busy for n nanoseconds. */
static const char wait_ptx[] = ".version 5.0\n.target sm_50\n.address_size 64\n"
			       ".visible .entry wait(.param .u64 n)\n{\n"
			       "\t.reg .u64 %n, %end, %now;\n\t.reg .pred %p;\n"
			       "\tld.param.u64 %n, [n];\n\tmov.u64 %end, %globaltimer;\n\tadd.u64 %end, %end, %n;\n"
			       "again:\n\tmov.u64 %now, %globaltimer;\n\tsetp.lt.u64 %p, %now, %end;\n\t@%p bra again;\n"
			       "\tret;\n}\n";

/* The launches recorded while `records` is set. It is global because Halide's runtime calls the functions
 * below without a user pointer. */
static struct {
	bool opened, records;
	struct bw_cuda cuda;
	const char *name; /* of the function that was looked up last; it is launched next */
	bw_cuda_function wait;
	uint64_t wait_ns; /* wait before the first launch; 0: no wait */
	int n, failed;
	struct launch {
		int kernel; /* its index in the list of kernels; -1: not in the list */
		bw_cuda_event begin, end;
	} list[MOST_LAUNCHES];
	const struct bw_kernel_uses *uses;
} run;

static bool opened(void)
{
	char trouble[256];
	if (!run.opened)
		run.opened = bw_cuda_open(&run.cuda, NULL, trouble, sizeof trouble);
	return run.opened;
}

static int find_function(bw_cuda_function *function, bw_cuda_module module, const char *name)
{
	run.name = name;
	return run.cuda.function(function, module, name);
}

/* Returns the index of the kernel with this name; names in the list may be truncated. Returns -1 if there is
 * no such kernel, or several. */
static int place_of(const char *name)
{
	int place = -1;
	for (int k = 0; name && k < run.uses->n; k++)
		if (strncmp(run.uses->list[k].name, name, sizeof run.uses->list[k].name - 1) == 0) {
			if (place >= 0)
				return -1;
			place = k;
		}
	return place;
}

static void wait_first(void *stream)
{
	void *parameters[] = {&run.wait_ns};
	if (run.wait && run.wait_ns)
		run.cuda.launch(run.wait, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

static int launch(bw_cuda_function function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty,
		  unsigned tz, unsigned shared, void *stream, void **parameters, void **extra)
{
	struct launch *now = run.records && run.n < MOST_LAUNCHES ? &run.list[run.n] : NULL;
	run.failed |= run.records && !now;
	if (now) {
		if (!run.n++)
			wait_first(stream);
		now->kernel = place_of(run.name);
		run.failed |= run.cuda.event_record(now->begin, stream);
	}
	int result = run.cuda.launch(function, x, y, z, tx, ty, tz, shared, stream, parameters, extra);
	if (now)
		run.failed |= run.cuda.event_record(now->end, stream);
	return result;
}

void *bw_launch_symbol(const char *name)
{
	if (strcmp(name, "cuLaunchKernel") == 0 && opened())
		return (void *)launch;
	if (strcmp(name, "cuModuleGetFunction") == 0 && opened())
		return (void *)find_function;
	return NULL;
}

/* Halide's runtime looks up each CUDA driver function with this function. library is NULL until the runtime
 * has opened one. */
static void *library_symbol(void *library, const char *name)
{
	void *ours = bw_launch_symbol(name);
	return ours ? ours : dlsym(library, name);
}

void bw_launch_watch(const struct bw_filter *filter)
{
	if (filter->set_library_symbol && filter->api == BW_API_CUDA)
		filter->set_library_symbol(library_symbol);
}

/* Adds the times of the recorded launches, in ms, to their kernels' times. */
static bool read_times(double *ms, int *launches)
{
	for (int k = 0; k < run.n; k++) {
		float time = 0;
		if (run.cuda.event_elapsed(&time, run.list[k].begin, run.list[k].end))
			return false;
		if (run.list[k].kernel >= 0) {
			ms[run.list[k].kernel] += (double)time;
			launches[run.list[k].kernel]++;
		}
	}
	return true;
}

/* Runs the filter once. Sets per kernel the sum of its times and its number of launches. */
static bool record_run(const struct bw_filter *filter, const struct bw_arguments *arguments, double *ms,
		       int *launches, struct bw_error *error)
{
	memset(ms, 0, BW_MOST_KERNELS * sizeof *ms);
	memset(launches, 0, BW_MOST_KERNELS * sizeof *launches);
	run.n = run.failed = 0;
	run.records = true;
	bool good = bw_run_once(filter, arguments, error);
	run.records = false;
	if (good && !run.n)
		return bw_fail(error, BW_ERROR_DEVICE, "no launch was seen");
	if (good && run.n == MOST_LAUNCHES && run.failed)
		return bw_fail(error, BW_ERROR_DEVICE, "a run has more than %d launches", MOST_LAUNCHES);
	return good && ((!run.failed && read_times(ms, launches)) ||
			bw_fail(error, BW_ERROR_DEVICE, "CUDA's events cannot be recorded"));
}

static bool record_runs(const struct bw_filter *filter, const struct bw_arguments *arguments,
			struct bw_kernel_uses *uses, struct bw_error *error)
{
	double ms[RUNS + 1][BW_MOST_KERNELS];
	int launches[BW_MOST_KERNELS];
	run.uses = uses;
	run.wait_ns = 0;
	for (int k = 0; k <= RUNS; k++) {
		if (!record_run(filter, arguments, ms[k], launches, error))
			return false;
		double seconds = queue_seconds * run.n;
		run.wait_ns = (uint64_t)(1e9 * (seconds < queue_most ? seconds : queue_most));
	}
	for (int kernel = 0; kernel < uses->n; kernel++) {
		double times[RUNS];
		for (int k = 0; k < RUNS; k++)
			times[k] = ms[k + 1][kernel];
		uses->list[kernel].launches = launches[kernel];
		uses->list[kernel].ms = launches[kernel] ? bw_timing_of(times, RUNS).median : -1;
	}
	return true;
}

bool bw_launch_times(const struct bw_filter *filter, const struct bw_arguments *arguments,
		     struct bw_kernel_uses *uses, struct bw_error *error)
{
	bw_cuda_context context = NULL;
	bw_cuda_module module = NULL;
	int n = 0;
	if (!opened() || filter->acquire_cuda_context(NULL, (void **)&context, false) || run.cuda.push(context))
		return bw_fail(error, BW_ERROR_DEVICE, "Halide's runtime has no CUDA context");
	if (run.cuda.load(&module, wait_ptx, 0, NULL, NULL) || run.cuda.function(&run.wait, module, "wait"))
		run.wait = NULL;
	while (n < MOST_LAUNCHES && !run.cuda.event_create(&run.list[n].begin, 0) &&
	       !run.cuda.event_create(&run.list[n].end, 0))
		n++;
	bool good = n == MOST_LAUNCHES ? record_runs(filter, arguments, uses, error)
				       : bw_fail(error, BW_ERROR_DEVICE, "CUDA's events cannot be made");
	for (int k = 0; k < n; k++) {
		run.cuda.event_destroy(run.list[k].begin);
		run.cuda.event_destroy(run.list[k].end);
	}
	if (module)
		run.cuda.unload(module);
	run.cuda.pop(&context);
	if (filter->release_cuda_context)
		filter->release_cuda_context(NULL);
	return good;
}

/* Statistics of the times of many runs. */

/* Returns the p-quantile of sorted times, interpolated linearly between two of them. */
static double quantile(const double *sorted, int n, double p)
{
	double at = p * (n - 1);
	int below = (int)at;
	return below + 1 < n ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]) : sorted[n - 1];
}

struct bw_timing bw_timing_of(double *ms, int n)
{
	bw_sort_doubles(ms, n);
	struct bw_timing timing = {.runs = n, .minimum = ms[0], .median = quantile(ms, n, 0.5)};
	timing.spread =
	    timing.median > 0 ? 0.5 * (quantile(ms, n, 0.75) - quantile(ms, n, 0.25)) / timing.median : 0;
	return timing;
}
