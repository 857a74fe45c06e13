/* beamwalk: the commands of the program. */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "folders.h"
#include "gpu/device.h"
#include "session/report.h"
#include "session/session.h"
#include "session/source.h"
#ifdef BW_SCREEN
#include "ui/explore.h"
#endif

/* What a run of the program holds. */
struct program {
	struct bw_arguments arguments;
	struct bw_layout layout;
	struct bw_places places;
	struct bw_folders folders;
	struct bw_device *devices;
	int n_devices;
	struct bw_session *session;
};

static bool options_of(struct program *program, struct bw_search_options *options, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	const char *gpu = arguments->gpu ? arguments->gpu : "A100";
	const struct bw_device *device = bw_device_find(program->devices, program->n_devices, gpu);
	if (!device)
		return bw_fail(error, BW_ERROR_USAGE, "no device \"%s\"; `beamwalk devices` lists them", gpu);
	*options = bw_search_options_default(device);
	long beam = options->beam, seed = 0, threads = options->threads;
	if (!bw_arguments_number(arguments->beam, "beam", 1, 10000, &beam, error) || !bw_arguments_number(arguments->seed, "seed", 0, LONG_MAX, &seed, error) || !bw_arguments_number(arguments->threads, "threads", 1, 64, &threads, error))
		return false;
	options->beam = (int)beam;
	options->seed = (uint64_t)seed;
	options->threads = (int)threads;
	options->random = arguments->random;
	if (arguments->cost_model && !(options->model = bw_cost_model_find(arguments->cost_model)))
		return bw_fail(error, BW_ERROR_USAGE, "no cost model \"%s\"; there are: %s", arguments->cost_model, bw_cost_model_names());
	return true;
}

/* A command as if it were typed; what it warns of goes to standard error. */
static bool run_line(struct bw_session *session, const char *line, struct bw_error *error)
{
	bool good = bw_session_run(session, line, NULL, error);
	if (good && *session->warning)
		fprintf(stderr, "beamwalk: warning: %s\n", session->warning);
	return good;
}

static bool open_session(struct program *program, struct bw_error *error)
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
	program->session->runs_on = bw_device_find(program->devices, program->n_devices, "PoCL");
	long seconds = 1;
	if (!bw_arguments_number(arguments->seconds, "seconds", 0, 3600, &seconds, error))
		return false;
	program->session->time_seconds = (double)seconds;
	if (!arguments->schedule)
		return true;
	struct bw_text line = {0};
	bw_text_printf(&line, "apply %s", arguments->schedule);
	bool good = run_line(program->session, bw_text_get(&line), error);
	bw_text_free(&line);
	return good;
}

static bool put(const struct program *program, const struct bw_text *text, struct bw_error *error)
{
	if (program->arguments.output)
		return bw_file_write(program->arguments.output, bw_text_get(text), text->length, error);
	fwrite(bw_text_get(text), 1, text->length, stdout);
	if (fflush(stdout) != 0)
		return bw_fail(error, BW_ERROR_IO, "standard output: %s", strerror(errno));
	return true;
}

static bool search_to_end(struct bw_session *session, struct bw_error *error)
{
	if (!bw_session_run(session, "run end", NULL, error))
		return false;
	while (bw_session_busy(session))
		bw_session_work(session, 60);
	if (session->message_is_error)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s", session->message);
	return true;
}

static bool run_schedule(struct program *program, struct bw_error *error)
{
	struct bw_text text = {0};
	bool good = open_session(program, error) && search_to_end(program->session, error);
	if (good) {
		const struct bw_state *state = bw_session_state(program->session);
		if (program->arguments.json)
			bw_report_json(program->session, state, &text);
		else
			bw_report_text(program->session, state, &text);
		good = put(program, &text, error);
	}
	bw_text_free(&text);
	return good;
}

static void print_timing(const struct bw_timing *timing, bool json, struct bw_text *out)
{
	const struct bw_measurement *m = &timing->measurement;
	if (json) {
		json_t *line = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:i, s:s, s:b, s:I, s:f, s:s}",
					 "schedule", timing->label, "verdict", bw_verdict_name(m->verdict), "minimum_ms", m->minimum, "median_ms", m->median, "spread", m->spread, "predicted_ms", timing->predicted,
					 "runs", m->runs, "device", m->device, "cpu", m->cpu, "mismatches", (json_int_t)m->mismatches, "worst", m->worst, "method", m->method);
		char *text = json_dumps(line, JSON_COMPACT);
		bw_text_printf(out, "%s\n", text);
		free(text);
		json_decref(line);
	} else if (m->verdict == BW_OUTPUT_WRONG) {
		bw_text_printf(out, "%-24s WRONG  %lld points differ, worst at %s\n", timing->label, (long long)m->mismatches, m->where);
	} else {
		bw_text_printf(out, "%-24s %-18s minimum %.4f ms  median %.4f ms  spread %.1f%%  %d runs on %s%s\n", timing->label, bw_verdict_name(m->verdict), m->minimum, m->median, 100 * m->spread, m->runs, m->device, m->cpu ? " (cpu)" : "");
	}
}

static bool time_one(struct program *program, const char *file, struct bw_text *out, struct bw_error *error)
{
	struct bw_session *session = program->session;
	struct bw_text line = {0};
	bw_text_printf(&line, "time %s%s", strchr(file, '/') || strchr(file, '.') ? "" : "./", file);
	bool good = run_line(session, bw_text_get(&line), error);
	bw_text_free(&line);
	if (!good)
		return false;
	struct bw_timing *timing = &session->timings[session->n_timings - 1];
	while (bw_session_busy(session)) {
		bw_session_work(session, 1);
		usleep(2000);
	}
	if (timing->phase == BW_JOB_FAILED) {
		*error = timing->error;
		return bw_fail_in(error, "%s", file);
	}
	print_timing(timing, program->arguments.json, out);
	return timing->measurement.verdict != BW_OUTPUT_WRONG ? true : bw_fail(error, BW_ERROR_WRONG, "%s: the output is wrong: %lld points differ, worst at %s", file, (long long)timing->measurement.mismatches, timing->measurement.where);
}

static bool run_time(struct program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	if (!open_session(program, error))
		return false;
	if (!program->arguments.n_rest)
		return bw_fail(error, BW_ERROR_USAGE, "time which schedules? `beamwalk schedule %s -o FILE` writes one", program->arguments.pipeline);
	bool good = true;
	for (int i = 0; i < program->arguments.n_rest; i++) {
		struct bw_error one = {0};
		if (time_one(program, program->arguments.rest[i], &out, &one))
			continue;
		good = false;
		*error = one;
	}
	struct bw_error ignored;
	put(program, &out, good ? error : &ignored);
	bw_text_free(&out);
	return good;
}

static bool run_describe(struct program *program, struct bw_error *error)
{
	struct bw_text text = {0};
	const struct bw_arguments *arguments = &program->arguments;
	if (!arguments->pipeline)
		return bw_fail(error, BW_ERROR_USAGE, "describe which pipeline?");
	struct bw_source_request request = {arguments->pipeline, arguments->generator, arguments->generator_args, arguments->n_generator_args, arguments->estimates, arguments->n_estimates};
	struct bw_patience patience = {120, NULL};
	bool good = bw_source_describe(&request, &program->folders, &program->places, &patience, &text, error) && put(program, &text, error);
	bw_text_free(&text);
	return good;
}

static bool run_script(struct program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	if (!open_session(program, error))
		return false;
	if (program->arguments.n_rest != 1)
		return bw_fail(error, BW_ERROR_USAGE, "script takes a pipeline and a file");
#ifdef BW_SCREEN
	bw_session_set_screen(program->session, bw_screen_save, NULL);
#endif
	bool good = bw_session_run_file(program->session, program->arguments.rest[0], &out, error);
	struct bw_error ignored;
	bool written = put(program, &out, good ? error : &ignored);
	bw_text_free(&out);
	return good && written;
}

static bool run_pipelines(struct program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	bool good = bw_source_list(&program->folders, program->arguments.json, &out, error) && put(program, &out, error);
	bw_text_free(&out);
	return good;
}

static bool run_devices(struct program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	json_t *list = json_array();
	for (int i = 0; i < program->n_devices; i++) {
		const struct bw_device *device = &program->devices[i];
		json_t *record = json_pack("{s:s, s:s, s:s, s:b, s:s}", "name", device->name, "target", device->target, "ptxas", device->ptxas, "cpu", device->cpu, "source", device->source);
#define X(field, key, unit, text) json_object_set_new(record, key, json_real(device->field));
		BW_DEVICE_TABLE(X)
#undef X
		json_array_append_new(list, record);
		if (!program->arguments.json)
			bw_text_printf(&out, "%-16s %4.0f SMs  %5.0f GB/s  %6.1f Gop/s float  %3.0f KiB shared a block  %s\n", device->name, device->sms, device->global_bandwidth / 1e9, device->float_rate / 1e9, device->shared_per_block / 1024, device->target);
	}
	if (program->arguments.json) {
		char *text = json_dumps(list, JSON_INDENT(2));
		bw_text_printf(&out, "%s\n", text);
		free(text);
	}
	json_decref(list);
	bool good = put(program, &out, error);
	bw_text_free(&out);
	return good;
}

static bool run_explore(struct program *program, bool tutorial, struct bw_error *error)
{
#ifdef BW_SCREEN
	struct bw_explore_options options = {.color = program->arguments.color, .ascii = program->arguments.ascii, .mouse = !program->arguments.no_mouse, .at_start = program->arguments.at && !strcmp(program->arguments.at, "start"), .tutorial = tutorial, .state_folder = program->layout.state};
	if (program->arguments.at && strcmp(program->arguments.at, "start") && strcmp(program->arguments.at, "end"))
		return bw_fail(error, BW_ERROR_USAGE, "--at takes start or end, not \"%s\"", program->arguments.at);
	if (tutorial)
		program->arguments.pipeline = "harris";
	return bw_explore_check(error) && open_session(program, error) && bw_explore(program->session, &options, error);
#else
	(void)program;
	(void)tutorial;
	return bw_fail(error, BW_ERROR_FAILED, "this beamwalk was built without a screen (ncurses and libedit); `schedule`, `time` and `script` are there");
#endif
}

static bool run(struct program *program, struct bw_error *error)
{
	const char *command = program->arguments.command;
	if (!strcmp(command, "pipelines"))
		return run_pipelines(program, error);
	program->devices = bw_devices_read(program->layout.devices, &program->n_devices, error);
	if (!program->devices)
		return false;
	if (!strcmp(command, "devices"))
		return run_devices(program, error);
	if (!strcmp(command, "schedule"))
		return run_schedule(program, error);
	if (!strcmp(command, "time"))
		return run_time(program, error);
	if (!strcmp(command, "describe"))
		return run_describe(program, error);
	if (!strcmp(command, "script"))
		return run_script(program, error);
	return run_explore(program, !strcmp(command, "tutorial"), error);
}

int main(int argc, char **argv)
{
	struct program program = {0};
	struct bw_error error = {0};
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	int status = bw_arguments_parse(argc, argv, &program.arguments);
	if (status >= 0)
		return status;
	bw_layout_find(&program.layout);
	program.places = (struct bw_places){program.layout.plugin, program.layout.bench, program.layout.cache, "cc"};
	program.folders = (struct bw_folders){program.layout.generators, program.layout.bundled, program.layout.descriptions};
	bool good = run(&program, &error);
	bw_session_free(program.session);
	free(program.devices);
	bw_layout_free(&program.layout);
	bw_arguments_free(&program.arguments);
	if (!good && error.kind != BW_ERROR_STOPPED)
		fprintf(stderr, "beamwalk: %s\n", error.text);
	return good ? 0 : bw_error_status(error.kind);
}
