/* Sweeps of the session's pipeline over devices, bandwidths, beams, seeds, sizes and parameters of its
 * generator, in the background. */
#ifndef BW_SESSION_SWEEP_H
#define BW_SESSION_SWEEP_H
#include <jansson.h>

#include "schedulers/sweep.h"
#include "session/session.h"

/* Returns the newest sweep, with its results if it has ended well; NULL: there is none. *done: number
 * of finished searches; may be NULL. Owned by the session; valid until the next `sweep`. */
const struct bw_sweep *bw_session_sweep(const struct bw_session *session, int *done);
/* Returns whether it has ended, and well: only then its results are there. */
bool bw_session_swept(const struct bw_session *session);
/* Returns why the newest sweep has failed; NULL: it has not. Owned by the session; valid until the
 * next `sweep`. */
const char *bw_session_sweep_failed(const struct bw_session *session);
/* Returns whether it still runs. */
bool bw_session_sweeps(const struct bw_session *session);
/* Sweeps over the lists to the end; their devices and beam are set. Returns false with an error. */
struct bw_sweep_lists;
bool bw_session_sweep_through(struct bw_session *session, struct bw_sweep_lists *lists,
			      struct bw_error *error);
/* Returns the size of the first variant's first output. The session's. */
const char *bw_session_sweep_size(const struct bw_session *session);
/* Returns a sweep that has ended as JSON: a new reference. */
json_t *bw_sweep_json(const struct bw_session *session);
/* Returns the name of a target: `A100`, `A100 0.5x`. */
const char *bw_sweep_target_name(const struct bw_sweep_target *target, char name[80]);
#endif
