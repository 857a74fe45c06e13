/* What differs between the code of two schedules, line by line. */
#pragma once
#include "figures/code.h"

/* The texts of a kernel that are compared: name in C, key in JSON, words. Of the PTX the instructions,
 * which are equal if they differ in the numbers of registers, labels and parameters alone; the SASS in the
 * order of the machine code. */
#define BW_CODE_TEXT_TABLE(X) \
	X(BW_CODE_NEST, "nest", "loop nest") \
	X(BW_CODE_PTX, "ptx", "PTX") \
	X(BW_CODE_SASS, "sass", "SASS")
enum bw_code_text { BW_CODE_TEXT_TABLE(BW_FIRST) BW_N_CODE_TEXTS };

/* A line of one side; text NULL: that side has none. */
struct bw_diff_line {
	const char *text;
	int depth;   /* of a loop */
	double runs; /* of warps */
	bool moved;  /* an equal line stands elsewhere on the other side, which has no other partner */
};

/* Lines that are equal, or one or two that have no equal one beside them. */
struct bw_diff_row {
	struct bw_diff_line side[2];
	bool same;
};

struct bw_diff {
	int n;
	struct bw_diff_row *rows;
	int only[2], moved; /* lines of each side that the other one lacks; pairs of those that only moved */
};

/* A kernel of each side, matched by the Func that it computes; NULL: that side has no such kernel. */
struct bw_kernel_diff {
	const struct bw_code_kernel *kernels[2];
	struct bw_diff texts[BW_N_CODE_TEXTS];
};

struct bw_code_diff {
	int n;
	struct bw_kernel_diff *kernels;
};

/* Returns the difference of two codes, owned by the arena; it refers to both. */
struct bw_code_diff bw_code_diff_of(const struct bw_code *a, const struct bw_code *b, struct bw_arena *arena);
/* Returns it as JSON, with the lines that differ. */
json_t *bw_code_diff_json(const struct bw_code_diff *diff);
const char *bw_code_text_words(enum bw_code_text text);
