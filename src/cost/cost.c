/* Sums the costs of a nest by any model, lists the models, and prints differences between costs. */
#include "cost/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cost/cs6120.h"
#include "cost/jangda.h"
#include "cost/sioutas.h"

static void cost_kernels(const struct bw_cost_model *model, const struct bw_nest *nest,
			 const struct bw_device *device, struct bw_arena *arena, struct bw_stage_cost *costs)
{
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		for (int s = 0; placed && placed->placement->compute.kind == BW_SITE_ROOT &&
				s < placed->placement->n_stages;
		     s++) {
			struct bw_context context = bw_context_of(nest, f, s, arena);
			struct bw_stage_cost *stages = BW_ARENA_ARRAY(arena, struct bw_stage_cost, bw_context_stages(&context));
			model->cost(&context, device, arena, stages);
			BW_CONTEXT_EACH(&context, at)
				costs[nest->pipeline->funcs[at.func].first_stage + at.stage] = stages[at.number];
		}
	}
}

struct bw_cost bw_cost_of(const struct bw_cost_model *model, const struct bw_nest *nest,
			  const struct bw_device *device, struct bw_arena *arena)
{
	struct bw_cost cost = {.n = nest->pipeline->n_stages};
	cost.stages = BW_ARENA_ARRAY(arena, struct bw_stage_cost, cost.n);
	if (model->whole)
		model->whole(model, nest, device, arena, cost.stages);
	else
		cost_kernels(model, nest, device, arena, cost.stages);
	for (int i = 0; i < cost.n; i++)
		cost.total += cost.stages[i].ms;
	return cost;
}

double bw_kernel_cost(const struct bw_pipeline *pipeline, const struct bw_kernel *kernel,
		      const struct bw_cost *cost)
{
	double sum = cost->stages[pipeline->funcs[kernel->func].first_stage + kernel->stage].ms;
	for (int m = 0; m < kernel->n_members; m++) {
		const struct bw_func *member = &pipeline->funcs[kernel->members[m]];
		for (int s = 0; s < member->n_stages; s++)
			sum += cost->stages[member->first_stage + s].ms;
	}
	return sum;
}

bool bw_cost_ties(const struct bw_cost_model *model, double a, double b)
{
	return fmax(a, b) <= fmin(a, b) || fmax(a, b) < fmin(a, b) * (1 + model->tie);
}

double bw_cost_total(const double *ms, int n)
{
	double total = 0;
	for (int i = 0; i < n; i++)
		total += ms[i];
	return total;
}

static const struct bw_cost_model *const models[] = {&bw_roofline, &bw_latency_model, &bw_sioutas_model,
						    &bw_jangda_model, &bw_cs6120_model};

const struct bw_cost_model *const *bw_cost_models(int *n)
{
	*n = sizeof models / sizeof *models;
	return models;
}

const struct bw_cost_model *bw_cost_models_find(const char *name)
{
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if (!strcmp(name, models[i]->name))
			return models[i];
	return NULL;
}

int bw_cost_refused(const struct bw_cost_model *model, const struct bw_cost *cost)
{
	int n = 0;
	for (int t = 0; t < model->n_terms; t++)
		for (int s = 0; s < cost->n && model->terms[t].refuses; s++)
			n += cost->stages[s].terms[t] > 0;
	return n;
}

enum { MANY = 10, MOST_DIGITS = 1000000 };

static const char *mark_of(const struct bw_cost_model *model, double before, double after)
{
	return model && bw_cost_ties(model, before, after) ? "~" : "";
}

struct bw_change bw_change_of(const struct bw_cost_model *model, double before, double after)
{
	struct bw_change change;
	double factor = after / before, percent = 100 * (factor - 1);
	const char *mark = mark_of(model, before, after);
	if (factor >= MANY)
		snprintf(change.text, sizeof change.text, factor < MOST_DIGITS ? "%s%.0fx" : "%s%.0ex", mark, factor);
	else if (fabs(percent) < 0.05)
		snprintf(change.text, sizeof change.text, "0.0%%");
	else
		snprintf(change.text, sizeof change.text, "%s%+.1f%%", mark, percent);
	return change;
}

struct bw_change bw_excess_of(const struct bw_cost_model *model, double cost, double best)
{
	struct bw_change change = {""};
	double excess = best > 0 ? cost / best - 1 : 0;
	const char *mark = mark_of(model, cost, best);
	/* The exact digits of a tie are meaningless. */
	int digits = excess < 0.0095 && !*mark;
	if (excess >= MANY)
		snprintf(change.text, sizeof change.text, "%s%.0fx", mark, cost / best);
	else if (excess >= 0.0005)
		snprintf(change.text, sizeof change.text, "%s+%.*f%%", mark, digits, 100 * excess);
	return change;
}
