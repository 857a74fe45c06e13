/* The form of saved sessions. */
#ifndef BW_SESSION_SAVE_H
#define BW_SESSION_SAVE_H
#include "session/core.h"

/* The first line, before the version. Version 1 had no digests, and nothing that was undone. */
#define BW_SAVED_BEGIN "# beamwalk session "
enum { BW_SAVED_VERSION = 2 };
/* The last line, once the program has left the session. */
#define BW_SAVED_END "# ended"
/* The line after the settings before the first command. */
#define BW_SAVED_JOURNAL "# journal"
/* Begins each line with a point of the history: its number, its parent's number, its command. */
#define BW_SAVED_POINT "# point "

/* Appends each difference between the session that was just replayed and its file: `; ...`. text: of the
 * file. */
void bw_saved_differences(const struct bw_session *session, const char *text, struct bw_text *out);
#endif
