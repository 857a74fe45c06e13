#include "schedulers/sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* Returns the number of a schedule among those found; the sweep takes it over. */
static int number_of(struct bw_sweep *sweep, struct bw_schedule *schedule)
{
	for (int i = 0; i < sweep->n_schedules; i++)
		if (bw_schedule_equal(sweep->schedules[i], schedule)) {
			bw_schedule_drop(schedule);
			return i;
		}
	sweep->schedules[sweep->n_schedules] = schedule;
	return sweep->n_schedules++;
}

static bool search(const struct bw_pipeline *pipeline, const struct bw_search_options *options,
		   struct bw_sweep *sweep, struct bw_sweep_run *run, struct bw_error *error)
{
	struct bw_search_options own = *options;
	own.device = sweep->devices[run->device];
	own.beam = run->beam;
	own.seed = run->seed;
	struct bw_search *search = bw_search_new(pipeline, &own, NULL);
	bool good = bw_search_advance(search, INT_MAX, INFINITY, NULL, error) == BW_SEARCH_DONE;
	if (good) {
		const struct bw_state *const *states;
		struct bw_arena *arena = bw_arena_new();
		bw_search_beam(search, bw_search_reached(search), &states);
		run->cost = states[0]->cost;
		run->seconds = bw_search_totals(search).seconds;
		bw_nest_kernels(states[0]->nest, arena, &run->n_kernels);
		run->schedule = number_of(sweep, bw_nest_schedule(states[0]->nest));
		bw_arena_free(arena);
	}
	bw_search_free(search);
	return good || bw_fail_in(error, "%s", own.device->name);
}

/* Returns the cost of a schedule on a device; 0 if that cannot launch one of its kernels. */
static double cost_on(const struct bw_nest *nest, const struct bw_search_options *options,
		      const struct bw_device *device)
{
	struct bw_arena *arena = bw_arena_new();
	int n;
	bool fits = true;
	const struct bw_kernel *kernels = bw_nest_kernels(nest, arena, &n);
	for (int k = 0; k < n; k++) {
		struct bw_block_needs needs = {.threads = kernels[k].n_threads, .shared_bytes = kernels[k].shared_bytes};
		fits &= bw_occupancy(device, &needs).blocks_per_sm > 0;
	}
	double cost = fits ? bw_cost_of(options->model, nest, device, arena).total : 0;
	bw_arena_free(arena);
	return cost;
}

static bool fill_costs(const struct bw_pipeline *pipeline, const struct bw_search_options *options,
		       struct bw_sweep *sweep, struct bw_error *error)
{
	for (int row = 0; row < sweep->n_devices; row++) {
		struct bw_nest *nest = bw_schedule_nest(
		    pipeline, sweep->schedules[sweep->runs[sweep->best[row]].schedule], error);
		if (!nest)
			return false;
		for (int column = 0; column < sweep->n_devices; column++)
			sweep->costs[row * sweep->n_devices + column] = cost_on(nest, options, sweep->devices[column]);
		bw_nest_drop(nest);
	}
	return true;
}

bool bw_sweep_run(const struct bw_pipeline *pipeline, const struct bw_search_options *options,
		  struct bw_sweep *sweep, struct bw_error *error)
{
	int each = sweep->n_beams * (int)sweep->n_seeds, n = sweep->n_devices * each;
	sweep->runs = BW_NEW_ARRAY(struct bw_sweep_run, n);
	sweep->schedules = BW_NEW_ARRAY(struct bw_schedule *, n);
	sweep->best = BW_NEW_ARRAY(int, sweep->n_devices);
	sweep->costs = BW_NEW_ARRAY(double, sweep->n_devices * sweep->n_devices);
	for (; sweep->n_runs < n; sweep->n_runs++) {
		int r = sweep->n_runs, device = r / each;
		struct bw_sweep_run *run = &sweep->runs[r];
		*run = (struct bw_sweep_run){.device = device,
					     .beam = sweep->beams[r % each / (int)sweep->n_seeds],
					     .seed = options->seed + (uint64_t)(r % sweep->n_seeds)};
		if (!search(pipeline, options, sweep, run, error))
			return false;
		if (r % each == 0 || run->cost < sweep->runs[sweep->best[device]].cost)
			sweep->best[device] = r;
	}
	return fill_costs(pipeline, options, sweep, error);
}

void bw_sweep_free(struct bw_sweep *sweep)
{
	for (int i = 0; i < sweep->n_schedules; i++)
		bw_schedule_drop(sweep->schedules[i]);
	free(sweep->schedules);
	free(sweep->runs);
	free(sweep->best);
	free(sweep->costs);
}
