/* What is known of schedules that were compiled or measured. */
#include <stdio.h>

#include "figures/kernels.h"
#include "session/core.h"

const struct bw_kernel_uses *bw_session_uses(const struct bw_session *session, const struct bw_nest *nest)
{
	if (!session->n_timings || !bw_nest_complete(nest))
		return NULL;
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	uint64_t hash = bw_schedule_hash(schedule);
	bw_schedule_drop(schedule);
	for (int i = session->n_timings - 1; i >= 0; i--) {
		const struct bw_timing *timing = &session->timings[i];
		const struct bw_kernel_uses *uses = &timing->measurement.kernels;
		if (timing->phase == BW_JOB_DONE && timing->schedule == hash &&
		    timing->device == session->options.device && uses->n &&
		    uses->register_limit == bw_settings_registers(&session->options))
			return uses;
	}
	return NULL;
}

void bw_session_read_timings(struct bw_session *session)
{
	for (int i = 0; i < session->n_timings; i++)
		session->timings[i].unread = false;
}

bool bw_timing_tell(const struct bw_timing *timing, char *line, size_t size)
{
	const struct bw_measurement *m = &timing->measurement;
	if (timing->phase == BW_JOB_FAILED) {
		snprintf(line, size, "%s: %.400s", timing->label, timing->error.text);
		return true;
	}
	if (timing->compiled && !m->kernels.n) {
		snprintf(line, size, "%s: compiled for %s; what its kernels take is its driver's to know",
			 timing->label, timing->device->name);
		return false;
	}
	if (timing->compiled) {
		struct bw_text words = {0};
		bw_kernel_uses_words(&m->kernels, &words);
		snprintf(line, size, "%s: %s on %s", timing->label, bw_text_get(&words), timing->device->name);
		bw_text_free(&words);
		return false;
	}
	if (bw_verdict_differs(m->verdict)) {
		struct bw_error error;
		bw_difference_fail(m, &error);
		snprintf(line, size, "%s: %s", timing->label, error.text);
		return true;
	}
	snprintf(line, size, "%s: %s, minimum %.3f ms, median %.3f ms, spread %.1f%%%s%s%s%s", timing->label,
		 bw_verdict_name(m->verdict), m->minimum, m->median, 100 * m->spread, bw_measurement_mark(m),
		 *timing->stored ? "; stored " : "", timing->stored, *timing->stored ? " UTC" : "");
	return false;
}

