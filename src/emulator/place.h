/* Which Func's stage a line of PTX computes, as far as the comments tell that LLVM leaves: it names basic
 * blocks after Halide's loops. */
#ifndef BW_EMULATOR_PLACE_H
#define BW_EMULATOR_PLACE_H
#include <stdbool.h>
#include <stddef.h>

/* A stage, as loops name it. */
struct bw_stage_name {
	char *func;
	int stage; /* 0: the pure definition, k: update k - 1 */
};

/* Lines from `line` on, up to that of the next place, belong to the stage of this number; -1: not told. */
struct bw_place {
	int line, stage;
};

/* Sorted by line; zeros: nothing is told. */
struct bw_places_of_text {
	struct bw_stage_name *stages;
	struct bw_place *list;
	int n_stages, n;
};

/* Reads the places of a module's text. Returns false if no memory is left. bw_places_end() frees what they
 * hold. */
bool bw_places_read(struct bw_places_of_text *places, const char *text, size_t length);
void bw_places_end(struct bw_places_of_text *places);
#endif
