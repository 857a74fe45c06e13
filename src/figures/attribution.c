#include "figures/attribution.h"

#include <string.h>

#include "base/arith.h"
#include "cost/reading.h"

/* Returns the loads of stored Funcs that a stage issues per point. */
static double stored_loads(const struct bw_nest *nest, const struct bw_stage *stage, double *calls,
			   double times)
{
	double loads = 0;
	for (int r = 0; r < stage->n_reads; r++) {
		const struct bw_read *read = &stage->reads[r];
		const struct bw_placed *placed = nest->placed[read->producer];
		double count = 0;
		for (int i = 0; i < read->n_loads; i++)
			count += read->loads[i].count;
		if (placed && placed->placement->compute.kind == BW_SITE_INLINE)
			calls[read->producer] += times * count;
		else
			loads += times * count;
	}
	return loads;
}

static double seconds_of(const struct bw_stage *stage, double calls, const struct bw_device *device)
{
	const double rates[BW_N_WORKS] = {[BW_WORK_INT] = device->int_rate,
					  [BW_WORK_FLOAT] = device->float_rate,
					  [BW_WORK_DOUBLE] = device->double_rate,
					  [BW_WORK_SPECIAL] = device->special_rate};
	double work[BW_N_WORKS] = {0}, seconds = 0;
	bw_stage_work(stage, calls, work);
	for (int w = 0; w < BW_N_WORKS; w++)
		seconds += work[w] / rates[w];
	return seconds;
}

BW_ORDER(by_cost, struct bw_part, 2 * BW_COMPARE(b->ms, a->ms) + BW_COMPARE(b->func, a->func))

/* Sets the calls of each inlined Func per point of a stage; 1 for the stage's own Func. */
static void count_calls(const struct bw_nest *nest, int func, int stage, double *calls)
{
	memset(calls, 0, (size_t)(func + 1) * sizeof *calls);
	calls[func] = 1;
	for (int f = func; f >= 0; f--)
		if (calls[f] > 0)
			stored_loads(nest, &nest->pipeline->funcs[f].stages[f == func ? stage : 0], calls, calls[f]);
	calls[func] = 1;
}

BW_ORDER(by_ms, struct bw_spent, 2 * BW_COMPARE(b->ms, a->ms) + BW_COMPARE(a->operation, b->operation))

struct bw_spent *bw_spent_of(const struct bw_nest *nest, int func, int stage,
			     const struct bw_stage_cost *cost, const struct bw_device *device,
			     struct bw_arena *arena, int *n)
{
	double *calls = BW_ARENA_ARRAY(arena, double, func + 1), all = 0;
	struct bw_spent *list = BW_ARENA_ARRAY(arena, struct bw_spent, BW_N_OPERATIONS);
	count_calls(nest, func, stage, calls);
	*n = 0;
	for (int o = 0; o < BW_N_OPERATIONS; o++) {
		struct bw_spent spent = {(enum bw_operation)o, 0, 0};
		for (int f = func; f >= 0; f--) {
			if (!(calls[f] > 0))
				continue;
			struct bw_stage of = nest->pipeline->funcs[f].stages[f == func ? stage : 0];
			of.op_kinds &= (uint64_t)1 << o;
			for (int t = 0; t < BW_N_TYPES && of.op_kinds; t++)
				spent.count += calls[f] * of.ops[o][t];
			spent.ms += seconds_of(&of, calls[f], device);
		}
		all += spent.ms;
		if (spent.ms > 0)
			list[(*n)++] = spent;
	}
	for (int i = 0; i < *n; i++)
		list[i].ms *= cost->terms[BW_TERM_ARITHMETIC] / all;
	qsort(list, (size_t)*n, sizeof *list, by_ms);
	return list;
}

/* Returns the total cost of the terms that are spent on `on` (enum bw_spent_on). */
static double spent_on(const struct bw_cost_model *model, const struct bw_stage_cost *cost,
		       enum bw_spent_on on)
{
	double sum = 0;
	for (int t = 0; t < model->n_terms; t++)
		sum += model->terms[t].spent_on == on ? cost->terms[t] : 0;
	return sum;
}

static bool says_what_on(const struct bw_cost_model *model)
{
	for (int t = 0; t < model->n_terms; t++)
		if (model->terms[t].spent_on != BW_SPENT_ON_STAGE)
			return true;
	return false;
}

struct bw_part *bw_parts_of(const struct bw_nest *nest, int func, int stage,
			    const struct bw_cost_model *model, const struct bw_stage_cost *cost,
			    const struct bw_device *device, struct bw_arena *arena, int *n)
{
	const struct bw_func *funcs = nest->pipeline->funcs;
	double *calls = BW_ARENA_ARRAY(arena, double, func + 1),
	       *seconds = BW_ARENA_ARRAY(arena, double, func + 1),
	       *loads = BW_ARENA_ARRAY(arena, double, func + 1);
	struct bw_part *parts = BW_ARENA_ARRAY(arena, struct bw_part, func + 1);
	double all_seconds = 0, all_loads = 0, rest = cost->ms;
	*n = 0;
	if (!says_what_on(model))
		return parts;
	memset(calls, 0, (size_t)(func + 1) * sizeof *calls);
	/* Producers have lower indices than their readers. */
	for (int f = func; f >= 0; f--) {
		double times = f == func ? 1 : calls[f];
		if (!(times > 0))
			continue;
		const struct bw_stage *of = &funcs[f].stages[f == func ? stage : 0];
		loads[*n] = stored_loads(nest, of, calls, times);
		seconds[*n] = seconds_of(of, times, device);
		all_loads += loads[*n];
		all_seconds += seconds[*n];
		parts[(*n)++] = (struct bw_part){f, times, 0};
	}
	double operating = spent_on(model, cost, BW_SPENT_ON_OPERATIONS),
	       loading = spent_on(model, cost, BW_SPENT_ON_LOADS);
	for (int i = 0; i < *n; i++) {
		parts[i].ms =
		    (all_seconds > 0 ? operating * seconds[i] / all_seconds : 0) +
		    (all_loads > 0 ? loading * loads[i] / all_loads : 0);
		rest -= parts[i].ms;
	}
	parts[0].ms += rest;
	qsort(parts, (size_t)*n, sizeof *parts, by_cost);
	return parts;
}
