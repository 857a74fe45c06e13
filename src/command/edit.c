/* The selected state's schedule as a text that the user edits; what stands in it then is held. */
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"

void bw_session_set_editor(struct bw_session *session, bw_session_edit *edit, void *data)
{
	own_of(session)->edit = edit;
	own_of(session)->edit_data = data;
}

void bw_edited_end(struct own *own)
{
	bw_text_free(&own->edited.text);
	free(own->edited.line);
}

void bw_edited_taken_back(struct own *own, const char *line)
{
	own->edited.open |= own->edited.line && !strcmp(own->edited.line, line);
}

static void offer(struct bw_session *session, struct bw_text *text)
{
	struct bw_text place = {0};
	struct bw_schedule *schedule = bw_nest_schedule(bw_session_state(session)->nest);
	bw_session_decision_name(session, session->cursor, &place);
	bw_text_clear(text);
	bw_text_printf(
	    text,
	    "# State %d at %s. Every Func that stands here when the editor is left is held so, in one command; those taken out are free.\n",
	    session->selection.state + 1, bw_text_get(&place));
	bw_text_puts(text, "# Left as it is, it changes nothing. beamwalk-schedule(5) says what can be written.\n");
	bw_schedule_print(session->pipeline, schedule, text);
	bw_schedule_drop(schedule);
	bw_text_free(&place);
}

/* Puts a text in force. Where it does not read, the next `edit` begins with it. */
static bool put(struct call *call)
{
	struct bw_session *session = call->session;
	struct own *own = own_of(session);
	struct bw_schedule *schedule = bw_schedule_take(session, "edit", &own->edited.text, call->error);
	own->edited.open = !schedule;
	if (!schedule) {
		struct bw_error error = *call->error;
		return bw_fail(call->error, error.kind, "%.400s; `edit` goes on with the text", error.text);
	}
	free(own->edited.line);
	own->edited.line = bw_schedule_apply(call, schedule, "edited");
	bw_schedule_drop(schedule);
	return true;
}

/* Has the text edited. Returns false with an error where that was not so. *same: it was left as it
 * was. */
static bool edit(struct call *call, bool *same)
{
	struct own *own = own_of(call->session);
	char *before = bw_strdup(bw_text_get(&own->edited.text));
	bool good = own->edit(&own->edited.text, own->edit_data, call->error);
	*same = !strcmp(before, bw_text_get(&own->edited.text));
	free(before);
	return good;
}

bool bw_command_edit(struct call *call)
{
	struct own *own = own_of(call->session);
	bool same, again = own->edited.open, new = !strcmp(call->rest, "new");
	if (*call->rest && !new)
		return bw_fail(call->error, BW_ERROR_USAGE, "edit, or edit new: not \"%s\"", call->rest);
	if (!own->edit)
		return bw_fail(
		    call->error, BW_ERROR_FAILED,
		    "edit needs a terminal; `save-schedule FILE` writes the schedule, and `apply FILE` takes one");
	if (!again || new)
		offer(call->session, &own->edited.text);
	own->edited.open = again && !new;
	if (!edit(call, &same))
		return false;
	if (!same || own->edited.open)
		return put(call);
	bw_session_say(call, "nothing was edited: nothing is changed");
	return true;
}
