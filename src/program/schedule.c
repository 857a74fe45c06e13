#include <string.h>

#include "command/report.h"
#include "program/program.h"

/* Writes what all schedulers find, and what all cost models predict for it. */
static bool put_opinions(struct bw_program *program, struct bw_error *error)
{
	struct bw_text text = {0};
	bool json = program->arguments.json,
	     good = bw_session_run(program->session, "compare --all", json ? NULL : &text, error) &&
		    (!json || bw_session_run(program->session, "view --json opinions", &text, error)) &&
		    bw_program_put(program, &text, error);
	bw_text_free(&text);
	return good;
}

bool bw_program_schedule(struct bw_program *program, struct bw_error *error)
{
	const char *scheduler = program->arguments.scheduler;
	if (scheduler && !strcmp(scheduler, "all")) {
		program->arguments.scheduler = NULL;
		return bw_program_open(program, error) && put_opinions(program, error);
	}
	struct bw_text text = {0};
	bool good = bw_program_open(program, error) && bw_program_search(program->session, error);
	if (good) {
		const struct bw_state *state = bw_session_state(program->session);
		if (program->arguments.json)
			bw_report_json(program->session, state, &program->steps, &text);
		else
			bw_report_text(program->session, state, &program->steps, &text);
		good = bw_program_put(program, &text, error);
	}
	bw_text_free(&text);
	return good;
}
