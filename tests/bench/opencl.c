/* beamwalk-bench on schedules that Halide compiled for OpenCL, against the same pipelines on the CPU (tests/bench/fixture.cc, its own
 * schedules): right ones, ones of another algorithm that must be flagged, one that writes outside its outputs on the device, one whose
 * strides are fixed. By hand: the twisted one differs in pair.1(100,7), by 1; 201 x 99 rounded up to blocks of 16 x 8 reaches x = 207. */
#include "../core/test.h"
#include "bench_test.h"

#include <ftw.h>
#include <math.h>

static struct fixture fixture;

/* Compiles a generator of the fixture's under its own schedule `how` and links it; free(). */
static char *build(const char *generator, const char *how, const char *features)
{
	struct bw_text target = {0}, runtime_target = {0}, option = {0}, path = {0}, object = {0}, runtime = {0};
	const char *runtime_name = strstr(features, "opencl") ? "runtime_opencl" : "runtime_cpu";
	bw_text_printf(&runtime_target, "target=x86-64-linux%s", strstr(features, "opencl") ? "-opencl" : "");
	bw_text_printf(&target, "target=x86-64-linux%s-no_runtime", features);
	bw_text_printf(&option, "how=%s", how);
	bw_text_printf(&object, "%s/bw_filter.o", fixture.directory);
	bw_text_printf(&path, "%s/%s-%s%s.so", fixture.directory, generator, how, features);
	bw_text_printf(&runtime, "%s/%s.o", fixture.directory, runtime_name);
	const char *const compile[] = {fixture.generator, "-g", generator, "-o", fixture.directory, "-f", "bw_filter", "-n", "bw_filter", "-e", "object", target.bytes, option.bytes, NULL};
	const char *const make_runtime[] = {fixture.generator, "-r", runtime_name, "-o", fixture.directory, "-e", "object", runtime_target.bytes, NULL};
	must_run(compile);
	if (access(runtime.bytes, F_OK) != 0)
		must_run(make_runtime);
	const char *const link[] = {"cc", "-shared", "-o", path.bytes, object.bytes, runtime.bytes, "-Wl,-Bsymbolic", "-ldl", "-lpthread", "-lm", NULL};
	must_run(link);
	bw_text_free(&runtime);
	bw_text_free(&target);
	bw_text_free(&runtime_target);
	bw_text_free(&option);
	bw_text_free(&object);
	return bw_text_take(&path);
}

static int open_all(void **state)
{
	fixture_open(&fixture);
	return 0;
}

static int close_all(void **state)
{
	fixture_close(&fixture);
	return 0;
}

static void schedules(void **state)
{
	static const struct {
		const char *generator, *how, *features;
		double relative;
		enum bw_verdict verdict; /* where there is no error */
		const char *error, *where, *demand;
	} cases[] = {
		{"sharpen", "cpu", "", 0, BW_RIGHT, NULL, "", ""},
		{"sharpen", "gpu", "-opencl", 1e-5, BW_RIGHT_WITHIN_BOUND, NULL, "pair.0(", ""},
		{"sharpen", "gpu", "-opencl", 0, BW_OUTPUT_WRONG, NULL, "pair.0(", ""},
		{"sharpen", "sloppy", "-opencl", 1e-5, BW_RIGHT_WITHIN_BOUND, NULL, "pair.0(", ""},
		{"sharpen", "twisted", "-opencl", 1e-5, BW_OUTPUT_WRONG, NULL, "pair.1(100,7) is ", ""},
		{"sharpen", "greedy", "-opencl", 1e-5, BW_RIGHT_WITHIN_BOUND, NULL, "pair.0(", "input: dimension 0 from 0 to 224, the reference from 0 to 202"},
		{"sharpen", "rounded", "-opencl", 1e-5, BW_UNCHECKED, "Output buffer pair.0 is accessed at 207, which is beyond the max (200) in dimension 0", "", ""},
		{"sharpen", "rounded", "-opencl-no_asserts", 1e-5, BW_OUTPUT_WRONG, NULL, " was written outside of its box, near (201,0)", "input: "},
		{"interleaved", "gpu", "-opencl", 0, BW_RIGHT, NULL, "", ""},
	};
	if (!have_opencl())
		skip_because("no OpenCL device");
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		char *object = build(cases[k].generator, cases[k].how, cases[k].features), *reference = build(cases[k].generator, "cpu", "");
		struct bw_measure_request request = {.object = object, .reference = reference, .seed = 3, .bound = {.relative = cases[k].relative}, .seconds = 0.05, .limit = 300};
		struct bw_measurement got = {0};
		struct bw_error error = {0};
		bool good = measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error);
		if (good != !cases[k].error || (!good && strcmp(error.text, cases[k].error) != 0))
			fail_msg("%s %s: '%s'", cases[k].generator, cases[k].how, error.text);
		if (good && (got.verdict != cases[k].verdict || !strstr(got.where, cases[k].where) || !*got.where != !*cases[k].where || !strstr(got.demand, cases[k].demand) || !*got.demand != !*cases[k].demand))
			fail_msg("%s %s: %s, '%s', '%s'", cases[k].generator, cases[k].how, bw_verdict_name(got.verdict), got.where, got.demand);
		if (good && got.verdict == BW_OUTPUT_WRONG)
			assert_true(isnan(got.minimum) && isnan(got.median));
		else if (good)
			assert_true(got.minimum > 0 && *got.device);
		free(object);
		free(reference);
	}
}

/* The worker needs nothing from the environment. */
static void without_environment(void **state)
{
	if (!have_opencl())
		skip_because("no OpenCL device");
	char *object = build("interleaved", "gpu", "-opencl"), *reference = build("interleaved", "cpu", "");
	struct bw_text input = {0};
	bw_text_printf(&input, "{\"beamwalk-bench\":2,\"id\":1,\"do\":\"measure\",\"seconds\":0.01,\"reference\":\"%s\",\"objects\":[\"%s\"]}\n", reference, object);
	const char *const argv[] = {"env", "-i", fixture.bench, NULL};
	struct bw_outcome outcome;
	bw_process_run(&(struct bw_process_command){argv, NULL, input.bytes, 1 << 20, false}, &(struct bw_patience){300, NULL}, &outcome);
	if (!strstr(bw_text_get(&outcome.output), "\"verdict\":\"right\""))
		fail_msg("%s", bw_text_get(&outcome.output));
	bw_outcome_free(&outcome);
	bw_text_free(&input);
	free(object);
	free(reference);
}

/* Damages a file that PoCL keeps: cut to half, of other bytes, empty. */
static int damage_how, damaged;
static int damage(const char *path, const struct stat *info, int type, struct FTW *place)
{
	(void)place;
	if (type != FTW_F || !info->st_size)
		return 0;
	damaged++;
	if (damage_how != 1)
		return truncate(path, damage_how ? 0 : info->st_size / 2);
	FILE *file = fopen(path, "r+");
	assert_non_null(file);
	for (int64_t k = 0; k < info->st_size; k++)
		fputc((int)(k * 37 & 255), file);
	return fclose(file);
}

/* Fails if an empty file of PoCL's is left where it keeps kernels. */
static int find_left(const char *path, const struct stat *info, int type, struct FTW *place)
{
	if (type == FTW_F && !info->st_size && !strncmp(path + place->base, "tempfile_", 9))
		fail_msg("%s is left", path);
	return 0;
}

/* Damaged files of what PoCL kept cost a second run and no right result. */
static void damaged_kernels(void **state)
{
	if (!have_opencl())
		skip_because("no OpenCL device");
	char *object = build("interleaved", "gpu", "-opencl"), *reference = build("interleaved", "cpu", ""), kept[600];
	struct bw_measure_request request = {.object = object, .reference = reference, .seed = 3, .seconds = 0, .limit = 300};
	snprintf(kept, sizeof kept, "%s/pocl", fixture.cache);
	for (int how = -1; how < 3; how++) {
		struct bw_measurement got = {0};
		struct bw_error error = {0};
		damaged = 0;
		damage_how = how;
		if (how >= 0)
			assert_int_equal(nftw(kept, damage, 16, FTW_PHYS), 0);
		assert_true((how >= 0) == (damaged > 1));
		if (!measure_afresh(&fixture.places, &request, &(struct bw_patience){300, NULL}, &got, &error) || got.verdict != BW_RIGHT)
			fail_msg("damage %d: %s, '%s'", how, bw_verdict_name(got.verdict), error.text);
		nftw(kept, find_left, 16, FTW_PHYS);
	}
	free(object);
	free(reference);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(schedules), cmocka_unit_test(without_environment), cmocka_unit_test(damaged_kernels)};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
