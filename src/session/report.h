/* The outcome of a search for other programs and for files. */
#ifndef BW_SESSION_REPORT_H
#define BW_SESSION_REPORT_H
#include "session/session.h"

/* A complete state as JSON (beamwalk(1), `schedule --json`): options and seed, costs in terms, kernels, counts, the schedule's text. */
void bw_report_json(struct bw_session *session, const struct bw_state *state, struct bw_text *out);
/* The same state as a schedule file, its costs as comments. */
void bw_report_text(struct bw_session *session, const struct bw_state *state, struct bw_text *out);
#endif
