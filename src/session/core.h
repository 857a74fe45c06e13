/* Private to the files of this room: the data of a session beside its public head and its parts. */
#pragma once
#include "session/measure.h"
#include "session/part.h"

/* Takes a change that is to be tried and not made. */
typedef void bw_session_trial(struct bw_session *session, const char *line,
			      const struct bw_settings *options, const struct bw_constraints *constraints);

struct own {
	struct bw_session session; /* first: a session is its own */
	bw_command_function *const *functions; /* of the commands, in the order of their table */
	struct part_slot {
		const struct bw_session_part *part; /* NULL: the session does not have it */
		void *data;
		struct bw_routine *routine; /* NULL: nothing is computed */
		bool begun;
	} parts[BW_N_PARTS];
	struct part_slot *working; /* whose work has the turn; NULL: the commands have it */
	struct bw_routine *released;   /* its routine, or NULL */
	uint64_t before_work;          /* the generation when it got the turn */
	struct bw_walk *walk;     /* through the scheduler that was run last; NULL: there is none */
	bool walk_given;          /* the next change puts next_walk in the place of the walk */
	struct bw_walk *next_walk;
	const struct bw_search *advances; /* the search that the run last advanced */
	struct bw_until until;            /* where the run stops */
	bw_session_trial *trial;  /* takes the next change, which is tried; NULL: changes are made */
	bool screen;              /* a screen is waiting, which is not to be kept waiting */
	int depth;                /* of scripts that run scripts */
	struct bw_stopping {
		bool runs;  /* a run of the search */
		bool waits; /* lines that waited for options */
	} stopping; /* what was going on when a stop was last asked for */
	int stop_fd;              /* readable once the running line is to stop; -1: it never is */
	bool untrusted;    /* the running commands are of a loaded session that is not trusted */
	bool replays;      /* a saved session is being loaded: its measurements are not made again */
	char differs[256]; /* how the states differ from the saved ones; empty: they do not */
	struct bw_hooks hooks;
};

static inline struct own *own_of(const struct bw_session *session)
{
	return (struct own *)session;
}

/* The form of saved sessions. */

/* The first line, before the version. Version 1 had no digests, and nothing that was undone. */
#define BW_SAVED_BEGIN "# beamwalk session "
enum { BW_SAVED_VERSION = 2 };
/* The last line, once the program has left the session. */
#define BW_SAVED_END "# ended"
/* The line after the settings before the first command. */
#define BW_SAVED_JOURNAL "# journal"
/* Begins each line with a point of the history: its number, its parent's number, its command. */
#define BW_SAVED_POINT "# point "
/* Begins each line with a bookmark: its name, its point's number, position, state and Func. */
#define BW_SAVED_BOOKMARK "# bookmark "

/* Appends each difference between the session that was just replayed and its file: `; ...`. text: of the
 * file. */
void bw_saved_differences(const struct bw_session *session, const char *text, struct bw_text *out);
