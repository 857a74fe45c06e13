/* Compares the strategies of a tuning on devices that are other cost models, so that thousands of schedules
 * are measured in a second: the search goes by the roofline, the times are those of another model. Prints for
 * each pipeline the samples until a schedule is within 3 % of the fastest of all that the strategies found,
 * and how much slower than that the fastest of MOST is; medians of the seeds. Usage: models MODEL MOST SEEDS
 * [PIPELINE ...]; MODEL: sioutas, dp, or a weights file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "median.h"
#include "../core/bundled.h"
#include "base/mem.h"
#include "cost/cost.h"
#include "schedulers/tune.h"

enum { BATCH = 8, SEEDS_MOST = 9, SAMPLES_MOST = 4000 };

struct run {
	int n;
	double times[SAMPLES_MOST];
	double seconds;
};

/* The strategies, and last random dropout: batch without training. */
enum { DROPOUT = BW_N_TUNE_STRATEGIES, COLUMNS };
static struct run runs[COLUMNS][SEEDS_MOST];

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void tune(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		 const struct bw_cost_model *device, int column, int most, struct run *run)
{
	struct bw_error error = {0};
	int numbers[BATCH], proposed = 1, n;
	double began = now();
	enum bw_tune_strategy strategy = column == DROPOUT ? BW_TUNE_BATCH : (enum bw_tune_strategy)column;
	struct bw_tune *tune = bw_tune_new(pipeline, options, strategy, NULL, &error);
	run->n = 0;
	if (tune && column != DROPOUT)
		bw_tune_train(tune, NULL);
	while (tune && run->n < most && proposed) {
		proposed =
		    bw_tune_propose(tune, most - run->n < BATCH ? most - run->n : BATCH, numbers, NULL);
		for (int i = 0; i < proposed; i++) {
			struct bw_arena *arena = bw_arena_new();
			const struct bw_tune_candidate *candidate = &bw_tune_candidates(tune, &n)[numbers[i]];
			double time = bw_cost_of(device, candidate->nest, options->device, arena).total;
			run->times[run->n++] = time > 0 ? time : INFINITY;
			bw_tune_tell(tune, numbers[i], time > 0 ? time : INFINITY);
			bw_arena_free(arena);
		}
	}
	run->seconds = now() - began;
	bw_tune_free(tune);
}

static void compare(const char *name, const struct bw_settings *options, const struct bw_cost_model *device,
		    int most, int seeds)
{
	struct bw_pipeline *pipeline = bundled_pipeline(name);
	double best = INFINITY;
	for (int k = 0; k < COLUMNS; k++)
		for (int s = 0; s < seeds; s++) {
			struct bw_settings own = *options;
			own.seed = (uint64_t)(1 + 1000 * s);
			tune(pipeline, &own, device, k, most, &runs[k][s]);
			for (int i = 0; i < runs[k][s].n; i++)
				best = fmin(best, runs[k][s].times[i]);
		}
	printf("%-26s", name);
	for (int k = 0; k < COLUMNS; k++) {
		double at[SEEDS_MOST], regret[SEEDS_MOST], seconds = 0;
		for (int s = 0; s < seeds; s++) {
			const struct run *run = &runs[k][s];
			double least = INFINITY;
			at[s] = INFINITY;
			for (int i = 0; i < run->n; i++) {
				least = fmin(least, run->times[i]);
				if (isinf(at[s]) && least <= 1.03 * best)
					at[s] = i + 1;
			}
			regret[s] = 100 * (least / best - 1);
			seconds += run->seconds / seeds;
		}
		printf("  %6.0f (%5.1f %%, %4.1f s)", median(at, seeds), median(regret, seeds), seconds);
	}
	printf("\n");
	fflush(stdout);
	bw_pipeline_free(pipeline);
}

int main(int argc, char **argv)
{
	static char *defaults[] = {"blur",   "two_stencils", "unsharp", "nl_means",
				   "harris", "iir_blur",     "kwz",     "hist_equalize"};
	if (argc < 4)
		return 2;
	struct bw_device *devices = bundled_devices(NULL);
	struct bw_settings options = bw_settings_default(devices);
	struct bw_models models = {0};
	struct bw_error error = {0};
	const struct bw_cost_model *device = bw_cost_models_find(argv[1]);
	int n = argc > 4 ? argc - 4 : 8, seeds = atoi(argv[3]);
	if (!device && !(device = bw_models_read(&models, argv[1], &error))) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	printf("%-26s", "pipeline");
#define X(id, name, text) printf("  %-24s", name);
	BW_TUNE_STRATEGY_TABLE(X)
#undef X
	printf("  dropout\n");
	for (int i = 0; i < n; i++)
		compare(argc > 4 ? argv[4 + i] : defaults[i], &options, device, atoi(argv[2]),
			seeds < SEEDS_MOST ? seeds : SEEDS_MOST);
	bw_models_free(&models);
	free(devices);
	return 0;
}
