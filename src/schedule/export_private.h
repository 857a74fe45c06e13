/* Private to the files of the exporter. */
#pragma once
#include "schedule/export.h"

/* A Func in the exported code: one of the pipeline, or one that a directive makes. */
struct func_symbol {
	const char *name; /* Halide's, or invented for a Func that a directive makes; NULL: no such index */
	const struct bw_func *func; /* NULL: a directive makes it */
	int made_by; /* index of that directive; -1: none */
	int parent, consumer; /* indexes for parent.in(consumer), else -1. consumer -1: parent.in() */
	bool clone; /* made by clone_in() */
	bool external; /* an extern stage */
	bool used, declared;
	const char *id; /* its variable */
};

/* A loop name in the exported code. */
struct loop_symbol {
	const char *name;
	bool rvar;
	const char *id;
	int func, stage, loop; /* the loop of the algorithm, or -1: a split or fuse makes it */
	int first; /* the directive that names it first */
};

struct exporter {
	const struct bw_export *export;
	struct bw_arena *arena;
	struct func_symbol *funcs; /* by index */
	int n_funcs, n_reached;    /* the first n_reached are those of Pipeline::get_func */
	struct loop_symbol *loops; /* free() */
	int n_loops, loops_capacity;
	int n_factoring; /* directives, at the beginning of the list, that factor updates */
	const char **taken; /* identifiers; free() */
	int n_taken, taken_capacity;
	bool *chosen; /* by directive: it is exported */
	bool given;   /* the Funcs of the pipeline are parameters, and need not be found */
	struct bw_text *out;
	struct bw_error *error;
};

/* Finds and names all Funcs and loops that the chosen directives use. Returns false with an error. */
bool bw_export_resolve(struct exporter *exporter);
/* Returns the loop of a name in a directive on a Func, by its index, before the directive `before`. Never
 * NULL after bw_export_resolve. */
const struct loop_symbol *bw_export_loop(const struct exporter *exporter, int before, int func, int stage,
					 const char *name);

/* Appends the body of the C++ function, which finds the Funcs by name unless they are given. */
void bw_export_print(struct exporter *exporter);
/* Appends the function of this name that schedules the Funcs that it is given; and, later, the body of one
 * that finds these and calls it. */
void bw_export_print_given(struct exporter *exporter, const char *function);
void bw_export_print_found(struct exporter *exporter, const char *function);

/* Returns an unused C++ identifier similar to the name, and reserves it. */
const char *bw_export_identifier(struct exporter *exporter, const char *name);
/* Returns a name without the number that Halide adds to make it unique, as in f12 and blur$1. The arena
 * owns it. *number is that number, or "". */
const char *bw_export_base(struct bw_arena *arena, const char *name, const char **number);
/* Returns the rank of a Func, by number, among the Funcs of get_func() with the same base name; *alike is
 * their count. */
int bw_export_rank(const struct exporter *exporter, int func, int *alike);
/* Appends a string literal. */
void bw_export_literal(const char *text, struct bw_text *out);
/* Appends text for a comment, on one line. */
void bw_export_comment(const char *text, struct bw_text *out);
