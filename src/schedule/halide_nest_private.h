/* Private to the reader of Halide's loop nests: the lines of a nest as a tree. */
#pragma once
#include "schedule/schedule.h"
#include "schedule/parse.h"

/* Labels of a level of loops: name in C, word in the nest. gpu_none: the Func is at root and its tiling is
 * not decided yet. */
#define BW_HALIDE_LABEL_TABLE(X) \
	X(BW_HALIDE_LABEL_NONE, "gpu_none") \
	X(BW_HALIDE_LABEL_BLOCK, "gpu_block") X(BW_HALIDE_LABEL_THREAD, "gpu_thread") X(BW_HALIDE_LABEL_SERIAL, "gpu_serial") X(BW_HALIDE_LABEL_SIMD, "gpu_simd")

enum bw_halide_label { BW_HALIDE_LABEL_TABLE(BW_FIRST) BW_N_HALIDE_LABELS };

/* One level of loops of a stage. */
struct bw_halide_level {
	int line;   /* its line in the text, from 1 */
	int parent; /* the enclosing level; -1: the root */
	int func, stage;
	enum bw_halide_label label;
	int64_t *sizes;  /* number of iterations, by loop of the stage */
	bool *constant;  /* by loop: true if Halide knows the size */
	int vector_loop; /* the innermost loop over a Var; -1: none */
	int vector_dim;  /* the innermost dimension in storage */
	int inner;       /* the next level inside, of the same stage; -1: none */
	bool hosts;      /* true: other Funcs are computed in this level */
	int serial;      /* set while the plan is made: the serial level of a site at this level; -1: none */
};

/* An inlined Func, or a Func that is stored at a level (-1: the root). */
struct bw_halide_mark {
	int line, func, level;
};

struct bw_halide_nest {
	struct bw_parser parser; /* only its arena and, for messages, its lexer are used */
	int n_levels, n_inlined, n_stored;
	struct bw_halide_level *levels; /* outer levels first */
	struct bw_halide_mark *inlined, *stored;
};

/* Sets an error at a line, and returns false. */
#define bw_halide_nest_fail(nest, at, ...) \
	bw_lexer_fail(&(nest)->parser.lexer, &(struct bw_token){.line = (at), .column = 1}, __VA_ARGS__)
/* Reads the lines of a text into the tree. The parser's arena owns the tree. */
bool bw_halide_nest_lines(struct bw_halide_nest *nest, const char *text, size_t length);
