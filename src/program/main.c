/* beamwalk: parses the command line and runs one command. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "program/program.h"

static bool run(struct bw_program *program, struct bw_error *error)
{
	static const struct {
		const char *name;
		bw_program_function *run;
	} commands[] = {
#define X(name, arguments, pipeline, more, example, text) {#name, bw_program_##name},
		BW_PROGRAM_TABLE(X)
#undef X
	};
	size_t i = 0;
	while (strcmp(commands[i].name, program->arguments.command))
		i++;
	return bw_program_load_devices(program, error) && commands[i].run(program, error);
}

/* Stores the remaining measurements, and reports on standard error. Returns false with an error if one is
 * lost. */
static bool store_rest(struct bw_session *session, struct bw_error *error)
{
	struct bw_text said = {0};
	bool good = bw_session_store_rest(session, &said);
	for (char *line = said.bytes, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		*next++ = 0;
		fprintf(stderr, "%s%s\n", *line == '{' ? "" : "beamwalk: ", line);
	}
	bw_text_free(&said);
	return good || bw_fail(error, BW_ERROR_IO, "a measurement could not be stored");
}

/* Combines two results, and keeps the first error. */
static bool also(bool good, bool next, struct bw_error *error, const struct bw_error *next_error)
{
	if (good && !next)
		*error = *next_error;
	return good && next;
}

/* Closes the output, prints the error, and returns the exit status: 0 only if everything was written. */
static int finish(bool good, struct bw_error *error)
{
	struct bw_error unwritten;
	good = also(good, bw_output_end(&unwritten), error, &unwritten);
	if (!good && error->kind != BW_ERROR_STOPPED)
		fprintf(stderr, "beamwalk: %s\n", error->text);
	return !good ? bw_error_status(error->kind) : ferror(stderr) ? bw_error_status(BW_ERROR_IO) : 0;
}

int main(int argc, char **argv)
{
	struct bw_program program = {0};
	struct bw_error error = {0}, lost = {0};
	struct bw_text answer = {0};
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	bw_output_begin();
	int status = bw_arguments_parse(argc, argv, &program.arguments, &answer);
	if (status >= 0) {
		bool good = bw_output_put(bw_text_get(&answer), answer.length, &error);
		bw_text_free(&answer);
		bw_arguments_free(&program.arguments);
		return status ? status : finish(good, &error);
	}
	bw_layout_find(&program.layout, &lost);
	if (lost.kind)
		fprintf(stderr, "beamwalk: warning: HOME is not set, and %s: nothing is kept; set HOME\n", lost.text);
	program.places =
	    (struct bw_places){program.layout.plugins, program.layout.bench, program.layout.cache, "cc",
				program.arguments.link};
	program.folders = (struct bw_folders){program.layout.generators, program.layout.bundled,
					      program.layout.descriptions};
	bool good = run(&program, &error);
	if (program.session)
		good = also(good, store_rest(program.session, &lost), &error, &lost);
	bw_session_end(program.session);
	bw_text_free(&program.steps);
	bw_models_free(&program.models);
	free(program.devices);
	bw_config_free(&program.config);
	free(program.chosen);
	bw_layout_free(&program.layout);
	bw_arguments_free(&program.arguments);
	exit(finish(good, &error)); /* also frees what the session still holds */
}
