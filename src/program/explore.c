#include "pipeline/hidden.h"
#include "program/program.h"
#ifdef BW_SCREEN
#include "ui/explore.h"
#endif

#ifdef BW_SCREEN
/* Sets the screen's options from the command line, by default from beamwalkrc. */
static void settle_screen(const struct bw_program *program, struct bw_explore_options *options)
{
	static const char *const colors[] = {NULL, "auto", "always", "never"};
	const int *settings = program->config.settings;
	options->color = program->arguments.color ? program->arguments.color : colors[settings[BW_SETTING_COLOR]];
	options->ascii = program->arguments.ascii || settings[BW_SETTING_ASCII] == 2;
	options->mouse = !program->arguments.no_mouse && settings[BW_SETTING_MOUSE] != 1;
	options->keymap = &program->config.keymap;
}

static bool explore(struct bw_program *program, bool tutorial, struct bw_error *error)
{
	struct bw_text said = {0};
	struct bw_explore_options options = {.tutorial = tutorial, .state_folder = program->layout.state, .editing = program->layout.editing};
	if (!bw_program_at(program, &options.at_start, error) || !bw_program_configure(program, error))
		return false;
	settle_screen(program, &options);
	if (tutorial)
		program->arguments.pipeline = "harris";
	bool good = bw_explore_check(error) && bw_program_open(program, error) && bw_program_resume(program, &said, error);
	options.resumes = program->arguments.resume;
	if (good) {
		bw_program_keep(program, options.resumes ? NULL : &said);
		if (!said.length)
			bw_pipeline_hidden_words(program->session->pipeline, &said);
		options.said = bw_text_get(&said);
		good = bw_explore(program->session, &options, error);
	}
	bw_text_free(&said);
	return good;
}
#else
static bool explore(struct bw_program *program, bool tutorial, struct bw_error *error)
{
	(void)program;
	(void)tutorial;
	return bw_fail(error, BW_ERROR_FAILED, "this beamwalk was built without a screen (ncurses and libedit); use schedule, time, script or repl");
}
#endif

bool bw_program_explore(struct bw_program *program, struct bw_error *error)
{
	return explore(program, false, error);
}

bool bw_program_tutorial(struct bw_program *program, struct bw_error *error)
{
	return explore(program, true, error);
}
