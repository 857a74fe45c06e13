/* What the tests of the bench share: a directory of their own, the parts under test, shared objects made from tests/bench/filters.c. */
#pragma once
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/test.h"
#include "base/mem.h"
#include "bench/bench.h"

struct fixture {
	char directory[256];
	char bench[512], cache[512], generator[512];
	struct bw_places places;
};

static inline const char *variable(const char *name)
{
	const char *value = getenv(name);
	if (!value) {
		fprintf(stderr, "%s is not set: run this through make check\n", name);
		exit(99);
	}
	return value;
}

/* A new directory, and the places of a build. */
static inline void fixture_open(struct fixture *fixture)
{
	const char *build = variable("BW_BUILD");
	snprintf(fixture->directory, sizeof fixture->directory, "/tmp/bw-bench-test.XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	snprintf(fixture->bench, sizeof fixture->bench, "%s/beamwalk-bench", build);
	snprintf(fixture->generator, sizeof fixture->generator, "%s/tests/bench/fixture", build);
	snprintf(fixture->cache, sizeof fixture->cache, "%s/cache", fixture->directory);
	fixture->places = (struct bw_places){bw_plugins_find(build), fixture->bench, fixture->cache, "cc", NULL};
}

static inline void fixture_close(struct fixture *fixture)
{
	const char *const argv[] = {"rm", "-rf", fixture->directory, NULL};
	bw_plugins_free((struct bw_plugin *)fixture->places.plugins);
	struct bw_outcome outcome;
	bw_process_run(&(struct bw_process_command){.argv = argv}, &(struct bw_patience){300, NULL}, &outcome);
	bw_outcome_free(&outcome);
}

/* Runs a command that must succeed. */
static inline void must_run(const char *const *argv)
{
	struct bw_outcome outcome;
	bw_process_run(&(struct bw_process_command){.argv = argv}, &(struct bw_patience){300, NULL}, &outcome);
	if (outcome.ending != BW_EXITED || outcome.code)
		fail_msg("%s: ending %d, code %d: %s", argv[0], (int)outcome.ending, outcome.code, bw_text_get(&outcome.errors));
	bw_outcome_free(&outcome);
}

/* Compiles a variant of tests/bench/filters.c; free(). */
static inline char *make_filter(const struct fixture *fixture, const char *variant, bool floats)
{
	struct bw_text path = {0}, source = {0}, include = {0}, define = {0};
	bw_text_printf(&path, "%s/%s-%d.so", fixture->directory, variant, floats);
	bw_text_printf(&source, "%s/tests/bench/filters.c", variable("BW_SRC"));
	bw_text_printf(&include, "-I%s/src", variable("BW_SRC"));
	bw_text_printf(&define, "-DVARIANT=%s", variant);
	const char *const argv[] = {"cc", "-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", path.bytes, include.bytes, define.bytes, floats ? "-DFLOATS=1" : "-DFLOATS=0", source.bytes, "-lm", NULL};
	must_run(argv);
	bw_text_free(&source);
	bw_text_free(&include);
	bw_text_free(&define);
	return bw_text_take(&path);
}

/* Measures in a worker of this machine that nobody else uses. */
static inline bool measure_afresh(const struct bw_places *places, const struct bw_measure_request *request, const struct bw_patience *patience, struct bw_measurement *measurement, struct bw_error *error)
{
	struct bw_bench *bench = bw_bench_new(places, NULL, 0);
	bool good = bw_measure(bench, request, patience, measurement, NULL, error);
	bw_bench_drop(bench);
	return good;
}

/* Whether there is an OpenCL driver with a platform. */
static inline bool have_opencl(void)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_LAZY);
	int32_t (*platforms)(uint32_t, void *, uint32_t *) = library ? (int32_t (*)(uint32_t, void *, uint32_t *))dlsym(library, "clGetPlatformIDs") : NULL;
	uint32_t n = 0;
	return platforms && platforms(0, NULL, &n) == 0 && n > 0;
}

/* Number of open file descriptors of this process. */
static inline int open_files(void)
{
	int n = 0;
	DIR *directory = opendir("/proc/self/fd");
	while (readdir(directory))
		n++;
	closedir(directory);
	return n;
}
