/* Inside of the reader of Halide's loop nests: its lines as a tree. */
#ifndef BW_SCHEDULE_HALIDE_NEST_PRIVATE_H
#define BW_SCHEDULE_HALIDE_NEST_PRIVATE_H
#include "schedule/halide_nest.h"
#include "schedule/parse.h"

/* What a level of loops is marked as: name in C, word in the nest. gpu_none: at root, its tiling still to be decided. */
#define BW_HALIDE_LABEL_TABLE(X) X(NONE, "gpu_none") X(BLOCK, "gpu_block") X(THREAD, "gpu_thread") X(SERIAL, "gpu_serial") X(SIMD, "gpu_simd")

enum bw_halide_label {
#define X(name, text) BW_HALIDE_LABEL_##name,
	BW_HALIDE_LABEL_TABLE(X)
#undef X
	BW_N_HALIDE_LABELS
};

/* One level of the loops of one stage. */
struct bw_halide_level {
	int line;         /* where it stands, from 1 */
	int parent;       /* the level around it, -1: the root */
	int func, stage;
	enum bw_halide_label label;
	int64_t *sizes;   /* iterations, one a loop of the stage */
	bool *constant;   /* those that Halide knows */
	int vector_loop;  /* the loop that stands innermost of the Vars, -1: none */
	int vector_dim;   /* the dimension that is innermost in storage */
	int inner;        /* the next level of the same stage, -1: none */
	bool hosts;       /* other Funcs are computed in it */
	int serial;       /* set by the plan: the serial role that stands for it; -1: none */
};

/* A Func that is inlined, or stored at a level (-1: the root). */
struct bw_halide_mark {
	int line, func, level;
};

struct bw_halide_nest {
	struct bw_parser parser; /* its lexer and arena serve for messages; no tokens are read with it */
	int n_levels, n_inlined, n_stored;
	struct bw_halide_level *levels; /* outer ones first */
	struct bw_halide_mark *inlined, *stored;
};

/* Sets an error at a line; returns false. */
#define bw_halide_nest_fail(nest, at, ...) bw_lexer_fail(&(nest)->parser.lexer, &(struct bw_token){.line = (at), .column = 1}, __VA_ARGS__)
/* Fills the tree from a text. All of it lies in the parser's arena. */
bool bw_halide_nest_lines(struct bw_halide_nest *nest, const char *text, size_t length);
#endif
