#include <config.h>

#include "program/arguments.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "search/settings.h"

/* Values that getopt_long returns for long options without a letter. */
enum {
	OPTION_BASE = 256,
#define X(field, name, value, of, text) OPTION_##field,
	BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, of, text) OPTION_##field,
	BW_FLAG_OPTION_TABLE(X)
#undef X
#define X(symbol, name, value, of) OPTION_##symbol,
	BW_SEARCH_OPTION_TABLE(X)
#undef X
	OPTION_estimate,
	OPTION_sizes,
	OPTION_set,
	OPTION_END, /* one more than the last */
};

static const struct option long_options[] = {
#define X(field, name, value, of, text) {name, required_argument, NULL, OPTION_##field},
	BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, of, text) {name, no_argument, NULL, OPTION_##field},
	BW_FLAG_OPTION_TABLE(X)
#undef X
#define X(symbol, name, value, of) {name, required_argument, NULL, OPTION_##symbol},
	BW_SEARCH_OPTION_TABLE(X)
#undef X
	{"estimate", required_argument, NULL, OPTION_estimate},
	{"sizes", required_argument, NULL, OPTION_sizes},
	{"set", required_argument, NULL, OPTION_set},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

/* A usage text in the making: of one command, or of all if command is 0. */
struct usage {
	unsigned command; /* its bit of enum bw_program_commands */
	struct bw_text *out;
};

/* Appends the names of some commands. */
static void put_commands(unsigned of, struct bw_text *out)
{
	const char *comma = "";
#define X(name, arguments, pipeline, more, example, text) \
	if (of & BW_OF_##name) { \
		bw_text_printf(out, "%s%s", comma, #name); \
		comma = ", "; \
	}
	BW_PROGRAM_TABLE(X)
#undef X
}

/* Appends the line of an option if it is for the command. */
static void put_option(const struct usage *usage, const char *option, unsigned of, const char *meaning)
{
	enum { COLUMN = 23, FEW = 3 };
	if (usage->command && !(usage->command & of))
		return;
	if (strlen(option) > COLUMN)
		bw_text_printf(usage->out, "  %s\n  %-*s ", option, COLUMN, "");
	else
		bw_text_printf(usage->out, "  %-*s ", COLUMN, option);
	if (!usage->command && __builtin_popcount(of) <= FEW) {
		put_commands(of, usage->out);
		bw_text_puts(usage->out, ": ");
	}
	bw_text_printf(usage->out, "%s\n", meaning);
}

/* Appends the line of an option of the search, with meaning and default from search/settings.h. */
static void put_search_option(const struct usage *usage, const char *name, const char *option, unsigned of)
{
	struct bw_settings initial = bw_settings_default(NULL);
	const struct bw_setting_info *info = bw_setting_find(name, strlen(name), NULL);
	BW_SCOPED_TEXT value = {0}, meaning = {0};
	if (info->kind == BW_SETTING_DEVICE)
		bw_text_puts(&value, BW_DEFAULT_DEVICE);
	else
		bw_setting_print(info, &initial, &value);
	bw_text_puts(&meaning, info->meaning);
	if (value.length)
		bw_text_printf(&meaning, " (default %s)", bw_text_get(&value));
	put_option(usage, option, of, bw_text_get(&meaning));
}

static void put_options(const struct usage *usage)
{
#define X(option, name, value, of, text) put_option(usage, name " " value, of, text);
	BW_PIPELINE_OPTION_TABLE(X)
#undef X
#define X(symbol, name, value, of) put_search_option(usage, name, "--" name " " value, of);
	BW_SEARCH_OPTION_TABLE(X)
#undef X
#define X(field, name, value, of, text) put_option(usage, "--" name " " value, of, text);
	BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, of, text) put_option(usage, "--" name, of, text);
	BW_FLAG_OPTION_TABLE(X)
#undef X
	put_option(usage, "-h, --help", BW_OF_ALL, "this text; after a command, the options of that command");
	put_option(usage, "-V, --version", BW_OF_ALL, "the version");
}

static const char words_pipeline[] =
    "PIPELINE is a bundled name, a generator's executable or a description (.json).\n";
static const char words_stored[] =
    "PIPELINE is the name of a measured pipeline, or the beginning of its description's hash.\n";
static const char words_schedule[] =
	"SCHEDULE is a file (beamwalk-schedule(5)); compile and time also take `hand`, the generator's own.\n";

static void put_usage(struct bw_text *out)
{
	struct usage usage = {0, out};
	bw_text_puts(out, "usage: beamwalk [explore] PIPELINE [OPTION...]\n");
#define X(name, arguments, pipeline, more, example, text) \
	bw_text_printf(out, "       beamwalk %-10s %-24s %s\n", #name, arguments, text);
	BW_PROGRAM_TABLE(X)
#undef X
	bw_text_printf(out, "\n%s%s\n", words_pipeline, words_schedule);
	put_options(&usage);
}

static void take_setting(struct bw_arguments *arguments, const char *name)
{
	BW_PUSH(arguments->settings, arguments->n_settings, arguments->settings_capacity,
		(struct bw_setting_given){name, optarg});
}

/* Returns the commands that an option is for, and its name as written in *name. */
static unsigned commands_of(int option, const char **name)
{
	switch (option) {
#define X(symbol, string, value, of) \
	case OPTION_##symbol: \
		*name = "--" string; \
		return of;
		BW_SEARCH_OPTION_TABLE(X)
#undef X
#define X(field, string, value, of, text) \
	case OPTION_##field: \
		*name = "--" string; \
		return of;
		BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, string, of, text) \
	case OPTION_##field: \
		*name = "--" string; \
		return of;
		BW_FLAG_OPTION_TABLE(X)
#undef X
#define X(option, string, value, of, text) \
	case option: \
		*name = string; \
		return of;
		BW_PIPELINE_OPTION_TABLE(X)
#undef X
	default:
		*name = NULL;
		return BW_OF_ALL;
	}
}

static void take(struct bw_arguments *arguments, int option)
{
	switch (option) {
#define X(symbol, name, value, of) \
	case OPTION_##symbol: \
		take_setting(arguments, name); \
		break;
		BW_SEARCH_OPTION_TABLE(X)
#undef X
	case OPTION_set:
		take_setting(arguments, NULL);
		break;
#define X(field, name, value, of, text) \
	case OPTION_##field: \
		arguments->field = optarg; \
		break;
		BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, of, text) \
	case OPTION_##field: \
		arguments->field = true; \
		break;
		BW_FLAG_OPTION_TABLE(X)
#undef X
	case 'g':
		arguments->generator = optarg;
		break;
	case 'G':
		BW_PUSH(arguments->generator_args, arguments->n_generator_args, arguments->generator_args_capacity, optarg);
		break;
	case OPTION_estimate:
	case OPTION_sizes:
		BW_PUSH(arguments->estimates, arguments->n_estimates, arguments->estimates_capacity, optarg);
		break;
	default:
		break;
	}
	if (option == OPTION_on) {
		BW_PUSH(arguments->workers, arguments->n_workers, arguments->workers_capacity, optarg);
	}
}

/* Answers --version and --set help. Returns false if the option is another one. */
static bool answer(int option, struct bw_text *out)
{
	struct bw_settings initial = bw_settings_default(NULL);
	if (option == 'V')
		bw_text_puts(out, "beamwalk " PACKAGE_VERSION "\n");
	else if (option == OPTION_set && !strcmp(optarg, "help"))
		bw_settings_print(&initial, out);
	return out->length;
}

struct command {
	const char *name, *arguments, *example, *text;
	unsigned bit; /* of enum bw_program_commands */
	bool pipeline, more;
};

/* Returns the command of this name, or NULL. *near: the nearest one, NULL if none is. */
static const struct command *find_command(const char *word, const char **near)
{
	BW_SCOPED_SUGGESTION known = {.unknown = word};
	static const struct command commands[] = {
#define X(name, arguments, pipeline, more, example, text) \
	{#name, arguments, example, text, BW_OF_##name, pipeline, more},
		BW_PROGRAM_TABLE(X)
#undef X
	};
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(word, commands[i].name))
			return &commands[i];
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		bw_suggestion_add(&known, commands[i].name);
	*near = known.nearest;
	return NULL;
}

/* Appends the usage of one command: its arguments, its options and an example. */
static void put_command_usage(const struct command *command, struct bw_text *out)
{
	struct usage usage = {command->bit, out};
	const char *blank = *command->arguments ? " " : "";
	bw_text_printf(out, "usage: beamwalk %s [OPTION...]%s%s\n%s\n\n", command->name, blank,
		       command->arguments, command->text);
	const char *pipeline = command->bit & (BW_OF_GENERATING | BW_OF_published)                ? words_pipeline
			       : command->bit & (BW_OF_results | BW_OF_train) ? words_stored
									      : "";
	const char *schedule = strstr(command->arguments, "SCHEDULE") ? words_schedule : "";
	bw_text_printf(out, "%s%s%s", pipeline, schedule, *pipeline ? "\n" : "");
	put_options(&usage);
	bw_text_printf(out, "\nexample: beamwalk %s%s%s\n", command->name, *command->example ? " " : "",
		       command->example);
}

/* Reports what is wrong with a word of the command line on standard error. Returns the exit status. */
static int refuse(const char *format, const char *word, const char *what)
{
	struct bw_error error;
	bw_fail(&error, BW_ERROR_USAGE, format, word, what);
	fprintf(stderr, "beamwalk: %s\n", error.text);
	return bw_error_status(BW_ERROR_USAGE);
}

/* Refuses an option that there is not. Returns the exit status. */
static int refuse_option(const char *word)
{
	BW_SCOPED_MEMORY char *name = bw_format("%.*s", (int)strcspn(word, "="), word);
	BW_SCOPED_SUGGESTION known = {.unknown = name + strspn(name, "-")};
	for (const struct option *option = long_options; option->name; option++)
		bw_suggestion_add(&known, option->name);
	return refuse(known.nearest ? "%s: no such option; did you mean \"--%s\"? `beamwalk --help` lists the options"
				    : "%s: no such option; `beamwalk --help` lists the options",
		      name, known.nearest);
}

/* Refuses the options among those seen that the command does not take. Returns the exit status, -1 if it
 * takes all. */
static int refuse_foreign(const struct command *command, const bool *seen)
{
	for (int option = 0; option < OPTION_END; option++) {
		const char *name;
		unsigned of = commands_of(option, &name);
		if (!seen[option] || of & command->bit)
			continue;
		BW_SCOPED_TEXT takers = {0};
		put_commands(of, &takers);
		bw_text_printf(&takers, ", not of %s", command->name);
		return refuse("%s is an option of %s", name, bw_text_get(&takers));
	}
	return -1;
}

int bw_arguments_parse(int argc, char **argv, struct bw_arguments *arguments, struct bw_text *out)
{
	int option;
	bool help = false, seen[OPTION_END] = {false};
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":g:G:o:hV", long_options, NULL)) != -1) {
		if (answer(option, out))
			return 0;
		if (option == '?' || option == ':') {
			return option == '?' ? refuse_option(argv[optind - 1])
					     : refuse("%s: a value is missing; %s", argv[optind - 1],
						      "`beamwalk --help` lists the options");
		}
		help |= option == 'h';
		option = option == 'o' ? OPTION_output : option;
		seen[option] = true;
		take(arguments, option);
	}
	const char *near = NULL;
	const struct command *command = optind < argc ? find_command(argv[optind], &near) : NULL;
	if (help) {
		if (command)
			put_command_usage(command, out);
		else
			put_usage(out);
		return 0;
	}
	bool named = command;
	if (named)
		optind++;
	else
		command = find_command("explore", NULL);
	arguments->command = command->name;
	if (command->pipeline && optind < argc)
		arguments->pipeline = argv[optind++];
	arguments->rest = (const char *const *)argv + optind;
	arguments->n_rest = argc - optind;
	/* No bundled pipeline is so near to a command. */
	bool misspelt = !named && near && (arguments->n_rest || access(arguments->pipeline, F_OK) != 0);
	if (misspelt)
		return refuse("%s: no such command; did you mean \"%s\"? `beamwalk --help` lists the commands",
			      arguments->pipeline, near);
	if (arguments->n_rest && !command->more && !named)
		return refuse("%s: no such command, and explore takes one PIPELINE, not also %s; `beamwalk --help` lists the commands",
			      arguments->pipeline, arguments->rest[0]);
	if (arguments->n_rest && !command->more) {
		return refuse("%1$s: %2$s takes no such argument; `beamwalk %2$s --help` shows its usage",
			      arguments->rest[0], arguments->command);
	}
	return refuse_foreign(command, seen);
}

void bw_arguments_free(struct bw_arguments *arguments)
{
	free(arguments->generator_args);
	free(arguments->estimates);
	free(arguments->workers);
	free(arguments->settings);
}

bool bw_arguments_number(const char *text, const char *option, long least, long most, long *value,
			 struct bw_error *error)
{
	long parsed;
	if (!text)
		return true;
	if (!bw_read_number(text, least, most, &parsed))
		return bw_fail(error, BW_ERROR_USAGE, "--%s takes a whole number from %ld to %ld, not \"%s\"",
			       option, least, most, text);
	*value = parsed;
	return true;
}

bool bw_arguments_real(const char *text, const char *option, bool zero, double most, double *value,
		       struct bw_error *error)
{
	char *end;
	if (!text)
		return true;
	double parsed = strtod(text, &end);
	if (!*text || *end || !(zero ? parsed >= 0 : parsed > 0) || parsed > most)
		return bw_fail(error, BW_ERROR_USAGE, "--%s takes a number %s %g, not \"%s\"", option,
			       zero ? "from 0 to" : "above 0, at most", most, text);
	*value = parsed;
	return true;
}
