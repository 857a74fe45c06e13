/* A schedule: a placement for each Func that it mentions, whole or partial; its text form is beamwalk-schedule(5). */
#ifndef BW_SCHEDULE_SCHEDULE_H
#define BW_SCHEDULE_SCHEDULE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "nest/nest.h"
#include "nest/placement.h"
#include "pipeline/pipeline.h"

struct bw_schedule {
	int references;
	uint64_t algorithm; /* hash of the algorithm that it was written for; 0: not said */
	bool unstaged;      /* nothing is staged in registers (nest/staging.h) */
	int n_funcs;        /* Funcs of the pipeline */
	int n;              /* placements: one a Func of the pipeline, then derived ones */
	const struct bw_placement **placements; /* index: the Func; NULL: not mentioned, and for inputs. Then derived ones by bw_placement_order */
};

/* An empty schedule of a pipeline. Reference counted: _drop gives it back. */
struct bw_schedule *bw_schedule_new(const struct bw_pipeline *pipeline);
struct bw_schedule *bw_schedule_keep(struct bw_schedule *schedule);
void bw_schedule_drop(struct bw_schedule *schedule);
/* Sets the placement of its Func (kept; the caller's reference stays the caller's). Only while nobody else holds the schedule. */
void bw_schedule_set(struct bw_schedule *schedule, const struct bw_placement *placement);
/* The placement of the same Func and derivation; NULL where it is not mentioned. The schedule's own. */
const struct bw_placement *bw_schedule_find(const struct bw_schedule *schedule, const struct bw_placement *like);
/* The nest that a schedule makes of the Funcs that it mentions: bw_nest_build of its placements. */
struct bw_nest *bw_schedule_nest(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule, struct bw_error *error);
/* The schedule that a nest follows: the placements of the Funcs that it has placed. */
struct bw_schedule *bw_nest_schedule(const struct bw_nest *nest);
/* Whether both place the same Funcs in the same way; order, spacing and comments of the text do not count. */
bool bw_schedule_equal(const struct bw_schedule *a, const struct bw_schedule *b);
/* A hash by meaning: equal schedules have equal hashes, on every machine. */
uint64_t bw_schedule_hash(const struct bw_schedule *schedule);

/* Writes the text form: outputs first, the order in which Funcs are decided. */
void bw_schedule_print(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule, struct bw_text *out);
/* Reads the text form. name is what errors call it; they give line and column (in characters), as in `my.schedule:7:12: ...`. *stale
 * (may be NULL) becomes true where the text was written for another algorithm, else false: it is read all the same, and every name
 * must agree. At most 4 MiB of text. */
struct bw_schedule *bw_schedule_parse(const struct bw_pipeline *pipeline, const char *name, const char *text, size_t length, bool *stale, struct bw_error *error);
struct bw_schedule *bw_schedule_read(const struct bw_pipeline *pipeline, const char *path, bool *stale, struct bw_error *error);
/* Reads one choice in words, as `Ix at output.block; thread y, x; unrolled y 4`, `Ix at output.block 1x4` or `Ix inline`: one entry
 * of the text form on one line. Errors begin with the column: `column 4: ...`. */
const struct bw_placement *bw_placement_parse(const struct bw_pipeline *pipeline, const char *text, struct bw_error *error);
/* Writes such an entry: bw_placement_words where these say all, else the loops in full. What is read back is the same placement. */
void bw_placement_print(const struct bw_pipeline *pipeline, const struct bw_placement *placement, struct bw_text *out);
#endif
