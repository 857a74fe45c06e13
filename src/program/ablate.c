/* Measures what each idea of the search contributes: runs every combination of them on and off with
 * several seeds. */
#include "program/ablate.h"

#include <config.h>
#include <math.h>
#include <unistd.h>

#include "program/program.h"

/* Prints ablations as a table of at most 80 columns, as CSV and as JSON. */

/* The values of a row of the table; NAN is printed as a blank. */
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

/* Appends the legend of the letters: `S sampling, F freezing; ...`. */
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

static void ablate_print(const struct bw_ablate_setup *setup, const struct bw_ablation *list, int n,
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

static void ablate_print_csv(const struct bw_ablate_setup *setup, const struct bw_ablation *list, int n,
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

static void ablate_print_json(const struct bw_ablate_setup *setup, const struct bw_ablation *list, int n,
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

enum { SEEDS = 5, LIMIT_SECONDS = 600, MOST_SEEDS = 1000, MOST_SECONDS = 7 * 24 * 3600 };

/* The state of a run of the command. */
struct run {
	struct bw_program *program;
	struct bw_settings options;
	struct bw_ablate_setup setup;
	int n;
	struct bw_ablation *list;
	struct bw_published *papers;
	int interrupts; /* -1: ^C ends the process, because no results could be lost yet */
	bool stopped;
};

static bool setup_of(struct run *run, struct bw_error *error)
{
	const struct bw_arguments *arguments = &run->program->arguments;
	run->setup = (struct bw_ablate_setup){&run->options, SEEDS, LIMIT_SECONDS};
	if (!bw_program_options(run->program, &run->options, error))
		return false;
	if (arguments->json && arguments->csv)
		return bw_fail(error, BW_ERROR_USAGE, "--json or --csv, not both");
	if (run->options.random)
		return bw_fail(error, BW_ERROR_USAGE, "ablate compares searches by cost, so it does not take --random");
	if (arguments->schedule)
		return bw_fail(error, BW_ERROR_USAGE,
			       "ablate searches for whole schedules, so it does not take --schedule");
	if ((arguments->n_rest || !arguments->pipeline) &&
	    (arguments->generator || arguments->n_generator_args || arguments->n_estimates))
		return bw_fail(error, BW_ERROR_USAGE, "-g, -G and --estimate are for one pipeline, given by name");
	return bw_arguments_number(arguments->seeds, "seeds", 1, MOST_SEEDS, &run->setup.seeds, error) &&
	       bw_arguments_number(arguments->time_limit, "time-limit", 1, MOST_SECONDS,
				   &run->setup.limit_seconds, error);
}

/* Runs the searches of one variant, one per seed. Stops at the first search that fails or is interrupted. */
static bool measure_row(struct run *run, const struct bw_pipeline *pipeline, struct bw_ablation *ablation,
			unsigned variant)
{
	struct bw_ablation_row *row = &ablation->rows[variant];
	struct bw_settings options = run->options;
	char letters[BW_N_SWITCHES + 1], what[160];
	bool terminal = isatty(STDERR_FILENO);
	bw_variant_letters(variant, letters);
	bw_variant_set(variant, &options);
	row->runs = BW_NEW_ARRAY(struct bw_ablated, run->setup.seeds);
	row->outcome = BW_ABLATION_DONE;
	while (row->n_runs < run->setup.seeds && row->outcome == BW_ABLATION_DONE) {
		options.seed = run->options.seed + (uint64_t)row->n_runs;
		snprintf(what, sizeof what, "%s %s, seed %d of %ld", ablation->pipeline, letters,
			 row->n_runs + 1, run->setup.seeds);
		struct bw_ablate_job job = {pipeline, &options, run->setup.limit_seconds, what, terminal, run->interrupts};
		row->outcome = bw_ablate_in_child(&job, &row->runs[row->n_runs], &row->error);
		row->n_runs += row->outcome == BW_ABLATION_DONE;
	}
	if (row->outcome == BW_ABLATION_DONE)
		row->median = bw_ablated_median(row->runs, row->n_runs);
	return row->outcome != BW_ABLATION_NOT_RUN;
}

/* Reports a row on standard error. */
static void say_row(const struct run *run, const struct bw_ablation *ablation, unsigned variant)
{
	const struct bw_ablation_row *row = &ablation->rows[variant];
	char letters[BW_N_SWITCHES + 1];
	double seconds = 0;
	bw_variant_letters(variant, letters);
	for (int r = 0; r < row->n_runs; r++)
		seconds += row->runs[r].wall_seconds;
	if (row->outcome == BW_ABLATION_DONE)
		fprintf(stderr, "beamwalk: %s %s: %d %s in %.1f s\n", ablation->pipeline, letters,
			row->n_runs, row->n_runs == 1 ? "search" : "searches", seconds);
	else if (row->outcome == BW_ABLATION_LATE)
		fprintf(stderr, "beamwalk: %s %s: not done in %ld s\n", ablation->pipeline, letters,
			run->setup.limit_seconds);
	else
		fprintf(stderr, "beamwalk: %s %s: %s\n", ablation->pipeline, letters, row->error.text);
}

static bool ablate(struct run *run, const char *name, struct bw_error *error)
{
	struct bw_source_request request;
	if (!bw_program_source(run->program, run->options.device, &request, error))
		return false;
	request.pipeline = name;
	struct bw_patience patience = {120, NULL};
	struct bw_source source;
	struct bw_pipeline *pipeline = bw_source_open(&request, &run->program->folders, &run->program->places,
						      &patience, &source, error);
	if (!pipeline)
		return false;
	struct bw_ablation *ablation = &run->list[run->n++];
	*ablation = (struct bw_ablation){.pipeline = bw_strdup(pipeline->name),
					 .size = bw_strdup(source.size),
					 .n_funcs = pipeline->n_funcs};
	ablation->papers = run->papers;
	ablation->published = !run->program->arguments.n_generator_args && !run->program->arguments.n_estimates;
	if (run->interrupts < 0)
		run->interrupts = bw_program_interrupts(false, error);
	bool held = run->interrupts >= 0, good = held;
	for (unsigned v = BW_N_VARIANTS; v-- && good;) {
		good = measure_row(run, pipeline, ablation, v);
		if (good)
			say_row(run, ablation, v);
	}
	run->stopped = held && !good;
	bw_pipeline_free(pipeline);
	bw_source_free(&source);
	return good || (held && bw_fail(error, BW_ERROR_STOPPED, "stopped"));
}

/* Returns the names of the bundled pipelines, or NULL with an error. */
static json_t *bundled(const struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	return bw_source_list(&program->folders, NULL, true, &text, error)
		   ? json_loads(bw_text_get(&text), 0, NULL)
		   : NULL;
}

static bool ablate_all(struct run *run, struct bw_error *error)
{
	const struct bw_arguments *arguments = &run->program->arguments;
	json_t *list = NULL;
	if (!arguments->pipeline && !(list = bundled(run->program, error)))
		return false;
	int n = list ? (int)json_array_size(list) : 1 + arguments->n_rest;
	run->list = BW_NEW_ARRAY(struct bw_ablation, n);
	bool good = true;
	for (int i = 0; i < n && good; i++)
		good =
		    ablate(run,
			   list ? json_string_value(json_object_get(json_array_get(list, (size_t)i), "name"))
			   : i  ? arguments->rest[i - 1]
				: arguments->pipeline,
			   error);
	json_decref(list);
	return good;
}

/* Returns false with the error of the first search that failed, which sets the exit status. The results of
 * the other searches are reported anyway. */
static bool all_found(const struct run *run, struct bw_error *error)
{
	for (int i = 0; i < run->n; i++)
		for (int v = BW_N_VARIANTS; v--;)
			if (run->list[i].rows[v].outcome == BW_ABLATION_FAILED) {
				*error = run->list[i].rows[v].error;
				return bw_fail_in(error, "%s", run->list[i].pipeline);
			}
	return true;
}

bool bw_program_ablate(struct bw_program *program, struct bw_error *error)
{
	struct run run = {.program = program, .interrupts = -1};
	BW_SCOPED_TEXT out = {0};
	run.papers = bw_published_read(program->layout.published, error);
	bool good = run.papers && setup_of(&run, error) && ablate_all(&run, error);
	if (good || run.stopped) {
		struct bw_error ignored;
		(program->arguments.json  ? ablate_print_json
		 : program->arguments.csv ? ablate_print_csv
					  : ablate_print)(&run.setup, run.list, run.n, &out);
		good = bw_program_put(program, &out, good ? error : &ignored) && good && all_found(&run, error);
	}
	for (int i = 0; i < run.n; i++)
		bw_ablation_free(&run.list[i]);
	if (run.interrupts >= 0)
		close(run.interrupts);
	free(run.list);
	bw_published_free(run.papers);
	return good;
}
