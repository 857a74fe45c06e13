/* The outcome of a search for other programs and for files. */
#pragma once

#include "session/session.h"

/* Appends a complete state as JSON (beamwalk(1), `schedule --json`): options and seed, costs in
 * terms, kernels, counts, the schedule's text. `steps` are those of another scheduler that placed all
 * Funcs, a line each; empty: there was none. */
void bw_report_json(struct bw_session *session, const struct bw_state *state, const struct bw_text *steps,
		    struct bw_text *out);
/* Appends the same state as a schedule file, with costs and steps as comments. */
void bw_report_text(struct bw_session *session, const struct bw_state *state, const struct bw_text *steps,
		    struct bw_text *out);
/* Appends what `improve` made of a schedule: as JSON (beamwalk(1), BETTER SCHEDULES), or as a file with the
 * changes as comments. */
void bw_report_improved(struct bw_session *session, bool json, struct bw_text *out);
/* Returns the remarks on a nest (nest/remarks.h), a list: a new reference. */
json_t *bw_report_remarks(const struct bw_nest *nest, struct bw_arena *arena);

/* Which part of a complete nest is exported, and in which form. */
struct bw_report_form {
	const char *func; /* one Func; NULL: all */
	int halide;       /* 14, 15 or 0 (struct bw_export) */
	bool json;
};
/* Sets the form by the ending of a file's name. Fails if no form has this ending. */
bool bw_report_form_of(const char *file, struct bw_report_form *form, struct bw_error *error);
/* Appends the schedule of a complete nest as Halide C++ or JSON (schedule/export.h). */
bool bw_report_export(struct bw_session *session, const struct bw_nest *nest,
		      const struct bw_report_form *form, struct bw_text *out, struct bw_error *error);

/* The facts about a schedule at the time of its export, on one line of JSON in the file. `beamwalk
 * regress` compares with them later. */

/* Stands before the line's JSON, after the mark of a comment. */
#define BW_FACTS_WORD "beamwalk-facts "
/* Begins each line of a schedule's text in exported C++, before a blank if the line is not empty. */
#define BW_FACTS_SCHEDULE "//:"

/* Returns the facts of a complete nest, a new reference: the pipeline as the user named it, device, model,
 * options that are not the default, and predicted cost; with what this session compiled and measured of the
 * schedule so far. */
json_t *bw_facts_of(struct bw_session *session, const struct bw_nest *nest);
/* Returns the largest number of registers per thread of some kernels; -1: not known. */
int bw_facts_registers(const struct bw_kernel_uses *uses);
/* Returns the bytes per thread that they store and load because registers did not suffice; -1: not known. */
int bw_facts_spilled(const struct bw_kernel_uses *uses);
/* Appends the facts as a comment line that begins with `comment`, as in "# ". */
void bw_facts_print(struct bw_session *session, const struct bw_nest *nest, const char *comment,
		    struct bw_text *out);
