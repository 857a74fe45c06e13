/* For the commands and the parts of a session: what they can ask of it and of each other. */
#ifndef BW_SESSION_CALL_H
#define BW_SESSION_CALL_H
#include "base/mem.h"
#include "base/routine.h"
#include "session/ledger.h"
#include "session/session.h"

/* A command as it runs: its words, and where its output goes. */
struct call {
	struct bw_session *session;
	const char *line; /* whole */
	const char *rest; /* after the name, without blanks around it */
	struct bw_text *out;
	struct bw_error *error;
};

typedef bool bw_command_function(struct call *call);
/* Returns the number in the table of the command of this name, or of the only one that begins with it; -1
 * with an error otherwise. */
int bw_command_number(const char *name, size_t length, struct bw_error *error);
/* The command of this name, or the only one that begins with it; NULL otherwise. */
const struct bw_command *bw_command_find(const char *name, size_t length);

/* The one of n words that given is, or that alone begins with it; -1 with an error that says what there is,
 * or which it could be. what: `view`. */
int bw_word_find(const char *const *words, int n, const char *given, const char *what,
		 struct bw_error *error);
/* Returns true if the line may do something beyond the session: `write to` a file, `run` a command.
 * Returns false with an error if it is of a session that was loaded and is not trusted. */
bool bw_call_may(struct call *call, const char *does, const char *what);
/* Says the result of a command, one line: to out and to the message. */
void bw_session_say(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads a schedule file, with a warning where it was written for another algorithm. Refuses Funcs
 * that it derives: neither the search nor lowering places these. Returns NULL with an error; give
 * it back with bw_schedule_drop. */
struct bw_schedule *bw_session_read_schedule(struct bw_session *session, const char *path,
					     struct bw_error *error);
/* The same of a text that errors and the warning call `name`. */
struct bw_schedule *bw_schedule_take(struct bw_session *session, const char *name, const struct bw_text *text,
				     struct bw_error *error);
/* Writes the constraints that hold the Funcs that a schedule mentions to `list`, which has room for one of
 * each Func; they refer to its placements. Returns how many. */
int bw_schedule_constraints(const struct bw_schedule *schedule, struct bw_constraint *list);
/* Adds to the session's warning. */
void bw_session_warn(struct bw_session *session, const char *words);
/* Holds every Func that a schedule mentions, as one journaled command, and says so: `3 Funcs held as HOW`.
 * The journal's line, free(). */
char *bw_schedule_apply(struct call *call, const struct bw_schedule *schedule, const char *how);
/* The same under another line of the journal. */
void bw_schedule_hold(struct call *call, const char *line, const struct bw_schedule *schedule,
		      const char *how);
/* Goes on with a new walk, which it takes over, until it is done; then holds the search to its schedule, as
 * one journaled command with this line. A walk that takes long is left under way. step: the decision to stand
 * at then, -1: the end. Returns false with an error if the scheduler has no schedule. */
bool bw_walking_begin(struct call *call, struct bw_walk *walk, const char *line, int step);
/* Makes all decisions of the walk that is under way, if there is one. */
void bw_walking_finish(struct bw_session *session);
/* Has the next change forget the walk, or no longer: given false. */
void bw_walking_forget(struct bw_session *session, bool given);
/* A schedule on one line, as the journal has it: `{output root 1x2/32x8 | Ix inline}`, and such a line read;
 * as above where that is none. */
void bw_schedule_print_line(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule,
			    struct bw_text *out);
struct bw_schedule *bw_schedule_read_line(const struct bw_session *session, const char *line,
					  struct bw_error *error);
/* Calls `each` for every entry between the braces, as it is written and read. False with an error, of its own
 * or of `each`. */
typedef bool bw_each_entry(const char *entry, const struct bw_placement *placement, void *data,
			   struct bw_error *error);
bool bw_line_each_entry(const struct bw_session *session, const char *line, bw_each_entry *each, void *data,
			struct bw_error *error);
void bw_session_touch(struct bw_session *session);

/* Returns true if alternatives are still to be costed. */
bool bw_alternatives_pending(const struct bw_session *session);
/* Prices one variant more; some must be pending. */
void bw_alternatives_price(struct bw_session *session);
/* The state that stood where the session stands now before the newest command of the journal; NULL with an
 * error where there is none. Its own. */
const struct bw_nest *bw_nest_before(struct call *call);
/* Moves the cursor to a position, which a run may have to come to first. */
bool bw_session_move(struct call *call, int position);
/* The cost at which a run is to stop: of a whole schedule, less than it; else of the best so far, more. */
struct bw_until {
	bool active, less;
	double cost;
};
/* Has runs stop at a cost; not active: at none. */
void bw_session_set_until(struct bw_session *session, const struct bw_until *until);
/* Returns the position at which a run stops, among those reached after `before`; -1: not yet, or nothing is
 * to stop it. *active: it still goes on then. */
int bw_until_reached(struct bw_session *session, int before, bool *active);
/* What a schedule is compiled for: to be timed; to be assembled for the device of predictions; to be run and
 * counted on the emulated device. */
enum bw_purpose { BW_TO_TIME, BW_TO_ASSEMBLE, BW_TO_COUNT };
/* `top K` of time, compile and export: 1 where it was that and is done, 0 if it was not that, -1
 * with an error. */
int bw_top_time(struct call *call, enum bw_purpose purpose);
int bw_top_export(struct call *call);
/* Runs the command of a call, whose line begins with its name. */
bool bw_call_run(struct call *call);
/* Tries the command of a call, up to where it would change the search: on a copy, and nothing is changed.
 * Returns false with an error if it changes nothing. */
bool bw_whatif_try(struct call *call);
/* Returns the line of the command that is tried. */
const char *bw_whatif_line(const struct bw_session *session);
/* Puts other constraints or options (NULL: the same) into force as one journaled command. The search starts
 * over where they touch it and goes on to the cursor; where nothing is left alive, everything is as before
 * and the message says why. */
void bw_session_change(struct bw_session *session, const char *line, const struct bw_search_options *options,
		       const struct bw_constraints *constraints);
/* The options that stood before the first command of the journal. */
const struct bw_search_options *bw_session_first_options(const struct bw_session *session);
/* Takes back all that was journaled since there were n_done commands done, as if it had never been, and goes
 * to a place. */
void bw_session_return(struct bw_session *session, int n_done, int cursor,
		       const struct bw_selection *selection);
/* A conflict: the newest change is taken back as if it had never been, and the message says why. */
void bw_session_take_back(struct bw_session *session, const struct bw_error *error);
/* Has a search given back when there is time for it; NULL is nothing to give back. */
void bw_session_leave(struct bw_session *session, struct bw_search *search);
/* Has undo and redo stay where the session stands now: it was loaded, its journal is from entry `first` on,
 * and its commands were given again at the beginning of the search. */
void bw_session_stand(struct bw_session *session, int first);
/* Returns how many entries of the journal are done, and the point of one of them in the history. */
int bw_journal_done(const struct bw_session *session);
int bw_journal_point(const struct bw_session *session, int entry);
/* Says that the search of every command that is done came back to where the user stood: none of them is a
 * conflict. And returns true if there is one of which that is not said. */
void bw_journal_prove(struct bw_session *session);
bool bw_journal_unproven(const struct bw_session *session);
/* Ends a run that came to its target. */
void bw_journal_arrived(struct bw_session *session);
bool bw_session_undo(struct call *call);
bool bw_session_redo(struct call *call);

/* Returns true if what is placed is a Func of the algorithm itself; fails where it is derived from
 * one. path is what the error begins with, "" for nothing. */
bool bw_session_places(const struct bw_session *session, const char *path,
		       const struct bw_placement *placement, struct bw_error *error);
/* The user's constraints with one set (placement kept) or, with NULL, taken away. Give both lists back with
 * bw_constraints_end. */
struct bw_constraints bw_constraints_with(const struct bw_constraints *constraints, int func,
					  const struct bw_constraint *constraint);
/* Marks a Func as one that the search is not to freeze. */
void bw_constraints_let(struct bw_constraints *constraints, int func);
void bw_constraints_end(struct bw_constraints *constraints);

/* Puts one constraint into force under the full words of the command. */
void bw_command_constrain(struct call *call, const char *verb, const struct bw_constraint *constraint);
/* Freezes what a line in braces names, `{Ix inline | Iy at output.block}`, or what the selected state has of
 * some Funcs. */
bool bw_freeze_written(struct call *call);
bool bw_freeze_shown(struct call *call, const char *names);
/* Returns true if these are the names of several Funcs. */
bool bw_names_several(const struct bw_session *session, const char *names);
/* A choice as it was typed, NULL with an error where it is none that can be placed. */
const struct bw_placement *bw_choice_read(struct call *call, struct bw_error *error);
/* Returns true if the user named a site that leaves sizes to choose, and no sizes: then these stay
 * free. */
bool bw_choice_site_alone(const struct bw_session *session, const struct bw_placement *placement,
			  const char *typed);

/* Selectors (DESIGN, Names): each fails with an error that says what there is. */
bool bw_select_func(const struct bw_session *session, const char *name, int *func, struct bw_error *error);
bool bw_select_state(struct bw_session *session, const char *name, int *rank, struct bw_error *error);
bool bw_select_option(struct bw_session *session, const char *name, int *number, struct bw_error *error);
/* A group of options of the decision at the cursor, as bw_group_name names it. */
bool bw_select_group(struct bw_session *session, const char *name, int *group, struct bw_error *error);
/* `Ix`, `Ix.tile`, `Ix.where@1`, `end`, or a number: a position. */
bool bw_select_position(const struct bw_session *session, const char *name, int *position,
			struct bw_error *error);
/* The number of the option with the least cost, -1 where none was costed. */
int bw_best_option(const struct bw_expansion *expansion);
/* `A3`, or `#3` where it has no letter. */
void bw_option_name(const struct bw_option *option, struct bw_text *out);

/* The options of the decision at the cursor where they are made already, else NULL. */
const struct bw_expansion *bw_session_expansion_made(struct bw_session *session);
/* Works on them for at most about `seconds`; NULL if they are not made by then. */
const struct bw_expansion *bw_session_expand_for(struct bw_session *session, double seconds);
/* The options at the cursor for whoever is not to wait where there is a screen: NULL there where they are not
 * made yet. */
const struct bw_expansion *bw_session_expansion_unless(struct bw_session *session);
/* The selected state is one of the beam at the cursor. */
void bw_session_clamp(struct bw_session *session);

/* Gives up the options that are being made. */
void bw_shown_stop(struct bw_session *session);
/* Returns the routine that makes options, or NULL; and how many times options were made. */
struct bw_routine *bw_shown_work(struct bw_session *session);
int bw_shown_count(const struct bw_session *session);
/* Remembers the state that is shown as that before the next command. */
void bw_shown_remember(struct bw_session *session);
/* Ends the advance of the search, wherever it is in a decision; the second, only if it is this search that
 * advances. */
void bw_advance_end(struct bw_session *session);
void bw_advance_leave(struct bw_session *session, const struct bw_search *search);
/* Shows the decision at the cursor at a stage. Folds a group of its options. Says what an option costs. */
void bw_ledger_show(struct bw_session *session, enum bw_replay stage);
void bw_ledger_fold(struct bw_session *session, int group, bool folded);
void bw_ledger_cost(struct bw_session *session, int option, double cost);

/* A session as a script: a header, settings, the journal with what is undone of it, the place (a position),
 * the selection, measurements, digests. */
void bw_session_print_saved(const struct bw_session *session, int position, struct bw_text *out);
/* Runs a saved session: nothing is measured again; what differs is remembered. */
bool bw_session_replay_file(struct bw_session *session, const char *path, struct bw_text *out,
			    struct bw_error *error);
/* Says that it was loaded, and what differs; text is the file's. */
void bw_session_tell_loaded(struct call *call, const char *text);

/* Appends all points of the history as lines of a saved session, numbered without gaps. Does nothing if it
 * has no branches. */
void bw_history_print(const struct bw_session *session, struct bw_text *out);
/* Begins to read the points of a session that is loaded. */
void bw_history_begin_graft(struct bw_session *session);
/* Returns the line of a point from number 1 on; NULL if it was forgotten. */
const char *bw_history_line(const struct bw_session *session, int number);
/* Returns the numbers of the points from the beginning to this one, and sets *n to how many; free(). */
int *bw_history_way(const struct bw_session *session, int number, int *n);

/* Digests of the beams up to some positions, the last one at the cursor, as `assert beams` takes them: ` 9
 * f3c1... 17 80aa...`. */
void bw_session_digests(const struct bw_session *session, struct bw_text *out);
/* That a fact is not so: an error with what was found instead. */
bool bw_assert_fails(struct call *call, const char *fact, const char *found);
/* `assert beams`: while a saved session is being loaded, what differs is remembered and is no
 * error. */
bool bw_assert_beams(struct call *call, const char *fact, const char *rest);

/* Explanations for `why`. */
void bw_why_option(struct bw_session *session, const struct bw_option *option, struct bw_text *out);
/* `A3  at output.block 1x4: `, to which what became of the option follows. */
void bw_why_name(const struct bw_session *session, const struct bw_option *option, struct bw_text *out);
/* What sets one option apart from another: fates, costs, and the terms that differ. */
void bw_why_rather(struct bw_session *session, const struct bw_option *option, const struct bw_option *other,
		   struct bw_text *out);
/* The alternative that the views `override` and `tile` show selected. Returns false if none is. */
bool bw_why_alternative(struct bw_session *session, struct bw_text *out);
void bw_why_func(struct bw_session *session, int func, struct bw_text *out);
void bw_why_state(struct bw_session *session, int rank, struct bw_text *out);

/* What becomes of a job that is asked for: it cannot be done, begins, waits for others, or was asked for
 * before and has not ended yet. */
enum bw_timed { BW_TIMED_NOT, BW_TIMED_BEGUN, BW_TIMED_WAITS, BW_TIMED_BEFORE };
/* Has a complete nest measured, assembled or counted, NULL: the schedule that the generator has by hand.
 * session->asked is the timing of it then. NOT with an error. */
enum bw_timed bw_session_time(struct bw_session *session, const struct bw_nest *nest, const char *label,
			      enum bw_purpose purpose, struct bw_error *error);
/* What a job that has ended comes to, in one line; whether that is an error. */
bool bw_timing_tell(const struct bw_timing *timing, char *line, size_t size);
/* Adds a measurement that was found stored to the end of the list; takes its label. */
struct bw_timing *bw_jobs_append(struct bw_session *session, const struct bw_timing *timing);

/* This machine's name, as results have it. */
enum { BW_HOST_SIZE = 256 };
void bw_record_host(char host[BW_HOST_SIZE]);
/* The hash that stands for the schedule that the generator has by hand; again: read the generator's file
 * anew. 0 if it cannot be read. */
uint64_t bw_session_hand(const struct bw_session *session, bool again);
/* What is known of a measurement before it is made; NULL if it is not to be stored. schedule NULL: the
 * generator's own. Freed by bw_record_end, or bw_result_free. */
struct bw_result *bw_record_begin(const struct bw_session *session, const struct bw_schedule *schedule,
				  const struct bw_timing *timing);
/* Stores a measurement that has ended, in the background; takes result. device: that it was compiled for;
 * NULL: it did not come so far. */
void bw_record_end(struct bw_session *session, struct bw_timing *timing, struct bw_result *result,
		   const struct bw_device *device);
/* Opens the stored results to read them; NULL, without an error, if there are none yet. */
struct bw_results *bw_record_open(const struct bw_session *session, struct bw_error *error);
/* Shows a result as a timing's outcome; a label that the timing has stays. */
void bw_record_show(const struct bw_session *session, struct bw_timing *timing,
		    const struct bw_result *result);
/* The newest stored measurement of a schedule from here, or by the same command from here, becomes
 * the timing. Returns false if there is none. */
bool bw_record_find(struct bw_session *session, struct bw_timing *timing);

/* Lets what is loaded or of a lesson only do what the session trusts it with: neither run programs nor write
 * files. Returns what was before, for bw_session_trust_again. */
bool bw_session_distrust(struct bw_session *session, bool trusted);
void bw_session_trust_again(struct bw_session *session, bool before);
/* Returns true while a script or a saved session runs. */
bool bw_session_scripted(const struct bw_session *session);
/* Writes the screen, a view or a report, by the functions that were set for that. Returns false with an error
 * if there is none, or it fails. bw_session_print_view does nothing then. */
bool bw_session_draw_screen(struct call *call, const char *path);
bool bw_session_write_page(struct call *call, struct bw_text *out);
void bw_session_print_view(struct bw_session *session, const char *view, struct bw_text *out);
#endif
