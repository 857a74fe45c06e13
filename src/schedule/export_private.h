/* Shared by the files of the exporter alone. */
#ifndef BW_SCHEDULE_EXPORT_PRIVATE_H
#define BW_SCHEDULE_EXPORT_PRIVATE_H
#include "base/mem.h"
#include "schedule/export.h"

/* A Func as the exported code names it. Those of the pipeline, then those that directives make. */
struct func_symbol {
	const char *name;        /* Halide's, or made up for one that a directive makes; NULL: there is no such index */
	const struct bw_func *func; /* NULL: a directive makes it */
	int made_by;             /* number of that directive; -1: none */
	int parent, consumer;    /* indexes, where it is reached as parent.in(consumer); else -1. consumer -1: parent.in() */
	bool clone;              /* by clone_in() */
	bool used, declared;
	const char *id;          /* its variable */
};

/* A loop's name as the exported code holds it. */
struct loop_symbol {
	const char *name;
	bool rvar;
	const char *id;
	int func, stage, loop; /* where the algorithm itself has it, -1: a split or fuse makes it */
};

struct exporter {
	const struct bw_export *export;
	struct bw_arena *arena;
	struct func_symbol *funcs; /* by index */
	int n_funcs, n_reached;    /* of these the first n_reached are those of Pipeline::get_func */
	struct loop_symbol *loops; /* free() */
	int n_loops, loops_capacity;
	const char **taken; /* identifiers; free() */
	int n_taken, taken_capacity;
	bool *chosen;       /* by directive: whether it is exported */
	struct bw_text *out;
	struct bw_error *error;
};

/* Finds all Funcs and loops that the chosen directives use and names them. False with an error. */
bool bw_export_resolve(struct exporter *exporter);
/* The loop that a directive names: of a Func by index, as it is before that directive. Never NULL after bw_export_resolve. */
const struct loop_symbol *bw_export_loop(const struct exporter *exporter, int before, int func, int stage, const char *name);

/* Writes the body of the C++ function. */
void bw_export_print(struct exporter *exporter);

/* An identifier of C++ like the name that nothing else has; it is kept. */
const char *bw_export_identifier(struct exporter *exporter, const char *name);
/* A name without the number that Halide adds to make it unique: f12, blur$1. The arena's. *number is the rest, "" where there is none. */
const char *bw_export_base(struct bw_arena *arena, const char *name, const char **number);
/* Which one of the Funcs of get_func() with its base this is, in the order of their numbers; *alike counts them. */
int bw_export_rank(const struct exporter *exporter, int func, int *alike);
/* A string literal. */
void bw_export_literal(const char *text, struct bw_text *out);
/* Text in a comment: one line whatever it holds. */
void bw_export_comment(const char *text, struct bw_text *out);
#endif
