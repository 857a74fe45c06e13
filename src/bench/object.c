/* Runs one object, from loading to its measurement, and the reference. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "bench/cuda.h"
#include "bench/turn.h"

enum {
	LEAST_RUNS = 5,
	MOST_RUNS = 100000, /* timed runs */
	LEAST_WARM_UPS = 2,
	MOST_WARM_UPS = 10, /* warm-up runs after the checked run */
	PATIENCE = 4,       /* at most so many times the requested seconds are spent to reach LEAST_RUNS */
	MOST_CALLS = 100    /* calls per run */
};

/* The least time of a timed run on a GPU, in ms. If a call takes less, a run makes several calls, so that
 * launching a call overlaps with running the call before it. */
static const double least_run = 1;
/* Seconds that timing each kernel may take even if the request's seconds are fewer. */
static const double least_kernel_seconds = 0.25;

static bool is_output(const struct bw_filter *filter, int k)
{
	return filter->metadata->arguments[k].kind == BW_HALIDE_OUTPUT_BUFFER;
}

/* Returns the bytes from the start of struct bw_expected to the end of the last output. Writes the outputs'
 * offsets to `offsets` unless it is NULL. */
static int64_t expected_layout(const struct bw_filter *filter, const struct bw_arguments *arguments,
			       struct bw_expected *expected)
{
	int64_t size = (int64_t)(sizeof(struct bw_expected) + (size_t)arguments->n * sizeof *expected->list);
	for (int k = 0; k < arguments->n; k++) {
		const struct bw_argument *argument = &arguments->list[k];
		size = bw_round_up(size, 64);
		if (expected) {
			const struct bw_halide_argument *of = &filter->metadata->arguments[k];
			struct bw_expected_argument *to = &expected->list[k];
			*to = (struct bw_expected_argument){
			    .kind = of->kind, .dimensions = of->dimensions, .type = of->type, .offset = size};
			memcpy(to->dim, argument->dim, sizeof to->dim);
		}
		if (is_output(filter, k))
			size += argument->buffer.elements * bw_halide_bytes(argument->shape.type);
	}
	return size;
}

/* Writes struct bw_expected with the outputs' contents to the file. */
static bool leave_expected(const struct bw_filter *filter, const struct bw_arguments *arguments, int file,
			   struct bw_error *error)
{
	int64_t size = expected_layout(filter, arguments, NULL);
	int why = posix_fallocate(file, 0, size);
	struct bw_expected *expected =
	    why ? MAP_FAILED : mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (expected == MAP_FAILED)
		return bw_fail(error, BW_ERROR_IO, "no memory for %lld bytes of outputs: %s", (long long)size,
			       strerror(why ? why : errno));
	expected->n = arguments->n;
	expected_layout(filter, arguments, expected);
	for (int k = 0; k < arguments->n; k++) {
		const struct bw_buffer *buffer = &arguments->list[k].buffer;
		if (is_output(filter, k))
			memcpy((uint8_t *)expected + expected->list[k].offset, buffer->view.host,
			       (size_t)(buffer->elements * bw_halide_bytes(buffer->view.type)));
	}
	munmap(expected, (size_t)size);
	return true;
}

static bool fetch_outputs(const struct bw_filter *filter, struct bw_arguments *arguments,
			  struct bw_error *error)
{
	for (int k = 0; k < arguments->n; k++) {
		struct bw_halide_buffer *view = &arguments->list[k].buffer.view;
		if (is_output(filter, k) && view->flags & BW_HALIDE_DEVICE_DIRTY &&
		    !bw_filter_did(filter->copy_to_host(NULL, view), "the copy to the host", error))
			return false;
	}
	return true;
}

static bool run_reference(const struct bw_request *request, struct bw_arguments *arguments, int file,
			  struct bw_progress *progress, struct bw_error *error)
{
	struct bw_filter filter;
	progress->phase = BW_PHASE_LOADING;
	if (!bw_filter_load(request->reference.path, request->function, &filter, error))
		return false;
	progress->phase = BW_PHASE_SHAPING;
	if (!bw_arguments_shape(&filter, request, arguments, error) ||
	    !bw_arguments_make(&filter, arguments, request->seed, error))
		return false;
	struct bw_turn turn = {0};
	bw_turn_take(&turn, false, BW_PHASE_FIRST, progress);
	return bw_run_once(&filter, arguments, error) && fetch_outputs(&filter, arguments, error) &&
	       leave_expected(&filter, arguments, file, error);
}

void bw_reference_run(const struct bw_request *request, int file, struct bw_progress *progress)
{
	struct bw_arguments arguments = {0};
	run_reference(request, &arguments, file, progress, &progress->error);
	bw_arguments_free(&arguments);
	progress->phase = BW_PHASE_ANSWERED;
}

/* Sets *ms to the milliseconds per call, from `calls` calls and one device sync. */
static bool run_timed(const struct bw_filter *filter, const struct bw_arguments *arguments, int calls,
		      double *ms, struct bw_error *error)
{
	double start = bw_clock();
	bool good = true;
	for (int k = 1; k < calls && good; k++)
		good = bw_filter_call(filter, arguments->pointers, error);
	good = good && bw_run_once(filter, arguments, error);
	*ms = (bw_clock() - start) * 1e3 / calls;
	return good;
}

/* Runs until a run is no longer much faster than the earlier ones. Sets *best to the fastest run's ms. */
static bool warm_up(const struct bw_filter *filter, const struct bw_arguments *arguments, double seconds,
		    int *runs, double *best, struct bw_error *error)
{
	double end = bw_clock() + seconds, ms;
	*best = (double)INFINITY;
	for (int k = 0; k < MOST_WARM_UPS; k++) {
		if (!run_timed(filter, arguments, 1, &ms, error))
			return false;
		++*runs;
		bool steady = ms > 0.9 * *best;
		*best = fmin(*best, ms);
		if (k + 1 >= LEAST_WARM_UPS && (steady || bw_clock() > end))
			break;
	}
	return true;
}

/* Times runs for the request's seconds. Stops after LEAST_RUNS runs if all of them were slower than the
 * request's `slow`. */
static bool time_runs(const struct bw_filter *filter, const struct bw_arguments *arguments,
		      const struct bw_request *request, int calls, struct bw_timing *timing, struct bw_error *error)
{
	const double seconds = request->seconds;
	double *ms = malloc(MOST_RUNS * sizeof *ms), start = bw_clock(), fastest = INFINITY;
	int n = 0;
	bool good = ms || bw_fail(error, BW_ERROR_FAILED, "no memory");
	while (good && n < MOST_RUNS) {
		double spent = bw_clock() - start;
		if (n > 0 && spent >= seconds && (n >= LEAST_RUNS || spent >= PATIENCE * seconds))
			break;
		if (n >= LEAST_RUNS && request->slow > 0 && fastest > request->slow)
			break;
		good = run_timed(filter, arguments, calls, &ms[n], error);
		fastest = fmin(fastest, ms[n]);
		n++;
	}
	if (good)
		*timing = bw_timing_of(ms, n);
	free(ms);
	return good;
}

static void set_verdict(const struct bw_comparison *comparison, const struct bw_bound_of_error *bound,
			bool checked, struct bw_measurement *measurement)
{
	bool wrong = bw_comparison_wrong(comparison, bound);
	measurement->verdict = wrong                 ? BW_OUTPUT_WRONG
			       : !checked || comparison->skipped >= 1 ? BW_UNCHECKED
			       : comparison->differs ? BW_RIGHT_WITHIN_BOUND
						     : BW_RIGHT;
	measurement->differing = comparison->differing;
	measurement->points = comparison->points;
	measurement->skipped = comparison->skipped;
	measurement->largest = comparison->largest;
	measurement->steps = comparison->steps;
	measurement->integers = comparison->integers;
	memcpy(measurement->region, comparison->region, sizeof measurement->region);
	measurement->worst = comparison->worst;
	measurement->mismatches = comparison->mismatches;
	memcpy(measurement->where, comparison->where, sizeof measurement->where);
}

static void set_timing(const struct bw_timing *timing, double seconds, int calls,
		       struct bw_measurement *measurement)
{
	char around[64] = "one call and a device sync", kept[] = " and intermediates";
	measurement->minimum = timing->minimum;
	measurement->median = timing->median;
	measurement->spread = timing->spread;
	measurement->runs = timing->runs;
	if (calls)
		snprintf(around, sizeof around, "%d calls and a device sync, a call's share", calls);
	snprintf(
	    measurement->method, sizeof measurement->method,
	    "CLOCK_MONOTONIC around %s, inputs%s already on the device; %d runs in %.3g s after %d warm-up runs",
	    around, calls ? kept : "", timing->runs, seconds, measurement->warm_ups);
}

/* Sets the times from the checked run. On the emulated device no more runs are made, because its times say
 * nothing about a GPU. */
static void set_emulated(double seconds, struct bw_measurement *measurement)
{
	measurement->minimum = measurement->median = 1e3 * seconds;
	measurement->runs = 1;
	measurement->warm_ups = 0;
	snprintf(
	    measurement->method, sizeof measurement->method,
	    "CLOCK_MONOTONIC around the only run, emulated, with the copies and the comparison of its outputs");
}

/* Times each kernel, unless that would take longer than timing the runs. */
static void time_kernels(const struct bw_filter *filter, const struct bw_arguments *arguments,
			 const struct bw_request *request, const struct bw_timing *timing,
			 struct bw_kernel_uses *kernels)
{
	struct bw_error trouble = {0};
	double seconds = BW_LAUNCH_RUNS * timing->median * 1e-3;
	if (kernels->n && request->seconds > 0 && seconds <= fmax(request->seconds, least_kernel_seconds) &&
	    !bw_launch_times(filter, arguments, kernels, &trouble))
		fprintf(stderr, "beamwalk-bench: how long each kernel takes is not known: %s\n", trouble.text);
}

/* Warms up, times, and checks the output once more. The times are used only if that output is right. */
static bool time_object(const struct bw_filter *filter, struct bw_arguments *arguments,
			const struct bw_request *request, const struct bw_expected *expected,
			struct bw_progress *progress, struct bw_comparison *comparison,
			struct bw_measurement *measurement, struct bw_error *error)
{
	struct bw_timing timing;
	struct bw_comparison again = {0};
	bool gpu = filter->device_interface && !measurement->cpu;
	struct bw_turn turn = {0};
	double best;
	bw_turn_take(&turn, true, BW_PHASE_TIMING, progress);
	if (gpu && filter->reuse_allocations)
		filter->reuse_allocations(NULL, true);
	if (!warm_up(filter, arguments, request->seconds, &measurement->warm_ups, &best, error))
		return false;
	int calls = gpu && request->seconds > 0 ? (int)fmin(ceil(least_run / fmax(best, 1e-6)), MOST_CALLS) : 0;
	double start = bw_clock();
	if (!time_runs(filter, arguments, request, calls ? calls : 1, &timing, error))
		return false;
	double seconds = bw_clock() - start;
	if (filter->api == BW_API_CUDA && gpu)
		measurement->clock = bw_cuda_clock(filter);
	time_kernels(filter, arguments, request, &timing, &measurement->kernels);
	bw_turn_end(&turn);
	bw_turn_take(&turn, false, BW_PHASE_CHECKING, progress);
	if (!bw_run_checked(filter, arguments, request, expected, false, &again, error))
		return false;
	/* This turn ends with the process, so that no other worker times while the driver frees this
	 * process's memory. */
	bw_comparison_join(comparison, &again);
	set_timing(&timing, seconds, calls, measurement);
	return true;
}

/* Gets the name of a CUDA device and the kernels' resource use. Takes a turn to create the context, but not
 * to compile the kernels. The driver caches the compiled kernels until the filter loads them. */
static void compile(const struct bw_filter *filter, int object, const struct bw_request *request,
		    struct bw_progress *progress, struct bw_measurement *measurement)
{
	struct bw_error trouble = {0};
	struct bw_turn turn = {0};
	bw_turn_take(&turn, false, BW_PHASE_COMPILING, progress);
	bw_filter_device(filter, measurement);
	bw_turn_end(&turn);
	if (!measurement->cpu && !bw_cuda_kernels(filter, request, object, &measurement->kernels, &trouble))
		fprintf(stderr, "beamwalk-bench: what the kernels take is not known: %s\n", trouble.text);
}

static bool measure(const struct bw_filter *filter, int object, struct bw_arguments *arguments,
		    const struct bw_request *request, const struct bw_expected *expected,
		    struct bw_progress *progress, struct bw_measurement *measurement, struct bw_error *error)
{
	struct bw_comparison comparison = {0};
	struct bw_turn turn = {0};
	bool cuda = filter->api == BW_API_CUDA && filter->device_interface;
	progress->phase = BW_PHASE_SHAPING;
	if (!bw_arguments_shape(filter, request, arguments, error))
		return false;
	if (expected && !bw_arguments_join(filter, arguments, expected, measurement->demand,
					   sizeof measurement->demand, error))
		return false;
	if (!bw_arguments_make(filter, arguments, request->seed, error))
		return false;
	if (cuda)
		compile(filter, object, request, progress, measurement);
	bw_turn_take(&turn, false, BW_PHASE_FIRST, progress);
	double start = bw_clock();
	if (!bw_run_checked(filter, arguments, request, expected, true, &comparison, error))
		return false;
	double seconds = bw_clock() - start;
	bw_turn_end(&turn);
	if (!cuda)
		bw_filter_device(filter, measurement);
	measurement->warm_ups = 1;
	if (cuda && measurement->cpu)
		set_emulated(seconds, measurement);
	else if (!bw_comparison_wrong(&comparison, &request->bound) &&
		 !time_object(filter, arguments, request, expected, progress, &comparison, measurement,
			      error))
		return false;
	set_verdict(&comparison, &request->bound, expected, measurement);
	return true;
}

void bw_object_measure(const struct bw_request *request, int object, const struct bw_expected *expected,
		       struct bw_progress *progress)
{
	struct bw_filter filter;
	struct bw_arguments arguments = {0};
	struct bw_measurement measurement = {0};
	progress->phase = BW_PHASE_LOADING;
	if (bw_filter_load(request->objects[object].path, request->function, &filter, &progress->error)) {
		bw_launch_watch(&filter);
		measure(&filter, object, &arguments, request, expected, progress, &measurement, &progress->error);
	}
	progress->measurement = measurement;
	bw_arguments_free(&arguments);
	progress->phase = BW_PHASE_ANSWERED;
}
