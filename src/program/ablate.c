/* Measures what each idea of the search contributes: runs every combination of them on and off with
 * several seeds. */
#include "program/ablate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "program/program.h"
#include "session/source.h"

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

/* Runs the searches of one variant, one per seed, up to the first that is not done. */
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
	enum bw_ablate_end end = BW_ABLATE_DONE;
	for (; row->n_runs < run->setup.seeds && end == BW_ABLATE_DONE; row->n_runs += end == BW_ABLATE_DONE) {
		options.seed = run->options.seed + (uint64_t)row->n_runs;
		snprintf(what, sizeof what, "%s %s, seed %d of %ld", ablation->pipeline, letters,
			 row->n_runs + 1, run->setup.seeds);
		struct bw_ablate_job job = {pipeline, &options, run->setup.limit_seconds, what, terminal, run->interrupts};
		end = bw_ablate_in_child(&job, &row->runs[row->n_runs], &row->error);
	}
	row->outcome = end == BW_ABLATE_DONE     ? BW_ABLATION_DONE
		       : end == BW_ABLATE_LATE   ? BW_ABLATION_LATE
		       : end == BW_ABLATE_FAILED ? BW_ABLATION_FAILED
						 : BW_ABLATION_NOT_RUN;
	if (row->outcome == BW_ABLATION_DONE)
		row->median = bw_ablated_median(row->runs, row->n_runs);
	return end != BW_ABLATE_STOPPED;
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
		run->interrupts = bw_ablate_hold_interrupts(error);
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
	struct bw_text text = {0};
	json_t *list = bw_source_list(&program->folders, NULL, true, &text, error)
			   ? json_loads(bw_text_get(&text), 0, NULL)
			   : NULL;
	bw_text_free(&text);
	return list;
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

/* Fails with the first search that failed, for the exit status; its results are reported anyway. */
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
	struct bw_text out = {0};
	run.papers = bw_published_read(program->layout.published, error);
	bool good = run.papers && setup_of(&run, error) && ablate_all(&run, error);
	if (good || run.stopped) {
		struct bw_error ignored;
		(program->arguments.json  ? bw_ablate_print_json
		 : program->arguments.csv ? bw_ablate_print_csv
					  : bw_ablate_print)(&run.setup, run.list, run.n, &out);
		good = bw_program_put(program, &out, good ? error : &ignored) && good && all_found(&run, error);
	}
	for (int i = 0; i < run.n; i++)
		bw_ablation_free(&run.list[i]);
	if (run.interrupts >= 0)
		close(run.interrupts);
	free(run.list);
	bw_published_free(run.papers);
	bw_text_free(&out);
	return good;
}
