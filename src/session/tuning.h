/* The tuning of a session: it goes on in the background while the session works. */
#ifndef BW_SESSION_TUNING_H
#define BW_SESSION_TUNING_H
#include "session/session.h"
#include "tune/tuning.h"

/* What is asked of a tuning. */
struct bw_tuning_request {
	enum bw_tune_strategy strategy;
	struct bw_tuning_budget budget;
	const char *replay; /* a file of measurements in place of a device; NULL: none */
	struct bw_meter *meter; /* measures; the caller's, which outlives the tuning. NULL: the session's device, or
				   the file */
	/* As in struct bw_tuning. */
	void (*faster)(const struct bw_tuning *tuning, int number, void *data);
	void *data;
};

/* Begins a tuning in the place of the one before. bw_session_work, or release and hold, then go on with it.
 * Returns false with an error. */
bool bw_session_tune(struct bw_session *session, const struct bw_tuning_request *request,
		     struct bw_error *error);
/* Returns the newest tuning; NULL: there is none. The session's, until the next one begins. */
const struct bw_tuning *bw_session_tuning(const struct bw_session *session);
/* Returns true while it goes on. */
bool bw_session_tunes(const struct bw_session *session);
#endif
