/* Private to src/session: the data of a session that struct bw_session does not publish. */
#pragma once
#include "session/measure.h"
#include "session/part.h"

/* Receives a change that is to be tried instead of made. */
typedef void bw_session_trial(struct bw_session *session, const char *line,
			      const struct bw_settings *options, const struct bw_constraints *constraints);

struct own {
	struct bw_session session; /* must be first: own_of casts a session to struct own */
	bw_command_function *const *functions; /* one per command, in the order of the command table */
	struct part_slot {
		const struct bw_session_part *part; /* NULL: the session does not have this part */
		void *data;
		struct bw_routine *routine; /* the routine of the part's computation; NULL: it computes
					       nothing now */
		bool begun;
	} parts[BW_N_PARTS];
	struct part_slot *working; /* the part whose work has the turn; NULL: the commands have the turn */
	struct bw_routine *released;   /* the routine that computes for the part `working`, or NULL */
	uint64_t before_work;          /* session->generation when the part `working` got the turn */
	struct bw_walk *walk;     /* the walk through the scheduler that was run last; NULL: there is none */
	bool walk_given;          /* the next change of the search replaces `walk` by next_walk */
	struct bw_walk *next_walk;
	const struct bw_search *advances; /* the search that the run last advanced */
	struct bw_until until;            /* the cost at which the run stops */
	bw_session_trial *trial;  /* receives the next change, to try it; NULL: changes are made */
	bool screen;              /* a screen waits for the result, so that calls must not block for long */
	int depth;                /* nesting depth of scripts that run scripts */
	struct bw_stopping {
		bool runs;  /* the search was running */
		bool waits; /* lines were waiting for options */
	} stopping; /* the activities at the time of the last request to stop */
	int stop_fd;              /* a file descriptor that becomes readable when the running line is to stop;
				     -1: none */
	bool untrusted;    /* the running commands come from a loaded session that is not trusted */
	bool replays;      /* a saved session is being loaded: its measurements are not repeated */
	char differs[256]; /* differences between the replayed states and the saved ones, as text; empty:
			      none */
	struct bw_hooks hooks;
};

static inline struct own *own_of(const struct bw_session *session)
{
	return (struct own *)session;
}

/* The file format of saved sessions. */

/* Begins the first line; the version follows. Version 1 has neither digests nor undone commands. */
#define BW_SAVED_BEGIN "# beamwalk session "
enum { BW_SAVED_VERSION = 2 };
/* The last line of a file whose session was ended properly. */
#define BW_SAVED_END "# ended"
/* The line between the settings and the first command. */
#define BW_SAVED_JOURNAL "# journal"
/* Begins each line with a point of the history: its number, its parent's number, its command. */
#define BW_SAVED_POINT "# point "
/* Begins each line with a bookmark: its name, its point's number, position, state and Func. */
#define BW_SAVED_BOOKMARK "# bookmark "

/* Appends each difference between the states of the session, which was just replayed, and the digests in its
 * file, in the form `; ...`. text: the contents of the file. */
void bw_saved_differences(const struct bw_session *session, const char *text, struct bw_text *out);
