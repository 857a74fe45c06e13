/* Ablations: variants and their order, that a measured search is the one that is always made, counts against a second way of counting,
 * medians and ratios worked out by hand, and the paper's figures against what it says of them itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/mem.h"
#include "schedulers/ablation.h"
#include "schedulers/walk.h"

static struct bw_device *devices;
static struct bw_pipeline *unsharp;

static int open_all(void **state)
{
	devices = bundled_devices(NULL);
	unsharp = bundled_pipeline("unsharp");
	return 0;
}

static int close_all(void **state)
{
	free(devices);
	bw_pipeline_free(unsharp);
	return 0;
}

/* All on has all letters; counting down, the last switch changes first. */
static void variants_count_down(void **state)
{
	char letters[BW_N_SWITCHES + 1];
	struct bw_settings options = bw_settings_default(devices);
	assert_true(bw_variant_has(BW_VARIANT_ALL_ON, BW_SWITCH_sampling));
	assert_false(bw_variant_has(BW_VARIANT_ALL_OFF, BW_SWITCH_sampling));
	bw_variant_letters(BW_VARIANT_ALL_ON, letters);
	assert_int_equal(strlen(letters), BW_N_SWITCHES);
	assert_null(strchr(letters, '-'));
	bw_variant_letters(BW_VARIANT_ALL_ON - 1, letters);
	assert_ptr_equal(strchr(letters, '-'), letters + BW_N_SWITCHES - 1);
	bw_variant_set(BW_VARIANT_ALL_ON, &options);
	assert_int_equal(options.sampling, 1);
	assert_int_equal(options.freezing, BW_FREEZING_PROBED);
	assert_int_equal(options.polish, 1);
	bw_variant_set(BW_VARIANT_ALL_OFF, &options);
	assert_int_equal(options.sampling, 0);
	assert_int_equal(options.freezing, BW_FREEZING_OFF);
	assert_int_equal(options.polish, 0);
	options.freezing = BW_FREEZING_PAPER;
	bw_variant_set(BW_VARIANT_ALL_ON, &options);
	assert_int_equal(options.freezing, BW_FREEZING_PAPER);
	assert_int_equal(options.beam, bw_settings_default(devices).beam);
}

static void count_calls(int made, int of, void *data)
{
	int *calls = data;
	assert_int_equal(made, *calls);
	assert_true(made < of);
	(*calls)++;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Options that a decision costed, placed or not, and the hashes of those that are whole schedules, by expanding every parent again. */
struct counted {
	long costed, evaluated;
	int n, capacity;
	uint64_t *whole;
};

static void count_decision(const struct bw_search *search, int index, struct counted *counted)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(search, index, &states);
	for (int rank = 0; rank < n; rank++) {
		struct bw_expansion *expansion = bw_search_expand(search, index, rank, NULL);
		for (int i = 0; i < expansion->n; i++) {
			const struct bw_option *option = &expansion->options[i];
			if (option->fate != BW_FATE_COSTED && option->fate != BW_FATE_KEPT && option->fate != BW_FATE_DROPPED)
				continue;
			counted->costed++;
			counted->evaluated += option->placement != NULL;
			bool untiled = false;
			for (int f = 0; f < unsharp->n_funcs; f++)
				untiled |= option->nest->placed[f] && option->nest->placed[f]->placement->compute.kind == BW_SITE_ROOT && !option->nest->placed[f]->placement->tiled;
			if (option->placement && bw_nest_complete(option->nest) && !untiled) {
				BW_GROW(counted->whole, counted->n, counted->capacity);
				counted->whole[counted->n++] = option->hash;
			}
		}
		bw_expansion_free(expansion);
	}
}

/* Three passes of a beam of 4, which find some schedules more than once. */
static void counts_are_those_of_the_search(void **state)
{
	struct bw_settings options = bw_settings_default(devices);
	options.model = &bw_roofline;
	struct bw_error error;
	struct bw_ablated figures;
	struct counted counted = {0};
	int calls = 0;
	options.polish = 0;
	options.beam = 4;
	options.passes = 3;
	options.sampling = 0;
	assert_true(bw_ablate_run(unsharp, &options, count_calls, &calls, &figures, &error));
	struct bw_search *search = bw_search_new(unsharp, &options, NULL);
	assert_int_equal(bw_search_advance(search, bw_search_n_decisions(search), NULL, &error), BW_SEARCH_DONE);
	assert_int_equal(calls, bw_search_n_decisions(search));
	for (int d = 0; d < bw_search_n_decisions(search); d++)
		count_decision(search, d, &counted);
	const struct bw_state *const *states;
	bw_search_beam(search, bw_search_n_decisions(search), &states);
	struct bw_search_totals totals = bw_search_totals(search);
	assert_int_equal(totals.costed, counted.costed);
	assert_int_equal(totals.evaluated, counted.evaluated + totals.probed);
	assert_true(totals.probed > 0);
	assert_true(totals.evaluated < totals.costed);
	assert_true(figures.evaluated == (double)totals.evaluated);
	qsort(counted.whole, (size_t)counted.n, sizeof *counted.whole, by_value);
	int distinct = 0;
	for (int i = 0; i < counted.n; i++)
		distinct += !i || counted.whole[i] != counted.whole[i - 1];
	assert_true(distinct < counted.n);
	assert_true(figures.complete == (double)distinct);
	assert_true(figures.cost == states[0]->cost);
	assert_true(figures.cpu_seconds > 0 && figures.wall_seconds > 0);
	free(counted.whole);
	bw_search_free(search);
}

static void medians(void **state)
{
	const struct bw_ablated list[] = {{.evaluated = 5, .cost = 0.1}, {.evaluated = 1, .cost = 0.7}, {.evaluated = 9, .cost = 0.3}, {.evaluated = 2, .cost = 0.2}};
	assert_true(bw_ablated_median(list, 1).evaluated == 5);
	assert_true(bw_ablated_median(list, 3).evaluated == 5);
	assert_true(bw_ablated_median(list, 3).cost == 0.3);
	assert_true(bw_ablated_median(list, 4).evaluated == 3.5);
}

static void close_to(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.12g, not %.12g", value, expected);
}

/* Returns the tables of the papers. */
static struct bw_published *papers_of(void)
{
	struct bw_text folder = {0};
	struct bw_error error;
	bw_text_printf(&folder, "%s/data/published", getenv("BW_SRC"));
	struct bw_published *papers = bw_published_read(bw_text_get(&folder), &error);
	if (!papers)
		fail_msg("%s", error.text);
	bw_text_free(&folder);
	return papers;
}

/* Two pipelines: 10% and 40% of the states (mean 20%), 4 and 1 times as fast (mean 2), costs 1 and 1.21 times (mean 1.1), memory 2 and 8 (mean 4). */
static void ratios_and_their_means(void **state)
{
	static struct bw_ablation list[3];
	struct bw_published *papers = papers_of();
	struct bw_ablation_row *on = &list[0].rows[BW_VARIANT_ALL_ON], *off = &list[0].rows[BW_VARIANT_ALL_OFF];
	*off = (struct bw_ablation_row){.outcome = BW_ABLATION_DONE, .median = {.evaluated = 1000, .cpu_seconds = 8, .peak_bytes = 100, .cost = 3}};
	struct bw_ablated runs[] = {{.cost = 3}, {.cost = 2.8}, {.cost = 3.5}};
	*on = (struct bw_ablation_row){.outcome = BW_ABLATION_DONE, .n_runs = 3, .runs = runs, .median = {.evaluated = 100, .cpu_seconds = 2, .peak_bytes = 200, .cost = 3}};
	list[1] = list[2] = list[0];
	list[1].rows[BW_VARIANT_ALL_ON].median = (struct bw_ablated){.evaluated = 400, .cpu_seconds = 8, .peak_bytes = 800, .cost = 3.63};
	list[2].rows[BW_VARIANT_ALL_ON].outcome = BW_ABLATION_LATE;
	for (int i = 0; i < 3; i++)
		list[i].pipeline = (char *)"harris";
	list[0].papers = papers;
	list[0].published = true;

	struct bw_compared compared = bw_ablation_compare(&list[0], BW_VARIANT_ALL_ON);
	close_to(compared.states_percent, 10);
	close_to(compared.speedup, 4);
	close_to(compared.memory, 2);
	close_to(compared.cost, 1);
	close_to(compared.spread, 1.25);
	assert_true(bw_ablation_compare(&list[0], BW_VARIANT_ALL_ON - 1).paper_seconds > 0); /* the paper has no polish */
	assert_true(isnan(compared.paper_seconds));
	assert_false(isnan(bw_ablation_compare(&list[0], BW_VARIANT_ALL_OFF).paper_seconds));
	assert_true(isnan(bw_ablation_compare(&list[1], BW_VARIANT_ALL_OFF).paper_seconds));
	assert_true(isnan(bw_ablation_compare(&list[2], BW_VARIANT_ALL_ON).speedup));

	int n_of;
	struct bw_compared mean = bw_ablation_mean(list, 3, BW_VARIANT_ALL_ON, &n_of);
	assert_int_equal(n_of, 2);
	close_to(mean.states_percent, 20);
	close_to(mean.speedup, 2);
	close_to(mean.memory, 4);
	close_to(mean.cost, 1.1);
	mean = bw_ablation_mean(list, 3, BW_VARIANT_ALL_OFF, &n_of);
	assert_int_equal(n_of, 3);
	close_to(mean.states_percent, 100);
	close_to(mean.speedup, 1);
	bw_ablation_mean(&list[2], 1, BW_VARIANT_ALL_ON, &n_of);
	assert_int_equal(n_of, 0);
	bw_published_free(papers);
}

/* The last lines of tables 1, 2 and 3, and a line of table 3, which follows from table 2: so no figure was copied wrongly. The paper's own means were
 * made before its times were rounded. */
static void published_figures_add_up(void **state)
{
	static const struct {
		const char *letters;
		double states, percent, seconds, speedup;
	} geomeans[] = {
		{"MSF", 11740, 5.19, 7.61, 48.92},
		{"MS", 95092, 42.02, 28.61, 13.01},
		{"MF", 121008, 53.47, 16.92, 21.99},
		{"M", 226311, 100, 41.78, 8.9},
		{"SF", 11740, 5.19, 24.78, 15.01},
		{"S", 95092, 42.02, 168.74, 2.2},
		{"F", 121008, 53.47, 217.94, 1.71},
		{"", 226311, 100, 372.06, 1},
	};
	static const double harris[] = {12.77, 4.2, 6.66, 2.84, 1.75, 3.86, 0.39, 1};
	struct bw_published *papers = papers_of();
	for (size_t i = 0; i < sizeof geomeans / sizeof *geomeans; i++) {
		struct bw_published_search mean = bw_published_mean(papers, geomeans[i].letters),
					   one = bw_published_of(papers, "harris", geomeans[i].letters);
		assert_true(fabs(mean.states - geomeans[i].states) < 1);
		assert_true(fabs(mean.states_percent - geomeans[i].percent) < 0.006);
		assert_true(fabs(mean.seconds / geomeans[i].seconds - 1) < 0.005);
		assert_true(fabs(mean.speedup / geomeans[i].speedup - 1) < 0.005);
		assert_true(fabs(one.speedup - harris[i]) < 0.006);
	}
	assert_true(bw_published_of(papers, "stencil_chain", "MSF").megabytes == 144);
	assert_true(bw_published_of(papers, "stencil_chain", "SF").megabytes == 113);
	assert_true(isnan(bw_published_of(papers, "stencil_chain", "S").megabytes));
	assert_true(bw_published_of(papers, "hist_equalize", "SF").states == 10360);
	assert_true(isnan(bw_published_of(papers, "blur", "").states));
	bw_published_free(papers);
}

/* Returns the geometric mean of a quantity of a system on a device, and sets *n to how many figures have it. */
static double geomean_of(const struct bw_published_paper *paper, const char *system, const char *device,
			 const char *quantity, int *n)
{
	double sum = 0;
	*n = 0;
	for (int i = 0; i < paper->n_figures; i++) {
		const struct bw_published_figure *figure = &paper->figures[i];
		if (strcmp(figure->system, system) || strcmp(figure->device, device) ||
		    strcmp(figure->quantity, quantity) || !strcmp(figure->pipeline, "-"))
			continue;
		sum += log(figure->value);
		(*n)++;
	}
	return exp(sum / *n);
}

/* The last line of table 4 of Jangda and Guha follows from its others, both from the speedups and from the times; table 2 of Mullapudi et al. has 13 of
 * our pipelines on the K40 (VGG is none). The schedulers named there are ours. */
static void other_papers_add_up(void **state)
{
	struct bw_published *papers = papers_of();
	const struct bw_published_paper *mullapudi = &papers->papers[0], *jangda = &papers->papers[1];
	int n;
	assert_true(fabs(geomean_of(jangda, "PolyMage-GPU", "GTX1080Ti", "speedup over Halide", &n) - 1.65) < 0.006);
	assert_int_equal(n, 6);
	assert_true(fabs(geomean_of(jangda, "PolyMage-GPU", "V100", "speedup over Halide", &n) - 1.33) < 0.006);
	double by_hand = geomean_of(jangda, "Halide", "GTX1080Ti", "time", &n),
	       found = geomean_of(jangda, "PolyMage-GPU", "GTX1080Ti", "time", &n);
	assert_true(fabs(by_hand / found - 1.65) < 0.02);
	geomean_of(mullapudi, "auto", "K40", "time", &n);
	assert_int_equal(n, 13);
	for (int p = 0; p < papers->n; p++)
		for (int s = 0; s < papers->papers[p].n_systems; s++) {
			const char *scheduler = papers->papers[p].systems[s].scheduler;
			assert_true(!strcmp(scheduler, "-") || !strcmp(scheduler, "hand") ||
				    !strcmp(scheduler, "cs6120") || bw_scheduler_find(scheduler, NULL));
		}
	bw_published_free(papers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variants_count_down),
		cmocka_unit_test(counts_are_those_of_the_search),
		cmocka_unit_test(medians),
		cmocka_unit_test(ratios_and_their_means),
		cmocka_unit_test(published_figures_add_up),
		cmocka_unit_test(other_papers_add_up),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
