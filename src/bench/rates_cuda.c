/* Measures the rates of a CUDA device with the kernels of rates_ptx.c. Each kernel runs long enough that its
 * launch time does not matter, and is repeated. If a rate cannot be measured, its error says why and the
 * other rates are still measured. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "bench/cuda.h"
#include "bench/rates_ptx.h"
#include "bench/serve.h"
#include "bench/turn.h"

enum {
	LEAST_REPEATS = 3,
	MOST_REPEATS = 200,
	MOST_LAUNCHES = 1 << 14,
	MOST_ROUNDS = 1 << 24, /* per repeat */
	GROWTH = 16,           /* the most by which the rounds grow from one trial to the next */
	BUFFER_CACHES = 16     /* size of a buffer, in sizes of the L2 cache */
};
/* Limits of the seconds of one repeat, which is an eighth of the rate's time. */
static const double repeat_most = 0.02, repeat_least = 1e-3;
static const double buffer_most = 0.125; /* of the device's memory, for each of two buffers */
static const uint64_t buffer_least = 64 << 20, buffer_usual = 256 << 20; /* bytes */

/* The device that is measured. */
struct run {
	struct bw_cuda cuda;
	struct bw_nvml nvml;
	bool clocks; /* NVML knows the clock */
	int device;
	struct bw_device figures;
	bw_cuda_context context;
	bw_cuda_address from, to; /* buffers */
	uint64_t bytes;           /* size of each buffer */
};

/* How the kernel of a rate is launched. */
struct plan {
	enum bw_rate_key key;
	bw_cuda_function function;
	unsigned blocks, threads;
	uint64_t stride;
	uint32_t trips;
	double work; /* operations, bytes or barriers per round, whole device */
};

static bool did(const struct run *run, int result, const char *what, struct bw_error *error)
{
	const char *text = NULL;
	if (!result)
		return true;
	if (run->cuda.error_text(result, &text) || !text)
		text = "an unknown error";
	return bw_fail(error, BW_ERROR_DEVICE, "%s: %s", what, text);
}

/* Allocates both buffers with the wanted size, or less if the device has less memory. */
static bool allocate(struct run *run, struct bw_error *error)
{
	size_t memory = 0;
	double wanted =
		fmax(buffer_usual, BUFFER_CACHES * (run->figures.l2_bytes > 0 ? run->figures.l2_bytes : 0));
	if (run->cuda.device_memory(&memory, run->device) == 0 && memory)
		wanted = fmin(wanted, buffer_most * (double)memory);
	for (run->bytes = (uint64_t)fmax(wanted, buffer_least);; run->bytes /= 2) {
		int result = run->cuda.allocate(&run->from, run->bytes);
		if (result == 0 && (result = run->cuda.allocate(&run->to, run->bytes)) == 0)
			return true;
		if (run->from)
			run->cuda.free(run->from);
		run->from = 0;
		if (run->bytes / 2 < buffer_least)
			return did(run, result, "memory for two buffers", error);
	}
}

static bool open_device(struct run *run, int ordinal, struct bw_rates *rates, struct bw_error *error)
{
	char trouble[256] = "CUDA's driver is not there";
	if (!bw_cuda_open(&run->cuda, NULL, trouble, sizeof trouble))
		return bw_fail(error, BW_ERROR_DEVICE, "%s", trouble);
	if (!did(run, run->cuda.device(&run->device, ordinal), "the device", error))
		return false;
	run->cuda.device_name(rates->device, sizeof rates->device, run->device);
	bw_cuda_name_driver(&run->cuda, rates->driver, sizeof rates->driver);
	bw_cuda_figures(&run->cuda, run->device, &run->figures);
	rates->sms = run->figures.sms;
	if (!(run->figures.sms >= 1 && run->figures.threads_per_block >= 1))
		return bw_fail(error, BW_ERROR_DEVICE,
		               "CUDA's driver does not tell the device's SMs and threads");
	run->clocks = bw_nvml_open(&run->cuda, run->device, &run->nvml);
	return did(run, run->cuda.create(&run->context, 0, run->device), "a context", error) &&
	       allocate(run, error);
}

static void close_device(struct run *run)
{
	if (run->from)
		run->cuda.free(run->from);
	if (run->to)
		run->cuda.free(run->to);
	if (run->context)
		run->cuda.destroy(run->context);
}

/* Sets the number of blocks, so that all of them are resident at once, and the threads' strides and trips
 * through at most `bytes` of memory (0: none). */
static bool fill_device(const struct run *run, struct plan *plan, double bytes, struct bw_error *error)
{
	int per_sm = 0;
	double trip = 16.0 * BW_RATE_UNROLL * BW_RATE_BLOCK;
	if (!did(run, run->cuda.blocks_per_sm(&per_sm, plan->function, BW_RATE_BLOCK, 0), "the occupancy",
	         error))
		return false;
	double blocks = per_sm * run->figures.sms;
	if (bytes > 0)
		blocks = fmin(blocks, floor(bytes / trip));
	if (blocks < 1 || blocks * BW_RATE_BLOCK * BW_RATE_LEFT > (double)run->bytes)
		return bw_fail(error, BW_ERROR_DEVICE,
		               "%.0f blocks do not fit the device or its buffers of %.0f bytes", blocks,
		               (double)run->bytes);
	plan->blocks = (unsigned)blocks;
	plan->threads = BW_RATE_BLOCK;
	plan->stride = 16ull * BW_RATE_BLOCK * plan->blocks;
	plan->trips = bytes > 0 ? (uint32_t)floor(bytes / (trip * blocks)) : 0;
	plan->work = bw_rate_work(plan->key) * BW_RATE_BLOCK * blocks * (bytes > 0 ? plan->trips : 1);
	return true;
}

static bool make_plan(const struct run *run, struct plan *plan, struct bw_error *error)
{
	bool whole = plan->key == BW_RATE_barrier_seconds;
	switch (bw_rate_shape(plan->key)) {
	case BW_SHAPE_EMPTY:
	case BW_SHAPE_BARRIER:
		plan->blocks = (unsigned)run->figures.sms;
		plan->threads = whole ? (unsigned)run->figures.threads_per_block : BW_RATE_BLOCK;
		plan->work = bw_rate_work(plan->key);
		return true;
	case BW_SHAPE_READ:
	case BW_SHAPE_WRITE:
	case BW_SHAPE_COPY:
		if (plan->key != BW_RATE_l2_bandwidth)
			return fill_device(run, plan, (double)run->bytes, error);
		if (run->figures.l2_bytes > 0)
			return fill_device(run, plan, 0.5 * run->figures.l2_bytes, error);
		return bw_fail(error, BW_ERROR_DEVICE,
		               "CUDA's driver does not tell the size of the L2 cache");
	case BW_SHAPE_SHARED:
		return fill_device(run, plan, 0, error);
	case BW_SHAPE_ARITHMETIC:
		if (!fill_device(run, plan, 0, error))
			return false;
		/* One block per SM, because the SM prefers the oldest of several blocks, and the first block
		 * counts the cycles. */
		if (plan->key == BW_RATE_clock)
			plan->blocks = (unsigned)run->figures.sms;
		plan->trips = 1;
		return true;
	}
	return true;
}

static bool launch(const struct run *run, const struct plan *plan, uint32_t rounds, struct bw_error *error)
{
	bw_cuda_address from = run->from, to = run->to;
	uint64_t stride = plan->stride;
	uint32_t trips = plan->trips;
	void *arguments[] = {
#define X(name, type) &name,
		BW_RATE_PARAMETERS(X)
#undef X
	};
	int result = run->cuda.launch(plan->function, plan->blocks, 1, 1, plan->threads, 1, 1, 0, NULL,
	                              arguments, NULL);
	return did(run, result, "a launch", error);
}

/* Launches the kernel for `rounds` rounds. Does not wait, except for a rate that waits for each launch. */
static bool begin_rounds(const struct run *run, const struct plan *plan, uint32_t rounds,
                         struct bw_error *error)
{
	bool empty = bw_rate_shape(plan->key) == BW_SHAPE_EMPTY;
	for (uint32_t k = 0; k < (empty ? rounds : 1); k++) {
		if (!launch(run, plan, rounds, error))
			return false;
		if (plan->key == BW_RATE_launch_sync_seconds &&
		    !did(run, run->cuda.synchronize(), "waiting for a kernel", error))
			return false;
	}
	return true;
}

static bool finish(const struct run *run, struct bw_error *error)
{
	return did(run, run->cuda.synchronize(), "waiting for a kernel", error);
}

/* Runs `rounds` rounds. Sets *seconds to their time. */
static bool time_rounds(const struct run *run, const struct plan *plan, uint32_t rounds, double *seconds,
                        struct bw_error *error)
{
	double begin = bw_clock();
	bool good = begin_rounds(run, plan, rounds, error) && finish(run, error);
	*seconds = fmax(bw_clock() - begin, 1e-9);
	return good;
}

/* Finds the number of rounds that take about `wanted` seconds. Ignores the first run, because it loads the
 * kernel. A long time must occur twice, because the host may have been delayed once. Rounds that take no time
 * are an error: no kernel has run. */
static bool find_rounds(const struct run *run, const struct plan *plan, double wanted, uint32_t *rounds,
                        struct bw_error *error)
{
	bool empty = bw_rate_shape(plan->key) == BW_SHAPE_EMPTY;
	uint32_t most = empty ? MOST_LAUNCHES : MOST_ROUNDS;
	double seconds;
	*rounds = 1;
	if (!time_rounds(run, plan, 1, &seconds, error))
		return false;
	for (;;) {
		if (!time_rounds(run, plan, *rounds, &seconds, error))
			return false;
		if (seconds >= 0.5 * wanted) {
			if (!time_rounds(run, plan, *rounds, &seconds, error))
				return false;
			if (seconds >= 0.25 * wanted)
				return true;
		}
		if (*rounds == most)
			return empty ||
			       bw_fail(error, BW_ERROR_DEVICE,
			               "%u rounds took %.3g s: the kernel did not run", *rounds, seconds);
		*rounds = (uint32_t)fmin(most, ceil(*rounds * fmin(GROWTH, wanted / seconds)));
	}
}

/* Computes the rate from one repeat. */
static bool value_of(const struct run *run, const struct plan *plan, double rounds, double seconds,
                     double *value, struct bw_error *error)
{
	uint64_t cycles = 0;
	double work = rounds * plan->work;
	*value = strcmp(bw_rate_unit(plan->key), "s") == 0 ? seconds / work : work / seconds;
	if (plan->key != BW_RATE_clock)
		return true;
	if (!did(run, run->cuda.fetch(&cycles, run->to, sizeof cycles), "reading the cycles", error))
		return false;
	*value = (double)cycles / seconds;
	return cycles || bw_fail(error, BW_ERROR_DEVICE, "the kernel counted no cycles: it did not run");
}

/* Reads the clock while one more repeat runs. */
static bool read_clock(const struct run *run, const struct plan *plan, uint32_t rounds, double *clock,
                       struct bw_error *error)
{
	if (!run->clocks)
		return true;
	if (!begin_rounds(run, plan, rounds, error))
		return false;
	*clock = bw_nvml_clock(&run->nvml);
	return finish(run, error);
}

/* Repeats the kernel for about `seconds`. */
static bool repeat(const struct run *run, const struct plan *plan, double seconds, struct bw_rate *rate,
                   struct bw_error *error)
{
	double end = bw_clock() + seconds, values[MOST_REPEATS], took;
	uint32_t rounds;
	int n = 0;
	if (!find_rounds(run, plan, fmax(repeat_least, fmin(repeat_most, seconds / 8)), &rounds, error))
		return false;
	for (; n < MOST_REPEATS && (n < LEAST_REPEATS || bw_clock() < end); n++)
		if (!time_rounds(run, plan, rounds, &took, error) ||
		    !value_of(run, plan, rounds, took, &values[n], error))
			return false;
	if (!read_clock(run, plan, rounds, &rate->clock, error))
		return false;
	struct bw_timing timing = bw_timing_of(values, n);
	rate->spread = timing.spread;
	rate->repeats = n;
	rate->value = timing.median;
	return true;
}

static bool take(const struct run *run, enum bw_rate_key key, double seconds, struct bw_rate *rate,
                 struct bw_error *error)
{
	struct plan plan = {.key = key};
	BW_SCOPED_TEXT ptx = {0};
	bw_cuda_module module;
	int option = BW_CU_JIT_MAX_REGISTERS;
	void *value = (void *)(uintptr_t)BW_RATE_REGISTERS;
	bw_rate_ptx(key, &ptx);
	bool good = did(run, run->cuda.load(&module, bw_text_get(&ptx), 1, &option, &value),
	                "loading the kernel", error);
	if (!good)
		return false;
	good = did(run, run->cuda.function(&plan.function, module, "rate"), "finding the kernel", error) &&
	       make_plan(run, &plan, error) && repeat(run, &plan, seconds, rate, error);
	return did(run, run->cuda.unload(module), "unloading the kernel", good ? error : NULL) && good;
}

/* Measures the rates of a device for about `seconds`. Updates *rates after each rate, so that finished rates
 * remain if the process is killed. Sets a rate's `error` if it could not be measured. Sets *error only if the
 * device cannot be used at all. */
static void cuda_rates(int ordinal, double seconds, struct bw_rates *rates, struct bw_error *error)
{
	struct run run = {0};
	double begin = bw_clock();
	if (open_device(&run, ordinal, rates, error))
		for (int k = 0; k < BW_N_RATES; k++) {
			struct bw_error trouble = {0};
			double share = fmax(begin + seconds - bw_clock(), 0) / (BW_N_RATES - k);
			if (!take(&run, k, share, &rates->list[k], &trouble))
				snprintf(rates->list[k].error, sizeof rates->list[k].error, "%s",
				         trouble.text);
			rates->seconds = bw_clock() - begin;
		}
	close_device(&run);
}

/* The request for a device's rates, which are measured in a child process. */

struct task {
	const struct bw_present *device;
	double seconds;
};

/* Runs in a child process. */
static void run_rates(void *context, struct bw_progress *progress)
{
	const struct task *task = context;
	struct bw_turn turn = {0};
	bw_turn_on(task->device);
	bw_turn_take(&turn, true, BW_PHASE_RATES, progress);
	progress->rates = bw_rates_none("not reached");
	cuda_rates(task->device->ordinal, task->seconds, &progress->rates, &progress->error);
	progress->phase = BW_PHASE_ANSWERED;
}

/* Returns the device to measure: the device of the list that the request names, or else the first CUDA
 * device. Returns NULL with an error. */
static const struct bw_present *choose(struct bw_server *server, int wanted, struct bw_error *error)
{
	const struct bw_presents *devices = &server->devices;
	if (!bw_server_devices(server, error))
		return NULL;
	for (int k = wanted < 0 ? 0 : wanted; k < (wanted < 0 ? devices->n : wanted + 1) && k < devices->n;
	     k++)
		if (devices->list[k].device.api == BW_API_CUDA && !devices->list[k].device.cpu)
			return &devices->list[k];
	if (wanted >= devices->n)
		bw_fail(error, BW_ERROR_DEVICE, "there is no device %d: %d are listed", wanted, devices->n);
	else if (wanted >= 0)
		bw_fail(error, BW_ERROR_DEVICE, "%s is no GPU with CUDA: rates are taken of these only",
		        devices->list[wanted].name);
	else
		bw_fail(error, BW_ERROR_DEVICE, "no CUDA device to take rates of: %s",
		        *devices->trouble ? devices->trouble : "CUDA's driver is not installed, or has none");
	return NULL;
}

/* Measures the rates in a child process. Keeps the rates that were measured before an error. */
static bool take_apart(struct bw_server *server, const struct bw_present *present, struct bw_rates *rates,
                 struct bw_error *error)
{
	const struct bw_request *request = &server->under_way->request;
	struct task task = {present, request->seconds};
	struct bw_progress answer;
	server->object = 0;
	server->waited = 0;
	bool good = bw_supervise(run_rates, &task, request->limit, &server->watch, &answer, error);
	*rates = answer.rates;
	if (!good && (error->kind == BW_ERROR_STOPPED || !bw_rates_taken(rates)))
		return false;
	for (int k = 0; !good && k < BW_N_RATES; k++)
		snprintf(rates->list[k].error, sizeof rates->list[k].error, "%s", error->text);
	if (bw_rates_taken(rates))
		return true;
	return bw_fail(error, BW_ERROR_DEVICE, "no rate of %s could be taken: %s", rates->device,
	               rates->list[0].error);
}

bool bw_server_rates(struct bw_server *server)
{
	const struct bw_request *request = &server->under_way->request;
	struct bw_error error = {0};
	struct bw_rates rates;
	const struct bw_present *present = choose(server, request->device, &error);
	if (!present || !take_apart(server, present, &rates, &error))
		return bw_report_error(server->results, request->id, -1, &error);
	return bw_report_rates(server->results, request->id, &rates);
}
