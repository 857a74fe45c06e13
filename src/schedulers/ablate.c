#include "schedulers/ablate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/mem.h"

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
		const struct bw_state *const *states;
		bw_search_beam(search, n, &states);
		struct bw_search_totals totals = bw_search_totals(search);
		*figures = (struct bw_ablated){
			.evaluated = (double)totals.evaluated,
			.complete = (double)totals.complete,
			.cpu_seconds = bw_clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu,
			.wall_seconds = totals.seconds,
			.cost = states[0]->cost,
		};
	}
	bw_search_free(search);
	return status == BW_SEARCH_DONE;
}

static double median(const struct bw_ablated *list, int n, size_t offset)
{
	double *values = BW_NEW_ARRAY(double, n);
	for (int i = 0; i < n; i++)
		values[i] = *(const double *)((const char *)&list[i] + offset);
	bw_sort_doubles(values, n);
	double middle = (values[(n - 1) / 2] + values[n / 2]) / 2;
	free(values);
	return middle;
}

struct bw_ablated bw_ablated_median(const struct bw_ablated *list, int n)
{
	return (struct bw_ablated){
#define X(field, key) .field = median(list, n, offsetof(struct bw_ablated, field)),
		BW_ABLATED_TABLE(X)
#undef X
	};
}
