/* The program: one file for each command of the table in arguments.h. */
#pragma once
#include <pthread.h>

#include "program/arguments.h"
#include "command/edit.h"
#include "session/session.h"
#include "session/source.h"
#include "ui/config.h"

/* The places of the program's own files and of the user's. */
struct bw_layout {
	char *generators, *bundled,
	    *descriptions; /* folders of the bundled pipelines (struct bw_folders) */
	char *lessons;
	struct bw_plugin *plugins;    /* one for each Halide version that the program was built for */
	char *published;              /* tables of the papers */
	char *devices, *bench;        /* files: the installed device records; the program beamwalk-bench */
	char *ptxas;                  /* of the CUDA Toolkit; NULL: not found */
	char *cache, *state, *config; /* the user's folders, by the XDG base directories; not created here */
	char *data;    /* the user's folder of measurements and learned weights; not created here */
	char *results; /* the file of stored measurements, in the folder `data` */
	struct bw_editing editing;    /* the user's editor; strings of the environment */
};

/* The state of a run of the program. */
struct bw_program {
	struct bw_arguments arguments;
	struct bw_layout layout;
	struct bw_places places;
	struct bw_folders folders;
	struct bw_config config; /* beamwalkrc, for explore and repl; else empty */
	struct bw_device *devices;
	int n_devices;
	struct bw_models models; /* weights that were read */
	bool plain; /* the search has its default options, whatever beamwalkrc says */
	char *chosen; /* the pipeline that the user chose from a list; NULL: the command line names it */
	struct bw_text rfactors; /* updates that a schedule file of the command line factors, in the syntax
				    of --rfactor */
	struct bw_text steps; /* how the schedule was found, in lines: the steps of the scheduler of
				 --scheduler, or the best searches of --seconds; empty: by a single search */
	struct bw_session *session; /* of the given pipeline; NULL before bw_program_open */
};

/* A command. Returns false with the error that the program ends with. */
typedef bool bw_program_function(struct bw_program *program, struct bw_error *error);
#define X(name, arguments, pipeline, more, example, text) bw_program_function bw_program_##name;
BW_PROGRAM_TABLE(X)
#undef X

/* Reads the device records: the installed ones, the user's, and those of --devices; later ones override
 * earlier ones. */
bool bw_program_load_devices(struct bw_program *program, struct bw_error *error);
/* Reads the user's beamwalkrc. bw_program_options applies its defaults, which the command line overrides. */
bool bw_program_configure(struct bw_program *program, struct bw_error *error);
/* Sets the search options from beamwalkrc and the command line. */
bool bw_program_options(struct bw_program *program, struct bw_settings *options,
			struct bw_error *error);
/* Sets *request so that it asks for a description of the command line's pipeline for the device. Returns
 * false with an error. */
bool bw_program_source(const struct bw_program *program, const struct bw_device *device,
		       struct bw_source_request *request, struct bw_error *error);
/* Opens a session as the command line says, and holds the schedule of --schedule. */
bool bw_program_open(struct bw_program *program, struct bw_error *error);
/* Runs the session's command (time, compile, counters) for a schedule file, `hand`, or the best state if
 * file is NULL, without waiting. */
bool bw_program_begin(struct bw_session *session, const char *command, const char *file,
		      struct bw_error *error);
/* Runs the session's command (time, counters) for a schedule, as bw_program_begin does, shows progress on
 * a terminal, and waits for the end. Returns the timing, or NULL with an error. */
const struct bw_timing *bw_program_wait(struct bw_session *session, const char *command, const char *file,
					struct bw_error *error);
/* Warns on standard error of problems in a pipeline. */
void bw_program_warn(const struct bw_pipeline *pipeline);
/* Reads --at. Returns false with an error if it is neither start nor end. */
bool bw_program_at(const struct bw_program *program, bool *at_start, struct bw_error *error);
/* With --resume, restores the last session of the pipeline, and writes a notice of this to *said.
 * Otherwise leaves *said empty. */
bool bw_program_resume(struct bw_program *program, struct bw_text *said, struct bw_error *error);
/* Saves the session from now on, so that --resume can restore it. said: becomes a notice if the last
 * session did not end properly; may be NULL. */
void bw_program_keep(struct bw_program *program, struct bw_text *said);
/* Makes the session write views as text, in ASCII if --ascii or the locale says so, and screenshots
 * without a screen. */
void bw_program_text(struct bw_program *program);
struct bw_explore_options;
/* Sets the screen's options from the command line, by default from beamwalkrc. Only in a program with a
 * screen. */
void bw_program_settle_screen(const struct bw_program *program, struct bw_explore_options *options);
/* A line of progress on standard error, shown while something runs that does not report its own progress. */
struct bw_ticker {
	const char *what; /* the name of the work in progress */
	bool runs;        /* the thread exists; it is started only if standard error is a terminal */
	bool ended, shown;
	pthread_t thread;
	pthread_mutex_t mutex; /* of `ended` */
	pthread_cond_t end;
};

/* Starts to show the name of the work and its duration. The line appears after one second. */
void bw_ticker_begin(struct bw_ticker *ticker, const char *what);
/* Stops the ticker, and removes its line. */
void bw_ticker_end(struct bw_ticker *ticker);
/* Runs the search to its end. On a terminal, shows the progress of a search that takes more than a second. */
bool bw_program_search(struct bw_session *session, struct bw_error *error);
/* Runs the search to its end. If the user gives no --rfactor, also searches with long reductions split
 * into parts, as --rfactor does. The session is then the one with the cheaper schedule. */
bool bw_program_search_best(struct bw_program *program, struct bw_error *error);
/* Opens a session as bw_program_open does. If updates may be split into parts without --rfactor, also runs
 * bw_program_search_best, and the session is at the end of its search. It is no error if that search finds no
 * schedule. */
bool bw_program_open_parts(struct bw_program *program, struct bw_error *error);
/* Appends a text on the updates that were split into parts without --rfactor. Appends nothing if there are
 * none. */
void bw_program_parts_words(const struct bw_program *program, struct bw_text *out);
/* Searches as bw_program_search_best does. With --seconds, also searches from other seeds and with
 * narrower beams until the time is over; then the session is at the end of the best search, and its steps
 * list the searches that were the best so far. ^C ends only the further searches. */
bool bw_program_search_long(struct bw_program *program, struct bw_error *error);
/* Finds the `most` greatest regrets (session/explain.h): what the best schedule would have cost with the
 * runner-up of a decision. Shows progress on a terminal. */
void bw_program_regrets(struct bw_session *session, int most);
/* Sets *nest to the loop nest of a schedule file, of the best state (path NULL), or of the generator's own
 * schedule (path `hand`; *nest is NULL if that schedule exists only in C++). Funcs that a file leaves open
 * are searched. Free with bw_nest_drop. */
bool bw_program_nest(struct bw_program *program, const char *path, struct bw_nest **nest,
		     struct bw_error *error);
/* Blocks ^C, and returns a file descriptor that becomes readable when ^C is pressed; the caller closes it.
 * If SIGINT is ignored, it stays ignored, unless `always`. Returns -1 with an error. */
int bw_program_interrupts(bool always, struct bw_error *error);
/* Returns true if ^C was pressed since the last call. Accepts -1. */
bool bw_program_interrupted(int interrupts);
/* Runs a command line in the session. Warnings go to standard error. */
bool bw_program_line(struct bw_session *session, const char *line, struct bw_error *error);
/* Writes the output of a script to standard output after each line. Does nothing with --output. */
void bw_program_flush(struct bw_program *program);
/* Writes a result to --output or standard output. */
bool bw_program_put(const struct bw_program *program, const struct bw_text *text, struct bw_error *error);
/* Converts the value of --since to a time in UTC. "7d" and "12h" mean 7 days and 12 hours ago; other
 * values are a date or the first part of a time. */
bool bw_program_since(const char *text, char since[BW_TIME_SIZE], struct bw_error *error);
/* Appends a bound of error as --bound takes it. */
void bw_bound_print(const struct bw_bound_of_error *bound, struct bw_text *out);
/* Sets the source's bound of error to the value of --bound, and stores it for the generator in the state
 * folder. Without --bound, sets the stored bound. `--bound default` deletes the stored bound. A bound that
 * allows nearly any error is not stored. Returns false with an error. */
bool bw_program_bound(const struct bw_program *program, const struct bw_pipeline *pipeline,
		      struct bw_source *source, struct bw_error *error);

/* Reads lines for the read-eval loop: from a pipe, from a plain terminal, or with libedit, edited and
 * completed as in a shell. */
enum bw_reading { BW_READ_LINE, BW_READ_STOPPED, BW_READ_END };

/* Reads the next line of standard input, without its newline, into *line, after writing prompt (NULL:
 * none). */
enum bw_reading bw_read_plain(const char *prompt, struct bw_text *line);

struct bw_editor;
/* Returns a line editor, or NULL if libedit cannot use the terminal. Standard input and output must be a
 * terminal. stop_fd: readable if the user typed ^C, which leaves the line. history: a file shared with the
 * explorer's prompt; NULL: none. Free with _free, which restores the terminal. */
struct bw_editor *bw_editor_new(struct bw_session *session, const char *history, int stop_fd);
void bw_editor_free(struct bw_editor *editor);
enum bw_reading bw_editor_read(struct bw_editor *editor, const char *prompt, struct bw_text *line);
