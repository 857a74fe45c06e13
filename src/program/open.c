/* What the commands of the program have in common: a session from the command line, and where results go. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "program/program.h"
#include "session/source.h"

static bool options_of(struct bw_program *program, struct bw_search_options *options, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	const char *gpu = arguments->gpu ? arguments->gpu : "A100";
	const struct bw_device *device = bw_device_find(program->devices, program->n_devices, gpu);
	if (!device)
		return bw_fail(error, BW_ERROR_USAGE, "no device \"%s\"; `beamwalk devices` lists them", gpu);
	*options = bw_search_options_default(device);
	long beam = options->beam, passes = options->passes, seed = 0, threads = options->threads;
	if (!bw_arguments_number(arguments->beam, "beam", 1, 10000, &beam, error) || !bw_arguments_number(arguments->passes, "passes", 1, 20, &passes, error) || !bw_arguments_number(arguments->seed, "seed", 0, LONG_MAX, &seed, error) || !bw_arguments_number(arguments->threads, "threads", 1, 64, &threads, error))
		return false;
	options->beam = (int)beam;
	options->passes = (int)passes;
	options->seed = (uint64_t)seed;
	options->threads = (int)threads;
	long registers = 0;
	if (!bw_arguments_number(arguments->register_limit, "register-limit", 16, 255, &registers, error))
		return false;
	options->register_limit = (int)registers;
	options->random = arguments->random;
	if (arguments->cost_model && !(options->model = bw_cost_model_find(arguments->cost_model)))
		return bw_fail(error, BW_ERROR_USAGE, "no cost model \"%s\"; there are: %s", arguments->cost_model, bw_cost_model_names());
	return true;
}

bool bw_program_line(struct bw_session *session, const char *line, struct bw_error *error)
{
	bool good = bw_session_run(session, line, NULL, error);
	if (good && *session->warning)
		fprintf(stderr, "beamwalk: warning: %s\n", session->warning);
	return good;
}

bool bw_program_open(struct bw_program *program, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	struct bw_search_options options;
	struct bw_source source;
	if (!arguments->pipeline)
		return bw_fail(error, BW_ERROR_USAGE, "%s which pipeline? `beamwalk pipelines` lists the bundled ones", arguments->command);
	if (!options_of(program, &options, error))
		return false;
	struct bw_source_request request = {arguments->pipeline, arguments->generator, arguments->generator_args, arguments->n_generator_args, arguments->estimates, arguments->n_estimates};
	struct bw_patience patience = {120, NULL};
	struct bw_pipeline *pipeline = bw_source_open(&request, &program->folders, &program->places, &patience, &source, error);
	if (!pipeline)
		return false;
	program->session = bw_session_new(&source, &program->places, pipeline, &options);
	program->session->devices = program->devices;
	program->session->n_devices = program->n_devices;
	program->session->ptxas = arguments->ptxas ? arguments->ptxas : program->layout.ptxas;
	if (arguments->on)
		bw_session_use(program->session, arguments->on);
	program->session->results = program->layout.results;
	long seconds = 1;
	if (!bw_arguments_number(arguments->seconds, "seconds", 0, 3600, &seconds, error))
		return false;
	program->session->time_seconds = (double)seconds;
	if (!arguments->schedule)
		return true;
	struct bw_text line = {0};
	bw_text_printf(&line, "apply %s", arguments->schedule);
	bool good = bw_program_line(program->session, bw_text_get(&line), error);
	bw_text_free(&line);
	return good;
}

bool bw_program_search(struct bw_session *session, struct bw_error *error)
{
	if (!bw_session_run(session, "run end", NULL, error))
		return false;
	while (bw_session_busy(session))
		bw_session_work(session, 60);
	if (session->message_is_error)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s", session->message);
	return true;
}

bool bw_program_put(const struct bw_program *program, const struct bw_text *text, struct bw_error *error)
{
	if (program->arguments.output)
		return bw_file_write(program->arguments.output, bw_text_get(text), text->length, error);
	fwrite(bw_text_get(text), 1, text->length, stdout);
	if (fflush(stdout) != 0)
		return bw_fail(error, BW_ERROR_IO, "standard output: %s", strerror(errno));
	return true;
}
