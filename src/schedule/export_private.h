/* Private to the files of the exporter. */
#pragma once
#include "schedule/export.h"

/* A Func in the exported code: a Func of the pipeline, or one that a directive makes. */
struct func_symbol {
	/* Halide's name, or an invented name for a Func that a directive makes; NULL: there is no Func of
	 * this index */
	const char *name;
	const struct bw_func *func; /* NULL: a directive makes it */
	int made_by; /* index of the directive that makes it; -1: none */
	/* indexes for parent.in(consumer); -1 for other Funcs. consumer -1: parent.in() */
	int parent, consumer;
	bool clone; /* made by clone_in() */
	bool external; /* an extern stage */
	bool used, declared;
	const char *id; /* identifier of its variable */
};

/* A loop name in the exported code. */
struct loop_symbol {
	const char *name;
	bool rvar;
	const char *id;
	int func, stage, loop; /* index of the loop in the algorithm; -1: a split or fuse makes the loop */
	int first; /* index of the first directive that names it */
};

struct exporter {
	const struct bw_export *export;
	struct bw_arena *arena;
	struct func_symbol *funcs; /* by index */
	int n_funcs, n_reached;    /* the first n_reached are the Funcs of Pipeline::get_func */
	struct loop_symbol *loops; /* free() */
	int n_loops, loops_capacity;
	int n_factoring; /* number of directives at the beginning of the list that factor updates */
	const char **taken; /* identifiers; free() */
	int n_taken, taken_capacity;
	bool *chosen; /* by directive: true if it is exported */
	bool given;   /* true: the Funcs of the pipeline are parameters, and need not be found by name */
	struct bw_text *out;
	struct bw_error *error;
};

/* Finds and names all Funcs and loops that the chosen directives use. Returns false with an error. */
bool bw_export_resolve(struct exporter *exporter);
/* Returns the loop that a name denotes on this Func and stage just before the directive of index `before`.
 * Never returns NULL after bw_export_resolve. */
const struct loop_symbol *bw_export_loop(const struct exporter *exporter, int before, int func, int stage,
					 const char *name);

/* Appends the body of the C++ function, which finds the Funcs by name unless `given` is set. */
void bw_export_print(struct exporter *exporter);
/* bw_export_print_given appends a function of this name that takes the Funcs as parameters and schedules
 * them. bw_export_print_found later appends the body of a function that finds these Funcs by name and
 * calls the first function. */
void bw_export_print_given(struct exporter *exporter, const char *function);
void bw_export_print_found(struct exporter *exporter, const char *function);

/* Returns an unused C++ identifier similar to the name, and reserves it. */
const char *bw_export_identifier(struct exporter *exporter, const char *name);
/* Returns a name without the number that Halide adds to make it unique, as in f12 and blur$1. The arena
 * owns it. Sets *number to this number, or to "". */
const char *bw_export_base(struct bw_arena *arena, const char *name, const char **number);
/* Returns the rank of a Func, by its number, among the Funcs of get_func() with the same base name. Sets
 * *alike to the count of these Funcs. */
int bw_export_rank(const struct exporter *exporter, int func, int *alike);
/* Appends a string literal. */
void bw_export_literal(const char *text, struct bw_text *out);
/* Appends text for a comment, on one line. */
void bw_export_comment(const char *text, struct bw_text *out);
