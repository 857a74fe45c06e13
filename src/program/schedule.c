#include <stdlib.h>
#include <string.h>

#include "command/report.h"
#include "program/program.h"
#include "schedulers/opinions.h"

/* Writes what all schedulers find, and what all cost models predict for it. */
static bool put_opinions(struct bw_program *program, struct bw_error *error)
{
	const struct bw_session *session = program->session;
	struct bw_opinions opinions = bw_opinions_of(session->pipeline, &session->options);
	struct bw_text text = {0};
	if (program->arguments.json) {
		json_t *json = bw_opinions_json(&opinions, session->pipeline, &session->options);
		char *words = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
		bw_text_printf(&text, "%s\n", words);
		free(words);
		json_decref(json);
	} else {
		bw_opinions_print(&opinions, &text);
	}
	bool good = bw_program_put(program, &text, error);
	bw_text_free(&text);
	bw_opinions_free(&opinions);
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
