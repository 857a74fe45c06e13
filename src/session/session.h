/* A session: a search with its cursor, constraints, journal and measurements, the selection, and the
 * one table of commands. The screen, the `:` prompt and scripts all drive the session through that
 * table; a script can do everything that a key can do. */
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

/* Where a pipeline comes from: a generator (then it can be compiled) or only a description. */
struct bw_source {
	char *name;      /* the name that the user gave: harris */
	char *size;      /* of its first output by the estimates: 1536x2560 */
	bool compilable; /* false: a description only; `time` says so */
	struct bw_generator generator;
	struct bw_bound_of_error bound;
	bool bound_kept; /* the bound is the user's own */
	char *hand; /* a file with the generator's own schedule, if a file can express it; NULL: none */
	char *near_hand; /* a file with the nearest schedule to it that a file can express; NULL: none */
	char *description; /* the text that the pipeline was read from; NULL: not kept, so that no
			      measurement is stored */
};

/* The selection: the default argument of every command, shown by all views. Ranks are 0-based; shown
 * from 1. */
struct bw_selection {
	int func;        /* index in the pipeline, or -1 */
	int state;       /* rank in the beam at the cursor */
	int option;      /* number of an option of the decision at the cursor, or -1 */
	int group;       /* of options, as option_list.h numbers them; then no option is selected. -1: none */
	int alternative; /* row of `view override`; 0: the present placement */
	int step;        /* decision of the walk through another scheduler, from 0; their number: the end */
	int candidate;   /* of that decision, from 0; -1: the one that was chosen */
	int opinion;     /* row of the view opinions, from 0 */
	int decision;    /* row of a list of decisions, while the cursor is at `decision_at`; -1: the cursor's */
	int decision_at; /* the cursor when it was selected */
	int sample;      /* of the tuning, the fastest first, from 0 */
	int line;        /* of the code shown, from 0 over all its kernels; -1: the costliest of the Func */
	bool statement;  /* the line is one of the statement that Halide lowered; else of the PTX */
	bool one_func;   /* of the code only the lines of the selected Func are shown */
	uint64_t code;    /* the schedule whose code was asked for by name; 0: the selected state's */
	uint64_t code_at; /* the selected state's then: of another state, its own code is shown */
};

/* One command as it was run, with everything written in full: `freeze Ix at output.block; thread y, x;
 * unrolled y 4`. */
struct bw_journal_entry {
	char *line;
	bool undone;
};

/* A point of the history: the search after a command. Numbers count from 1 in the order that they were come
 * to; 0 is the beginning. */
enum bw_point_state { BW_POINT_DONE, BW_POINT_UNDONE, BW_POINT_BRANCH };
struct bw_point {
	const char *line; /* NULL: forgotten */
	int parent;       /* the point that the command was given at */
	enum bw_point_state state; /* in the journal, done or undone; or on a branch that later commands
				      replaced */
};

/* A measurement that was asked for. */
struct bw_timing {
	char *label; /* `state 3 at 24`, or a file's name */
	uint64_t
	    schedule; /* its hash; of the generator's own, what bw_session_hand returned when it was begun */
	double predicted;                      /* ms, by the model, of the complete schedule; 0: not known */
	const struct bw_device *predicted_for; /* the device of that prediction; NULL: not known */
	enum bw_job_phase phase;
	double since; /* monotonic clock in s when the phase began */
	bool unread; /* it has ended, and no key was pressed some seconds later */
	bool counts; /* it runs on the emulated device, whatever the session searches for; not stored */
	bool sampled; /* it is counted by a sample of its blocks, to verify what is predicted */
	struct bw_nest *nest; /* the nest that was counted, kept. NULL: not counted, or the generator's
				 own schedule */
	struct bw_counted *counted; /* the counts; NULL: none (yet) */
	struct bw_code *code;       /* that was counted; NULL: not known */
	double estimated; /* ms, by the counts when it was stored; 0: not known */
	bool compiled; /* it was only to be compiled and assembled, for the device of predictions: of the
			  measurement there are the kernels alone */
	const struct bw_device
	    *device; /* the target of the compilation; after a run, the record of the device that ran it.
			NULL: none */
	struct bw_measurement measurement;
	struct bw_error error;
	char uid[BW_UID_SIZE]; /* of its stored result; empty: not stored */
	char stored[BW_TIME_SIZE]; /* time of a measurement by an earlier session, UTC; else empty */
};

/* Orders of the stages: name in C, as `sort` takes it. */
#define BW_SORT_TABLE(X) \
	X(BW_SORT_COST, cost) \
	X(BW_SORT_NAME, name) \
	X(BW_SORT_ORDER, order)

enum bw_sort { BW_SORT_TABLE(BW_FIRST) BW_N_SORTS };

/* The head of a session. All rooms may read it; only src/session and src/command write it, which
 * tests/setup/rooms.test checks. The data of its parts are private to these (part.h). */
struct bw_session {
	struct bw_source source;
	struct bw_places places;
	const struct bw_device *devices; /* that `set gpu=` knows; the caller's */
	int n_devices;
	const char *results; /* the file of stored results; NULL: measurements are not stored. The caller's */
	bool trusts;         /* sessions that are loaded may run commands and write files */
	double time_seconds; /* for the runs of a measurement; 0: one run, to check the output */
	double time_limit; /* as `limit` of struct bw_job_request: seconds after which a run is killed; 0: the
			      usual */
	struct bw_emulation emulation; /* settings of the emulated device */
	const char *ptxas; /* that assembles kernels; NULL: none was found. The caller's */
	struct bw_bench *bench; /* that measures */
	bool asks; /* the worker was asked for runs_on, and has not answered yet */
	const struct bw_device *runs_on; /* that measurements run on; NULL: not known (yet), or none is there */
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	struct bw_search *search;
	int cursor; /* position in the search: 0 .. bw_search_n_decisions */
	bool tries; /* a command is tried: `whatif` */
	int target; /* the position that a run in progress is to reach; -1: nothing runs */
	int waits;  /* lines that wait for the options at the cursor: bw_session_defer */
	struct bw_selection selection;
	char view[32]; /* name of the view shown: main, decision, help, ...; `start` of the explorer's first
			  page */
	char from[3][32];  /* the views from which views about another view (`help`) were opened; the
			      last one is the one to return to and to explain */
	int n_from;        /* how many; 0: the main one */
	enum bw_sort sort; /* order of the stages */
	char
	    pane[32]; /* of the main view, asked for by name: the screen moves the keys there and clears it */
	char filter[64];   /* of `/` */
	char listed[80];   /* the stages that are listed: text in their names; empty: all */
	bool *toggled; /* by the first Func of a family (figures/graph.h): its folding was changed */
	int listed_inside; /* list only stages in the kernel of this Func; -1: all */
	char message[512]; /* result of the last command, one line */
	char warning[256]; /* a doubt about that result, which the message contains, too. Empty: none */
	bool message_is_error;
	bool quit;
	int n_journal;
	const struct bw_journal_entry *journal;
	int n_unstored;     /* measurements that are not stored yet */
	char unstored[256]; /* why the last attempt failed; empty: none did */
	int n_timings;
	struct bw_timing *timings;
	int asked;           /* the timing that was asked for last, by `time` or `compile` */
	uint64_t generation; /* changes whenever a view could look different */
};

/* Returns a new session. Takes over the source, with what it owns, and the pipeline. */
struct bw_session *bw_session_new(struct bw_source *source, const struct bw_places *places,
				  struct bw_pipeline *pipeline, const struct bw_settings *options);
/* What the program gives a new session; it outlives the session. */
struct bw_session_setup {
	const struct bw_device *devices;
	int n_devices;
	const char *results, *ptxas;
	bool trusts;
	double time_seconds, time_limit;
};
void bw_session_set_up(struct bw_session *session, const struct bw_session_setup *setup);
void bw_session_free(struct bw_session *session);
/* Ends the session's activity outside of its own memory: jobs, the worker, files. Leaves the memory
 * to the process, which must exit next: freeing a search takes a twentieth of the time that the
 * search took. Accepts NULL. */
void bw_session_end(struct bw_session *session);

/* Runs one line of the command language: a name, or an unambiguous beginning of one, and arguments.
 * Output goes to `out`; the line with the result also to session->message. Returns false with an error,
 * which is in the message, too, if nothing was changed. */
bool bw_session_run(struct bw_session *session, const char *line, struct bw_text *out,
		    struct bw_error *error);
/* Runs a line, and waits for all work that it begins; the message at the end goes to `out`, too.
 * Fails if any of that work fails. stop_fd: once it is readable, a run of the search stops, and
 * measurements are not waited for; -1: none. */
bool bw_session_do(struct bw_session *session, const char *line, int stop_fd, struct bw_text *out,
		   struct bw_error *error);
/* Works until nothing is under way and the worker, if asked, has told its devices; calls
 * look(session, data) a few times per second meanwhile unless it is NULL. Returns false once stop_fd
 * is readable; -1: it never is. */
typedef void bw_session_look(struct bw_session *session, void *data);
bool bw_session_settle(struct bw_session *session, int stop_fd, bw_session_look *look, void *data);
/* Runs a file of command lines; stops at the first error, which names file and line. */
bool bw_session_run_file(struct bw_session *session, const char *path, struct bw_text *out,
			 struct bw_error *error);
/* Measures from now on in another worker, whose command sh runs, on this or another machine. NULL or "": in
 * this machine's own. */
void bw_session_use(struct bw_session *session, const char *command);
/* Asks the worker for its devices, in the background, unless it was asked. bw_session_work takes the
 * answer. */
void bw_session_ask(struct bw_session *session);

/* Returns the bytes of the session's search and of its earlier searches. Beyond BW_HISTORY_BYTES old
 * searches are forgotten, and run again when undo comes to them; the present one is always kept. */
enum { BW_HISTORY_BYTES = 256 << 20 };
int64_t bw_session_history_bytes(const struct bw_session *session);

/* Returns the nest of a schedule file, with a warning if that was written for another algorithm; drop it.
 * Returns NULL with an error. */
struct bw_nest *bw_report_nest(struct bw_session *session, const char *path, struct bw_error *error);
/* Returns a complete nest: a search decides the Funcs that the file does not mention, as `schedule
 * --schedule` does, by the session's options and the file alone. A warning says what it decided. */
struct bw_nest *bw_report_whole_nest(struct bw_session *session, const char *path, struct bw_error *error);

/* Defers a line, for a screen that does not wait, if it needs options of the decision at the cursor
 * that are not made within `patience` seconds, or if a deferred line waits; commands that only look
 * never wait. Returns true if deferred: bw_session_work runs the lines in order once the options are
 * made, and calls `told` for each. Returns false if the caller is to run the line. Without a `told`
 * (the default) nothing waits, and waiting lines are dropped. */
typedef void bw_session_deferred_done(const char *line, bool good, const struct bw_text *out, void *data);
void bw_session_set_deferred_done(struct bw_session *session, bw_session_deferred_done *told, void *data,
				  double patience);
bool bw_session_defer(struct bw_session *session, const char *line);

/* Continues work under way, such as runs and measurements, for at most about `seconds`. Returns true
 * if anything changed. */
bool bw_session_work(struct bw_session *session, double seconds);
/* Do so while a screen waits for keys: bw_session_release continues the work on another thread,
 * bw_session_hold waits until it pauses. In between only bw_session_fds may be called.
 * bw_session_release returns true if there is work, bw_session_hold if anything changed. */
bool bw_session_release(struct bw_session *session);
bool bw_session_hold(struct bw_session *session);
/* Returns true if anything that somebody waits for is under way: a run of the search, a measurement. */
bool bw_session_busy(const struct bw_session *session);
/* Stores measurements that could not be stored yet, or leaves them in a file that a later run finds, and
 * appends a line for each. Called before the session is freed. Returns false if any could not be written
 * anywhere. */
bool bw_session_store_rest(struct bw_session *session, struct bw_text *said);
/* Returns true if this process has work of its own to go on with: runs, options, memory to be freed; but
 * not measurements. */
bool bw_session_under_way(const struct bw_session *session);
/* Returns the number of schedules that wait to be compiled or measured. */
int bw_session_queued(const struct bw_session *session);
/* Appends all that is under way or waits, a line each. Returns how many there are. */
int bw_session_jobs(const struct bw_session *session, struct bw_text *out);
/* Appends the work in the background, a job with its phase and seconds or a sweep, or else the newest
 * outcome that was not read. */
void bw_session_background(const struct bw_session *session, struct bw_text *out);
/* Changes the selection. bw_session_took_pane says that the screen has moved the keys to
 * session->pane. */
void bw_session_select(struct bw_session *session, const struct bw_selection *selection);
void bw_session_took_pane(struct bw_session *session);
/* Says that the user left the session, as `quit` does. */
void bw_session_quit(struct bw_session *session);
/* Sets the settings of the emulated device. */
void bw_session_emulate(struct bw_session *session, const struct bw_emulation *emulation);
/* Sets the text that `/` searches for. */
void bw_session_search_for(struct bw_session *session, const char *text);
/* Sets the first message, and the first view unless it is NULL, before the session is shown. */
void bw_session_greet(struct bw_session *session, const char *said, const char *view);
/* Stops the run in progress, and drops waiting lines and schedules. */
void bw_session_stop(struct bw_session *session);
/* Writes at most `most` file descriptors for poll(2): readable when the session has something to do again.
 * Returns how many. */
int bw_session_fds(const struct bw_session *session, int *fds, int most);

/* Keeps the session in a file of its own in a folder (`sessions` in the user's state). From the first
 * command that changes the search on, the file is written after each command and each run, by a rename,
 * before the result is shown; so it survives a crash of the program. It is synced to the disk when the
 * session ends. If it cannot be written, one warning says so. Of each pipeline the newest twenty files
 * stay. */
void bw_session_keep(struct bw_session *session, const char *folder);
/* Appends a hint if the newest kept session of the pipeline did not come to its end and its process is
 * gone. */
void bw_session_unended(const struct bw_session *session, const char *folder, struct bw_text *said);
/* Resumes the newest kept session of the same pipeline, with its settings and its journal, undone
 * entries included; the session must be new. *said: when it was kept, and how its states differ.
 * Returns false with an error if there is none, or it cannot be replayed. */
bool bw_session_resume(struct bw_session *session, const char *folder, struct bw_text *said,
		       struct bw_error *error);

/* A place with a name: a point of the history, and where one stood in its search. */
struct bw_bookmark {
	char name[24];
	int point, position, state, func; /* func: -1: none */
};
/* Returns the bookmarks in the order of their names' setting, and sets `n` to their number. */
const struct bw_bookmark *bw_session_bookmarks(const struct bw_session *session, int *n);
/* Returns the bookmark of a name, or NULL. */
const struct bw_bookmark *bw_session_bookmark(const struct bw_session *session, const char *name);
/* Sets or drops the bookmark of a name. Returns false if there is none to drop, or there are too many. */
bool bw_session_set_bookmark(struct bw_session *session, const struct bw_bookmark *bookmark);
bool bw_session_drop_bookmark(struct bw_session *session, const char *name);
/* Returns the number of points of the history; the second function writes them and, as number 0, the
 * beginning. Of branches the newest thousand commands are remembered. */
int bw_session_n_points(const struct bw_session *session);
void bw_session_points(const struct bw_session *session, struct bw_point *points);
/* Returns the decision that is selected in a list of decisions: that at the cursor, until another is. */
int bw_session_listed(const struct bw_session *session);
/* Returns the number of the point at which the session is. */
int bw_session_point(const struct bw_session *session);

/* Return the selected state and its cost. They are made when first asked for after a change, and owned
 * by the session until the next change. */
const struct bw_state *bw_session_state(const struct bw_session *session);
const struct bw_cost *bw_session_cost(const struct bw_session *session);
/* Returns the options of the decision at the cursor from the selected state; NULL at the end. */
const struct bw_expansion *bw_session_expansion(struct bw_session *session);
/* Returns the options if they are made within 2 ms; else NULL, and bw_session_work makes them. */
const struct bw_expansion *bw_session_expansion_soon(struct bw_session *session);
/* Returns true if the selected state has placed this Func otherwise than the state that was shown
 * before the last command. */
bool bw_session_changed(const struct bw_session *session, int func);
/* Appends the name of the decision behind a position: `Ix.where`, with `@2` if there are several passes;
 * `end`. */
void bw_session_decision_name(const struct bw_session *session, int position, struct bw_text *out);
/* Appends the rejections and pins of a Func at the cursor: `rejected by hand: root, at output.block
 * 1x4; pinned by hand: inline`. */
void bw_marks_words(const struct bw_session *session, int func, struct bw_text *out);
/* Returns the constraint on a Func at the cursor, the user's or the search's; NULL if there is none. */
const struct bw_constraint *bw_session_constraint(const struct bw_session *session, int func);

/* Returns the resources that a nest's kernels use, compiled for the device of predictions with its
 * limit of registers; NULL if they were not compiled. Owned by the session; valid until its next
 * command. */
const struct bw_kernel_uses *bw_session_uses(const struct bw_session *session, const struct bw_nest *nest);
/* Hears that a key was pressed: outcomes that have been shown for some seconds are read. */
void bw_session_read_timings(struct bw_session *session);
struct bw_families;
/* Returns true if the family of a Func is shown as one row. */
bool bw_family_folded(const struct bw_session *session, const struct bw_families *families, int func);

/* Returns true if another scheduler is at work. */
bool bw_walking(const struct bw_session *session);
/* Returns the walk through the scheduler that was run last, or NULL; the session's. */
const struct bw_walk *bw_session_walk(const struct bw_session *session);
/* Returns the selected decision of the walk; NULL at its end or without a walk. The second function
 * returns its selected candidate, -1 at the end. */
const struct bw_walk_step *bw_session_step(const struct bw_session *session);
int bw_session_candidate(const struct bw_session *session);

enum bw_view_kind {
	BW_VIEW_MAIN,  /* all panes together */
	BW_VIEW_PANE,  /* a pane of the main view */
	BW_VIEW_WHOLE, /* takes the whole screen */
	BW_VIEW_ABOUT, /* takes it, too, and describes the view that it was opened from, to which leaving
			  returns */
};

struct bw_view_info {
	const char *name;
	enum bw_view_kind kind;
	const char *meaning;
};
/* Returns the view behind the one shown: leaving returns to it, and `help` explains it. */
const char *bw_session_view_behind(const struct bw_session *session);
/* Returns the views that `view NAME` can show, the main one first, and sets `n` to their number. */
const struct bw_view_info *bw_view_infos(int *n);

/* A row of BW_COMMAND_TABLE (command_table.h). */
struct bw_command {
	const char *name, *arguments, *key, *help;
	bool journaled;
};
const struct bw_command *bw_commands(int *n);
/* Returns true if a line begins with the name of a command; else fails. */
bool bw_session_knows(const char *line, struct bw_error *error);
/* Completions of the word at the end of line[0..length): whole words, sorted, `most` at most; owned by the
 * caller (free each). */
int bw_session_complete(struct bw_session *session, const char *line, int length, char **words, int most);

/* Completes a line that is being typed: appends to *more the text common to all completions, with a
 * blank if there is only one; if they have none, appends the completions to *list, separated by
 * blanks. Returns their number. */
int bw_session_complete_line(struct bw_session *session, const char *line, int length, struct bw_text *more,
			     struct bw_text *list);

/* Functions of what is around a session, and what they are called with; all NULL at first. src/session knows
 * neither ui nor page. */
struct bw_hooks {
	/* Writes a whole view as text, for `view` in scripts and in the read-eval loop. NULL: `view` writes
	 * nothing, since a screen shows it. */
	void (*print)(struct bw_session *session, const char *view, struct bw_text *out);
	/* Is called after each line of a file with the output so far, which it may write and clear. If it fails,
	 * the file ends with its error. NULL: output is kept to the end. */
	bool (*flush)(struct bw_text *out, void *data, struct bw_error *error);
	void *flush_data;
	/* Looks at what bw_session_do waits for. NULL: nothing does. */
	bw_session_look *look;
	void *look_data;
	/* Has the user edit a text, for `edit`; fails if that was not possible. NULL: there is no terminal. */
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
/* Returns the session's own, for the caller to set. */
struct bw_hooks *bw_session_hooks(const struct bw_session *session);
