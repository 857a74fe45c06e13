/* Serves a session to another program. */
#pragma once
#include "session/session.h"

/* Answers JSON-RPC 2.0, one JSON text per line, from the file `in` to the file `out` (beamwalk-serve(5)),
 * until the input ends, the client is gone, or it quits. Returns false with an error if an answer could
 * not be written. */
bool bw_serve(struct bw_session *session, int in, int out, struct bw_error *error);
