/* A tuning in a session: its computations take turns with the session's other work, and a pool of workers
 * measures. */
#include "session/tuning.h"

#include <math.h>

#include "base/clock.h"
#include "session/core.h"

struct part {
	struct bw_tuning *tuning;
	struct bw_meter *meter;     /* the part's own meter, which the tuning uses once it is ready; NULL: the
				       request's meter */
	double waits; /* time in s since when the tuning waits only for its devices; 0: it does not */
	char *replay;               /* the file to replay; NULL: none */
	char *on;                   /* the worker's command when the tuning began; NULL: this machine's own
				       worker */
	struct bw_arena *arena;     /* arena of the figures; NULL: there are none */
	struct bw_tuning_figures figures;
};

static BW_PART_DATA(part_of, struct part, TUNING)

const struct bw_tuning *bw_session_tuning(const struct bw_session *session)
{
	return part_of(session)->tuning;
}

bool bw_session_tunes(const struct bw_session *session)
{
	const struct bw_tuning *tuning = part_of(session)->tuning;
	return tuning && tuning->phase < BW_TUNING_ENDED;
}

const struct bw_tuning_figures *bw_session_tuning_figures(const struct bw_session *session)
{
	struct part *part = part_of(session);
	if (!part->tuning || !part->tuning->tune)
		return NULL;
	if (part->arena && part->figures.n == part->tuning->n)
		return &part->figures;
	bw_arena_free(part->arena);
	part->arena = bw_arena_new();
	part->figures = bw_tuning_figures_of(part->tuning, part->arena);
	return &part->figures;
}

static void end(struct bw_session *session)
{
	struct part *part = part_of(session);
	bw_part_halt(session, BW_PART_TUNING);
	bw_tuning_free(part->tuning);
	(part->replay ? bw_meter_of_file_free : bw_meter_of_workers_free)(part->meter);
	bw_arena_free(part->arena);
	free(part->replay);
	free(part->on);
	*part = (struct part){0};
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns true if measurements are made as when the tuning began: by the same worker, or from a file. */
static bool measures_alike(const struct bw_session *session)
{
	const struct part *part = part_of(session);
	return !part->meter || part->replay || is_same(part->on, bw_bench_command(session->bench));
}

/* Returns true if a tuning has ended with an error that continuing it cannot fix. */
static bool has_failed(const struct bw_tuning *tuning)
{
	return tuning->error.kind && tuning->error.kind != BW_ERROR_STOPPED && tuning->error.kind != BW_ERROR_USAGE;
}

/* Returns true if the present tuning can continue as requested. */
static bool can_go_on(const struct bw_session *session, const struct bw_tuning_request *request)
{
	const struct part *part = part_of(session);
	return request->again && part->tuning && part->meter && !has_failed(part->tuning) && !request->meter &&
	       bw_settings_equal(&part->tuning->options, &session->options) && measures_alike(session) &&
	       (request->any_strategy || request->strategy == part->tuning->strategy) &&
	       (!request->replay || is_same(request->replay, part->replay));
}

static void go_on(struct bw_session *session, const struct bw_tuning_request *request)
{
	struct bw_tuning *tuning = part_of(session)->tuning;
	struct bw_tuning_budget budget = request->budget;
	if (!budget.samples && tuning->n < tuning->budget.samples)
		budget.samples = tuning->budget.samples;
	else
		budget.samples = tuning->n + (budget.samples ? budget.samples : BW_TUNING_SAMPLES);
	bw_tuning_go_on(tuning, &budget);
}

/* Opens the requested meter: a file, workers, or else the session's worker. */
static struct bw_meter *open_meter(struct bw_session *session, const struct bw_tuning_request *request,
				   struct bw_error *error)
{
	const char *command = bw_bench_command(session->bench);
	const struct bw_meter_workers own = {.commands = &command, .n = 1};
	return request->replay ? bw_meter_of_file(session, request->replay, error)
			       : bw_meter_of_workers(session, request->workers ? request->workers : &own, error);
}

bool bw_session_tune(struct bw_session *session, const struct bw_tuning_request *request,
		     struct bw_error *error)
{
	struct part *part = part_of(session);
	struct bw_meter *meter = request->meter;
	const char *on = bw_bench_command(session->bench);
	if (can_go_on(session, request)) {
		go_on(session, request);
		bw_session_touch(session);
		return true;
	}
	if (!meter && !request->replay && !session->source.compilable)
		return bw_fail(error, BW_ERROR_HALIDE, "%s is only described: tune needs its generator, to compile it",
			       session->source.name);
	if (!meter && !(meter = open_meter(session, request, error)))
		return false;
	struct bw_tuning_budget budget = request->budget;
	budget.samples = budget.samples ? budget.samples : BW_TUNING_SAMPLES;
	end(session);
	part->tuning = bw_tuning_new(session->pipeline, &session->options, request->strategy, &budget,
				     request->start);
	if (request->given)
		bw_tuning_give(part->tuning, request->given, request->given_near);
	part->tuning->meter = request->meter || request->replay ? meter : NULL;
	part->tuning->faster = request->faster;
	part->tuning->drifts = request->drifts;
	part->tuning->data = request->data;
	part->meter = request->meter ? NULL : meter;
	part->replay = part->meter && request->replay ? bw_strdup(request->replay) : NULL;
	part->on = on ? bw_strdup(on) : NULL;
	bw_session_touch(session);
	return true;
}

const struct bw_weights *bw_session_tuned_weights(struct bw_session *session)
{
	struct bw_tuning *tuning = part_of(session)->tuning;
	return tuning && tuning->tune ? bw_tune_weights(tuning->tune) : NULL;
}

/* Returns true if the first batch has to wait for the devices: its size depends on their number. */
static bool waits(const struct part *part)
{
	return part->meter && !part->tuning->meter && part->tuning->phase == BW_TUNING_PROPOSES;
}

static bool is_wanted(const struct bw_session *session)
{
	const struct part *part = part_of(session);
	return part->tuning && bw_tuning_computes(part->tuning) && !waits(part);
}

static void run(const struct bw_yield *yield, void *data)
{
	struct part *part = data;
	bw_tuning_compute(part->tuning, yield);
}

/* Returns the time of a candidate: if it was measured in turns with the fastest, the median of these. */
static double time_of(const struct bw_tuning *tuning, int number)
{
	const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, number);
	for (int k = 0; k < tuning->n_rounds; k++)
		if (tuning->rounds[k].nest == candidate->nest && tuning->rounds[k].n)
			return bw_tuning_median(&tuning->rounds[k]);
	return candidate->measured;
}

/* Reports the result of the tuning in the message. */
static void say_end(struct bw_session *session)
{
	const struct bw_tuning *tuning = part_of(session)->tuning;
	BW_SCOPED_TEXT words = {0};
	if (tuning->error.kind) {
		bw_text_printf(&words, "tune: %s", tuning->error.text);
	} else {
		int number = tuning->samples[0].number;
		double fastest = time_of(tuning, bw_tuning_best(tuning)), first = time_of(tuning, number);
		bw_text_printf(&words, "%s%s: fastest %.4g ms", tuning->stopped ? "tuning stopped after " : "tuned ",
			       bw_say_number(tuning->n, "schedule").text, fastest);
		if (isfinite(first))
			bw_text_printf(&words, ", first shot %.4g ms%s", first,
				       bw_tuning_ties(tuning, number) ? ", a tie" : "");
		bw_text_puts(&words, tuning->stopped ? "; `tune` goes on, `tune take` holds it" : "; `tune take` holds it");
		if (tuning->given_error.kind)
			bw_text_puts(&words, "; ");
		bw_tuning_given_words(tuning, &words);
	}
	bw_session_tell(session, tuning->error.kind && !tuning->stopped, "%s", bw_text_get(&words));
}

static void take(struct bw_session *session, bool ended)
{
	if (!ended)
		return;
	if (!bw_session_tunes(session))
		say_end(session);
	bw_session_touch(session);
}

/* Stops the tuning. */
static void halt(struct bw_session *session)
{
	bw_part_halt(session, BW_PART_TUNING);
	bw_tuning_stop(part_of(session)->tuning);
	say_end(session);
}

/* Gives the tuning its meter once the meter is ready. Time spent only on waiting for the devices is not part
 * of the budget. */
static void take_meter(struct bw_session *session)
{
	struct part *part = part_of(session);
	struct bw_error error = {0};
	if (bw_meter_ready(part->meter, &error)) {
		part->tuning->meter = part->meter;
		part->tuning->began += part->waits ? bw_clock() - part->waits : 0;
		part->waits = 0;
	} else if (error.kind) {
		bw_part_halt(session, BW_PART_TUNING);
		bw_tuning_fail(part->tuning, &error);
	} else if (!part->waits && waits(part)) {
		part->waits = bw_clock();
	}
}

static void poll(struct bw_session *session)
{
	struct part *part = part_of(session);
	if (!bw_session_tunes(session))
		return;
	if (!part->tuning->meter)
		take_meter(session);
	if (bw_part_runs(session, BW_PART_TUNING))
		return;
	if (!measures_alike(session)) {
		halt(session);
		return;
	}
	while (bw_tuning_poll(part->tuning))
		bw_session_touch(session);
	if (!bw_session_tunes(session))
		say_end(session);
}

static int fds(const struct bw_session *session, int *fds, int most)
{
	const struct part *part = part_of(session);
	const struct bw_meter *meter = part->meter ? part->meter : part->tuning ? part->tuning->meter : NULL;
	bool waits = bw_session_tunes(session) && !bw_part_runs(session, BW_PART_TUNING);
	return waits && meter && meter->fds ? meter->fds(meter->data, fds, most) : 0;
}

static void stop(struct bw_session *session)
{
	if (bw_session_tunes(session))
		halt(session);
}

/* Stops a tuning whose settings differ from the present ones: its schedules would be measured for
 * another device. */
static void changed(struct bw_session *session)
{
	const struct bw_tuning *tuning = part_of(session)->tuning;
	if (!bw_session_tunes(session) || bw_settings_equal(&tuning->options, &session->options))
		return;
	halt(session);
	bw_session_warn(session, "the tuning was of the settings before, and is stopped");
}

const struct bw_session_part bw_part_tuning = {
    .size = sizeof(struct part),
    .run = run,
    .wanted = is_wanted,
    .take = take,
    .poll = poll,
    .busy = bw_session_tunes,
    .fds = fds,
    .changed = changed,
    .stop = stop,
    .end = end,
};
