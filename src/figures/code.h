/* The code of a schedule that was compiled and run on the emulated device, which counts instructions. For
 * each kernel: the lines of its loop nest, its PTX and its SASS, how often each line ran, and the loop
 * that each line belongs to. */
#pragma once
#include "bench/sass.h"
#include "figures/kernels.h"

/* A line of a kernel's loop nest. The first line is the kernel itself. Each line comes after the line
 * that contains it. */
struct bw_code_loop {
	char text[96];
	int func, stage; /* indices in the pipeline */
	int loop;        /* loop of the stage; -1: the line is the kernel, a Func or a whole stage */
	int parent, depth; /* parent: the line that contains this one; -1: none */
	bool runs_serially; /* the loop is neither over blocks or threads nor unrolled by the schedule */
	bool folded;        /* the screen shows one row for all lines of this loop and of the loops inside */
	double runs; /* PTX instructions that warps ran in this line and in all lines inside */
	double own;  /* PTX instructions that warps ran in this line alone */
};

struct bw_code_line {
	const char *text;
	int number;       /* line number in the PTX, from 1 */
	int loop;         /* line of the nest that it belongs to; 0: not known */
	bool instruction;
	double runs;      /* number of times that warps ran it; 0 if it is not an instruction */
	const struct bw_counted_part *block; /* the block that begins at this instruction, or NULL */
	int first_sass, n_sass; /* the SASS instructions compiled from this line: a range of the kernel's `sass` */
};

struct bw_code_sass {
	char text[24];
	int line; /* index in the kernel's `lines`; -1: not known */
	int at;   /* position in the kernel's machine code */
	enum bw_sass_kind kind;
	double runs;
};

/* A line of Halide's lowered statement. */
struct bw_code_statement {
	const char *text; /* with its leading blanks */
	int number;       /* line number in the whole statement, from 1 */
	int loop;         /* line of the nest that the statement's line belongs to */
	bool first;       /* the first of consecutive lines of the same loop */
};

struct bw_code_kernel {
	const struct bw_counted_kernel *counted;
	int n_loops, n_lines, n_sass;
	struct bw_code_loop *loops;
	struct bw_code_line *lines;
	struct bw_code_sass *sass; /* ordered by PTX line, then by position in the machine code */
	int n_statement; /* number of lines of `statement`; 0: there is none */
	struct bw_code_statement *statement; /* begins with the loop over blocks */
	double runs, told; /* PTX instructions that warps ran; the part of them whose loop of the nest is known */
};

struct bw_code {
	struct bw_arena *arena;
	int n;
	struct bw_code_kernel *kernels; /* in order of first launch */
	const char *no_sass; /* why there is no SASS; NULL: there is SASS */
};

/* Returns the code of a counted schedule. `counted` must outlive the result. Returns NULL if the PTX was
 * not kept. nest: NULL if not known; then the loops are those that the PTX names. Free with
 * bw_code_free(), which accepts NULL. */
struct bw_code *bw_code_make(const struct bw_pipeline *pipeline, const struct bw_nest *nest,
			     const struct bw_device *device, const struct bw_counted *counted);
void bw_code_free(struct bw_code *code);
/* Returns the number of lines of all kernels together. In this and the next functions, `statement`
 * selects the lowered statement instead of the PTX. */
int bw_code_lines(const struct bw_code *code, bool statement);
/* Returns the kernel that contains a line. *line: in: index among the lines of all kernels; out: index in
 * the kernel. Returns NULL if there is no such line. */
const struct bw_code_kernel *bw_code_kernel_at(const struct bw_code *code, bool statement, int *line);
/* Returns the line of the nest that a line of a kernel belongs to. */
int bw_code_loop_at(const struct bw_code_kernel *kernel, bool statement, int line);
/* Returns true if line `other` of the nest is line `loop` or is inside of it. */
bool bw_code_holds(const struct bw_code_kernel *kernel, int loop, int other);
/* Returns the first line of the longest run of consecutive lines that belong to a loop. If there is none,
 * returns the first line of a loop inside; if there is none either, of a loop around. */
int bw_code_find(const struct bw_code_kernel *kernel, bool statement, int loop);
/* Returns the line of the other text (PTX or statement) that belongs to the same loop as a line of this
 * text. Both are indices among the lines of all kernels. */
int bw_code_across(const struct bw_code *code, bool statement, int line);
/* Returns true if a line can have a row on the screen. A line of the PTX can if it is an instruction or
 * the beginning of a block. */
bool bw_code_is_shown(const struct bw_code_kernel *kernel, bool statement, int line);
/* Appends the SASS of a line in words: `FFMA x4, MOV`. */
void bw_code_sass_words(const struct bw_code_kernel *kernel, const struct bw_code_line *line,
			struct bw_text *out);
/* Returns the loop that the row of a line stands for: the outermost folded loop that contains the line,
 * or the line's own loop if none is folded. func: the only Func that is shown; folded loops of other
 * Funcs do not count. -1: all Funcs are shown. */
int bw_code_row_loop(const struct bw_code_kernel *kernel, bool statement, int line, int func);
/* Returns the line whose row shows a line or, for a line that cannot have a row, the next line that can.
 * Returns -1 if no row shows it. */
int bw_code_row(const struct bw_code_kernel *kernel, bool statement, int line, int func);
/* Returns the lines of a kernel that have a row. Sets *n to their number. The arena owns the result. */
int *bw_code_rows(const struct bw_code_kernel *kernel, bool statement, int func, struct bw_arena *arena,
		  int *n);
/* The instructions that warps ran in a line of the nest and in all lines inside: all, floating-point
 * additions and multiplications, loads, and stores. Reading a parameter is not a load. */
struct bw_code_mix {
	double all, floats, loads, stores;
};
/* Returns the mix of the PTX, or of the SASS; all 0 if there is no SASS. */
struct bw_code_mix bw_code_mix(const struct bw_code_kernel *kernel, int loop, bool sass);
/* Returns the number of PTX instructions that warps ran in all kernels. */
double bw_code_runs(const struct bw_code *code);
/* Returns the code as JSON. func: the only Func whose lines are included, with the kernels that have such
 * lines; -1: all Funcs. */
json_t *bw_code_json(const struct bw_code *code, const struct bw_pipeline *pipeline, int func);

/* Sets the statement lines of each kernel from Halide's lowered statement. Copies the text. */
void bw_code_read_statement(struct bw_code *code, const struct bw_pipeline *pipeline, const char *statement);

/* Returns the Func with this name, ignoring the dollar and number that Halide may append to make names
 * unique. Returns NULL if there is none. */
const struct bw_func *bw_code_func(const struct bw_pipeline *pipeline, const char *name);
/* Returns the facts on the nest's kernels that match the counted kernels. Use bw_code_kernel() to find a
 * kernel by its entry. */
const struct bw_kernel_facts *bw_code_facts(const struct bw_nest *nest, const struct bw_device *device,
					    const struct bw_counted *counted, struct bw_arena *arena, int *n);
const struct bw_kernel *bw_code_kernel(const struct bw_kernel_facts *facts, int n, const char *entry);
/* Returns the parts of a kernel that ran. Sets *n to their number. A part is named after the stage that a
 * loop's name says; without such a name, after the stage that the barriers imply, if any. of: NULL if the
 * kernel is not known. */
struct bw_counted_part *bw_code_parts(const struct bw_counted_kernel *kernel, const struct bw_kernel *of,
				      const struct bw_nest *nest, const struct bw_pipeline *pipeline,
				      struct bw_arena *arena, int *n);
