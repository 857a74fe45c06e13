/* Shared by the files that lower a nest to directives. */
#ifndef BW_SCHEDULE_LOWER_PRIVATE_H
#define BW_SCHEDULE_LOWER_PRIVATE_H
#include "schedule/lower.h"

struct bw_lowering {
	struct bw_directives *out;
	int capacity;
	const struct bw_nest *nest;
	int n_funcs; /* indexes that there are so far: the pipeline's and those made */
};

/* Adds a directive on a stage. It stays where it is until the next one is added. */
struct bw_directive *bw_lower_emit(struct bw_lowering *lowering, enum bw_directive_op op, int func, int stage);
/* The Vars of a directive; the array is copied, not the names. */
void bw_lower_vars(struct bw_lowering *lowering, struct bw_directive *directive, const char *const *vars, int n);
/* The name of the loop that piece i of a plan becomes. */
char *bw_lower_piece(struct bw_arena *arena, const struct bw_stage *stage, const struct bw_stage_plan *plan, int i);
/* All directives on the loops of a stage; root: of a Func that is computed there. */
void bw_lower_stage(struct bw_lowering *lowering, const struct bw_stage *stage, const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, bool root);
#endif
