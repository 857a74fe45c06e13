/* A session: a search with its cursor, constraints, journal and measurements, and the user's selection. The
 * screen, the `:` prompt and scripts all drive the session through one table of commands, so that a script
 * can do everything that a key can do. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "bench/bench.h"
#include "results/result.h"
#include "schedule/schedule.h"
#include "schedulers/walk.h"
#include "search/search.h"

/* The source of a pipeline: a generator (then the pipeline can be compiled), or only a description. */
struct bw_source {
	char *name;      /* the name that the user gave: harris */
	char *size;      /* size of the pipeline's first output by its estimates: 1536x2560 */
	bool compilable; /* false: there is only a description, so that nothing can be compiled or timed */
	struct bw_generator generator;
	struct bw_bound_of_error bound;
	bool bound_kept; /* true: the user has set the bound of error */
	char *hand; /* a file with the generator's own schedule; NULL: there is none, or a schedule file
		       cannot express it */
	char *near_hand; /* a schedule file that comes nearest to the generator's own schedule; NULL: none */
	char *description; /* the description from which the pipeline was read; NULL: not kept, so that no
			      measurement is stored */
};

/* The selection: the default arguments of all commands, and what all views show. Ranks are 0-based; the
 * screen shows them from 1. */
struct bw_selection {
	int func;        /* index in the pipeline, or -1 */
	int state;       /* rank in the beam at the cursor */
	int option;      /* number of an option of the decision at the cursor, or -1 */
	int group;       /* selected group of options, numbered as in option_list.h; then no option is
			    selected. -1: none */
	int alternative; /* row of `view override`; 0: the present placement */
	int step;        /* selected decision in the walk, the step-by-step view of another scheduler;
			    0-based; equal to the number of decisions: at the end */
	int candidate;   /* selected candidate of that decision, 0-based; -1: the one the scheduler took */
	int opinion;     /* selected row of the view `opinions`, 0-based */
	int decision;    /* selected row of a list of decisions, valid only while the cursor is at
			    decision_at; -1: the decision at the cursor */
	int decision_at; /* the cursor's position when `decision` was selected */
	int sample;      /* selected sample of the tuning, 0-based, the fastest first */
	int line;        /* selected line of the shown code, 0-based, counted over all kernels; -1: the line
			    of the selected Func that ran most often */
	bool statement;  /* true: the selected line is in the statement that Halide lowered; false: in the
			    PTX */
	bool one_func;   /* true: the code shows only the lines of the selected Func */
	uint64_t code;    /* hash of the schedule that a command named to show its code; 0: the selected
			     state's schedule */
	uint64_t code_at; /* hash of the state that was selected then: if another one is selected, that
			     state's code is shown */
};

/* A command of the journal, written in full: `freeze Ix at output.block; thread y, x; unrolled y 4`. */
struct bw_journal_entry {
	char *line;
	bool undone;
};

/* A point of the history: the search after a command. Points are numbered from 1 in the order in which they
 * were first reached; 0 is the beginning. */
enum bw_point_state { BW_POINT_DONE, BW_POINT_UNDONE, BW_POINT_BRANCH };
struct bw_point {
	const char *line; /* NULL: forgotten */
	int parent;       /* number of the point at which the command was given */
	enum bw_point_state state; /* in the journal (done or undone), or on a branch that later commands
				      replaced */
};

/* A requested compilation or measurement of a schedule, and its results. */
struct bw_timing {
	char *label; /* `state 3 at 24`, or a file's name */
	uint64_t
	    schedule; /* hash of the schedule; for the generator's own schedule, the value of bw_session_hand
			 when the job began */
	double predicted;                      /* predicted time in ms of the complete schedule; 0: not
						  known */
	const struct bw_device *predicted_for; /* the device for which `predicted` holds; NULL: not known */
	enum bw_job_phase phase;
	double since; /* time when the phase began, in s of the monotonic clock */
	bool unread; /* the job has ended, and the user has not yet seen its outcome: no key was pressed some
			seconds after the end */
	bool counts; /* the job runs on the emulated device, whatever device the session searches for; its
			result is not stored */
	bool sampled; /* only a sample of the blocks is counted, to verify predictions */
	struct bw_nest *nest; /* the counted nest; NULL: nothing was counted, or the generator's own schedule
				 was */
	struct bw_counted *counted; /* the counts; NULL: none (yet) */
	struct bw_code *code;       /* the counted code; NULL: not known */
	double estimated; /* time in ms, estimated from the counts when the result was stored; 0: not known */
	bool compiled; /* the job only compiles and assembles, for the device of predictions: of `measurement`
			  only the kernels are set */
	const struct bw_device
	    *device; /* the device for which the schedule was compiled; after a run, the record of the device
			that ran it; NULL: none */
	struct bw_measurement measurement;
	struct bw_error error;
	char uid[BW_UID_SIZE]; /* identifier of the stored result; empty: not stored */
	char stored[BW_TIME_SIZE]; /* UTC time of a measurement that an earlier session made; else empty */
};

/* Orders of the stages: name in C, argument of `sort`. */
#define BW_SORT_TABLE(X) \
	X(BW_SORT_COST, cost) \
	X(BW_SORT_NAME, name) \
	X(BW_SORT_ORDER, order)

enum bw_sort { BW_SORT_TABLE(BW_FIRST) BW_N_SORTS };

/* The public data of a session. All rooms may read it. Only src/session and src/command write it, which
 * tests/setup/rooms.test checks. The data of the session's parts are private to each part (part.h). */
struct bw_session {
	struct bw_source source;
	struct bw_places places;
	const struct bw_device *devices; /* devices that `set gpu=` accepts; owned by the caller */
	int n_devices;
	const char *results; /* the file of stored results; NULL: measurements are not stored. Owned by the
				caller */
	bool trusts;         /* loaded sessions may run programs and write files */
	double time_seconds; /* seconds for the runs of a measurement; 0: one run, only to check the output */
	double time_limit; /* seconds after which a run is killed (`limit` of struct bw_job_request); 0: the
			      default */
	struct bw_emulation emulation; /* settings of the emulated device */
	const char *ptxas; /* the program that assembles kernels; NULL: none was found. Owned by the caller */
	struct bw_bench *bench; /* the worker that measures */
	bool asks; /* the worker was asked for its devices (runs_on), and has not answered yet */
	const struct bw_device *runs_on; /* the device on which measurements run; NULL: not known (yet), or
					    there is none */
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	struct bw_search *search;
	int cursor; /* position in the search: 0 .. bw_search_n_decisions */
	bool tries; /* `whatif` is trying a command */
	int target; /* the position that the run in progress is to reach; -1: no run */
	int waits;  /* number of lines that wait for the options at the cursor (bw_session_defer) */
	struct bw_selection selection;
	char view[32]; /* name of the shown view: main, decision, help, ...; `start`: the explorer's first
			  page */
	char from[3][32];  /* views that were left for a view that describes them (such as `help`); the last
			      entry is the view to return to and to explain */
	int n_from;        /* number of entries in `from`; 0: the main view */
	enum bw_sort sort; /* order of the stages */
	char
	    pane[32]; /* pane of the main view that a command named: the screen moves the keys to it and
			 clears this field */
	char filter[64];   /* the text searched for by `/` */
	char listed[80];   /* text in the names of the stages that are listed; empty: all stages */
	bool *toggled; /* indexed by the first Func of a family (figures/graph.h): the user has changed
			  whether the family is folded */
	int listed_inside; /* list only stages in the kernel of this Func; -1: all */
	char message[512]; /* result of the last command, one line */
	char warning[256]; /* a doubt about that result, also contained in `message`; empty: none */
	bool message_is_error;
	bool quit;
	int n_journal;
	const struct bw_journal_entry *journal;
	int n_unstored;     /* measurements that are not stored yet */
	char unstored[256]; /* why the last attempt to store failed; empty: it did not */
	int n_timings;
	struct bw_timing *timings;
	int asked;           /* index of the timing that was requested last, by `time` or `compile` */
	uint64_t generation; /* changes whenever a view could look different */
};

/* Returns a new session. Takes over the pipeline, and the source with all that it owns. */
struct bw_session *bw_session_new(struct bw_source *source, const struct bw_places *places,
				  struct bw_pipeline *pipeline, const struct bw_settings *options);
/* Settings of the program for a new session; they outlive the session. */
struct bw_session_setup {
	const struct bw_device *devices;
	int n_devices;
	const char *results, *ptxas;
	bool trusts;
	double time_seconds, time_limit;
};
void bw_session_set_up(struct bw_session *session, const struct bw_session_setup *setup);
void bw_session_free(struct bw_session *session);
/* Ends the session's activity outside its own memory: jobs, the worker, files. Does not free the memory, so
 * that the process must exit next: freeing a search takes a twentieth of the time of the search itself.
 * Accepts NULL. */
void bw_session_end(struct bw_session *session);

/* Runs one line of the command language: the name of a command, or an unambiguous beginning of one, and
 * arguments. Output goes to `out`; the line with the result is also put into session->message. If nothing was
 * changed because of an error, returns false with the error, which is the message, too. */
bool bw_session_run(struct bw_session *session, const char *line, struct bw_text *out,
		    struct bw_error *error);
/* Runs a line, and waits for all work that the line begins. The message at the end of the work also goes to
 * `out`. Fails if any of the work fails. stop_fd: once this descriptor is readable, a run of the search stops
 * and measurements are no longer waited for; -1: none. */
bool bw_session_do(struct bw_session *session, const char *line, int stop_fd, struct bw_text *out,
		   struct bw_error *error);
/* Works until nothing is in progress and the worker, if it was asked, has reported its devices. Meanwhile
 * calls look(session, data) a few times per second, unless it is NULL. Returns false as soon as stop_fd is
 * readable; stop_fd -1: none. */
typedef void bw_session_look(struct bw_session *session, void *data);
bool bw_session_settle(struct bw_session *session, int stop_fd, bw_session_look *look, void *data);
/* Runs a file of command lines; stops at the first error, which names file and line. */
bool bw_session_run_file(struct bw_session *session, const char *path, struct bw_text *out,
			 struct bw_error *error);
/* Sets the worker for measurements from now on: the one that the shell starts by `command`, on this or
 * another machine. NULL or "": this machine's own worker. */
void bw_session_use(struct bw_session *session, const char *command);
/* Asks the worker for its devices in the background, unless it was asked before. bw_session_work receives the
 * answer. */
void bw_session_ask(struct bw_session *session);

/* Returns the bytes of the session's search and of the earlier searches in its journal. If they exceed
 * BW_HISTORY_BYTES, old searches are forgotten, and run again when undo returns to them. The present search
 * is always kept. */
enum { BW_HISTORY_BYTES = 256 << 20 };
int64_t bw_session_history_bytes(const struct bw_session *session);

/* Returns the nest of a schedule file; drop it. Warns if the file was written for another algorithm. Returns
 * NULL with an error. */
struct bw_nest *bw_report_nest(struct bw_session *session, const char *path, struct bw_error *error);
/* Returns a complete nest of a schedule file: a search decides the Funcs that the file does not mention, as
 * `schedule --schedule` does. The result depends only on the session's options and the file. A warning says
 * what the search decided. */
struct bw_nest *bw_report_whole_nest(struct bw_session *session, const char *path, struct bw_error *error);

/* Defers a line, for a screen that must not be kept waiting. A line is deferred if it needs the options of
 * the decision at the cursor and these are not made within `patience` seconds, or if an earlier line is
 * deferred; commands that only show something are never deferred. Returns true if the line was deferred:
 * bw_session_work then runs the deferred lines in order once the options are made, and calls `told` for each
 * line. Returns false if the caller is to run the line. If `told` is NULL (the default), no line is deferred,
 * and deferred lines are dropped. */
typedef void bw_session_deferred_done(const char *line, bool good, const struct bw_text *out, void *data);
void bw_session_set_deferred_done(struct bw_session *session, bw_session_deferred_done *told, void *data,
				  double patience);
bool bw_session_defer(struct bw_session *session, const char *line);

/* Continues work in progress, such as runs and measurements, for about `seconds` at most. Returns true if
 * anything changed. */
bool bw_session_work(struct bw_session *session, double seconds);
/* Continue the work while a screen waits for keys. bw_session_release continues the work on another thread
 * and returns true if there is work. bw_session_hold waits until this thread pauses and returns true if
 * anything changed. Between the two only bw_session_fds may be called. */
bool bw_session_release(struct bw_session *session);
bool bw_session_hold(struct bw_session *session);
/* Returns true if work is in progress for which somebody waits: a run of the search, a measurement. */
bool bw_session_busy(const struct bw_session *session);
/* Stores the measurements that could not be stored yet, or else writes them to a file that a later run of the
 * program finds. Appends a line for each. To be called before the session is freed. Returns false if a
 * measurement could not be written anywhere. */
bool bw_session_store_rest(struct bw_session *session, struct bw_text *said);
/* Returns true if this process itself has work in progress: runs, options, memory to be freed. Measurements
 * do not count. */
bool bw_session_under_way(const struct bw_session *session);
/* Returns the number of schedules that wait to be compiled or measured. */
int bw_session_queued(const struct bw_session *session);
/* Appends a line for each job that is in progress or waits. Returns their number. */
int bw_session_jobs(const struct bw_session *session, struct bw_text *out);
/* Appends the work in the background: a job with its phase and seconds, or a sweep. If there is none, appends
 * the newest outcome that the user has not read. */
void bw_session_background(const struct bw_session *session, struct bw_text *out);
/* Sets the selection. The second function notes that the screen has moved the keys to the pane
 * session->pane. */
void bw_session_select(struct bw_session *session, const struct bw_selection *selection);
void bw_session_took_pane(struct bw_session *session);
/* Notes that the user left the session, as `quit` does. */
void bw_session_quit(struct bw_session *session);
/* Sets the settings of the emulated device. */
void bw_session_emulate(struct bw_session *session, const struct bw_emulation *emulation);
/* Sets the text that `/` searches for. */
void bw_session_search_for(struct bw_session *session, const char *text);
/* Sets the first message, and the first view unless it is NULL, before the session is shown. */
void bw_session_greet(struct bw_session *session, const char *said, const char *view);
/* Stops the run in progress, and drops waiting lines and schedules. */
void bw_session_stop(struct bw_session *session);
/* Writes at most `most` file descriptors for poll(2), and returns their number. A descriptor becomes readable
 * when the session can continue its work. */
int bw_session_fds(const struct bw_session *session, int *fds, int most);

/* Keeps the session in a file in this folder (`sessions` in the user's state), so that it survives a crash of
 * the program. The file is written from the first command that changes the search, after each command and
 * each run and before the result is shown, and replaced by a rename. It is synced to the disk when the
 * session ends. If it cannot be written, one warning says so. The newest twenty files of each pipeline are
 * kept. */
void bw_session_keep(struct bw_session *session, const char *folder);
/* Appends a hint if the newest kept session of the pipeline was not ended properly and its process is
 * gone. */
void bw_session_unended(const struct bw_session *session, const char *folder, struct bw_text *said);
/* Resumes the newest kept session of the same pipeline, with its settings and journal, including undone
 * entries. The session must be new. *said: when the kept session was written, and how its states differ from
 * the replayed ones. Returns false with an error if there is no kept session or it cannot be replayed. */
bool bw_session_resume(struct bw_session *session, const char *folder, struct bw_text *said,
		       struct bw_error *error);

/* A bookmark: a named point of the history with a position and selection in its search. */
struct bw_bookmark {
	char name[24];
	int point, position, state, func; /* func: -1: none */
};
/* Returns the bookmarks in the order in which their names were set, and sets `n` to their number. */
const struct bw_bookmark *bw_session_bookmarks(const struct bw_session *session, int *n);
/* Returns the bookmark of a name, or NULL. */
const struct bw_bookmark *bw_session_bookmark(const struct bw_session *session, const char *name);
/* Set or drop the bookmark of a name. Return false if there is none to drop, or if there are too many. */
bool bw_session_set_bookmark(struct bw_session *session, const struct bw_bookmark *bookmark);
bool bw_session_drop_bookmark(struct bw_session *session, const char *name);
/* Returns the number of points of the history. The second function writes all points, with the beginning as
 * number 0. On branches, only the newest thousand commands are kept. */
int bw_session_n_points(const struct bw_session *session);
void bw_session_points(const struct bw_session *session, struct bw_point *points);
/* Returns the selected decision in a list of decisions. By default this is the decision at the cursor. */
int bw_session_listed(const struct bw_session *session);
/* Returns the number of the point at which the session is. */
int bw_session_point(const struct bw_session *session);

/* Return the selected state and its cost. Both are computed when first asked for after a change, and owned by
 * the session until the next change. */
const struct bw_state *bw_session_state(const struct bw_session *session);
const struct bw_cost *bw_session_cost(const struct bw_session *session);
/* Returns the options of the decision at the cursor for the selected state; NULL at the end of the search.
 * Waits until they are made. */
const struct bw_expansion *bw_session_expansion(struct bw_session *session);
/* Returns the same options if they are made within 2 ms. Otherwise returns NULL, and bw_session_work makes
 * them. */
const struct bw_expansion *bw_session_expansion_soon(struct bw_session *session);
/* Returns true if the selected state places this Func differently from the state that was shown before the
 * last command. */
bool bw_session_changed(const struct bw_session *session, int func);
/* Appends the name of the decision at a position: `Ix.where`, with `@2` for its pass if there are several
 * passes; `end` at the end. */
void bw_session_decision_name(const struct bw_session *session, int position, struct bw_text *out);
/* Appends the rejections and pins of a Func that are in force at the cursor: `rejected by hand: root, at
 * output.block 1x4; pinned by hand: inline`. */
void bw_marks_words(const struct bw_session *session, int func, struct bw_text *out);
/* Returns the constraint that holds a Func at the cursor, set by the user or by the search; NULL if there is
 * none. */
const struct bw_constraint *bw_session_constraint(const struct bw_session *session, int func);

/* Returns the resources used by a nest's kernels, as compiled for the device of predictions with its limit of
 * registers. Returns NULL if they were not compiled. Owned by the session; valid until its next command. */
const struct bw_kernel_uses *bw_session_uses(const struct bw_session *session, const struct bw_nest *nest);
/* To be called when a key was pressed: marks outcomes as read that have been shown for some seconds. */
void bw_session_read_timings(struct bw_session *session);
struct bw_families;
/* Returns true if the family of a Func is shown as one row. */
bool bw_family_folded(const struct bw_session *session, const struct bw_families *families, int func);

/* Returns true if a walk through another scheduler is in progress. */
bool bw_walking(const struct bw_session *session);
/* Returns the walk through the scheduler that was run last, or NULL. Owned by the session. */
const struct bw_walk *bw_session_walk(const struct bw_session *session);
/* Returns the selected decision of the walk; NULL at the walk's end or if there is no walk. The second
 * function returns the selected candidate of this decision; -1 at the walk's end. */
const struct bw_walk_step *bw_session_step(const struct bw_session *session);
int bw_session_candidate(const struct bw_session *session);

enum bw_view_kind {
	BW_VIEW_MAIN,  /* all panes together */
	BW_VIEW_PANE,  /* a pane of the main view */
	BW_VIEW_WHOLE, /* fills the whole screen */
	BW_VIEW_ABOUT, /* fills the whole screen and describes the view from which it was opened; leaving it
			  returns to that view */
};

struct bw_view_info {
	const char *name;
	enum bw_view_kind kind;
	const char *meaning;
};
/* Returns the view from which the shown view was opened: leaving the shown view returns to it, and `help`
 * explains it. */
const char *bw_session_view_behind(const struct bw_session *session);
/* Returns the views that `view NAME` can show, the main one first, and sets `n` to their number. */
const struct bw_view_info *bw_view_infos(int *n);

/* A row of BW_COMMAND_TABLE (command_table.h). */
struct bw_command {
	const char *name, *arguments, *key, *help;
	bool journaled;
};
const struct bw_command *bw_commands(int *n);
/* Returns true if a line begins with the name of a command. Returns false with an error otherwise. */
bool bw_session_knows(const char *line, struct bw_error *error);
/* Writes the completions of the word at the end of line[0..length): whole words, sorted, at most `most`.
 * Returns their number. The caller frees each word. */
int bw_session_complete(struct bw_session *session, const char *line, int length, char **words, int most);

/* Completes a line that is being typed. Appends to *more the text that all completions have in common, and a
 * blank if there is only one completion. If they have nothing in common, appends the completions to *list,
 * separated by blanks. Returns the number of completions. */
int bw_session_complete_line(struct bw_session *session, const char *line, int length, struct bw_text *more,
			     struct bw_text *list);

/* Hooks: functions that the session calls, provided by the program around it, with their data. All are NULL
 * at first. They exist because src/session may not depend on ui or page. */
struct bw_hooks {
	/* Writes a whole view as text, for `view` in scripts and in the read-eval loop. NULL: `view` writes
	 * nothing, because a screen shows the view. */
	void (*print)(struct bw_session *session, const char *view, struct bw_text *out);
	/* Called after each line of a file with the output so far, which the function may write and clear. If
	 * it fails, the file ends with its error. NULL: output is collected to the end. */
	bool (*flush)(struct bw_text *out, void *data, struct bw_error *error);
	void *flush_data;
	/* Called a few times per second while bw_session_do waits. NULL: nothing is called. */
	bw_session_look *look;
	void *look_data;
	/* Lets the user edit a text, for `edit`. Fails if that was not possible. NULL: there is no
	 * terminal. */
	bool (*edit)(struct bw_text *text, void *data, struct bw_error *error);
	void *edit_data;
	/* Puts a text into the terminal's clipboard, for `copy`. NULL: `copy` prints it. */
	bool (*copy)(const struct bw_text *text, struct bw_error *error);
	/* Draws the screen, for `screenshot`. */
	bool (*draw)(struct bw_session *session, const char *path, int columns, int rows, void *screen,
		     struct bw_error *error);
	void *screen;
	/* Appends a report on the selected state, for `report`. */
	bool (*page)(struct bw_session *session, struct bw_text *out, struct bw_error *error);
	/* Appends the film of the search as an animated picture, for `play`. */
	bool (*film)(struct bw_session *session, struct bw_text *out, struct bw_error *error);
};
/* Returns the session's hooks, for the caller to set. */
struct bw_hooks *bw_session_hooks(const struct bw_session *session);
