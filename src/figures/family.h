/* Families: Funcs whose names differ only in their numbers, such as the levels of a pyramid or the
 * steps of a chain. Lists of a hundred Funcs show each family as one row. */
#ifndef BW_FIGURES_FAMILY_H
#define BW_FIGURES_FAMILY_H
#include "base/mem.h"
#include "pipeline/pipeline.h"

enum {
	BW_FAMILY_LEAST = 3, /* Funcs; fewer are no family */
	BW_FOLD_FROM = 60    /* Funcs; families of pipelines with this many or more begin folded */
};

struct bw_families {
	int *of;   /* by Func: the first Func of its family; the Func itself if it has none */
	int *size; /* by Func: number of Funcs in its family; 1 if it has none */
};

/* Finds the families of a pipeline, owned by the arena. */
struct bw_families bw_families_of(const struct bw_pipeline *pipeline, struct bw_arena *arena);
/* Returns the name of a Func's family, `remapped*_rows`, owned by the arena. */
const char *bw_family_name(const struct bw_pipeline *pipeline, int func, struct bw_arena *arena);
#endif
