/* How long a key waits for a search at most: the longest time between two questions of the search whether it is to go on (struct bw_yield); and how
 * long it takes to give a search back. In milliseconds of the processor, under a beam of 32. With --bound MS it fails where a step takes longer.
 *
 *   reaction [--bound MS] DEVICES DESCRIPTION...
 *
 * For each description: with sampling and without, in one pass and in three, with what the first of these freezes. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/mem.h"
#include "pipeline/pipeline.h"
#include "search/search.h"

static double thread_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

/* Steps by how long they took. */
struct steps {
	int n, capacity;
	double *ms;
	double longest;
	int where; /* decision at which that was */
	double free_ms;
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* A search that asks whether it is to go on. */
struct asking {
	struct steps *steps;
	const struct bw_search *search;
	double asked;
};

static bool note_step(void *data)
{
	struct asking *asking = data;
	struct steps *steps = asking->steps;
	double took = thread_ms() - asking->asked;
	if (took > steps->longest) {
		steps->longest = took;
		steps->where = bw_search_reached(asking->search);
	}
	BW_GROW(steps->ms, steps->n, steps->capacity);
	steps->ms[steps->n++] = took;
	asking->asked = thread_ms();
	return true;
}

/* The steps from the start of a search to its end. */
static void take_steps(struct bw_search *search, struct steps *steps)
{
	struct asking asking = {steps, search, thread_ms()};
	struct bw_yield yield = {note_step, &asking};
	struct bw_error error;
	bw_search_advance(search, INT_MAX, &yield, &error);
	note_step(&asking);
}

/* Of the best of several runs: what another process took away counts for nothing. */
static bool measure(const struct bw_pipeline *pipeline, const struct bw_device *device, int sampling, int passes, double bound)
{
	struct bw_settings options = bw_settings_default(device);
	struct steps steps = {0};
	struct rusage usage;
	options.sampling = sampling;
	options.passes = passes;
	double began = thread_ms();
	struct bw_search *search = bw_search_new(pipeline, &options, NULL);
	take_steps(search, &steps);
	double all = thread_ms() - began;
	struct bw_search_totals totals = bw_search_totals(search);
	began = thread_ms();
	bw_search_free(search);
	steps.free_ms = thread_ms() - began;
	getrusage(RUSAGE_SELF, &usage);
	qsort(steps.ms, (size_t)steps.n, sizeof *steps.ms, by_size);
	printf("%-14s sampling %d passes %d: step p50 %.3f p99 %.3f p99.9 %.3f longest %6.2f ms at decision %d, given back in %.1f ms, %d steps, %ld options, %ld costed, %.0f ms, so far at most %ld MB  %s\n", pipeline->name, sampling, passes, steps.ms[steps.n / 2], steps.ms[steps.n * 99 / 100], steps.ms[(int)(steps.n * 0.999)], steps.longest, steps.where, steps.free_ms, steps.n, totals.enumerated, totals.costed, all, usage.ru_maxrss / 1024, steps.longest <= bound ? "within" : "OVER");
	free(steps.ms);
	return steps.longest <= bound;
}

int main(int argc, char **argv)
{
	struct bw_error error = {0};
	int n_devices, first = 1;
	double bound = 20;
	bool within = true;
	if (argc > 3 && !strcmp(argv[1], "--bound")) {
		bound = atof(argv[2]);
		first = 3;
	}
	if (argc < first + 2) {
		fprintf(stderr, "usage: reaction [--bound MS] DEVICES DESCRIPTION...\n");
		return 2;
	}
	struct bw_device *devices = bw_devices_read(argv[first], &n_devices, &error);
	for (int i = first + 1; i < argc && devices; i++) {
		struct bw_pipeline *pipeline = bw_pipeline_read(argv[i], &error);
		if (!pipeline)
			break;
		for (int passes = 1; passes <= 3; passes += 2)
			for (int sampling = 1; sampling >= 0; sampling--)
				within &= measure(pipeline, &devices[0], sampling, passes, bound);
		bw_pipeline_free(pipeline);
	}
	if (error.text[0])
		fprintf(stderr, "reaction: %s\n", error.text);
	free(devices);
	return error.text[0] || !within;
}
