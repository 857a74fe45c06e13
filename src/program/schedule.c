#include "program/program.h"
#include "session/report.h"

static bool search_to_end(struct bw_session *session, struct bw_error *error)
{
	if (!bw_session_run(session, "run end", NULL, error))
		return false;
	while (bw_session_busy(session))
		bw_session_work(session, 60);
	if (session->message_is_error)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s", session->message);
	return true;
}

bool bw_program_schedule(struct bw_program *program, struct bw_error *error)
{
	struct bw_text text = {0};
	bool good = bw_program_open(program, error) && search_to_end(program->session, error);
	if (good) {
		const struct bw_state *state = bw_session_state(program->session);
		if (program->arguments.json)
			bw_report_json(program->session, state, &text);
		else
			bw_report_text(program->session, state, &text);
		good = bw_program_put(program, &text, error);
	}
	bw_text_free(&text);
	return good;
}
