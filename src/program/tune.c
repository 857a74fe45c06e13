/* tune: measures one batch of schedules after another, each chosen by what was measured so far, and writes
 * the fastest right one. What is measured is stored as it comes and never measured twice, so that a tuning
 * that was ended anyhow goes on where it was when the same command is given again. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "program/tune.h"
#include "session/measure.h"

enum {
	SAMPLES = 100, /* measured by default */
	BATCH = 8,     /* proposed at once */
	ABSENT = 300,  /* proposals in a row that a file knows nothing of, which end its replay */
	SAMPLES_MOST = 1000000
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns true once ^C, which is blocked, was pressed. */
static bool is_stopped(struct bw_tuning *tuning)
{
	sigset_t pending;
	tuning->stopped |= sigpending(&pending) == 0 && sigismember(&pending, SIGINT) == 1;
	return tuning->stopped;
}

static bool goes_on(void *data)
{
	return !is_stopped(data);
}

/* Returns true once no further schedule is to be measured. */
static bool is_over(struct bw_tuning *tuning)
{
	return tuning->n >= tuning->samples || is_stopped(tuning) ||
	       (tuning->patience && tuning->n - tuning->since >= tuning->patience) ||
	       (tuning->limit > 0 && now() - tuning->began >= tuning->limit);
}

static const struct bw_tune_candidate *candidate_of(const struct bw_tuning *tuning, int number)
{
	int n;
	return &bw_tune_candidates(tuning->tune, &n)[number];
}

static void clear_progress(struct bw_tuning *tuning)
{
	if (tuning->shown)
		fputs("\r\033[K", stderr);
	tuning->shown = false;
}

/* Shows on a terminal how far it is, `done` being the outcomes so far, and for how long it goes on. */
static void show_progress(struct bw_tuning *tuning, int done)
{
	if (!isatty(STDERR_FILENO))
		return;
	struct bw_text line = {0};
	int best = bw_tune_best(tuning->tune), fresh = done - tuning->stored;
	double spent = now() - tuning->began, left = tuning->limit > 0 ? tuning->limit - spent : INFINITY;
	if (fresh > 0 && tuning->samples < SAMPLES_MOST)
		left = fmin(left, spent / fresh * (double)(tuning->samples - done));
	if (tuning->samples < SAMPLES_MOST)
		bw_text_printf(&line, "%d of %ld", done, tuning->samples);
	else
		bw_text_printf(&line, "%d measured", done);
	if (best >= 0)
		bw_text_printf(&line, ", fastest %.4g ms", candidate_of(tuning, best)->measured);
	if (isfinite(left))
		bw_text_printf(&line, ", %.0f s left", fmax(left, 0));
	bw_text_puts(&line, ": ");
	tuning->meter->tell(tuning->meter->data, &line);
	fprintf(stderr, "\r\033[K%.79s", bw_text_get(&line));
	bw_text_free(&line);
	tuning->shown = true;
}

/* Tells on standard error of a schedule that is faster than all before. */
static void tell_fastest(struct bw_tuning *tuning, int number, int done)
{
	const struct bw_tune_candidate *candidate = candidate_of(tuning, number);
	struct bw_text origin = {0};
	bw_tuning_origin(tuning, number, &origin);
	clear_progress(tuning);
	fprintf(stderr, "%5d  %10.4g ms  predicted %.4g %s  %s\n", done, candidate->measured, candidate->predicted,
		tuning->session->options.model->said, bw_text_get(&origin));
	bw_text_free(&origin);
}

/* Asks for a batch. Returns false with an error. */
static bool ask(struct bw_tuning *tuning, const int *numbers, int n, struct bw_error *error)
{
	for (int i = 0; i < n; i++) {
		const struct bw_tune_candidate *candidate = candidate_of(tuning, numbers[i]);
		char label[48];
		snprintf(label, sizeof label, BW_TUNING_LABEL "%d", tuning->n + i + 1);
		struct bw_meter_asked asked = {numbers[i], candidate->nest, candidate->hash, label, false};
		if (!tuning->meter->ask(tuning->meter->data, &asked, error))
			return false;
	}
	return true;
}

/* Takes in one outcome, the `done`-th of all. Returns false with an error if it ends the tuning. */
static bool take_in(struct bw_tuning *tuning, const struct bw_meter_outcome *outcome, int done,
		    struct bw_error *error)
{
	int before = bw_tune_best(tuning->tune);
	if (outcome->ends) {
		*error = outcome->error;
		return false;
	}
	if (outcome->absent) {
		tuning->absent++;
		return true;
	}
	tuning->absent = 0;
	tuning->stored += outcome->stored;
	if (!isfinite(outcome->ms) && !tuning->failed++)
		tuning->failure = outcome->error;
	bw_tune_tell(tuning->tune, outcome->number, outcome->ms);
	if (bw_tune_best(tuning->tune) != before) {
		tuning->since = done;
		tell_fastest(tuning, outcome->number, done);
	}
	return true;
}

/* Asks for a batch, and waits for its outcomes, or until it is stopped or the time is over. */
static bool measure(struct bw_tuning *tuning, const int *numbers, int n, struct bw_error *error)
{
	struct bw_meter *meter = tuning->meter;
	double shown = 0;
	int done = 0, absent = 0; /* of the batch: outcomes, and those that are none */
	bool good = ask(tuning, numbers, n, error);
	while (good && done < n) {
		struct bw_meter_outcome outcomes[BATCH];
		int taken = meter->take(meter->data, outcomes, BATCH);
		for (int i = 0; good && i < taken; i++) {
			absent += outcomes[i].absent;
			good = take_in(tuning, &outcomes[i], tuning->n + ++done - absent, error);
		}
		if (is_stopped(tuning) || (tuning->limit > 0 && now() - tuning->began >= tuning->limit))
			break;
		if (now() > shown + 0.5) {
			show_progress(tuning, tuning->n + done - absent);
			shown = now();
		}
	}
	if (done < n)
		meter->stop(meter->data);
	tuning->n += done - absent;
	for (int i = 0; i < n; i++)
		if (candidate_of(tuning, numbers[i])->measured > 0) {
			BW_GROW(tuning->order, tuning->n_order, tuning->order_capacity);
			tuning->order[tuning->n_order++] = numbers[i];
		}
	return good;
}

/* Proposes and measures until it is over. */
static bool go_on(struct bw_tuning *tuning, struct bw_error *error)
{
	struct bw_yield yield = {goes_on, tuning};
	int numbers[BATCH];
	while (!is_over(tuning)) {
		long left = tuning->samples - tuning->n;
		int n = bw_tune_propose(tuning->tune, left < BATCH ? (int)left : BATCH, numbers, &yield);
		if (!n)
			break;
		if (!measure(tuning, numbers, n, error))
			return false;
		if ((tuning->failed == BATCH && tuning->failed == tuning->n) || tuning->absent >= ABSENT)
			break;
	}
	tuning->ended = now();
	clear_progress(tuning);
	if (bw_tune_best(tuning->tune) >= 0)
		return true;
	if (tuning->failed)
		return bw_fail(error, tuning->failure.kind, "none of %d schedules ran and was right; the first: %s",
			       tuning->n, tuning->failure.text);
	if (tuning->meter->file && !tuning->stopped)
		return bw_fail(error, BW_ERROR_INPUT, "%s: it knows none of the schedules that are proposed for %s",
			       tuning->meter->file, tuning->session->pipeline->name);
	return tuning->stopped ? bw_fail(error, BW_ERROR_STOPPED, "stopped before anything was measured")
			       : bw_fail(error, BW_ERROR_USAGE, "nothing was measured within --minutes %s: give it more",
					 tuning->program->arguments.minutes);
}

static void add_rounds(struct bw_tuning *tuning, const char *name, const struct bw_nest *nest)
{
	tuning->rounds[tuning->n_rounds++] = (struct bw_tuning_rounds){.name = name, .nest = nest};
}

/* Measures one of those compared once more. */
static void measure_again(struct bw_tuning *tuning, int place)
{
	struct bw_tuning_rounds *of = &tuning->rounds[place];
	struct bw_meter *meter = tuning->meter;
	struct bw_meter_outcome outcome;
	struct bw_meter_asked asked = {.number = place, .nest = of->nest, .label = of->name, .again = true};
	int taken = 0;
	if (!meter->ask(meter->data, &asked, &of->error))
		return;
	while (!taken && !is_stopped(tuning))
		taken = meter->take(meter->data, &outcome, 1);
	if (!taken)
		meter->stop(meter->data);
	else if (isfinite(outcome.ms))
		of->ms[of->n++] = outcome.ms;
	else
		of->error = outcome.error;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

/* Measures the fastest, the first shot and the one by hand in turns, so that a clock that drifts is the same
 * to all. What fails or is stopped has fewer rounds. */
static void compare(struct bw_tuning *tuning)
{
	int best = bw_tune_best(tuning->tune), first = tuning->order[0];
	int n_turns = tuning->meter->estimates || tuning->meter->file ? 1 : BW_TUNING_ROUNDS;
	add_rounds(tuning, "fastest", candidate_of(tuning, best)->nest);
	if (best != first && isfinite(candidate_of(tuning, first)->measured))
		add_rounds(tuning, "first shot", candidate_of(tuning, first)->nest);
	add_rounds(tuning, "by hand", NULL);
	for (int turn = 0; turn < n_turns; turn++)
		for (int k = 0; k < tuning->n_rounds && !is_stopped(tuning); k++) {
			if (tuning->rounds[k].n < turn)
				continue;
			tuning->shown = isatty(STDERR_FILENO);
			if (tuning->shown)
				fprintf(stderr, "\r\033[Kmeasuring in turns, %d of %d: %s", turn + 1, n_turns,
					tuning->rounds[k].name);
			measure_again(tuning, k);
		}
	for (int k = 0; k < tuning->n_rounds; k++)
		qsort(tuning->rounds[k].ms, (size_t)tuning->rounds[k].n, sizeof(double), by_value);
	clear_progress(tuning);
}

/* Returns the strategy of a name; BW_N_TUNE_STRATEGIES: none has it. */
static enum bw_tune_strategy strategy_of(const char *name)
{
	static const char *const names[] = {
#define X(id, name, text) name,
	    BW_TUNE_STRATEGY_TABLE(X)
#undef X
	};
	int k = 0;
	while (k < BW_N_TUNE_STRATEGIES && strcmp(name, names[k]) != 0)
		k++;
	return (enum bw_tune_strategy)k;
}

static bool read_options(struct bw_tuning *tuning, enum bw_tune_strategy *strategy, struct bw_error *error)
{
	const struct bw_arguments *arguments = &tuning->program->arguments;
	long minutes = 0;
	if (!bw_arguments_number(arguments->samples, "samples", 1, SAMPLES_MOST, &tuning->samples, error) ||
	    !bw_arguments_number(arguments->patience, "patience", 1, SAMPLES_MOST, &tuning->patience, error) ||
	    !bw_arguments_number(arguments->minutes, "minutes", 1, 100000, &minutes, error))
		return false;
	if ((minutes || tuning->patience) && !arguments->samples)
		tuning->samples = SAMPLES_MOST;
	tuning->limit = 60. * (double)minutes;
	*strategy = arguments->strategy ? strategy_of(arguments->strategy) : BW_TUNE_BANDIT;
	return *strategy < BW_N_TUNE_STRATEGIES ||
	       bw_fail(error, BW_ERROR_USAGE, "--strategy takes bandit, top or batch, not \"%s\"", arguments->strategy);
}

/* Writes the schedule, or JSON, and on standard error what was found and how to go on. */
static bool put(struct bw_tuning *tuning, struct bw_error *error)
{
	const struct bw_arguments *arguments = &tuning->program->arguments;
	struct bw_text summary = {0}, out = {0};
	bw_tuning_print(tuning, &summary);
	fputs(bw_text_get(&summary), stderr);
	if (arguments->json)
		bw_tuning_print_json(tuning, &out);
	else
		bw_tuning_print_schedule(tuning, bw_text_get(&summary), &out);
	bool good = bw_program_put(tuning->program, &out, error);
	if (good && arguments->output && !arguments->json)
		fprintf(stderr, "%s has the fastest; for the generator: beamwalk export %s %s -o %s.h\n",
			arguments->output, arguments->pipeline, arguments->output, arguments->output);
	bw_text_free(&summary);
	bw_text_free(&out);
	return good;
}

static bool tune(struct bw_tuning *tuning, enum bw_tune_strategy strategy, struct bw_error *error)
{
	struct bw_session *session = tuning->session;
	struct bw_yield yield = {goes_on, tuning};
	tuning->began = now();
	tuning->tune = bw_tune_new(session->pipeline, &session->options, strategy, &yield, error);
	if (!tuning->tune)
		return false;
	const char *replay = tuning->program->arguments.replay;
	tuning->meter = replay ? bw_meter_of_file(session, replay, error) : bw_meter_of_session(session, &yield);
	if (!tuning->meter || !go_on(tuning, error))
		return false;
	compare(tuning);
	return put(tuning, error);
}

bool bw_program_tune(struct bw_program *program, struct bw_error *error)
{
	struct bw_tuning tuning = {.program = program, .samples = SAMPLES};
	enum bw_tune_strategy strategy;
	sigset_t interrupt;
	if (!read_options(&tuning, &strategy, error) || !bw_program_open(program, error))
		return false;
	if (!program->session->source.compilable && !program->arguments.replay)
		return bw_fail(error, BW_ERROR_HALIDE, "%s is only described: tune needs its generator, to compile it",
			       program->session->source.name);
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, NULL);
	tuning.session = program->session;
	bool good = tune(&tuning, strategy, error);
	clear_progress(&tuning);
	(program->arguments.replay ? bw_meter_of_file_free : bw_meter_of_session_free)(tuning.meter);
	free(tuning.order);
	bw_tune_free(tuning.tune);
	return good;
}
