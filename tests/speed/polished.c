/* What polishing leaves: for each bundled pipeline what the searches of several seeds end with, how far they differ, what polishing gained, and whether any
 * single change of a Func betters the outcome. Every change that the form of `override` offers is priced, not only those that polishing tries.
 *
 *   polished SEEDS [NAME...] [OPTION=VALUE...]           NAMEs of bundled pipelines; all of them if none is given
 *
 * A line a pipeline: the median of the costs; the spread, most by least; the costs before polishing by those after it, geometric mean; processor seconds a
 * search, mean; allowed changes that were priced, and how many of them cost less. The program fails if any does. Options are those of the search. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "search/search.h"
#include "search/variants.h"

enum { MOST_SEEDS = 100 };

struct row {
	double costs[MOST_SEEDS], gain, seconds; /* gain: the sum of the logarithms */
	long priced, better;
};

static void die(const char *text)
{
	fprintf(stderr, "polished: %s\n", text);
	exit(1);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Prices every change of every Func of the best schedule. */
static void price_changes(const struct bw_search *search, const struct bw_state *best, struct row *row)
{
	int n, passes = bw_settings_passes(bw_search_settings(search));
	struct bw_variants *variants = bw_variants_begin(search, best->nest, passes, true);
	for (int place = 0; place < bw_variants_funcs(variants); place++) {
		bw_variants_turn(variants, place, NULL);
		const struct bw_variant *list = bw_variants_list(variants, &n);
		for (int i = 0; i < n; i++) {
			bw_variants_price(variants, i, best->cost);
			row->priced += list[i].allowed && list[i].cost > 0;
			row->better += list[i].allowed && list[i].cost > 0 && list[i].cost < best->cost * (1 - 1e-12);
		}
	}
	bw_variants_end(variants);
}

static void search_once(const struct bw_pipeline *pipeline, const struct bw_settings *options, int seed, struct row *row)
{
	struct bw_error error;
	const struct bw_state *const *states;
	double begun = now();
	struct bw_search *search = bw_search_new(pipeline, options, NULL);
	int end = bw_search_n_decisions(search);
	if (bw_search_advance(search, end, NULL, &error) != BW_SEARCH_DONE)
		die(error.text);
	row->seconds += now() - begun;
	bw_search_beam(search, end, &states);
	const struct bw_polish *polish = bw_search_polish(search, end);
	row->costs[seed] = states[0]->cost;
	/* The best schedule before polishing stays the second. */
	row->gain += polish && polish->n ? log(states[1]->cost / states[0]->cost) : 0;
	price_changes(search, states[0], row);
	bw_search_free(search);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static bool is_named(const char *name, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !n;
}

static const char *const bundled[] = {"bgu", "bilateral_grid", "blur", "camera_pipe", "conv_layer", "cs6120_blur", "cs6120_roots", "cs6120_sum",
				      "depthwise_separable_conv", "harris", "hist_equalize", "iir_blur", "interpolate", "kwz", "learned_demosaic", "lens_blur",
				      "local_laplacian", "mat_mul", "max_filter", "nl_means", "pyramid_blend", "stencil_chain", "two_stencils", "unsharp"};

static void print_row(const char *source, const char *name, const struct bw_settings *options, int seeds, struct row *all, int *n_all)
{
	struct bw_error error;
	struct bw_text path = {0};
	struct row row = {0};
	struct bw_settings with = *options;
	bw_text_printf(&path, "%s/data/descriptions/%s.json", source, name);
	struct bw_pipeline *pipeline = bw_pipeline_read(bw_text_get(&path), &error);
	if (!pipeline)
		die(error.text);
	for (int seed = 0; seed < seeds; seed++) {
		with.seed = (uint64_t)seed;
		search_once(pipeline, &with, seed, &row);
	}
	qsort(row.costs, (size_t)seeds, sizeof *row.costs, by_value);
	printf("%-25s %11.5g %8.3f %8.3f %8.3f %9ld %6ld\n", name, row.costs[seeds / 2], row.costs[seeds - 1] / row.costs[0], exp(row.gain / seeds), row.seconds / seeds, row.priced, row.better);
	fflush(stdout);
	all->costs[0] += log(row.costs[seeds / 2]);
	all->gain += row.gain / seeds;
	all->seconds += log(row.seconds / seeds);
	all->priced += row.priced;
	all->better += row.better;
	++*n_all;
	bw_pipeline_free(pipeline);
	bw_text_free(&path);
}

int main(int argc, char **argv)
{
	struct bw_error error = {0};
	struct bw_models models = {0};
	struct bw_text path = {0};
	struct bw_assignment assignment;
	struct row all = {0};
	int n_devices = 0, names = 2, n_all = 0, seeds = argc > 1 ? atoi(argv[1]) : 0;
	const char *source = getenv("BW_SRC") ? getenv("BW_SRC") : ".";
	if (seeds < 1 || seeds > MOST_SEEDS)
		die("usage: polished SEEDS [NAME...] [OPTION=VALUE...]");
	while (names < argc && !strchr(argv[names], '='))
		names++;
	bw_text_printf(&path, "%s/data/devices.json", source);
	struct bw_device *devices = bw_devices_read(bw_text_get(&path), &n_devices, &error);
	if (!devices)
		die(error.text);
	struct bw_settings options = bw_settings_default(bw_device_find(devices, n_devices, "A100"));
	options.models = &models;
	for (int i = names; i < argc; i++)
		if (!bw_assignment_read(argv[i], &assignment, &error) || !bw_settings_assign(&assignment, devices, n_devices, &options, &error))
			die(error.text);
	printf("%-25s %11s %8s %8s %8s %9s %6s\n", "pipeline", "median", "spread", "gain", "seconds", "changes", "better");
	for (size_t i = 0; i < sizeof bundled / sizeof *bundled; i++)
		if (is_named(bundled[i], argv + 2, names - 2))
			print_row(source, bundled[i], &options, seeds, &all, &n_all);
	printf("%-25s %11.5g %8s %8.3f %8.3f %9ld %6ld\n", "geometric means, sums", exp(all.costs[0] / n_all), "", exp(all.gain / n_all), exp(all.seconds / n_all), all.priced, all.better);
	bw_models_free(&models);
	free(devices);
	bw_text_free(&path);
	return all.better > 0;
}
