/* The emulated device's counts of a schedule, beside the roofline model's predictions. */
#pragma once

#include "cost/counted.h"
#include "figures/code.h"
#include "session/session.h"

/* Quantities that are both counted and predicted: name in C, key in JSON, words, unit. */
#define BW_COUNTED_TABLE(X) \
	X(BW_COUNTED_OPERATIONS, "operations", "operations", "") \
	X(BW_COUNTED_GLOBAL_LOAD, "global_load_bytes", "global load", "B") \
	X(BW_COUNTED_GLOBAL_STORE, "global_store_bytes", "global store", "B") \
	X(BW_COUNTED_SHARED_LOAD, "shared_load_bytes", "shared load", "B") \
	X(BW_COUNTED_SHARED_STORE, "shared_store_bytes", "shared store", "B")
enum bw_counted_figure { BW_COUNTED_TABLE(BW_FIRST) BW_N_COUNTED };

/* A row of counts: for a whole kernel (func is NULL), or for one stage in it. A sector counts as 32 bytes, a
 * wavefront as 128. */
struct bw_counted_row {
	const char *kernel; /* name of the kernel's entry in the PTX */
	const char *func;   /* "": code that belongs to no known stage */
	int stage;
	const struct bw_counted_kernel *of;
	int registers; /* per thread; 0: not known */
	struct bw_counts counts;
	double counted[BW_N_COUNTED];
	double predicted[BW_N_COUNTED]; /* NAN: not known, as for the generator's own schedule */
};

/* Returns the newest timing that was counted, or NULL. */
const struct bw_timing *bw_session_counted(const struct bw_session *session);
/* Returns the hash of the schedule whose code is shown: the schedule named in `code` if that was given at the
 * selected state, else the selected state's. Returns 0 if the state is not complete. */
uint64_t bw_session_code_shown(const struct bw_session *session);
/* Returns the newest timing that has the code of a schedule, or NULL. schedule 0: the one whose code is
 * shown. begun: a timing still in progress counts, too. */
const struct bw_timing *bw_session_code(const struct bw_session *session, uint64_t schedule, bool begun);
/* Returns the selected line of a timing's code, from 0 over all its kernels. If no line is selected, returns
 * the line of the selected Func that ran most often. Returns -1 if there is none. The line is one of the
 * statement if the statement is selected and known, else of the PTX. timing NULL: the code that is shown. */
int bw_session_line(const struct bw_session *session, const struct bw_timing *timing);
/* Returns true if the selected line is one of the statement that Halide lowered, and that statement is
 * known. */
bool bw_session_reads_statement(const struct bw_session *session, const struct bw_timing *timing);
/* Returns the Func if the code of only one Func is shown; -1: the code of all Funcs is shown. */
int bw_session_code_func(const struct bw_session *session);
/* Selects a Func and shows only its code; -1: shows the code of all Funcs. */
void bw_session_show_code_func(struct bw_session *session, int func);
/* Returns the loop of the selected line of the shown code; if the line is folded, the loop of the row that
 * stands for it. Sets *kernel to the loop's kernel; NULL: there is no code. Returns 0 if the loop is not
 * known. */
int bw_session_code_loop(const struct bw_session *session, const struct bw_code_kernel **kernel);
/* Folds or unfolds the loop of the selected line. Returns false with an error if the line is in no loop. */
bool bw_session_fold_loop(struct bw_session *session, bool folded, struct bw_error *error);
/* Folds all loops, except the one whose own lines ran most often and the loops around it. Unfolds all loops
 * if `folded` is false or they are folded already. */
bool bw_session_fold_loops(struct bw_session *session, bool folded, struct bw_error *error);
/* Switches between statement and PTX: selects a line of the other text that belongs to the same loop as the
 * selected line. */
void bw_session_turn_column(struct bw_session *session);
/* Returns as JSON the code of a timing, which must have code. */
json_t *bw_session_code_json(const struct bw_session *session, const struct bw_timing *timing);
/* Returns a row for each kernel, followed by rows for its stages, n in all. Owned by the arena,
 * except for pointers into the timing. */
struct bw_counted_row *bw_counted_rows(const struct bw_session *session, const struct bw_timing *timing,
				       struct bw_arena *arena, int *n);
/* Returns the time of a kernel on the session's device, estimated from its counts. row: the row of a whole
 * kernel. */
struct bw_counted_cost bw_counted_time(const struct bw_session *session, const struct bw_counted_row *row);
/* Returns the estimated time of a counted timing: the sum over its kernels. */
struct bw_counted_cost bw_counted_total(const struct bw_session *session, const struct bw_timing *timing);
/* Appends `0.0123 ms from issue 0.003, L1 0.001, ...`. */
void bw_counted_cost_words(const struct bw_counted_cost *cost, struct bw_text *out);
json_t *bw_counted_cost_json(const struct bw_session *session, const struct bw_counted_cost *cost);
/* Appends a line for each kernel in which different blocks rounded the same element differently. Each line
 * begins with `before`. */
void bw_counted_notes(const struct bw_timing *timing, const char *before, struct bw_text *out);
/* Returns the name of a row: `unsharp.update0`. Owned by the arena. */
const char *bw_counted_name(const struct bw_counted_row *row, struct bw_arena *arena);
const char *bw_counted_words(enum bw_counted_figure figure);
/* A verified schedule: the cost that the session's model predicts, and the cost estimated from its counts. */
struct bw_verified {
	const struct bw_timing *timing;
	double predicted; /* by the model; NAN: not known */
	double counted;   /* ms, estimated from the counts */
	double both;      /* geometric mean of the two */
	double apart;     /* the ratio counted / predicted, divided by the geometric mean of this ratio over
			     all schedules */
	int by_model, by_count, by_both; /* ranks from 1 */
	bool has_sass;    /* all kernels were counted in SASS; else in PTX */
};
/* If `apart` is above this factor or below its inverse, the counts contradict the model. */
#define BW_VERIFIED_APART 2.5
/* Appends the verified schedules as a table, each line after `before`. Appends nothing if there are none. */
void bw_verified_print(const struct bw_session *session, const char *before, struct bw_text *out);
/* Returns the verified schedules as JSON; null if there are none. */
json_t *bw_verified_json(const struct bw_session *session);
/* Returns the counts of a timing as JSON: kernels, their stages, all counts by metric, predictions. */
json_t *bw_counted_json(const struct bw_session *session, const struct bw_timing *timing);
