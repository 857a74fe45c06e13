/* The code of a schedule that was compiled, and counted on the emulated device: for each kernel the lines
 * of its loop nest, of its PTX and of its SASS, with how often each ran, and the loop that each line
 * belongs to. */
#pragma once
#include "bench/sass.h"
#include "figures/kernels.h"

/* A line of a kernel's loop nest. The first one is the kernel itself; a line follows the one that it is
 * in. */
struct bw_code_loop {
	char text[96];
	int func, stage; /* in the pipeline */
	int loop;        /* of the stage; -1: the kernel, a Func or a stage as a whole */
	int parent, depth; /* parent: the line that it is in; -1: none */
	bool runs_serially; /* it is neither spread over blocks and threads, nor unrolled by the schedule */
	bool folded;        /* its lines, and those of all loops inside of it, have one row on a screen */
	double runs; /* instructions of PTX that warps ran in it, with all lines inside of it */
	double own;  /* the same without those */
};

struct bw_code_line {
	const char *text;
	int number;       /* in the PTX, from 1 */
	int loop;         /* line of the nest that it belongs to; 0: that is not told */
	bool instruction;
	double runs;      /* of warps; 0: it is no instruction */
	const struct bw_counted_part *block; /* that begins at this instruction; else NULL */
	int first_sass, n_sass; /* of the kernel's list: the instructions that come from it */
};

struct bw_code_sass {
	char text[24];
	int line; /* place in the kernel's lines; -1: not known */
	int at;   /* place in the kernel's machine code */
	enum bw_sass_kind kind;
	double runs;
};

/* A line of the statement that Halide lowered. */
struct bw_code_statement {
	const char *text; /* with the blanks that it begins with */
	int number;       /* in the whole statement, from 1 */
	int loop;         /* line of the nest that it belongs to */
	bool first;       /* of the lines of its loop that stand together */
};

struct bw_code_kernel {
	const struct bw_counted_kernel *counted;
	int n_loops, n_lines, n_sass;
	struct bw_code_loop *loops;
	struct bw_code_line *lines;
	struct bw_code_sass *sass; /* by line; of a line in the order of the machine code */
	int n_statement; /* 0: there is none */
	struct bw_code_statement *statement; /* from the loop over its blocks on */
	double runs, told; /* instructions of PTX that warps ran; those that belong to a loop of the nest */
};

struct bw_code {
	struct bw_arena *arena;
	int n;
	struct bw_code_kernel *kernels; /* in the order of their first launch */
	const char *no_sass; /* why there is no SASS; NULL: there is */
};

/* Returns the code of a counted schedule, which has to outlive it; NULL if its PTX was not kept. nest
 * NULL: the loops are those that the PTX names. Free with bw_code_free(), which accepts NULL. */
struct bw_code *bw_code_make(const struct bw_pipeline *pipeline, const struct bw_nest *nest,
			     const struct bw_device *device, const struct bw_counted *counted);
void bw_code_free(struct bw_code *code);
/* Returns how many lines all kernels have, of the PTX or of the statement. */
int bw_code_lines(const struct bw_code *code, bool statement);
/* Returns the kernel of a line of all of these and sets *line to its place in it; NULL: there is none. */
const struct bw_code_kernel *bw_code_kernel_at(const struct bw_code *code, bool statement, int *line);
/* Returns the loop, as a line of the nest, that a line of a kernel belongs to. */
int bw_code_loop_at(const struct bw_code_kernel *kernel, bool statement, int line);
/* Returns true if line `other` of the nest is the same as `loop`, or in it. */
bool bw_code_holds(const struct bw_code_kernel *kernel, int loop, int other);
/* Returns the first of the longest row of lines of a kernel that belong to a loop; if there is none, the
 * first line of a loop inside of it, or else of one around it. */
int bw_code_find(const struct bw_code_kernel *kernel, bool statement, int loop);
/* Returns the line of all lines of the other text that belongs to the loop of a line of this one. */
int bw_code_across(const struct bw_code *code, bool statement, int line);
/* Returns true if a line can have a row: of the PTX an instruction or the beginning of a block. */
bool bw_code_is_shown(const struct bw_code_kernel *kernel, bool statement, int line);
/* Appends the SASS of a line in words, `FFMA x4, MOV`. */
void bw_code_sass_words(const struct bw_code_kernel *kernel, const struct bw_code_line *line,
			struct bw_text *out);
/* Returns the loop that the row of a line stands for: the outermost folded one around it, else its own. func:
 * the only Func shown, whose folded loops alone count; -1: all are shown. */
int bw_code_row_loop(const struct bw_code_kernel *kernel, bool statement, int line, int func);
/* Returns the line whose row shows a line, or the next line that can have a row; -1: none does. */
int bw_code_row(const struct bw_code_kernel *kernel, bool statement, int line, int func);
/* Returns the lines of a kernel that have a row, n in all; owned by the arena. */
int *bw_code_rows(const struct bw_code_kernel *kernel, bool statement, int func, struct bw_arena *arena,
		  int *n);
/* What warps ran in a line of the nest, with all lines inside of it: instructions, and those of them that add
 * and multiply floats, load and store. Parameters are not loads. */
struct bw_code_mix {
	double all, floats, loads, stores;
};
/* Returns the mix of PTX, or of SASS, which is nothing if there is none. */
struct bw_code_mix bw_code_mix(const struct bw_code_kernel *kernel, int loop, bool sass);
/* Returns the instructions of PTX that warps ran in all kernels. */
double bw_code_runs(const struct bw_code *code);
/* Returns the code as JSON. func: the only one whose lines are in it, with the kernels that have any; -1: all
 * are. */
json_t *bw_code_json(const struct bw_code *code, const struct bw_pipeline *pipeline, int func);

/* Reads the lines of each kernel in the statement that Halide lowered, which is kept. */
void bw_code_read_statement(struct bw_code *code, const struct bw_pipeline *pipeline, const char *statement);

/* Returns the Func of this name, without the dollar and number that Halide may add to make it unique; NULL if
 * there is none. */
const struct bw_func *bw_code_func(const struct bw_pipeline *pipeline, const char *name);
/* Returns the predicted kernels of counted ones, which bw_code_kernel() finds by their entries. */
const struct bw_kernel_facts *bw_code_facts(const struct bw_nest *nest, const struct bw_device *device,
					    const struct bw_counted *counted, struct bw_arena *arena, int *n);
const struct bw_kernel *bw_code_kernel(const struct bw_kernel_facts *facts, int n, const char *entry);
/* Returns the parts of a kernel that ran, n in all, named after their stages as far as barriers tell those
 * that no loop names. of NULL: the kernel is not known. */
struct bw_counted_part *bw_code_parts(const struct bw_counted_kernel *kernel, const struct bw_kernel *of,
				      const struct bw_nest *nest, const struct bw_pipeline *pipeline,
				      struct bw_arena *arena, int *n);
