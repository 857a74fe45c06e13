#include <config.h>

#include "program/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "search/options.h"

/* What getopt_long returns for the long options that have no letter. */
enum {
	OPTION_BASE = 256,
#define X(field, name, value, text) OPTION_##field,
	BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, text) OPTION_##field,
	BW_FLAG_OPTION_TABLE(X)
#undef X
#define X(symbol, name, value) OPTION_##symbol,
	BW_SEARCH_OPTION_TABLE(X)
#undef X
	OPTION_estimate,
	OPTION_sizes,
	OPTION_set,
};

static const struct option long_options[] = {
#define X(field, name, value, text) {name, required_argument, NULL, OPTION_##field},
	BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, text) {name, no_argument, NULL, OPTION_##field},
	BW_FLAG_OPTION_TABLE(X)
#undef X
#define X(symbol, name, value) {name, required_argument, NULL, OPTION_##symbol},
	BW_SEARCH_OPTION_TABLE(X)
#undef X
	{"estimate", required_argument, NULL, OPTION_estimate},
	{"sizes", required_argument, NULL, OPTION_sizes},
	{"set", required_argument, NULL, OPTION_set},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

/* The line of an option of the search: its meaning and its default are in the table of these. */
static void search_usage(const char *name, const char *value, struct bw_text *out)
{
	struct bw_search_options initial = bw_search_options_default(NULL);
	const struct bw_option_info *info = bw_option_find(name, strlen(name), NULL);
	struct bw_text option = {0}, first = {0};
	bw_text_printf(&option, "--%s %s", name, value);
	if (info->kind == BW_OPTION_DEVICE)
		bw_text_puts(&first, BW_DEFAULT_DEVICE);
	else
		bw_option_print(info, &initial, &first);
	bw_text_printf(out, "  %-23s %s (default %s)\n", bw_text_get(&option), info->meaning, bw_text_get(&first));
	bw_text_free(&option);
	bw_text_free(&first);
}

static void usage(struct bw_text *out)
{
	bw_text_puts(out, "usage: beamwalk [explore] PIPELINE [OPTION...]\n");
#define X(name, arguments, pipeline, more, text) bw_text_printf(out, "       beamwalk %-10s %-24s %s\n", #name, arguments, text);
	BW_PROGRAM_TABLE(X)
#undef X
	bw_text_puts(out, "\nPIPELINE is a bundled name, a generator's executable or a description file (.json).\n\n"
			  "  -g NAME                 which of the executable's generators\n"
			  "  -G KEY=VALUE            a parameter of the generator\n"
			  "  --estimate NAME.DIM=MIN,EXTENT\n"
			  "                          an estimate that the generator lacks\n"
			  "  --sizes NAME=SIZExSIZE  estimates of all dimensions of an input or output, each from 0\n");
#define X(symbol, name, value) search_usage(name, value, out);
	BW_SEARCH_OPTION_TABLE(X)
#undef X
	bw_text_puts(out, "  --set NAME=VALUE        any option of the search; `--set help` lists them\n");
	char option[64];
#define X(field, name, value, text) \
	snprintf(option, sizeof option, "--%s %s", name, value); \
	bw_text_printf(out, "  %-23s %s\n", option, text);
	BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, text) \
	snprintf(option, sizeof option, "--%s", name); \
	bw_text_printf(out, "  %-23s %s\n", option, text);
	BW_FLAG_OPTION_TABLE(X)
#undef X
	bw_text_puts(out, "  -h, --help              this text\n"
			  "  -V, --version           the version\n");
}

static void take_setting(struct bw_arguments *arguments, const char *name)
{
	BW_GROW(arguments->settings, arguments->n_settings, arguments->settings_capacity);
	arguments->settings[arguments->n_settings++] = (struct bw_setting){name, optarg};
}

static void take(struct bw_arguments *arguments, int option)
{
	switch (option) {
#define X(symbol, name, value) \
	case OPTION_##symbol: \
		take_setting(arguments, name); \
		break;
		BW_SEARCH_OPTION_TABLE(X)
#undef X
	case OPTION_set:
		take_setting(arguments, NULL);
		break;
#define X(field, name, value, text) \
	case OPTION_##field: \
		arguments->field = optarg; \
		break;
		BW_TEXT_OPTION_TABLE(X)
#undef X
#define X(field, name, text) \
	case OPTION_##field: \
		arguments->field = true; \
		break;
		BW_FLAG_OPTION_TABLE(X)
#undef X
	case 'o':
		arguments->output = optarg;
		break;
	case 'g':
		arguments->generator = optarg;
		break;
	case 'G':
		BW_GROW(arguments->generator_args, arguments->n_generator_args, arguments->generator_args_capacity);
		arguments->generator_args[arguments->n_generator_args++] = optarg;
		break;
	case OPTION_estimate:
	case OPTION_sizes:
		BW_GROW(arguments->estimates, arguments->n_estimates, arguments->estimates_capacity);
		arguments->estimates[arguments->n_estimates++] = optarg;
		break;
	default:
		break;
	}
}

/* Writes what an option asks for that ends the program. False if it is another one. */
static bool answer(int option, struct bw_text *out)
{
	struct bw_search_options initial = bw_search_options_default(NULL);
	if (option == 'h')
		usage(out);
	else if (option == 'V')
		bw_text_puts(out, "beamwalk " PACKAGE_VERSION "\n");
	else if (option == OPTION_set && !strcmp(optarg, "help"))
		bw_search_options_print(&initial, out);
	return out->length;
}

struct command {
	const char *name;
	bool pipeline, more;
};

/* The command of this name; NULL: there is none. */
static const struct command *find_command(const char *word)
{
	static const struct command commands[] = {
#define X(name, arguments, pipeline, more, text) {#name, pipeline, more},
		BW_PROGRAM_TABLE(X)
#undef X
	};
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(word, commands[i].name))
			return &commands[i];
	return NULL;
}

/* Tells what is wrong with a word of the command line; the status to exit with. */
static int refuse(const char *format, const char *word, const char *what)
{
	struct bw_error error;
	bw_fail(&error, BW_ERROR_USAGE, format, word, what);
	fprintf(stderr, "beamwalk: %s\n", error.text);
	return bw_error_status(BW_ERROR_USAGE);
}

int bw_arguments_parse(int argc, char **argv, struct bw_arguments *arguments, struct bw_text *out)
{
	int option;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":g:G:o:hV", long_options, NULL)) != -1) {
		if (answer(option, out))
			return 0;
		if (option == '?' || option == ':') {
			return refuse("%s: %s; `beamwalk --help` lists the options", argv[optind - 1], option == '?' ? "no such option" : "a value is missing");
		}
		take(arguments, option);
	}
	const struct command *command = optind < argc ? find_command(argv[optind]) : NULL;
	if (command)
		optind++;
	else
		command = find_command("explore");
	arguments->command = command->name;
	if (command->pipeline && optind < argc)
		arguments->pipeline = argv[optind++];
	arguments->rest = (const char *const *)argv + optind;
	arguments->n_rest = argc - optind;
	if (arguments->n_rest && !command->more) {
		return refuse("%s: %s takes no such argument; `beamwalk --help` says what there is", arguments->rest[0], arguments->command);
	}
	return -1;
}

void bw_arguments_free(struct bw_arguments *arguments)
{
	free(arguments->generator_args);
	free(arguments->estimates);
	free(arguments->settings);
}

bool bw_arguments_number(const char *text, const char *option, long least, long most, long *value, struct bw_error *error)
{
	char *end;
	if (!text)
		return true;
	errno = 0;
	long parsed = strtol(text, &end, 10);
	if (!*text || *end || errno || parsed < least || parsed > most)
		return bw_fail(error, BW_ERROR_USAGE, "--%s takes a whole number from %ld to %ld, not \"%s\"", option, least, most, text);
	*value = parsed;
	return true;
}
