/* Descriptions, each searched under the sets of options (searched.h): without Halide, so that sanitizers see all of it.
 *
 *   files [DESCRIPTION...]
 *
 * Each of those named under two sets, in turn; without a name the ones that come with the project, under all. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "searched.h"

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

int main(int argc, char **argv)
{
	static const char *const folders[] = {"tests/descriptions", "tests/soak/descriptions", "data/descriptions"};
	const char *source = getenv("BW_SRC") ? getenv("BW_SRC") : ".";
	struct searched counts = {0};
	struct bw_error error;
	char path[4096];
	glob_t files = {0};
	int n_devices, failures = 0;
	snprintf(path, sizeof path, "%s/data/devices.json", source);
	struct bw_device *devices = bw_devices_read(path, &n_devices, &error);
	for (size_t i = 0; i < sizeof folders / sizeof *folders && argc == 1; i++) {
		snprintf(path, sizeof path, "%s/%s/*.json", source, folders[i]);
		glob(path, i ? GLOB_APPEND : 0, NULL, &files);
	}
	int n = argc > 1 ? argc - 1 : (int)files.gl_pathc;
	if (!devices || !n) {
		fprintf(stderr, "%s\n", devices ? "no descriptions" : error.text);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		const char *file = argc > 1 ? argv[i + 1] : files.gl_pathv[i];
		bool good = search_file(file, &devices[i % n_devices], 2 * i, argc > 1 ? 2 : searched_sets(), &counts);
		printf("%sok %d - %s\n", good ? "" : "not ", i + 1, file);
		failures += !good;
	}
	searched_print(&counts);
	printf("1..%d\n", n);
	globfree(&files);
	free(devices);
	return failures != 0;
}
