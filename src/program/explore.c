#include <string.h>

#include "program/program.h"
#ifdef BW_SCREEN
#include "ui/explore.h"
#endif

static bool explore(struct bw_program *program, bool tutorial, struct bw_error *error)
{
#ifdef BW_SCREEN
	struct bw_explore_options options = {.color = program->arguments.color, .ascii = program->arguments.ascii, .mouse = !program->arguments.no_mouse, .tutorial = tutorial, .state_folder = program->layout.state};
	if (!bw_program_at(program, &options.at_start, error))
		return false;
	if (tutorial)
		program->arguments.pipeline = "harris";
	return bw_explore_check(error) && bw_program_open(program, error) && bw_explore(program->session, &options, error);
#else
	(void)program;
	(void)tutorial;
	return bw_fail(error, BW_ERROR_FAILED, "this beamwalk was built without a screen (ncurses and libedit); `schedule`, `time` and `script` are there");
#endif
}


bool bw_program_explore(struct bw_program *program, struct bw_error *error)
{
	return explore(program, false, error);
}

bool bw_program_tutorial(struct bw_program *program, struct bw_error *error)
{
	return explore(program, true, error);
}
