/* tune: measures batches of schedules, each chosen with the results so far, and writes the fastest
 * schedule with right output. Each measurement is stored at once and never repeated, so that the same
 * command continues a tuning that was stopped. */
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "command/report.h"
#include "page/page.h"
#include "program/program.h"
#include "session/improve.h"
#include "session/tuning.h"

enum { SHOWN_MS = 500 };

/* The line of progress on a terminal. */
struct progress {
	bool shown;
	bool told; /* which device is measured on */
	double when; /* the line was written, in s */
	int turns;   /* of those measured in turns: shown */
	int interrupts; /* from bw_program_interrupts */
};

static void clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}

/* Appends the progress of a tuning and its present step. */
static void say_progress(const struct bw_tuning *tuning, struct bw_text *line)
{
	bw_tuning_progress(tuning, line);
	if (tuning->phase == BW_TUNING_COMPARES)
		return;
	bw_text_puts(line, ": ");
	if (tuning->phase == BW_TUNING_MEASURES)
		tuning->meter->tell(tuning->meter->data, line);
	else
		bw_text_puts(line, tuning->phase == BW_TUNING_PROPOSES && !tuning->meter ? "waiting for devices" : "searching");
}

/* Prints on standard error if schedules are measured on another device than the one they are searched for. */
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

/* Shows the progress of the tuning on a terminal: now and then, and after each turn of a comparison in
 * turns. */
static void show(struct bw_session *session, void *data)
{
	struct progress *progress = data;
	const struct bw_tuning *tuning = bw_session_tuning(session);
	tell_device(tuning, progress);
	int turns =
	    tuning->phase == BW_TUNING_COMPARES ? tuning->turn * tuning->n_rounds + tuning->place + 1 : 0;
	if (!isatty(STDERR_FILENO) || (turns == progress->turns && bw_clock() < progress->when + 1e-3 * SHOWN_MS))
		return;
	BW_SCOPED_TEXT line = {0};
	say_progress(tuning, &line);
	fprintf(stderr, "\r\033[K%.79s", bw_text_get(&line));
	progress->shown = true;
	progress->turns = turns;
	progress->when = bw_clock();
}

/* Prints on standard error a schedule that is faster than all before. */
static void tell_fastest(const struct bw_tuning *tuning, int number, void *data)
{
	const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, number);
	BW_SCOPED_TEXT origin = {0};
	bw_tuning_origin(tuning, number, &origin);
	clear(data);
	fprintf(stderr, "%5d  %10.4g ms  predicted %.4g %s  %s\n", tuning->n, candidate->measured, candidate->predicted,
		tuning->options.model->said, bw_text_get(&origin));
}

/* Prints on standard error that the device has become faster or slower, or that its speed is back to
 * normal. */
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

/* Appends a summary of the tuning, in some lines. */
static void program_tuning_print(const struct bw_session *session, struct bw_text *out)
{
	const struct bw_tuning *tuning = bw_session_tuning(session);
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_agreement agreement = bw_tuning_figures_of(tuning, arena).of_all;
	bw_text_printf(out, "%s on %s: %d schedule%s in %.0f s%s", session->source.name,
		       tuning->meter->device, tuning->n, tuning->n == 1 ? "" : "s",
		       bw_tuning_seconds(tuning), tuning->stopped ? ", stopped" : "");
	if (tuning->stored)
		bw_text_printf(out, ", %d of them measured before", tuning->stored);
	if (tuning->failed)
		bw_text_printf(out, ", %d failed or wrong", tuning->failed);
	bw_text_puts(out, "\n");
	for (int k = 0; k < tuning->n_rounds; k++) {
		bw_tuning_rounds_words(tuning, k, out);
		bw_text_puts(out, "\n");
	}
	bw_tuning_controls_words(tuning, out);
	bw_tuning_given_words(tuning, out);
	if (tuning->given_error.kind)
		bw_text_puts(out, "\n");
	if (isfinite(agreement.rho))
		bw_text_printf(out, "%s and measured: rank correlation %.2f (Spearman's rho) over %d schedules\n",
			       tuning->options.model->title, agreement.rho, agreement.n);
	if (tuning->meter->sum)
		tuning->meter->sum(tuning->meter->data, out);
	if (tuning->meter->file)
		bw_text_printf(out, "times are those of %s, and nothing was measured\n", tuning->meter->file);
	else if (tuning->meter->estimates)
		bw_text_puts(out, "times are estimated from counts of the emulated device, not measured\n");
}

/* Appends the results of the tuning as JSON. */
static void program_tuning_json(const struct bw_session *session, struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_tuning_figures figures = bw_tuning_figures_of(bw_session_tuning(session), arena);
	json_t *object = bw_tuning_json(&figures, session->source.name);
	bw_json_put_line(out, object, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}

/* Appends the fastest schedule as a schedule file. The summary follows as comments. */
static void program_tuning_schedule(struct bw_session *session, const char *summary, struct bw_text *out)
{
	const struct bw_tuning *tuning = bw_session_tuning(session);
	bw_tuning_schedule(tuning, bw_tuning_best(tuning), out);
	bw_text_puts(out, "\n");
	for (const char *line = summary, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		bw_text_printf(out, "# %.*s\n", (int)(end - line), line);
	}
	bw_facts_print(session, bw_tuning_candidate(tuning, bw_tuning_best(tuning))->nest, "# ", out);
}

/* Returns the path of a device's weights; free(). */
static char *path_of(const struct bw_program *program)
{
	char *path = bw_format("%s/%s.weights", program->layout.data, program->session->options.device->name);
	for (char *c = path + strlen(program->layout.data) + 1; (c = strchr(c, '/'));)
		*c = '_';
	return path;
}

/* Stores the trained weights for the device, and appends a line that names the file. Does nothing if times
 * were only replayed. Returns false with an error if the file cannot be written. */
static bool program_tune_keep(struct bw_program *program, struct bw_text *said, struct bw_error *error)
{
	const struct bw_tuning *tuning = bw_session_tuning(program->session);
	const struct bw_weights *weights = bw_session_tuned_weights(program->session);
	/* Times of a file, or of another device, are not kept for the device that is searched for. */
	if (!weights || tuning->meter->file ||
	    strcmp(tuning->meter->device, tuning->options.device->name) != 0)
		return true;
	BW_SCOPED_MEMORY char *path = path_of(program);
	bool good = bw_weights_write(path, weights, error);
	if (good)
		bw_text_printf(said, "weights of the learned model, trained on %lld schedules: %s\n",
			       (long long)weights->origin.samples, path);
	return good;
}

/* Writes the schedule, or JSON. Prints the summary and the next steps on standard error. */
static bool put(struct bw_program *program, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	BW_SCOPED_TEXT summary = {0}, weights = {0}, out = {0};
	program_tuning_print(program->session, &summary);
	bool kept = program_tune_keep(program, &weights, error);
	fputs(bw_text_get(&summary), stderr);
	if (arguments->json)
		program_tuning_json(program->session, &out);
	else
		program_tuning_schedule(program->session, bw_text_get(&summary), &out);
	fputs(bw_text_get(&weights), stderr);
	bool good = kept && bw_program_put(program, &out, error);
	if (good && arguments->output && !arguments->json)
		fprintf(stderr, "%s has the fastest; for the generator: beamwalk export %s %s -o %s.h\n",
			arguments->output, arguments->pipeline, arguments->output, arguments->output);
	else if (good && !arguments->json)
		fprintf(stderr, "next: -o %s.schedule keeps the fastest as a file, which `beamwalk export %s %s.schedule` writes in C++\n",
			program->session->pipeline->name, arguments->pipeline, program->session->pipeline->name);
	return good;
}

/* Writes the page of --report. First holds the session to the fastest schedule, because the page shows the
 * session's schedule. */
static bool put_report(struct bw_program *program, struct bw_error *error)
{
	struct bw_session *session = program->session;
	const char *path = program->arguments.report;
	BW_SCOPED_TEXT page = {0};
	bool good = bw_program_line(session, "tune take 1", error) && bw_program_search(session, error) &&
		    bw_page_write(session, &page, error) &&
		    bw_file_write(path, bw_text_get(&page), page.length, error);
	if (good)
		fprintf(stderr, "%s shows how the tuning went\n", path);
	return good;
}

/* Prints news of the workers on standard error. */
static void say_news(const char *line, void *data)
{
	clear(data);
	fprintf(stderr, "beamwalk: %s\n", line);
}

/* Commands of workers: those of --on, and the lines of --hosts. */
struct commands {
	const char **list;
	int n, capacity;
	struct bw_text hosts; /* the file, whose lines the list refers to */
};

static void add(struct commands *commands, const char *command)
{
	BW_PUSH(commands->list, commands->n, commands->capacity, command);
}

enum { MOST_BYTES = 1 << 20 };

/* Adds the lines of a file that are neither empty nor comments. */
static bool add_hosts(struct commands *commands, const char *path, struct bw_error *error)
{
	if (!bw_file_read(path, MOST_BYTES, &commands->hosts, error) ||
	    !bw_text_lines(path, &commands->hosts, error))
		return false;
	int before = commands->n;
	for (char *line = commands->hosts.bytes, *end; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		line += strspn(line, " \t\r");
		for (size_t n = strlen(line); n && strchr(" \t\r", line[n - 1]);)
			line[--n] = 0;
		if (*line && *line != '#')
			add(commands, line);
	}
	return commands->n > before ||
	       bw_fail(error, BW_ERROR_INPUT,
		       "%s: it names no worker: expected a command per line, as in ssh HOST beamwalk-bench",
		       path);
}

/* Lists the commands of the workers that the command line names. Returns false with an error. */
static bool find_workers(const struct bw_arguments *arguments, struct commands *commands,
			 struct bw_error *error)
{
	if (arguments->slurm)
		return (!arguments->n_workers && !arguments->hosts) ||
		       bw_fail(error, BW_ERROR_USAGE, "--slurm has workers of its own: leave out --on and --hosts");
	for (int i = 0; i < arguments->n_workers; i++)
		add(commands, arguments->workers[i]);
	return !arguments->hosts || add_hosts(commands, arguments->hosts, error);
}

/* Tunes to the end, or until ^C. The folder of Slurm's jobs is created in the current folder and named
 * after the pipeline. */
static bool tune(struct bw_program *program, struct bw_tuning_request *request, struct progress *shown,
		 struct bw_error *error)
{
	struct bw_session *session = program->session;
	const struct bw_arguments *arguments = &program->arguments;
	struct commands commands = {0};
	bool good = find_workers(arguments, &commands, error);
	if (!commands.n && !arguments->slurm)
		add(&commands, NULL);
	BW_SCOPED_MEMORY char *folder = bw_format("%s.slurm", session->pipeline->name);
	struct bw_meter_workers workers = {
	    commands.list, commands.n, arguments->slurm, folder, say_news, shown};
	request->workers = &workers;
	request->faster = tell_fastest;
	request->drifts = tell_drift;
	request->data = shown;
	good = good && bw_session_tune(session, request, error);
	if (good && !bw_session_settle(session, shown->interrupts, show, shown))
		bw_session_stop(session);
	clear(shown);
	bw_text_free(&commands.hosts);
	free(commands.list);
	const struct bw_tuning *tuning = good ? bw_session_tuning(session) : NULL;
	if (good && tuning->error.kind)
		*error = tuning->error;
	return good && !tuning->error.kind;
}

/* Sets the initial weights of the learned model's training: those of --weights, those stored for the
 * device, or random ones. Returns false with an error if weights cannot be read. */
static bool program_tune_start(const struct bw_program *program, struct bw_weights *weights,
				  struct bw_error *error)
{
	const struct bw_cost_model *given = program->session->options.weights;
	BW_SCOPED_MEMORY char *path = path_of(program);
	bool kept = !given && access(path, F_OK) == 0, good = true;
	if (given)
		*weights = given->learned->weights;
	else if (kept)
		good = bw_weights_read(path, weights, error);
	else
		bw_weights_draw(weights, program->session->options.seed);
	return good;
}

bool bw_program_tune(struct bw_program *program, struct bw_error *error)
{
	struct bw_tuning_request request = {0};
	struct progress progress = {0};
	struct bw_error ignored;
	BW_SCOPED_TEXT unsaid = {0};
	if (!read_options(&program->arguments, &request, error) || !bw_program_open_parts(program, error))
		return false;
	BW_SCOPED_SCHEDULE *hand = bw_improve_hand(program->session, &unsaid, &ignored);
	if ((progress.interrupts = bw_program_interrupts(true, error)) < 0)
		return false;
	struct bw_weights *start = BW_NEW(struct bw_weights);
	request.start = start;
	request.given = hand;
	request.given_near = unsaid.length > 0;
	bool good = program_tune_start(program, start, error) &&
		    tune(program, &request, &progress, error) && put(program, error) &&
		    (!program->arguments.report || put_report(program, error));
	free(start);
	close(progress.interrupts);
	return good;
}
