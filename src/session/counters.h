/* The emulated device's counts of a schedule, beside the roofline model's predictions. */
#pragma once

#include "cost/counted.h"
#include "figures/code.h"
#include "session/session.h"

/* Figures that are both counted and predicted: name in C, key in JSON, words, unit. */
#define BW_COUNTED_TABLE(X) \
	X(BW_COUNTED_OPERATIONS, "operations", "operations", "") \
	X(BW_COUNTED_GLOBAL_LOAD, "global_load_bytes", "global load", "B") \
	X(BW_COUNTED_GLOBAL_STORE, "global_store_bytes", "global store", "B") \
	X(BW_COUNTED_SHARED_LOAD, "shared_load_bytes", "shared load", "B") \
	X(BW_COUNTED_SHARED_STORE, "shared_store_bytes", "shared store", "B")
enum bw_counted_figure { BW_COUNTED_TABLE(BW_FIRST) BW_N_COUNTED };

/* A stage in a kernel, or a whole kernel (then func is NULL). Sectors count as 32 bytes, wavefronts as 128.
 */
struct bw_counted_row {
	const char *kernel; /* the entry, as in the PTX */
	const char *func;   /* "": code whose stage is not told */
	int stage;
	const struct bw_counted_kernel *of;
	int registers; /* per thread; 0: not known */
	struct bw_counts counts;
	double counted[BW_N_COUNTED];
	double predicted[BW_N_COUNTED]; /* NAN: not known, as of the generator's own schedule */
};

/* Returns the newest timing that was counted, or NULL. */
const struct bw_timing *bw_session_counted(const struct bw_session *session);
/* Returns the schedule whose code is shown: what `code` was asked for in the selected state, else the state's
 * own; 0: it is not complete. */
uint64_t bw_session_code_shown(const struct bw_session *session);
/* Returns the newest timing with the code of a schedule, or NULL; schedule 0: of the one that is shown.
 * begun: one that is under way will do. */
const struct bw_timing *bw_session_code(const struct bw_session *session, uint64_t schedule, bool begun);
/* Returns the selected line of a timing's code, from 0 over all its kernels, with the selected Func's line
 * that ran the most if none is; -1: there is none. It is one of the PTX, or of the statement if that is
 * selected and known. timing NULL: of the code that is shown. */
int bw_session_line(const struct bw_session *session, const struct bw_timing *timing);
/* Returns true if the selected lines are those of the statement that Halide lowered, and it is known. */
bool bw_session_reads_statement(const struct bw_session *session, const struct bw_timing *timing);
/* Returns the only Func whose code is shown; -1: that of all is. */
int bw_session_code_func(const struct bw_session *session);
/* Shows the code of this Func alone, which is selected; -1: of all. */
void bw_session_show_code_func(struct bw_session *session, int func);
/* Returns the loop of the selected line of the code that is shown, as the row of that line stands for it, and
 * sets *kernel; 0: that is not told. *kernel NULL: there is no code. */
int bw_session_code_loop(const struct bw_session *session, const struct bw_code_kernel **kernel);
/* Folds or unfolds the loop of the selected line. Returns false with an error if it has none. */
bool bw_session_fold_loop(struct bw_session *session, bool folded, struct bw_error *error);
/* Folds all loops that neither are nor hold the one whose own lines ran the most; unfolds all if these are
 * folded already, or folded is false. */
bool bw_session_fold_loops(struct bw_session *session, bool folded, struct bw_error *error);
/* Selects the line of the other text, statement or PTX, that belongs to the selected line's loop. */
void bw_session_turn_column(struct bw_session *session);
/* Returns the code of a timing that has any as JSON. */
json_t *bw_session_code_json(const struct bw_session *session, const struct bw_timing *timing);
/* Returns a row for each kernel, followed by rows for its stages, n in all. Owned by the arena,
 * except for pointers into the timing. */
struct bw_counted_row *bw_counted_rows(const struct bw_session *session, const struct bw_timing *timing,
				       struct bw_arena *arena, int *n);
/* Returns the time of a kernel on the session's device, estimated from its counts; row: of a whole
 * kernel. */
struct bw_counted_cost bw_counted_time(const struct bw_session *session, const struct bw_counted_row *row);
/* Returns the sum of the estimates of all kernels of a counted timing. */
struct bw_counted_cost bw_counted_total(const struct bw_session *session, const struct bw_timing *timing);
/* Appends `0.0123 ms from issue 0.003, L1 0.001, ...`. */
void bw_counted_cost_words(const struct bw_counted_cost *cost, struct bw_text *out);
json_t *bw_counted_cost_json(const struct bw_session *session, const struct bw_counted_cost *cost);
/* Appends a line for each kernel whose blocks rounded an element differently, each after `before`. */
void bw_counted_notes(const struct bw_timing *timing, const char *before, struct bw_text *out);
/* Returns how a row is called: `unsharp.update0`. Owned by the arena. */
const char *bw_counted_name(const struct bw_counted_row *row, struct bw_arena *arena);
const char *bw_counted_words(enum bw_counted_figure figure);
/* A verified schedule: the cost that the session's model predicts, and the cost that its counts amount to. */
struct bw_verified {
	const struct bw_timing *timing;
	double predicted; /* by the model; NAN: not known */
	double counted;   /* ms, estimated from the counts */
	double both;      /* geometric mean of the two */
	double apart;     /* counted over predicted, divided by the geometric mean of that over all schedules */
	int by_model, by_count, by_both; /* ranks from 1 */
	bool has_sass;    /* all kernels were counted in SASS; else in PTX */
};
/* Beyond this factor, either way, the model and the counts contradict each other. */
#define BW_VERIFIED_APART 2.5
/* Appends them as a table, each line after `before`; nothing if there are none. */
void bw_verified_print(const struct bw_session *session, const char *before, struct bw_text *out);
/* Returns them as JSON: null if there are none. */
json_t *bw_verified_json(const struct bw_session *session);
/* Returns the counters of a timing as JSON: kernels, their stages, all counts by their metric, predictions.
 */
json_t *bw_counted_json(const struct bw_session *session, const struct bw_timing *timing);
