/* From how a program ended to an error that a user can act on. */
#include <signal.h>
#include <string.h>

#include "bench/complaint.h"
#include "bench/process.h"

bool bw_outcome_good(const struct bw_outcome *outcome, const char *name, const struct bw_patience *patience,
		     enum bw_error_kind kind, struct bw_error *error)
{
	struct bw_text line = {0};
	bw_complaint(bw_text_get(&outcome->errors), &line);
	const char *colon = line.length ? ": " : "", *said = bw_text_get(&line);
	bool good = false;
	switch (outcome->ending) {
	case BW_EXITED:
		good = outcome->code == 0;
		if (!good && line.length)
			bw_fail(error, kind, "%s: %s", name, said);
		else if (!good)
			bw_fail(error, kind, "%s: ended with status %d and said nothing", name, outcome->code);
		break;
	case BW_CRASHED:
		bw_fail(error, kind, "%s: crashed with signal %s%s%s", name,
			sigabbrev_np(outcome->code) ? sigabbrev_np(outcome->code) : "?", colon, said);
		break;
	case BW_TIMED_OUT:
		bw_fail(error, kind, "%s: killed at the limit of %g s%s%s", name, patience->seconds, colon, said);
		break;
	case BW_STOPPED:
		bw_fail(error, BW_ERROR_STOPPED, "%s: stopped", name);
		break;
	case BW_NOT_STARTED:
		bw_fail(error, BW_ERROR_IO, "%s: cannot be run: %s", name, strerror(outcome->code));
		break;
	}
	bw_text_free(&line);
	return good;
}
