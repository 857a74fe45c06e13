/* A running command, and the functions with which commands and the parts of a session report and run
 * others. */
#pragma once
#include "session/option_list.h"

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
/* Sets the session's message, and whether it is an error. */
void bw_session_tell(struct bw_session *session, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds words to the session's warning. */
void bw_session_warn(struct bw_session *session, const char *words);
/* Says that a view could look different now. */
void bw_session_touch(struct bw_session *session);

/* Returns true if a command may reach beyond the session: `write to` a file, `run` a command. Returns
 * false with an error if it comes from a loaded session that is not trusted. */
bool bw_call_may(struct call *call, const char *does, const char *what);
/* Keeps a loaded file or a lesson from running programs and writing files, unless `trusted` is true
 * or the session trusts everything. Returns the previous trust, for bw_session_restore_trust. */
bool bw_session_distrust(struct bw_session *session, bool trusted);
void bw_session_restore_trust(struct bw_session *session, bool before);
/* Returns true while a script or a saved session runs. */
bool bw_session_scripted(const struct bw_session *session);

/* Changes of the search: how commands make them, try them and take them back; where the search runs to. */

/* Goes to a position with a selection; where the search has not come so far, a run goes there first. */
void bw_session_stand_at(struct bw_session *session, int position, const struct bw_selection *selection);
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
/* Lets the command undo go no further back than this point of the history; 0: to the beginning. */
void bw_journal_set_floor(struct bw_session *session, int point);
bool bw_journal_at_floor(const struct bw_session *session);
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
int bw_until_position(struct bw_session *session, int before, bool *active);
/* Ends the advance of the search, even within a decision. */
void bw_advance_end(struct bw_session *session);

/* Names in commands, and the options of the decision at the cursor. */

/* Find the object that a name denotes; each fails with an error that names the choices. */
bool bw_select_func(const struct bw_session *session, const char *name, int *func, struct bw_error *error);
bool bw_select_state(struct bw_session *session, const char *name, int *rank, struct bw_error *error);
bool bw_select_option(struct bw_session *session, const char *name, int *number, struct bw_error *error);
/* Finds a group of options of the decision at the cursor, as bw_group_name names it. */
bool bw_select_group(struct bw_session *session, const char *name, int *group, struct bw_error *error);
/* Finds a position: `Ix`, `Ix.tile`, `Ix.where@1`, `end`, or a number. */
bool bw_select_position(const struct bw_session *session, const char *name, int *position,
			struct bw_error *error);
/* Returns the number of the option with the least cost, or -1 if none was costed. */
int bw_best_option(const struct bw_expansion *expansion);
/* Appends an option's name: `A3`, or `#3` if it has no letter. */
void bw_option_name(const struct bw_option *option, struct bw_text *out);
/* Moves the selected state into the beam at the cursor. */
void bw_session_clamp(struct bw_session *session);

/* Returns the options at the cursor if they are made already, else NULL. */
const struct bw_expansion *bw_session_expansion_made(const struct bw_session *session);
/* Makes them for at most about `seconds`. Returns NULL if they are not made by then. */
const struct bw_expansion *bw_session_expand_for(struct bw_session *session, double seconds);
/* Returns the options, or NULL if they are not made yet and a screen must not wait for them. */
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
