/* The worker's steps with CUDA where there is no GPU: a schedule that Halide compiled for CUDA, its real runtime, and a stand-in for the driver
 * (stub_cuda.c) that runs no kernel. Shown: which devices and figures are read, that a device is chosen, the kernels' names from the object's PTX, the
 * limit of registers as the driver is given it by the worker and by Halide's runtime, driver and clock, the runs' method. Not shown, and not
 * showable so: that kernels compute what they should (tests/gpu/campaign does that on a GPU). Figures by hand: 2 transfers x 1215 MHz x 5120 bits =
 * 1555.2 GB/s; half of 108 SMs have half of the A100's rates. */
#include "base/file.h"
#include "bench_test.h"

#include <math.h>

#include "bench/answer.h"

static struct fixture fixture;
static struct bw_device *records;
static int n_records;
static char *object;

static void build_stub(const char *name)
{
	struct bw_text path = {0}, source = {0};
	bw_text_printf(&path, "%s/%s", fixture.directory, name);
	bw_text_printf(&source, "%s/tests/bench/stub_cuda.c", variable("BW_SRC"));
	const char *const argv[] = {"cc", "-std=c11", "-D_GNU_SOURCE", "-w", "-shared", "-fPIC", "-o", path.bytes, source.bytes, NULL};
	must_run(argv);
	bw_text_free(&path);
	bw_text_free(&source);
}

/* Compiles a generator of the fixture's under its own schedule, for CUDA, and links it. */
static void build_object(void)
{
	struct bw_text path = {0}, filter = {0}, runtime = {0};
	bw_text_printf(&path, "%s/cuda.so", fixture.directory);
	bw_text_printf(&filter, "%s/bw_filter.o", fixture.directory);
	bw_text_printf(&runtime, "%s/runtime.o", fixture.directory);
	const char *const compile[] = {fixture.generator, "-g", "sharpen", "-o", fixture.directory, "-f", "bw_filter", "-n", "bw_filter", "-e", "object", "target=x86-64-linux-cuda-cuda_capability_80-no_runtime", "how=gpu", NULL};
	const char *const make_runtime[] = {fixture.generator, "-r", "runtime", "-o", fixture.directory, "-e", "object", "target=x86-64-linux-cuda-cuda_capability_80", NULL};
	const char *const link[] = {"cc", "-shared", "-o", path.bytes, filter.bytes, runtime.bytes, "-Wl,-Bsymbolic", "-ldl", "-lpthread", "-lm", NULL};
	must_run(compile);
	must_run(make_runtime);
	must_run(link);
	bw_text_free(&filter);
	bw_text_free(&runtime);
	object = bw_text_take(&path);
}

static int open_all(void **state)
{
	struct bw_text path = {0};
	struct bw_error error = {0};
	fixture_open(&fixture);
	build_stub("libcuda.so.1");
	build_stub("libnvidia-ml.so.1");
	build_object();
	setenv("LD_LIBRARY_PATH", fixture.directory, 1);
	bw_text_printf(&path, "%s/data/devices.json", variable("BW_SRC"));
	records = bw_devices_read(path.bytes, &n_records, &error);
	bw_text_free(&path);
	return records ? 0 : -1;
}

static int close_all(void **state)
{
	free(records);
	free(object);
	fixture_close(&fixture);
	return 0;
}

static void devices(void **state)
{
	struct bw_bench *bench = bw_bench_new(&fixture.places, NULL, 20);
	struct bw_presents presents;
	struct bw_error error = {0};
	if (!bw_bench_devices_wait(bench, &(struct bw_patience){300, NULL}, &presents, &error))
		fail_msg("%s", error.text);
	assert_true(presents.n >= 2);
	assert_string_equal(presents.list[0].name, "Stub GPU");
	assert_string_equal(presents.list[0].driver, "NVIDIA 550.54.15, CUDA 12.4");
	assert_int_equal(presents.list[1].ordinal, 1);
	assert_true(presents.list[0].memory == 40e9);
	const struct bw_device *a100 = bw_device_find(records, n_records, "A100");
	struct bw_device stranger = bw_present_record(&presents.list[0], records, n_records), known = bw_present_record(&presents.list[1], records, n_records);
	assert_string_equal(known.name, "A100");
	assert_string_equal(stranger.name, "Stub GPU");
	assert_true(fabs(stranger.global_bandwidth - 1555.2e9) < 1);
	assert_true(stranger.sms == 54 && fabs(stranger.float_rate / a100->float_rate - 0.5) < 1e-9);
#define X(field, key, unit, text) \
	if (strcmp(key, "global_bandwidth") != 0 && known.field != a100->field) \
		fail_msg("%s: %g, the record has %g", key, known.field, a100->field);
	BW_DEVICE_TABLE(X)
#undef X
	assert_int_equal(bw_presents_choose(&presents, NULL, records, n_records), 0);
	assert_int_equal(bw_presents_choose(&presents, a100, records, n_records), 1);
	bw_bench_drop(bench);
}

static void measure_with(int registers, int device, struct bw_measured *measured)
{
	struct bw_bench *bench = bw_bench_new(&fixture.places, fixture.bench, 20);
	struct bw_measure_request request = {.seed = 3, .seconds = 0.02, .limit = 300, .registers = registers, .device = device};
	const char *const objects[] = {object};
	bw_bench_measure(bench, &request, objects, 1, &(struct bw_patience){300, NULL}, measured, NULL, NULL);
	bw_bench_drop(bench);
	if (!measured->good)
		fail_msg("%s", measured->error.text);
}

/* Halide's runtime and the worker load the kernels, both with this limit. */
static void expect_loads(const char *log, int limit)
{
	struct bw_text said = {0}, expected = {0};
	struct bw_error error = {0};
	assert_true(bw_file_read(log, 4096, &said, &error));
	bw_text_printf(&expected, "registers %d\nregisters %d\n", limit, limit);
	assert_string_equal(bw_text_get(&said), expected.bytes);
	bw_text_free(&said);
	bw_text_free(&expected);
}

static void kernels_and_clocks(void **state)
{
	struct bw_text log = {0};
	bw_text_printf(&log, "%s/log", fixture.directory);
	setenv("STUB_LOG", log.bytes, 1);
	static const struct {
		int registers, device, limit;
		const char *name;
	} cases[] = {{0, 1, 64, "Stub GPU"}, {32, 2, 32, "NVIDIA A100-STUB"}};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct bw_measured measured;
		unlink(log.bytes);
		measure_with(cases[c].registers, cases[c].device, &measured);
		expect_loads(log.bytes, cases[c].limit);
		const struct bw_measurement *got = &measured.measurement;
		assert_int_equal(got->verdict, BW_UNCHECKED);
		assert_string_equal(got->device, cases[c].name);
		assert_string_equal(got->driver, "NVIDIA 550.54.15, CUDA 12.4");
		assert_false(got->cpu);
		assert_true(got->clock == 1.38e9);
		assert_non_null(strstr(got->method, "100 calls and a device sync, a call's share, inputs and intermediates already on the device"));
		assert_true(got->runs >= 5 && got->minimum > 0);
		assert_int_equal(got->kernels.register_limit, cases[c].limit);
		assert_true(got->kernels.n >= 2);
		for (int k = 0; k < got->kernels.n; k++) {
			const struct bw_kernel_use *use = &got->kernels.list[k];
			assert_non_null(strstr(use->name, "kernel"));
			assert_int_equal(use->registers, cases[c].limit);
			assert_int_equal(use->local_bytes, 16);
			assert_int_equal(use->shared_bytes, 128);
			assert_int_equal(use->block_threads, 1024);
			assert_int_equal(use->spill_loads, -1);
		}
	}
	unsetenv("STUB_LOG");
	bw_text_free(&log);
}

/* Runs the worker over one line of request; the answer with its result, which the caller frees. */
static void answer_of(const char *line, struct bw_answer *answer)
{
	const char *const argv[] = {fixture.bench, NULL};
	struct bw_outcome outcome;
	struct bw_error error = {0};
	bw_process_run(&(struct bw_process_command){argv, NULL, line, 1 << 20, false}, &(struct bw_patience){300, NULL}, &outcome);
	for (char *rest = outcome.output.bytes, *one; (one = strsep(&rest, "\n"));) {
		if (*one && !bw_answer_read(one, strlen(one), answer, &error))
			fail_msg("%s: %s", one, error.text);
		if (answer->kind == BW_ANSWER_RESULT)
			break;
		bw_answer_free(answer);
	}
	assert_int_equal(answer->kind, BW_ANSWER_RESULT);
	bw_outcome_free(&outcome);
}

/* The stand-in has 2048 threads and 167936 bytes of shared memory per SM: 8 blocks of 256 threads fit, and 4 of 40000 bytes. */
static void occupancy_as_launched(void **state)
{
	static const struct {
		const char *launch; /* of the first kernel; NULL: the object's launches are null */
		int blocks;
	} cases[] = {{"[256,0]", 8}, {"[128,40000]", 4}, {NULL, -1}};
	struct bw_measured plain;
	measure_with(0, 1, &plain);
	assert_true(plain.measurement.kernels.n >= 2);
	assert_int_equal(plain.measurement.kernels.list[0].blocks_per_sm, -1);
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct bw_text line = {0};
		struct bw_answer answer = {0};
		bw_text_printf(&line, "{\"beamwalk-bench\":2,\"id\":1,\"do\":\"measure\",\"objects\":[\"%s\"],\"seconds\":0,\"launches\":[", object);
		if (cases[c].launch)
			bw_text_printf(&line, "{\"%s\":%s}", plain.measurement.kernels.list[0].name, cases[c].launch);
		bw_text_puts(&line, cases[c].launch ? "]}\n" : "null]}\n");
		answer_of(line.bytes, &answer);
		assert_int_equal(answer.measurement.kernels.n, plain.measurement.kernels.n);
		assert_int_equal(answer.measurement.kernels.list[0].blocks_per_sm, cases[c].blocks);
		assert_int_equal(answer.measurement.kernels.list[1].blocks_per_sm, -1);
		bw_answer_free(&answer);
		bw_text_free(&line);
	}
}

/* No kernel has run, so what is checked is wrong: the stand-in is told from a GPU. */
static void nothing_is_computed(void **state)
{
	struct bw_measurement got;
	struct bw_error error = {0};
	struct bw_measure_request request = {.object = object, .reference = object, .seed = 3, .seconds = 0.01, .limit = 300};
	assert_true(measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error));
	assert_int_equal(got.verdict, BW_OUTPUT_WRONG);
}

static void a_driver_without_a_device(void **state)
{
	setenv("STUB_CUDA", "broken", 1);
	struct bw_bench *bench = bw_bench_new(&fixture.places, NULL, 20);
	struct bw_presents presents;
	struct bw_measured measured;
	struct bw_error error = {0};
	assert_true(bw_bench_devices_wait(bench, &(struct bw_patience){300, NULL}, &presents, &error));
	assert_string_equal(presents.trouble, "CUDA's driver is installed and says: no CUDA-capable device is detected");
	struct bw_measure_request request = {.seed = 3, .seconds = 0.01, .limit = 300};
	bw_bench_measure(bench, &request, (const char *const[]){object}, 1, &(struct bw_patience){300, NULL}, &measured, NULL, NULL);
	assert_false(measured.good);
	assert_int_equal(measured.error.kind, BW_ERROR_HALIDE);
	assert_non_null(strstr(measured.error.text, "cuInit failed"));
	bw_bench_drop(bench);
	unsetenv("STUB_CUDA");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(devices), cmocka_unit_test(kernels_and_clocks), cmocka_unit_test(occupancy_as_launched), cmocka_unit_test(nothing_is_computed), cmocka_unit_test(a_driver_without_a_device)};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
