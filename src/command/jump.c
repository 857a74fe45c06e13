/* `jump`: goes to a point of the history. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"

/* One command further: a redo where the journal has it, else the line again. */
static bool go_on(struct call *call, int number)
{
	int done = bw_journal_done(call->session);
	if (done < call->session->n_journal && bw_journal_point(call->session, done) == number)
		return bw_session_redo(call);
	char *line = bw_strdup(bw_history_line(call->session, number));
	bool good = bw_session_run(call->session, line, NULL, call->error);
	bw_walking_finish(call->session);
	free(line);
	return good;
}

static bool read_number(struct call *call, int *number)
{
	int n_points = bw_session_n_points(call->session);
	char *end;
	long said = strtol(call->rest, &end, 10);
	*number = 0;
	if (!*call->rest || !strcmp(call->rest, "start"))
		return true;
	if (*end || said < 0 || said > n_points || (said && !bw_history_line(call->session, (int)said)))
		return bw_fail(
		    call->error, BW_ERROR_USAGE,
		    "no command \"%s\" in the history; there are 0, the beginning, to %d (`view history`)",
		    call->rest, n_points);
	*number = (int)said;
	return true;
}

/* A line that cannot be done again leaves the session before it. */
bool bw_command_jump(struct call *call)
{
	struct bw_session *session = call->session;
	struct call quiet = {.session = session, .line = "", .rest = "", .error = call->error};
	int number, n, same = 0;
	if (!read_number(call, &number))
		return false;
	int *way = bw_history_way(session, number, &n);
	while (same < n && same < bw_journal_done(session) && bw_journal_point(session, same) == way[same])
		same++;
	while (bw_journal_done(session) > same)
		bw_session_undo(&quiet);
	bool good = true;
	for (int i = same; i < n && good; i++)
		good = go_on(&quiet, way[i]);
	free(way);
	int reached = bw_session_point(session);
	if (!good)
		snprintf(session->message, sizeof session->message, "%.400s; at command %d of the history",
			 call->error->text, reached);
	else if (number)
		bw_session_say(call, "at command %d of the history: %.400s", number, bw_history_line(call->session, number));
	else
		bw_session_say(call, "at the beginning of the history");
	session->message_is_error = !good;
	return true;
}

