/* The one table of commands, and how a line finds its command. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/commands.h"
#include "session/session_private.h"

static const struct {
	struct bw_command command;
	bw_command_function *function;
} table[] = {
#define X(name, function, arguments, key, help, journaled) {{name, arguments, key, help, journaled}, bw_command_##function},
	BW_COMMAND_TABLE(X)
#undef X
};

enum { N_COMMANDS = sizeof table / sizeof *table };

const struct bw_command *bw_commands(int *n)
{
	static const struct bw_command commands[] = {
#define X(name, function, arguments, key, help, journaled) {name, arguments, key, help, journaled},
		BW_COMMAND_TABLE(X)
#undef X
	};
	*n = N_COMMANDS;
	return commands;
}

/* The command of this name, or the only one that begins with it; -1 with an error otherwise. */
static int find(const char *name, size_t length, struct bw_error *error)
{
	int found = -1;
	struct bw_text candidates = {0};
	for (int i = 0; i < N_COMMANDS; i++) {
		const char *known = table[i].command.name;
		if (strncmp(known, name, length))
			continue;
		bw_text_printf(&candidates, " %s", known);
		if (strlen(known) == length) {
			bw_text_free(&candidates);
			return i;
		}
		found = found < 0 ? i : -2;
	}
	if (found == -2)
		bw_fail(error, BW_ERROR_USAGE, "\"%.*s\" could be%s", (int)length, name, bw_text_get(&candidates));
	else if (found < 0)
		bw_fail(error, BW_ERROR_USAGE, "no command \"%.*s\"; `help` lists them", (int)length, name);
	bw_text_free(&candidates);
	return found < 0 ? -1 : found;
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

static void remember_shown(struct bw_session *session)
{
	struct own *own = own_of(session);
	struct bw_nest *shown = bw_nest_keep(bw_session_state(session)->nest);
	bw_nest_drop(own->before);
	own->before = shown;
}

bool bw_session_run(struct bw_session *session, const char *line, struct bw_text *out, struct bw_error *error)
{
	struct bw_error local = {0};
	if (!error)
		error = &local;
	char *text = trimmed(line);
	if (!*text || *text == '#') {
		free(text);
		return true;
	}
	size_t length = strcspn(text, " \t");
	const char *rest = text + length + strspn(text + length, " \t");
	int index = find(text, length, error);
	session->message[0] = session->warning[0] = 0;
	session->message_is_error = false;
	bool good = index >= 0;
	if (good) {
		remember_shown(session);
		struct call call = {session, text, rest, out, error};
		good = table[index].function(&call);
	}
	if (!good) {
		snprintf(session->message, sizeof session->message, "%.500s", error->text);
		session->message_is_error = true;
	}
	bw_session_touch(session);
	free(text);
	return good;
}

struct completions {
	char **words;
	int n, most;
	const char *stem;
	size_t length;
};

static void complete_with(struct completions *found, const char *word)
{
	if (found->n < found->most && !strncmp(word, found->stem, found->length))
		found->words[found->n++] = bw_strdup(word);
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void complete_files(struct completions *found)
{
	char *path = bw_new_array(found->length + 1, 1);
	memcpy(path, found->stem, found->length);
	char *slash = strrchr(path, '/');
	size_t prefix = slash ? (size_t)(slash - path) + 1 : 0;
	char *folder = prefix ? bw_strdup(path) : bw_strdup(".");
	if (prefix)
		folder[prefix] = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		struct bw_text whole = {0};
		bw_text_printf(&whole, "%.*s%s%s", (int)prefix, path, entry->d_name, entry->d_type == DT_DIR ? "/" : "");
		complete_with(found, bw_text_get(&whole));
		bw_text_free(&whole);
	}
	if (dir)
		closedir(dir);
	free(folder);
	free(path);
}

static bool takes(const char *arguments, const char *word)
{
	return strstr(arguments, word) != NULL;
}

static void complete_arguments(struct bw_session *session, const struct bw_command *command, struct completions *found)
{
	const char *names[64];
	if (takes(command->arguments, "FUNC"))
		for (int f = session->pipeline->n_funcs - 1; f >= 0; f--)
			if (!session->pipeline->funcs[f].input)
				complete_with(found, session->pipeline->funcs[f].name);
	const struct bw_expansion *expansion = takes(command->arguments, "OPTION]") ? bw_session_expansion(session) : NULL;
	for (int i = 0; expansion && i < expansion->n; i++) {
		struct bw_text name = {0};
		bw_option_name(&expansion->options[i], &name);
		complete_with(found, bw_text_get(&name));
		bw_text_free(&name);
	}
	if (takes(command->arguments, "OPTION=VALUE")) {
		int n = bw_settings_names(names, 64);
		for (int i = 0; i < n; i++) {
			struct bw_text name = {0};
			bw_text_printf(&name, "%s=", names[i]);
			complete_with(found, bw_text_get(&name));
			bw_text_free(&name);
		}
	}
	if (takes(command->arguments, "COMMAND"))
		for (int i = 0; i < N_COMMANDS; i++)
			complete_with(found, table[i].command.name);
	static const char *const literals[] = {"option", "decision", "func", "state", "end", "all", "best", "main", "help", "timings"};
	for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
		if (takes(command->arguments, literals[i]))
			complete_with(found, literals[i]);
	if (takes(command->arguments, "FILE"))
		complete_files(found);
}

int bw_session_complete(struct bw_session *session, const char *line, int length, char **words, int most)
{
	const char *start = line, *end = line + length;
	while (start < end && isspace((unsigned char)*start))
		start++;
	const char *name_end = start;
	while (name_end < end && !isspace((unsigned char)*name_end))
		name_end++;
	const char *stem = end;
	while (stem > start && !isspace((unsigned char)stem[-1]))
		stem--;
	struct completions found = {words, 0, most, stem, (size_t)(end - stem)};
	if (name_end == end) {
		for (int i = 0; i < N_COMMANDS; i++)
			complete_with(&found, table[i].command.name);
	} else {
		int index = find(start, (size_t)(name_end - start), NULL);
		if (index >= 0)
			complete_arguments(session, &table[index].command, &found);
	}
	qsort(words, (size_t)found.n, sizeof *words, compare_words);
	return found.n;
}
