/* The differences between the code of two schedules, line by line. */
#pragma once
#include "figures/code.h"

/* The texts of a kernel that are compared: name in C, key in JSON, words. PTX: instructions only; two are
 * equal if only the numbers of registers, labels and parameters differ. SASS: in the order of the machine
 * code. */
#define BW_CODE_TEXT_TABLE(X) \
	X(BW_CODE_NEST, "nest", "loop nest") \
	X(BW_CODE_PTX, "ptx", "PTX") \
	X(BW_CODE_SASS, "sass", "SASS")
enum bw_code_text { BW_CODE_TEXT_TABLE(BW_FIRST) BW_N_CODE_TEXTS };

/* One side of a row. text NULL: this side has no line. */
struct bw_diff_line {
	const char *text;
	int depth;   /* nesting depth, for a line of the loop nest */
	double runs; /* number of times that warps ran the line */
	bool moved;  /* the line is paired with an equal line elsewhere on the other side */
};

/* A row: two equal lines (`same`), or one or two lines without an equal line beside them. */
struct bw_diff_row {
	struct bw_diff_line side[2];
	bool same;
};

struct bw_diff {
	int n;
	struct bw_diff_row *rows;
	/* only: by side, number of lines that the other side lacks; moved: number of pairs of lines that only
	 * moved */
	int only[2], moved;
};

/* Kernels of both sides that compute the same Func. NULL: the side has no such kernel. */
struct bw_kernel_diff {
	const struct bw_code_kernel *kernels[2];
	struct bw_diff texts[BW_N_CODE_TEXTS];
};

struct bw_code_diff {
	int n;
	struct bw_kernel_diff *kernels;
};

/* Returns the difference of two codes, owned by the arena. It refers to both codes. */
struct bw_code_diff bw_code_diff_of(const struct bw_code *a, const struct bw_code *b, struct bw_arena *arena);
/* Returns the difference as JSON, with the lines that differ. */
json_t *bw_code_diff_json(const struct bw_code_diff *diff);
const char *bw_code_text_words(enum bw_code_text text);
