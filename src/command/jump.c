/* `jump`: goes to a point of the history. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"

/* One command further: a redo where the journal has it, else the line again. */
static bool go_on(struct call *call, int number)
{
	struct own *own = own_of(call->session);
	if (own->n_done < call->session->n_journal && own->entries[own->n_done].point == number)
		return bw_session_redo(call);
	char *line = bw_strdup(bw_history_line(call->session, number));
	bool good = bw_session_run(call->session, line, NULL, call->error);
	while (bw_walking(call->session))
		bw_walking_take(call->session, bw_routine_go(bw_walking_routine(call->session), INFINITY));
	free(line);
	return good;
}

static bool read_number(struct call *call, int *number)
{
	const struct own *own = own_of(call->session);
	char *end;
	long said = strtol(call->rest, &end, 10);
	*number = 0;
	if (!*call->rest || !strcmp(call->rest, "start"))
		return true;
	if (*end || said < 0 || said > own->n_points || (said && !bw_history_line(call->session, (int)said)))
		return bw_fail(
		    call->error, BW_ERROR_USAGE,
		    "no command \"%s\" in the history; there are 0, the beginning, to %d (`view history`)",
		    call->rest, own->n_points);
	*number = (int)said;
	return true;
}

/* A line that cannot be done again leaves the session before it. */
bool bw_command_jump(struct call *call)
{
	struct bw_session *session = call->session;
	struct own *own = own_of(session);
	struct call quiet = {.session = session, .line = "", .rest = "", .error = call->error};
	int number, n, same = 0;
	if (!read_number(call, &number))
		return false;
	int *way = bw_history_way(own, number, &n);
	while (same < n && same < own->n_done && own->entries[same].point == way[same])
		same++;
	while (own->n_done > same)
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

