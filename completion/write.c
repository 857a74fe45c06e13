/* Writes what shells complete of beamwalk's command line: write bash|zsh|fish. Commands, options and their values come from the program's tables;
 * pipelines and devices are asked of the program when they are needed. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "program/arguments.h"
#include "search/search.h"

/* Returns the meaning of an option; the search has that of its own. */
static const char *meaning_of(const struct bw_option_info *option)
{
	return option->meaning ? option->meaning : bw_setting_find(option->name, strlen(option->name), NULL)->meaning;
}

static bool is_files(const struct bw_option_info *option)
{
	return option->value && (!strcmp(option->value, "FILE") || !strcmp(option->value, "PATH"));
}

static bool is_devices(const struct bw_option_info *option)
{
	return option->name && !strcmp(option->name, "gpu");
}

static bool is_settings(const struct bw_option_info *option)
{
	return option->name && !strcmp(option->name, "set");
}

/* Whether the value is one of some words, with bars between. */
static bool is_words(const struct bw_option_info *option)
{
	return option->value && strchr(option->value, '|');
}

/* A text where quote would end it: that is written as instead. */
static void put(const char *text, char quote, const char *instead)
{
	for (; *text; text++)
		if (*text == quote)
			fputs(instead, stdout);
		else
			putchar(*text);
}

static void put_words(const char *value)
{
	for (; *value; value++)
		putchar(*value == '|' ? ' ' : *value);
}

/* Names of the options of the search, each with = behind it. */
static void put_settings(const char *between)
{
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	for (int i = 0; i < n; i++)
		if (infos[i].kind != BW_SETTING_ABSENT)
			printf("%s%s=", i ? between : "", infos[i].name);
}

static void put_models(void)
{
	int n;
	const struct bw_cost_model *const *models = bw_cost_models(&n);
	for (int i = 0; i < n; i++)
		printf("%s ", models[i]->name);
	fputs(BW_LEARNED_NAME, stdout);
}

static void put_patterns(const struct bw_option_info *option)
{
	if (option->name)
		printf("--%s", option->name);
	if (option->letter)
		printf("%s-%c", option->name ? "|" : "", option->letter);
}

static void bash_value(const struct bw_option_info *option)
{
	printf("\t");
	put_patterns(option);
	printf(") ");
	if (is_files(option))
		printf("compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")");
	else if (is_devices(option))
		printf("COMPREPLY=($(compgen -W \"$(\"$1\" devices 2>/dev/null | sed 's/ .*//')\" -- \"$current\"))");
	else if (is_settings(option)) {
		printf("compopt -o nospace; COMPREPLY=($(compgen -W '");
		put_settings(" ");
		printf("' -- \"$current\"))");
	} else if (is_words(option)) {
		printf("COMPREPLY=($(compgen -W '");
		put_words(option->value);
		printf("' -- \"$current\"))");
	} else if (option->name && !strcmp(option->name, "cost-model")) {
		printf("COMPREPLY=($(compgen -W '");
		put_models();
		printf("' -- \"$current\"))");
	} else {
		printf(":");
	}
	printf("; return ;;\n");
}

static void put_commands(const char *between)
{
	const char *first = "";
#define X(name, arguments, pipeline, more, example, text) \
	printf("%s%s", first, #name); \
	first = between;
	BW_PROGRAM_TABLE(X)
#undef X
}

/* Options before which and behind whose value a word counts: those with a value. */
static void put_valued(const struct bw_option_info *options, int n)
{
	const char *bar = "";
	for (int i = 0; i < n; i++)
		if (options[i].value) {
			printf("%s", bar);
			put_patterns(&options[i]);
			bar = "|";
		}
}

static void bash(const struct bw_option_info *options, int n)
{
	printf("# Completion of beamwalk(1) for bash; made from the tables of the program.\n"
	       "_beamwalk() {\n\tlocal current=$2 previous=$3 word count=0 skip=0 i\n\tCOMPREPLY=()\n\tcase $previous in\n");
	for (int i = 0; i < n; i++)
		if (options[i].value)
			bash_value(&options[i]);
	printf("\t=) return ;;\n\tesac\n\tif [[ $current == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '");
	for (int i = 0; i < n; i++)
		if (options[i].name)
			printf("%s--%s", i ? " " : "", options[i].name);
		else
			printf(" -%c", options[i].letter);
	printf("' -- \"$current\"))\n\t\treturn\n\tfi\n"
	       "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n\t\tword=${COMP_WORDS[i]}\n"
	       "\t\tif ((skip)); then skip=0; continue; fi\n\t\tcase $word in\n\t\t");
	put_valued(options, n);
	printf(") skip=1 ;;\n\t\t-*) ;;\n\t\t*) ((count++)) ;;\n\t\tesac\n\tdone\n\tcompopt -o filenames\n\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
	       "\tif ((count == 1)) && [[ ${COMP_WORDS[1]} == learn ]]; then\n"
	       "\t\tCOMPREPLY+=($(compgen -W \"$(\"$1\" learn 2>/dev/null | sed -n 's/^[0-9]*  \\([^ ]*\\) .*/\\1/p')\" -- \"$current\"))\n\t\treturn\n\tfi\n"
	       "\t((count > 1)) || COMPREPLY+=($(compgen -W \"$(\"$1\" pipelines 2>/dev/null | sed 's/ .*//')\" -- \"$current\"))\n"
	       "\t((count > 0)) || COMPREPLY+=($(compgen -W '");
	put_commands(" ");
	printf("' -- \"$current\"))\n}\ncomplete -F _beamwalk beamwalk\n");
}

/* What _arguments takes for an option: '(-o --output)'{-o+,--output=}'[meaning]:value:action'. */
static void zsh_option(const struct bw_option_info *option)
{
	bool repeats = option->value && strchr(option->value, '=');
	printf("\t\t'");
	if (option->name && option->letter)
		printf("(-%c --%s)'{-%c,--%s}'", option->letter, option->name, option->letter, option->name);
	else if (option->name)
		printf("%s--%s", repeats ? "*" : "", option->name);
	else
		printf("%s-%c", repeats ? "*" : "", option->letter);
	printf("[");
	for (const char *at = meaning_of(option); *at; at++)
		printf(*at == '\'' ? "'\\''" : strchr("[]:", *at) ? "\\%c" : "%c", *at);
	printf("]");
	if (option->value) {
		printf(":value:");
		if (is_files(option))
			printf("_files");
		else if (is_devices(option))
			printf("($(${words[1]} devices 2>/dev/null | sed \"s/ .*//\"))");
		else if (is_settings(option)) {
			printf("_beamwalk_settings");
		} else if (is_words(option)) {
			printf("(");
			put_words(option->value);
			printf(")");
		}
	}
	printf("'\n");
}

static void zsh(const struct bw_option_info *options, int n)
{
	printf("#compdef beamwalk\n# Completion of beamwalk(1) for zsh; made from the tables of the program.\n_beamwalk_settings() {\n\tcompadd -S '' -- ");
	put_settings(" ");
	printf("\n}\n_beamwalk_first() {\n\tlocal -a commands=(\n");
#define X(name, arguments, pipeline, more, example, text) \
	printf("\t\t'%s:", #name); \
	put(text, '\'', "'\\''"); \
	printf("'\n");
	BW_PROGRAM_TABLE(X)
#undef X
	printf("\t)\n\t_describe command commands\n\t_beamwalk_pipelines\n}\n"
	       "_beamwalk_pipelines() {\n\tlocal -a bundled=(${(f)\"$(_call_program pipelines ${words[1]} pipelines 2>/dev/null | sed 's/ .*//')\"})\n"
	       "\tif [[ ${words[2]} == learn ]]; then\n"
	       "\t\tlocal -a lessons=(${(f)\"$(_call_program lessons ${words[1]} learn 2>/dev/null | sed -n 's/^[0-9]*  \\([^ ]*\\) .*/\\1/p')\"})\n"
	       "\t\t_describe lesson lessons\n\telse\n\t\t_describe pipeline bundled\n\tfi\n\t_files\n}\n_beamwalk() {\n\tlocal -a options=(\n");
	for (int i = 0; i < n; i++)
		zsh_option(&options[i]);
	printf("\t)\n\t_arguments -s -S $options '1:command or pipeline:_beamwalk_first' '2:pipeline or file:_beamwalk_pipelines' '*:file:_files'\n}\n_beamwalk \"$@\"\n");
}

static void fish_option(const struct bw_option_info *option)
{
	printf("complete -c beamwalk");
	if (option->letter)
		printf(" -s %c", option->letter);
	if (option->name)
		printf(" -l %s", option->name);
	printf(is_files(option) ? " -r -F" : option->value ? " -x" : "");
	if (is_devices(option))
		printf(" -a '(beamwalk devices 2>/dev/null | string replace -r \" .*\" \"\")'");
	if (is_words(option)) {
		printf(" -a '");
		put_words(option->value);
		printf("'");
	}
	if (is_settings(option)) {
		printf(" -a '");
		put_settings(" ");
		printf("'");
	}
	printf(" -d '");
	put(meaning_of(option), '\'', "\\'");
	printf("'\n");
}

static void fish(const struct bw_option_info *options, int n)
{
	printf("# Completion of beamwalk(1) for fish; made from the tables of the program.\n");
#define X(name, arguments, pipeline, more, example, text) \
	printf("complete -c beamwalk -n __fish_use_subcommand -a %s -d '", #name); \
	put(text, '\'', "\\'"); \
	printf("'\n");
	BW_PROGRAM_TABLE(X)
#undef X
	printf("complete -c beamwalk -a '(beamwalk pipelines 2>/dev/null | string replace -r \" .*\" \"\")' -d pipeline\n");
	printf("complete -c beamwalk -n '__fish_seen_subcommand_from learn' -a '(beamwalk learn 2>/dev/null | string match -r -g \"^[0-9]+  ([^ ]+)\")' -d lesson\n");
	for (int i = 0; i < n; i++)
		fish_option(&options[i]);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *shell;
		void (*write)(const struct bw_option_info *options, int n);
	} writers[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
	int n;
	const struct bw_option_info *options = bw_option_infos(&n);
	for (size_t i = 0; argc == 2 && i < sizeof writers / sizeof *writers; i++)
		if (!strcmp(argv[1], writers[i].shell)) {
			writers[i].write(options, n);
			return fflush(stdout) == 0 ? 0 : 1;
		}
	fputs("usage: write bash|zsh|fish\n", stderr);
	return 2;
}
