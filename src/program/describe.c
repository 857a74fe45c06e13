#include "program/program.h"
#include "session/source.h"

bool bw_program_describe(struct bw_program *program, struct bw_error *error)
{
	struct bw_text text = {0};
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
	bool good =
	    bw_source_describe(&request, &program->folders, &program->places, &patience, &text, error) &&
	    bw_program_put(program, &text, error);
	struct bw_pipeline *pipeline =
	    good ? bw_pipeline_parse(arguments->pipeline, bw_text_get(&text), text.length, error) : NULL;
	if (pipeline)
		bw_program_warn(pipeline);
	bw_pipeline_free(pipeline);
	bw_text_free(&text);
	return good;
}
