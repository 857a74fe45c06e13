/* Private to the files of this room. */
#ifndef BW_SESSION_SESSION_PRIVATE_H
#define BW_SESSION_SESSION_PRIVATE_H
#include "base/mem.h"
#include "results/recorder.h"
#include "session/ledger.h"
#include "session/session.h"

struct call;

/* What a command that changes the search replaced, so that undo is an exchange. */
struct snapshot {
	struct bw_search *search; /* NULL: forgotten; what it is to be made from again: */
	struct bw_constraints constraints; /* its own; else none */
	int stood; /* where it is to stand then; it is run to its target before, as far as it was */
	struct bw_search_options options;
	int cursor, target;
	struct bw_selection selection;
	struct bw_walk *walk; /* through another scheduler; NULL: there is none */
};

struct entry {
	char *line;
	int point;             /* its number in the history */
	bool new_point;        /* the history has got it with this entry */
	struct snapshot other; /* what was before it; where it is undone, what was after it */
};

/* A measurement under way, with all that it reads. */
struct job {
	struct bw_job *job; /* NULL when it has ended */
	struct bw_directives *directives;
	struct bw_nest *nest;          /* that they are of; NULL: of the generator's own schedule */
	struct bw_job_request request; /* that it begins, or began, with */
	struct bw_result *result;      /* what is known of it before it ends; NULL: it is not to be stored */
};

typedef bool bw_command_function(struct call *call);

struct own {
	struct bw_session session; /* first: a session is its own */
	bw_command_function *const *functions; /* of the commands, in the order of their table */
	struct entry *entries;     /* as many as session.n_journal; those undone last */
	int entries_capacity;
	struct bw_journal_entry *journal;
	struct bw_device runs_on; /* session.runs_on points here */
	int n_done;               /* entries that are not undone */
	struct entry
	    *aside; /* entries that were undone when the newest was made: a conflict gives them back */
	int n_aside;
	int n_proven; /* of these: their searches came back to where the user stood. Those after them may
			 still be conflicts */
	struct point {
		char *line; /* NULL: forgotten */
		int parent; /* number of the one before it; 0: the beginning */
	} *points; /* of the history: number 1 first */
	int n_points, points_capacity, n_forgotten;
	int *grafted, n_grafted, grafted_capacity; /* while a saved session is loaded: points by the numbers
						      that its file gives them */
	bool recalls; /* a search that was forgotten runs to where it stood, and then has the selection that
			 it had */
	int recalled_cursor;
	struct bw_selection recalled;
	int64_t history_limit;      /* BW_HISTORY_BYTES; tests have less */
	struct bw_search **leaving; /* to be given back when there is time for it */
	int n_leaving, leaving_capacity;
	struct bw_routine *gives_back; /* the last of these; NULL: none of them is being given back */
	struct advancing {
		struct bw_routine *routine; /* NULL: the search is not advancing */
		struct bw_search *search;
		int target;
		enum bw_search_status status;
		struct bw_error error;
	} advancing;
	struct job *jobs; /* as many as session.n_timings */
	int jobs_capacity, timings_capacity;
	/* What views show, by the generation that it was made for. */
	struct bw_arena *arena;
	uint64_t cost_generation;
	struct bw_cost cost;
	struct bw_expansion *expansion;
	struct expanded {
		const struct bw_search *search;
		int cursor, state;
		long made;
	} expanded, expands;             /* what the expansion is of, and the one that is being made */
	struct bw_routine *expands_with; /* NULL: none is being made */
	struct bw_expansion *made;       /* that it made */
	/* What was asked to see of it otherwise. */
	struct ledger {
		int position; /* that `replay` stands for, -1: none; elsewhere the last stage is shown */
		enum bw_replay stage;
		uint32_t unfolded; /* bits of rules and of second choices: they stay from decision to decision */
		int n_buckets, n_options;
		bool *folded;  /* buckets */
		double *apart; /* options: cost outside the search; 0: not asked for */
	} ledger;
	struct whatif {
		bool takes;               /* the next change is not made, but tried */
		char *line;               /* of the command that is tried */
		struct bw_search *search; /* with its change; NULL: nothing is tried */
		struct bw_search *now;    /* without it */
		struct bw_routine *routine; /* brings both to their ends; NULL: not begun */
		enum bw_search_status status;
		const char *dead; /* what it means that one of them leaves nothing alive */
		struct bw_error error;
	} whatif;
	struct later {
		char **lines; /* session.waits of them wait */
		int capacity;
		bool runs;             /* one of them is being run: what it begins does not wait */
		bw_session_told *told; /* NULL: nothing waits */
		void *told_data;
		double patience;
	} later;
	struct until {
		bool active, less; /* a run is to stop at a cost: of a whole schedule, less than it; else of
				      the best so far, more */
		double cost;
	} until;
	const struct part *part;     /* work that has the turn (work.c); NULL: the commands have it */
	struct bw_routine *released; /* its routine, or NULL */
	uint64_t before_work;        /* the generation when it got the turn */
	struct bw_walk *walk; /* through the scheduler that was run last; NULL: there is none */
	struct walking {
		struct bw_walk *walk; /* under way; NULL: none is */
		char *line;           /* that asked for it, as the journal has it; NULL: the walk's own */
		int step;             /* the decision to stand at when it is done; -1: the end */
		struct bw_routine *routine; /* makes its decisions; NULL: none is under way */
		enum bw_walk_status status;
		struct bw_error error;
		atomic_bool stop;
		bool given; /* the next change puts `next` in the place of the session's walk */
		struct bw_walk *next;
	} walking;
	struct comparing *comparing;          /* NULL: nothing was compared */
	struct bw_alternatives *alternatives; /* NULL: nobody asked */
	struct detailing *detailing;          /* NULL: nobody asked */
	struct lessoning *lessoning;          /* NULL: no lesson is open */
	struct bw_nest *before;               /* of the state shown before the last command, kept */
	bw_session_draw *draw;
	void *draw_data;
	bw_session_page *page;
	struct bw_sweeping *sweeping; /* the sweep that was asked for last; NULL: none */
	bw_session_print *print;
	bw_session_flush *flush;
	void *flush_data;
	bw_session_edit *edit; /* NULL: there is no terminal for an editor */
	void *edit_data;
	struct {
		struct bw_text text; /* that was edited last */
		bool open;           /* it did not come into force: the next `edit` begins with it */
		char *line;          /* of the journal, where it read; NULL: it did not */
	} edited;
	int depth; /* of scripts that run scripts */
	bool untrusted; /* what runs is of a session that was loaded, and that is not trusted */
	bool replays; /* a saved session is being loaded: what was measured is not measured again */
	char differs[256]; /* how its states differ from those that were saved; empty: they do not */
	char *kept; /* the file in which the session is kept; NULL: it is not */
	struct bw_text kept_text; /* what was written there last; while nothing is journaled, what would be */
	bool kept_failed; /* it cannot be written, and that was said */
	struct bw_recorder *recorder; /* NULL: nothing was measured yet */
	uint64_t hand; /* of the generator's own schedule; 0: not known yet */
};

static inline struct own *own_of(const struct bw_session *session)
{
	return (struct own *)session;
}

/* A command as it runs: its words, and where its output goes. */
struct call {
	struct bw_session *session;
	const char *line; /* whole */
	const char *rest; /* after the name, without blanks around it */
	struct bw_text *out;
	struct bw_error *error;
};

/* Makes a session; `functions` are those of the commands, and outlive it. The other arguments are those of
 * bw_session_new. */
struct bw_session *bw_session_make(struct bw_source *source, const struct bw_places *places,
				   struct bw_pipeline *pipeline, const struct bw_search_options *options,
				   bw_command_function *const *functions);
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
/* Work on the walk that is under way for about `seconds`; have it end soon with what it has. */
struct bw_routine *bw_walking_routine(struct bw_session *session);
void bw_walking_take(struct bw_session *session, bool ended);
void bw_walking_stop(struct bw_session *session);
void bw_walking_end(struct own *own);
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

/* Returns true if alternatives are to be costed yet; goes a little further with them: true if one
 * more is known. */
bool bw_alternatives_pending(const struct bw_session *session);
/* Prices one variant more; some must be pending. */
void bw_alternatives_price(struct bw_session *session);
struct bw_routine *bw_alternatives_begin(struct bw_session *session);
void bw_alternatives_take(struct bw_session *session, bool ended);
void bw_alternatives_end(struct own *own);
void bw_comparing_end(struct own *own);
void bw_detailing_end(struct own *own);
/* The state that stood where the session stands now before the newest command of the journal; NULL with an
 * error where there is none. Its own. */
const struct bw_nest *bw_nest_before(struct call *call);
void bw_edited_end(struct own *own);
/* A line that came to a conflict: where it is what was edited, the text is offered again. */
void bw_edited_taken_back(struct own *own, const char *line);
/* Moves the cursor to a position, which a run may have to come to first. */
bool bw_session_move(struct call *call, int position);
/* Where a run that is to stop at a cost has to stop, among the positions reached after `before`; -1: not yet,
 * or there is no such run. */
int bw_until_reached(struct bw_session *session, int before);
/* What a schedule is compiled for: to be timed; to be assembled for the device of predictions; to be run and
 * counted on the emulated device. */
enum bw_purpose { BW_TO_TIME, BW_TO_ASSEMBLE, BW_TO_COUNT };
/* `top K` of time, compile and export: 1 where it was that and is done, 0 if it was not that, -1
 * with an error. */
int bw_top_time(struct call *call, enum bw_purpose purpose);
int bw_top_export(struct call *call);
/* Returns true if anything is compiled or measured, or waits for that. */
bool bw_session_has_job(const struct bw_session *session);
/* Takes in what jobs have come to, and begins with those whose turn it is. */
void bw_session_poll_jobs(struct bw_session *session);
/* Takes those that wait out of the queue; returns how many there were. */
int bw_session_stop_waiting(struct bw_session *session);
/* Runs the command of a call, whose line begins with its name. */
bool bw_call_run(struct call *call);
/* Takes a change that is to be tried alone. Returns false if it is to be made. */
bool bw_whatif_take(struct bw_session *session, const char *line, const struct bw_search_options *options,
		    const struct bw_constraints *constraints);
/* Goes on trying for at most about `seconds`. Returns true if that came to an end, and the message
 * says what comes of the command. */
bool bw_whatif_tries(const struct bw_session *session);
struct bw_routine *bw_whatif_begin(struct bw_session *session);
void bw_whatif_take_end(struct bw_session *session, bool ended);
void bw_whatif_end(struct bw_session *session);
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
void bw_journal_end(struct own *own);
/* Has a search given back when there is time for it; NULL is nothing to give back. */
void bw_session_leave(struct own *own, struct bw_search *search);
/* Gives back for about so many seconds. */
struct bw_routine *bw_leaving_begin(struct bw_session *session);
void bw_leaving_take(struct bw_session *session, bool ended);
void bw_leaving_end(struct own *own);
/* Forgets searches of the journal, those farthest from where the session is first, until what is remembered
 * keeps its limit. */
void bw_session_forget(struct own *own);
/* A session that was loaded, whose journal is from entry `first` on: its commands were given again at the
 * beginning of the search, but undo and redo are to stay where it stands now. */
void bw_session_stand(struct own *own, int first);
/* Gives a snapshot its search back where that was forgotten: true if it was. The session then runs
 * to where it stood. */
bool bw_session_recall(struct bw_session *session, struct snapshot *snapshot);
void bw_snapshot_end(struct own *own, struct snapshot *snapshot);
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
/* Returns true if lines wait to be run; goes on with their options for at most about `seconds`, and
 * runs the first when they are made. */
bool bw_later_waits(const struct bw_session *session);
struct bw_routine *bw_later_begin(struct bw_session *session);
void bw_later_take(struct bw_session *session, bool ended);
/* Drops them, and says so. Returns true if there were any. */
bool bw_later_drop(struct bw_session *session);
/* The selected state is one of the beam at the cursor. */
void bw_session_clamp(struct bw_session *session);
void bw_shown_stop(struct own *own);
/* Ends the advance of the search, wherever it is in a decision. */
void bw_advancing_end(struct own *own);
void bw_shown_end(struct own *own);
/* A ledger for an expansion that was just made; and the end of one. */
void bw_ledger_begin(struct own *own);
void bw_ledger_end(struct own *own);

/* A session as a script: a header, settings, the journal with what is undone of it, the place (a position),
 * the selection, measurements, digests. */
void bw_session_print_saved(const struct bw_session *session, int position, struct bw_text *out);
/* Runs a saved session: nothing is measured again; own->differs says how its states differ. */
bool bw_session_replay_file(struct bw_session *session, const char *path, struct bw_text *out,
			    struct bw_error *error);
/* Says that it was loaded, and what differs; text is the file's. */
void bw_session_tell_loaded(struct call *call, const char *text);
/* Writes the session where it is kept, if it has changed since. */
void bw_session_keep_up(struct bw_session *session);
void bw_session_keep_end(struct own *own);

/* The history has a line behind what is done: its number, that of the same line where it stands there
 * already. *is_new: it was not there. */
int bw_history_add(struct own *own, const char *line, bool *is_new);
/* Takes back the newest, which a conflict has made as if it had never been. */
void bw_history_drop(struct own *own, int point);
/* Where there are branches: all points as lines of a saved session, numbered without gaps; and such a line
 * read, while that session is loaded. */
void bw_history_print(const struct own *own, struct bw_text *out);
void bw_history_graft(struct own *own, const char *line);
void bw_history_end(struct own *own);
/* Returns the line of a point from number 1 on; NULL if it was forgotten. */
const char *bw_history_line(const struct bw_session *session, int number);
/* Returns the numbers of the points from the beginning to this one, and sets *n to how many; free(). */
int *bw_history_way(const struct own *own, int number, int *n);

/* Digests of the beams up to some positions, the last one at the cursor, as `assert beams` takes them: ` 9
 * f3c1... 17 80aa...`. */
void bw_session_digests(const struct bw_session *session, struct bw_text *out);
/* That a fact is not so: an error with what was found instead. */
bool bw_assert_fails(struct call *call, const char *fact, const char *found);
/* `assert beams`: where a saved session is being loaded, what differs is kept in own->differs and is no
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
void bw_lesson_end(struct bw_session *session);
void bw_session_end_jobs(struct bw_session *session);
/* Takes the worker's answer about devices, where there is one. Returns true if anything changed. */
bool bw_session_poll_devices(struct bw_session *session);

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
/* Hears what became of those being stored; what there is to say becomes the warning. */
void bw_record_poll(struct bw_session *session);
/* The newest stored measurement of a schedule from here, or by the same command from here, becomes
 * the timing. Returns false if there is none. */
bool bw_record_find(struct bw_session *session, struct bw_timing *timing);

/* The sweep that was asked for last: takes what is new of it; stops it; ends and frees it; the descriptor
 * that tells of news, -1: it does not run. */
void bw_sweeping_poll(struct bw_session *session);
void bw_sweeping_stop(struct own *own);
void bw_sweeping_end(struct own *own);
int bw_sweeping_fd(const struct own *own);
#endif
