/* What is launched: random small pipelines (random_pipeline.h) under schedules that the search draws at random, compiled for OpenCL, with
 * the calls of Halide's runtime watched on their way to PoCL, which builds the programs and launches nothing:
 * - each kernel of the nest is launched once, with its grid and block;
 * - a block is given no more shared memory than the kernel is predicted to take; and just as much where allocations take the place of others,
 *   for which as much as possible is fused into the blocks of some more pipelines;
 * - no array of a Func in a kernel's source is larger than the Func's allocation, nor all of a kernel's larger than its register bytes, and none
 *   of what is staged larger than what a thread of the kernel stages;
 * - there are no more buffers than inputs, outputs and other Funcs at root, none larger than these. */
#include <ctype.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arith.h"
#include "base/json.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "bench/generator.h"
#include "bench/worker.h"
#include "drawn.h"
#include "watched.h"

enum { SEEDS = 24, FUSED = 4, NAME = WATCHED_NAME };

/* How much was compared, and how near the predictions are. */
static struct {
	int kernels, fused, shared, shared_equal, overlaid, arrays, arrays_equal, staged, buffers;
	double shared_ratio, register_ratio;
	int register_kernels;
} coverage;

/* A name as it stands in the source: runs of what C does not allow, and of underscores, are one underscore. */
static void plain_name(const char *name, size_t length, char *plain)
{
	size_t n = 0;
	for (size_t i = 0; i < length && n < NAME - 1; i++) {
		bool sign = !isalnum((unsigned char)name[i]);
		if (!sign || (n && plain[n - 1] != '_'))
			plain[n++] = sign ? '_' : name[i];
	}
	while (n && plain[n - 1] == '_')
		n--;
	plain[n] = 0;
}

static bool starts_with(const char *name, const char *begin)
{
	size_t length = strlen(begin);
	return !strncmp(name, begin, length) && (!name[length] || name[length] == '_');
}

static const struct watched_launch *launch_of(const struct bw_pipeline *pipeline, const struct bw_kernel *kernel)
{
	const struct watched_launch *found = NULL;
	char expected[2 * NAME], func[NAME], name[NAME];
	plain_name(pipeline->funcs[kernel->func].name, strlen(pipeline->funcs[kernel->func].name), func);
	snprintf(expected, sizeof expected, "kernel_%s_s%d", func, kernel->stage);
	for (int i = 0; i < watched()->n_launches; i++) {
		plain_name(watched()->launches[i].name, strlen(watched()->launches[i].name), name);
		if (!starts_with(name, expected))
			continue;
		if (found)
			fail_msg("%s is launched twice", expected);
		found = &watched()->launches[i];
	}
	if (!found)
		fail_msg("%s is not launched", expected);
	return found;
}

/* The Func of a nest that an array is named after; *wrapper: the array is of what hands its values on to some stage, `f_in_g`. */
static int func_of(const struct bw_nest *nest, const char *array, bool *wrapper)
{
	int best = -1;
	size_t longest = 0;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		char name[NAME];
		plain_name(nest->pipeline->funcs[f].name, strlen(nest->pipeline->funcs[f].name), name);
		if (nest->placed[f] && starts_with(array, name) && strlen(name) > longest) {
			longest = strlen(name);
			best = f;
		}
	}
	*wrapper = best >= 0 && starts_with(array + longest, "_in");
	return best;
}

/* Bytes of an element by the type's name, at the begin of a declaration; 0 where it is none that Halide declares arrays of. */
static int64_t type_bytes(const char *type, size_t length)
{
	static const struct {
		const char *name;
		int64_t bytes;
	} types[] = {{"char", 1}, {"uchar", 1}, {"bool", 1}, {"short", 2}, {"ushort", 2}, {"int", 4}, {"uint", 4}, {"float", 4}, {"long", 8}, {"ulong", 8}, {"double", 8}};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == length && !strncmp(types[i].name, type, length))
			return types[i].bytes;
	return 0;
}

/* Private arrays in the source of one kernel: each against its Func, all together against the kernel's register bytes. Where Halide takes the
 * edges of a loop apart an array stands in several places of which one is reached: it counts once. */
static void check_arrays(const struct bw_nest *nest, const struct bw_kernel *kernel, const char *name)
{
	char begin[NAME + 32];
	snprintf(begin, sizeof begin, "__kernel void %s(", name);
	const char *at = strstr(watched()->source, begin);
	assert_non_null(at);
	const char *end = strstr(at + 1, "__kernel void ");
	struct bw_arena *arena = bw_arena_new();
	int64_t total = 0, *largest = BW_NEW_ARRAY(int64_t, nest->pipeline->n_funcs), staged = bw_kernel_staged_bytes(nest, kernel, arena);
	bw_arena_free(arena);
	for (const char *line = at; line && (!end || line < end); line = strchr(line, '\n')) {
		while (isspace((unsigned char)*line))
			line++;
		size_t type = strcspn(line, " \n"), rest = strcspn(line + type, "[;=(\n");
		const char *bracket = line + type + rest;
		int64_t bytes = type_bytes(line, type), size = strtoll(bracket + 1, NULL, 10);
		if (!bytes || *bracket != '[' || !isdigit((unsigned char)bracket[1]) || bracket[1 + strspn(bracket + 1, "0123456789")] != ']')
			continue;
		char array[NAME];
		plain_name(line + type, rest, array);
		bool wrapper;
		int f = func_of(nest, array, &wrapper);
		if (f < 0)
			fail_msg("no Func has the array %s", array);
		if (wrapper && bytes * size > staged)
			fail_msg("%s: %s takes %" PRId64 " bytes, %" PRId64 " are predicted to be staged", name, array, bytes * size, staged);
		coverage.staged += wrapper;
		if (wrapper)
			continue;
		if ((double)(bytes * size) > nest->placed[f]->bytes)
			fail_msg("%s: %s takes %" PRId64 " bytes, predicted are %.0f", name, array, bytes * size, nest->placed[f]->bytes);
		coverage.arrays++;
		coverage.arrays_equal += (double)(bytes * size) == nest->placed[f]->bytes;
		largest[f] = bw_max(largest[f], bytes * size);
	}
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		total += largest[f];
	free(largest);
	if (total > kernel->register_bytes)
		fail_msg("%s: arrays take %" PRId64 " bytes, predicted are %" PRId64, name, total, kernel->register_bytes);
	if (total) {
		coverage.register_ratio += (double)kernel->register_bytes / (double)total;
		coverage.register_kernels++;
	}
}

/* What a kernel's allocations in shared memory would take side by side. */
static int64_t shared_alone(const struct bw_nest *nest, const struct bw_kernel *kernel)
{
	double bytes = 0;
	for (int m = 0; m < kernel->n_members; m++)
		if (nest->placed[kernel->members[m]]->memory == BW_MEMORY_SHARED)
			bytes += nest->placed[kernel->members[m]]->bytes;
	return (int64_t)bytes;
}

static void check_kernel(const struct bw_nest *nest, const struct bw_kernel *kernel)
{
	const struct watched_launch *launch = launch_of(nest->pipeline, kernel);
	for (int d = 0; d < 3; d++) {
		if ((int64_t)launch->local[d] != kernel->threads[d])
			fail_msg("%s: %zu threads in %c, predicted are %" PRId64, launch->name, launch->local[d], "xyz"[d], kernel->threads[d]);
		if ((int64_t)(launch->global[d] / launch->local[d]) != kernel->blocks[d])
			fail_msg("%s: %zu blocks in %c, predicted are %" PRId64, launch->name, launch->global[d] / launch->local[d], "xyz"[d], kernel->blocks[d]);
	}
	if ((int64_t)launch->shared > kernel->shared_bytes)
		fail_msg("%s: %zu bytes of shared memory, predicted are %" PRId64, launch->name, launch->shared, kernel->shared_bytes);
	if (kernel->shared_bytes < shared_alone(nest, kernel))
		assert_int_equal(launch->shared, kernel->shared_bytes);
	coverage.kernels++;
	coverage.fused += kernel->n_members > 0;
	if (launch->shared) {
		coverage.shared++;
		coverage.shared_equal += (int64_t)launch->shared == kernel->shared_bytes;
		coverage.overlaid += kernel->shared_bytes < shared_alone(nest, kernel);
		coverage.shared_ratio += (double)kernel->shared_bytes / (double)launch->shared;
	}
	check_arrays(nest, kernel, launch->name);
}

static int falling(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x < y) - (x > y);
}

/* Buffers, the largest first, against what lies in global memory. */
static void check_buffers(const struct bw_nest *nest, const struct bw_filter *filter, const struct bw_arguments *arguments)
{
	int64_t predicted[WATCHED_MOST], buffers[WATCHED_MOST];
	int n = 0;
	memcpy(buffers, watched()->buffers, sizeof buffers);
	for (int k = 0; k < arguments->n; k++)
		if (filter->metadata->arguments[k].kind == BW_HALIDE_INPUT_BUFFER)
			predicted[n++] = arguments->list[k].buffer.elements * bw_halide_bytes(arguments->list[k].shape.type);
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		if (nest->placed[f] && nest->placed[f]->placement->compute.kind == BW_SITE_ROOT)
			for (int v = 0; v < nest->pipeline->funcs[f].n_values; v++)
				predicted[n++] = (int64_t)nest->placed[f]->bytes / nest->pipeline->funcs[f].bytes * bw_type_bytes(nest->pipeline->funcs[f].types[v]);
	qsort(predicted, (size_t)n, sizeof *predicted, falling);
	qsort(buffers, (size_t)watched()->n_buffers, sizeof *buffers, falling);
	if (watched()->n_buffers > n)
		fail_msg("%d buffers, predicted are %d", watched()->n_buffers, n);
	for (int i = 0; i < watched()->n_buffers; i++)
		if (buffers[i] > predicted[i])
			fail_msg("buffer %d takes %" PRId64 " bytes, predicted are %" PRId64, i, buffers[i], predicted[i]);
	coverage.buffers += watched()->n_buffers;
}

/* Loads the object, runs it once with the driver watched, and compares. */
static void run(const char *path, const struct bw_nest *nest)
{
	struct bw_filter filter;
	struct bw_arguments arguments;
	struct bw_error error;
	const struct bw_request request = {.json = bw_json_parse("request", "{}", 2, &error), .function = "bw_filter", .device = -1};
	watched_clear();
	if (!bw_filter_load(path, "bw_filter", &filter, &error))
		fail_msg("%s", error.text);
	void *(*watch)(void *(*)(void *, const char *)) = (void *(*)(void *(*)(void *, const char *)))dlsym(filter.handle, "halide_set_custom_get_library_symbol");
	assert_non_null(watch);
	watch(watched_symbol);
	if (!bw_arguments_shape(&filter, &request, &arguments, &error) || !bw_arguments_make(&filter, &arguments, 1, &error) || !bw_run_once(&filter, &arguments, &error))
		fail_msg("%s", error.text);
	struct bw_arena *arena = bw_arena_new();
	int n_kernels;
	const struct bw_kernel *kernels = bw_nest_kernels(nest, arena, &n_kernels);
	if (n_kernels != watched()->n_launches)
		fail_msg("%d launches, predicted are %d", watched()->n_launches, n_kernels);
	for (int k = 0; k < n_kernels; k++)
		check_kernel(nest, &kernels[k]);
	check_buffers(nest, &filter, &arguments);
	bw_arena_free(arena);
	bw_arguments_free(&arguments);
	bw_json_free(request.json);
}

static char bench[4096], cache[4096], fixtures[4096], devices_file[4096];
static struct bw_places places = {NULL, bench, cache, "cc", NULL};

static void path_in(char *path, const char *directory, const char *name)
{
	const char *base = getenv(directory);
	snprintf(path, 4096, "%s/%s", base ? base : ".", name);
}

static int open_all(void **state)
{
	(void)state;
	places.plugins = bw_plugins_find(getenv("BW_BUILD") ? getenv("BW_BUILD") : ".");
	path_in(bench, "BW_BUILD", "beamwalk-bench");
	path_in(cache, "BW_BUILD", "tests/cache");
	path_in(fixtures, "BW_BUILD", "tests/halide/fixtures");
	path_in(devices_file, "BW_SRC", "data/devices.json");
	return 0;
}

/* One pipeline, and how its schedule is made: drawn by the search, or with as much as possible fused into each block. */
struct launch_case {
	unsigned seed;
	bool fused;
};

static void launches(void **state)
{
	const struct launch_case *c = *state;
	static const struct bw_patience patience = {300, NULL};
	static const struct bw_device pocl = {.name = "PoCL", .target = "opencl", .api = BW_API_OPENCL, .cpu = true};
	char argument[32];
	snprintf(argument, sizeof argument, "seed=%u", c->seed);
	const char *const args[] = {argument};
	const struct bw_generator generator = {.path = fixtures, .name = "random", .args = args, .n_args = 1};
	struct bw_text description = {0};
	struct bw_error error;
	int n_devices;
	struct bw_device *devices = bw_devices_read(devices_file, &n_devices, &error);
	if (!devices || !bw_generator_describe(&generator, &places, &patience, &description, &error))
		fail_msg("%s", error.text);
	struct bw_pipeline *pipeline = bw_pipeline_parse("random", description.bytes, description.length, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	struct bw_directives *directives;
	struct bw_nest *nest = c->fused ? fused_nest(pipeline, &devices[0], &directives, &error) : drawn_nest(pipeline, &devices[0], c->seed, &directives, &error);
	if (!nest)
		fail_msg("%s", error.text);
	char *object = bw_generator_compile(&generator, &places, &patience, BW_BUILD_GPU, directives, &pocl, &error);
	if (!object)
		fail_msg("%s", error.text);
	run(object, nest);
	free(object);
	bw_nest_drop(nest);
	bw_directives_free(directives);
	bw_pipeline_free(pipeline);
	bw_text_free(&description);
	free(devices);
}

/* At least what was seen when this was written, roughly. */
static void enough(void **state)
{
	(void)state;
	printf("# %d kernels, %d with fused Funcs; %d buffers\n", coverage.kernels, coverage.fused, coverage.buffers);
	printf("# shared memory in %d kernels, just as predicted in %d, predicted on average %.2fx; laid over each other in %d\n", coverage.shared, coverage.shared_equal, coverage.shared ? coverage.shared_ratio / coverage.shared : 0, coverage.overlaid);
	printf("# %d arrays in %d kernels, just as predicted %d, predicted for a kernel on average %.2fx; %d of what is staged\n", coverage.arrays, coverage.register_kernels, coverage.arrays_equal,
	       coverage.register_kernels ? coverage.register_ratio / coverage.register_kernels : 0, coverage.staged);
	assert_true(coverage.kernels > 60 && coverage.fused > 8 && coverage.buffers > 60 && coverage.shared > 6 && coverage.overlaid > 3 && coverage.arrays > 4);
}

int main(void)
{
	/* Those of the first hundred in whose kernels most takes the place of others. */
	static const unsigned fused[FUSED] = {18, 66, 78, 91};
	static struct launch_case cases[SEEDS + FUSED];
	static char names[SEEDS + FUSED][32];
	struct CMUnitTest tests[SEEDS + FUSED + 1];
	for (unsigned i = 0; i < SEEDS + FUSED; i++) {
		cases[i] = (struct launch_case){i < SEEDS ? i : fused[i - SEEDS], i >= SEEDS};
		snprintf(names[i], sizeof names[i], "seed %u%s", cases[i].seed, cases[i].fused ? " fused" : "");
		tests[i] = (struct CMUnitTest){names[i], launches, NULL, NULL, &cases[i]};
	}
	tests[SEEDS + FUSED] = (struct CMUnitTest)cmocka_unit_test(enough);
	return _cmocka_run_group_tests("launches", tests, SEEDS + FUSED + 1, open_all, NULL);
}
