/* The outcome of a search for other programs and for files. */
#ifndef BW_COMMAND_REPORT_H
#define BW_COMMAND_REPORT_H
#include <jansson.h>

#include "session/session.h"

/* Appends a complete state as JSON (beamwalk(1), `schedule --json`): options and seed, costs in terms,
 * kernels, counts, the schedule's text. `steps` are those of another scheduler that placed all Funcs, a
 * line each; empty: none did. */
void bw_report_json(struct bw_session *session, const struct bw_state *state, const struct bw_text *steps,
		    struct bw_text *out);
/* Appends the same state as a schedule file, with costs and steps as comments. */
void bw_report_text(struct bw_session *session, const struct bw_state *state, const struct bw_text *steps,
		    struct bw_text *out);
/* Returns the remarks on a nest (nest/remarks.h), a list: a new reference. */
json_t *bw_report_remarks(const struct bw_nest *nest, struct bw_arena *arena);

/* Which part of a complete nest is exported, and in which form. */
struct bw_report_form {
	const char *func; /* one Func; NULL: all */
	int halide;       /* 14, 15 or 0 (struct bw_export) */
	bool json;
};
/* Appends the schedule of a complete nest as Halide C++ or JSON (schedule/export.h). */
bool bw_report_export(struct bw_session *session, const struct bw_nest *nest,
		      const struct bw_report_form *form, struct bw_text *out, struct bw_error *error);
#endif
