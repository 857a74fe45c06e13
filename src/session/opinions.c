#include "session/opinions.h"

#include <math.h>

#include "base/say.h"
#include "session/core.h"
#include "session/counters.h"

/* The opinions, with the thread that fills them. */
struct opining {
	struct bw_opinions *opinions;
	const struct bw_routine *routine; /* the routine, which reports each filled row */
	atomic_bool stop;
	int seen;             /* number of filled rows when rows were taken last */
	uint64_t generation;  /* generation of the session for which the counted and measured figures hold */
	unsigned open;        /* bit set of the rows whose kernels are shown */
	double *stored;       /* by row: stored measurement in ms; NAN: none */
	char (*device)[128];  /* by row: the device of the stored measurement */
	char measured_on[128];
};

/* Returns the address of the pointer to the part's data. The pointer is NULL if there are no data. */
static BW_PART_DATA(place_in, struct opining *, OPINIONS)

bool bw_session_opines(const struct bw_session *session)
{
	return bw_part_runs(session, BW_PART_OPINIONS);
}

bool bw_opinions_stopped(const struct bw_session *session)
{
	const struct opining *opining = *place_in(session);
	return opining && !bw_session_opines(session) &&
	       atomic_load(&opining->opinions->done) < opining->opinions->n;
}

static void end(struct bw_session *session)
{
	struct opining *opining = *place_in(session);
	if (!opining)
		return;
	atomic_store(&opining->stop, true);
	bw_part_halt(session, BW_PART_OPINIONS);
	bw_opinions_free(opining->opinions);
	free(opining->stored);
	free(opining->device);
	free(opining);
	*place_in(session) = NULL;
}

/* Fills the rows; runs on a thread of its own. */
static void run(const struct bw_yield *yield, void *data)
{
	(void)yield;
	struct opining *opining = *(struct opining **)data;
	while (bw_opinions_next(opining->opinions, &opining->stop))
		bw_routine_tell(opining->routine);
}

/* Returns the schedule hash by which a row's measurements are found; 0: none. */
static uint64_t hash_of(const struct bw_session *session, const struct bw_opinion *opinion)
{
	if (!opinion->scheduler)
		return session->source.compilable ? bw_session_hand(session, false) : 0;
	return opinion->schedule ? bw_schedule_hash(opinion->schedule) : 0;
}

/* Writes the name of the device on which a schedule ran, with a mark if it is not a GPU. */
static void name_device(const struct bw_measurement *measurement, char name[128])
{
	snprintf(name, 128, "%.110s%s", measurement->device, bw_measurement_mark(measurement));
}

/* Looks for stored measurements of a filled row. */
static void find_stored(struct bw_session *session, struct opining *opining, int row)
{
	struct bw_timing timing = {.schedule = hash_of(session, &opining->opinions->list[row])};
	if (!timing.schedule || !bw_record_find(session, &timing))
		return;
	if (timing.phase == BW_JOB_DONE && !bw_verdict_differs(timing.measurement.verdict) &&
	    !isnan(timing.measurement.median)) {
		opining->stored[row] = timing.measurement.median;
		name_device(&timing.measurement, opining->device[row]);
	}
	free(timing.label);
}

/* Takes over the rows that were filled since the last call. Returns true if there are any. */
static bool take_rows(struct bw_session *session)
{
	struct opining *opining = *place_in(session);
	int done = atomic_load(&opining->opinions->done), before = opining->seen;
	for (; opining->seen < done; opining->seen++)
		find_stored(session, opining, opining->seen);
	opining->generation = 0;
	return done > before;
}

static void say_end(struct bw_session *session)
{
	const struct opining *opining = *place_in(session);
	int n = opining->opinions->n, done = atomic_load(&opining->opinions->done);
	if (done < n)
		bw_session_tell(session, false, "stopped after %d of %s", done, bw_say_number(n, "schedule").text);
	else
		bw_session_tell(session, false, "%d schedules, %d cost models; `view opinions` shows them", n,
				opining->opinions->n_models);
}

static void take(struct bw_session *session, bool ended)
{
	if (take_rows(session))
		bw_session_touch(session);
	if (!ended)
		return;
	say_end(session);
}

/* Sets a row's counts and time, from this session or else from stored results. */
static void find_figures(const struct bw_session *session, struct opining *opining, int row)
{
	struct bw_opinion *opinion = &opining->opinions->list[row];
	struct bw_opinion_cost *costs = &opinion->costs[opining->opinions->n_models];
	uint64_t hash = hash_of(session, opinion);
	double measured = opining->stored[row];
	char device[128];
	snprintf(device, sizeof device, "%s", opining->device[row]);
	for (int i = 0; i < session->n_timings && hash; i++) {
		const struct bw_timing *timing = &session->timings[i];
		if (timing->phase != BW_JOB_DONE || timing->schedule != hash || timing->compiled)
			continue;
		if (timing->counted)
			costs[BW_OPINION_COUNTED].cost = bw_counted_total(session, timing).ms;
		if (timing->counts || bw_verdict_differs(timing->measurement.verdict))
			continue;
		measured = timing->measurement.median;
		name_device(&timing->measurement, device);
	}
	if (!*opining->measured_on && !isnan(measured))
		snprintf(opining->measured_on, sizeof opining->measured_on, "%s", device);
	costs[BW_OPINION_MEASURED].cost = strcmp(device, opining->measured_on) ? (double)NAN : measured;
}

const struct bw_opinions *bw_session_opinions(const struct bw_session *session)
{
	struct opining *opining = *place_in(session);
	if (!opining || opining->generation == session->generation)
		return opining ? opining->opinions : NULL;
	*opining->measured_on = 0;
	for (int i = 0; i < opining->seen; i++)
		find_figures(session, opining, i);
	opining->opinions->measured_on = *opining->measured_on ? opining->measured_on : NULL;
	bw_opinions_compare(opining->opinions);
	opining->generation = session->generation;
	return opining->opinions;
}

struct bw_nest *bw_opinion_nest(const struct bw_session *session, const char *name, struct bw_error *error)
{
	const struct opining *opining = *place_in(session);
	int row = opining ? bw_opinions_find(opining->opinions, name) : -1;
	if (row < 0 || row >= opining->seen)
		bw_fail(error, BW_ERROR_FAILED, "%s has not scheduled it; `compare --all` has every scheduler do that",
			name);
	else if (!opining->opinions->list[row].nest)
		bw_fail(error, BW_ERROR_FAILED, "%s has no schedule: %.300s", name, opining->opinions->list[row].why);
	else
		return bw_nest_keep(opining->opinions->list[row].nest);
	return NULL;
}

bool bw_opinion_open(const struct bw_session *session, int row)
{
	const struct opining *opining = *place_in(session);
	return opining && opining->open >> row & 1;
}

void bw_opinion_set_open(struct bw_session *session, int row, bool open)
{
	struct opining *opining = *place_in(session);
	opining->open = (opining->open & ~(1u << row)) | (unsigned)open << row;
}

/* Returns new rows, including the hand-written schedule. */
static struct opining *make(struct bw_session *session)
{
	struct bw_error error = {0};
	struct bw_nest *hand =
	    session->source.hand ? bw_report_nest(session, session->source.hand, &error) : NULL;
	const char *why = session->source.hand         ? error.text
			  : session->source.compilable ? "it is in the generator's C++ alone: `time hand` measures it"
						       : "only described: what its generator has by hand is not known";
	struct opining *opining = BW_NEW(struct opining);
	*opining = (struct opining){.opinions = bw_opinions_new(session->pipeline, &session->options, hand, why)};
	int n = opining->opinions->n;
	opining->stored = BW_NEW_ARRAY(double, n);
	opining->device = bw_new_array((size_t)n, sizeof *opining->device);
	for (int i = 0; i < n; i++)
		opining->stored[i] = (double)NAN;
	bw_nest_drop(hand);
	return opining;
}

/* Returns true if the rows, complete or in progress, are for the present options. */
static bool is_current(const struct bw_session *session)
{
	const struct opining *opining = *place_in(session);
	return opining && !bw_opinions_stopped(session) &&
	       bw_settings_equal(&opining->opinions->options, &session->options);
}

/* Starts all schedulers on the pipeline. Without a screen, waits for them and prints the table. */
static bool command(struct call *call)
{
	struct bw_session *session = call->session;
	if (!is_current(session)) {
		struct opining *opining = make(session);
		end(session);
		*place_in(session) = opining;
		opining->routine = bw_part_routine(session, BW_PART_OPINIONS);
		bw_part_begin(session, BW_PART_OPINIONS);
	}
	snprintf(session->view, sizeof session->view, "opinions");
	*session->pane = 0;
	if (own_of(session)->screen && bw_session_opines(session)) {
		bw_session_say(call, "%d schedulers at work", (*place_in(session))->opinions->n - 1);
		return true;
	}
	bw_part_finish(session, BW_PART_OPINIONS);
	take_rows(session);
	const struct bw_opinions *opinions = bw_session_opinions(session);
	if (call->out && !own_of(session)->screen)
		bw_opinions_print(opinions, call->out);
	bw_session_say(call, "%d schedules, %d cost models", opinions->n, opinions->n_models);
	return true;
}

static void stop(struct bw_session *session)
{
	if (*place_in(session))
		atomic_store(&(*place_in(session))->stop, true);
}

/* Drops the rows if they were made for other options. */
static void changed(struct bw_session *session)
{
	const struct opining *opining = *place_in(session);
	if (opining && !bw_settings_equal(&opining->opinions->options, &session->options))
		end(session);
}

const struct bw_session_part bw_part_opinions = {
    .size = sizeof(struct opining *),
    .run = run,
    .beside = true,
    .take = take,
    .changed = changed,
    .stop = stop,
    .command = command,
    .end = end,
};
