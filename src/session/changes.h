/* Changes of the search: how commands make them, try them and take them back; where the search runs to. */
#ifndef BW_SESSION_CHANGES_H
#define BW_SESSION_CHANGES_H
#include "base/routine.h"
#include "session/call.h"

/* Puts other constraints or options (NULL: unchanged) into force as one journaled command. The search
 * starts over at the first decision that they affect, and goes on to the cursor. If no state is left
 * alive, everything is as before and the message says why. */
void bw_session_change(struct bw_session *session, const char *line, const struct bw_settings *options,
		       const struct bw_constraints *constraints);
/* Takes back the newest change, which came to a conflict, as if it had never been; the message says why. */
void bw_session_take_back(struct bw_session *session, const struct bw_error *error);
/* Takes back all commands but the first `n_done`, as if they had never been, and goes to a place. */
void bw_session_return(struct bw_session *session, int n_done, int cursor,
		       const struct bw_selection *selection);
bool bw_session_undo(struct call *call);
bool bw_session_redo(struct call *call);
/* Returns the options before the first command of the journal. */
const struct bw_settings *bw_session_first_options(const struct bw_session *session);
/* Returns the number of entries of the journal that are not undone. */
int bw_journal_done(const struct bw_session *session);
/* Returns the point of the history that an entry leads to. */
int bw_journal_point(const struct bw_session *session, int entry);
/* Notes that all commands done so far led to searches with states alive: none of them is a conflict. */
void bw_journal_prove(struct bw_session *session);
/* Returns true if the search of some command has not come to where the user stood yet. */
bool bw_journal_unproven(const struct bw_session *session);
/* Ends a run that came to its target. */
void bw_journal_arrived(struct bw_session *session);
/* Returns the state that stood at the cursor before the newest command; NULL with an error if there is
 * none. The session owns it. */
const struct bw_nest *bw_nest_before(struct call *call);
/* Has a search freed when there is time for it. Accepts NULL. */
void bw_session_leave(struct bw_session *session, struct bw_search *search);
/* Has undo and redo stay at the cursor, for a session that was loaded: its journal begins with entry
 * `first`, and its commands were given at the beginning of the search. */
void bw_session_stand(struct bw_session *session, int first);

/* Appends all points of the history as lines of a saved session, numbered without gaps. Does nothing if it
 * has no branches. */
void bw_history_print(const struct bw_session *session, struct bw_text *out);
/* Begins to read the points of a session that is loaded. */
void bw_history_begin_graft(struct bw_session *session);
/* Returns the line of a point from number 1 on; NULL if it was forgotten. */
const char *bw_history_line(const struct bw_session *session, int number);
/* Returns the numbers of the points from the beginning to this one, and sets *n to how many; free(). */
int *bw_history_way(const struct bw_session *session, int number, int *n);

/* Returns the constraints with `constraint` added (its placement kept) in place of those that it
 * replaces, or, if it is NULL, without those on `func`. Free both lists with bw_constraints_end. */
struct bw_constraints bw_constraints_with(const struct bw_constraints *constraints, int func,
					  const struct bw_constraint *constraint);
/* Marks a Func that the search must not freeze. */
void bw_constraints_let(struct bw_constraints *constraints, int func);
void bw_constraints_end(struct bw_constraints *constraints);
/* Returns true if a placement is of a Func of the algorithm itself. Fails for a Func derived from the
 * algorithm; the error begins with `path`. */
bool bw_session_places(const struct bw_session *session, const char *path,
		       const struct bw_placement *placement, struct bw_error *error);
/* Returns true if the user typed a site without the sizes that it has: then these stay free. */
bool bw_choice_site_alone(const struct bw_session *session, const struct bw_placement *placement,
			  const char *typed);

/* Holds every Func that a schedule mentions, as one journaled command, and says so: `3 Funcs held as HOW`.
 * Returns the journal's line; free(). */
char *bw_schedule_apply(struct call *call, const struct bw_schedule *schedule, const char *how);
/* Holds Funcs as bw_schedule_apply does, but journals `line`. */
void bw_schedule_hold(struct call *call, const char *line, const struct bw_schedule *schedule,
		      const char *how);

/* Tries the command of a call on a copy of the search. Returns false with an error if it changes
 * nothing. */
bool bw_whatif_try(struct call *call);
/* Returns the line of the command that is tried. */
const char *bw_whatif_line(const struct bw_session *session);

/* Runs a new walk, which it takes over, to its end; then holds the search to its schedule, as one journaled
 * command with this line. A walk that takes long goes on between commands. step: the decision to stand at
 * then; -1: the end. Returns false with an error if the scheduler has no schedule. */
bool bw_walking_begin(struct call *call, struct bw_walk *walk, const char *line, int step);
/* Makes all decisions of the walk that is under way, if there is one. */
void bw_walking_finish(struct bw_session *session);
/* Has the next change forget the walk, or (given false) keep it. */
void bw_walking_forget(struct bw_session *session, bool given);

/* The cost at which a run stops: of a whole schedule, less than it; else of the best so far, more. */
struct bw_until {
	bool active, less;
	double cost;
};
/* Sets the condition at which runs stop; none if it is not active. */
void bw_session_set_until(struct bw_session *session, const struct bw_until *until);
/* Returns the first position after `before` at which a run stops; -1: there is none yet, or no
 * condition is set. *active: the condition remains set. */
int bw_until_reached(struct bw_session *session, int before, bool *active);
/* Ends the advance of the search, even within a decision. bw_advance_leave does so only if `search`
 * is the one that advances. */
void bw_advance_end(struct bw_session *session);
void bw_advance_leave(struct bw_session *session, const struct bw_search *search);
#endif
