/* Completion: the things of each kind that the table of commands names. */
#include <dirent.h>

#include "command/figure.h"
#include "command/complete.h"
#include "nest/words.h"

void bw_complete_with(struct completions *found, const char *word)
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
	bw_complete_with(found, bw_text_get(&text));
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
		bw_complete_with(found, bw_text_get(&name));
	}
}

static void complete_groups(struct completions *found)
{
	const struct bw_expansion *expansion = bw_session_expansion_unless(found->session);
	for (int group = 0; expansion && group < BW_GROUP_BUCKETS + expansion->n_buckets; group++) {
		BW_SCOPED_TEXT name = {0};
		bw_group_name(group, &name);
		bw_complete_with(found, bw_text_get(&name));
	}
}

static void complete_states(struct completions *found)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(found->session->search, found->session->cursor, &states);
	bw_complete_with(found, "best");
	for (int i = 1; i <= n; i++) {
		BW_SCOPED_MEMORY char *number = bw_format("%d", i);
		bw_complete_with(found, number);
	}
}

/* NAME=WORD; without blanks, which the names of devices do not need. */
static void complete_value(struct completions *found, const struct bw_setting_info *info, const char *word)
{
	BW_SCOPED_TEXT text = {0};
	bw_text_printf(&text, "%s=", info->name);
	for (; *word; word++)
		if (*word != ' ')
			bw_text_append(&text, word, 1);
	bw_complete_with(found, bw_text_get(&text));
}

/* Adds all values if they are few, else the present value. */
static void complete_number(struct completions *found, const struct bw_setting_info *info)
{
	bool few = info->kind == BW_SETTING_FLAG || (info->kind == BW_SETTING_WHOLE && info->most - info->least < 3);
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

/* The GPUs that `sweep` can go over. */
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
			bw_complete_with(found, bw_text_get(&text));
	}
}

static void complete_values(struct completions *found, const struct bw_setting_info *info)
{
	static const char *const sites[] = {
		BW_SITES_TABLE(BW_SECOND)
		"all",
	}, *const freezings[] = {
		BW_FREEZING_TABLE(BW_SECOND)
	};
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
	bw_complete_with(found, "on=");
	for (int i = 0; i < n; i++) {
		BW_SCOPED_TEXT name = {0};
		bw_text_printf(&name, "%s=", infos[i].name);
		if (!strncmp(found->stem, bw_text_get(&name), name.length))
			complete_values(found, &infos[i]);
		else if (infos[i].kind != BW_SETTING_ABSENT && infos[i].kind != BW_SETTING_RETIRED)
			bw_complete_with(found, bw_text_get(&name));
	}
}

static void complete_sites(struct completions *found)
{
	bw_complete_with(found, "inline");
	bw_complete_with(found, "root");
	bw_complete_with(found, "at");
}

/* Decisions by name once a Func's is there, with the pass where there are several; before, Funcs. */
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
			bw_complete_with(found, bw_text_get(&name));
	}
}

static void complete_positions(struct completions *found)
{
	bw_complete_with(found, "end");
	complete_decisions(found);
}

static void complete_verdicts(struct completions *found)
{
#define X(verdict, name) bw_complete_with(found, name);
	BW_VERDICT_TABLE(X)
#undef X
	bw_complete_with(found, "failed");
}

static void complete_facts(struct completions *found)
{
#define X(name, text, meaning) bw_complete_with(found, text);
	BW_ASSERTED_TABLE(X)
#undef X
#define X(name, word, arguments, meaning) \
	if (*word) \
		bw_complete_with(found, word);
	BW_FACT_TABLE(X)
#undef X
	complete_funcs(found);
}

static void complete_results(struct completions *found)
{
	const struct bw_session *session = found->session;
	for (int i = 0; i < session->n_timings; i++)
		if (*session->timings[i].uid)
			bw_complete_with(found, session->timings[i].uid);
}

static void complete_points(struct completions *found)
{
	for (int i = 0; i <= bw_session_n_points(found->session); i++) {
		BW_SCOPED_MEMORY char *number = bw_format("%d", i);
		bw_complete_with(found, number);
	}
}

static void complete_candidates(struct completions *found)
{
	const struct bw_walk_step *step = bw_session_step(found->session);
	for (int c = 0; step && c <= step->n; c++) {
		BW_SCOPED_MEMORY char *number = bw_format(c < step->n ? "%d" : "none", c + 1);
		bw_complete_with(found, number);
	}
}

void bw_complete_levels(struct completions *found)
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
			bw_complete_with(found, things[i].name); \
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
			bw_complete_with(found, word((type)i)); \
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
		BW_SCOPED_MEMORY char *whole = bw_format("%.*s%s%s", (int)prefix, path, entry->d_name, entry->d_type == DT_DIR ? "/" : "");
		bw_complete_with(found, whole);
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
		{"FUNC", complete_funcs}, {"FUNC.PHASE@PASS", complete_positions}, {"DECISION", complete_positions}, {"OPTION", complete_options}, {"STATE", complete_states}, {"GROUP", complete_groups},
		{"OPTION=VALUE", complete_settings}, {"COMMAND", complete_commands}, {"SITE", complete_sites}, {"FILE", complete_files}, {"FILE.txt", complete_files}, {"FILE.svg", complete_files},
		{"VIEW", complete_views}, {"FACT", complete_facts}, {"FATE", complete_fates}, {"RULE", complete_rules}, {"VERDICT", complete_verdicts}, {"RESULT", complete_results}, {"NUMBER", complete_points},
		{"NAME", complete_bookmarks},
		{"MEMORY", complete_memories}, {"CANDIDATE", complete_candidates}, {"SCHEDULER", complete_schedulers},
		{"DEVICE", complete_devices}, {"gpus=DEVICE,", complete_devices},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].name) == length && !strncmp(kinds[i].name, word, length))
			kinds[i].complete(found);
}
