/* Runs one line of the command language. */

#include "session/command_table.h"
#include "session/core.h"

/* The table of commands, and the lookup of a command by its name or an unambiguous beginning of it. */

static const struct bw_command commands[] = {
#define X(name, function, arguments, key, help, journaled) {name, arguments, key, help, journaled},
    BW_COMMAND_TABLE(X)
#undef X
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

const struct bw_command *bw_commands(int *n)
{
	*n = N_COMMANDS;
	return commands;
}

static bool fail_unknown(const char *name, size_t length, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *unknown = bw_format("%.*s", (int)length, name);
	const char *value = name + length + strspn(name + length, " \t=");
	if (bw_setting_find(unknown, length, NULL))
		return bw_fail(error, BW_ERROR_USAGE, "no command \"%s\", but an option: set %s=%.100s", unknown, unknown,
			       *value ? value : "VALUE");
	BW_SCOPED_SUGGESTION known = {.unknown = unknown};
	for (int i = 0; i < N_COMMANDS; i++)
		bw_suggestion_add(&known, commands[i].name);
	return bw_fail(error, BW_ERROR_USAGE, "no command \"%s\"; %s", unknown, bw_suggestion_say(&known, "`help` lists them"));
}

/* Returns the index in the table of the command `name`, or of the only one that begins with it; -1
 * with an error otherwise. */
static int command_number(const char *name, size_t length, struct bw_error *error)
{
	int found = -1, n = 0;
	BW_SCOPED_TEXT candidates = {0};
	for (int i = 0; i < N_COMMANDS; i++) {
		const char *known = commands[i].name;
		if (strncmp(known, name, length))
			continue;
		bw_text_printf(&candidates, " %s", known);
		if (strlen(known) == length)
			return i;
		found = i;
		n++;
	}
	if (n > 1)
		bw_fail(error, BW_ERROR_USAGE, "\"%.*s\" could be%s", (int)length, name, bw_text_get(&candidates));
	else if (!n && error)
		fail_unknown(name, length, error);
	return n == 1 ? found : -1;
}

const struct bw_command *bw_command_find(const char *name, size_t length)
{
	int index = command_number(name, length, NULL);
	return index < 0 ? NULL : &commands[index];
}

bool bw_session_knows(const char *line, struct bw_error *error)
{
	return command_number(line, strcspn(line, " \t"), error) >= 0;
}

int bw_word_find(const char *const *words, int n, const char *given, const char *what, struct bw_error *error)
{
	int found = -1, matches = 0;
	size_t length = strlen(given);
	BW_SCOPED_TEXT close = {0};
	BW_SCOPED_SUGGESTION known = {.unknown = given};
	for (int i = 0; i < n; i++) {
		bw_suggestion_add(&known, words[i]);
		if (strncmp(words[i], given, length) || !length)
			continue;
		bw_text_printf(&close, " %s", words[i]);
		found = i;
		matches++;
		if (!words[i][length]) {
			matches = 1;
			break;
		}
	}
	if (matches > 1)
		bw_fail(error, BW_ERROR_USAGE, "%s \"%s\" could be%s", what, given, bw_text_get(&close));
	else if (!matches)
		bw_fail(error, BW_ERROR_USAGE, "no %s \"%s\"; %s", what, given, bw_suggestion_say(&known, NULL));
	return matches == 1 ? found : -1;
}

bool bw_call_may(struct call *call, const char *does, const char *what)
{
	const struct own *own = own_of(call->session);
	return !own->untrusted ||
	       bw_fail(call->error, BW_ERROR_INPUT,
		       "a loaded session asks first: it would %s %s; `load --trust FILE` lets it", does,
		       what);
}

/* Refuses arguments for a command that takes none: `quit now` may have meant another command. */
static bool accepts_rest(const struct bw_command *command, const char *rest, struct bw_error *error)
{
	return *command->arguments || !*rest ||
	       bw_fail(error, BW_ERROR_USAGE, "%s takes nothing after it, not \"%s\"", command->name, rest);
}

bool bw_call_run(struct call *call)
{
	int n, index = command_number(call->line, strcspn(call->line, " \t"), call->error);
	return index >= 0 && accepts_rest(&bw_commands(&n)[index], call->rest, call->error) &&
	       own_of(call->session)->functions[index](call);
}

bool bw_session_run(struct bw_session *session, const char *line, struct bw_text *out, struct bw_error *error)
{
	struct bw_error local = {0};
	if (!error)
		error = &local;
	BW_SCOPED_MEMORY char *copy = bw_strdup(line);
	char *text = bw_trim(copy);
	if (!*text || *text == '#') {
		if (own_of(session)->replays)
			bw_parts_comment(session, text);
		return true;
	}
	size_t length = strcspn(text, " \t");
	const char *rest = text + length + strspn(text + length, " \t");
	session->message[0] = session->warning[0] = 0;
	session->message_is_error = false;
	bw_session_remember_state(session);
	struct call call = {session, text, rest, out, error};
	bool good = bw_call_run(&call);
	if (!good)
		bw_session_tell(session, true, "%.500s", error->text);
	bw_session_touch(session);
	bw_parts_settled(session);
	return good;
}
