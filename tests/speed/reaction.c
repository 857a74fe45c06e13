/* How soon a search looks at the clock and at `stop`: it is advanced by calls that are to take no time, and the longest of them is
 * told, in milliseconds of the processor that the calling thread took; and the memory that the search took at most.
 *
 *   reaction DEVICES DESCRIPTION...
 *
 * For each description: with sampling and without, under a beam of 32. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "pipeline/pipeline.h"
#include "search/search.h"

static double thread_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void measure(const struct bw_pipeline *pipeline, const struct bw_device *device, int sampling)
{
	struct bw_search_options options = bw_search_options_default(device);
	struct bw_error error;
	struct rusage usage;
	options.sampling = sampling;
	struct bw_search *search = bw_search_new(pipeline, &options, NULL);
	double longest = 0, began = thread_seconds(), all;
	int where = 0;
	long calls = 0;
	enum bw_search_status status = BW_SEARCH_GOING;
	while (status == BW_SEARCH_GOING) {
		double start = thread_seconds();
		status = bw_search_advance(search, INT_MAX, 0, NULL, &error);
		double took = thread_seconds() - start;
		if (took > longest) {
			longest = took;
			where = bw_search_reached(search);
		}
		calls++;
	}
	all = thread_seconds() - began;
	getrusage(RUSAGE_SELF, &usage);
	struct bw_search_totals totals = bw_search_totals(search);
	printf("%-20s sampling %d: longest call %6.1f ms at decision %d, %ld calls, %ld options, %ld costed, %.2f s, so far at most %ld MB\n", pipeline->name, sampling, 1e3 * longest, where, calls, totals.enumerated, totals.costed, all, usage.ru_maxrss / 1024);
	bw_search_free(search);
}

int main(int argc, char **argv)
{
	struct bw_error error = {0};
	int n_devices;
	if (argc < 3) {
		fprintf(stderr, "usage: reaction DEVICES DESCRIPTION...\n");
		return 2;
	}
	struct bw_device *devices = bw_devices_read(argv[1], &n_devices, &error);
	for (int i = 2; i < argc && devices; i++) {
		struct bw_pipeline *pipeline = bw_pipeline_read(argv[i], &error);
		if (!pipeline)
			break;
		measure(pipeline, &devices[0], 1);
		measure(pipeline, &devices[0], 0);
		bw_pipeline_free(pipeline);
	}
	if (error.text[0])
		fprintf(stderr, "reaction: %s\n", error.text);
	free(devices);
	return error.text[0] != 0;
}
