/* The tuning of a session: it goes on in the background while the session works. */
#ifndef BW_SESSION_TUNING_H
#define BW_SESSION_TUNING_H
#include "figures/tuning.h"
#include "session/session.h"
#include "tune/tuning.h"

/* What is asked of a tuning. */
struct bw_tuning_request {
	enum bw_tune_strategy strategy;
	struct bw_tuning_budget budget;
	bool any_strategy;  /* none is asked for: going on keeps that of before */
	bool again;         /* go on if that can be */
	const char *replay; /* a file of measurements in place of a device; NULL: none */
	struct bw_meter *meter; /* measures; the caller's, which outlives the tuning. NULL: the session's device, or
				   the file */
	/* As in struct bw_tuning. */
	void (*faster)(const struct bw_tuning *tuning, int number, void *data);
	void *data;
};

/* Begins a tuning in the place of the one before, or goes on with that if `again` and it is of the same
 * pipeline, settings, device and strategy; the budget's samples then count from where it is; 0: to the end
 * of its own budget, or BW_TUNING_SAMPLES. bw_session_work, or release and hold, then go on with it. Returns
 * false with an error. */
bool bw_session_tune(struct bw_session *session, const struct bw_tuning_request *request,
		     struct bw_error *error);
/* Returns its figures; NULL: there is none. The session's, until the tuning goes on. */
const struct bw_tuning_figures *bw_session_tuning_figures(const struct bw_session *session);
/* Returns the newest tuning; NULL: there is none. The session's, until the next one begins. */
const struct bw_tuning *bw_session_tuning(const struct bw_session *session);
/* Returns true while it goes on. */
bool bw_session_tunes(const struct bw_session *session);
#endif
