#include <string.h>

#include "program/program.h"
#include "session/report.h"

/* Appends the steps of the scheduler as comments. */
static void put_steps(const struct bw_text *steps, struct bw_text *out)
{
	for (const char *line = bw_text_get(steps), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		bw_text_printf(out, "# %.*s\n", (int)(end - line), line);
	}
}

bool bw_program_schedule(struct bw_program *program, struct bw_error *error)
{
	struct bw_text text = {0};
	bool good = bw_program_open(program, error) && bw_program_search(program->session, error);
	if (good) {
		const struct bw_state *state = bw_session_state(program->session);
		if (program->arguments.json) {
			bw_report_json(program->session, state, &text);
		} else {
			bw_report_text(program->session, state, &text);
			put_steps(&program->steps, &text);
		}
		good = bw_program_put(program, &text, error);
	}
	bw_text_free(&text);
	return good;
}
