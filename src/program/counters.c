/* Counts what schedules do on the emulated device. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "program/program.h"
#include "session/counters.h"

/* Counts one schedule and appends its table, or its line of JSON. */
static bool count_one(struct bw_program *program, const char *file, struct bw_text *out,
		      struct bw_error *error)
{
	struct bw_session *session = program->session;
	const struct bw_timing *timing = bw_program_wait(session, "counters", file, error);
	if (!timing)
		return false;
	if (bw_verdict_differs(timing->measurement.verdict))
		return bw_difference_fail(&timing->measurement, error) || bw_fail_in(error, "%s", file);
	if (!program->arguments.json) {
		bw_text_printf(out, "%s: %s on %s%s\n", timing->label,
			       bw_verdict_name(timing->measurement.verdict), timing->measurement.device,
			       bw_measurement_mark(&timing->measurement));
		return bw_session_run(session, "view counters", out, error);
	}
	json_t *object = bw_counted_json(session, timing);
	bw_json_put_line(out, object, JSON_COMPACT);
	return true;
}

bool bw_program_counters(struct bw_program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	if (!bw_program_open(program, error))
		return false;
	if (!program->arguments.n_rest)
		return bw_fail(
		    error, BW_ERROR_USAGE,
		    "count which schedules? hand is the generator's own, and `beamwalk schedule %s -o FILE` writes one",
		    program->arguments.pipeline);
	bw_program_text(program);
	bool good = true;
	for (int i = 0; i < program->arguments.n_rest && good; i++)
		good = count_one(program, program->arguments.rest[i], &out, error);
	struct bw_error ignored;
	good = bw_program_put(program, &out, good ? error : &ignored) && good;
	bw_text_free(&out);
	return good;
}
