/* Scheduling directives: everything that beamwalk tells Halide. A directive is one call on a Func or on
 * one of its stages. The plugin applies a list of directives, and the exporter prints the same list as
 * C++, so the exported schedule is the one that was timed. */
#pragma once
#include "nest/placement.h"

/* Operations: name in C, name in the list, which is Halide's. What each one uses of struct bw_directive:
 *   compute_root, store_root                func
 *   compute_at, store_at                    func, at_func, at_stage, vars[0]: the loop of at_func's stage
 *   store_in                                func, memory
 *   reorder_storage                         func, vars: innermost first
 *   align_storage, align_bounds             func, vars[0]: a dimension; factor
 *   in                                      func, at_func: the consumer, also: more of them; the new Func gets the index `result`
 *                                         (an extern stage as consumer: no wrapper of Halide, but a copy that the stage reads)
 *   clone_in                                func, at_func: the consumer; result
 *   rfactor                                 func, stage, vars: RVar, Var in turn; result
 *   split                                   func, stage, vars: old, outer, inner; factor; tail
 *   fuse                                    func, stage, vars: inner, outer, fused
 *   reorder                                 func, stage, vars: innermost first
 *   gpu_blocks, gpu_threads, gpu_lanes      func, stage, vars: x first
 *   gpu_single_thread, atomic               func, stage
 *   unroll, vectorize, serial               func, stage, vars[0] */
#define BW_DIRECTIVE_TABLE(X) \
	X(BW_DIRECTIVE_COMPUTE_ROOT, "compute_root") X(BW_DIRECTIVE_STORE_ROOT, "store_root") X(BW_DIRECTIVE_COMPUTE_AT, "compute_at") X(BW_DIRECTIVE_STORE_AT, "store_at") \
	X(BW_DIRECTIVE_STORE_IN, "store_in") X(BW_DIRECTIVE_REORDER_STORAGE, "reorder_storage") X(BW_DIRECTIVE_ALIGN_STORAGE, "align_storage") X(BW_DIRECTIVE_ALIGN_BOUNDS, "align_bounds") \
	X(BW_DIRECTIVE_IN, "in") X(BW_DIRECTIVE_CLONE_IN, "clone_in") X(BW_DIRECTIVE_RFACTOR, "rfactor") \
	X(BW_DIRECTIVE_SPLIT, "split") X(BW_DIRECTIVE_FUSE, "fuse") X(BW_DIRECTIVE_REORDER, "reorder") X(BW_DIRECTIVE_GPU_BLOCKS, "gpu_blocks") X(BW_DIRECTIVE_GPU_THREADS, "gpu_threads") \
	X(BW_DIRECTIVE_GPU_LANES, "gpu_lanes") X(BW_DIRECTIVE_GPU_SINGLE_THREAD, "gpu_single_thread") X(BW_DIRECTIVE_ATOMIC, "atomic") X(BW_DIRECTIVE_UNROLL, "unroll") \
	X(BW_DIRECTIVE_VECTORIZE, "vectorize") X(BW_DIRECTIVE_SERIAL, "serial")

enum bw_directive_op { BW_DIRECTIVE_TABLE(BW_FIRST) BW_N_DIRECTIVES };

struct bw_directive {
	enum bw_directive_op op;
	/* index in Halide's Pipeline::get_func (bw_func.handle), or the `result` of an earlier directive */
	int func;
	int stage;             /* 0: the pure definition; k: update k - 1 */
	int at_func, at_stage; /* -1 if unused */
	/* index of the Func that the directive makes; such indexes follow those of the pipeline's Funcs.
	 * -1: the directive makes none */
	int result;
	int n_also;
	const int *also;
	int n_vars;
	/* loop names: the name of a Var or RVar, or a name that an earlier split made */
	const char *const *vars;
	int64_t factor;
	enum bw_tail tail;
	enum bw_memory memory;
};

struct bw_directives {
	int n;
	struct bw_directive *list; /* the arena owns the strings and arrays */
	struct bw_arena *arena;
};

/* Appends the list as a JSON array with one directive per line. Fields that an operation does not use are
 * left out: {"op":"split","func":3,"stage":0,"vars":["x","x_o","x_i"],"factor":32,"tail":"round_up"} */
void bw_directives_print(const struct bw_directives *directives, struct bw_text *out);
/* Reads a list that bw_directives_print wrote. Returns NULL with an error that names file, line and key.
 * Free with bw_directives_free. */
struct bw_json_at;
struct bw_directives *bw_directives_read(const struct bw_json_at *at, struct bw_error *error);
void bw_directives_free(struct bw_directives *directives);
const char *bw_directive_name(enum bw_directive_op op);

struct bw_nest;
/* Returns the directives that make Halide build the loops of this nest. Consumers come before producers,
 * so that loops exist before they are named. The nest must be complete (bw_nest_complete). Returns NULL
 * with an error that names a Func that is not placed, or that is inlined into more calls than Halide can
 * compile. Free with bw_directives_free. */
struct bw_directives *bw_lower(const struct bw_nest *nest, struct bw_error *error);
