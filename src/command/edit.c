/* The selected state's schedule as a text that the user edits; the Funcs in the edited text are then
 * held. */
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "session/part.h"

struct edited {
	struct bw_text text; /* the text edited last */
	bool open;           /* it is not in force: the next `edit` begins with it */
	char *line;          /* of the journal, if the text was in order; else NULL */
	bw_session_edit *edit; /* NULL: there is no terminal for an editor */
	void *edit_data;
};

static struct edited *edited_of(const struct bw_session *session)
{
	return bw_part_data(session, BW_PART_EDIT);
}

void bw_session_set_editor(struct bw_session *session, bw_session_edit *edit, void *data)
{
	edited_of(session)->edit = edit;
	edited_of(session)->edit_data = data;
}

static void end(struct bw_session *session)
{
	bw_text_free(&edited_of(session)->text);
	free(edited_of(session)->line);
}

/* Offers the text again if it was the line that came to a conflict. */
static void taken_back(struct bw_session *session, const char *line)
{
	struct edited *edited = edited_of(session);
	edited->open |= edited->line && !strcmp(edited->line, line);
}

const struct bw_session_part bw_part_edit = {
    .size = sizeof(struct edited),
    .taken_back = taken_back,
    .end = end,
};

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

/* Puts a text into force. If it cannot be read, the next `edit` begins with it. */
static bool put(struct call *call)
{
	struct bw_session *session = call->session;
	struct edited *edited = edited_of(session);
	struct bw_schedule *schedule = bw_schedule_take(session, "edit", &edited->text, call->error);
	edited->open = !schedule;
	if (!schedule) {
		struct bw_error error = *call->error;
		return bw_fail(call->error, error.kind, "%.400s; `edit` goes on with the text", error.text);
	}
	free(edited->line);
	edited->line = bw_schedule_apply(call, schedule, "edited");
	bw_schedule_drop(schedule);
	return true;
}

/* Has the text edited. Returns false with an error if that fails. *same: it was left unchanged. */
static bool edit(struct call *call, bool *same)
{
	struct edited *edited = edited_of(call->session);
	char *before = bw_strdup(bw_text_get(&edited->text));
	bool good = edited->edit(&edited->text, edited->edit_data, call->error);
	*same = !strcmp(before, bw_text_get(&edited->text));
	free(before);
	return good;
}

bool bw_command_edit(struct call *call)
{
	struct edited *edited = edited_of(call->session);
	bool same, again = edited->open, new = !strcmp(call->rest, "new");
	if (*call->rest && !new)
		return bw_fail(call->error, BW_ERROR_USAGE, "edit, or edit new: not \"%s\"", call->rest);
	if (!edited->edit)
		return bw_fail(
		    call->error, BW_ERROR_FAILED,
		    "edit needs a terminal; `save-schedule FILE` writes the schedule, and `apply FILE` takes one");
	if (!again || new)
		offer(call->session, &edited->text);
	edited->open = again && !new;
	if (!edit(call, &same))
		return false;
	if (!same || edited->open)
		return put(call);
	bw_session_say(call, "nothing was edited: nothing is changed");
	return true;
}
