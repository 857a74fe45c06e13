/* The tuning of a session: it goes on in the background while the session works. */
#ifndef BW_SESSION_TUNING_H
#define BW_SESSION_TUNING_H
#include "figures/tuning.h"
#include "session/session.h"
#include "schedulers/tuning.h"

/* A request to tune. */
struct bw_meter_workers;
struct bw_tuning_request {
	enum bw_tune_strategy strategy;
	struct bw_tuning_budget budget;
	bool any_strategy;  /* no strategy is requested: a continued tuning keeps its own */
	bool again;         /* continue the present tuning if possible */
	const struct bw_weights *start; /* of the learned model that is trained; NULL: random ones. Copied */
	const char *replay; /* a file of measurements in place of a device; NULL: none */
	const struct bw_meter_workers *workers; /* that measure; NULL: the session's own worker, or the file */
	struct bw_meter *meter; /* measures in place of these; the caller's, which outlives the tuning; or NULL */
	/* As in struct bw_tuning. */
	void (*faster)(const struct bw_tuning *tuning, int number, void *data);
	void (*drifts)(const struct bw_tuning *tuning, void *data);
	void *data;
};

/* Begins a tuning in place of the previous one, or, with `again`, continues that if pipeline,
 * settings, device and strategy are unchanged; the budget's samples then count from its present
 * number; 0: to the end of its own budget, or BW_TUNING_SAMPLES. bw_session_work, or release and
 * hold, then do the work. Returns false with an error. */
bool bw_session_tune(struct bw_session *session, const struct bw_tuning_request *request,
		     struct bw_error *error);
/* Returns the tuning's figures; NULL: there is none. Owned by the session; valid until the tuning
 * goes on. */
const struct bw_tuning_figures *bw_session_tuning_figures(const struct bw_session *session);
/* Returns the newest tuning; NULL: there is none. The session's, until the next one begins. */
const struct bw_tuning *bw_session_tuning(const struct bw_session *session);
/* Returns the weights trained on the tuning's measurements; NULL: none. Owned by the session, too. */
const struct bw_weights *bw_session_tuned_weights(struct bw_session *session);
/* Returns true while the tuning is under way. */
bool bw_session_tunes(const struct bw_session *session);
#endif
