/* Private to the files that read the record of a schedule written by hand. */
#pragma once
#include "schedule/schedule.h"

/* A loop of the record, and the piece of the plan that it became (the innermost one, if several). */
struct bw_hand_leaf {
	const char *name;
	int piece;
};

/* The loops of a stage. */
struct bw_hand_stage {
	int n_loops;
	struct bw_loop *loops; /* loops of a plan, outermost first */
	bool atomic;
	int n_leaves;
	struct bw_hand_leaf *leaves;
};

/* The extent of a loop of a stage at its site, before it is split. */
struct bw_hand_extent {
	int64_t extent;
	bool
	    /* the extent is known at compile time, and is the same for every size of inputs and outputs */
	    constant;
};

/* Where to append the lines on directives that the text form cannot express. */
struct bw_hand_unsaid {
	const struct bw_stage *stage;
	const char *func;
	struct bw_text *text;
};

/* Appends a line that begins with the name of the Func and its update. */
void bw_hand_say(const struct bw_hand_unsaid *unsaid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Finds the extents of the loops of all stages of a Func at the site of a draft, by stage and loop.
 * Returns NULL with an error if the Func cannot be computed at this site. The arena owns the extents. */
struct bw_hand_extent **bw_hand_extents(const struct bw_nest *nest, const struct bw_placement *draft,
					struct bw_arena *arena, struct bw_error *error);
/* Reads the splits and loops of a stage of the record into pieces of a plan. Loops that the record lacks
 * are serial. The arena owns what *out points to. */
void bw_hand_loops(const json_t *record, const struct bw_hand_extent *extents,
		   const struct bw_hand_unsaid *unsaid, struct bw_arena *arena, struct bw_hand_stage *out);
