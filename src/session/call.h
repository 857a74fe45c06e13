/* A running command, and the functions with which commands and the parts of a session report and run
 * others. */
#ifndef BW_SESSION_CALL_H
#define BW_SESSION_CALL_H
#include "session/session.h"

/* A running command: its words, and where its output goes. */
struct call {
	struct bw_session *session;
	const char *line;    /* whole */
	const char *rest;    /* after the name, without blanks around it */
	struct bw_text *out; /* NULL: nobody reads it */
	struct bw_error *error;
};

typedef bool bw_command_function(struct call *call);
/* Returns the command with this name, or the only one that begins with it; NULL if there is none. */
const struct bw_command *bw_command_find(const char *name, size_t length);
/* Returns the index of the word `given`, or of the only word that begins with it; -1 with an error
 * that lists the words. what: the kind of the words, `view`. */
int bw_word_find(const char *const *words, int n, const char *given, const char *what,
		 struct bw_error *error);
/* Runs the command of a call, whose line begins with its name. */
bool bw_call_run(struct call *call);

/* Prints the result of a command, one line, to its output and to the message. */
void bw_session_say(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds words to the session's warning. */
void bw_session_warn(struct bw_session *session, const char *words);
/* Says that a view could look different now. */
void bw_session_touch(struct bw_session *session);

/* Returns true if a command may reach beyond the session: `write to` a file, `run` a command. Returns
 * false with an error if it comes from a loaded session that is not trusted. */
bool bw_call_may(struct call *call, const char *does, const char *what);
/* Keeps a loaded file or a lesson from running programs and writing files, unless `trusted` is true
 * or the session trusts everything. Returns the previous trust, for bw_session_trust_again. */
bool bw_session_distrust(struct bw_session *session, bool trusted);
void bw_session_trust_again(struct bw_session *session, bool before);
/* Returns true while a script or a saved session runs. */
bool bw_session_scripted(const struct bw_session *session);

/* Write the screen to a file, and a report to `out`, by the functions that were set for that. Return false
 * with an error if there is none, or it fails. */
/* Puts a text into the clipboard, or prints it if there is none. */
bool bw_session_copy_out(struct call *call, const struct bw_text *text);
bool bw_session_draw_screen(struct call *call, const char *path);
bool bw_session_write_page(struct call *call, struct bw_text *out);
/* Prints a view as text; does nothing if there is no function for that. */
void bw_session_print_view(struct bw_session *session, const char *view, struct bw_text *out);
#endif
