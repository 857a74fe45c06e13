/* Private to the files that read a record of a schedule by hand. */
#pragma once
#include "schedule/schedule.h"

/* A loop of the record, and the innermost piece of a plan that it became. */
struct bw_hand_leaf {
	const char *name;
	int piece;
};

/* The loops of a stage. */
struct bw_hand_stage {
	int n_loops;
	struct bw_loop *loops; /* outermost first; a plan's */
	bool atomic;
	int n_leaves;
	struct bw_hand_leaf *leaves;
};

/* What is known of a loop of a stage at its site before it is split. */
struct bw_hand_extent {
	int64_t extent;
	bool
	    constant; /* the same number at every size of inputs and outputs, and known when it is compiled */
};

/* Where lines on what has no word go. */
struct bw_hand_unsaid {
	const struct bw_stage *stage;
	const char *func;
	struct bw_text *text;
};

/* Appends a line, which begins with the Func and its update. */
void bw_hand_say(const struct bw_hand_unsaid *unsaid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Finds the extents of the loops of all stages of a Func at the site of a draft, by stage and loop.
 * Returns NULL with an error if it cannot be there. The arena owns them. */
struct bw_hand_extent **bw_hand_extents(const struct bw_nest *nest, const struct bw_placement *draft,
					struct bw_arena *arena, struct bw_error *error);
/* Reads the splits and loops of a stage of the record into pieces. Loops that the record does not have
 * are serial. The arena owns what *out points to. */
void bw_hand_loops(const json_t *record, const struct bw_hand_extent *extents,
		   const struct bw_hand_unsaid *unsaid, struct bw_arena *arena, struct bw_hand_stage *out);
