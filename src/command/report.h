/* Output of a search's result for other programs and for files. */
#pragma once

#include "session/session.h"

/* Appends a complete state as JSON (beamwalk(1), `schedule --json`): options and seed, cost by terms,
 * kernels, counts, the schedule's text. steps: a line for each step of the other scheduler that placed all
 * Funcs; empty: there was none. */
void bw_report_json(struct bw_session *session, const struct bw_state *state, const struct bw_text *steps,
		    struct bw_text *out);
/* Appends a complete state as a schedule file, with costs and steps as comments. steps: as in
 * bw_report_json. */
void bw_report_text(struct bw_session *session, const struct bw_state *state, const struct bw_text *steps,
		    struct bw_text *out);
/* Appends the result of `improve`: as JSON (beamwalk(1), BETTER SCHEDULES), or as a schedule file with the
 * changes as comments. */
void bw_report_improved(struct bw_session *session, bool json, struct bw_text *out);
/* Returns the remarks on a nest (nest/remarks.h) as a JSON list: a new reference. */
json_t *bw_report_remarks(const struct bw_nest *nest, struct bw_arena *arena);

/* What to export of a complete nest, and in which form. */
struct bw_report_form {
	const char *func; /* name of the only Func to export; NULL: all Funcs */
	int halide;       /* 14, 15 or 0 (struct bw_export) */
	bool json;
};
/* Sets the form by the suffix of a file's name. Fails if no form has this suffix. */
bool bw_report_form_of(const char *file, struct bw_report_form *form, struct bw_error *error);
/* Appends the schedule of a complete nest as Halide C++ or JSON (schedule/export.h). */
bool bw_report_export(struct bw_session *session, const struct bw_nest *nest,
		      const struct bw_report_form *form, struct bw_text *out, struct bw_error *error);

/* Facts about a schedule at the time of its export, as one line of JSON in the exported file. `beamwalk
 * regress` later compares the schedule with them. */

/* Stands between the comment mark and the JSON of the line with the facts. */
#define BW_FACTS_WORD "beamwalk-facts "
/* Begins each line of the schedule's text in exported C++. A blank follows unless the line is empty. */
#define BW_FACTS_SCHEDULE "//:"

/* Returns the facts of a complete nest, a new reference: the pipeline as the user named it, device, model,
 * options other than the defaults, and predicted cost; also the results of compiling and measuring the
 * schedule in this session so far. */
json_t *bw_facts_of(struct bw_session *session, const struct bw_nest *nest);
/* Returns the largest number of registers per thread among the kernels; -1: not known. */
int bw_facts_registers(const struct bw_kernel_uses *uses);
/* Returns the bytes per thread that the kernels spill (store and load) for lack of registers; -1: not
 * known. */
int bw_facts_spilled(const struct bw_kernel_uses *uses);
/* Appends the facts as a comment line. comment: the comment mark with a blank, as in "# ". */
void bw_facts_print(struct bw_session *session, const struct bw_nest *nest, const char *comment,
		    struct bw_text *out);
