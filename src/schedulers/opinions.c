#include "schedulers/opinions.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "search/search.h"

enum { EXACT_SECONDS = 10 };

/* When a scheduler has to end. */
struct limit {
	const atomic_bool *stop; /* set: end at once, without a schedule */
	double until;            /* time at which to end with the schedule so far */
	atomic_bool over;        /* this time is over */
};

static bool go_on(void *data)
{
	struct limit *limit = data;
	limit->over = limit->over || bw_clock() > limit->until;
	return !*limit->stop;
}

/* Returns the nest of the beam search, or NULL with an error. */
static struct bw_nest *search(const struct bw_opinions *opinions, const struct bw_yield *yield,
			      struct bw_error *error)
{
	struct bw_search *search = bw_search_new(opinions->pipeline, &opinions->options, NULL);
	struct bw_nest *nest = NULL;
	if (bw_search_advance(search, INT_MAX, yield, error) == BW_SEARCH_DONE)
		nest = bw_nest_keep(bw_search_state(search, bw_search_reached(search), 0)->nest);
	bw_search_free(search);
	return nest;
}

/* Returns how a walk ended, in one line; NULL: the scheduler does not say. */
static const char *note_of(struct bw_opinions *opinions, const struct bw_walk *walk, bool over)
{
	BW_SCOPED_TEXT progress = {0}, note = {0};
	bw_walk_progress(walk, &progress);
	if (over)
		bw_text_printf(&note, "stopped after %d s: ", EXACT_SECONDS);
	bw_text_printf(&note, "%.*s", (int)strcspn(bw_text_get(&progress), ";"), bw_text_get(&progress));
	return note.length ? bw_arena_strdup(opinions->arena, bw_text_get(&note)) : NULL;
}

/* Returns the nest in which a scheduler's walk ends, or NULL with an error. */
static struct bw_nest *walk(struct bw_opinions *opinions, struct bw_opinion *opinion, struct limit *limit,
			    const struct bw_yield *yield, struct bw_error *error)
{
	struct bw_walk *walk = bw_walk_new(&(struct bw_walk_request){
	    .scheduler = opinion->scheduler, .pipeline = opinions->pipeline, .options = &opinions->options});
	BW_SCOPED_SCHEDULE *schedule = NULL;
	if (bw_walk_work(walk, yield, &limit->over, error) == BW_WALK_DONE) {
		schedule = bw_walk_schedule(walk, bw_walk_steps(walk));
		opinion->note = note_of(opinions, walk, limit->over);
	}
	struct bw_nest *nest = schedule ? bw_schedule_nest(opinions->pipeline, schedule, error) : NULL;
	bw_walk_drop(walk);
	return nest;
}

static void name_kernels(struct bw_opinions *opinions, struct bw_opinion *opinion,
			 const struct bw_kernel *kernels)
{
	opinion->kernels = BW_ARENA_ARRAY(opinions->arena, const char *, opinion->n_kernels);
	for (int k = 0; k < opinion->n_kernels; k++) {
		struct bw_text name = {0};
		bw_text_puts(&name, opinions->pipeline->funcs[kernels[k].func].name);
		if (kernels[k].stage)
			bw_text_printf(&name, ".update%d", kernels[k].stage - 1);
		opinion->kernels[k] = bw_text_keep(&name, opinions->arena);
	}
}

/* Fills in the costs of a schedule by all models. */
static void price(struct bw_opinions *opinions, struct bw_opinion *opinion)
{
	const struct bw_device device = bw_settings_device(&opinions->options);
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n = opinions->n_models;
	const struct bw_kernel *kernels = bw_nest_kernels(opinion->nest, arena, &opinion->n_kernels);
	name_kernels(opinions, opinion, kernels);
	opinion->kernel_costs = BW_ARENA_ARRAY(opinions->arena, double, opinion->n_kernels *n);
	for (int m = 0; m < n; m++) {
		struct bw_cost cost = bw_cost_of(opinions->models[m], opinion->nest, &device, arena);
		opinion->costs[m].cost = cost.total;
		opinion->costs[m].n_refused = bw_cost_refused(opinions->models[m], &cost);
		for (int k = 0; k < opinion->n_kernels; k++)
			opinion->kernel_costs[k * n + m] = bw_kernel_cost(opinions->pipeline, &kernels[k], &cost);
	}
}

bool bw_opinions_next(struct bw_opinions *opinions, const atomic_bool *stop)
{
	int done = atomic_load(&opinions->done);
	if (done == opinions->n || *stop)
		return false;
	struct bw_opinion *opinion = &opinions->list[done];
	const struct bw_scheduler *scheduler = opinion->scheduler;
	struct bw_error error = {0};
	double start = bw_clock();
	struct limit limit = {
	    .stop = stop,
	    .until = scheduler && scheduler->walk == &bw_exact_walk ? start + EXACT_SECONDS : INFINITY};
	struct bw_yield yield = {go_on, &limit};
	if (opinion->skip)
		bw_fail(&error, BW_ERROR_FAILED, "not asked for");
	else if (scheduler && scheduler->walk)
		opinion->nest = walk(opinions, opinion, &limit, &yield, &error);
	else if (scheduler)
		opinion->nest = search(opinions, &yield, &error);
	opinion->seconds = bw_clock() - start;
	if (!opinion->nest && *stop)
		return false;
	if (opinion->nest) {
		opinion->schedule = bw_nest_schedule(opinion->nest);
		price(opinions, opinion);
	} else if (scheduler) {
		opinion->why = bw_arena_strdup(opinions->arena, error.text);
	}
	atomic_store(&opinions->done, done + 1);
	return true;
}

void bw_opinions_compare(struct bw_opinions *opinions)
{
	int done = atomic_load(&opinions->done);
	for (int c = 0; c < opinions->n_models + BW_N_OPINION_FIGURES; c++) {
		double best = INFINITY;
		for (int i = 0; i < done; i++)
			best = fmin(best, opinions->list[i].costs[c].cost);
		for (int i = 0; i < done; i++)
			opinions->list[i].costs[c].of_best = opinions->list[i].costs[c].cost / best;
	}
}

static void list_models(struct bw_opinions *opinions)
{
	int n;
	const struct bw_cost_model *const *models = bw_cost_models(&n);
	opinions->models = BW_ARENA_ARRAY(opinions->arena, const struct bw_cost_model *, n + 1);
	for (int m = 0; m < n; m++)
		opinions->models[opinions->n_models++] = models[m];
	if (opinions->options.weights)
		opinions->models[opinions->n_models++] = opinions->options.weights;
}

/* Returns an empty row for a scheduler; NULL: for the schedule by hand. */
static struct bw_opinion row_of(const struct bw_opinions *opinions, const struct bw_scheduler *scheduler)
{
	int n = opinions->n_models + BW_N_OPINION_FIGURES;
	struct bw_opinion row = {.name = scheduler ? scheduler->name : "hand",
				 .paper = scheduler ? scheduler->paper : "the generator's own schedule",
				 .scheduler = scheduler,
				 .costs = BW_ARENA_ARRAY(opinions->arena, struct bw_opinion_cost, n)};
	for (int c = 0; c < n; c++)
		row.costs[c] = (struct bw_opinion_cost){(double)NAN, (double)NAN, 0};
	return row;
}

struct bw_opinions *bw_opinions_new(const struct bw_pipeline *pipeline,
				    const struct bw_settings *options, struct bw_nest *hand,
				    const char *why)
{
	struct bw_opinions *opinions = BW_NEW(struct bw_opinions);
	int n;
	const struct bw_scheduler *all = bw_schedulers(&n);
	*opinions = (struct bw_opinions){
	    .arena = bw_arena_new(), .pipeline = pipeline, .options = *options, .n = n + 1};
	list_models(opinions);
	opinions->list = BW_ARENA_ARRAY(opinions->arena, struct bw_opinion, opinions->n);
	for (int i = 0, row = 0; i < n; i++)
		if (all[i].walk != &bw_exact_walk)
			opinions->list[row++] = row_of(opinions, &all[i]);
	opinions->list[n - 1] = row_of(opinions, bw_scheduler_find("exact", NULL));
	opinions->list[n] = row_of(opinions, NULL);
	opinions->list[n].nest = hand ? bw_nest_keep(hand) : NULL;
	opinions->list[n].why = hand ? NULL : bw_arena_strdup(opinions->arena, why);
	return opinions;
}

void bw_opinions_free(struct bw_opinions *opinions)
{
	if (!opinions)
		return;
	for (int i = 0; i < opinions->n; i++) {
		bw_schedule_drop(opinions->list[i].schedule);
		bw_nest_drop(opinions->list[i].nest);
	}
	bw_arena_free(opinions->arena);
	free(opinions);
}

int bw_opinions_find(const struct bw_opinions *opinions, const char *name)
{
	for (int i = 0; i < opinions->n; i++)
		if (!strcmp(opinions->list[i].name, name))
			return i;
	return -1;
}

/* The opinions as a table, and as JSON. */

static const struct {
	const char *name, *unit;
} figures[] = {
#define X(name, words, unit, meaning) {words, unit},
	BW_OPINION_FIGURE_TABLE(X)
#undef X
};

const char *bw_opinions_column(const struct bw_opinions *opinions, int column)
{
	return column < opinions->n_models ? opinions->models[column]->name
					   : figures[column - opinions->n_models].name;
}

static const char *unit_of(const struct bw_opinions *opinions, int column)
{
	return column < opinions->n_models ? opinions->models[column]->unit
					   : figures[column - opinions->n_models].unit;
}

/* Returns true if the model of a column cannot tell a cell's schedule from the column's best. */
static bool has_tie(const struct bw_opinions *opinions, int column, double of_best)
{
	return column >= 0 && column < opinions->n_models && bw_cost_ties(opinions->models[column], of_best, 1);
}

void bw_opinions_cell(const struct bw_opinions *opinions, int column, double of_best, bool refused,
		      char cell[16])
{
	const char *mark = of_best > 1 && has_tie(opinions, column, of_best) ? "~" : "";
	if (refused)
		snprintf(cell, 16, "refused");
	else if (isnan(of_best))
		snprintf(cell, 16, "-");
	else
		snprintf(cell, 16, of_best < 999.995 ? "%s%.2f" : "%s%.1e", mark, of_best);
}

bool bw_opinion_has_figures(const struct bw_opinions *opinions, const struct bw_opinion *opinion)
{
	bool any = opinion->schedule;
	for (int c = 0; c < opinions->n_models + BW_N_OPINION_FIGURES; c++)
		any |= !isnan(opinion->costs[c].cost);
	return any;
}

/* Appends a row. Returns true if a model refuses a kernel of the schedule. */
static bool print_row(const struct bw_opinions *opinions, const struct bw_opinion *opinion,
		      struct bw_text *out)
{
	bool refused = false;
	bw_text_printf(out, "%-9s", opinion->name);
	if (!bw_opinion_has_figures(opinions, opinion)) {
		bw_text_printf(out, " %s\n", opinion->why ? opinion->why : "not run yet");
		return false;
	}
	for (int c = 0; c < opinions->n_models + BW_N_OPINION_FIGURES; c++) {
		char cell[16];
		bw_opinions_cell(opinions, c, opinion->costs[c].of_best, opinion->costs[c].n_refused, cell);
		bw_text_printf(out, " %8s ", cell);
		refused |= opinion->costs[c].n_refused > 0;
	}
	if (opinion->schedule)
		bw_text_printf(out, " %8d %8.2f\n", opinion->n_kernels, opinion->seconds);
	else
		bw_text_puts(out, "\n");
	return refused;
}

void bw_opinions_print(const struct bw_opinions *opinions, struct bw_text *out)
{
	bool refused = false;
	bw_text_printf(out, "%-9s", "scheduler");
	for (int c = 0; c < opinions->n_models + BW_N_OPINION_FIGURES; c++)
		bw_text_printf(out, " %8s ", bw_opinions_column(opinions, c));
	bw_text_puts(out, " kernels  seconds\n");
	for (int i = 0; i < opinions->n; i++)
		refused |= print_row(opinions, &opinions->list[i], out);
	for (int i = 0; i < opinions->n; i++)
		if (opinions->list[i].note)
			bw_text_printf(out, "%s: %s\n", opinions->list[i].name, opinions->list[i].note);
	bw_text_puts(out, "Costs by each model, in units of its best; ~: a tie with it.\n");
	if (opinions->measured_on)
		bw_text_printf(out, "Measured on %s.\n", opinions->measured_on);
	if (refused)
		bw_text_puts(out, "refused: the model's rules refuse a kernel, for which it has no cost of its own.\n");
}

static json_t *costs_json(const struct bw_opinions *opinions, const struct bw_opinion *opinion)
{
	json_t *costs = json_array();
	for (int c = 0; c < opinions->n_models + BW_N_OPINION_FIGURES; c++) {
		const struct bw_opinion_cost *cost = &opinion->costs[c];
		if (!isnan(cost->cost))
			json_array_append_new(
			    costs, json_pack("{s:s, s:s, s:f, s:o, s:i, s:b}", "model", bw_opinions_column(opinions, c),
					     "unit", unit_of(opinions, c), "cost", cost->cost, "of_best",
					     bw_json_real(cost->of_best), "refused_stages", cost->n_refused, "ties_with_best",
					     !cost->n_refused && has_tie(opinions, c, cost->of_best)));
	}
	return costs;
}

static json_t *kernels_json(const struct bw_opinions *opinions, const struct bw_opinion *opinion)
{
	json_t *kernels = json_array();
	for (int k = 0; k < opinion->n_kernels; k++) {
		json_t *costs = json_object();
		for (int m = 0; m < opinions->n_models; m++)
			json_object_set_new(costs, opinions->models[m]->name,
					    bw_json_real(opinion->kernel_costs[k * opinions->n_models + m]));
		json_array_append_new(kernels,
				      json_pack("{s:s, s:o}", "kernel", opinion->kernels[k], "costs", costs));
	}
	return kernels;
}

json_t *bw_opinions_json(const struct bw_opinions *opinions)
{
	json_t *rows = json_array();
	for (int i = 0; i < opinions->n; i++) {
		const struct bw_opinion *opinion = &opinions->list[i];
		BW_SCOPED_TEXT schedule = {0};
		if (opinion->schedule)
			bw_schedule_print(opinions->pipeline, opinion->schedule, &schedule);
		json_array_append_new(
		    rows, json_pack("{s:s, s:s, s:f, s:i, s:o, s:o, s:s*, s:s*, s:s*}", "scheduler", opinion->name,
				    "paper", opinion->paper, "seconds", opinion->seconds, "kernels", opinion->n_kernels,
				    "costs", costs_json(opinions, opinion), "per_kernel", kernels_json(opinions, opinion),
				    "note", opinion->note, "why_none", opinion->why, "schedule",
				    opinion->schedule ? bw_text_get(&schedule) : NULL));
	}
	return json_pack("{s:i, s:s, s:s, s:s*, s:o}", "beamwalk-opinions", 1, "pipeline",
			 opinions->pipeline->name, "gpu", opinions->options.device->name, "measured_on",
			 opinions->measured_on, "schedulers", rows);
}
