/* Completion. The words that can end a line follow from the arguments of its command in the command table,
 * such as `[FUNC|all]` or `func FUNC | state STATE`. A bar with blanks around it separates sequences of
 * words; a bar without blanks separates words. Words in capitals stand for things of a kind, words in small
 * letters for themselves. */
#include <ctype.h>
#include <dirent.h>

#include "base/arith.h"
#include "command/complete.h"
#include "command/figure.h"
#include "nest/words.h"

/* Adds a word if it begins with the stem and was not added before. */
static void add(struct completions *found, const char *word)
{
	for (int i = 0; i < found->n; i++)
		if (!strcmp(found->words[i], word))
			return;
	if (found->n < found->most && !strncmp(word, found->stem, found->length))
		found->words[found->n++] = bw_strdup(word);
}

/* Adds a Func's name, quoted if necessary, followed by `behind`. */
static void complete_name(struct completions *found, const char *name, const char *behind)
{
	BW_SCOPED_TEXT text = {0};
	bw_name_print(name, &text);
	bw_text_puts(&text, behind);
	add(found, bw_text_get(&text));
}

static void complete_funcs(struct completions *found)
{
	const struct bw_pipeline *pipeline = found->session->pipeline;
	for (int f = pipeline->n_funcs - 1; f >= 0; f--)
		if (!pipeline->funcs[f].input)
			complete_name(found, pipeline->funcs[f].name, "");
}

static void complete_options(struct completions *found)
{
	const struct bw_expansion *expansion = bw_session_expansion_unless(found->session);
	for (int i = 0; expansion && i < expansion->n; i++) {
		BW_SCOPED_TEXT name = {0};
		bw_option_name(&expansion->options[i], &name);
		add(found, bw_text_get(&name));
	}
}

static void complete_groups(struct completions *found)
{
	const struct bw_expansion *expansion = bw_session_expansion_unless(found->session);
	for (int group = 0; expansion && group < BW_GROUP_BUCKETS + expansion->n_buckets; group++) {
		BW_SCOPED_TEXT name = {0};
		bw_group_name(group, &name);
		add(found, bw_text_get(&name));
	}
}

static void complete_states(struct completions *found)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(found->session->search, found->session->cursor, &states);
	add(found, "best");
	for (int i = 1; i <= n; i++) {
		BW_SCOPED_MEMORY char *number = bw_format("%d", i);
		add(found, number);
	}
}

/* Adds NAME=WORD. Names of devices are written without blanks, which they do not need. */
static void complete_value(struct completions *found, const struct bw_setting_info *info, const char *word)
{
	BW_SCOPED_TEXT text = {0};
	bw_text_printf(&text, "%s=", info->name);
	for (; *word; word++)
		if (*word != ' ')
			bw_text_append(&text, word, 1);
	add(found, bw_text_get(&text));
}

/* Adds all values of an option if these are few, else only its present value. */
static void complete_number(struct completions *found, const struct bw_setting_info *info)
{
	bool few =
	    info->kind == BW_SETTING_FLAG || (info->kind == BW_SETTING_WHOLE && info->most - info->least < 3);
	BW_SCOPED_TEXT value = {0};
	for (int n = (int)info->least; few && n <= (int)info->most; n++) {
		bw_text_clear(&value);
		bw_text_printf(&value, "%d", n);
		complete_value(found, info, bw_text_get(&value));
	}
	if (!few) {
		bw_setting_print(info, &found->session->options, &value);
		complete_value(found, info, bw_text_get(&value));
	}
}

/* Adds the GPUs that `sweep` accepts. */
static void complete_devices(struct completions *found)
{
	const struct bw_session *session = found->session;
	for (int i = 0; i < session->n_devices; i++) {
		BW_SCOPED_TEXT text = {0};
		bw_text_puts(&text, "gpus=");
		for (const char *at = session->devices[i].name; *at; at++)
			if (*at != ' ')
				bw_text_append(&text, at, 1);
		if (!session->devices[i].cpu)
			add(found, bw_text_get(&text));
	}
}

static void complete_values(struct completions *found, const struct bw_setting_info *info)
{
	static const char *const sites[] =
	    {
		BW_SITES_TABLE(BW_SECOND) "all",
	    },
				 *const freezings[] = {BW_FREEZING_TABLE(BW_SECOND)};
	const struct bw_session *session = found->session;
	for (int i = 0; i < session->n_devices && info->kind == BW_SETTING_DEVICE; i++)
		complete_value(found, info, session->devices[i].name);
	for (size_t i = 0; i < sizeof sites / sizeof *sites && info->kind == BW_SETTING_SITES; i++)
		complete_value(found, info, sites[i]);
	for (int f = 0; f < BW_N_FREEZINGS && info->kind == BW_SETTING_FREEZING; f++)
		complete_value(found, info, bw_freezing_name((enum bw_freezing)f));
	for (size_t i = 0; i < sizeof freezings / sizeof *freezings && info->kind == BW_SETTING_FREEZING; i++)
		complete_value(found, info, freezings[i]);
	int n_models;
	const struct bw_cost_model *const *models = bw_cost_models(&n_models);
	for (int i = 0; i < n_models && info->kind == BW_SETTING_MODEL; i++)
		complete_value(found, info, models[i]->name);
	if (info->kind == BW_SETTING_MODEL && session->options.weights)
		complete_value(found, info, BW_LEARNED_NAME);
	if (bw_setting_numeric(info))
		complete_number(found, info);
}

static void complete_settings(struct completions *found)
{
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	add(found, "on=");
	for (int i = 0; i < n; i++) {
		BW_SCOPED_TEXT name = {0};
		bw_text_printf(&name, "%s=", infos[i].name);
		if (!strncmp(found->stem, bw_text_get(&name), name.length))
			complete_values(found, &infos[i]);
		else if (infos[i].kind != BW_SETTING_ABSENT && infos[i].kind != BW_SETTING_RETIRED)
			add(found, bw_text_get(&name));
	}
}

static void complete_sites(struct completions *found)
{
	add(found, "inline");
	add(found, "root");
	add(found, "at");
}

/* Adds names of Funcs or, once the name of a Func is typed, its decisions, with the pass if there are
 * several. */
static void complete_decisions(struct completions *found)
{
	const struct bw_session *session = found->session;
	if (!memchr(found->stem, '.', found->length)) {
		complete_funcs(found);
		return;
	}
	for (int i = 0; i < bw_search_n_decisions(session->search); i++) {
		BW_SCOPED_TEXT name = {0};
		bw_session_decision_name(session, i, &name);
		if (bw_search_decision(session->search, i)->phase != BW_PHASE_PASS)
			add(found, bw_text_get(&name));
	}
}

static void complete_positions(struct completions *found)
{
	add(found, "end");
	complete_decisions(found);
}

static void complete_verdicts(struct completions *found)
{
#define X(verdict, name) add(found, name);
	BW_VERDICT_TABLE(X)
#undef X
	add(found, "failed");
}

static void complete_facts(struct completions *found)
{
#define X(name, text, meaning) add(found, text);
	BW_ASSERTED_TABLE(X)
#undef X
#define X(name, word, arguments, meaning) \
	if (*word) \
		add(found, word);
	BW_FACT_TABLE(X)
#undef X
	complete_funcs(found);
}

static void complete_results(struct completions *found)
{
	const struct bw_session *session = found->session;
	for (int i = 0; i < session->n_timings; i++)
		if (*session->timings[i].uid)
			add(found, session->timings[i].uid);
}

static void complete_points(struct completions *found)
{
	for (int i = 0; i <= bw_session_n_points(found->session); i++) {
		BW_SCOPED_MEMORY char *number = bw_format("%d", i);
		add(found, number);
	}
}

static void complete_candidates(struct completions *found)
{
	const struct bw_walk_step *step = bw_session_step(found->session);
	for (int c = 0; step && c <= step->n; c++) {
		BW_SCOPED_MEMORY char *number = bw_format(c < step->n ? "%d" : "none", c + 1);
		add(found, number);
	}
}

/* Adds the levels at which a Func can be computed: `output.block`. */
static void complete_levels(struct completions *found)
{
	const struct bw_pipeline *pipeline = found->session->pipeline;
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		if (pipeline->funcs[f].input)
			continue;
		complete_name(found, pipeline->funcs[f].name, ".block");
		complete_name(found, pipeline->funcs[f].name, ".thread");
	}
}

/* Defines a function that adds the name of each of a list of things. */
#define COMPLETE_LIST(function, type, list) \
	static void function(struct completions *found) \
	{ \
		int n; \
		const type *things = list; \
		for (int i = 0; i < n; i++) \
			add(found, things[i].name); \
	}
COMPLETE_LIST(complete_commands, struct bw_command, bw_commands(&n))
COMPLETE_LIST(complete_views, struct bw_view_info, bw_view_infos(&n))
COMPLETE_LIST(complete_bookmarks, struct bw_bookmark, bw_session_bookmarks(found->session, &n))
COMPLETE_LIST(complete_schedulers, struct bw_scheduler, bw_schedulers(&n))

/* Defines a function that adds the word of each value of an enum. */
#define COMPLETE_ENUM(function, type, most, word) \
	static void function(struct completions *found) \
	{ \
		for (int i = 0; i < most; i++) \
			add(found, word((type)i)); \
	}
COMPLETE_ENUM(complete_fates, enum bw_fate, BW_N_FATES, bw_fate_name)
COMPLETE_ENUM(complete_rules, enum bw_rule, BW_N_RULES, bw_rule_name)
COMPLETE_ENUM(complete_memories, enum bw_memory, BW_N_MEMORIES, bw_memory_name)

static void complete_files(struct completions *found)
{
	BW_SCOPED_MEMORY char *path = bw_new_array(found->length + 1, 1);
	memcpy(path, found->stem, found->length);
	char *slash = strrchr(path, '/');
	size_t prefix = slash ? (size_t)(slash - path) + 1 : 0;
	BW_SCOPED_MEMORY char *folder = prefix ? bw_strdup(path) : bw_strdup(".");
	if (prefix)
		folder[prefix] = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		bool asked = found->length > prefix && found->stem[prefix] == '.';
		if (entry->d_name[0] == '.' && !asked)
			continue;
		BW_SCOPED_MEMORY char *whole = bw_format("%.*s%s%s", (int)prefix, path, entry->d_name,
							 entry->d_type == DT_DIR ? "/" : "");
		add(found, whole);
	}
	if (dir)
		closedir(dir);
}

void bw_complete_kind(struct completions *found, const char *word, size_t length)
{
	static const struct {
		const char *name;
		void (*complete)(struct completions *found);
	} kinds[] = {
	    {"FUNC", complete_funcs},
	    {"FUNC.PHASE@PASS", complete_positions},
	    {"DECISION", complete_positions},
	    {"OPTION", complete_options},
	    {"STATE", complete_states},
	    {"GROUP", complete_groups},
	    {"OPTION=VALUE", complete_settings},
	    {"COMMAND", complete_commands},
	    {"SITE", complete_sites},
	    {"FILE", complete_files},
	    {"FILE.txt", complete_files},
	    {"FILE.svg", complete_files},
	    {"VIEW", complete_views},
	    {"FACT", complete_facts},
	    {"FATE", complete_fates},
	    {"RULE", complete_rules},
	    {"VERDICT", complete_verdicts},
	    {"RESULT", complete_results},
	    {"NUMBER", complete_points},
	    {"NAME", complete_bookmarks},
	    {"MEMORY", complete_memories},
	    {"CANDIDATE", complete_candidates},
	    {"SCHEDULER", complete_schedulers},
	    {"DEVICE", complete_devices},
	    {"gpus=DEVICE,", complete_devices},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].name) == length && !strncmp(kinds[i].name, word, length))
			kinds[i].complete(found);
}

BW_ORDER(compare_words, char *, strcmp(*a, *b))

static bool stands_for_itself(const char *word)
{
	return islower((unsigned char)*word) || *word == '-';
}

/* Returns true if a word can be repeated: `FUNC...`. */
static bool repeats(const char *word, size_t length)
{
	return length > 3 && !strncmp(word + length - 3, "...", 3);
}

/* Adds the completions for one word of the arguments: the word itself, or the things of its kind. */
static void complete_word(struct completions *found, const char *word, size_t length)
{
	bw_complete_kind(found, word, length - (repeats(word, length) ? 3 : 0));
	if (!stands_for_itself(word))
		return;
	BW_SCOPED_MEMORY char *literal = bw_strdup(word);
	size_t sign = strcspn(word, "<>="); /* end of the part before the number, as in `cost<N` and
					       `beams=N` */
	literal[sign < length ? sign + 1 : length] = 0;
	add(found, literal);
}

/* Returns true if the typed text matches a word of the arguments. A word that stands for itself must be
 * equal. */
static bool fits(const char *word, const char *typed, size_t length)
{
	return !stands_for_itself(word) || (strcspn(word, " ") == length && !strncmp(word, typed, length));
}

/* Matches one alternative of the arguments, word by word, with the words typed before the stem, and adds
 * completions for the stem. */
static void complete_alternative(struct completions *found, const char *words, const char *typed)
{
	for (size_t last = 0; *words; words += last, words += strspn(words, " ")) {
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
		last = strcspn(words, " ");
		if (repeats(words, strcspn(words, "| ")))
			last = 0;
	}
}

/* Returns true if the word before the stem is `at`, which is followed by a level. */
static bool behind_at(const struct completions *found, const char *typed)
{
	const char *end = found->stem;
	while (end > typed && isspace((unsigned char)end[-1]))
		end--;
	return end - typed > 2 && !strncmp(end - 2, "at", 2) && isspace((unsigned char)end[-3]);
}

static void complete_arguments(struct completions *found, const char *arguments, const char *typed)
{
	if (strstr(arguments, "SITE") && behind_at(found, typed)) {
		complete_levels(found);
		return;
	}
	char *plain = bw_strdup(arguments), *end = plain;
	for (const char *at = arguments; *at; at++)
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

/* Completes a fact: what follows its first word is given by the table of facts. */
static void complete_fact(struct completions *found, const char *typed)
{
	static const struct {
		const char *word, *arguments;
	} facts[] = {
#define X(name, word, arguments, meaning) {word, arguments},
		BW_FACT_TABLE(X)
#undef X
	};
	size_t length = strcspn(typed, " \t");
	const char *rest = typed + length + strspn(typed + length, " \t");
	if (typed + length >= found->stem) {
		bw_complete_kind(found, "FACT", strlen("FACT"));
		return;
	}
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (!*facts[i].word)
			complete_arguments(found, facts[i].arguments, typed);
		else if (strlen(facts[i].word) == length && !strncmp(typed, facts[i].word, length) && i == BW_FACT_BEST)
			complete_fact(found, rest);
		else if (strlen(facts[i].word) == length && !strncmp(typed, facts[i].word, length))
			complete_arguments(found, facts[i].arguments, rest);
	}
}

/* Returns the beginning of the word to complete. Names of files may contain blanks. */
static const char *find_stem(const struct bw_command *command, const char *arguments, const char *end)
{
	const char *stem = end;
	if (command && !strncmp(command->arguments, "FILE", 4) && !strstr(command->arguments, "FUNC"))
		return strncmp(arguments, "--trust ", 8) ? arguments : arguments + 8;
	while (stem > arguments && !isspace((unsigned char)stem[-1]))
		stem--;
	return stem;
}

/* Skips commands whose argument is a command. Returns the line of the innermost command, and sets *command to
 * it. */
static const char *innermost(const char *start, const struct bw_command **command)
{
	size_t name = strcspn(start, " \t");
	*command = start[name] ? bw_command_find(start, name) : NULL;
	while (*command && !strcmp((*command)->arguments, "COMMAND")) {
		start += name + strspn(start + name, " \t");
		name = strcspn(start, " \t");
		*command = start[name] ? bw_command_find(start, name) : NULL;
	}
	return start;
}

/* Does what bw_session_complete does, and sets *typed to the length of the typed part of the words. */
static int complete(struct bw_session *session, const char *line, int length, char **words, int most,
		    size_t *typed)
{
	BW_SCOPED_TEXT text = {0};
	const struct bw_command *command;
	bw_text_append(&text, line, (size_t)length);
	const char *start = innermost(bw_text_get(&text) + strspn(bw_text_get(&text), " \t"), &command),
		   *end = bw_text_get(&text) + text.length;
	size_t name = strcspn(start, " \t");
	const char *arguments = start + name + strspn(start + name, " \t"),
		   *stem = start[name] ? find_stem(command, arguments, end) : start;
	struct completions found = {session, words, 0, most, stem, (size_t)(end - stem)};
	if (!start[name])
		bw_complete_kind(&found, "COMMAND", strlen("COMMAND"));
	else if (command && !strcmp(command->arguments, "FACT"))
		complete_fact(&found, arguments);
	else if (command)
		complete_arguments(&found, command->arguments, arguments);
	qsort(words, (size_t)found.n, sizeof *words, compare_words);
	*typed = found.length;
	return found.n;
}

int bw_session_complete(struct bw_session *session, const char *line, int length, char **words, int most)
{
	size_t typed;
	return complete(session, line, length, words, most, &typed);
}

/* Returns the length in bytes of the common beginning of all words, without a part of a character. */
static size_t common_prefix(char *const *words, int n)
{
	size_t length = strlen(words[0]);
	for (int i = 1; i < n; i++) {
		size_t same = 0;
		while (same < length && words[i][same] == words[0][same])
			same++;
		length = same;
	}
	return bw_utf8_cut(words[0], length);
}

int bw_session_complete_line(struct bw_session *session, const char *line, int length, struct bw_text *more,
			     struct bw_text *list)
{
	enum { MOST_WORDS = 200 };
	char *words[MOST_WORDS];
	size_t typed;
	int n = complete(session, line, length, words, MOST_WORDS, &typed);
	size_t agreed = n ? common_prefix(words, n) : 0;
	if (agreed > typed)
		bw_text_append(more, words[0] + typed, agreed - typed);
	if (n == 1 && agreed && !strchr("/=", words[0][agreed - 1]))
		bw_text_puts(more, " ");
	for (int i = 0; i < n; i++) {
		if (n > 1 && agreed <= typed)
			bw_text_printf(list, "%s%s", i ? "  " : "", words[i]);
		free(words[i]);
	}
	return n;
}
