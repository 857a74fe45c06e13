/* A tuning beside the search: what it computes takes turns with all else, and its measurements are jobs as
 * others are. */
#include "session/tuning.h"

#include <stdlib.h>

#include "session/core.h"
#include "session/meter.h"

struct part {
	struct bw_tuning *tuning;
	struct bw_meter *meter; /* its own one; NULL: none (yet) */
	bool of_file;           /* that replays a file */
	struct bw_routine *routine; /* computes; NULL: nothing is computed */
};

static struct part *part_of(const struct bw_session *session)
{
	return bw_part_data(session, BW_PART_TUNING);
}

const struct bw_tuning *bw_session_tuning(const struct bw_session *session)
{
	return part_of(session)->tuning;
}

bool bw_session_tunes(const struct bw_session *session)
{
	const struct bw_tuning *tuning = part_of(session)->tuning;
	return tuning && tuning->phase < BW_TUNING_ENDED;
}

static void end(struct bw_session *session)
{
	struct part *part = part_of(session);
	bw_routine_end(part->routine);
	bw_tuning_free(part->tuning);
	(part->of_file ? bw_meter_of_file_free : bw_meter_of_session_free)(part->meter);
	*part = (struct part){0};
}

bool bw_session_tune(struct bw_session *session, const struct bw_tuning_request *request,
		     struct bw_error *error)
{
	struct part *part = part_of(session);
	struct bw_meter *meter = request->meter;
	if (!meter && request->replay && !(meter = bw_meter_of_file(session, request->replay, error)))
		return false;
	if (!meter && !session->source.compilable)
		return bw_fail(error, BW_ERROR_HALIDE, "%s is only described: tune needs its generator, to compile it",
			       session->source.name);
	end(session);
	part->tuning =
	    bw_tuning_new(session->pipeline, &session->options, request->strategy, &request->budget);
	part->tuning->meter = meter;
	part->tuning->faster = request->faster;
	part->tuning->data = request->data;
	part->meter = request->meter ? NULL : meter;
	part->of_file = part->meter;
	if (!meter)
		bw_session_ask(session);
	bw_session_touch(session);
	return true;
}

static bool is_wanted(const struct bw_session *session)
{
	const struct bw_tuning *tuning = part_of(session)->tuning;
	return tuning && bw_tuning_computes(tuning);
}

static void run(const struct bw_yield *yield, void *data)
{
	bw_tuning_compute(data, yield);
}

static struct bw_routine *work(struct bw_session *session)
{
	struct part *part = part_of(session);
	if (!part->routine)
		part->routine = bw_routine_new(run, part->tuning);
	return part->routine;
}

static void take(struct bw_session *session, bool ended)
{
	struct part *part = part_of(session);
	if (!ended)
		return;
	bw_routine_end(part->routine);
	part->routine = NULL;
	bw_session_touch(session);
}

static void poll(struct bw_session *session)
{
	struct part *part = part_of(session);
	if (!bw_session_tunes(session))
		return;
	if (!part->tuning->meter && !session->asks)
		part->tuning->meter = part->meter = bw_meter_of_session(session);
	while (bw_tuning_poll(part->tuning))
		bw_session_touch(session);
}

static int fds(const struct bw_session *session, int *fds, int most)
{
	const struct bw_meter *meter = bw_session_tunes(session) ? part_of(session)->tuning->meter : NULL;
	return meter && meter->fds ? meter->fds(meter->data, fds, most) : 0;
}

static void stop(struct bw_session *session, const struct bw_stopping *stopping)
{
	struct part *part = part_of(session);
	(void)stopping;
	if (!bw_session_tunes(session))
		return;
	bw_routine_end(part->routine);
	part->routine = NULL;
	bw_tuning_stop(part->tuning);
	bw_session_touch(session);
}

const struct bw_session_part bw_part_tuning = {
    .size = sizeof(struct part),
    .wanted = is_wanted,
    .work = work,
    .take = take,
    .poll = poll,
    .busy = bw_session_tunes,
    .fds = fds,
    .stop = stop,
    .end = end,
};
