/* Prints a pipeline's description, or its generator's own schedule; lists the bundled pipelines. */

#include "program/program.h"

/* Appends the schedule that was read back from the generator. Above it, as comments, appends the
 * directives that the text form cannot express. Returns the number of these directives. */
static int put_schedule(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule,
			const struct bw_text *unsaid, struct bw_text *out)
{
	int n = 0;
	bw_text_printf(out, "# %s schedule that the generator has by hand for a GPU, as `beamwalk describe %s --hand` reads it.\n",
		       unsaid->length ? "Partial: the nearest to the" : "The", pipeline->name);
	for (const char *line = bw_text_get(unsaid); *line; line += strcspn(line, "\n") + 1, n++) {
		bw_text_printf(out, "# no word for: %.*s\n", (int)strcspn(line, "\n"), line);
		fprintf(stderr, "beamwalk: no word for: %.*s\n", (int)strcspn(line, "\n"), line);
	}
	bw_schedule_print(pipeline, schedule, out);
	return n;
}

/* Writes the handwritten schedule of the generator. */
static bool write_hand(struct bw_program *program, const struct bw_source_request *request,
		       const struct bw_patience *patience, struct bw_error *error)
{
	struct bw_source source;
	BW_SCOPED_TEXT record = {0}, unsaid = {0}, out = {0};
	struct bw_pipeline *pipeline =
	    bw_source_open(request, &program->folders, &program->places, patience, &source, error);
	if (!pipeline)
		return false;
	bool good = source.compilable
			? bw_generator_hand(&source.generator, &program->places, patience, &record, error)
			: bw_fail(error, BW_ERROR_HALIDE,
				  "%s is only described: what schedule its generator has by hand is not known", source.name);
	struct bw_schedule *schedule =
	    good ? bw_hand_read(pipeline, source.name, bw_text_get(&record), record.length, &unsaid, error) : NULL;
	int n = schedule ? put_schedule(pipeline, schedule, &unsaid, &out) : 0;
	good = schedule && bw_program_put(program, &out, error) &&
	       (!n || bw_fail(error, BW_ERROR_PARTIAL,
			      "%s: the schedule is the nearest to that by hand: %d of its directives %s no word in the text form",
			      source.name, n, n == 1 ? "has" : "have"));
	bw_schedule_drop(schedule);
	bw_pipeline_free(pipeline);
	bw_source_free(&source);
	return good;
}

bool bw_program_describe(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	const struct bw_arguments *arguments = &program->arguments;
	if (!arguments->pipeline)
		return bw_fail(error, BW_ERROR_USAGE,
			       "describe: no pipeline given; `beamwalk pipelines` lists the bundled ones");
	struct bw_source_request request;
	struct bw_settings options;
	if (!bw_program_options(program, &options, error) ||
	    !bw_program_source(program, options.device, &request, error))
		return false;
	struct bw_patience patience = {120, NULL};
	if (arguments->hand)
		return write_hand(program, &request, &patience, error);
	struct bw_ticker ticker;
	bw_ticker_begin(&ticker, "describing the pipeline");
	bool good = bw_source_describe(&request, &program->folders, &program->places, &patience, &text, error);
	bw_ticker_end(&ticker);
	good = good && bw_program_put(program, &text, error);
	struct bw_pipeline *pipeline =
	    good ? bw_pipeline_parse(arguments->pipeline, bw_text_get(&text), text.length, error) : NULL;
	if (pipeline)
		bw_program_warn(pipeline);
	bw_pipeline_free(pipeline);
	return good;
}

bool bw_program_pipelines(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	return bw_source_list(&program->folders, program->arguments.pipeline, program->arguments.json, &out,
			      error) &&
	       bw_program_put(program, &out, error);
}
