/* The meters that a session has: its own device, and files of measurements. */
#ifndef BW_SESSION_METER_H
#define BW_SESSION_METER_H
#include "session/session.h"
#include "tune/meter.h"

/* Makes a meter of a session's device, which measures one schedule after another while the session works. The
 * worker is to have named its device before. Free it with bw_meter_of_session_free, before the session. */
struct bw_meter *bw_meter_of_session(struct bw_session *session);
void bw_meter_of_session_free(struct bw_meter *meter);
/* Makes a meter that hands out the times of a file of measurements, CSV with the columns schedule and
 * minimum_ms as `results --csv` writes them, for the session's pipeline and device. The path is copied.
 * Returns NULL with an error. */
struct bw_meter *bw_meter_of_file(const struct bw_session *session, const char *path, struct bw_error *error);
void bw_meter_of_file_free(struct bw_meter *meter);
#endif
