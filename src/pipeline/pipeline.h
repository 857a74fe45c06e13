/* A pipeline: the algorithm as a directed acyclic graph of Funcs, read from a description
 * (beamwalk-pipeline(5)). It contains everything that this program knows of Halide's pipeline. Immutable
 * once read. No order depends on addresses. */
#pragma once

#include "pipeline/expr.h"

/* Types that the features distinguish (Anderson et al. 2021 take them from Adams et al. 2019): name,
 * bytes. */
#define BW_TYPE_TABLE(X) \
	X(BW_TYPE_BOOL, "bool", 1) \
	X(BW_TYPE_INT8, "int8", 1) \
	X(BW_TYPE_INT16, "int16", 2) \
	X(BW_TYPE_INT32, "int32", 4) \
	X(BW_TYPE_INT64, "int64", 8) \
	X(BW_TYPE_FLOAT32, "float32", 4) \
	X(BW_TYPE_FLOAT64, "float64", 8)

/* Kinds of operation, in the order of the network's input: name in C, name in the description, and cost in
 * the analytical models (bw_stage_operations). */
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
 * stack. Most axes of a Func: further parallel RVars have no axis. */
enum { BW_MAX_DIMS = 16, BW_MAX_LOOPS = 32, BW_MAX_AXES = 64 };
/* Per parity (struct bw_parity): most classes of points, most loops, and most values per loop. */
enum { BW_MAX_CLASSES = 64, BW_MAX_PARITY_LOOPS = 4, BW_MAX_PARITY_VALUES = 8 };

/* An exact rational; den > 0. den 0: not a constant (data-dependent, or not linear). */
struct bw_ratio {
	int64_t num, den;
	/* Halide's autoscheduler does not see that the entry is constant, so its features treat the entry
	 * as unknown */
	bool lost;
};

/* The Jacobian of an access: entry (d, l) is the change of coordinate d per step of loop l. */
struct bw_jacobian {
	int n_dims, n_loops;
	int count; /* loads of this shape per point of the stage */
	bool predicate; /* the loads are in a predicate of the stage */
	/* the count by type of the loaded component; NULL: all loads have the same type */
	const int *by_type;
	const struct bw_ratio *entries; /* n_dims x n_loops, row by row */
};

/* The reads of one stage from one Func or input. Boxes are functions of the intervals of the stage's
 * loops. */
struct bw_read {
	/* index of the Func that is read; the stage's own Func if an update reads its own values */
	int producer;
	bool bounded; /* false: some bound is null */
	const struct bw_bound *box; /* the required box, by dimension of the producer */
	const struct bw_bound *touched; /* the required box if the stage's predicates are ignored; equals box
					   if they exclude nothing */
	int calls;   /* calls per point in the algorithm as written, before any simplification */
	int n_loads; /* 0 if the load was simplified away, although its box is still required */
	const struct bw_jacobian *loads;
};

struct bw_stage_loop {
	const char *name; /* name of the Var or RVar, unique within the stage */
	bool pure;        /* true: a Var of the Func; false: an RVar */
	bool empty;       /* an RVar without iterations at the estimates; such a loop never becomes a grid */
	/* its iterations may run in any order and at the same time. True for every Var, and for RVars that
	 * are not empty and for which Halide proves it */
	bool parallel;
	int dim;               /* pure: its dimension; else -1 */
	/* parallel: the loop's index in arrays of sizes (nest/plan.h): for a Var its dimension, for an
	 * RVar a number after the dimensions; -1: none */
	int axis;
	struct bw_bound bound; /* over the intervals of the Func's computed box */
};

/* A loop about which a parity assumes knowledge. modulus above 0: the loop's remainder by `modulus` is
 * known. modulus 0: it is known whether the loop has one of `values`, and which one. */
struct bw_parity_loop {
	int loop; /* index into the stage's loops */
	int modulus;
	int n_values;
	const int64_t *values;
};

/* The work of a stage if the compiler knows these loops: of each select, only the chosen branch is left. */
struct bw_parity {
	int n_loops;
	const struct bw_parity_loop *loops;
	/* number of classes of points; the index of the first loop changes fastest. Of a loop with
	 * `values`, the last index stands for all other values */
	int n_classes;
	const struct bw_stage *classes; /* the stage with the work of a class: ops and loads */
};

/* The pure definition (index 0) or an update. */
struct bw_stage {
	int func, index;
	int n_loops;
	const struct bw_stage_loop *loops; /* innermost first, in Halide's order */
	int n_across;
	/* the loops that have an axis, innermost first. They are in Halide's order; but if there are RVars
	 * among them, they are ordered by the dimension of the Func along which they store */
	const int *across;
	bool predicated; /* the reduction domain has a predicate: some iterations do not store */
	/* the stage's values are Halide's undef: it computes and stores nothing, and Halide removes its
	 * loops */
	bool undefined;
	bool associative; /* an update whose iterations may come in any order, as Halide proves */
	bool atomic;      /* associative, and each iteration can be one atomic operation of a GPU */
	struct bw_jacobian store;
	int n_reads;
	const struct bw_read *reads;
	int ops[BW_N_OPERATIONS][BW_N_TYPES];           /* operations per point, by type */
	uint64_t op_kinds;                              /* bit o: there are operations of kind o */
	int predicate_ops[BW_N_OPERATIONS][BW_N_TYPES]; /* the part of ops in predicates */
	int n_parities;
	const struct bw_parity *parities; /* fewer loops first */
};

/* The least number of values that an expression must hold at once: its Strahler number. The expression is
 * a tree; its calls of Funcs are leaves unless the Func is inlined. */
enum bw_branching_kind {
	BW_BRANCHING_NUMBER,
	/* of two operands: the greater number, or one more than the number if both are equal */
	BW_BRANCHING_BOTH,
	/* as BOTH, applied to any number of operands in order; operands with 0 are skipped */
	BW_BRANCHING_EACH,
	BW_BRANCHING_MOST, /* the greatest */
	/* the number of the called Func if it is inlined, else that of the arguments, parts[0] */
	BW_BRANCHING_CALL
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
	const struct bw_interval *estimate; /* inputs and outputs: the estimated region; else NULL */
	/* dimensions, as bits */
	uint32_t fixed;    /* outputs: the generator fixes the buffer to the estimated region */
	uint32_t begins;   /* outputs: the generator fixes where the buffer begins; a stage has a parity along it */
	uint32_t constant; /* the computed region is the same at all sizes */
	/* the least share (0..1) of the Func's points that its consumers read, if everything that parities
	 * assume is known */
	double least_needed;
	const struct bw_bound *computed; /* by dimension, over the intervals of the required box */
	/* the computed region without parts that only updates of the Func itself read; Halide's
	 * autoscheduler uses this as the computed region */
	const struct bw_bound *stored;
	const struct bw_branching
	    /* Strahler number of the pure definition; NULL for inputs, and if the description omits it */
	    *branching;
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

/* A Func that Halide inlines as a constant. It is not scheduled. */
struct bw_folded {
	const char *name;
	int handle; /* index in Halide's Pipeline::get_func */
};

/* An extern stage: a Func that a C function computes, on the host at root. It is neither scheduled nor
 * priced. In this pipeline, the Func is an input, and the Funcs that it reads are outputs. */
struct bw_extern {
	const char *name;
	int handle;           /* index in Halide's Pipeline::get_func */
	const char *function; /* its name in C */
	bool output;          /* it is an output of the pipeline */
	int n_reads;
	const int *reads; /* indices of the Funcs and inputs that it reads */
};

/* An rfactor of an update. An RVar is split by a factor. The outer loop (with `apart`, the inner loop)
 * becomes a dimension of a new Func, which computes partial reductions. The update combines the partial
 * results. Everything else in the description describes the pipeline after the rfactor. */
struct bw_rfactor {
	int func, stage;   /* the update, from 1 */
	int loop;          /* index of the RVar's loop, in Halide's order, in the original update */
	const char *rvar, *outer, *inner, *var; /* the RVar, the loops of the split, the new dimension */
	int factor;
	bool named; /* the RVar was chosen by its name; else it is the outermost one */
	/* true: a partial reduction takes every factor-th iteration; false: it takes consecutive
	 * iterations */
	bool apart;
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

/* Returns one more than the largest handle of all Funcs, folded Funcs and extern stages. */
int bw_pipeline_n_handles(const struct bw_pipeline *pipeline);
/* Returns the index of a Func or input by name, or -1. */
int bw_pipeline_find(const struct bw_pipeline *pipeline, const char *name);
/* Returns the extents of the first output as text: 1536x2560x3. The caller frees it. */
char *bw_pipeline_size(const struct bw_pipeline *pipeline);
/* Returns the read of a stage from a producer, or NULL. */
const struct bw_read *bw_stage_read_of(const struct bw_stage *stage, int producer);
/* Returns the index of a stage's loop by name, or -1. */
int bw_stage_find_loop(const struct bw_stage *stage, const char *name);
/* Returns, as bits, the loops of a stage whose bounds are the same at all sizes. computed: the dimensions
 * of the stage's Func, as bits, whose computed region is the same at all sizes. */
uint32_t bw_stage_constant(const struct bw_stage *stage, uint32_t computed);
/* Returns the operations per point of a stage as the analytical models count them (Mullapudi et al. 2016,
 * and Sioutas et al. 2020 after them): 4 for a division or remainder, 8 for a call of a function such as
 * exp, 0 for constants, variables and casts. Loads and inlined Funcs do not count. */
double bw_stage_operations(const struct bw_stage *stage);
/* Returns the name of an axis of a Func. */
const char *bw_func_axis(const struct bw_func *func, int axis);
/* Returns true if the Func has only one stage, and every stage that reads it reads it point by point: all
 * Jacobians are the identity, with one load. */
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

/* Names that shadow each other in the code that Halide generates. */

/* Appends a warning, one line without a newline, if the name of a Func or input is the name of another
 * Func followed by `_` and a number of one or two digits. Appends nothing if there is none. */
void bw_pipeline_hidden_words(const struct bw_pipeline *pipeline, struct bw_text *out);
