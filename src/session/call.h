/* A running command, and the functions with which commands and the session's parts report results and run
 * other commands. */
#pragma once
#include "session/option_list.h"

/* A running command: its text and its destination for output. */
struct call {
	struct bw_session *session;
	const char *line;    /* the whole line */
	const char *rest;    /* the arguments: the line after the command's name, without blanks at the
				ends */
	struct bw_text *out; /* NULL: the output is not wanted */
	struct bw_error *error;
};

typedef bool bw_command_function(struct call *call);
/* Returns the command with this name, or the only command whose name begins with it. Returns NULL if there is
 * none, or several. */
const struct bw_command *bw_command_find(const char *name, size_t length);
/* Returns the index of the word `given`, or of the only word that begins with it. Returns -1 with an error
 * that lists the words if there is none. what: the kind of the words for the error, as in `view`. */
int bw_word_find(const char *const *words, int n, const char *given, const char *what,
		 struct bw_error *error);
/* Runs the command of a call, whose line begins with its name. */
bool bw_call_run(struct call *call);

/* Prints a command's result, one line, to the command's output, and makes it the session's message. */
void bw_session_say(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets the session's message, and whether it is an error. */
void bw_session_tell(struct bw_session *session, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds words to the session's warning. */
void bw_session_warn(struct bw_session *session, const char *words);
/* Notes that the views may need to be redrawn (session->generation). */
void bw_session_touch(struct bw_session *session);

/* Returns true if the command is allowed to act outside the session, such as write a file or run a program.
 * Returns false with an error if the command comes from a loaded session that is not trusted. does, what: the
 * action for the error, as in `write to` and a file's name. */
bool bw_call_may(struct call *call, const char *does, const char *what);
/* Forbids the commands of a loaded file or a lesson to run programs and write files, unless `trusted` is true
 * or the session trusts everything. Returns the previous setting, for bw_session_restore_trust. */
bool bw_session_distrust(struct bw_session *session, bool trusted);
void bw_session_restore_trust(struct bw_session *session, bool before);
/* Returns true while a script or a saved session runs. */
bool bw_session_scripted(const struct bw_session *session);

/* Changes of the search: how commands make, try and undo them; conditions at which a run stops. */

/* Moves the cursor to a position, and sets the selection. If the search has not reached the position yet, it
 * runs there first. */
void bw_session_stand_at(struct bw_session *session, int position, const struct bw_selection *selection);
/* Puts new constraints or options (NULL: unchanged) into force, as one journaled command. The search restarts
 * at the first decision that they affect, and runs to the cursor again. If no state is left alive, the change
 * is undone and the message says why. */
void bw_session_change(struct bw_session *session, const char *line, const struct bw_settings *options,
		       const struct bw_constraints *constraints);
/* Removes the newest change, which led to a conflict, from the journal as if it had never been made. The
 * message says why. */
void bw_session_take_back(struct bw_session *session, const struct bw_error *error);
/* Removes all commands of the journal but the first `n_done`, as if they had never been given. Then moves to
 * `cursor` with `selection`. */
void bw_session_return(struct bw_session *session, int n_done, int cursor,
		       const struct bw_selection *selection);
bool bw_session_undo(struct call *call);
bool bw_session_redo(struct call *call);
/* Returns the options that were in force before the first command of the journal. */
const struct bw_settings *bw_session_first_options(const struct bw_session *session);
/* Sets the point of the history at which the command `undo` refuses to go further back; 0: the beginning. */
void bw_journal_set_floor(struct bw_session *session, int point);
bool bw_journal_at_floor(const struct bw_session *session);
/* Returns the number of entries of the journal that are not undone. */
int bw_journal_done(const struct bw_session *session);
/* Returns the number of the history's point at which the session is after a journal entry. */
int bw_journal_point(const struct bw_session *session, int entry);
/* Notes that none of the commands done so far led to a conflict: their searches have states alive. */
void bw_journal_prove(struct bw_session *session);
/* Returns true if the search has not yet returned to the user's position after some command. Such a command
 * may still turn out to be a conflict. */
bool bw_journal_unproven(const struct bw_session *session);
/* Ends a run of the search that has reached its target. */
void bw_journal_arrived(struct bw_session *session);
/* Returns the nest of the state that was selected before the newest command; if its rank does not exist, of
 * the best state. Returns NULL with an error if there is none. Owned by the session. */
const struct bw_nest *bw_nest_before(struct call *call);
/* Hands over a search to be freed later in the background. Accepts NULL. */
void bw_session_leave(struct bw_session *session, struct bw_search *search);
/* Makes undo and redo keep the cursor's position, for a loaded session: its commands were replayed at the
 * beginning of the search, from journal entry `first` on. */
void bw_session_stand(struct bw_session *session, int first);

/* Appends all points of the history as comment lines for a saved session, numbered without gaps. Appends
 * nothing if the history has no branches. */
void bw_history_print(const struct bw_session *session, struct bw_text *out);
/* Prepares to read the points of the history from a session that is being loaded. */
void bw_history_begin_graft(struct bw_session *session);
/* Returns the command line of a point, by its number from 1. Returns NULL if it was forgotten. */
const char *bw_history_line(const struct bw_session *session, int number);
/* Returns the numbers of all points on the way from the beginning to this point, and sets *n to how many
 * there are; free(). */
int *bw_history_way(const struct bw_session *session, int number, int *n);

/* Holds every Func that a schedule mentions, as one journaled command. The message says so: `3 Funcs held as
 * HOW`. Returns the line written to the journal; free(). */
char *bw_schedule_apply(struct call *call, const struct bw_schedule *schedule, const char *how);
/* Does the same as bw_schedule_apply, but writes `line` to the journal. */
void bw_schedule_hold(struct call *call, const char *line, const struct bw_schedule *schedule,
		      const char *how);

/* Tries a command on a copy of the search, for `whatif`. Returns false with an error if the command would
 * change nothing. */
bool bw_whatif_try(struct call *call);
/* Returns the line of the command that `whatif` is trying. */
const char *bw_whatif_line(const struct bw_session *session);

/* Runs a new walk to its end, then holds the search to the walk's schedule as one journaled command with this
 * line. Takes over the walk. A long walk continues between commands. step: the decision to select afterwards;
 * -1: the end. Returns false with an error if the scheduler finds no schedule. */
bool bw_walking_begin(struct call *call, struct bw_walk *walk, const char *line, int step);
/* Makes all remaining decisions of the walk in progress, if there is one. */
void bw_walking_finish(struct bw_session *session);
/* Makes the next change of the search forget the walk; if given is false, keep it. */
void bw_walking_forget(struct bw_session *session, bool given);

/* The cost at which a run stops. less: stop at the first complete schedule that costs less. Otherwise: stop
 * as soon as the best state costs more. */
struct bw_until {
	bool active, less;
	double cost;
};
/* Sets the condition at which runs stop. If it is not active, runs stop only at their target. */
void bw_session_set_until(struct bw_session *session, const struct bw_until *until);
/* Returns the first position after `before` at which a run stops. Returns -1 if it is not known yet or no
 * condition is set. Sets *active to whether the condition remains set. */
int bw_until_position(struct bw_session *session, int before, bool *active);
/* Ends the current advance of the search, even in the middle of a decision. */
void bw_advance_end(struct bw_session *session);

/* Names in commands, and the options of the decision at the cursor. */

/* Each function finds the object that a name denotes, or fails with an error that lists the possible
 * names. */
bool bw_select_func(const struct bw_session *session, const char *name, int *func, struct bw_error *error);
bool bw_select_state(struct bw_session *session, const char *name, int *rank, struct bw_error *error);
bool bw_select_option(struct bw_session *session, const char *name, int *number, struct bw_error *error);
/* Finds a group of options of the decision at the cursor, as bw_group_name names it. */
bool bw_select_group(struct bw_session *session, const char *name, int *group, struct bw_error *error);
/* Finds a position: `Ix`, `Ix.tile`, `Ix.where@1`, `end`, or a number. */
bool bw_select_position(const struct bw_session *session, const char *name, int *position,
			struct bw_error *error);
/* Returns the number of the cheapest option, or -1 if no option was costed. */
int bw_best_option(const struct bw_expansion *expansion);
/* Appends an option's name: `A3`, or `#3` if it has no letter. */
void bw_option_name(const struct bw_option *option, struct bw_text *out);
/* Limits the selected state's rank to those in the beam at the cursor. */
void bw_session_clamp(struct bw_session *session);

/* Returns the options at the cursor if they have been made already, else NULL. */
const struct bw_expansion *bw_session_expansion_made(const struct bw_session *session);
/* Makes the options at the cursor, for at most about `seconds`. Returns NULL if they are not complete by
 * then. */
const struct bw_expansion *bw_session_expand_for(struct bw_session *session, double seconds);
/* Returns the options at the cursor. Waits for them, except while a screen must not be kept waiting: then
 * returns NULL if they are not made yet. */
const struct bw_expansion *bw_session_expansion_unless(struct bw_session *session);
/* Gives up the options that are being made. */
void bw_session_expansion_stop(struct bw_session *session);
/* Returns the routine that makes options, or NULL. */
struct bw_routine *bw_session_expansion_work(struct bw_session *session);
/* Returns how many times options were made. */
int bw_session_expansion_count(const struct bw_session *session);
/* Remembers the selected state as that before the next command. */
void bw_session_remember_state(struct bw_session *session);

/* Shows the decision at the cursor at a stage. */
void bw_option_list_show(struct bw_session *session, enum bw_replay stage);
/* Shows a group of its options as one line, or its options again. */
void bw_option_list_fold(struct bw_session *session, int group, bool folded);
/* Remembers the cost of an option that the search did not cost. */
void bw_option_list_cost(struct bw_session *session, int option, double cost);

/* Returns true if alternatives are still to be costed. */
bool bw_alternatives_pending(const struct bw_session *session);
/* Costs one variant more; some must be pending. */
void bw_alternatives_price(struct bw_session *session);

/* Schedules and sessions as text: files, and lines of the journal. */

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
