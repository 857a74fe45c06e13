/* Schedules and sessions as text: files, and lines of the journal. */
#ifndef BW_SESSION_SCHEDULES_H
#define BW_SESSION_SCHEDULES_H
#include "session/call.h"

/* Reads a schedule file. Warns if it was written for another algorithm. Refuses derived Funcs, which
 * neither the search nor lowering places. Returns NULL with an error; drop it with bw_schedule_drop. */
struct bw_schedule *bw_session_read_schedule(struct bw_session *session, const char *path,
					     struct bw_error *error);
/* Reads a schedule from a text; errors and the warning call it `name`. */
struct bw_schedule *bw_schedule_take(struct bw_session *session, const char *name, const struct bw_text *text,
				     struct bw_error *error);
/* Appends a schedule as one line of the journal: `{output root 1x2/32x8 | Ix inline}`. */
void bw_schedule_print_line(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule,
			    struct bw_text *out);
/* Reads such a line of the journal. Returns NULL with an error. */
struct bw_schedule *bw_schedule_read_line(const struct bw_session *session, const char *line,
					  struct bw_error *error);
/* Calls `each` for every entry between the braces, with its text and its placement. Returns false
 * with an error, its own or that of `each`. */
typedef bool bw_each_entry(const char *entry, const struct bw_placement *placement, void *data,
			   struct bw_error *error);
bool bw_line_each_entry(const struct bw_session *session, const char *line, bw_each_entry *each, void *data,
			struct bw_error *error);

/* Appends a session as a script: a header, settings, the journal with its undone entries, the place
 * (a position), the selection, measurements, digests. */
void bw_session_print_saved(const struct bw_session *session, int position, struct bw_text *out);
/* Runs a saved session. Repeats no measurement; remembers how its states differ. */
bool bw_session_replay_file(struct bw_session *session, const char *path, struct bw_text *out,
			    struct bw_error *error);
/* Reports that a session was loaded, and how its states differ. text: the file's. */
void bw_session_tell_loaded(struct call *call, const char *text);
/* Compares such digests with the beams. Fails if they differ; while a saved session is loaded, only
 * remembers the difference. */
bool bw_assert_beams(struct call *call, const char *fact, const char *rest);
#endif
