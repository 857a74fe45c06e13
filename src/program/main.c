/* beamwalk: reads the command line and runs one command. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/program.h"

static bool run(struct bw_program *program, struct bw_error *error)
{
	static const struct {
		const char *name;
		bw_program_function *run;
	} commands[] = {
#define X(name, arguments, pipeline, more, text) {#name, bw_program_##name},
		BW_PROGRAM_TABLE(X)
#undef X
	};
	size_t i = 0;
	while (strcmp(commands[i].name, program->arguments.command))
		i++;
	return bw_program_load_devices(program, error) && commands[i].run(program, error);
}

/* What is still to be stored is stored; what there is to say of that goes to standard error. */
static void store_rest(struct bw_session *session)
{
	struct bw_text said = {0};
	bw_session_store_rest(session, &said);
	for (char *line = said.bytes, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		*next++ = 0;
		fprintf(stderr, "%s%s\n", *line == '{' ? "" : "beamwalk: ", line);
	}
	bw_text_free(&said);
}

int main(int argc, char **argv)
{
	struct bw_program program = {0};
	struct bw_error error = {0};
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	int status = bw_arguments_parse(argc, argv, &program.arguments);
	if (status >= 0) {
		bw_arguments_free(&program.arguments);
		return status;
	}
	bw_layout_find(&program.layout);
	program.places = (struct bw_places){program.layout.plugins, program.layout.bench, program.layout.cache, "cc"};
	program.folders = (struct bw_folders){program.layout.generators, program.layout.bundled, program.layout.descriptions};
	bool good = run(&program, &error);
	if (program.session)
		store_rest(program.session);
	bw_session_end(program.session);
	bw_models_free(&program.models);
	free(program.devices);
	bw_config_free(&program.config);
	bw_layout_free(&program.layout);
	bw_arguments_free(&program.arguments);
	if (!good && error.kind != BW_ERROR_STOPPED)
		fprintf(stderr, "beamwalk: %s\n", error.text);
	exit(good ? 0 : bw_error_status(error.kind)); /* what the session holds goes with it */
}
