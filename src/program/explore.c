/* Opens the explorer, with the tutorial if the command says so. */

#include "program/program.h"
#ifdef BW_SCREEN
#include "ui/explore.h"
#endif

#ifdef BW_SCREEN
void bw_program_settle_screen(const struct bw_program *program, struct bw_explore_options *options)
{
	static const char *const colors[] = {NULL, "auto", "always", "never"};
	const int *settings = program->config.settings;
	options->color = program->arguments.color ? program->arguments.color : colors[settings[BW_SETTING_COLOR]];
	options->ascii = program->arguments.ascii || settings[BW_SETTING_ASCII] == 2;
	options->mouse = !program->arguments.no_mouse && settings[BW_SETTING_MOUSE] != 1;
	options->keymap = &program->config.keymap;
}

/* Lets the user choose a pipeline. Returns false with an error if none was chosen. */
static bool choose(struct bw_program *program, const struct bw_explore_options *options,
		   struct bw_error *error)
{
	BW_SCOPED_TEXT list = {0};
	if (bw_source_list(&program->folders, NULL, false, &list, error))
		program->chosen = bw_explore_choose(bw_text_get(&list), options, error);
	program->arguments.pipeline = program->chosen;
	return program->chosen;
}

static bool explore(struct bw_program *program, bool tutorial, struct bw_error *error)
{
	BW_SCOPED_TEXT said = {0};
	struct bw_explore_options options = {
	    .tutorial = tutorial, .state_folder = program->layout.state, .editing = program->layout.editing};
	if (!bw_program_at(program, &options.at_start, error) || !bw_program_configure(program, error))
		return false;
	bw_program_settle_screen(program, &options);
	if (tutorial)
		program->arguments.pipeline = "harris";
	bool good = bw_explore_check(error) && (program->arguments.pipeline || choose(program, &options, error)) &&
		    (options.at_start ? bw_program_open : bw_program_open_parts)(program, error) &&
		    bw_program_resume(program, &said, error);
	options.resumes = program->arguments.resume;
	if (good) {
		bw_program_keep(program, options.resumes ? NULL : &said);
		if (!said.length)
			bw_pipeline_hidden_words(program->session->pipeline, &said);
		if (!said.length)
			bw_program_parts_words(program, &said);
		options.said = bw_text_get(&said);
		good = bw_explore(program->session, &options, error);
		if (good && program->session->n_journal)
			fputs("beamwalk: the session is kept: the same command with --resume goes on with it\n", stderr);
	}
	return good;
}
#else
static bool explore(struct bw_program *program, bool tutorial, struct bw_error *error)
{
	(void)program;
	(void)tutorial;
	return bw_fail(
	    error, BW_ERROR_FAILED,
	    "this beamwalk was built without a screen (ncurses and libedit); use schedule, time, script or repl");
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
