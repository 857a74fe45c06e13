/* The meter of one session: its worker measures one schedule after another. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "session/counters.h"
#include "session/measure.h"
#include "session/meter.h"

struct pending {
	int number;
	int timing; /* of the session; -1: the outcome is there */
	struct bw_meter_outcome outcome;
};

struct own {
	struct bw_meter meter;
	struct bw_session *session;
	struct pending *list; /* without an outcome that was taken, as they were asked for */
	int n, capacity;
};

static void fail(struct bw_meter_outcome *outcome, const struct bw_error *error)
{
	enum bw_error_kind kind = error->kind;
	outcome->ms = INFINITY;
	outcome->error = *error;
	outcome->ends = kind != BW_ERROR_HALIDE && kind != BW_ERROR_DEVICE && kind != BW_ERROR_WRONG &&
			kind != BW_ERROR_UNSTABLE;
}

void bw_meter_outcome_of(const struct bw_session *session, const struct bw_timing *timing,
			 struct bw_meter_outcome *outcome)
{
	const struct bw_measurement *m = &timing->measurement;
	struct bw_error wrong = {0};
	if (timing->phase == BW_JOB_FAILED) {
		fail(outcome, &timing->error);
	} else if (bw_verdict_differs(m->verdict)) {
		bw_difference_fail(m, &wrong);
		fail(outcome, &wrong);
	} else {
		outcome->ms = timing->counted	      ? bw_counted_total(session, timing).ms
			      : timing->estimated > 0 ? timing->estimated
						      : m->minimum;
		if (outcome->ms > 0)
			return;
		bw_fail(&wrong, BW_ERROR_WRONG, "it took no time");
		fail(outcome, &wrong);
	}
}

/* Finds an outcome among the stored ones. */
static bool find(const struct own *own, const struct bw_meter_asked *asked, struct bw_meter_outcome *outcome)
{
	struct bw_timing timing = {.schedule = asked->hash};
	if (asked->again || !asked->nest || !bw_record_first(own->session, &timing))
		return false;
	bool known = !own->meter.estimates || timing.phase == BW_JOB_FAILED || timing.estimated > 0 ||
		     bw_verdict_differs(timing.measurement.verdict);
	if (known)
		bw_meter_outcome_of(own->session, &timing, outcome);
	outcome->stored = known;
	free(timing.label);
	return known;
}

static bool ask(void *data, const struct bw_meter_asked *asked, struct bw_error *error)
{
	struct own *own = data;
	struct bw_error refused = {0};
	struct pending pending = {.number = asked->number, .timing = -1, .outcome = {.number = asked->number}};
	if (!find(own, asked, &pending.outcome)) {
		if (bw_session_time(own->session, asked->nest, asked->label, BW_TO_TUNE, &refused) != BW_TIMED_NOT)
			pending.timing = own->session->asked;
		else
			fail(&pending.outcome, &refused);
		if (pending.outcome.ends) {
			*error = refused;
			return false;
		}
	}
	BW_GROW(own->list, own->n, own->capacity);
	own->list[own->n++] = pending;
	return true;
}

static int take(void *data, struct bw_meter_outcome *outcomes, int most)
{
	struct own *own = data;
	struct bw_session *session = own->session;
	int n = 0, left = 0;
	for (int i = 0; i < own->n; i++) {
		struct pending *pending = &own->list[i];
		const struct bw_timing *timing = pending->timing >= 0 ? &session->timings[pending->timing] : NULL;
		if (n == most || (timing && timing->phase < BW_JOB_DONE)) {
			own->list[left++] = *pending;
			continue;
		}
		if (timing)
			bw_meter_outcome_of(session, timing, &pending->outcome);
		outcomes[n++] = pending->outcome;
	}
	own->n = left;
	return n;
}

static void tell(const void *data, struct bw_text *out)
{
	bw_jobs_tell(((const struct own *)data)->session, out);
}

static void stop(void *data)
{
	struct own *own = data;
	for (int i = 0; i < own->n; i++)
		if (own->list[i].timing >= 0)
			bw_session_untime(own->session, own->list[i].timing);
	own->n = 0;
}

struct bw_meter *bw_meter_of_session(struct bw_session *session)
{
	struct own *own = BW_NEW(struct own);
	bool emulated = bw_device_emulated(session->options.device);
	const struct bw_device *on = emulated || !session->runs_on ? session->options.device : session->runs_on;
	*own = (struct own){.meter = {own, on->name, emulated, NULL, 0, ask, take, NULL, tell, stop, NULL},
			    .session = session};
	return &own->meter;
}

void bw_meter_of_session_free(struct bw_meter *meter)
{
	struct own *own = meter ? meter->data : NULL;
	if (own)
		free(own->list);
	free(own);
}
