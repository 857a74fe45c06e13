#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "program/program.h"
#include "session/kernels.h"

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
	if (!json && m->kernels.n) {
		bw_text_printf(out, "%-24s ", "");
		bw_kernel_uses_words(&m->kernels, out);
		bw_text_puts(out, "\n");
	}
}

static bool time_one(struct bw_program *program, const char *file, struct bw_text *out, struct bw_error *error)
{
	struct bw_session *session = program->session;
	struct bw_text line = {0};
	bw_text_printf(&line, "time %s%s", strchr(file, '/') || strchr(file, '.') ? "" : "./", file);
	bool good = bw_program_line(session, bw_text_get(&line), error);
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

bool bw_program_time(struct bw_program *program, struct bw_error *error)
{
	struct bw_text out = {0};
	if (!bw_program_open(program, error))
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
	bw_program_put(program, &out, good ? error : &ignored);
	bw_text_free(&out);
	return good;
}
