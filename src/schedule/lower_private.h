/* Private to the files that lower a nest to directives. */
#ifndef BW_SCHEDULE_LOWER_PRIVATE_H
#define BW_SCHEDULE_LOWER_PRIVATE_H
#include "schedule/lower.h"

struct bw_lowering {
	struct bw_directives *out;
	int capacity;
	const struct bw_nest *nest;
	int n_funcs; /* indexes in use: of the pipeline's Funcs and of those made */
};

/* Appends a directive on a stage. The pointer is valid until the next call. */
struct bw_directive *bw_lower_emit(struct bw_lowering *lowering, enum bw_directive_op op, int func,
				   int stage);
/* Sets the Vars of a directive. Copies the array, not the names. */
void bw_lower_vars(struct bw_lowering *lowering, struct bw_directive *directive, const char *const *vars,
		   int n);
/* Returns the name of the loop that piece i of a plan becomes. */
char *bw_lower_piece(struct bw_arena *arena, const struct bw_stage *stage, const struct bw_stage_plan *plan,
		     int i);
/* Appends all directives on the loops of a stage. root: the Func is computed at root. */
void bw_lower_stage(struct bw_lowering *lowering, const struct bw_stage *stage,
		    const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, bool root);
#endif
