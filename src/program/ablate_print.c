/* Prints ablations as a table of at most 80 columns, as CSV and as JSON. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "program/ablate.h"

/* The values of a line of the table; NAN is blank. */
struct line {
	struct bw_ablated median;
	struct bw_compared compared;
};

struct column {
	const char *head[2];
	int width;  /* including the blank before it */
	int digits; /* most significant digits; 0: `places` after the point */
	int places;
	double scale;
	size_t offset; /* of a double in struct line */
};

#define MEDIAN(field) offsetof(struct line, median.field)
#define COMPARED(field) offsetof(struct line, compared.field)
static const struct column columns[] = {
	{{"", "STATES"}, 9, 0, 0, 1, MEDIAN(evaluated)},
	{{"of", "off %"}, 6, 0, 1, 1, COMPARED(states_percent)},
	{{"", "paper"}, 6, 0, 1, 1, COMPARED(paper_percent)},
	{{"SEARCH", "CPU s"}, 8, 3, 0, 1, MEDIAN(cpu_seconds)},
	{{"faster", "x"}, 7, 3, 0, 1, COMPARED(speedup)},
	{{"", "paper"}, 6, 3, 0, 1, COMPARED(paper_speedup)},
	{{"PEAK", "MB"}, 6, 3, 0, 1e-6, MEDIAN(peak_bytes)},
	{{"COST", ""}, 8, 4, 0, 1, MEDIAN(cost)},
	{{"of", "off x"}, 6, 0, 3, 1, COMPARED(cost)},
	{{"SEEDS", "x"}, 6, 0, 2, 1, COMPARED(spread)},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static void put_head(const char *unit, struct bw_text *out)
{
	for (int h = 0; h < 2; h++) {
		bw_text_printf(out, "%-*s", BW_N_SWITCHES, h ? "on" : "");
		for (int c = 0; c < N_COLUMNS; c++)
			bw_text_printf(out, "%*s", columns[c].width,
				       columns[c].offset == MEDIAN(cost) && h ? unit : columns[c].head[h]);
		bw_text_puts(out, "\n");
	}
}

static void put_line(unsigned variant, const struct line *line, struct bw_text *out)
{
	char letters[BW_N_SWITCHES + 1], cell[64];
	bw_variant_letters(variant, letters);
	bw_text_puts(out, letters);
	for (int c = 0; c < N_COLUMNS; c++) {
		double value = *(const double *)((const char *)line + columns[c].offset) * columns[c].scale;
		int places = columns[c].places;
		for (double next = fabs(value);
		     columns[c].digits && next < pow(10, columns[c].digits - 1) && next > 0; next *= 10)
			places++;
		snprintf(cell, sizeof cell, "%.*f", places, value);
		bw_text_printf(out, "%*s", columns[c].width, isnan(value) ? "" : cell);
	}
}

/* Removes blanks at the end of a line. */
static void end_line(struct bw_text *out)
{
	while (out->length && out->bytes[out->length - 1] == ' ')
		out->bytes[--out->length] = 0;
	bw_text_puts(out, "\n");
}

static struct bw_ablated nothing(void)
{
	return (struct bw_ablated){
#define X(field, key) .field = (double)NAN,
		BW_ABLATED_TABLE(X)
#undef X
	};
}

static void put_row(const struct bw_ablate_setup *setup, const struct bw_ablation *ablation, unsigned variant,
		    struct bw_text *out)
{
	const struct bw_ablation_row *row = &ablation->rows[variant];
	struct line line = {row->median, bw_ablation_compare(ablation, variant)};
	char letters[BW_N_SWITCHES + 1];
	bw_variant_letters(variant, letters);
	if (row->outcome == BW_ABLATION_DONE)
		put_line(variant, &line, out);
	else if (row->outcome == BW_ABLATION_LATE)
		bw_text_printf(out, "%s   not done in %ld s", letters, setup->limit_seconds);
	else
		bw_text_printf(out, "%s   %s", letters,
			       row->outcome == BW_ABLATION_FAILED ? row->error.text : "not run: stopped");
	end_line(out);
}

static void put_means(const struct bw_ablation *list, int n, struct bw_text *out)
{
	bw_text_printf(out, "geometric means, over all off; of the paper those over its 17 programs\n");
	for (unsigned v = BW_N_VARIANTS; v--;) {
		int n_of;
		struct line line = {nothing(), bw_ablation_mean(list, n, v, &n_of)};
		put_line(v, &line, out);
		if (n_of < n)
			bw_text_printf(out, "  %d of %d", n_of, n);
		end_line(out);
	}
}

/* Appends `S sampling, F freezing; ...`. */
static void put_letters(struct bw_text *out)
{
	char letters[BW_N_SWITCHES + 1];
	bw_variant_letters(BW_VARIANT_ALL_ON, letters);
	for (int s = 0; s < BW_N_SWITCHES; s++)
		bw_text_printf(out, "%s%c %s", s ? ", " : "", letters[s], bw_switch_name((enum bw_switch)s));
}

/* Returns the kind of freezing that is on. */
static const char *kind_of_freezing(const struct bw_settings *options)
{
	struct bw_settings on = *options;
	bw_variant_set(BW_VARIANT_ALL_ON, &on);
	return bw_freezing_name((enum bw_freezing)on.freezing);
}

void bw_ablate_print(const struct bw_ablate_setup *setup, const struct bw_ablation *list, int n,
		     struct bw_text *out)
{
	const struct bw_settings *options = setup->options;
	put_letters(out);
	bw_text_printf(out, "; - is off.\nMedians of %ld seed%s from %llu: %s, %s; beam %d, passes %d, freezing %s.\n",
		       setup->seeds, setup->seeds == 1 ? "" : "s", (unsigned long long)options->seed,
		       options->device->name, options->model->title, options->beam, bw_settings_passes(options),
		       kind_of_freezing(options));
	bw_text_puts(out, "Paper: Anderson et al. 2021, tables 1 and 3.\n\n");
	put_head(options->model->unit, out);
	for (int i = 0; i < n; i++) {
		bw_text_printf(out, "%s %s, %d Funcs\n", list[i].pipeline, list[i].size, list[i].n_funcs);
		for (unsigned v = BW_N_VARIANTS; v--;)
			put_row(setup, &list[i], v, out);
	}
	put_means(list, n, out);
}

static void csv_number(double value, struct bw_text *out)
{
	bw_text_puts(out, ",");
	if (!isnan(value))
		bw_text_printf(out, "%.9g", value);
}

static void csv_row(const struct bw_ablate_setup *setup, const struct bw_ablation *ablation, unsigned variant,
		    struct bw_text *out)
{
	const struct bw_settings *options = setup->options;
	const struct bw_ablation_row *row = &ablation->rows[variant];
	bool done = row->outcome == BW_ABLATION_DONE;
	struct bw_compared compared = bw_ablation_compare(ablation, variant);
	struct bw_ablated median = done ? row->median : nothing();
	bw_text_printf(out, "%s,%s,%d,%s,%s,%s,%d,%d,%s", ablation->pipeline, ablation->size,
		       ablation->n_funcs, options->device->name, options->model->name, options->model->unit,
		       options->beam, bw_settings_passes(options), kind_of_freezing(options));
	for (int s = 0; s < BW_N_SWITCHES; s++)
		bw_text_puts(out, bw_variant_has(variant, (enum bw_switch)s) ? ",true" : ",false");
	bw_text_printf(out, ",%s,%d", bw_ablation_outcome_name(row->outcome), row->n_runs);
#define X(field, key) csv_number(median.field, out);
	BW_ABLATED_TABLE(X)
#undef X
#define X(field, key) csv_number(compared.field, out);
	BW_COMPARED_TABLE(X)
#undef X
	bw_text_puts(out, "\n");
}

void bw_ablate_print_csv(const struct bw_ablate_setup *setup, const struct bw_ablation *list, int n,
			 struct bw_text *out)
{
	bw_text_puts(out, "pipeline,size,funcs,gpu,cost_model,cost_unit,beam,passes,kind_of_freezing");
	for (int s = 0; s < BW_N_SWITCHES; s++)
		bw_text_printf(out, ",%s", bw_switch_name((enum bw_switch)s));
	bw_text_puts(out, ",outcome,seeds");
#define X(field, key) bw_text_puts(out, "," key);
	BW_ABLATED_TABLE(X)
	BW_COMPARED_TABLE(X)
#undef X
	bw_text_puts(out, "\n");
	for (int i = 0; i < n; i++)
		for (unsigned v = BW_N_VARIANTS; v--;)
			csv_row(setup, &list[i], v, out);
}

static void set_number(json_t *object, const char *key, double value)
{
	if (isnan(value))
		json_object_set_new(object, key, json_null());
	else if (value == floor(value) && fabs(value) < 1e15)
		json_object_set_new(object, key, json_integer((json_int_t)value));
	else
		json_object_set_new(object, key, json_real(value));
}

static void set_figures(json_t *object, const struct bw_ablated *figures)
{
#define X(field, key) set_number(object, key, figures->field);
	BW_ABLATED_TABLE(X)
#undef X
}

static void set_compared(json_t *object, const struct bw_compared *compared)
{
#define X(field, key) set_number(object, key, compared->field);
	BW_COMPARED_TABLE(X)
#undef X
}

static json_t *json_variant(unsigned variant)
{
	json_t *object = json_object();
	for (int s = 0; s < BW_N_SWITCHES; s++)
		json_object_set_new(object, bw_switch_name((enum bw_switch)s),
				    json_boolean(bw_variant_has(variant, (enum bw_switch)s)));
	return object;
}

static json_t *json_row(const struct bw_ablation *ablation, unsigned variant)
{
	const struct bw_ablation_row *row = &ablation->rows[variant];
	json_t *object = json_variant(variant), *runs = json_array();
	struct bw_ablated median = row->outcome == BW_ABLATION_DONE ? row->median : nothing();
	struct bw_compared compared = bw_ablation_compare(ablation, variant);
	json_object_set_new(object, "outcome", json_string(bw_ablation_outcome_name(row->outcome)));
	if (row->outcome == BW_ABLATION_FAILED)
		json_object_set_new(object, "error", json_string(row->error.text));
	set_figures(object, &median);
	set_compared(object, &compared);
	for (int r = 0; r < row->n_runs; r++) {
		json_t *one = json_object();
		set_figures(one, &row->runs[r]);
		json_array_append_new(runs, one);
	}
	json_object_set_new(object, "runs", runs);
	return object;
}

static json_t *json_means(const struct bw_ablation *list, int n)
{
	json_t *means = json_array();
	for (unsigned v = BW_N_VARIANTS; v--;) {
		int n_of;
		struct bw_compared mean = bw_ablation_mean(list, n, v, &n_of);
		json_t *object = json_variant(v);
		json_object_set_new(object, "pipelines", json_integer(n_of));
		set_compared(object, &mean);
		json_array_append_new(means, object);
	}
	return means;
}

void bw_ablate_print_json(const struct bw_ablate_setup *setup, const struct bw_ablation *list, int n,
			  struct bw_text *out)
{
	const struct bw_settings *options = setup->options;
	json_t *pipelines = json_array(), *seeds = json_array();
	for (long s = 0; s < setup->seeds; s++)
		json_array_append_new(seeds, json_integer((json_int_t)(options->seed + (uint64_t)s)));
	for (int i = 0; i < n; i++) {
		json_t *variants = json_array();
		for (unsigned v = BW_N_VARIANTS; v--;)
			json_array_append_new(variants, json_row(&list[i], v));
		json_array_append_new(pipelines, json_pack("{s:s, s:s, s:i, s:o}", "pipeline", list[i].pipeline, "size", list[i].size, "funcs", list[i].n_funcs, "variants", variants));
	}
	json_t *all = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:o, s:I, s:o, s:o}",
				"beamwalk-ablation", 1, "version", PACKAGE_VERSION, "gpu", options->device->name, "cost_model", options->model->name, "cost_unit", options->model->unit, "kind_of_freezing", kind_of_freezing(options),
				"beam", options->beam, "passes", bw_settings_passes(options), "seeds", seeds, "time_limit_seconds", (json_int_t)setup->limit_seconds,
				"pipelines", pipelines, "geometric_means", json_means(list, n));
	bw_json_put_line(out, all, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
}
