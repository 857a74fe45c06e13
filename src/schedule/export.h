/* Export: a list of directives as a Halide C++ schedule to paste into a generator, or as JSON. The C++
 * makes the same calls in the same order as the plugin, and uses the same number of Halide's unique names.
 * In a fresh process the generator therefore makes the same object that was timed. */
#pragma once
#include "schedule/directive.h"
#include "schedule/schedule.h"

struct bw_export {
	const struct bw_pipeline *pipeline;
	const struct bw_schedule *schedule; /* the schedule that the directives were made from; NULL: unknown */
	const struct bw_directives *directives;
	const char *func; /* the only Func to export, with the Funcs derived from it; NULL: all Funcs */
	/* Halide version of the guard in the exported comment: 14, 15 (also stands for later versions), or
	 * 0 for both */
	int halide;
	const char *version; /* version of beamwalk */
	const char *note; /* origin of the schedule in one line; NULL: none */
};

/* Appends a comment that says how to use the schedule, and a C++ function
 * schedule_PIPELINE(Halide::Pipeline), or schedule_PIPELINE_FUNC for one Func. The comment's first line is
 * the mark (struct bw_export_mark). Returns false with an error that names the directive and the Func or
 * loop that the pipeline lacks. */
bool bw_export_cpp(const struct bw_export *export, struct bw_text *out, struct bw_error *error);
/* Appends the mark and only the statements of the function of bw_export_cpp, for a variable `pipeline` of
 * type Halide::Pipeline, as the body of a file that Halide makes. */
bool bw_export_body(const struct bw_export *export, struct bw_text *out, struct bw_error *error);
/* Appends the export as one JSON object: hashes, Funcs by index, directives, and the schedule's text. */
bool bw_export_json(const struct bw_export *export, struct bw_text *out, struct bw_error *error);

/* The mark that identifies an export: its first line in C++, members in JSON. */
struct bw_export_mark {
	int line; /* from 1 */
	char pipeline[256];
	uint64_t algorithm, schedule; /* hashes; schedule 0: unknown */
};

/* Finds the next mark of a C++ export in a source file, starting at *at. Moves *at behind the mark, and
 * updates *line, which is 1 at the file's beginning. Skips other text between marks. Returns false if
 * there is no further mark. */
bool bw_export_next_mark(const char **at, int *line, struct bw_export_mark *mark);
/* Reads the mark of a JSON export. Returns false with an error that names the key. */
struct bw_json_at;
bool bw_export_json_mark(const struct bw_json_at *root, struct bw_export_mark *mark, struct bw_error *error);
