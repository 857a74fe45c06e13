/* How many schedules a bandit measures on a GPU before it has one within 3 % of the fastest, by which model says what is worth measuring. The GPU is a table of
 * data/measured: for each pipeline there are no other schedules than those that were run, and each seed has three of four of them. They are measured in batches,
 * the first one alone. Prints the medians of the seeds for the roofline, the latency model and the geometric mean of both; behind a slash without a surrogate,
 * in the order of the predictions. Usage: tiers FOLDER NAME [WITHOUT], as in tiers data/measured NVIDIA-H200 latency; WITHOUT: part of the labels of schedules
 * that are left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "median.h"
#include "base/mem.h"
#include "cost/latency.h"
#include "measured_table.h"
#include "schedule/schedule.h"
#include "schedulers/learner.h"

enum { BATCH = 4, SEEDS = 9, MOST = 64 };
enum prior { ROOFLINE, LATENCY, BOTH, N_PRIORS };

struct one {
	struct bw_schedule *schedule;
	double priors[N_PRIORS], ms;
	bool taken;
};

/* A bandit over n schedules, of which it has measured some. */
struct bandit {
	struct one *const *list;
	int n;
	enum prior prior;
	bool learns;
	struct one *told[MOST];
	int n_told;
	double slope;
	struct bw_surrogate *surrogate;
};

static const char *folder, *name;
static struct bw_device *devices;
static int n_devices;

/* Returns by how much log(measured) rises with log(predicted), as src/schedulers/tune.c does. */
static double slope_of(const struct bandit *bandit)
{
	double x_mean = 0, y_mean = 0, xx = 0.1, xy = 0.1;
	for (int i = 0; i < bandit->n_told; i++) {
		x_mean += log(bandit->told[i]->priors[bandit->prior]) / bandit->n_told;
		y_mean += log(bandit->told[i]->ms) / bandit->n_told;
	}
	for (int i = 0; i < bandit->n_told; i++) {
		double x = log(bandit->told[i]->priors[bandit->prior]) - x_mean;
		xx += x * x;
		xy += x * (log(bandit->told[i]->ms) - y_mean);
	}
	return fmin(fmax(xy / xx, 0), 1);
}

static void learn(struct bandit *bandit)
{
	const struct bw_schedule *schedules[MOST];
	double values[MOST];
	int n = bandit->learns ? bandit->n_told : 0;
	bandit->slope = n ? slope_of(bandit) : 1;
	for (int i = 0; i < n; i++) {
		schedules[i] = bandit->told[i]->schedule;
		values[i] = log(bandit->told[i]->ms) - bandit->slope * log(bandit->told[i]->priors[bandit->prior]);
	}
	bandit->surrogate = bw_surrogate_new(schedules, values, n);
}

/* Measures the schedule of which most may be expected. */
static void measure_next(struct bandit *bandit)
{
	struct one *next = NULL;
	struct bw_expectation expected = {0};
	double least = INFINITY;
	for (int i = 0; i < bandit->n; i++) {
		struct bw_expectation now = {0};
		struct one *one = bandit->list[i];
		if (one->taken)
			continue;
		bw_surrogate_expect(bandit->surrogate, one->schedule, &now);
		double learned = bandit->learns && bandit->n_told ? now.mean - 2 * now.deviation : 0;
		double value = bandit->slope * log(one->priors[bandit->prior]) + learned;
		free(now.row);
		if (value < least) {
			least = value;
			next = one;
		}
	}
	bw_surrogate_expect(bandit->surrogate, next->schedule, &expected);
	bw_surrogate_believe(bandit->surrogate, next->schedule, &expected);
	free(expected.row);
	next->taken = true;
	bandit->told[bandit->n_told++] = next;
}

/* Returns how many schedules are measured until one is within 3 % of the fastest. */
static int needed(struct one *const *list, int n, enum prior prior, bool learns)
{
	struct bandit bandit = {.list = list, .n = n, .prior = prior, .learns = learns};
	double best = INFINITY;
	for (int i = 0; i < n; i++) {
		list[i]->taken = false;
		best = fmin(best, list[i]->ms);
	}
	for (int looked = 0; bandit.n_told < n;) {
		learn(&bandit);
		for (int k = bandit.n_told ? BATCH : 1; k > 0 && bandit.n_told < n; k--)
			measure_next(&bandit);
		bw_surrogate_free(bandit.surrogate);
		for (; looked < bandit.n_told; looked++)
			if (bandit.told[looked]->ms <= 1.03 * best)
				return looked + 1;
	}
	return n;
}

static double price(const struct bw_cost_model *model, const struct bw_nest *nest, const struct bw_device *device)
{
	struct bw_arena *arena = bw_arena_new();
	double cost = bw_cost_of(model, nest, device, arena).total;
	bw_arena_free(arena);
	return cost;
}

/* Returns false if a row has no schedule, or was not right. */
static bool read_one(const struct row *row, const struct bw_pipeline *pipeline, struct one *one)
{
	struct bw_text path = {0};
	struct bw_error error = {0};
	const struct bw_device *device = bw_device_find(devices, n_devices, row->predicted_for);
	bw_text_printf(&path, "%s/%s/%s/%s.schedule", folder, name, row->variant, row->label);
	bool is_there = !strncmp(row->verdict, "right", 5) && device && access(bw_text_get(&path), R_OK) == 0;
	struct bw_schedule *schedule = is_there ? bw_schedule_read(pipeline, bw_text_get(&path), NULL, &error) : NULL;
	struct bw_nest *nest = schedule ? bw_schedule_nest(pipeline, schedule, &error) : NULL;
	bw_text_free(&path);
	if (!nest)
		return false;
	double roofline = price(&bw_roofline, nest, device), latency = price(&bw_latency_model, nest, device);
	*one = (struct one){schedule, {roofline, latency, sqrt(roofline * latency)}, row->minimum, false};
	bw_nest_drop(nest);
	return roofline > 0 && latency > 0;
}

/* Reads the schedules of one variant; returns how many. */
static int read_variant(const struct row *rows, int n_rows, const char *without, struct one *all)
{
	struct bw_text path = {0};
	struct bw_error error = {0};
	int n = 0;
	bw_text_printf(&path, "%s/%s/%s/description.json", folder, name, rows->variant);
	if (access(bw_text_get(&path), R_OK) != 0) {
		bw_text_clear(&path);
		bw_text_printf(&path, "data/descriptions/%s.json", rows->pipeline);
	}
	struct bw_pipeline *pipeline = bw_pipeline_read(bw_text_get(&path), &error);
	for (int i = 0; i < n_rows && pipeline && n < MOST; i++)
		if (!without || !strstr(rows[i].label, without))
			n += read_one(&rows[i], pipeline, &all[n]);
	bw_text_free(&path);
	return n;
}

/* Prints a line and adds logarithms to the sums. */
static void compare(const char *variant, struct one *all, int n, double sums[N_PRIORS][2])
{
	double at[N_PRIORS][2][SEEDS];
	uint64_t state = 1;
	for (int s = 0; s < SEEDS; s++) {
		struct one *list[MOST];
		int n_list = 0;
		for (int i = 0; i < n; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			if (state >> 62)
				list[n_list++] = &all[i];
		}
		for (int p = 0; p < N_PRIORS; p++)
			for (int learns = 0; learns < 2; learns++)
				at[p][learns][s] = needed(list, n_list, (enum prior)p, learns);
	}
	printf("%-26s %2d", variant, n);
	for (int p = 0; p < N_PRIORS; p++) {
		double with = median(at[p][1], SEEDS), without = median(at[p][0], SEEDS);
		sums[p][1] += log(with);
		sums[p][0] += log(without);
		printf("   %3.0f / %3.0f ", with, without);
	}
	printf("\n");
}

static bool read_devices(struct bw_error *error)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s.device.json", folder, name);
	struct bw_device *base = bw_devices_read("data/devices.json", &n_devices, error);
	devices = base ? bw_devices_read_over(base, n_devices, bw_text_get(&path), &n_devices, error) : NULL;
	free(base);
	bw_text_free(&path);
	return devices;
}

int main(int argc, char **argv)
{
	struct table table = {0};
	struct bw_error error = {0};
	struct bw_text path = {0};
	double sums[N_PRIORS][2] = {{0}};
	int variants = 0;
	if (argc < 3)
		return 2;
	folder = argv[1];
	name = argv[2];
	bw_text_printf(&path, "%s/%s.tsv", folder, name);
	if (!table_read(&table, bw_text_get(&path), &error) || !read_devices(&error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	printf("%-31s roofline      latency       both\n", "pipeline, schedules");
	for (int i = 0, end; i < table.n; i = end, variants++) {
		struct one all[MOST];
		for (end = i; end < table.n && !strcmp(table.rows[end].variant, table.rows[i].variant);)
			end++;
		int n = read_variant(&table.rows[i], end - i, argc > 3 ? argv[3] : NULL, all);
		compare(table.rows[i].variant, all, n, sums);
	}
	printf("%-29s", "geometric mean");
	for (int p = 0; p < N_PRIORS; p++)
		printf("   %4.1f /%4.1f", exp(sums[p][1] / variants), exp(sums[p][0] / variants));
	printf("\n");
	return 0;
}
