/* The bundled pipelines: the algorithm, under its hand-written schedules for GPU and CPU and under the plugin's plain CPU schedule,
 * gives what plain C gives (integers exactly, floats within half of the bound stated beside the pipeline, since that compares
 * two results); the description that the core's tests use is the one that the plugin writes; and a GPU schedule that computes
 * the wrong tile is flagged. Memory that is not set, or was freed, holds neither zeros nor what it held before. */
#include "base/process.h"
#include "check.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "bench/complaint.h"
#include "bench/protocol.h"

enum { PATH = 4096, N_SIZES = 3 };

static char bench[PATH], kernels[PATH], scratch[] = "/tmp/bw-pipelines-test.XXXXXX";
static struct bw_places places = {NULL, bench, scratch, "cc", NULL};
static const struct bw_patience patience = {300, NULL};
static const int sizes[N_SIZES][2] = {{64, 64}, {70, 45}, {131, 35}};

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
	places.plugins = bw_plugins_find(getenv("BW_BUILD"));
	path_in(bench, "BW_BUILD", "beamwalk-bench");
	assert_non_null(mkdtemp(scratch));
	snprintf(kernels, sizeof kernels, "%s/kernels", scratch);
	assert_int_equal(mkdir(kernels, 0700), 0);
	assert_int_equal(setenv("POCL_CACHE_DIR", kernels, 1), 0);
	/* Halide's runtime looks for libOpenCL.so, which only a development package has. */
	if (!dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL))
		fail_msg("%s", dlerror());
	return 0;
}

static int close_all(void **state)
{
	must_run((const char *const[]){"rm", "-rf", scratch, NULL});
	return 0;
}

/* A pipeline, whole or with a parameter of its generator; what its outputs are compared with. */
struct subject {
	const char *name, *parameter;
	void (*check)(const struct compiled *compiled, int width, int height);
};
#define X(name, parameter, what) {name, parameter, check_##what},
static const struct subject subjects[] = {CHECKED_PIPELINES(X)};
#undef X
enum { N_SUBJECTS = sizeof subjects / sizeof *subjects };

static struct bw_generator generator_of(const struct subject *subject)
{
	static char path[PATH];
	char inside[64];
	snprintf(inside, sizeof inside, "pipelines/%s", subject->name);
	path_in(path, "BW_BUILD", inside);
	return (struct bw_generator){.path = path, .name = subject->name, .args = &subject->parameter, .n_args = subject->parameter != NULL};
}

/* Where a pipeline's own schedule is for. */
static const struct bw_device opencl = {.target = "opencl"}, cpu = {.target = ""};

/* The pipeline under its own schedule for a device, or under the plugin's plain one (NULL), as a shared object. What is compiled once is found again. */
static char *compile(const struct subject *subject, const struct bw_device *device)
{
	struct bw_generator generator = generator_of(subject);
	struct bw_error error;
	char *path = bw_generator_compile(&generator, &places, &patience, device ? BW_BUILD_OWN : BW_BUILD_REFERENCE, NULL, device, &error);
	if (!path)
		fail_msg("%s", error.text);
	return path;
}

/* The bound stated beside a pipeline: "absolute" or "relative". */
static double stated_bound(const char *name, const char *which)
{
	char path[PATH], inside[64];
	snprintf(inside, sizeof inside, "pipelines/%s.json", name);
	path_in(path, "BW_SRC", inside);
	json_t *file = json_load_file(path, 0, NULL);
	assert_non_null(file);
	double bound = json_number_value(json_object_get(json_object_get(file, "bound"), which));
	json_decref(file);
	return bound;
}

static void algorithm(void **state)
{
	const struct subject *subject = *state;
	static const struct bw_device *const schedules[] = {&opencl, &cpu, NULL};
	for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
		struct compiled compiled = {compile(subject, schedules[s]), stated_bound(subject->name, "absolute") / 2, stated_bound(subject->name, "relative") / 2};
		for (int k = 0; k < N_SIZES; k++)
			subject->check(&compiled, sizes[k][0], sizes[k][1]);
		free((void *)(uintptr_t)compiled.path);
	}
}

/* Takes the version of Halide out of a description: that of the committed ones is 14, and all else is the same with every Halide. */
static void cut_version(struct bw_text *description)
{
	static const char key[] = "\"halide\":\"";
	char *at = strstr(description->bytes, key);
	assert_non_null(at);
	at += sizeof key - 1;
	const char *rest = at + strcspn(at, "\"");
	memmove(at, rest, strlen(rest) + 1);
}

static void descriptions(void **state)
{
	for (int k = 0; k < N_SUBJECTS; k++) {
		const struct subject *subject = &(struct subject){.name = subjects[k].name};
		struct bw_generator generator = generator_of(subject);
		struct bw_text written = {0}, kept = {0};
		struct bw_error error;
		char path[PATH], inside[64];
		if (k && strcmp(subject->name, subjects[k - 1].name) == 0)
			continue;
		snprintf(inside, sizeof inside, "data/descriptions/%s.json", subject->name);
		path_in(path, "BW_SRC", inside);
		if (!bw_generator_describe(&generator, &places, &patience, &written, &error) || !bw_file_read(path, 1 << 20, &kept, &error))
			fail_msg("%s", error.text);
		cut_version(&written);
		cut_version(&kept);
		if (strcmp(written.bytes, kept.bytes) != 0)
			fail_msg("%s is not what the plugin writes of %s", path, generator.path);
		bw_text_free(&written);
		bw_text_free(&kept);
	}
}

/* A copy of a file in which the first and the last place where the text stands are changed: of a kernel, the last is the one that makes the output. What others
 * fail to make may still lie in the memory of the run before. */
static char *patched(const char *path, const char *old, const char *new)
{
	struct bw_text file = {0}, copy = {0};
	struct bw_error error;
	bw_text_printf(&copy, "%s.broken", path);
	assert_int_equal(strlen(old), strlen(new));
	if (!bw_file_read(path, 64 << 20, &file, &error))
		fail_msg("%s", error.text);
	char *first = memmem(file.bytes, file.length, old, strlen(old)), *last = first;
	assert_non_null(first);
	for (char *next = first; next; next = memmem(next + 1, (size_t)(file.bytes + file.length - next - 1), old, strlen(old)))
		last = next;
	memcpy(first, new, strlen(new));
	memcpy(last, new, strlen(new));
	assert_true(bw_file_write(copy.bytes, file.bytes, file.length, &error));
	bw_text_free(&file);
	return bw_text_take(&copy);
}

/* Has PoCL compile the kernels of an object once for this process and for the workers, which have a folder for each object. */
static void share_kernels(const char *object)
{
	char folder[PATH], name[BW_CONTENT_NAME];
	struct bw_error error;
	bw_content_name(object, strlen(object), name);
	snprintf(folder, sizeof folder, "%s/pocl", scratch);
	if (!bw_trusted_folder_make(folder, &error))
		fail_msg("%s", error.text);
	snprintf(folder, sizeof folder, "%s/pocl/%s", scratch, name);
	assert_int_equal(symlink(kernels, folder), 0);
}

static enum bw_verdict measured(const struct subject *subject, const char *estimates, const char *object)
{
	char *reference = compile(subject, NULL);
	struct bw_measure_request request = {.object = object, .reference = reference, .seed = 7, .bound = {stated_bound(subject->name, "absolute"), stated_bound(subject->name, "relative"), 0}, .seconds = 0.01, .limit = 300, .estimates = estimates};
	struct bw_measurement measurement;
	struct bw_error error;
	struct bw_bench *measuring = bw_bench_new(&places, NULL, 0);
	if (!bw_measure(measuring, &request, &patience, &measurement, NULL, &error))
		fail_msg("%s: %s", subject->name, error.text);
	bw_bench_drop(measuring);
	free(reference);
	return measurement.verdict;
}

/* Patched, all tiles of a row are the first one: none lies beyond a buffer, whatever the number of tiles and their tails. */
static void broken(void **state)
{
	static const struct {
		struct subject subject;
		const char *estimates;
		enum bw_verdict right;
	} cases[] = {
		{{"bgu", "cell=4", NULL}, "{\"before\": [[0, 20], [0, 16], [0, 3]], \"after\": [[0, 20], [0, 16], [0, 3]], \"large\": [[0, 160], [0, 128], [0, 3]], \"output\": [[0, 160], [0, 128], [0, 3]]}", BW_RIGHT_WITHIN_BOUND},
		{{"bilateral_grid", NULL, NULL}, "{\"input\": [[0, 128], [0, 96]], \"output\": [[0, 128], [0, 96]]}", BW_RIGHT_WITHIN_BOUND},
		{{"blur", NULL, NULL}, "{\"input\": [[0, 200], [0, 200]], \"output\": [[2, 128], [2, 96]]}", BW_RIGHT},
		{{"camera_pipe", NULL, NULL}, "{\"input\": [[0, 160], [0, 128]], \"matrix_3200\": [[0, 4], [0, 3]], \"matrix_7000\": [[0, 4], [0, 3]], \"output\": [[0, 128], [0, 96], [0, 3]]}", BW_RIGHT_WITHIN_BOUND},
		{{"conv_layer", "channels=16", NULL}, "{\"input\": [[0, 16], [0, 34], [0, 10], [0, 2]], \"weights\": [[0, 16], [0, 3], [0, 3], [0, 16]], \"bias\": [[0, 16]], \"output\": [[0, 16], [0, 32], [0, 8], [0, 2]]}", BW_RIGHT_WITHIN_BOUND},
		{{"cs6120_blur", NULL, NULL}, "{\"input\": [[0, 516], [0, 48]], \"output\": [[2, 512], [0, 48]]}", BW_RIGHT},
		{{"cs6120_roots", NULL, NULL}, "{\"output\": [[0, 512], [0, 64]]}", BW_RIGHT_WITHIN_BOUND},
		{{"cs6120_sum", NULL, NULL}, "{\"output\": [[0, 512], [0, 48]]}", BW_RIGHT},
		{{"depthwise_separable_conv", "channels=16", NULL}, "{\"input\": [[0, 16], [0, 64], [0, 8], [0, 2]], \"filters\": [[0, 16], [0, 3], [0, 3]], \"mixture\": [[0, 8], [0, 16]], \"bias\": [[0, 8]], \"output\": [[0, 8], [0, 64], [0, 8], [0, 2]]}", BW_RIGHT_WITHIN_BOUND},
		{{"harris", NULL, NULL}, "{\"input\": [[0, 200], [0, 200], [0, 3]], \"output\": [[2, 128], [2, 96]]}", BW_RIGHT_WITHIN_BOUND},
		{{"hist_equalize", NULL, NULL}, "{\"input\": [[0, 128], [0, 96], [0, 3]], \"output\": [[0, 128], [0, 96], [0, 3]]}", BW_RIGHT},
		{{"iir_blur", NULL, NULL}, "{\"input\": [[0, 80], [0, 70], [0, 3]], \"output\": [[0, 80], [0, 70], [0, 3]]}", BW_RIGHT_WITHIN_BOUND},
		{{"interpolate", "levels=3", NULL}, "{\"input\": [[0, 256], [0, 24], [0, 4]], \"output\": [[0, 256], [0, 24], [0, 3]]}", BW_RIGHT_WITHIN_BOUND},
		{{"kwz", NULL, NULL}, "{\"input\": [[0, 130], [0, 100]], \"output\": [[0, 128], [2, 96]]}", BW_RIGHT},
		{{"learned_demosaic", NULL, NULL}, "{\"mosaic\": [[0, 512], [0, 48]], \"trusts\": [[0, 5], [0, 5], [0, 8]], \"greens\": [[0, 5], [0, 5], [0, 8]], \"chromas\": [[0, 5], [0, 5], [0, 3]], \"output\": [[0, 512], [0, 48], [0, 3]]}", BW_RIGHT_WITHIN_BOUND},
		{{"lens_blur", "slices=6", NULL}, "{\"left\": [[0, 320], [0, 48], [0, 3]], \"right\": [[0, 320], [0, 48], [0, 3]], \"output\": [[0, 320], [0, 48], [0, 3]]}", BW_RIGHT},
		{{"pyramid_blend", "pyramid_levels=2", NULL}, "{\"first\": [[0, 512], [0, 48], [0, 3]], \"second\": [[0, 512], [0, 48], [0, 3]], \"mask\": [[0, 512], [0, 48]], \"output\": [[0, 512], [0, 48], [0, 3]]}", BW_RIGHT_WITHIN_BOUND},
		{{"two_stencils", NULL, NULL}, "{\"input\": [[0, 132], [0, 100]], \"output\": [[2, 128], [2, 96]]}", BW_RIGHT},
		{{"mat_mul", "size=160", NULL}, "{\"a\": [[0, 160], [0, 160]], \"b\": [[0, 160], [0, 160]], \"output\": [[0, 160], [0, 160]]}", BW_RIGHT_WITHIN_BOUND},
		{{"max_filter", "radius=3", NULL}, "{\"input\": [[0, 128], [0, 96], [0, 3]], \"output\": [[0, 128], [0, 96], [0, 3]]}", BW_RIGHT},
		{{"nl_means", "patch=3", NULL}, "{\"input\": [[0, 128], [0, 96], [0, 3]], \"output\": [[0, 128], [0, 96], [0, 3]]}", BW_RIGHT_WITHIN_BOUND},
		{{"local_laplacian", "pyramid_levels=2", NULL}, "{\"input\": [[0, 128], [0, 96], [0, 3]], \"output\": [[0, 128], [0, 96], [0, 3]]}", BW_RIGHT_WITHIN_BOUND},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct subject *subject = &cases[k].subject;
		char *path = compile(subject, &opencl);
		share_kernels(path);
		enum bw_verdict verdict = measured(subject, cases[k].estimates, path);
		if (verdict != BW_RIGHT && verdict != cases[k].right)
			fail_msg("%s: %s", subject->name, bw_verdict_name(verdict));
		char *wrong = patched(path, "get_group_id(0)", "0              ");
		assert_int_equal(measured(subject, cases[k].estimates, wrong), BW_OUTPUT_WRONG);
		free(path);
		free(wrong);
	}
}

/* With an argument, a pattern of shells: the tests of that name alone. */
int main(int argc, char **argv)
{
	mallopt(M_PERTURB, 0x81); /* as floats: 1e38 before memory is set, -5e-38 once it is freed */
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	struct CMUnitTest tests[N_SUBJECTS + 2] = {cmocka_unit_test(descriptions), cmocka_unit_test(broken)};
	char names[N_SUBJECTS][64];
	for (int k = 0; k < N_SUBJECTS; k++) {
		snprintf(names[k], sizeof names[k], "%s %s", subjects[k].name, subjects[k].parameter ? subjects[k].parameter : "");
		tests[2 + k] = (struct CMUnitTest){names[k], algorithm, NULL, NULL, (void *)(uintptr_t)&subjects[k]};
	}
	return cmocka_run_group_tests_name("pipelines", tests, open_all, close_all);
}
