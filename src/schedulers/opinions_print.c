/* Opinions as a table, and as JSON. */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "schedulers/opinions.h"

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

void bw_opinions_cell(double of_best, char cell[16])
{
	if (isnan(of_best))
		snprintf(cell, 16, "-");
	else
		snprintf(cell, 16, of_best < 999.995 ? "%.2f" : "%.1e", of_best);
}

/* Returns true if any column has a figure for a row. */
static bool has_figures(const struct bw_opinions *opinions, const struct bw_opinion *opinion)
{
	bool any = opinion->schedule;
	for (int c = 0; c < opinions->n_models + BW_N_OPINION_FIGURES; c++)
		any |= !isnan(opinion->costs[c].cost);
	return any;
}

/* Appends a row. Returns true if a model refuses a kernel of it. */
static bool print_row(const struct bw_opinions *opinions, const struct bw_opinion *opinion,
		      struct bw_text *out)
{
	bool refused = false;
	bw_text_printf(out, "%-9s", opinion->name);
	if (!has_figures(opinions, opinion)) {
		bw_text_printf(out, " %s\n", opinion->why ? opinion->why : "not run yet");
		return false;
	}
	for (int c = 0; c < opinions->n_models + BW_N_OPINION_FIGURES; c++) {
		char cell[16];
		bw_opinions_cell(opinion->costs[c].of_best, cell);
		bw_text_printf(out, " %8s%s", cell, opinion->costs[c].n_refused ? "!" : " ");
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
	bw_text_puts(out, "Costs by each model, in units of its best.\n");
	if (opinions->measured_on)
		bw_text_printf(out, "Measured on %s.\n", opinions->measured_on);
	if (refused)
		bw_text_puts(out, "!: the model's rules refuse a kernel, for which it has no cost of its own.\n");
}

static json_t *costs_json(const struct bw_opinions *opinions, const struct bw_opinion *opinion)
{
	json_t *costs = json_array();
	for (int c = 0; c < opinions->n_models + BW_N_OPINION_FIGURES; c++) {
		const struct bw_opinion_cost *cost = &opinion->costs[c];
		if (!isnan(cost->cost))
			json_array_append_new(
			    costs, json_pack("{s:s, s:s, s:f, s:o, s:i}", "model", bw_opinions_column(opinions, c),
					     "unit", unit_of(opinions, c), "cost", cost->cost, "of_best",
					     bw_json_real(cost->of_best), "refused_stages", cost->n_refused));
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
		struct bw_text schedule = {0};
		if (opinion->schedule)
			bw_schedule_print(opinions->pipeline, opinion->schedule, &schedule);
		json_array_append_new(
		    rows, json_pack("{s:s, s:s, s:f, s:i, s:o, s:o, s:s*, s:s*, s:s*}", "scheduler", opinion->name,
				    "paper", opinion->paper, "seconds", opinion->seconds, "kernels", opinion->n_kernels,
				    "costs", costs_json(opinions, opinion), "per_kernel", kernels_json(opinions, opinion),
				    "note", opinion->note, "why_none", opinion->why, "schedule",
				    opinion->schedule ? bw_text_get(&schedule) : NULL));
		bw_text_free(&schedule);
	}
	return json_pack("{s:i, s:s, s:s, s:s*, s:o}", "beamwalk-opinions", 1, "pipeline",
			 opinions->pipeline->name, "gpu", opinions->options.device->name, "measured_on",
			 opinions->measured_on, "schedulers", rows);
}
