/* Generators run with the plugin: describing and compiling, what the cache saves, and the line that each way of going wrong gives. */
#include "../core/test.h"
#include "bench/generator.h"
#include "bench_test.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/json.h"
#include "bench/cache.h"

/* sharpen of tests/bench/fixture.cc: Func 1 is blur, 2 is pair; 201 x 99 is no multiple of 16 x 8. */
static const char sharpen_directives[] =
	"[{\"op\":\"compute_root\",\"func\":1},"
	"{\"op\":\"split\",\"func\":1,\"stage\":0,\"vars\":[\"x\",\"x_o\",\"x_i\"],\"factor\":16,\"tail\":\"guard_with_if\"},"
	"{\"op\":\"reorder\",\"func\":1,\"stage\":0,\"vars\":[\"x_i\",\"x_o\",\"y\"]},"
	"{\"op\":\"gpu_threads\",\"func\":1,\"stage\":0,\"vars\":[\"x_i\"]},{\"op\":\"gpu_blocks\",\"func\":1,\"stage\":0,\"vars\":[\"x_o\",\"y\"]},"
	"{\"op\":\"split\",\"func\":2,\"stage\":0,\"vars\":[\"x\",\"x_o\",\"x_i\"],\"factor\":16,\"tail\":\"guard_with_if\"},"
	"{\"op\":\"split\",\"func\":2,\"stage\":0,\"vars\":[\"y\",\"y_o\",\"y_i\"],\"factor\":8,\"tail\":\"guard_with_if\"},"
	"{\"op\":\"reorder\",\"func\":2,\"stage\":0,\"vars\":[\"x_i\",\"y_i\",\"x_o\",\"y_o\"]},"
	"{\"op\":\"gpu_threads\",\"func\":2,\"stage\":0,\"vars\":[\"x_i\",\"y_i\"]},{\"op\":\"gpu_blocks\",\"func\":2,\"stage\":0,\"vars\":[\"x_o\",\"y_o\"]}]";
static const char unstated_directives[] =
	"[{\"op\":\"split\",\"func\":1,\"stage\":0,\"vars\":[\"x\",\"x_o\",\"x_i\"],\"factor\":16,\"tail\":\"guard_with_if\"},"
	"{\"op\":\"gpu_threads\",\"func\":1,\"stage\":0,\"vars\":[\"x_i\"]},{\"op\":\"gpu_blocks\",\"func\":1,\"stage\":0,\"vars\":[\"x_o\"]}]";

static struct fixture fixture;
static char *counted, *count; /* a generator that writes down its runs, and where */
static const struct bw_device opencl = {.name = "PoCL", .target = "opencl", .cpu = true};
static const struct bw_patience patience = {300, NULL};

static char *write_program(const char *name, const char *format, const char *a, const char *b)
{
	char *path = bw_format("%s/%s", fixture.directory, name);
	FILE *file = fopen(path, "w");
	fprintf(file, format, a, b);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static int open_all(void **state)
{
	fixture_open(&fixture);
	count = bw_format("%s/%s", fixture.directory, "runs");
	counted = write_program("counted", "#!/bin/sh\necho x >>%s\nexec %s \"$@\"\n", count, fixture.generator);
	return 0;
}

static int close_all(void **state)
{
	free(counted);
	free(count);
	fixture_close(&fixture);
	return 0;
}

static size_t runs(void)
{
	struct stat info;
	return stat(count, &info) == 0 ? (size_t)info.st_size / 2 : 0;
}

static struct bw_directives *read_directives(const char *text)
{
	struct bw_error error = {0};
	struct bw_json *json = bw_json_parse("directives", text, strlen(text), &error);
	assert_non_null(json);
	struct bw_json_at root = bw_json_root(json);
	struct bw_directives *directives = bw_directives_read(&root, &error);
	if (!directives)
		fail_msg("%s", error.text);
	bw_json_free(json);
	return directives;
}

static void describing_is_cached(void **state)
{
	struct bw_generator generator = {.path = counted, .name = "sharpen"};
	struct bw_text first = {0}, second = {0}, third = {0};
	struct bw_error error = {0};
	size_t before = runs();
	if (!bw_generator_describe(&generator, &fixture.places, &patience, &first, &error))
		fail_msg("%s", error.text);
	assert_non_null(strstr(first.bytes, "\"name\":\"sharpen\""));
	assert_true(bw_generator_describe(&generator, &fixture.places, &patience, &second, &error));
	assert_string_equal(first.bytes, second.bytes);
	assert_int_equal(runs(), before + 2); /* a script runs once for its Halide to be seen, then with the plugin */
	generator.estimates = (const char *const[]){"input._0=0,300"};
	generator.n_estimates = 1;
	assert_true(bw_generator_describe(&generator, &fixture.places, &patience, &third, &error));
	assert_non_null(strstr(third.bytes, "[[0,300],[0,100]]"));
	assert_int_equal(runs(), before + 4);
	bw_text_free(&first);
	bw_text_free(&second);
	bw_text_free(&third);
}

static void compiling_is_cached(void **state)
{
	struct bw_generator generator = {.path = counted, .name = "sharpen"};
	struct bw_directives *directives = read_directives(sharpen_directives), *less = read_directives(sharpen_directives);
	struct bw_error error = {0};
	less->n = 5;
	size_t before = runs();
	char *gpu = bw_generator_compile(&generator, &fixture.places, &patience, BW_BUILD_GPU, directives, &opencl, &error);
	if (!gpu)
		fail_msg("%s", error.text);
	char *reference = bw_generator_compile(&generator, &fixture.places, &patience, BW_BUILD_REFERENCE, NULL, NULL, &error);
	if (!reference)
		fail_msg("%s", error.text);
	assert_int_equal(runs(), before + 6); /* two filters, two runtimes, two looks at its Halide */
	char *again = bw_generator_compile(&generator, &fixture.places, &patience, BW_BUILD_GPU, directives, &opencl, &error);
	assert_string_equal(gpu, again);
	assert_int_equal(runs(), before + 6);
	char *other = bw_generator_compile(&generator, &fixture.places, &patience, BW_BUILD_GPU, less, &opencl, &error);
	assert_string_not_equal(gpu, other);
	assert_int_equal(runs(), before + 8); /* the runtime is there */
	generator.args = (const char *const[]){"how=plugin"};
	generator.n_args = 1;
	char *argued = bw_generator_compile(&generator, &fixture.places, &patience, BW_BUILD_GPU, directives, &opencl, &error);
	assert_string_not_equal(gpu, argued);
	assert_int_equal(runs(), before + 10);
	free(gpu);
	free(reference);
	free(again);
	free(other);
	free(argued);
	bw_directives_free(directives);
	bw_directives_free(less);
}

/* Compiling leaves nothing behind: no more memory and descriptors are in use after 22 compilations, each of a new schedule, than after 2. malloc counts
 * what it keeps for the next call as in use, 4 KB at most here; 410 bytes that each compilation left would be seen. */
static void compiling_leaves_nothing(void **state)
{
	enum { SETTLED = 2, COMPILED = 22, NOISE = 8 << 10 /* bytes */ };
	struct bw_generator generator = {.path = fixture.generator, .name = "sharpen"};
	size_t before = 0;
	int files = 0;
	for (int k = 0; k < COMPILED; k++) {
		struct bw_error error = {0};
		char *text = bw_format("[{\"op\":\"compute_root\",\"func\":1},{\"op\":\"split\",\"func\":1,\"stage\":0,\"vars\":[\"x\",\"x_o\",\"x_i\"],\"factor\":%d,\"tail\":\"guard_with_if\"}]", 30 + k);
		struct bw_directives *directives = read_directives(text);
		char *path = bw_generator_compile(&generator, &fixture.places, &patience, BW_BUILD_GPU, directives, &opencl, &error);
		if (!path)
			fail_msg("%s", error.text);
		free(path);
		bw_directives_free(directives);
		free(text);
		if (k + 1 != SETTLED)
			continue;
		before = mallinfo2().uordblks;
		files = open_files();
	}
	if (mallinfo2().uordblks > before + NOISE)
		fail_msg("%zu bytes more are in use", mallinfo2().uordblks - before);
	assert_int_equal(open_files(), files);
}

struct both {
	struct bw_places places;
	const char *generator;
	char *path;
};

static void *compile_too(void *of)
{
	struct both *both = of;
	struct bw_generator generator = {.path = both->generator, .name = "sharpen"};
	both->path = bw_generator_compile(&generator, &both->places, &patience, BW_BUILD_REFERENCE, NULL, NULL, NULL);
	return NULL;
}

static void two_at_once_make_one_runtime(void **state)
{
	struct both both[2];
	pthread_t threads[2];
	char *cache = bw_format("%s/%s", fixture.directory, "shared/cache"), *made = bw_format("%s/%s", fixture.directory, "made");
	/* The runtime takes so long that both threads need it before it is there. */
	char *slow = write_program("slow", "#!/bin/sh\n[ \"$1\" != -r ] || { echo x >>%s; sleep 1; }\nexec %s \"$@\"\n", made, fixture.generator);
	struct stat info;
	for (int k = 0; k < 2; k++) {
		both[k] = (struct both){fixture.places, slow, NULL};
		both[k].places.cache = cache;
		assert_int_equal(pthread_create(&threads[k], NULL, compile_too, &both[k]), 0);
	}
	for (int k = 0; k < 2; k++)
		pthread_join(threads[k], NULL);
	assert_non_null(both[0].path);
	assert_string_equal(both[0].path, both[1].path);
	int files = 0;
	DIR *directory = opendir(cache);
	for (struct dirent *entry; (entry = readdir(directory));)
		files += entry->d_name[0] != '.';
	closedir(directory);
	assert_int_equal(files, 2 * 3 + 1); /* the object file, the shared object of it, the runtime, the hash of each, and the runtime's lock; no scratch */
	assert_int_equal(stat(made, &info), 0);
	assert_int_equal(info.st_size, 2); /* one runtime for both */
	free(both[0].path);
	free(both[1].path);
	free(cache);
	free(made);
	free(slow);
}

/* Returns the path of the one runtime in a cache, by its lock; free(). Removes the shared objects there. */
static char *only_runtime(const char *cache)
{
	char *path = NULL;
	DIR *directory = opendir(cache);
	for (struct dirent *entry; (entry = readdir(directory));) {
		size_t length = strlen(entry->d_name);
		if (length > 5 && !strcmp(entry->d_name + length - 5, ".lock"))
			path = bw_format("%s/%.*s", cache, (int)length - 5, entry->d_name);
		else if (length > 3 && !strcmp(entry->d_name + length - 3, ".so"))
			assert_int_equal(unlinkat(dirfd(directory), entry->d_name, 0), 0);
	}
	closedir(directory);
	return path;
}

/* Waiting for whoever makes the runtime ends at the limit, and says for what it waited; without that one, it is made. */
static void a_runtime_is_not_awaited_for_ever(void **state)
{
	struct bw_places places = fixture.places;
	struct bw_generator generator = {.path = fixture.generator, .name = "sharpen"};
	struct bw_patience enough = patience;
	struct bw_error error = {0};
	int lock;
	places.cache = bw_format("%s/%s", fixture.directory, "awaiting/cache");
	free(bw_generator_compile(&generator, &places, &patience, BW_BUILD_REFERENCE, NULL, NULL, NULL));
	char *runtime = only_runtime(places.cache);
	assert_non_null(runtime);
	assert_int_equal(unlink(runtime), 0);
	assert_true(bw_cache_lock(runtime, &enough, &lock) && lock >= 0);
	double start = bw_clock();
	assert_null(bw_generator_compile(&generator, &places, &(struct bw_patience){0.5, NULL}, BW_BUILD_REFERENCE, NULL, NULL, &error));
	assert_true(bw_clock() - start < 10);
	assert_int_equal(error.kind, BW_ERROR_HALIDE);
	if (!strstr(error.text, "waited 0.5 s for another process that makes Halide's runtime and holds ") || !strstr(error.text, runtime))
		fail_msg("%s", error.text);
	assert_null(bw_generator_compile(&generator, &places, &(struct bw_patience){300, &(const atomic_bool){true}}, BW_BUILD_REFERENCE, NULL, NULL, &error));
	assert_int_equal(error.kind, BW_ERROR_STOPPED);
	close(lock);
	char *made = bw_generator_compile(&generator, &places, &patience, BW_BUILD_REFERENCE, NULL, NULL, &error);
	assert_non_null(made);
	free(made);
	free(runtime);
	free((char *)places.cache);
}

/* What describing `generator` fails with. */
static void expect_error(const struct bw_generator *generator, const struct bw_places *places, double seconds, enum bw_error_kind kind, const char *text)
{
	struct bw_text description = {0};
	struct bw_error error = {0};
	if (bw_generator_describe(generator, places, &(struct bw_patience){seconds, NULL}, &description, &error))
		fail_msg("no error; expected '%s'", text);
	if (error.kind != kind || !strstr(error.text, text) || strchr(error.text, '\n'))
		fail_msg("%s: '%s' lacks '%s'", bw_error_name(error.kind), error.text, text);
	bw_text_free(&description);
}

static void generators_that_fail(void **state)
{
	static const struct {
		const char *name, *arg;
		double seconds;
		enum bw_error_kind kind;
		const char *text;
	} cases[] = {
		{NULL, NULL, 60, BW_ERROR_HALIDE, "fixture: has several generators, choose one with -g: broken, interleaved, sharpen, unstated"},
		{"zork", NULL, 60, BW_ERROR_HALIDE, "Generator not found: zork; it has broken, interleaved, sharpen, unstated"},
		{"sharpen", "zork=1", 60, BW_ERROR_HALIDE, "has no GeneratorParam named: zork"},
		{"sharpen", "zork", 60, BW_ERROR_USAGE, "expected KEY=VALUE"},
		{"sharpen", "target=host", 60, BW_ERROR_USAGE, "beamwalk sets this one itself"},
		{"broken", "way=crash", 60, BW_ERROR_HALIDE, ": crashed with signal SEGV"},
		{"broken", "way=hang", 0.5, BW_ERROR_HALIDE, ": killed at the limit of 0.5 s"},
		{"broken", "way=noise", 60, BW_ERROR_HALIDE, ": ended without an answer to \"describe\": is it a Halide generator"},
		{"broken", "way=complain", 60, BW_ERROR_HALIDE, ": the moon is in the wrong quarter"},
		{"unstated", NULL, 60, BW_ERROR_INPUT, "output"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const char *const args[] = {cases[k].arg};
		struct bw_generator generator = {.path = fixture.generator, .name = cases[k].name, .args = args, .n_args = cases[k].arg ? 1 : 0};
		expect_error(&generator, &fixture.places, cases[k].seconds, cases[k].kind, cases[k].text);
	}
}

/* A program that knows one generator needs no -g; this one is the fixture, less the other names that it lists. */
static void one_generator_needs_no_name(void **state)
{
	char *single = write_program("single", "#!/bin/sh\ntest $# = 0 || exec %s \"$@\"\n%s 2>&1 | grep -vE '^ *(broken|interleaved|unstated)$' >&2\nexit 1\n", fixture.generator, fixture.generator);
	struct bw_generator generator = {.path = single};
	struct bw_text description = {0};
	struct bw_error error = {0};
	if (!bw_generator_describe(&generator, &fixture.places, &patience, &description, &error))
		fail_msg("%s", error.text);
	assert_non_null(strstr(description.bytes, "\"name\":\"sharpen\""));
	bw_text_free(&description);
	free(single);
}

/* A name without a slash is a file of this directory, whatever PATH holds. */
static void path_is_not_searched(void **state)
{
	char *mine = write_program("true", "#!/bin/sh\nexec %s%s \"$@\"\n", fixture.generator, "");
	char *here = getcwd(NULL, 0);
	struct bw_generator generator = {.path = "true", .name = "sharpen"};
	struct bw_text description = {0};
	struct bw_error error = {0};
	assert_int_equal(chdir(fixture.directory), 0);
	bool good = bw_generator_describe(&generator, &fixture.places, &patience, &description, &error);
	assert_int_equal(chdir(here), 0);
	if (!good)
		fail_msg("%s", error.text);
	bw_text_free(&description);
	free(mine);
	free(here);
}

static void programs_that_are_no_generators(void **state)
{
	char *plain = write_program("plain", "text\n%s%s", "", "");
	assert_int_equal(chmod(plain, 0644), 0);
	static const struct {
		const char *path;
		enum bw_error_kind kind;
		const char *text;
	} cases[] = {
		{"/nowhere/generator", BW_ERROR_INPUT, "/nowhere/generator: No such file or directory"},
		{"/tmp", BW_ERROR_INPUT, "/tmp: Is a directory"},
		{"/bin/true", BW_ERROR_HALIDE, "/bin/true: loads no shared libHalide, which a plugin needs: is it a Halide generator?"},
		{NULL, BW_ERROR_INPUT, "plain: is not executable"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		expect_error(&(struct bw_generator){.path = cases[k].path ? cases[k].path : plain}, &fixture.places, 60, cases[k].kind, cases[k].text);
	assert_int_equal(chmod(plain, 0755), 0);
	free(plain);
}

static void plugins_and_places_that_fail(void **state)
{
	struct bw_generator generator = {.path = fixture.generator, .name = "sharpen"};
	struct bw_places places = fixture.places;
	int halide = atoi(variable("HALIDE_MAJOR"));
	places.plugins = (const struct bw_plugin[]){{halide + 1, fixture.bench}, {0}};
	expect_error(&generator, &places, 60, BW_ERROR_HALIDE, "and there are plugins for ");
	places.plugins = (const struct bw_plugin[]){{0}};
	expect_error(&generator, &places, 60, BW_ERROR_HALIDE, "this beamwalk has no plugin for any Halide");
	places.plugins = (const struct bw_plugin[]){{halide, "/nowhere/plugin.so"}, {0}};
	expect_error(&generator, &places, 60, BW_ERROR_INPUT, "/nowhere/plugin.so: No such file or directory");
	places.plugins = (const struct bw_plugin[]){{halide, fixture.bench}, {0}};
	expect_error(&generator, &places, 60, BW_ERROR_HALIDE, "Failed to load");
	char *source = write_program("empty.c", "int nothing%s%s;\n", "", ""), *library = bw_format("%s/%s", fixture.directory, "empty.so");
	must_run((const char *const[]){"cc", "-shared", "-fPIC", "-o", library, source, NULL});
	places.plugins = (const struct bw_plugin[]){{halide, library}, {0}};
	expect_error(&generator, &places, 60, BW_ERROR_HALIDE, "the Halide that it uses is not the one that it loads");
	places = fixture.places;
	places.cache = "/proc/nowhere";
	expect_error(&generator, &places, 60, BW_ERROR_IO, "the cache cannot be used: /proc/nowhere: the folder cannot be made: ");
	struct bw_error error = {0};
	places = fixture.places;
	places.compiler = "no-such-compiler";
	assert_null(bw_generator_compile(&generator, &places, &patience, BW_BUILD_REFERENCE, NULL, NULL, &error));
	assert_string_equal(error.text, "no-such-compiler: cannot be run: No such file or directory");
	free(source);
	free(library);
}

static void estimates_in_words(void **state)
{
	static const char *const good[] = {"f.x=-3,7", "k=4", "g=0.25", "in=1536x2560x3"}, *const bad[] = {"", "=", "f", "f.x=", "f.x=1,", "f.x=1,0", "f.x=1,2,3", "k=x", "k=1x", "k=x1", "k=1xx1", "k=0x1", "k=1x-1", "k=1x3000000000", "f.x=3000000000,1", "k=inf"};
	struct bw_error error = {0};
	json_t *read = bw_estimates_read(good, 4, &error);
	char *text = json_dumps(read, JSON_COMPACT);
	assert_string_equal(text, "{\"f.x\":[-3,7],\"k\":4,\"g\":0.25,\"in._0\":[0,1536],\"in._1\":[0,2560],\"in._2\":[0,3]}");
	free(text);
	json_decref(read);
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		error.kind = BW_ERROR_NONE;
		assert_null(bw_estimates_read(&bad[k], 1, &error));
		assert_int_equal(error.kind, BW_ERROR_USAGE);
	}
}

static struct bw_job_request job_request(const struct bw_generator *generator, const struct bw_directives *directives)
{
	return (struct bw_job_request){.generator = generator, .places = &fixture.places, .directives = directives, .device = &opencl, .seed = 5, .bound = {.relative = 1e-5}, .seconds = 0.05, .limit = 300, .bench = bw_bench_new(&fixture.places, NULL, 0)};
}

/* Follows a job through its descriptor, as the explorer does. */
static enum bw_job_phase follow(struct bw_job *job, struct bw_measurement *measurement, struct bw_error *error)
{
	for (;;) {
		struct pollfd file = {bw_job_fd(job), POLLIN, 0};
		if (poll(&file, 1, 300000) != 1)
			fail_msg("the job has not changed for five minutes");
		enum bw_job_phase phase = bw_job_poll(job, measurement, error);
		if (phase == BW_JOB_DONE || phase == BW_JOB_FAILED)
			return phase;
	}
}

static void jobs(void **state)
{
	static const char *const given[] = {"output.x=0,100", "input._0=0,100"};
	const struct {
		struct bw_generator generator;
		const char *directives;
		enum bw_verdict verdict;
	} cases[] = {
		{{.path = fixture.generator, .name = "sharpen"}, sharpen_directives, BW_RIGHT_WITHIN_BOUND},
		{{.path = fixture.generator, .name = "unstated", .estimates = given, .n_estimates = 2}, unstated_directives, BW_RIGHT},
	};
	if (!have_opencl())
		skip_because("no OpenCL device");
	int files = open_files();
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_directives *directives = read_directives(cases[k].directives);
		struct bw_job_request request = job_request(&cases[k].generator, directives);
		struct bw_measurement got = {0};
		struct bw_error error = {0};
		struct bw_job *job = bw_job_start(&request);
		if (follow(job, &got, &error) != BW_JOB_DONE)
			fail_msg("%s", error.text);
		if (got.verdict != cases[k].verdict)
			fail_msg("%s: %s: %s", cases[k].generator.name, bw_verdict_name(got.verdict), got.where);
		assert_int_equal(atoi(got.halide), atoi(variable("HALIDE_MAJOR")));
		assert_true(got.cpu && got.minimum > 0 && got.runs >= 5);
		assert_string_equal(got.demand, "");
		bw_job_free(job);
		bw_bench_drop(request.bench);
		bw_directives_free(directives);
	}
	assert_int_equal(open_files(), files);
}

static void jobs_that_fail(void **state)
{
	struct bw_directives *directives = read_directives("[{\"op\":\"compute_root\",\"func\":77}]");
	struct bw_generator generator = {.path = fixture.generator, .name = "sharpen"};
	struct bw_job_request request = job_request(&generator, directives);
	struct bw_measurement got;
	struct bw_error error = {0};
	struct bw_job *job = bw_job_start(&request);
	assert_int_equal(follow(job, &got, &error), BW_JOB_FAILED);
	assert_non_null(strstr(error.text, "the pipeline has no Func 77"));
	assert_int_equal(error.kind, BW_ERROR_INPUT);
	assert_int_equal(follow(job, &got, &error), BW_JOB_FAILED);
	bw_job_free(job);
	bw_bench_drop(request.bench);
	bw_directives_free(directives);
}

/* Freeing a job stops the generator that it waits for. */
static void jobs_are_stopped(void **state)
{
	struct bw_directives *directives = read_directives("[]");
	struct bw_generator generator = {.path = fixture.generator, .name = "broken", .args = (const char *const[]){"way=hang"}, .n_args = 1};
	int files = open_files();
	struct bw_job_request request = job_request(&generator, directives);
	struct bw_measurement got;
	struct bw_job *job = bw_job_start(&request);
	usleep(300000);
	assert_int_equal(bw_job_poll(job, &got, NULL), BW_JOB_COMPILING);
	bw_job_free(job);
	bw_bench_drop(request.bench);
	assert_int_equal(open_files(), files);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	bw_directives_free(directives);
}

/* A job never runs on its owner's thread: if the system has no thread for it, it says so at once. */
static void jobs_without_a_thread(void **state)
{
	struct bw_directives *directives = read_directives("[]");
	struct bw_generator generator = {.path = fixture.generator, .name = "broken", .args = (const char *const[]){"way=hang"}, .n_args = 1};
	struct bw_job_request request = job_request(&generator, directives);
	struct bw_measurement got;
	struct bw_error error = {0};
	pthread_attr_t before, huge;
	assert_int_equal(pthread_getattr_default_np(&before), 0);
	pthread_attr_init(&huge);
	assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 46), 0);
	assert_int_equal(pthread_setattr_default_np(&huge), 0);
	struct bw_job *job = bw_job_start(&request);
	assert_int_equal(pthread_setattr_default_np(&before), 0);
	assert_int_equal(follow(job, &got, &error), BW_JOB_FAILED);
	assert_int_equal(error.kind, BW_ERROR_FAILED);
	if (!strstr(error.text, "no thread can be begun: Resource temporarily unavailable"))
		fail_msg("%s", error.text);
	assert_int_equal(follow(job, &got, &error), BW_JOB_FAILED);
	bw_job_free(job);
	bw_bench_drop(request.bench);
	bw_directives_free(directives);
	pthread_attr_destroy(&huge);
	pthread_attr_destroy(&before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describing_is_cached), cmocka_unit_test(compiling_is_cached), cmocka_unit_test(compiling_leaves_nothing), cmocka_unit_test(two_at_once_make_one_runtime), cmocka_unit_test(a_runtime_is_not_awaited_for_ever), cmocka_unit_test(generators_that_fail), cmocka_unit_test(one_generator_needs_no_name), cmocka_unit_test(path_is_not_searched),
		cmocka_unit_test(programs_that_are_no_generators), cmocka_unit_test(plugins_and_places_that_fail), cmocka_unit_test(estimates_in_words), cmocka_unit_test(jobs),
		cmocka_unit_test(jobs_that_fail), cmocka_unit_test(jobs_are_stopped), cmocka_unit_test(jobs_without_a_thread),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
