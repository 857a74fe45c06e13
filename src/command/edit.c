/* `edit`: the user edits the selected state's schedule as a text; the Funcs in the edited text are then held.
 * `copy`: copies the selection to the terminal's clipboard. */
#include "command/edit.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "base/say.h"
#include "command/report.h"
#include "session/part.h"

enum { TEXT_LIMIT = 4 << 20, NOT_FOUND = 127 };

/* The signals that the terminal's keys send to this process and the editor, and this process's
 * handlers for them while the editor runs. */
static const struct {
	int number;
	void (*handler)(int);
} keys[] = {{SIGINT, SIG_IGN}, {SIGQUIT, SIG_IGN}, {SIGTSTP, SIG_DFL}};
enum { N_KEYS = sizeof keys / sizeof *keys };

/* Runs in the new process: resets the signal handlers to what a program expects, and runs the editor. */
static void become(const struct bw_editing *editing, const char *path)
{
	struct bw_text line = {0};
	sigset_t none;
	bw_text_printf(&line, "%s \"$1\"", editing->command);
	for (int i = 0; i < N_KEYS; i++)
		signal(keys[i].number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", "-c", bw_text_get(&line), "sh", path, (char *)NULL);
	_exit(NOT_FOUND);
}

/* Runs the editor, and returns its exit status as from waitpid; -1 with errno. */
static int run(const struct bw_editing *editing, const char *path)
{
	struct sigaction before[N_KEYS];
	for (int i = 0; i < N_KEYS; i++) {
		struct sigaction action = {.sa_handler = keys[i].handler};
		sigemptyset(&action.sa_mask);
		sigaction(keys[i].number, &action, &before[i]);
	}
	pid_t child = bw_process_fork(0);
	if (child == 0)
		become(editing, path);
	int status = bw_process_reap(child);
	for (int i = 0; i < N_KEYS; i++)
		sigaction(keys[i].number, &before[i], NULL);
	return status;
}

static bool ended_well(const struct bw_editing *editing, int status, struct bw_error *error)
{
	if (status == -1)
		return bw_fail(error, BW_ERROR_FAILED, "the editor \"%s\" did not start: %s",
			       editing->command, strerror(errno));
	if (WIFSIGNALED(status))
		return bw_fail(error, BW_ERROR_FAILED, "the editor \"%s\" was ended by signal %d",
			       editing->command, WTERMSIG(status));
	if (WEXITSTATUS(status) == NOT_FOUND)
		return bw_fail(error, BW_ERROR_FAILED,
			       "no editor \"%s\"; VISUAL or EDITOR in the environment names another",
			       editing->command);
	return WEXITSTATUS(status) == 0 ||
	       bw_fail(error, BW_ERROR_FAILED, "the editor \"%s\" ended with status %d", editing->command,
		       WEXITSTATUS(status));
}

bool bw_edit_text(const struct bw_editing *editing, const char *suffix, struct bw_text *text,
		  struct bw_error *error)
{
	BW_SCOPED_TEXT edited = {0};
	BW_SCOPED_MEMORY char *path = bw_format("%s/beamwalk-XXXXXX%s", editing->folder, suffix);
	int file = mkstemps(path, (int)strlen(suffix));
	if (file < 0) {
		bw_fail(error, BW_ERROR_IO, "%s: a file to be edited cannot be made there: %s",
			editing->folder, strerror(errno));
		return false;
	}
	close(file);
	bool good = bw_file_write(path, bw_text_get(text), text->length, error) &&
		    ended_well(editing, run(editing, path), error) &&
		    bw_file_read(path, TEXT_LIMIT, &edited, error);
	if (good) {
		bw_text_clear(text);
		bw_text_append(text, bw_text_get(&edited), edited.length);
	}
	unlink(path);
	return good;
}

struct edited {
	struct bw_text text; /* the last edited text */
	bool open;           /* the text is not in force, so that the next `edit` begins with it */
	char *line;          /* its line in the journal, if the text was valid; else NULL */
};

static BW_PART_DATA(edited_of, struct edited, EDIT)

static void end(struct bw_session *session)
{
	bw_text_free(&edited_of(session)->text);
	free(edited_of(session)->line);
}

/* If the line that led to a conflict came from `edit`, makes the next `edit` begin with its text. */
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
	BW_SCOPED_TEXT place = {0};
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(bw_session_state(session)->nest);
	bw_session_decision_name(session, session->cursor, &place);
	bw_text_clear(text);
	bw_text_printf(
	    text,
	    "# State %d at %s. Every Func that stands here when the editor is left is held so, in one command; those taken out are free.\n",
	    session->selection.state + 1, bw_text_get(&place));
	bw_text_puts(text, "# Left as it is, it changes nothing. beamwalk-schedule(5) says what can be written.\n");
	bw_schedule_print(session->pipeline, schedule, text);
}

/* Puts the edited text into force. If the text cannot be read, the next `edit` begins with it. */
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

/* Lets the user edit the text. Returns false with an error if that fails. *same: the user left the text
 * unchanged. */
static bool edit(struct call *call, bool *same)
{
	struct edited *edited = edited_of(call->session);
	const struct bw_hooks *hooks = bw_session_hooks(call->session);
	BW_SCOPED_MEMORY char *before = bw_strdup(bw_text_get(&edited->text));
	bool good = hooks->edit(&edited->text, hooks->edit_data, call->error);
	*same = !strcmp(before, bw_text_get(&edited->text));
	return good;
}

bool bw_command_edit(struct call *call)
{
	struct edited *edited = edited_of(call->session);
	bool same, again = edited->open, new = !strcmp(call->rest, "new");
	if (*call->rest && !new)
		return bw_fail(call->error, BW_ERROR_USAGE, "edit, or edit new: not \"%s\"", call->rest);
	if (!bw_session_hooks(call->session)->edit)
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

/* Appends a command-line option for each text in a list of the facts, or for the only text. */
static void put_option(const json_t *facts, const char *key, const char *option, struct bw_text *out)
{
	const json_t *value = json_object_get(facts, key);
	for (size_t i = 0; i < (json_is_array(value) ? json_array_size(value) : value != NULL); i++) {
		bw_text_printf(out, " %s ", option);
		bw_text_quote(out, json_string_value(json_is_array(value) ? json_array_get(value, i) : value));
	}
}

/* Appends a command line that opens the explorer with the session's options and this schedule, all of it
 * held. */
static void put_command(struct bw_session *session, const struct bw_nest *nest, struct bw_text *out)
{
	json_auto_t *facts = bw_facts_of(session, nest);
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(nest);
	BW_SCOPED_TEXT line = {0};
	bw_text_puts(out, "beamwalk ");
	bw_text_quote(out, session->source.name);
	put_option(facts, "generator", "-g", out);
	put_option(facts, "arguments", "-G", out);
	put_option(facts, "estimates", "--estimate", out);
	put_option(facts, "target", "--target", out);
	put_option(facts, "device", "--gpu", out);
	put_option(facts, "options", "--set", out);
	bw_schedule_print_line(session->pipeline, schedule, &line);
	bw_text_puts(out, " --schedule ");
	bw_text_quote(out, bw_text_get(&line));
	bw_text_puts(out, "\n");
}

/* Appends the selected Func's line of a schedule. */
static bool put_line(struct call *call, const struct bw_nest *nest, struct bw_text *out)
{
	int func = call->session->selection.func;
	const struct bw_placed *placed = func < 0 ? NULL : nest->placed[func];
	if (!placed)
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "no Func is selected that is placed; `select FUNC` selects one");
	bw_placement_print(call->session->pipeline, placed->placement, out);
	bw_text_puts(out, "\n");
	return true;
}

bool bw_command_copy(struct call *call)
{
	static const char *const kinds[] = {"line", "schedule", "export", "command"};
	enum { LINE, SCHEDULE, EXPORT, COMMAND, N };
	struct bw_session *session = call->session;
	const struct bw_nest *nest = bw_session_state(session)->nest;
	int kind = *call->rest ? bw_word_find(kinds, N, call->rest, "thing to copy", call->error) : LINE;
	BW_SCOPED_TEXT text = {0};
	bool good = kind >= 0 && bw_call_may(call, "write to", "the clipboard");
	if (good && (kind == EXPORT || kind == COMMAND) && !bw_nest_complete(nest))
		good = bw_fail(call->error, BW_ERROR_FAILED, "the selected state is not complete; `run` goes to the end");
	if (!good)
		return false;
	if (kind == LINE)
		good = put_line(call, nest, &text);
	else if (kind == EXPORT)
		good = bw_report_export(session, nest, &(struct bw_report_form){0}, &text, call->error);
	else if (kind == COMMAND)
		put_command(session, nest, &text);
	else if (kind == SCHEDULE) {
		BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(nest);
		bw_schedule_print(session->pipeline, schedule, &text);
	}
	const struct bw_hooks *hooks = bw_session_hooks(session);
	good = good && (!hooks->copy || hooks->copy(&text, call->error));
	if (good && !hooks->copy && call->out)
		bw_text_append(call->out, text.bytes, text.length);
	if (good)
		bw_session_say(call, "sent the %s%s to the terminal's clipboard (OSC 52), %s; `copy schedule`, `copy export` and `copy command` copy more",
			       kind == LINE ? "line of " : kinds[kind],
			       kind == LINE ? session->pipeline->funcs[session->selection.func].name : "",
			       bw_say_bytes((double)text.length).text);
	return good;
}
