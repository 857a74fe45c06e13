/* What files of sessions share. */
#ifndef BW_SESSION_SAVE_H
#define BW_SESSION_SAVE_H
#include "session/core.h"

/* How they begin; the version stands behind. 1 had no digests and nothing that was undone. */
#define BW_SAVED_BEGIN "# beamwalk session "
enum { BW_SAVED_VERSION = 2 };
/* The line that a session has at its end, once the program has left it. */
#define BW_SAVED_END "# ended"
/* The line behind the settings that stood before the first command. */
#define BW_SAVED_JOURNAL "# journal"
/* How those begin that have a point of the history each, branches too: number, number of the one before it,
 * command. */
#define BW_SAVED_POINT "# point "

/* How the session that was just replayed differs from what text says: `; ...` for each; nothing where it does
 * not. */
void bw_saved_differences(const struct bw_session *session, const char *text, struct bw_text *out);
#endif
