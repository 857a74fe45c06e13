/* Descriptions, each searched under the sets of options (searched.h): without Halide, so that sanitizers see all of it.
 *
 *   files DESCRIPTION...
 *   files --share K N
 *
 * Each of those named under two sets, in turn; or every N-th of the ones that come with the project, from the K-th on, under all: with sanitizers,
 * where that takes minutes, under three in turn. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "searched.h"

/* Sets for each file of a share. */
#ifdef __SANITIZE_ADDRESS__
static int sets_of_share(void)
{
	return 3;
}
#else
static int sets_of_share(void)
{
	return searched_sets();
}
#endif

/* One file. False with a line of its own. */
static bool search_file(const char *path, const struct bw_device *device, int first, int n_sets, struct searched *counts)
{
	struct bw_error error;
	struct bw_pipeline *pipeline = bw_pipeline_read(path, &error);
	bool good = pipeline != NULL;
	if (!good)
		printf("# %s\n", error.text);
	for (int i = 0; i < n_sets && pipeline; i++) {
		int set = (first + i) % searched_sets();
		if (searched(pipeline, device, set, (uint64_t)first, counts, &error))
			continue;
		printf("# %s, %s: %s\n", path, searched_set_name(set), error.text);
		good = false;
	}
	counts->pipelines++;
	bw_pipeline_free(pipeline);
	return good;
}

/* The descriptions that come with the project. */
static void find_files(const char *source, glob_t *files)
{
	static const char *const folders[] = {"tests/descriptions", "tests/soak/descriptions", "data/descriptions"};
	char pattern[4096];
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(pattern, sizeof pattern, "%s/%s/*.json", source, folders[i]);
		glob(pattern, i ? GLOB_APPEND : 0, NULL, files);
	}
}

int main(int argc, char **argv)
{
	const char *source = getenv("BW_SRC") ? getenv("BW_SRC") : ".";
	struct searched counts = {0};
	struct bw_error error;
	char path[4096];
	glob_t files = {0};
	int n_devices, failures = 0, tests = 0, first = 0, step = 1;
	snprintf(path, sizeof path, "%s/data/devices.json", source);
	struct bw_device *devices = bw_devices_read(path, &n_devices, &error);
	bool share = argc == 4 && !strcmp(argv[1], "--share");
	if (share) {
		first = atoi(argv[2]) - 1;
		step = atoi(argv[3]);
		find_files(source, &files);
	}
	int n = share ? (int)files.gl_pathc : argc - 1;
	if (!devices || first < 0 || first >= step || first >= n) {
		fprintf(stderr, "%s\n", devices ? "no descriptions" : error.text);
		return 1;
	}
	for (int i = first; i < n; i += step) {
		const char *file = share ? files.gl_pathv[i] : argv[i + 1];
		bool good = search_file(file, &devices[i % n_devices], 2 * i, share ? sets_of_share() : 2, &counts);
		printf("%sok %d - %s\n", good ? "" : "not ", ++tests, file);
		failures += !good;
	}
	searched_print(&counts);
	printf("1..%d\n", tests);
	globfree(&files);
	free(devices);
	return failures != 0;
}
