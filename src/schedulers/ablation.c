#include "schedulers/ablation.h"

#include <math.h>

#include "base/arith.h"
#include "base/clock.h"

static const struct {
	const char *name;
	char letter;
} switches[] = {
#define X(field, name, letter, on) {name, letter},
	BW_SWITCH_TABLE(X)
#undef X
};

const char *bw_switch_name(enum bw_switch which)
{
	return switches[which].name;
}

bool bw_variant_has(unsigned variant, enum bw_switch which)
{
	return variant >> (BW_N_SWITCHES - 1 - which) & 1;
}

void bw_variant_letters(unsigned variant, char letters[BW_N_SWITCHES + 1])
{
	for (int s = 0; s < BW_N_SWITCHES; s++)
		letters[s] = bw_variant_has(variant, (enum bw_switch)s) ? switches[s].letter : '-';
	letters[BW_N_SWITCHES] = 0;
}

void bw_variant_set(unsigned variant, struct bw_settings *options)
{
#define X(field, name, letter, on) options->field = bw_variant_has(variant, BW_SWITCH_##field) ? (on) : 0;
	BW_SWITCH_TABLE(X)
#undef X
}

bool bw_ablate_run(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		   bw_ablate_made *made, void *data, struct bw_ablated *figures, struct bw_error *error)
{
	double cpu = bw_clock_of(CLOCK_PROCESS_CPUTIME_ID);
	struct bw_search *search = bw_search_new(pipeline, options, NULL);
	int n = bw_search_n_decisions(search), reached = 0;
	enum bw_search_status status = BW_SEARCH_DONE;
	while (reached < n && status == BW_SEARCH_DONE) {
		made(reached, n, data);
		status = bw_search_advance(search, ++reached, NULL, error);
	}
	if (status == BW_SEARCH_DONE) {
		struct bw_search_totals totals = bw_search_totals(search);
		*figures = (struct bw_ablated){
			.evaluated = (double)totals.evaluated,
			.complete = (double)totals.complete,
			.cpu_seconds = bw_clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu,
			.wall_seconds = totals.seconds,
			.cost = bw_search_state(search, n, 0)->cost,
		};
	}
	bw_search_free(search);
	return status == BW_SEARCH_DONE;
}

static double median(const struct bw_ablated *list, int n, size_t offset)
{
	BW_SCOPED_MEMORY double *values = BW_NEW_ARRAY(double, n);
	for (int i = 0; i < n; i++)
		values[i] = *(const double *)((const char *)&list[i] + offset);
	bw_sort_doubles(values, n);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

struct bw_ablated bw_ablated_median(const struct bw_ablated *list, int n)
{
	return (struct bw_ablated){
#define X(field, key) .field = median(list, n, offsetof(struct bw_ablated, field)),
		BW_ABLATED_TABLE(X)
#undef X
	};
}

BW_WORDS(bw_ablation_outcome_name, enum bw_ablation_outcome, BW_ABLATION_OUTCOME_TABLE(BW_SECOND))

void bw_ablation_free(struct bw_ablation *ablation)
{
	for (int v = 0; v < BW_N_VARIANTS; v++)
		free(ablation->rows[v].runs);
	free(ablation->pipeline);
	free(ablation->size);
	*ablation = (struct bw_ablation){0};
}

/* Writes only the letters of the switches that are on, as in the column heads of the paper's tables. */
static void letters_on(unsigned variant, char letters[BW_N_SWITCHES + 1])
{
	char all[BW_N_SWITCHES + 1];
	int n = 0;
	bw_variant_letters(variant, all);
	for (int s = 0; s < BW_N_SWITCHES; s++)
		if (all[s] != '-')
			letters[n++] = all[s];
	letters[n] = 0;
}

static void put_published(const struct bw_published_search *published, struct bw_compared *compared)
{
	compared->paper_states = published->states;
	compared->paper_percent = published->states_percent;
	compared->paper_seconds = published->seconds;
	compared->paper_speedup = published->speedup;
	compared->paper_megabytes = published->megabytes;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

/* Returns the largest cost of a seed over the least. */
static double spread_of(const struct bw_ablation_row *row)
{
	double least = INFINITY, most = 0;
	for (int r = 0; r < row->n_runs; r++) {
		least = fmin(least, row->runs[r].cost);
		most = fmax(most, row->runs[r].cost);
	}
	return ratio(most, least);
}

struct bw_compared bw_ablation_compare(const struct bw_ablation *ablation, unsigned variant)
{
	struct bw_compared compared;
#define X(field, key) compared.field = (double)NAN;
	BW_COMPARED_TABLE(X)
#undef X
	const struct bw_ablation_row *row = &ablation->rows[variant], *off = &ablation->rows[BW_VARIANT_ALL_OFF];
	if (row->outcome == BW_ABLATION_DONE)
		compared.spread = spread_of(row);
	if (row->outcome == BW_ABLATION_DONE && off->outcome == BW_ABLATION_DONE) {
		compared.states_percent = 100 * ratio(row->median.evaluated, off->median.evaluated);
		compared.speedup = ratio(off->median.cpu_seconds, row->median.cpu_seconds);
		compared.memory = ratio(row->median.peak_bytes, off->median.peak_bytes);
		compared.cost = ratio(row->median.cost, off->median.cost);
	}
	if (ablation->papers && ablation->published) {
		char letters[BW_N_SWITCHES + 1];
		letters_on(variant, letters);
		struct bw_published_search published =
		    bw_published_of(ablation->papers, ablation->pipeline, letters);
		put_published(&published, &compared);
	}
	return compared;
}

struct bw_compared bw_ablation_mean(const struct bw_ablation *list, int n, unsigned variant, int *n_of)
{
	struct bw_compared mean = {0};
	char letters[BW_N_SWITCHES + 1];
	*n_of = 0;
	for (int i = 0; i < n; i++) {
		struct bw_compared compared = bw_ablation_compare(&list[i], variant);
		if (isnan(compared.states_percent))
			continue;
		(*n_of)++;
#define X(field, key) mean.field += log(compared.field);
		BW_COMPARED_TABLE(X)
#undef X
	}
#define X(field, key) mean.field = *n_of ? exp(mean.field / *n_of) : (double)NAN;
	BW_COMPARED_TABLE(X)
#undef X
	if (!n || !list->papers)
		return mean;
	letters_on(variant, letters);
	struct bw_published_search published = bw_published_mean(list->papers, letters);
	put_published(&published, &mean);
	return mean;
}
