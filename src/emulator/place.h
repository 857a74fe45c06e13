/* Which Func's stage a line of PTX computes, as far as the comments tell that LLVM leaves: it names basic
 * blocks after Halide's loops. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* A stage, as loops name it. */
struct bw_stage_name {
	char *func;
	int stage; /* 0: the pure definition, k: update k - 1 */
};

/* The stage of the lines from `line` up to the next place, by number; -1: unknown. */
struct bw_place {
	int line, stage;
};

/* Sorted by line; zeros: nothing is known. */
struct bw_places_of_text {
	struct bw_stage_name *stages;
	struct bw_place *list;
	int n_stages, n;
};

/* Finds the places in a module's text. Returns false if out of memory. Free with bw_places_end(). */
bool bw_places_read(struct bw_places_of_text *places, const char *text, size_t length);
void bw_places_end(struct bw_places_of_text *places);
