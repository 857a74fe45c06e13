/* The bundled pipelines: the algorithm, under its hand-written schedules for GPU and CPU and under the plugin's plain CPU schedule,
 * gives what plain C gives (integers exactly, floats within half of the bound stated beside the pipeline, since that compares
 * two results); the description that the core's tests use is the one that the plugin writes; and a GPU schedule that computes
 * the wrong tile is flagged. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <HalideRuntime.h>
#include <cmocka.h>

#include "base/mem.h"
#include "bench/bench.h"
#include "bench/process.h"
#include "reference.h"

enum { PATH = 4096, N_SIZES = 3 };

static char bench[PATH], scratch[] = "/tmp/bw-pipelines-test.XXXXXX";
static struct bw_places places = {NULL, bench, scratch, "cc"};
static const struct bw_patience patience = {300, NULL};
static const int sizes[N_SIZES][2] = {{64, 64}, {70, 45}, {131, 35}};

typedef int (*filter)(struct halide_buffer_t *, struct halide_buffer_t *);
typedef int (*copy_to_host)(void *, struct halide_buffer_t *);

static void path_in(char *path, const char *directory, const char *name)
{
	const char *base = getenv(directory);
	if (!base)
		fail_msg("%s is not set", directory);
	snprintf(path, PATH, "%s/%s", base, name);
}

static void must_run(const char *const *argv)
{
	struct bw_error error;
	struct bw_outcome outcome;
	bw_process_run(&(struct bw_process_command){.argv = argv}, &patience, &outcome);
	if (!bw_outcome_good(&outcome, argv[0], &patience, BW_ERROR_FAILED, &error))
		fail_msg("%s", error.text);
	bw_outcome_free(&outcome);
}

static int open_all(void **state)
{
	(void)state;
	places.plugins = bw_plugins_find(getenv("BW_BUILD"));
	path_in(bench, "BW_BUILD", "beamwalk-bench");
	assert_non_null(mkdtemp(scratch));
	/* Filters run in this process too; PoCL finds no memory in a root without /sys. The bench sees to that by itself. */
	if (access("/sys/devices/system/cpu", F_OK) != 0)
		setenv("HWLOC_SYNTHETIC", "numa:1(memory=4294967296) core:2 pu:1", 0);
	/* Halide's runtime looks for libOpenCL.so, which only a development package has. */
	if (!dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL))
		fail_msg("%s", dlerror());
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	must_run((const char *const[]){"rm", "-rf", scratch, NULL});
	return 0;
}

static struct bw_generator generator_of(const char *name)
{
	static char path[PATH];
	char inside[64];
	snprintf(inside, sizeof inside, "pipelines/%s", name);
	path_in(path, "BW_BUILD", inside);
	return (struct bw_generator){.path = path, .name = name};
}

/* The pipeline under its own schedule for a target, as a shared object. */
static char *compile_by_hand(const char *name, const char *target)
{
	struct bw_generator generator = generator_of(name);
	char option[64], object[PATH], file[64];
	struct bw_text shared = {0};
	snprintf(option, sizeof option, "target=%s", target);
	snprintf(file, sizeof file, "%s_%s", name, target);
	snprintf(object, sizeof object, "%s/%s.o", scratch, file);
	bw_text_printf(&shared, "%s/%s.so", scratch, file);
	must_run((const char *const[]){generator.path, "-g", name, "-o", scratch, "-f", "bw_filter", "-n", file, "-e", "object", option, NULL});
	must_run((const char *const[]){"cc", "-shared", "-o", shared.bytes, object, "-Wl,-Bsymbolic", "-ldl", "-lpthread", "-lm", NULL});
	return bw_text_take(&shared);
}

static char *compile_plain(const char *name)
{
	struct bw_generator generator = generator_of(name);
	struct bw_error error;
	char *path = bw_generator_compile(&generator, &places, &patience, BW_BUILD_REFERENCE, NULL, NULL, &error);
	if (!path)
		fail_msg("%s", error.text);
	return path;
}

static void run(const char *path, struct halide_buffer_t *input, struct halide_buffer_t *output)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		fail_msg("%s", dlerror());
	filter call = (filter)(uintptr_t)dlsym(object, "bw_filter");
	copy_to_host copy = (copy_to_host)(uintptr_t)dlsym(object, "halide_copy_to_host");
	input->flags = halide_buffer_flag_host_dirty;
	assert_int_equal(call(input, output), 0);
	assert_int_equal(copy(NULL, output), 0);
}

/* Each schedule of a pipeline as a shared object. */
static const struct {
	const char *target; /* by hand; NULL: the plugin's */
} schedules[] = {{"x86-64-linux-opencl"}, {"x86-64-linux"}, {NULL}};
enum { N_SCHEDULES = sizeof schedules / sizeof *schedules };

static char *compile(const char *name, int schedule)
{
	return schedules[schedule].target ? compile_by_hand(name, schedules[schedule].target) : compile_plain(name);
}

static struct halide_buffer_t buffer(void *host, struct halide_type_t type, struct halide_dimension_t *dims, int n)
{
	return (struct halide_buffer_t){.host = host, .type = type, .dim = dims, .dimensions = n};
}

static uint64_t noise(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void blur_size(const char *path, int width, int height)
{
	uint16_t *in = BW_NEW_ARRAY(uint16_t, (width + 2) * (height + 2)), *out = BW_NEW_ARRAY(uint16_t, width * height);
	uint64_t state = 1;
	for (int i = 0; i < (width + 2) * (height + 2); i++)
		in[i] = (uint16_t)noise(&state);
	struct halide_dimension_t in_dims[] = {{0, width + 2, 1, 0}, {0, height + 2, width + 2, 0}}, out_dims[] = {{0, width, 1, 0}, {0, height, width, 0}};
	struct halide_type_t type = {halide_type_uint, 16, 1};
	struct halide_buffer_t input = buffer((void *)in, type, in_dims, 2), output = buffer((void *)out, type, out_dims, 2);
	run(path, &input, &output);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			if (out[y * width + x] != reference_blur(in, width + 2, x, y))
				fail_msg("%s: (%d, %d) of %dx%d is %d", path, x, y, width, height, out[y * width + x]);
	free(in);
	free(out);
}

static void blur(void **state)
{
	(void)state;
	for (int s = 0; s < N_SCHEDULES; s++) {
		char *path = compile("blur", s);
		for (int k = 0; k < N_SIZES; k++)
			blur_size(path, sizes[k][0], sizes[k][1]);
		free(path);
	}
}

/* The bound stated beside a pipeline. */
static double stated_bound(const char *name)
{
	char path[PATH], inside[64];
	snprintf(inside, sizeof inside, "pipelines/%s.json", name);
	path_in(path, "BW_SRC", inside);
	json_t *file = json_load_file(path, 0, NULL);
	assert_non_null(file);
	double bound = json_number_value(json_object_get(json_object_get(file, "bound"), "absolute"));
	json_decref(file);
	return bound;
}

static void harris_size(const char *path, int width, int height, double bound)
{
	const int plane = (width + 4) * (height + 4);
	uint8_t *in = BW_NEW_ARRAY(uint8_t, 3 * plane);
	float *out = BW_NEW_ARRAY(float, width * height);
	uint64_t state = 1;
	for (int i = 0; i < 3 * plane; i++)
		in[i] = (uint8_t)(noise(&state) % 3 == 0 ? 255 : noise(&state) % 3 == 0 ? 0 : noise(&state));
	struct halide_dimension_t in_dims[] = {{0, width + 4, 1, 0}, {0, height + 4, width + 4, 0}, {0, 3, plane, 0}}, out_dims[] = {{2, width, 1, 0}, {2, height, width, 0}};
	struct halide_buffer_t input = buffer(in, (struct halide_type_t){halide_type_uint, 8, 1}, in_dims, 3);
	struct halide_buffer_t output = buffer((void *)out, (struct halide_type_t){halide_type_float, 32, 1}, out_dims, 2);
	run(path, &input, &output);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double right = reference_harris(in, width + 4, plane, x + 2, y + 2);
			if (!(fabs((double)out[y * width + x] - right) <= bound / 2))
				fail_msg("%s: (%d, %d) of %dx%d is %.9g, not %.9g", path, x + 2, y + 2, width, height, (double)out[y * width + x], right);
		}
	free(in);
	free(out);
}

static void harris(void **state)
{
	(void)state;
	double bound = stated_bound("harris");
	for (int s = 0; s < N_SCHEDULES; s++) {
		char *path = compile("harris", s);
		for (int k = 0; k < N_SIZES; k++)
			harris_size(path, sizes[k][0], sizes[k][1], bound);
		free(path);
	}
}

static void descriptions(void **state)
{
	(void)state;
	static const char *const names[] = {"blur", "harris"};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		struct bw_generator generator = generator_of(names[k]);
		struct bw_text written = {0}, kept = {0};
		struct bw_error error;
		char path[PATH], inside[64];
		snprintf(inside, sizeof inside, "data/descriptions/%s.json", names[k]);
		path_in(path, "BW_SRC", inside);
		if (!bw_generator_describe(&generator, &places, &patience, &written, &error) || !bw_file_read(path, 1 << 20, &kept, &error))
			fail_msg("%s", error.text);
		if (strcmp(written.bytes, kept.bytes) != 0)
			fail_msg("%s is not what the plugin writes of %s", path, generator.path);
		bw_text_free(&written);
		bw_text_free(&kept);
	}
}

/* Changes the first place where the text stands in a file. */
static void patch(const char *path, const char *old, const char *new)
{
	struct bw_text file = {0};
	struct bw_error error;
	assert_int_equal(strlen(old), strlen(new));
	if (!bw_file_read(path, 64 << 20, &file, &error))
		fail_msg("%s", error.text);
	char *place = memmem(file.bytes, file.length, old, strlen(old));
	assert_non_null(place);
	memcpy(place, new, strlen(new));
	assert_true(bw_file_write(path, file.bytes, file.length, &error));
	bw_text_free(&file);
}

static enum bw_verdict measured(const char *name, const char *object)
{
	char *reference = compile_plain(name);
	struct bw_measure_request request = {.object = object, .reference = reference, .seed = 7, .bound = {stated_bound(name), 0}, .seconds = 0.01, .limit = 120, .estimates = "{\"input\": [[0, 200], [0, 200]], \"output\": [[2, 128], [2, 96]]}"};
	if (strcmp(name, "harris") == 0)
		request.estimates = "{\"input\": [[0, 200], [0, 200], [0, 3]], \"output\": [[2, 128], [2, 96]]}";
	struct bw_measurement measurement;
	struct bw_error error;
	if (!bw_measure(&places, &request, &patience, &measurement, &error))
		fail_msg("%s: %s", name, error.text);
	free(reference);
	return measurement.verdict;
}

static void broken(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum bw_verdict right;
	} cases[] = {{"blur", BW_RIGHT}, {"harris", BW_RIGHT_WITHIN_BOUND}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		char *path = compile_by_hand(cases[k].name, "x86-64-linux-opencl");
		enum bw_verdict verdict = measured(cases[k].name, path);
		if (verdict != BW_RIGHT && verdict != cases[k].right)
			fail_msg("%s: %s", cases[k].name, bw_verdict_name(verdict));
		patch(path, "get_group_id(0)", "get_group_id(1)");
		assert_int_equal(measured(cases[k].name, path), BW_OUTPUT_WRONG);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blur),
		cmocka_unit_test(harris),
		cmocka_unit_test(descriptions),
		cmocka_unit_test(broken),
	};
	return cmocka_run_group_tests_name("pipelines", tests, open_all, close_all);
}
