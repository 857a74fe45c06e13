/* A pipeline: the algorithm as a directed acyclic graph of Funcs, read from a description
 * (beamwalk-pipeline(5)). It contains all that the core knows of Halide's pipeline. Immutable once read;
 * nothing in it is ordered by address. */
#pragma once

#include "pipeline/expr.h"

/* Types as the features count them (Anderson et al. 2021 inherit these from Adams et al. 2019): name,
 * bytes. */
#define BW_TYPE_TABLE(X) \
	X(BW_TYPE_BOOL, "bool", 1) \
	X(BW_TYPE_INT8, "int8", 1) \
	X(BW_TYPE_INT16, "int16", 2) \
	X(BW_TYPE_INT32, "int32", 4) \
	X(BW_TYPE_INT64, "int64", 8) \
	X(BW_TYPE_FLOAT32, "float32", 4) \
	X(BW_TYPE_FLOAT64, "float64", 8)

/* Kinds of operation, in the order of the network's input: name in C, in the description, and what one
 * costs as the analytical models count it (bw_stage_operations). */
#define BW_OPERATION_TABLE(X) \
	X(BW_OPERATION_CONST, "const", 0) X(BW_OPERATION_CAST, "cast", 0) X(BW_OPERATION_VARIABLE, "variable", 0) X(BW_OPERATION_PARAM, "param", 0) \
	X(BW_OPERATION_ADD, "add", 1) X(BW_OPERATION_SUB, "sub", 1) X(BW_OPERATION_MOD, "mod", 4) X(BW_OPERATION_MUL, "mul", 1) \
	X(BW_OPERATION_DIV, "div", 4) X(BW_OPERATION_MIN, "min", 1) X(BW_OPERATION_MAX, "max", 1) X(BW_OPERATION_EQ, "eq", 1) \
	X(BW_OPERATION_NE, "ne", 1) X(BW_OPERATION_LT, "lt", 1) X(BW_OPERATION_LE, "le", 1) X(BW_OPERATION_AND, "and", 1) \
	X(BW_OPERATION_OR, "or", 1) X(BW_OPERATION_NOT, "not", 1) X(BW_OPERATION_SELECT, "select", 1) X(BW_OPERATION_IMAGE_CALL, "image_call", 0) \
	X(BW_OPERATION_FUNC_CALL, "func_call", 0) X(BW_OPERATION_SELF_CALL, "self_call", 0) X(BW_OPERATION_EXTERN_CALL, "extern_call", 8) X(BW_OPERATION_LET, "let", 0)

enum bw_type { BW_TYPE_TABLE(BW_FIRST) BW_N_TYPES };

enum bw_operation { BW_OPERATION_TABLE(BW_FIRST) BW_N_OPERATIONS };

/* Most dimensions of a Func and most loops of a stage. The reader refuses more, so that boxes fit on the
 * stack. Most axes of a Func: parallel RVars beyond have none. */
enum { BW_MAX_DIMS = 16, BW_MAX_LOOPS = 32, BW_MAX_AXES = 64 };
/* Most classes of points of a parity (struct bw_parity), most of its loops, most of a loop's values. */
enum { BW_MAX_CLASSES = 64, BW_MAX_PARITY_LOOPS = 4, BW_MAX_PARITY_VALUES = 8 };

/* An exact rational; den > 0. den 0: not a constant (data-dependent, or not linear). */
struct bw_ratio {
	int64_t num, den;
	bool lost; /* Halide's autoscheduler does not see that it is constant; nor do its features */
};

/* The change of an access's coordinates with the loops: entry (d, l) is the change of coordinate d per
 * step of loop l. */
struct bw_jacobian {
	int n_dims, n_loops;
	int count; /* loads of this shape per point of the stage */
	bool predicate; /* the loads are in a predicate of the stage */
	const int *by_type; /* the count by type of the loaded component; NULL: all have one type */
	const struct bw_ratio *entries; /* n_dims x n_loops, row by row */
};

/* What one stage reads of one Func or input. Boxes are over the intervals of the stage's loops. */
struct bw_read {
	int producer; /* index of the Func; the stage's own Func if an update reads what it updates */
	bool bounded; /* false: some bound is null */
	const struct bw_bound *box; /* the required box, by dimension of the producer */
	const struct bw_bound *touched; /* the required box if the stage's predicates are ignored; equals box
					   if they exclude nothing */
	int calls;   /* per point, as the algorithm is written, before any simplification */
	int n_loads; /* 0 if a box is required although the load was simplified away */
	const struct bw_jacobian *loads;
};

struct bw_stage_loop {
	const char *name; /* name of the Var or RVar, unique within the stage */
	bool pure;        /* true: a Var of the Func; false: an RVar */
	bool empty;       /* an RVar without iterations at the estimates, of which no grid is made */
	bool parallel;    /* its iterations may run in any order and at once: every Var, and RVars for which
			     Halide proves it and that are not empty */
	int dim;               /* pure: its dimension; else -1 */
	int axis; /* parallel: number of its sizes in a tiling of the Func (nest/plan.h): its dimension, or
		     behind the dimensions a number of its own; -1: none */
	struct bw_bound bound; /* over the intervals of the Func's computed box */
};

/* A loop whose remainder by `modulus` is known; or, if that is 0, of which it is known whether it has one
 * of the values, and which. */
struct bw_parity_loop {
	int loop; /* index into the stage's loops */
	int modulus;
	int n_values;
	const int64_t *values;
};

/* What is left of a stage's selects where the compiler knows such loops: the chosen branches alone. */
struct bw_parity {
	int n_loops;
	const struct bw_parity_loop *loops;
	int n_classes; /* of points, that of the first loop changing fastest; of values the last is any other
			  one */
	const struct bw_stage *classes; /* the stage with the work of a class: ops and loads */
};

/* The pure definition (index 0) or an update. */
struct bw_stage {
	int func, index;
	int n_loops;
	const struct bw_stage_loop *loops; /* innermost first, in Halide's order */
	int n_across;
	const int *across; /* the loops that have an axis, innermost first: in Halide's order, but if RVars are
			      among them, by the dimension of the Func along which they store */
	bool predicated; /* the reduction domain has a predicate: some iterations do not store */
	bool undefined;  /* its values are Halide's undef: it computes and stores nothing, and its loops vanish */
	bool associative; /* an update whose iterations may come in any order, as Halide proves */
	bool atomic;      /* besides, each of them is one atomic operation of a GPU */
	struct bw_jacobian store;
	int n_reads;
	const struct bw_read *reads;
	int ops[BW_N_OPERATIONS][BW_N_TYPES];           /* operations per point, by type */
	uint64_t op_kinds;                              /* bit o: there are operations of kind o */
	int predicate_ops[BW_N_OPERATIONS][BW_N_TYPES]; /* the part of ops in predicates */
	int n_parities;
	const struct bw_parity *parities; /* fewer loops first */
};

/* The least number of values that an expression holds at once: its Strahler number, as a tree with open
 * calls of Funcs. */
enum bw_branching_kind {
	BW_BRANCHING_NUMBER,
	BW_BRANCHING_BOTH, /* of two operands: the greater, or one more if they are equal */
	BW_BRANCHING_EACH, /* the same for any number of operands, in order; zeros do not count */
	BW_BRANCHING_MOST, /* the greatest */
	BW_BRANCHING_CALL  /* that of a Func if it is inlined, else that of its arguments, parts[0] */
};

struct bw_branching {
	enum bw_branching_kind kind;
	int number; /* NUMBER: the number; CALL: the Func */
	int n_parts;
	const struct bw_branching *parts;
};

struct bw_func {
	const char *name;
	int handle;          /* index in Halide's Pipeline::get_func; -1 for an input */
	uint64_t definition; /* hash of the definition; 0 for an input */
	bool input, output, wrapper, boundary;
	bool for_extern; /* an output only because an extern stage reads it */
	int n_dims;
	const char *const *dims; /* innermost (smallest stride) first */
	int n_axes; /* its dimensions, and the parallel RVars of its updates, in order */
	int n_values;            /* components of the tuple */
	const enum bw_type *types;
	int bytes;                          /* per point, all components */
	const struct bw_interval *estimate; /* inputs and outputs: the region by the estimates; else NULL */
	/* dimensions, as bits */
	uint32_t fixed;    /* outputs: the generator fixes the buffer to the estimated region */
	uint32_t begins;   /* outputs: the generator fixes where the buffer begins; a stage has a parity along it */
	uint32_t constant; /* the computed region is the same at all sizes */
	double least_needed; /* the least share of its points that its consumers read, if all that parities
				ask is known */
	const struct bw_bound *computed; /* by dimension, over the intervals of the required box */
	const struct bw_bound *stored; /* computed, without regions that only updates of the Func itself read:
					  what Halide's autoscheduler takes for computed */
	const struct bw_branching
	    *branching; /* of the pure definition; NULL for inputs, and if the description omits it */
	int n_stages;
	const struct bw_stage *stages;
	int first_stage; /* index of its stage 0 among all stages of the pipeline (bw_pipeline.n_stages) */
	int n_consumers; /* stages of other Funcs that read it, in pipeline order */
	const struct bw_stage *const *consumers;
};

struct bw_param {
	const char *name, *type;
	double estimate;
};

/* A Func that Halide inlines as a constant: nothing of it is left to schedule. */
struct bw_folded {
	const char *name;
	int handle; /* index in Halide's Pipeline::get_func */
};

/* A Func that a function of C computes, on the host at root: nothing of it is scheduled or priced. What it
 * computes is an input, and the Funcs that it reads are outputs. */
struct bw_extern {
	const char *name;
	int handle;           /* index in Halide's Pipeline::get_func */
	const char *function; /* its name in C */
	bool output;          /* it is one of the pipeline */
	int n_reads;
	const int *reads; /* indices of the Funcs and inputs that it reads */
};

/* An update that is factored: an RVar is split by a factor, and the outer loop, or with `apart` the inner
 * one, becomes a dimension of a new Func that does the reduction in parts. The update adds these up. All
 * else of the description is of the pipeline after that. */
struct bw_rfactor {
	int func, stage;   /* the update, from 1 */
	int loop;          /* of the RVar, in Halide's order, in the update as the algorithm has it */
	const char *rvar, *outer, *inner, *var; /* the RVar, the loops of the split, the new dimension */
	int factor;
	bool named; /* the RVar was chosen by its name; else it is the outermost one */
	bool apart; /* a part is every factor-th iteration; else as many in a row */
	int made;   /* index of the new Func */
};

struct bw_pipeline {
	const char *name;   /* of the generator */
	const char *halide; /* version that wrote the description */
	uint64_t algorithm; /* hash of the algorithm without estimates, which schedules refer to */
	uint64_t content;   /* hash of the description, which names its files */
	int n_params;
	const struct bw_param *params;
	int n_funcs; /* inputs first, then Funcs, each after everything that it reads */
	const struct bw_func *funcs;
	int n_folded;
	const struct bw_folded *folded; /* not among `funcs` */
	int n_externs;
	const struct bw_extern *externs; /* not among `funcs`, but for inputs of their names */
	int n_rfactors;
	const struct bw_rfactor *rfactors; /* in the order in which they are made */
	int n_stages;			/* of all Funcs */
	bool parities;                  /* some stage has a parity */
};

/* Read a description from text (errors call it name) or from a file. Return NULL with an error that names
 * file, line and key. Free with bw_pipeline_free. */
struct bw_pipeline *bw_pipeline_parse(const char *name, const char *text, size_t length,
				      struct bw_error *error);
struct bw_pipeline *bw_pipeline_read(const char *path, struct bw_error *error);
void bw_pipeline_free(struct bw_pipeline *pipeline);

/* Returns the number of handles: of all Funcs, of those that are folded and of extern stages, the largest
 * and one. */
int bw_pipeline_n_handles(const struct bw_pipeline *pipeline);
/* Returns the index of a Func or input by name, or -1. */
int bw_pipeline_find(const struct bw_pipeline *pipeline, const char *name);
/* Returns the extents of the first output: 1536x2560x3. The caller frees it. */
char *bw_pipeline_size(const struct bw_pipeline *pipeline);
/* Returns the read of a stage from a producer, or NULL. */
const struct bw_read *bw_stage_read_of(const struct bw_stage *stage, int producer);
/* Returns the index of a stage's loop by name, or -1. */
int bw_stage_find_loop(const struct bw_stage *stage, const char *name);
/* Returns the loops of a stage, as bits, that are the same at all sizes, given the dimensions of its Func
 * that are. */
uint32_t bw_stage_constant(const struct bw_stage *stage, uint32_t computed);
/* Returns the operations of a point of a stage as the analytical models count them (Mullapudi et al. 2016,
 * and Sioutas et al. 2020 after it): divisions and remainders are 4 operations, calls of functions such as
 * exp 8, constants, variables and casts none. Loads, and what is inlined, are not among them. */
double bw_stage_operations(const struct bw_stage *stage);
/* Returns the name of an axis of a Func. */
const char *bw_func_axis(const struct bw_func *func, int axis);
/* Returns true if the Func has one stage and all stages read it point by point: every Jacobian the
 * identity, with one load. */
bool bw_func_pointwise(const struct bw_pipeline *pipeline, int func);
/* Returns true if the Func has one stage that reads point by point, or reads nothing. */
bool bw_func_maps(const struct bw_func *func);
/* Returns the Strahler number of a Func's pure definition, or 0 if unknown. inlined[f] is true if Func f
 * is inlined into it. */
int bw_func_branching(const struct bw_pipeline *pipeline, int func, const bool *inlined);
const char *bw_type_name(enum bw_type type);
const char *bw_operation_name(enum bw_operation operation);
int bw_type_bytes(enum bw_type type);

/* Appends the factored updates as the program's option --rfactor takes them, as in
 * `histogram.update0:64`. */
void bw_pipeline_put_rfactors(const struct bw_pipeline *pipeline, struct bw_text *out);

/* Names that hide each other in the code that Halide generates. */

/* Appends a warning, one line without a newline, if the name of a Func or input is the name of another
 * Func followed by `_` and a number of one or two digits. Appends nothing if there is none. */
void bw_pipeline_hidden_words(const struct bw_pipeline *pipeline, struct bw_text *out);
