/* A schedule: a placement for each Func that it mentions. It is complete or partial. Its text form is
 * described in beamwalk-schedule(5). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "nest/nest.h"
#include "nest/placement.h"
#include "pipeline/pipeline.h"

struct bw_schedule {
	int references;
	uint64_t algorithm; /* hash of the algorithm that the schedule was written for; 0: unknown */
	bool unstaged;      /* staging in registers is off (nest/staging.h) */
	int n_funcs;        /* number of Funcs of the pipeline */
	int n;              /* number of placements: one per Func of the pipeline, then the derived Funcs */
	/* by Func; NULL: the Func is not mentioned, or is an input. Then those of derived Funcs, in the
	 * order of bw_placement_order. */
	const struct bw_placement **placements;
};

/* bw_schedule_new returns an empty schedule of a pipeline with one reference. _keep adds a reference,
 * _drop removes one. */
struct bw_schedule *bw_schedule_new(const struct bw_pipeline *pipeline);
struct bw_schedule *bw_schedule_keep(struct bw_schedule *schedule);
void bw_schedule_drop(struct bw_schedule *schedule);
/* Declares a reference that is dropped when its block is left. */
#define BW_SCOPED_SCHEDULE BW_SCOPED(bw_schedule_end) struct bw_schedule
static inline void bw_schedule_end(struct bw_schedule **schedule)
{
	bw_schedule_drop(*schedule);
}
/* Sets the placement of a Func, and keeps a reference to it. The schedule must have only one reference. */
void bw_schedule_set(struct bw_schedule *schedule, const struct bw_placement *placement);
/* Returns the schedule's placement of the same Func and derivation as `like`. Returns NULL if there is
 * none. The schedule owns the placement. */
const struct bw_placement *bw_schedule_find(const struct bw_schedule *schedule,
					    const struct bw_placement *like);
/* Returns the nest that bw_nest_build makes of a schedule's placements. */
struct bw_nest *bw_schedule_nest(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule,
				 struct bw_error *error);
/* Returns the schedule of a nest: the placements of its placed Funcs. */
struct bw_schedule *bw_nest_schedule(const struct bw_nest *nest);
/* Returns true if both schedules place the same Funcs in the same way. */
bool bw_schedule_equal(const struct bw_schedule *a, const struct bw_schedule *b);
/* Returns a hash of a schedule's content, not of its text. Equal schedules have equal hashes on all
 * machines. */
uint64_t bw_schedule_hash(const struct bw_schedule *schedule);
/* Returns the hash of a nest's schedule; 0: the nest is NULL or not complete. */
uint64_t bw_nest_schedule_hash(const struct bw_nest *nest);

/* Appends the text form, outputs first, in the order in which the search decides Funcs. */
void bw_schedule_print(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule,
		       struct bw_text *out);
/* Reads the text form, of at most 4 MiB. Errors begin with name, line and column (in characters), as in
 * `my.schedule:7:12: ...`. Sets *stale (may be NULL) to true if the text was written for another
 * algorithm. Such a text is accepted if all its names exist in the pipeline. */
struct bw_schedule *bw_schedule_parse(const struct bw_pipeline *pipeline, const char *name, const char *text,
				      size_t length, bool *stale, struct bw_error *error);
struct bw_schedule *bw_schedule_read(const struct bw_pipeline *pipeline, const char *path, bool *stale,
				     struct bw_error *error);
/* Appends the factored updates that the header of a schedule file names, as in `histogram.update0:64`.
 * Appends nothing if the file cannot be read. */
void bw_schedule_put_rfactors(const char *path, struct bw_text *out);
/* Reads one entry of the text form on one line, such as `Ix at output.block; thread y, x; unrolled y 4`,
 * `Ix at output.block 1x4` or `Ix inline`. Errors begin with the column: `column 4: ...`. */
const struct bw_placement *bw_placement_parse(const struct bw_pipeline *pipeline, const char *text,
					      struct bw_error *error);
/* Appends an entry of the text form. Uses the short form of bw_placement_words if that form is complete,
 * else writes all loops. bw_placement_parse of the entry gives the same placement. */
void bw_placement_print(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			struct bw_text *out);

/* The shape of a placed Func: the names of its dimensions, and of the loops of each stage. The pipeline
 * has the shapes of its own Funcs; bw_shape_of derives the shapes of wrappers and clones. */
struct bw_stage_shape {
	int n_loops;
	const char *const *loops; /* innermost first; bw_loop.loop is an index in this array */
};

struct bw_shape {
	int n_dims;
	const char *const *dims; /* innermost first */
	int n_stages;
	const struct bw_stage_shape *stages;
};

/* Returns the shape for the Func and derivation of a placement. Ignores its sites and loops. The arena
 * owns the shape. A wrapper has one stage over the dimensions; a clone has the Func's shape. */
const struct bw_shape *bw_shape_of(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
				   struct bw_arena *arena);

/* The schedule that a generator itself gives its pipeline ("by hand"), converted into the text form. The
 * plugin records the schedule as Halide stores it (src/halide/hand.cc). The functions here turn this
 * record into placements. */

/* Returns the schedule of a record, with one reference.
 *
 * Appends to *unsaid a line `WHERE: WHAT` for each directive that the text form cannot express, or that no
 * nest can have. The schedule is then the nearest one. It does not mention a Func that could not be
 * placed, nor Funcs that are computed inside of that Func. If no line is appended, the schedule has
 * exactly the loops of the record.
 *
 * Returns NULL with an error that begins with `name` if the text is not a record or belongs to another
 * pipeline. */
struct bw_schedule *bw_hand_read(const struct bw_pipeline *pipeline, const char *name, const char *text,
				 size_t length, struct bw_text *unsaid, struct bw_error *error);

/* Loop nests in the format of Halide's GPU autoscheduler of Anderson et al. (2021), which prints them and
 * reads them as partial schedules. bw_schedule_parse recognizes them. */

/* Returns true if the text is a loop nest, by its first line that is not a comment. */
bool bw_halide_nest_is(const char *text, size_t length);
/* Reads a loop nest, complete or partial. Errors begin with name and line. Funcs that only copy an input,
 * which Halide omits, are inlined. Sizes are Halide's, except the size of the outermost piece of each
 * loop: it is ignored, because it follows from the region. */
struct bw_schedule *bw_halide_nest_parse(const struct bw_pipeline *pipeline, const char *name,
					 const char *text, size_t length, struct bw_error *error);
