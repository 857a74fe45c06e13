/* Runs one line of the command language. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/core.h"

bool bw_call_may(struct call *call, const char *does, const char *what)
{
	const struct own *own = own_of(call->session);
	return !own->untrusted ||
	       bw_fail(call->error, BW_ERROR_INPUT,
		       "a loaded session asks first: it would %s %s; `load --trust FILE` lets it", does,
		       what);
}

/* A command without arguments refuses what stands after it: `quit now` may have meant another. */
static bool accepts_rest(const struct bw_command *command, const char *rest, struct bw_error *error)
{
	return *command->arguments || !*rest ||
	       bw_fail(error, BW_ERROR_USAGE, "%s takes nothing after it, not \"%s\"", command->name, rest);
}

static char *trimmed(const char *line)
{
	while (isspace((unsigned char)*line))
		line++;
	char *copy = bw_strdup(line);
	size_t length = strlen(copy);
	while (length && isspace((unsigned char)copy[length - 1]))
		copy[--length] = 0;
	return copy;
}

bool bw_call_run(struct call *call)
{
	int n, index = bw_command_number(call->line, strcspn(call->line, " \t"), call->error);
	return index >= 0 && accepts_rest(&bw_commands(&n)[index], call->rest, call->error) &&
	       own_of(call->session)->functions[index](call);
}

bool bw_session_run(struct bw_session *session, const char *line, struct bw_text *out, struct bw_error *error)
{
	struct bw_error local = {0};
	if (!error)
		error = &local;
	char *text = trimmed(line);
	if (!*text || *text == '#') {
		if (own_of(session)->replays)
			bw_parts_comment(session, text);
		free(text);
		return true;
	}
	size_t length = strcspn(text, " \t");
	const char *rest = text + length + strspn(text + length, " \t");
	session->message[0] = session->warning[0] = 0;
	session->message_is_error = false;
	bw_shown_remember(session);
	struct call call = {session, text, rest, out, error};
	bool good = bw_call_run(&call);
	if (!good) {
		snprintf(session->message, sizeof session->message, "%.500s", error->text);
		session->message_is_error = true;
	}
	bw_session_touch(session);
	bw_parts_settled(session);
	free(text);
	return good;
}

