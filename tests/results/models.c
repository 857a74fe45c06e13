/* How far cost models agree on the order of schedules: Spearman's rank correlation between every two of them over random schedules of each bundled
 * pipeline. `models COUNT PIPELINE...` writes a table; `make bench-models` is the table in data/correlations.txt. Schedules are those of
 * `beamwalk schedule PIPELINE --random --beam 1 --seed N`, N from 1, for the A100; equal ones count once. A kernel that the rules of a model refuse costs what
 * the model gives it, which is more than any that they allow: so a second table has the schedules alone that no model refuses. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "cost/cost.h"
#include "schedule/schedule.h"
#include "search/search.h"
#include "results/results.h"

enum { MOST_MODELS = 16, MOST_SCHEDULES = 1000 };

/* Costs of schedules by each model. */
struct costs {
	int n, n_models;
	const struct bw_cost_model *const *models;
	double cost[MOST_MODELS][MOST_SCHEDULES];
	bool refused[MOST_SCHEDULES]; /* by any model */
	uint64_t hashes[MOST_SCHEDULES];
};

static void add(struct costs *costs, const struct bw_nest *nest, const struct bw_device *device)
{
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	uint64_t hash = bw_schedule_hash(schedule);
	bw_schedule_drop(schedule);
	for (int i = 0; i < costs->n; i++)
		if (costs->hashes[i] == hash)
			return;
	struct bw_arena *arena = bw_arena_new();
	costs->refused[costs->n] = false;
	for (int m = 0; m < costs->n_models; m++) {
		struct bw_cost cost = bw_cost_of(costs->models[m], nest, device, arena);
		costs->cost[m][costs->n] = cost.total;
		costs->refused[costs->n] |= bw_cost_refused(costs->models[m], &cost) > 0;
	}
	bw_arena_free(arena);
	costs->hashes[costs->n++] = hash;
}

static void gather(struct costs *costs, const struct bw_pipeline *pipeline, struct bw_settings options,
		   int count)
{
	const struct bw_device device = bw_settings_device(&options);
	for (int seed = 1; seed <= 20 * count && costs->n < count; seed++) {
		struct bw_error error;
		const struct bw_state *const *states;
		options.seed = (uint64_t)seed;
		struct bw_search *search = bw_search_new(pipeline, &options, NULL);
		if (bw_search_advance(search, INT_MAX, NULL, &error) == BW_SEARCH_DONE) {
			bw_search_beam(search, bw_search_reached(search), &states);
			add(costs, states[0]->nest, &device);
		}
		bw_search_free(search);
	}
}

/* Returns Spearman's rho of two models; allowed: over the schedules that no model refuses. */
static double correlation(const struct costs *costs, bool allowed, int a, int b)
{
	static struct bw_pair pairs[MOST_SCHEDULES];
	int n = 0;
	for (int i = 0; i < costs->n; i++)
		if (!allowed || !costs->refused[i])
			pairs[n++] = (struct bw_pair){costs->cost[a][i], costs->cost[b][i]};
	return bw_agreement_of(pairs, n).rho;
}

static int count_of(const struct costs *costs, bool allowed)
{
	int n = 0;
	for (int i = 0; i < costs->n; i++)
		n += !allowed || !costs->refused[i];
	return n;
}

/* Prints the names of the columns. */
static void head(const struct costs *costs)
{
	printf("%-25s %9s", "pipeline", "schedules");
	for (int a = 0; a < costs->n_models; a++)
		for (int b = a + 1; b < costs->n_models; b++) {
			char pair[64];
			snprintf(pair, sizeof pair, "%s-%s", costs->models[a]->name, costs->models[b]->name);
			printf(" %16s", pair);
		}
	printf("\n");
}

/* Sums of a column. */
struct mean {
	double sum;
	int n;
};

/* Prints the correlations of a pipeline, and adds them to the means. */
static void row(const struct costs *costs, bool allowed, const char *name, struct mean *means)
{
	printf("%-25s %9d", name, count_of(costs, allowed));
	for (int a = 0; a < costs->n_models; a++)
		for (int b = a + 1; b < costs->n_models; b++, means++) {
			double rho = correlation(costs, allowed, a, b);
			if (isnan(rho)) {
				printf(" %16s", "-");
				continue;
			}
			printf(" %16.2f", rho);
			means->sum += rho;
			means->n++;
		}
	printf("\n");
}

/* Prints a table. */
static void tell(const struct costs *list, char *const *names, int n, bool allowed)
{
	struct mean means[MOST_MODELS * MOST_MODELS] = {{0}};
	int pairs = list->n_models * (list->n_models - 1) / 2;
	head(list);
	for (int i = 0; i < n; i++)
		row(&list[i], allowed, names[i], means);
	printf("%-25s %9s", "mean", "");
	for (int p = 0; p < pairs; p++)
		printf(" %16.2f", means[p].sum / means[p].n);
	printf("\n");
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0, n = argc - 2;
	if (count < 2 || count > MOST_SCHEDULES || n < 1)
		return fprintf(stderr, "models COUNT PIPELINE...: COUNT is 2 to %d\n", MOST_SCHEDULES), 2;
	struct bw_device *devices = bundled_devices(NULL);
	struct bw_settings options = bw_settings_default(devices);
	struct costs *list = BW_NEW_ARRAY(struct costs, n);
	options.random = true;
	options.beam = 1;
	for (int i = 0; i < n; i++) {
		struct bw_pipeline *pipeline = bundled_pipeline(argv[i + 2]);
		list[i].models = bw_cost_models(&list[i].n_models);
		gather(&list[i], pipeline, options, count);
		bw_pipeline_free(pipeline);
	}
	tell(list, argv + 2, n, false);
	printf("\nThe schedules that no model refuses:\n");
	tell(list, argv + 2, n, true);
	free(list);
	free(devices);
	return 0;
}
