/* A session: a search with its cursor, constraints, journal and measurements, the selection, and the one
 * table of commands. The screen, the `:` prompt and scripts all drive it through that table; nothing can be
 * done by a key that a script cannot do. */
#ifndef BW_SESSION_SESSION_H
#define BW_SESSION_SESSION_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "bench/bench.h"
#include "results/result.h"
#include "schedule/schedule.h"
#include "schedulers/table.h"
#include "search/search.h"

/* Where a pipeline comes from: a generator (then it can be compiled) or only a description. */
struct bw_source {
	char *name;      /* what the user said: harris */
	char *size;      /* of its first output by the estimates: 1536x2560 */
	bool compilable; /* false: a description only; `time` says so */
	struct bw_generator generator;
	struct bw_bound_of_error bound;
	bool bound_kept; /* it is the user's own */
	char *hand; /* a file with the schedule that the generator has by hand, where that can be written so;
		       NULL: none */
	char *description; /* the text that the pipeline was read from; NULL: not kept, and then no
			      measurement is stored */
};

/* The selection: default argument of every command, and what all views show. Ranks are 0-based; shown from 1.
 */
struct bw_selection {
	int func;        /* index in the pipeline, or -1 */
	int state;       /* rank in the beam at the cursor */
	int option;      /* number of an option of the decision at the cursor, or -1 */
	int group;       /* of options, as ledger.h numbers them; then no option is selected. -1: none */
	int alternative; /* of those that `view override` shows; 0: as it is */
	int step;        /* decision of the walk through another scheduler, from 0; their number: the end */
	int candidate;   /* of that decision, from 0; -1: the one that is taken */
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
	enum bw_point_state state; /* in the journal, done or undone; else it is on a branch that other
				      commands took the place of */
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
	bool unread; /* it has ended, and the view of timings was not shown since */
	bool counts; /* it is run on the emulated device whatever the session searches for; not stored */
	struct bw_nest *nest; /* what was counted; kept. NULL: not counted, or the generator's own schedule */
	struct bw_counted *counted; /* what was counted; NULL: nothing (yet) */
	bool compiled; /* it was only to be compiled and assembled, for the device of predictions: of the
			  measurement there are the kernels alone */
	const struct bw_device
	    *device; /* that it is compiled for; where it ran, the record of that name. NULL: none */
	struct bw_measurement measurement;
	struct bw_error error;
	char uid[BW_UID_SIZE]; /* of its stored result; empty: it is not stored */
	char stored[BW_TIME_SIZE]; /* when it was measured, UTC, where it was not in this session; else empty */
};

/* Orders of the stages: name in C, as `sort` takes it. */
#define BW_SORT_TABLE(X) \
	X(COST, cost) \
	X(NAME, name) \
	X(ORDER, order)

enum bw_sort {
#define X(id, name) BW_SORT_##id,
	BW_SORT_TABLE(X)
#undef X
	BW_N_SORTS
};

struct bw_session {
	struct bw_source source;
	struct bw_places places;
	const struct bw_device *devices; /* that `set gpu=` knows; the caller's */
	int n_devices;
	const char *results; /* the file of stored results; NULL: measurements are not stored. The caller's */
	bool trusts;         /* sessions that are loaded may run commands and write files */
	double time_seconds; /* that a measurement spends on runs; 0: one run, to see whether it is right */
	double time_limit; /* as `limit` of struct bw_job_request: seconds after which a run is killed; 0: the
			      usual */
	struct bw_emulation emulation; /* what the emulated device is asked for */
	const char *ptxas; /* that assembles kernels; NULL: none was found. The caller's */
	struct bw_bench *bench; /* that measures */
	bool asks; /* what runs_on is was asked, and is not known yet */
	const struct bw_device *runs_on; /* that measurements run on; NULL: not known (yet), or none is there */
	const struct bw_pipeline *pipeline;
	struct bw_search_options options;
	struct bw_search *search;
	int cursor; /* position in the search: 0 .. bw_search_n_decisions */
	bool tries; /* a command is tried: `whatif` */
	int target; /* the position that a run in progress is to reach; -1: nothing runs */
	int waits;  /* lines that wait for the options at the cursor: bw_session_later */
	struct bw_selection selection;
	char view[32]; /* name of the view shown: main, decision, help, ...; `start` of the explorer's first
			  page */
	char from[3][32];  /* the views that `help` and `views` were opened from, the last one to go back to
			      and to explain */
	int n_from;        /* how many; 0: the main one */
	enum bw_sort sort; /* order of the stages */
	char
	    pane[32]; /* of the main view, asked for by name: the screen moves the keys there and clears it */
	char filter[64];   /* of `/` */
	char listed[80];   /* the stages that are listed: text in their names; empty: all */
	bool *toggled; /* by Func, the first of a family (family.h): it is not folded, or not unfolded, as at
			  first */
	int listed_inside; /* only those in the kernel of this Func; -1: of all */
	char message[512]; /* what the last command said, one line */
	char warning[256]; /* what it did all the same, and should be looked at; empty mostly. Part of the
			      message too */
	bool message_is_error;
	bool quit;
	int n_journal;
	const struct bw_journal_entry *journal;
	int n_unstored;     /* measurements that are not stored yet */
	char unstored[256]; /* why, where that was tried; else empty */
	int n_timings;
	struct bw_timing *timings;
	int asked;           /* the timing that was asked for last, by `time` or `compile` */
	uint64_t generation; /* changes whenever a view could look different */
};

/* A new session; takes over source (and what it owns) and the pipeline. */
struct bw_session *bw_session_new(struct bw_source *source, const struct bw_places *places,
				  struct bw_pipeline *pipeline, const struct bw_search_options *options);
void bw_session_free(struct bw_session *session);
/* Ends what it does outside of its own memory: jobs, the worker, what is journaled and recorded. The memory
 * is left to the process, which is to end next: to give back a search piece by piece takes a twentieth as
 * long as it took. NULL is nothing to end. */
void bw_session_end(struct bw_session *session);

/* Runs one line of the command language: a name (or an unambiguous beginning of one) and arguments.
 * What it prints goes to out, a line of result also to session->message. Returns false with an
 * error (also in message): nothing has changed then. */
bool bw_session_run(struct bw_session *session, const char *line, struct bw_text *out,
		    struct bw_error *error);
/* The same, and all that the line began: returns when nothing is under way, and fails where what it began
 * did. What there is to say at the end goes to out too. stop_fd: when it can be read, a search that runs is
 * stopped and measurements are not waited for; -1: nothing stops it. */
bool bw_session_do(struct bw_session *session, const char *line, int stop_fd, struct bw_text *out,
		   struct bw_error *error);
/* A file of such lines; stops at the first error, which names file and line. */
bool bw_session_run_file(struct bw_session *session, const char *path, struct bw_text *out,
			 struct bw_error *error);
/* Measures from now on in another worker: run by sh, on another machine maybe; NULL or "": the one of this
 * machine. */
void bw_session_use(struct bw_session *session, const char *command);
/* Has the worker asked for its devices, in the background, where that was not done: bw_session_work takes the
 * answer. */
void bw_session_ask(struct bw_session *session);

/* Bytes that the session remembers of its search and of those before its changes, and how many these are at
 * most: beyond that old ones are forgotten, and run again when undo comes to them. The present search is kept
 * whatever it takes. */
enum { BW_HISTORY_BYTES = 256 << 20 };
int64_t bw_session_history_bytes(const struct bw_session *session);

/* The nest of a schedule file, with a warning where that was written for another algorithm; drop
 * it. Returns NULL with an error. */
struct bw_nest *bw_report_nest(struct bw_session *session, const char *path, struct bw_error *error);
/* Does the same; the Funcs that the file does not mention are decided by a search as `schedule --schedule`
 * decides them, by the session's options and what the file says alone. A warning then says how. */
struct bw_nest *bw_report_whole_nest(struct bw_session *session, const char *path, struct bw_error *error);

/* For a screen, which does not wait: where a line asks for options of the decision at the cursor and these
 * are not made within `patience` seconds, it is kept, and so is what is given while it waits, but for
 * looking. True then: bw_session_work runs the lines in their order when the options are made, and calls
 * `told` for each. False: it is the caller's to run. NULL, as at first: nothing waits; what does is dropped.
 */
typedef void bw_session_told(const char *line, bool good, const struct bw_text *out, void *data);
void bw_session_set_told(struct bw_session *session, bw_session_told *told, void *data, double patience);
bool bw_session_later(struct bw_session *session, const char *line);

/* Goes on with what was begun (a run, measurements) for at most about `seconds`. Returns true if
 * anything changed. */
bool bw_session_work(struct bw_session *session, double seconds);
/* The same for a screen, which waits for keys meanwhile: gives the turn to what was begun, on another
 * thread, and takes it back. In between only bw_session_fds may be called. bw_session_release returns true
 * if there is anything to go on with, bw_session_hold if anything changed. */
bool bw_session_release(struct bw_session *session);
bool bw_session_hold(struct bw_session *session);
/* Returns true if anything is under way: a run of the search, a measurement. */
bool bw_session_busy(const struct bw_session *session);
/* Stores what could not be stored yet, or leaves it where a later run finds it, and says so, a line each.
 * Before the session is freed. False if measurements are lost but for what is said. */
bool bw_session_store_rest(struct bw_session *session, struct bw_text *said);
/* Returns true if there is work of this process's own to go on with: all of that but measurements,
 * and memory to be given back. */
bool bw_session_under_way(const struct bw_session *session);
/* The schedules that wait to be compiled or measured. */
int bw_session_queued(const struct bw_session *session);
/* Appends what runs beside, jobs with phase and seconds, or the outcome that has not been looked at; nothing
 * if there is neither. */
void bw_session_beside(const struct bw_session *session, struct bw_text *out);
/* Stops a run where it is; lines and schedules that wait are dropped. */
void bw_session_stop(struct bw_session *session);
/* File descriptors of running measurements, of one that is being stored, of the worker where it is asked
 * for devices, and of the end of what has the turn, for poll(2); returns how many, writes at most `most`. */
int bw_session_fds(const struct bw_session *session, int *fds, int most);

/* Keeps the session from now on in a file of its own in a folder (`sessions` in the user's state): from the
 * first command that changes the search on it is written whole after each command and at the end of each run,
 * by a rename, before what was done is shown. So it outlives the end of the program in any way; it reaches
 * the disk when the system writes it, and at the latest when the session is freed. A file that cannot be
 * written is said once, as a warning. The oldest files of the pipeline beyond twenty are removed. */
void bw_session_keep(struct bw_session *session, const char *folder);
/* What to say where the newest session that was kept of the pipeline did not come to its end, and its process
 * is gone; nothing elsewhere. */
void bw_session_unended(const struct bw_session *session, const char *folder, struct bw_text *said);
/* Puts a session that has not begun where the one stood that was kept last of the same pipeline,
 * with its settings, journal and what is undone of it. *said: from when it is, what differs.
 * Returns false with an error where there is none, or it cannot be done again. */
bool bw_session_resume(struct bw_session *session, const char *folder, struct bw_text *said,
		       struct bw_error *error);

/* How many points the history has, and all of them; points: as many and one more, of which number 0 is no
 * command. Of branches no more than the newest thousand commands are remembered. */
int bw_session_n_points(const struct bw_session *session);
void bw_session_points(const struct bw_session *session, struct bw_point *points);
/* The number of the point at which the session is. */
int bw_session_point(const struct bw_session *session);

/* What views show. Everything is for the cursor and the selection, made when first asked for after a change,
 * and owned by the session until the next change. */
const struct bw_state *bw_session_state(struct bw_session *session);
const struct bw_cost *bw_session_cost(struct bw_session *session);
/* Options of the decision at the cursor from the selected state; NULL at the end. */
const struct bw_expansion *bw_session_expansion(struct bw_session *session);
/* The same for a screen, which does not wait: NULL if they are not made yet, which bw_session_work
 * then goes on with. */
const struct bw_expansion *bw_session_expansion_soon(struct bw_session *session);
/* Returns true if the selected state has placed this Func otherwise than the state that was shown
 * before the last command. */
bool bw_session_changed(struct bw_session *session, int func);
/* The name of the decision behind a position: `Ix.where`, with `@2` where there are several passes; `end`. */
void bw_session_decision_name(const struct bw_session *session, int position, struct bw_text *out);
/* What is rejected and pinned of a Func at the cursor: `rejected by hand: root, at output.block 1x4; pinned
 * by hand: inline`. Nothing where nothing is. */
void bw_marks_words(const struct bw_session *session, int func, struct bw_text *out);
/* The constraint on a Func at the cursor, the user's or the search's; NULL if there is none. */
const struct bw_constraint *bw_session_constraint(const struct bw_session *session, int func);

/* What is known of the compiled kernels of a nest, for the device of predictions with its limit of registers:
 * the latest. NULL: nothing. The session's, until its next command. */
const struct bw_kernel_uses *bw_session_uses(const struct bw_session *session, const struct bw_nest *nest);
struct bw_families;
/* Returns true if the family of a Func is shown as one row. */
bool bw_family_folded(const struct bw_session *session, const struct bw_families *families, int func);

/* Returns true if another scheduler is at work. */
bool bw_walking(const struct bw_session *session);
/* The walk through the scheduler that was run last, or NULL; the session's. */
const struct bw_walk *bw_session_walk(const struct bw_session *session);
/* The decision of the walk that is selected, or NULL at its end or if there is no walk; and its selected
 * candidate, -1 at the end. */
const struct bw_walk_step *bw_session_step(const struct bw_session *session);
int bw_session_candidate(const struct bw_session *session);

/* Commands: name, the same in C, arguments, key in the explorer (tig's notation, empty if none), one line of
 * help, whether it is journaled (it changes the search; looking is not journaled). Help screen, completion
 * and manual come from this table. */
#define BW_COMMAND_TABLE(X) \
	X("step", step, "[decision|func|pass|option|N]", "Space", "move one decision forward, or N; to the next Func, the end of the pass, or the next option of the decision", false) \
	X("back", back, "[decision|func|pass|option|N]", "Bksp", "move one decision back, or N; nothing is discarded", false) \
	X("run", run, "[end|FUNC[.PHASE@PASS]|N|cost<N|cost>N] | pass [N]", "r", "move to the end of the search, a decision, the end of a pass, or the first position with such a cost", false) \
	X("freeze", freeze, "[FUNC... | FUNC SITE [SIZES | ; LOOPS...] | {ENTRY | ...}]", "f", "hold Funcs as in the selected state, or as written", true) \
	X("unfreeze", unfreeze, "[FUNC...|all] | --forget", "F", "remove constraints, and keep the search from freezing these Funcs; --forget: remove all, and let it freeze again", true) \
	X("hold", hold, "[except FUNC...]", "", "freeze all Funcs of the selected state, except some", true) \
	X("accept", accept, "[OPTION] | --here [OPTION]", "a", "fix the decision at the cursor to an option, and step; --here: in this pass only", true) \
	X("reject", reject, "[OPTION] | --here [OPTION]", "x", "forbid an option, or a site in words; --here: in this pass only", true) \
	X("pin", pin, "[OPTION] | --here [OPTION]", "p", "keep an option in the beam, whatever sampling, soft rules and costs say; --here: in this pass only", true) \
	X("override", override, "[FUNC site SITE | FUNC serial|thread|block SIZES | FUNC unroll on|off | FUNC memory MEMORY | FUNC SITE [SIZES | ; LOOPS...]]", "", "change one property of a Func in the selected state, and hold the result; alone: the one selected in the override view", true) \
	X("whatif", whatif, "COMMAND", "", "report how a command would change the best cost, without changing the search", false) \
	X("why", why, "[OPTION|FUNC|STATE] | OPTION not OPTION", "w", "say why an option was kept, dropped or pruned, or what distinguishes two options, with figures", false) \
	X("compare", compare, "[STATE|OPTION|FILE|hand|before [STATE|OPTION|FILE|hand|before]]", "c", "show two schedules side by side: states, options, files, the generator's own, the state before the newest command; alone: the selection and the best", false) \
	X("undo", undo, "", "u", "take back the last command that changed the search", false) \
	X("redo", redo, "", "^R", "repeat the command that was taken back", false) \
	X("jump", jump, "[NUMBER|start]", "", "go to a point of the history, also on a branch; alone: to the beginning", false) \
	X("replay", replay, "[enumerated|legal|bucketed|sampled|costed|kept|next|back]", "", "show the decision at the cursor at a stage, from all options to those kept", false) \
	X("fold", fold, "[GROUP|all | FUNC | stages]", "", "show a group of options (a bucket, or those that a rule pruned) as one line; Funcs whose names differ in numbers alone, as those of a pyramid, as one stage", false) \
	X("unfold", unfold, "[GROUP|all | FUNC | stages]", "", "show the options of a group again, or the Funcs of a family", false) \
	X("cost", cost, "[OPTION]", "s", "cost an option that was not sampled, without changing the search", false) \
	X("time", time, "[STATE|best|FILE|hand|before] | top N", "t", "compile, check and time a complete schedule, the generator's own (hand), or the best N in turn", false) \
	X("compile", compile, "[STATE|best|FILE|hand|before] | top N", "C", "compile a complete schedule for the device, and list what its kernels use", false) \
	X("counters", counters, "[STATE|best|FILE|hand|before] | top N", "", "count what a complete schedule does on the emulated device, and show it beside what is predicted", false) \
	X("measured", measured, "[RESULT]", "", "show stored measurements, without measuring again", false) \
	X("apply", apply, "FILE | {ENTRY | ...}", "", "hold every Func that a schedule file mentions", true) \
	X("scheduler", scheduler, "[SCHEDULER [N]]", "", "hold every Func as another scheduler places it, whose decisions the view walk shows; beam: hold none; alone: list the schedulers", true) \
	X("walk", walk, "[step|back|start|end|N | take|forbid [[N] CANDIDATE] | hold [[N] FUNC] | apply [N] | why [CANDIDATE]]", "", "go through the decisions of another scheduler; take another candidate, forbid one, hold a Func; hold the search to its schedule before decision N; say why", true) \
	X("sweep", sweep, "[gpus=DEVICE,...|bandwidths=N,...|beams=N,...|seeds=N|image-sizes=SIZES,...|vary=TEXT,...]", "", "search for other devices, bandwidths, beams, seeds, sizes (768x1280) and parameters of the generator (vary=levels=4,8) beside, and compare the best schedules", false) \
	X("edit", edit, "[new]", "E", "edit the schedule of the selected state in $EDITOR, and hold the result; new: discard the last text if it had errors", true) \
	X("select", select, "FUNC | func FUNC | state STATE | option OPTION | group GROUP | alternative N | candidate N", "", "move the selection", false) \
	X("save", save, "FILE", "", "save the session as a script: settings, then the journal", false) \
	X("load", load, "FILE | --trust FILE", "", "start over with a saved session; --trust: let it run commands (set on=) and write files", false) \
	X("save-schedule", save_schedule, "FILE", "", "write the schedule of the selected state", false) \
	X("export", export, "FILE [FUNC] | top N FILE", "", "write the selected state, one Func of it, or the best N, as Halide C++ (FILE.json: as JSON; FILE.dot: the graph for Graphviz)", false) \
	X("report", report, "FILE.html", "", "write a report on the selected state: one page with its schedule, costs, pictures and measurements", false) \
	X("script", script, "FILE", "", "run the commands of a file, up to the first error", false) \
	X("screenshot", screenshot, "FILE.txt|FILE.svg", "", "save the screen as text or SVG", false) \
	X("assert", assert, "FACT", "", "fail unless FACT holds, and print the actual value", false) \
	X("set", set, "[OPTION=VALUE]", "", "show the search options, or change one and start over", true) \
	X("sort", sort, "[cost|name|order]", "o", "order the stages by cost, by name, or as they are decided; alone: the next of these", false) \
	X("filter", filter, "[TEXT | inside FUNC]", "", "list only the stages whose names have TEXT in them, or that are in the kernel of FUNC; alone: all", false) \
	X("view", view, "[VIEW] | --json VIEW", "", "show a view, or a pane of the main one; without a screen, as text; --json: the figures of a picture", false) \
	X("help", help, "[COMMAND]", "?", "list the keys and commands, or describe one", false) \
	X("lesson", lesson, "next|back|hint|answer | answer TEXT", "", "go on in a lesson, reread the step before, ask for a hint, or answer; answer alone: show the answer", false) \
	X("quit", quit, "", "q", "quit", false)

/* Views: identifier in C, name, kind, meaning. The panes of the main view come first, in the order that Tab
 * goes through them. */
#define BW_VIEW_TABLE(X) \
	X(BEAM, beam, PANE, "the states at the cursor, by cost") \
	X(NEST, nest, PANE, "the loop nest of the selected state") \
	X(STAGES, stages, PANE, "what each stage is predicted to cost") \
	X(OPTIONS, options, PANE, "the options of the decision at the cursor, by cost") \
	X(DECISION, decision, WHOLE, "the decision at the cursor in full") \
	X(GRAPH, graph, WHOLE, "the pipeline: what reads what, with the kernels as boxes") \
	X(TILE, tile, WHOLE, "what a block of the selected Func's kernel computes and needs, and what the blocks beside compute again") \
	X(ROOFLINE, roofline, WHOLE, "the kernels under the ceilings of the device, and what limits their occupancy") \
	X(SEARCH, search, WHOLE, "which states have descendants at the end, and how narrow each choice was") \
	X(SWEEP, sweep, WHOLE, "what was found for other devices, bandwidths, sizes, beams and seeds, and which schedule is best where") \
	X(STATISTICS, statistics, WHOLE, "where the search went: passes, rules, decisions by time") \
	X(TIMINGS, timings, WHOLE, "what was compiled and measured") \
	X(COUNTERS, counters, WHOLE, "what the emulated device counted of kernels and stages, beside what is predicted") \
	X(OVERRIDE, override, WHOLE, "what else the selected Func could be, with costs, to choose from") \
	X(WALK, walk, WHOLE, "a decision of another scheduler, with all its candidates, and the schedule after it") \
	X(FEATURES, features, WHOLE, "the stages of the selected Func in full: features, costs under both models, coefficients") \
	X(COMPARE, compare, WHOLE, "two schedules side by side, costs term by term") \
	X(HISTORY, history, WHOLE, "the commands that changed the search, those undone and on branches; the way to the selected state") \
	X(START, start, WHOLE, "what the pipeline is, how it was scheduled, and what to press") \
	X(VIEWS, views, WHOLE, "the views, and the keys that open them") \
	X(HELP, help, WHOLE, "what the view shows, in words; keys and commands")

enum bw_view_kind {
	BW_VIEW_MAIN,  /* all panes together */
	BW_VIEW_PANE,  /* a pane of the main view */
	BW_VIEW_WHOLE, /* takes the whole screen */
};

struct bw_view_info {
	const char *name;
	enum bw_view_kind kind;
	const char *meaning;
};
/* Returns the view to go back to from the one shown, which `help` explains. */
const char *bw_session_view_behind(const struct bw_session *session);
/* Returns the views that `view NAME` can show, the main one first, and sets `n` to their number. */
const struct bw_view_info *bw_view_infos(int *n);

struct bw_command {
	const char *name, *arguments, *key, *help;
	bool journaled;
};
const struct bw_command *bw_commands(int *n);
/* Returns true if a line names a command; what stands behind the name is not looked at. */
bool bw_session_knows(const char *line, struct bw_error *error);
/* Completions of the word at the end of line[0..length): whole words, sorted, `most` at most; owned by the
 * caller (free each). */
int bw_session_complete(struct bw_session *session, const char *line, int length, char **words, int most);

/* The same for a line that is being typed: what to insert behind it, as far as all words agree and with a
 * blank where there is one alone, goes to *more; where that is nothing, the words to *list, with blanks
 * between. Returns how many words there are. */
int bw_session_complete_line(struct bw_session *session, const char *line, int length, struct bw_text *more,
			     struct bw_text *list);

/* Writes a view whole, every row, as text: what `view` does in scripts and in the read-eval loop. Set by them
 * from the ui room; NULL: `view` writes nothing, a screen shows it. */
typedef void bw_session_print(struct bw_session *session, const char *view, struct bw_text *out);
void bw_session_set_print(struct bw_session *session, bw_session_print *print);

/* Called with what was written to out each time that a line of a file has been run: it may pass that on, and
 * clear it. The file ends with the error if that fails. NULL: it is kept to the end. */
typedef bool bw_session_flush(struct bw_text *out, void *data, struct bw_error *error);
void bw_session_set_flush(struct bw_session *session, bw_session_flush *flush, void *data);

/* Has the user edit a text in an editor; false with an error where that did not come about. Set where there
 * is a terminal for that; NULL: `edit` says that there is none. */
typedef bool bw_session_edit(struct bw_text *text, void *data, struct bw_error *error);
void bw_session_set_editor(struct bw_session *session, bw_session_edit *edit, void *data);

/* A view's screen for `screenshot` and for scripts: set by the ui room, since nothing in src knows it. */
typedef bool bw_session_draw(struct bw_session *session, const char *path, int columns, int rows, void *data,
			     struct bw_error *error);
void bw_session_set_screen(struct bw_session *session, bw_session_draw *draw, void *data);

/* Appends a report on the selected state, for `report`: set where there is one, since nothing in src/session
 * knows it. */
typedef bool bw_session_page(struct bw_session *session, struct bw_text *out, struct bw_error *error);
void bw_session_set_page(struct bw_session *session, bw_session_page *page);
#endif
