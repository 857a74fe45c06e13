#include "schedulers/sweep.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/thread.h"

int bw_sweep_size(const struct bw_sweep *sweep)
{
	return sweep->n_variants * sweep->n_targets * sweep->n_beams * (int)sweep->n_seeds;
}

const struct bw_sweep_run *bw_sweep_best(const struct bw_sweep *sweep, int variant, int target)
{
	return &sweep->runs[sweep->best[variant * sweep->n_targets + target]];
}

/* The data that the threads of a sweep share. */
struct work {
	struct bw_sweep *sweep;
	const struct bw_settings *options;
	struct bw_schedule **found; /* by run */
	struct bw_error *errors;    /* by run */
	atomic_int next;
	atomic_bool failed;
};

static bool search(struct work *work, int r)
{
	struct bw_sweep *sweep = work->sweep;
	struct bw_sweep_run *run = &sweep->runs[r];
	const struct bw_device *device = &sweep->targets[run->target].device;
	struct bw_settings own = *work->options;
	own.device = device;
	own.beam = run->beam;
	own.seed = run->seed;
	struct bw_search *found = bw_search_new(sweep->variants[run->variant].pipeline, &own, NULL);
	struct bw_yield unless = {bw_yield_unless, (void *)sweep->stop}, *yield = sweep->stop ? &unless : NULL;
	enum bw_search_status status = bw_search_advance(found, INT_MAX, yield, &work->errors[r]);
	if (status == BW_SEARCH_DONE) {
		const struct bw_state *best = bw_search_state(found, bw_search_reached(found), 0);
		BW_SCOPED_ARENA *arena = bw_arena_new();
		run->cost = best->cost;
		run->seconds = bw_search_totals(found).seconds;
		bw_nest_kernels(best->nest, arena, &run->n_kernels);
		work->found[r] = bw_nest_schedule(best->nest);
	} else if (status != BW_SEARCH_DEAD) {
		bw_fail(&work->errors[r], BW_ERROR_STOPPED, "stopped");
	}
	bw_search_free(found);
	return status == BW_SEARCH_DONE || bw_fail_in(&work->errors[r], "%s", device->name);
}

/* Executes runs until none is left or one has failed. */
static void take_runs(void *data)
{
	struct work *work = data;
	for (int r;
	     (r = atomic_fetch_add(&work->next, 1)) < work->sweep->n_runs && !atomic_load(&work->failed);) {
		if (!search(work, r))
			atomic_store(&work->failed, true);
		else if (work->sweep->progress)
			atomic_fetch_add(work->sweep->progress, 1);
	}
}

/* Returns the number of a schedule among the found schedules for the same algorithm. Adds it if it is
 * new. Takes over the reference. */
static int number_of(struct bw_sweep *sweep, struct bw_schedule *schedule, const struct bw_pipeline *pipeline)
{
	for (int i = 0; i < sweep->n_schedules; i++)
		if (sweep->pipelines[i]->algorithm == pipeline->algorithm &&
		    bw_schedule_hash(sweep->schedules[i]) == bw_schedule_hash(schedule)) {
			bw_schedule_drop(schedule);
			return i;
		}
	sweep->pipelines[sweep->n_schedules] = pipeline;
	sweep->schedules[sweep->n_schedules] = schedule;
	return sweep->n_schedules++;
}

/* Returns the cost of a nest on a device. Returns 0 if the device cannot launch one of its kernels. */
static double nest_cost(const struct bw_nest *nest, const struct bw_settings *options,
			const struct bw_device *device)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n;
	bool fits = true;
	const struct bw_kernel *kernels = bw_nest_kernels(nest, arena, &n);
	for (int k = 0; k < n; k++) {
		struct bw_block_needs needs = {.threads = kernels[k].n_threads,
					       .shared_bytes = kernels[k].shared_bytes};
		fits &= bw_occupancy(device, &needs).blocks_per_sm > 0;
	}
	return fits ? bw_cost_of(options->model, nest, device, arena).total : 0;
}

/* Returns the cost of a schedule for a variant on a device. Returns 0 if the schedule does not apply to
 * the variant's pipeline or the device cannot launch one of its kernels. */
static double cost_of(const struct bw_sweep *sweep, const struct bw_settings *options, int schedule,
		      int variant, int target)
{
	const struct bw_pipeline *pipeline = sweep->variants[variant].pipeline;
	BW_SCOPED_TEXT text = {0};
	bw_schedule_print(sweep->pipelines[schedule], sweep->schedules[schedule], &text);
	struct bw_schedule *read =
	    bw_schedule_parse(pipeline, "sweep", bw_text_get(&text), text.length, NULL, NULL);
	BW_SCOPED_NEST *nest = read ? bw_schedule_nest(pipeline, read, NULL) : NULL;
	double cost = nest ? nest_cost(nest, options, &sweep->targets[target].device) : 0;
	bw_schedule_drop(read);
	return cost;
}

static void find_best(struct bw_sweep *sweep)
{
	int each = sweep->n_beams * (int)sweep->n_seeds;
	sweep->best = BW_NEW_ARRAY(int, sweep->n_variants * sweep->n_targets);
	for (int r = 0; r < sweep->n_runs; r++) {
		int *best = &sweep->best[r / each];
		if (r % each == 0 || sweep->runs[r].cost < sweep->runs[*best].cost)
			*best = r;
	}
}

/* Adds a crossing between two points if their best schedules differ. */
static void add_crossing(struct bw_sweep *sweep, const struct bw_settings *options,
			 struct bw_sweep_crossing crossing, const double values[2])
{
	int from = crossing.from, to = crossing.to, n = sweep->n_targets;
	const struct bw_sweep_run *first = &sweep->runs[sweep->best[from]],
				  *second = &sweep->runs[sweep->best[to]];
	if (first->schedule == second->schedule ||
	    sweep->pipelines[first->schedule]->algorithm != sweep->pipelines[second->schedule]->algorithm)
		return;
	double other[2] = {cost_of(sweep, options, second->schedule, from / n, from % n),
			   cost_of(sweep, options, first->schedule, to / n, to % n)};
	double loss[2] = {log(other[0] / first->cost), log(other[1] / second->cost)};
	if (other[0] > 0 && other[1] > 0 && loss[0] >= 0 && loss[1] >= 0 && loss[0] + loss[1] > 0)
		crossing.value =
		    exp(log(values[0]) + loss[0] / (loss[0] + loss[1]) * log(values[1] / values[0]));
	sweep->crossings[sweep->n_crossings++] = crossing;
}

/* Returns the variant with the same parameters and the next larger size, or -1. */
static int next_size(const struct bw_sweep *sweep, int variant)
{
	int next = -1;
	for (int v = 0; v < sweep->n_variants; v++)
		if (!strcmp(sweep->variants[v].parameters, sweep->variants[variant].parameters) &&
		    sweep->variants[v].points > sweep->variants[variant].points &&
		    (next < 0 || sweep->variants[v].points < sweep->variants[next].points))
			next = v;
	return next;
}

static void find_crossings(struct bw_sweep *sweep, const struct bw_settings *options)
{
	int n = sweep->n_targets;
	sweep->crossings = BW_NEW_ARRAY(struct bw_sweep_crossing, 2 * sweep->n_variants * n + 1);
	for (int v = 0; v < sweep->n_variants; v++)
		for (int t = 0, next = next_size(sweep, v); t < n; t++) {
			const struct bw_sweep_target *target = &sweep->targets[t];
			if (next >= 0 && sweep->variants[v].points > 0)
				add_crossing(
				    sweep, options,
				    (struct bw_sweep_crossing){false, v * n + t, next * n + t, 0},
				    (double[2]){sweep->variants[v].points, sweep->variants[next].points});
			if (t + 1 < n && !strcmp(target->device.name, target[1].device.name))
				add_crossing(sweep, options,
					     (struct bw_sweep_crossing){true, v * n + t, v * n + t + 1, 0},
					     (double[2]){target->bandwidth, target[1].bandwidth});
		}
}

bool bw_sweep_run(const struct bw_settings *options, struct bw_sweep *sweep, struct bw_error *error)
{
	int n = bw_sweep_size(sweep), each = sweep->n_beams * (int)sweep->n_seeds;
	sweep->n_runs = n;
	sweep->runs = BW_NEW_ARRAY(struct bw_sweep_run, n);
	sweep->schedules = BW_NEW_ARRAY(struct bw_schedule *, n);
	sweep->pipelines = BW_NEW_ARRAY(const struct bw_pipeline *, n);
	sweep->costs = BW_NEW_ARRAY(double, sweep->n_targets * sweep->n_targets);
	struct work work = {.sweep = sweep,
			    .options = options,
			    .found = BW_NEW_ARRAY(struct bw_schedule *, n),
			    .errors = BW_NEW_ARRAY(struct bw_error, n)};
	for (int r = 0; r < n; r++)
		sweep->runs[r] =
		    (struct bw_sweep_run){.variant = r / each / sweep->n_targets,
					  .target = r / each % sweep->n_targets,
					  .beam = sweep->beams[r % each / (int)sweep->n_seeds],
					  .seed = options->seed + (uint64_t)(r % sweep->n_seeds)};
	bw_parallel(sweep->threads, take_runs, &work);
	bool good = !atomic_load(&work.failed);
	for (int r = 0; r < n; r++) {
		if (good)
			sweep->runs[r].schedule =
			    number_of(sweep, work.found[r], sweep->variants[sweep->runs[r].variant].pipeline);
		else
			bw_schedule_drop(work.found[r]);
		if (!good && work.errors[r].kind && error && !error->kind)
			*error = work.errors[r];
	}
	free(work.found);
	free(work.errors);
	if (!good)
		return false;
	find_best(sweep);
	for (int row = 0; row < sweep->n_targets; row++)
		for (int column = 0; column < sweep->n_targets; column++)
			sweep->costs[row * sweep->n_targets + column] =
			    cost_of(sweep, options, bw_sweep_best(sweep, 0, row)->schedule, 0, column);
	find_crossings(sweep, options);
	return true;
}

void bw_sweep_free(struct bw_sweep *sweep)
{
	for (int i = 0; i < sweep->n_schedules; i++)
		bw_schedule_drop(sweep->schedules[i]);
	free(sweep->schedules);
	free(sweep->pipelines);
	free(sweep->runs);
	free(sweep->best);
	free(sweep->costs);
	free(sweep->crossings);
}

void bw_sweep_crossing_words(const struct bw_sweep *sweep, const struct bw_sweep_crossing *crossing,
			     struct bw_text *out)
{
	int n = sweep->n_targets;
	const struct bw_sweep_target *from = &sweep->targets[crossing->from % n],
				     *to = &sweep->targets[crossing->to % n];
	const struct bw_sweep_variant *small = &sweep->variants[crossing->from / n],
				      *large = &sweep->variants[crossing->to / n];
	struct bw_said before = bw_say_letter(sweep->runs[sweep->best[crossing->from]].schedule),
			       after = bw_say_letter(sweep->runs[sweep->best[crossing->to]].schedule);
	bw_text_printf(out, "%s%s%s: ", from->device.name, *small->parameters ? " " : "", small->parameters);
	if (!crossing->bandwidth && from->bandwidth != 1)
		bw_text_printf(out, "at %gx bandwidth ", from->bandwidth);
	if (crossing->bandwidth && *small->size)
		bw_text_printf(out, "at %s ", small->size);
	bw_text_printf(out, "%s gives way to %s between ", before.text, after.text);
	if (crossing->bandwidth)
		bw_text_printf(out, "%gx and %gx bandwidth", from->bandwidth, to->bandwidth);
	else
		bw_text_printf(out, "%s and %s", small->size, large->size);
	if (crossing->value > 0 && crossing->bandwidth)
		bw_text_printf(out, ", near %.2gx", crossing->value);
	else if (crossing->value > 0)
		bw_text_printf(out, ", near %.3g M points", crossing->value / 1e6);
}
