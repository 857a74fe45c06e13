#include "program/program.h"
#include "session/source.h"

bool bw_program_pipelines(struct bw_program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	bool good = bw_source_list(&program->folders, program->arguments.pipeline, program->arguments.json,
				   &out, error) &&
		    bw_program_put(program, &out, error);
	bw_text_free(&out);
	return good;
}
