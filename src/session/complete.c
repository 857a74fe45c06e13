/* Completion: what can stand at the end of a line follows from the arguments of its command in the table, `[FUNC|all]` or
 * `func FUNC | state STATE`: alternatives with blanks around the bar, of words in turn; a word is one of several between bars. Capitals
 * stand for a thing of that kind, small letters for themselves. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "session/session_private.h"

struct completions {
	struct bw_session *session;
	char **words;
	int n, most;
	const char *stem;
	size_t length;
};

static void complete_with(struct completions *found, const char *word)
{
	for (int i = 0; i < found->n; i++)
		if (!strcmp(found->words[i], word))
			return;
	if (found->n < found->most && !strncmp(word, found->stem, found->length))
		found->words[found->n++] = bw_strdup(word);
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void complete_funcs(struct completions *found)
{
	const struct bw_pipeline *pipeline = found->session->pipeline;
	for (int f = pipeline->n_funcs - 1; f >= 0; f--)
		if (!pipeline->funcs[f].input)
			complete_with(found, pipeline->funcs[f].name);
}

static void complete_options(struct completions *found)
{
	const struct bw_expansion *expansion = bw_session_expansion(found->session);
	for (int i = 0; expansion && i < expansion->n; i++) {
		struct bw_text name = {0};
		bw_option_name(&expansion->options[i], &name);
		complete_with(found, bw_text_get(&name));
		bw_text_free(&name);
	}
}

static void complete_groups(struct completions *found)
{
	const struct bw_expansion *expansion = bw_session_expansion(found->session);
	for (int group = 0; expansion && group < BW_GROUP_BUCKETS + expansion->n_buckets; group++) {
		struct bw_text name = {0};
		bw_group_name(group, &name);
		complete_with(found, bw_text_get(&name));
		bw_text_free(&name);
	}
}

static void complete_states(struct completions *found)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(found->session->search, found->session->cursor, &states);
	for (int i = 1; i <= n; i++) {
		struct bw_text number = {0};
		bw_text_printf(&number, "%d", i);
		complete_with(found, bw_text_get(&number));
		bw_text_free(&number);
	}
}

/* NAME=WORD; without blanks, which the names of devices do not need. */
static void complete_value(struct completions *found, const struct bw_option_info *info, const char *word)
{
	struct bw_text text = {0};
	bw_text_printf(&text, "%s=", info->name);
	for (; *word; word++)
		if (*word != ' ')
			bw_text_append(&text, word, 1);
	complete_with(found, bw_text_get(&text));
	bw_text_free(&text);
}

static void complete_values(struct completions *found, const struct bw_option_info *info)
{
	static const char *const sites[] = {
#define X(name, words, meaning) words,
		BW_SITES_TABLE(X)
#undef X
		"all",
	}, *const freezings[] = {
#define X(name, words, meaning) words,
		BW_FREEZING_TABLE(X)
#undef X
	};
	const struct bw_session *session = found->session;
	for (int i = 0; i < session->n_devices && info->kind == BW_OPTION_DEVICE; i++)
		complete_value(found, info, session->devices[i].name);
	for (size_t i = 0; i < sizeof sites / sizeof *sites && info->kind == BW_OPTION_SITES; i++)
		complete_value(found, info, sites[i]);
	for (int f = 0; f < BW_N_FREEZINGS && info->kind == BW_OPTION_FREEZING; f++)
		complete_value(found, info, bw_freezing_name((enum bw_freezing)f));
	for (size_t i = 0; i < sizeof freezings / sizeof *freezings && info->kind == BW_OPTION_FREEZING; i++)
		complete_value(found, info, freezings[i]);
	if (info->kind == BW_OPTION_MODEL)
		complete_value(found, info, bw_cost_model_names());
	if (info->kind == BW_OPTION_FLAG) {
		complete_value(found, info, "0");
		complete_value(found, info, "1");
	}
}

static void complete_settings(struct completions *found)
{
	int n;
	const struct bw_option_info *infos = bw_option_infos(&n);
	for (int i = 0; i < n; i++) {
		struct bw_text name = {0};
		bw_text_printf(&name, "%s=", infos[i].name);
		if (!strncmp(found->stem, bw_text_get(&name), name.length))
			complete_values(found, &infos[i]);
		else if (infos[i].kind != BW_OPTION_ABSENT)
			complete_with(found, bw_text_get(&name));
		bw_text_free(&name);
	}
}

static void complete_commands(struct completions *found)
{
	int n;
	const struct bw_command *commands = bw_commands(&n);
	for (int i = 0; i < n; i++)
		complete_with(found, commands[i].name);
}

static void complete_sites(struct completions *found)
{
	complete_with(found, "inline");
	complete_with(found, "root");
	complete_with(found, "at");
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

/* One word of the arguments that stands for itself or for things of a kind. */
static void complete_word(struct completions *found, const char *word, size_t length)
{
	static const struct {
		const char *name;
		void (*complete)(struct completions *found);
	} kinds[] = {
		{"FUNC", complete_funcs}, {"FUNC.PHASE@PASS", complete_funcs}, {"OPTION", complete_options}, {"STATE", complete_states}, {"GROUP", complete_groups}, {"OPTION=VALUE", complete_settings},
		{"COMMAND", complete_commands}, {"SITE", complete_sites}, {"FILE", complete_files}, {"FILE.txt", complete_files}, {"FILE.svg", complete_files},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].name) == length && !strncmp(kinds[i].name, word, length))
			kinds[i].complete(found);
	if (!islower((unsigned char)*word))
		return;
	char *literal = bw_strdup(word);
	literal[length] = 0;
	complete_with(found, literal);
	free(literal);
}

/* Whether what was typed fits a word of the arguments: what stands for itself must be that. */
static bool fits(const char *word, const char *typed, size_t length)
{
	return !islower((unsigned char)*word) || (strcspn(word, " ") == length && !strncmp(word, typed, length));
}

/* One alternative, words in turn, against the words typed before the stem. */
static void complete_alternative(struct completions *found, const char *words, const char *typed)
{
	for (; *words; words += strcspn(words, " "), words += strspn(words, " ")) {
		size_t length = strcspn(typed, " \t");
		if (typed >= found->stem) {
			for (const char *word = words; *word && *word != ' ';) {
				size_t one = strcspn(word, "| ");
				complete_word(found, word, one);
				word += one + (word[one] == '|');
			}
			return;
		}
		if (!fits(words, typed, length))
			return;
		typed += length;
		typed += strspn(typed, " \t");
	}
}

static void complete_arguments(struct completions *found, const struct bw_command *command, const char *typed)
{
	char *plain = bw_strdup(command->arguments), *end = plain;
	for (const char *at = command->arguments; *at; at++)
		if (*at != '[' && *at != ']')
			*end++ = *at;
	*end = 0;
	for (char *alternative = plain, *next; alternative; alternative = next) {
		next = strstr(alternative, " | ");
		if (next) {
			*next = 0;
			next += 3;
		}
		complete_alternative(found, alternative, typed);
	}
	free(plain);
}

int bw_session_complete(struct bw_session *session, const char *line, int length, char **words, int most)
{
	struct bw_text text = {0};
	bw_text_append(&text, line, (size_t)length);
	const char *start = bw_text_get(&text) + strspn(bw_text_get(&text), " \t"), *end = bw_text_get(&text) + text.length, *stem = end;
	size_t name = strcspn(start, " \t");
	while (stem > start && !isspace((unsigned char)stem[-1]))
		stem--;
	struct completions found = {session, words, 0, most, stem, (size_t)(end - stem)};
	const struct bw_command *command = start[name] ? bw_command_find(start, name) : NULL;
	if (!start[name])
		complete_commands(&found);
	else if (command)
		complete_arguments(&found, command, start + name + strspn(start + name, " \t"));
	qsort(words, (size_t)found.n, sizeof *words, compare_words);
	bw_text_free(&text);
	return found.n;
}
