#include "command/report.h"
#include "program/program.h"

bool bw_program_schedule(struct bw_program *program, struct bw_error *error)
{
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
