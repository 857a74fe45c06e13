#include <config.h>

#include "program/arguments.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "search/settings.h"

#define FIELD(name) offsetof(struct bw_arguments, name)
static const struct bw_option_info infos[] = {
	{NULL, 'g', "NAME", BW_OF_GENERATING, "which of the executable's generators", BW_OPTION_TEXT, FIELD(generator)},
	{NULL, 'G', "KEY=VALUE", BW_OF_GENERATING | BW_OF_published, "set a parameter of the generator", BW_OPTION_PARAMETER, 0},
	{"estimate", 0, "NAME.DIM=MIN,EXTENT", BW_OF_GENERATING | BW_OF_published, "expected bounds of a dimension of an input or output", BW_OPTION_ESTIMATE, 0},
	{"sizes", 0, "NAME=SIZExSIZE", BW_OF_GENERATING | BW_OF_published, "expected sizes of all dimensions of an input or output, each from 0", BW_OPTION_ESTIMATE, 0},
	{"set", 0, "NAME=VALUE", BW_OF_PREDICTING | BW_OF_regress, "set any search option; `--set help` lists them", BW_OPTION_SET, 0},
#define X(symbol, name, value, of) {name, 0, value, of, NULL, BW_OPTION_SEARCH, 0},
	BW_SEARCH_OPTION_TABLE(X)
#undef X
#define X(field, name, value, of, text) {name, 0, value, of, text, BW_OPTION_TEXT, FIELD(field)},
	BW_TEXT_OPTION_TABLE(X)
#undef X
	{"output", 'o', "FILE", BW_OF_WRITING, "write to FILE instead of standard output", BW_OPTION_TEXT, FIELD(output)},
#define X(field, name, of, text) {name, 0, NULL, of, text, BW_OPTION_FLAG, FIELD(field)},
	BW_FLAG_OPTION_TABLE(X)
#undef X
	{"help", 'h', NULL, BW_OF_ALL, "the commands and options; after a command, those of that command", BW_OPTION_ANSWER, 0},
	{"version", 'V', NULL, BW_OF_ALL, "the version", BW_OPTION_ANSWER, 0},
};
enum { N_OPTIONS = sizeof infos / sizeof *infos, FIRST_LONG = 256 };

const struct bw_option_info *bw_option_infos(int *n)
{
	*n = N_OPTIONS;
	return infos;
}

/* Returns an option as it is written: `--name`, `-g`, or `-o, --output`. free() it. */
static char *option_words(const struct bw_option_info *option)
{
	BW_SCOPED_MEMORY char *letter = bw_format("-%c%s", option->letter, option->name ? ", " : "");
	return bw_format("%s%s%s", option->letter ? letter : "", option->name ? "--" : "", option->name ? option->name : "");
}

/* A usage text that is being written: of one command, or of all commands if command is 0. */
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

/* Appends meaning and default of an option of the search from search/settings.h. */
static void put_setting(const char *name, struct bw_text *out)
{
	struct bw_settings initial = bw_settings_default(NULL);
	const struct bw_setting_info *info = bw_setting_find(name, strlen(name), NULL);
	BW_SCOPED_TEXT value = {0};
	if (info->kind == BW_SETTING_DEVICE)
		bw_text_puts(&value, BW_DEFAULT_DEVICE);
	else
		bw_setting_print(info, &initial, &value);
	bw_text_puts(out, info->meaning);
	if (value.length)
		bw_text_printf(out, " (default %s)", bw_text_get(&value));
}

static void put_options(const struct usage *usage)
{
	for (const struct bw_option_info *option = infos; option < infos + N_OPTIONS; option++) {
		BW_SCOPED_TEXT meaning = {0};
		BW_SCOPED_MEMORY char *words = option_words(option);
		BW_SCOPED_MEMORY char *line = bw_format("%s%s%s", words, option->value ? " " : "", option->value ? option->value : "");
		if (option->kind == BW_OPTION_SEARCH)
			put_setting(option->name, &meaning);
		else
			bw_text_puts(&meaning, option->meaning);
		put_option(usage, line, option->of, bw_text_get(&meaning));
	}
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

static void take(struct bw_arguments *arguments, const struct bw_option_info *option)
{
	void *field = (char *)arguments + option->field;
	switch (option->kind) {
	case BW_OPTION_SEARCH:
	case BW_OPTION_SET:
		take_setting(arguments, option->kind == BW_OPTION_SET ? NULL : option->name);
		break;
	case BW_OPTION_TEXT:
		*(const char **)field = optarg;
		break;
	case BW_OPTION_FLAG:
		*(bool *)field = true;
		break;
	case BW_OPTION_PARAMETER:
		BW_PUSH(arguments->generator_args, arguments->n_generator_args, arguments->generator_args_capacity, optarg);
		break;
	case BW_OPTION_ESTIMATE:
		BW_PUSH(arguments->estimates, arguments->n_estimates, arguments->estimates_capacity, optarg);
		break;
	case BW_OPTION_ANSWER:
		break;
	}
	if (field == &arguments->on)
		BW_PUSH(arguments->workers, arguments->n_workers, arguments->workers_capacity, optarg);
}

/* Writes the answer to --version and --set help. Returns false for any other option. */
static bool answer(const struct bw_option_info *option, struct bw_text *out)
{
	struct bw_settings initial = bw_settings_default(NULL);
	if (option->letter == 'V')
		bw_text_puts(out, "beamwalk " PACKAGE_VERSION "\n");
	else if (option->kind == BW_OPTION_SET && !strcmp(optarg, "help"))
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

/* Reports an unknown option. Returns the exit status. */
static int refuse_option(const char *word)
{
	BW_SCOPED_MEMORY char *name = bw_format("%.*s", (int)strcspn(word, "="), word);
	BW_SCOPED_SUGGESTION known = {.unknown = name + strspn(name, "-")};
	for (int i = 0; i < N_OPTIONS; i++)
		if (infos[i].name)
			bw_suggestion_add(&known, infos[i].name);
	return refuse(known.nearest ? "%s: no such option; did you mean \"--%s\"? `beamwalk --help` lists the options"
				    : "%s: no such option; `beamwalk --help` lists the options",
		      name, known.nearest);
}

/* Reports the given options that the command does not take. Returns the exit status, or -1 if it takes all
 * of them. */
static int refuse_foreign(const struct command *command, const bool *seen)
{
	for (int option = 0; option < N_OPTIONS; option++) {
		if (!seen[option] || infos[option].of & command->bit)
			continue;
		BW_SCOPED_MEMORY char *name = option_words(&infos[option]);
		BW_SCOPED_TEXT takers = {0};
		put_commands(infos[option].of, &takers);
		bw_text_printf(&takers, ", not of %s", command->name);
		return refuse("%s is an option of %s", name, bw_text_get(&takers));
	}
	return -1;
}

/* Returns the next option of the command line. Returns NULL at the end, and NULL with *status set after a
 * wrong option. */
static const struct bw_option_info *next_option(int argc, char **argv, int *status)
{
	struct option rows[N_OPTIONS + 1] = {0};
	for (int i = 0, n = 0; i < N_OPTIONS; i++)
		if (infos[i].name)
			rows[n++] = (struct option){infos[i].name, infos[i].value ? 1 : 0, NULL, FIRST_LONG + i};
	int found = getopt_long(argc, argv, ":g:G:o:hV", rows, NULL);
	if (found == '?')
		*status = refuse_option(argv[optind - 1]);
	else if (found == ':')
		*status = refuse("%s: a value is missing; %s", argv[optind - 1], "`beamwalk --help` lists the options");
	for (int i = 0; i < N_OPTIONS; i++)
		if (found == FIRST_LONG + i || (infos[i].letter && found == infos[i].letter))
			return &infos[i];
	return NULL;
}

int bw_arguments_parse(int argc, char **argv, struct bw_arguments *arguments, struct bw_text *out)
{
	const struct bw_option_info *option;
	int status = -1;
	bool help = false, seen[N_OPTIONS] = {false};
	opterr = 0;
	while ((option = next_option(argc, argv, &status))) {
		if (answer(option, out))
			return 0;
		help |= option->letter == 'h';
		seen[option - infos] = true;
		take(arguments, option);
	}
	if (status >= 0)
		return status;
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
