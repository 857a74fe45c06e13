#include "schedulers/opinions.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "cost/models.h"
#include "schedulers/batch.h"

/* Most Funcs for which the exact scheduler is run: it takes minutes for more. */
enum { MOST_EXACT = 4 };

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int count_funcs(const struct bw_pipeline *pipeline)
{
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++)
		n += !pipeline->funcs[f].input;
	return n;
}

/* Returns the schedule of a scheduler, or NULL with an error. */
static struct bw_schedule *schedule_of(const struct bw_scheduler *scheduler,
				       const struct bw_pipeline *pipeline,
				       const struct bw_search_options *options, struct bw_error *error)
{
	struct bw_schedule *schedule = NULL;
	if (!scheduler->walk) {
		struct bw_batch batch;
		if (!bw_batch_run(pipeline, options, NULL, &batch, error))
			return NULL;
		schedule = bw_schedule_keep(batch.schedule);
		bw_batch_free(&batch);
		return schedule;
	}
	if (scheduler->walk == &bw_exact_walk && count_funcs(pipeline) > MOST_EXACT) {
		bw_fail(error, BW_ERROR_FAILED, "not run: it takes minutes for more than %d Funcs", MOST_EXACT);
		return NULL;
	}
	struct bw_walk *walk = bw_walk_new(
	    &(struct bw_walk_request){.scheduler = scheduler, .pipeline = pipeline, .options = options});
	if (bw_walk_work(walk, NULL, NULL, error) == BW_WALK_DONE)
		schedule = bw_walk_schedule(walk, bw_walk_steps(walk), error);
	bw_walk_drop(walk);
	return schedule;
}

/* Returns the term of a model for kernels that its rules refuse; -1: it refuses none. */
static int refusing_term(const struct bw_cost_model *model)
{
	for (int t = 0; t < model->n_terms; t++)
		if (!strcmp(model->terms[t].key, "invalid"))
			return t;
	return -1;
}

static void price(const struct bw_opinions *opinions, const struct bw_pipeline *pipeline,
		  const struct bw_search_options *options, struct bw_opinion *opinion)
{
	const struct bw_device device = bw_search_options_device(options);
	struct bw_nest *nest = bw_schedule_nest(pipeline, opinion->schedule, NULL);
	struct bw_arena *arena = bw_arena_new();
	bw_nest_kernels(nest, arena, &opinion->kernels);
	for (int m = 0; m < opinions->n_models; m++) {
		int refuses = refusing_term(opinions->models[m]);
		struct bw_cost cost = bw_cost_of(opinions->models[m], nest, &device, arena);
		opinion->costs[m].cost = cost.total;
		for (int s = 0; s < cost.n && refuses >= 0; s++)
			opinion->costs[m].n_refused += cost.stages[s].terms[refuses] > 0;
	}
	bw_arena_free(arena);
	bw_nest_drop(nest);
}

/* Finds the costs in units of the best of each model. */
static void compare(const struct bw_opinions *opinions)
{
	for (int m = 0; m < opinions->n_models; m++) {
		double best = INFINITY;
		for (int i = 0; i < opinions->n; i++)
			if (opinions->list[i].schedule)
				best = fmin(best, opinions->list[i].costs[m].cost);
		for (int i = 0; i < opinions->n; i++)
			opinions->list[i].costs[m].of_best = opinions->list[i].costs[m].cost / best;
	}
}

struct bw_opinions bw_opinions_of(const struct bw_pipeline *pipeline,
				  const struct bw_search_options *options)
{
	struct bw_opinions opinions = {.arena = bw_arena_new()};
	int n_models;
	const struct bw_cost_model *const *models = bw_cost_models(&n_models);
	const struct bw_scheduler *all = bw_schedulers(&opinions.n);
	opinions.models = BW_ARENA_ARRAY(opinions.arena, const struct bw_cost_model *, n_models + 1);
	for (int m = 0; m < n_models; m++)
		opinions.models[opinions.n_models++] = models[m];
	if (options->weights)
		opinions.models[opinions.n_models++] = options->weights;
	opinions.list = BW_ARENA_ARRAY(opinions.arena, struct bw_opinion, opinions.n);
	for (int i = 0; i < opinions.n; i++) {
		struct bw_opinion *opinion = &opinions.list[i];
		struct bw_error error = {0};
		double start = now();
		*opinion = (struct bw_opinion){.scheduler = &all[i]};
		opinion->costs = BW_ARENA_ARRAY(opinions.arena, struct bw_opinion_cost, opinions.n_models);
		memset(opinion->costs, 0, (size_t)opinions.n_models * sizeof *opinion->costs);
		opinion->schedule = schedule_of(&all[i], pipeline, options, &error);
		opinion->seconds = now() - start;
		if (opinion->schedule)
			price(&opinions, pipeline, options, opinion);
		else
			opinion->why = bw_arena_strdup(opinions.arena, error.text);
	}
	compare(&opinions);
	return opinions;
}

void bw_opinions_free(struct bw_opinions *opinions)
{
	for (int i = 0; i < opinions->n; i++)
		bw_schedule_drop(opinions->list[i].schedule);
	bw_arena_free(opinions->arena);
	*opinions = (struct bw_opinions){0};
}

/* Appends a cell: `1.52`, and a mark if the model refuses kernels. */
static void print_cell(const struct bw_opinion_cost *cost, struct bw_text *out)
{
	char cell[32];
	snprintf(cell, sizeof cell, cost->of_best < 1000 ? "%.2f%s" : "%.1e%s", cost->of_best,
		 cost->n_refused ? "!" : " ");
	bw_text_printf(out, " %10s", cell);
}

void bw_opinions_print(const struct bw_opinions *opinions, struct bw_text *out)
{
	bool refused = false;
	bw_text_printf(out, "%-10s", "scheduler");
	for (int m = 0; m < opinions->n_models; m++)
		bw_text_printf(out, " %9s ", opinions->models[m]->name);
	bw_text_puts(out, " kernels  seconds\n");
	for (int i = 0; i < opinions->n; i++) {
		const struct bw_opinion *opinion = &opinions->list[i];
		bw_text_printf(out, "%-10s", opinion->scheduler->name);
		if (!opinion->schedule) {
			bw_text_printf(out, " %s\n", opinion->why);
			continue;
		}
		for (int m = 0; m < opinions->n_models; m++) {
			print_cell(&opinion->costs[m], out);
			refused |= opinion->costs[m].n_refused > 0;
		}
		bw_text_printf(out, " %8d %8.2f\n", opinion->kernels, opinion->seconds);
	}
	bw_text_puts(out, "Costs by each model, in units of its best.\n");
	if (refused)
		bw_text_puts(out, "!: the model's rules refuse a kernel, for which it has no cost of its own.\n");
}

static json_t *costs_json(const struct bw_opinions *opinions, const struct bw_opinion *opinion)
{
	json_t *costs = json_array();
	for (int m = 0; m < opinions->n_models && opinion->schedule; m++)
		json_array_append_new(costs, json_pack("{s:s, s:s, s:f, s:f, s:i}", "model", opinions->models[m]->name,
						       "unit", opinions->models[m]->unit, "cost", opinion->costs[m].cost,
						       "of_best", opinion->costs[m].of_best, "refused_stages",
						       opinion->costs[m].n_refused));
	return costs;
}

json_t *bw_opinions_json(const struct bw_opinions *opinions, const struct bw_pipeline *pipeline,
			 const struct bw_search_options *options)
{
	json_t *rows = json_array();
	for (int i = 0; i < opinions->n; i++) {
		const struct bw_opinion *opinion = &opinions->list[i];
		struct bw_text schedule = {0};
		if (opinion->schedule)
			bw_schedule_print(pipeline, opinion->schedule, &schedule);
		json_array_append_new(
		    rows, json_pack("{s:s, s:s, s:f, s:i, s:o, s:s*, s:s*}", "scheduler", opinion->scheduler->name, "paper",
				    opinion->scheduler->paper, "seconds", opinion->seconds, "kernels", opinion->kernels, "costs",
				    costs_json(opinions, opinion), "why_none", opinion->why, "schedule",
				    opinion->schedule ? bw_text_get(&schedule) : NULL));
		bw_text_free(&schedule);
	}
	return json_pack("{s:i, s:s, s:s, s:o}", "beamwalk-opinions", 1, "pipeline", pipeline->name, "gpu",
			 options->device->name, "schedulers", rows);
}
