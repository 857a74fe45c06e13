/* tune: measures one batch of schedules after another, each chosen by what was measured so far, and writes
 * the fastest right one. What is measured is stored as it comes and never measured twice, so that a tuning
 * that was ended anyhow goes on where it was when the same command is given again. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "page/page.h"
#include "program/tune.h"

enum { PAUSE_US = 2000, WORK_MS = 100, SHOWN_MS = 500 };

/* The line of progress on a terminal. */
struct progress {
	const struct bw_session *session;
	bool shown;
	bool told; /* which device is measured on */
	double when; /* the line was written, in s */
	int turns;   /* of those measured in turns: shown */
};

/* Returns true once ^C, which is blocked, was pressed. */
static bool is_stopped(void)
{
	sigset_t pending;
	return sigpending(&pending) == 0 && sigismember(&pending, SIGINT) == 1;
}

static void clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}

/* Appends how far it is, and what it does. */
static void say_progress(const struct bw_tuning *tuning, struct bw_text *line)
{
	bw_tuning_progress(tuning, line);
	if (tuning->phase == BW_TUNING_COMPARES)
		return;
	bw_text_puts(line, ": ");
	if (tuning->phase == BW_TUNING_MEASURES && tuning->meter)
		tuning->meter->tell(tuning->meter->data, line);
	else
		bw_text_puts(line, "searching");
}

/* Shows that on a terminal: now and then, and each turn of what is measured in turns. */
static void show(struct progress *progress)
{
	const struct bw_tuning *tuning = bw_session_tuning(progress->session);
	int turns =
	    tuning->phase == BW_TUNING_COMPARES ? tuning->turn * tuning->n_rounds + tuning->place + 1 : 0;
	if (!isatty(STDERR_FILENO) || (turns == progress->turns && bw_clock() < progress->when + 1e-3 * SHOWN_MS))
		return;
	struct bw_text line = {0};
	say_progress(tuning, &line);
	fprintf(stderr, "\r\033[K%.79s", bw_text_get(&line));
	bw_text_free(&line);
	progress->shown = true;
	progress->turns = turns;
	progress->when = bw_clock();
}

/* Tells on standard error if schedules are measured on another device than they are searched for. */
static void tell_device(const struct bw_tuning *tuning, struct progress *progress)
{
	const struct bw_meter *meter = tuning->meter;
	const char *searched = tuning->options.device->name;
	if (progress->told || !meter)
		return;
	progress->told = true;
	clear(progress);
	if (!meter->file && strcmp(meter->device, searched) != 0)
		fprintf(stderr, "beamwalk: schedules are searched for %s and measured on %s; --gpu says what to search for\n",
			searched, meter->device);
}

/* Tells on standard error of a schedule that is faster than all before. */
static void tell_fastest(const struct bw_tuning *tuning, int number, void *data)
{
	const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, number);
	struct bw_text origin = {0};
	bw_tuning_origin(tuning, number, &origin);
	clear(data);
	fprintf(stderr, "%5d  %10.4g ms  predicted %.4g %s  %s\n", tuning->n, candidate->measured, candidate->predicted,
		tuning->options.model->said, bw_text_get(&origin));
	bw_text_free(&origin);
}

/* Tells on standard error that the device has become faster or slower, or that this is over. */
static void tell_drift(const struct bw_tuning *tuning, void *data)
{
	clear(data);
	if (bw_tuning_drifts(tuning))
		fprintf(
		    stderr,
		    "%5d  the control schedule takes %.2f times as long as before: the clock of %s drifts, or others use it\n",
		    tuning->n, bw_tuning_drift(tuning), tuning->meter->device);
	else
		fprintf(stderr, "%5d  the control schedule takes as long as before again\n", tuning->n);
}

static bool read_options(const struct bw_arguments *arguments, struct bw_tuning_request *request,
			 struct bw_error *error)
{
	struct bw_tuning_budget *budget = &request->budget;
	double minutes = 0;
	budget->samples = BW_TUNING_SAMPLES;
	if (!bw_arguments_number(arguments->samples, "samples", 1, BW_TUNING_SAMPLES_MOST, &budget->samples, error) ||
	    !bw_arguments_number(arguments->patience, "patience", 1, BW_TUNING_SAMPLES_MOST, &budget->patience,
				 error) ||
	    !bw_arguments_real(arguments->minutes, "minutes", false, 100000, &minutes, error))
		return false;
	if ((minutes > 0 || budget->patience) && !arguments->samples)
		budget->samples = BW_TUNING_SAMPLES_MOST;
	budget->seconds = 60 * minutes;
	request->replay = arguments->replay;
	request->strategy = arguments->strategy ? bw_tune_strategy_of(arguments->strategy) : BW_TUNE_BANDIT;
	return request->strategy < BW_N_TUNE_STRATEGIES ||
	       bw_fail(error, BW_ERROR_USAGE, "--strategy takes bandit, top or batch, not \"%s\"", arguments->strategy);
}

/* Writes the schedule, or JSON, and on standard error what was found and how to go on. */
static bool put(struct bw_program *program, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	struct bw_text summary = {0}, weights = {0}, out = {0};
	bw_program_tuning_print(program->session, &summary);
	bool kept = bw_program_tune_keep(program, &weights, error);
	fputs(bw_text_get(&summary), stderr);
	if (arguments->json)
		bw_program_tuning_json(program->session, &out);
	else
		bw_program_tuning_schedule(program->session, bw_text_get(&summary), &out);
	fputs(bw_text_get(&weights), stderr);
	bool good = kept && bw_program_put(program, &out, error);
	if (good && arguments->output && !arguments->json)
		fprintf(stderr, "%s has the fastest; for the generator: beamwalk export %s %s -o %s.h\n",
			arguments->output, arguments->pipeline, arguments->output, arguments->output);
	bw_text_free(&summary);
	bw_text_free(&weights);
	bw_text_free(&out);
	return good;
}

/* Writes the page of --report: the session is held to the fastest schedule, which the page then shows. */
static bool put_report(struct bw_program *program, struct bw_error *error)
{
	struct bw_session *session = program->session;
	const char *path = program->arguments.report;
	struct bw_text page = {0};
	bool good = bw_program_line(session, "tune take 1", error) && bw_program_search(session, error) &&
		    bw_page_write(session, &page, error) &&
		    bw_file_write(path, bw_text_get(&page), page.length, error);
	if (good)
		fprintf(stderr, "%s shows how the tuning went\n", path);
	bw_text_free(&page);
	return good;
}

/* Says on standard error what there is to say of workers. */
static void say_news(const char *line, void *data)
{
	clear(data);
	fprintf(stderr, "beamwalk: %s\n", line);
}

static bool goes_on(void *data)
{
	(void)data;
	return !is_stopped();
}

/* Tunes to the end, or until ^C. */
static bool tune(struct bw_program *program, struct bw_tuning_request *request, struct progress *shown,
		 struct bw_error *error)
{
	struct bw_session *session = program->session;
	struct bw_yield yield = {goes_on, NULL};
	request->faster = tell_fastest;
	request->drifts = tell_drift;
	request->data = shown;
	request->meter = bw_program_tuning_meter(program, &yield, say_news, shown, error);
	if (error->kind)
		return false;
	if (!bw_session_tune(session, request, error))
		return false;
	while (bw_session_tunes(session)) {
		if (!bw_session_work(session, 1e-3 * WORK_MS) && !bw_session_under_way(session))
			usleep(PAUSE_US);
		tell_device(bw_session_tuning(session), shown);
		show(shown);
		if (is_stopped())
			bw_session_stop(session);
	}
	clear(shown);
	const struct bw_tuning *tuning = bw_session_tuning(session);
	if (tuning->error.kind)
		*error = tuning->error;
	return !tuning->error.kind;
}

bool bw_program_tune(struct bw_program *program, struct bw_error *error)
{
	struct bw_tuning_request request = {0};
	struct progress progress = {0};
	sigset_t interrupt;
	if (!read_options(&program->arguments, &request, error) || !bw_program_open(program, error))
		return false;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, NULL);
	progress.session = program->session;
	struct bw_weights *start = BW_NEW(struct bw_weights);
	request.start = start;
	bool good = bw_program_tune_start(program, start, error) &&
		    tune(program, &request, &progress, error) && put(program, error) &&
		    (!program->arguments.report || put_report(program, error));
	bw_meter_of_workers_free(request.meter);
	free(start);
	return good;
}
