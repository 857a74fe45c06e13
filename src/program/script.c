/* Runs a script of the command language. */
#include "program/program.h"

bool bw_program_script(struct bw_program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	bool at_start;
	if (!bw_program_at(program, &at_start, error) || !bw_program_open(program, error))
		return false;
	if (program->arguments.n_rest != 1)
		return bw_fail(error, BW_ERROR_USAGE, "script takes a pipeline and one file");
	bw_program_text(program);
	bw_program_flush(program);
	bool good = (at_start || bw_program_search(program->session, error)) &&
		    bw_session_run_file(program->session, program->arguments.rest[0], &out, error);
	struct bw_error ignored;
	bool written = bw_program_put(program, &out, good ? error : &ignored);
	bw_text_free(&out);
	return good && written;
}
