/* Runs to a decision, the end of a pass, or until a cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "session/decisions.h"
#include "session/explain.h"

/* `cost<0.12`, `cost > 0.05`. */
static bool read_until(const char *text, struct bw_until *until)
{
	char *end;
	text += strlen("cost");
	text += strspn(text, " \t");
	if (*text != '<' && *text != '>')
		return false;
	*until = (struct bw_until){.active = true, .less = *text == '<'};
	text++;
	text += strspn(text, " \t");
	until->cost = strtod(text, &end);
	return end > text && !*end && until->cost > 0 && until->cost < 1e300;
}

static bool run_until(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_until until;
	if (!read_until(call->rest, &until))
		return bw_fail(
		    call->error, BW_ERROR_USAGE,
		    "run cost<NUMBER stops at a schedule that costs less, run cost>NUMBER where the best so far costs more; not \"%s\"",
		    call->rest);
	bool active;
	bw_session_set_until(session, &until);
	int found = bw_until_reached(session, session->cursor - 1, &active),
	    n = bw_session_n_decisions(session);
	bool there = found >= 0 || !active;
	char message[sizeof session->message];
	memcpy(message, session->message, sizeof message);
	struct call quiet = *call;
	quiet.out = NULL;
	if (!bw_session_move(&quiet, found >= 0 ? found : n))
		return false;
	until.active = !there;
	bw_session_set_until(session, &until);
	bw_session_say(call, "%s", there ? message : "running");
	return true;
}

/* `pass`, `pass 2`: to the end of this one or the next, or of one by its number. */
static bool run_pass(struct call *call, const char *number)
{
	const struct bw_session *session = call->session;
	const struct bw_pass pass = bw_explain_pass_at(session, session->cursor);
	int first = bw_explain_first_pass(session), last = bw_explain_passes(session);
	char *end = "";
	long given =
	    *number ? strtol(number, &end, 10) : pass.number + (pass.end == session->cursor);
	if (*end || given < first || (*number && given > last))
		return bw_fail(call->error, BW_ERROR_USAGE, "no pass %s; there are %d to %d", number, first, last);
	given = given > last ? last : given;
	return bw_session_move(call, bw_explain_pass_number(session, (int)given).end);
}

bool bw_command_run(struct call *call)
{
	int position;
	bool known = bw_pipeline_find(call->session->pipeline, call->rest) >= 0;
	if (!known && !strncmp(call->rest, "cost", 4) && strchr(" \t<>", call->rest[4]))
		return run_until(call);
	if (!known && !strncmp(call->rest, "pass", 4) && strchr(" \t", call->rest[4]))
		return run_pass(call, call->rest + 4 + strspn(call->rest + 4, " \t"));
	return bw_select_position(call->session, call->rest, &position, call->error) &&
	       bw_session_move(call, position);
}
