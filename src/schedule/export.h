/* The way out: a list of directives as a Halide C++ schedule to paste into a generator, or as JSON. The C++ makes the calls that the
 * plugin makes for the same list, in the same order, and takes no unique name that the plugin does not take: so a generator that
 * runs it gives, in a fresh process, the very object that was timed. */
#ifndef BW_SCHEDULE_EXPORT_H
#define BW_SCHEDULE_EXPORT_H
#include "pipeline/pipeline.h"
#include "schedule/directive.h"
#include "schedule/schedule.h"

struct bw_export {
	const struct bw_pipeline *pipeline;
	const struct bw_schedule *schedule;     /* what the directives were lowered from; NULL: not known */
	const struct bw_directives *directives;
	const char *func; /* the one Func to export, with what is derived from it; NULL: all */
	int halide;       /* version that the comment's guard is for: 14, 15 (and later), or 0: both are said */
	const char *version; /* of beamwalk */
	const char *note; /* of where the schedule is from, one line; NULL: none */
};

/* Writes a C++ function schedule_PIPELINE(Halide::Pipeline), or schedule_PIPELINE_FUNC, after a comment that says how to use it and
 * whose first line is the mark (struct bw_export_mark). False with an error that names the directive and the Func or loop that the
 * pipeline does not have. */
bool bw_export_cpp(const struct bw_export *export, struct bw_text *out, struct bw_error *error);
/* The statements of that function alone, on a Halide::Pipeline `pipeline`, after the mark: what stands in a file that Halide makes around them. */
bool bw_export_body(const struct bw_export *export, struct bw_text *out, struct bw_error *error);
/* The same as one JSON object: hashes, Funcs by their index, the directives, the schedule's text. */
bool bw_export_json(const struct bw_export *export, struct bw_text *out, struct bw_error *error);

/* What an export says of itself in its first line, and JSON in its members. */
struct bw_export_mark {
	int line; /* from 1 */
	char pipeline[256];
	uint64_t algorithm, schedule; /* hashes; schedule 0: not known */
};

/* The next mark of a C++ export in a source file, from *at on, which moves behind it; *line is counted on from 1 at the file's
 * beginning. Text between marks may be anything. False where there is none left. */
bool bw_export_next_mark(const char **at, int *line, struct bw_export_mark *mark);
/* The mark of a JSON export; false with an error that names the key. */
struct bw_json_at;
bool bw_export_json_mark(const struct bw_json_at *root, struct bw_export_mark *mark, struct bw_error *error);
#endif
