/* The names of commands, and how a word that was given finds the one that is meant. */
#include <stdio.h>
#include <string.h>

#include "session/core.h"

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

int bw_command_number(const char *name, size_t length, struct bw_error *error)
{
	int found = -1, n = 0;
	struct bw_text candidates = {0};
	for (int i = 0; i < N_COMMANDS; i++) {
		const char *known = commands[i].name;
		if (strncmp(known, name, length))
			continue;
		bw_text_printf(&candidates, " %s", known);
		if (strlen(known) == length) {
			bw_text_free(&candidates);
			return i;
		}
		found = i;
		n++;
	}
	if (n > 1)
		bw_fail(error, BW_ERROR_USAGE, "\"%.*s\" could be%s", (int)length, name, bw_text_get(&candidates));
	else if (!n)
		bw_fail(error, BW_ERROR_USAGE, "no command \"%.*s\"; `help` lists them", (int)length, name);
	bw_text_free(&candidates);
	return n == 1 ? found : -1;
}

const struct bw_command *bw_command_find(const char *name, size_t length)
{
	int index = bw_command_number(name, length, NULL);
	return index < 0 ? NULL : &commands[index];
}

bool bw_session_knows(const char *line, struct bw_error *error)
{
	return bw_command_number(line, strcspn(line, " \t"), error) >= 0;
}

int bw_word_find(const char *const *words, int n, const char *given, const char *what, struct bw_error *error)
{
	int found = -1, matches = 0;
	size_t length = strlen(given);
	struct bw_text all = {0}, close = {0};
	for (int i = 0; i < n; i++) {
		bw_text_printf(&all, "%s%s", i ? ", " : "", words[i]);
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
		bw_fail(error, BW_ERROR_USAGE, "no %s \"%s\"; there are %s", what, given, bw_text_get(&all));
	bw_text_free(&all);
	bw_text_free(&close);
	return matches == 1 ? found : -1;
}

