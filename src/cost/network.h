/* The network of the learned cost model (Anderson et al. 2021, section 5.2): from the features of a stage
 * to the coefficients of its cost's components, and the gradient of a loss by the weights. Uses only sums,
 * products and quotients of doubles in a fixed order, with its own logarithm and exponential, so that
 * every CPU computes the same bits. */
#pragma once
#include "cost/features.h"

/* Weights (section 5.2): their buffers, and Halide's `.weights` files. */

/* Sizes of the network: channels of the embeddings of the algorithm and of the schedule, coefficients, and
 * features of a stage. */
enum {
	BW_NET_OPERATIONS = BW_PIPELINE_FEATURE_ROWS,
	BW_NET_TYPES = BW_N_TYPES,
	BW_NET_ALGORITHM = BW_PIPELINE_FEATURES,
	BW_NET_SCHEDULE = BW_SCHEDULE_FEATURES,
	BW_NET_HEAD1 = 8,
	BW_NET_HEAD2 = 24,
	BW_NET_EMBEDDED = BW_NET_HEAD1 + BW_NET_HEAD2,
	BW_NET_COEFFICIENTS = 32
};

/* Buffers in file order: name, dimensions, extents; the first dimension is the innermost. */
#define BW_WEIGHTS_TABLE(X) \
	X(head1_filter, 3, BW_NET_HEAD1, BW_NET_OPERATIONS, BW_NET_TYPES) \
	X(head1_bias, 1, BW_NET_HEAD1, 1, 1) \
	X(head2_filter, 2, BW_NET_HEAD2, BW_NET_SCHEDULE, 1) \
	X(head2_bias, 1, BW_NET_HEAD2, 1, 1) \
	X(conv1_filter, 2, BW_NET_COEFFICIENTS, BW_NET_EMBEDDED, 1) \
	X(conv1_bias, 1, BW_NET_COEFFICIENTS, 1, 1)

/* Weights in files and in training: by name, or all in a row. */
struct bw_weight_buffers {
#define X(name, dims, e0, e1, e2) float name[(e0) * (e1) * (e2)];
	BW_WEIGHTS_TABLE(X)
#undef X
};
enum { BW_N_WEIGHTS = sizeof(struct bw_weight_buffers) / sizeof(float) };

/* Origin of the weights. beamwalk writes it to the end of a file, which Halide ignores. */
struct bw_weights_origin {
	bool known;      /* false: the file does not state its origin */
	char device[64]; /* the device whose times they were trained on */
	bool cpu;        /* the device is a CPU: the weights are not valid for a GPU */
	int64_t pipelines, samples, steps;
};

struct bw_weights {
	union {
		struct bw_weight_buffers by;
		float all[BW_N_WEIGHTS];
	};
	struct bw_weights_origin origin;
};

/* Reads the bytes of a file; errors call it name. Returns false with an error of kind INPUT if the
 * signature, the versions of the features, the shapes, the length or a number is not as expected. */
bool bw_weights_parse(const char *name, const char *bytes, size_t length, struct bw_weights *weights,
		      struct bw_error *error);
bool bw_weights_read(const char *path, struct bw_weights *weights, struct bw_error *error);
/* Appends the bytes of a file. */
void bw_weights_print(const struct bw_weights *weights, struct bw_text *out);
bool bw_weights_write(const char *path, const struct bw_weights *weights, struct bw_error *error);
/* Returns a hash of the numbers alone. */
uint64_t bw_weights_hash(const struct bw_weights *weights);
/* Draws initial weights for training: uniform in [-0.5, 0.5), as in Halide, from the seed alone. */
void bw_weights_draw(struct bw_weights *weights, uint64_t seed);

/* The components of the learned cost model (Anderson et al. 2021, appendix B). The cost of a stage is the
 * sum of its components, each a factor computed from the stage's features, times a coefficient computed by
 * the network. */

/* Equations of appendix B: name in C, name in the paper. */
#define BW_EQUATION_TABLE(X) \
	X(BW_EQUATION_COMPUTE, "compute_cost") \
	X(BW_EQUATION_LOAD, "load_cost") \
	X(BW_EQUATION_STORE, "store_cost") \
	X(BW_EQUATION_MALLOC, "cost_of_malloc") \
	X(BW_EQUATION_PARALLELISM, "cost_of_parallelism") \
	X(BW_EQUATION_WORKING_SET, "cost_of_working_set")

enum bw_equation { BW_EQUATION_TABLE(BW_FIRST) BW_N_EQUATIONS };

/* Components, in the order of summation: name in C, in words, key in JSON, index of the coefficient,
 * equation that it belongs to, factor, meaning. In a factor, F(name) is a feature of the schedule, and:
 * `direct` is 1 unless the stage is inlined, else 0; `inlined` is 1 - direct; `blocks` is at least 1;
 * `threads` counts all blocks; `tasks` is inner times outer parallelism, at least 1; `idle` is the cost of
 * idle SMs as a multiple; `lanes` is the share of busy lanes. Where Halide's anderson2021 differs from the
 * paper, this follows Halide, because published weights were trained on it: the coefficients 27 and 28,
 * `threads` instead of num_realizations for loads of a thread, no efficiency of shared loads. Coefficients
 * 23, 30 and 31 are unused. */
#define BW_COMPONENT_TABLE(X) \
	X(BW_COMPONENT_SCALARS, "scalars", "scalars", 1, COMPUTE, direct * F(num_scalars) * idle / lanes, "iterations of the stage's loops") \
	X(BW_COMPONENT_INLINED_SCALARS, "inlined scalars", "inlined_scalars", 3, COMPUTE, inlined * F(num_scalars) * idle, "iterations of the loops of an inlined stage") \
	X(BW_COMPONENT_POINTS, "points", "points", 19, COMPUTE, direct * threads * F(points_computed_per_thread) * idle / lanes, "points that the threads of all blocks compute") \
	X(BW_COMPONENT_INLINED_POINTS, "inlined points", "inlined_points", 4, COMPUTE, inlined * threads * F(points_computed_per_thread) * idle, "points that threads compute of an inlined stage") \
	X(BW_COMPONENT_GLOBAL_LINES, "global lines", "global_lines", 5, LOAD, F(num_realizations) * F(unique_global_lines_read_per_realization), "lines of global memory that its allocations' computation touches") \
	X(BW_COMPONENT_SHARED_LINES, "shared lines", "shared_lines", 16, LOAD, F(num_realizations) * F(unique_shared_lines_read_per_realization), "lines of shared memory that its allocations' computation touches") \
	X(BW_COMPONENT_REGISTER_LINES, "register lines", "register_lines", 8, LOAD, F(num_realizations) * F(unique_register_lines_read_per_realization), "lines of registers that its allocations' computation touches") \
	X(BW_COMPONENT_GLOBAL_BYTES, "global bytes", "global_bytes", 6, LOAD, F(num_realizations) * F(unique_global_bytes_read_per_realization), "bytes of global memory that its allocations' computation touches") \
	X(BW_COMPONENT_SHARED_BYTES, "shared bytes", "shared_bytes", 20, LOAD, F(num_realizations) * F(unique_shared_bytes_read_per_realization), "bytes of shared memory that its allocations' computation touches") \
	X(BW_COMPONENT_REGISTER_BYTES, "register bytes", "register_bytes", 7, LOAD, F(num_realizations) * F(unique_register_bytes_read_per_realization), "bytes of registers that its allocations' computation touches") \
	X(BW_COMPONENT_THREAD_GLOBAL_LINES, "thread's global lines", "thread_global_lines", 18, LOAD, threads * F(unique_global_lines_read_per_thread), "lines of global memory that the threads touch") \
	X(BW_COMPONENT_THREAD_SHARED_LINES, "thread's shared lines", "thread_shared_lines", 17, LOAD, threads * F(unique_shared_lines_read_per_thread), "lines of shared memory that the threads touch") \
	X(BW_COMPONENT_THREAD_REGISTER_LINES, "thread's register lines", "thread_register_lines", 2, LOAD, threads * F(unique_register_lines_read_per_thread), "lines of registers that the threads touch") \
	X(BW_COMPONENT_THREAD_GLOBAL_BYTES, "thread's global bytes", "thread_global_bytes", 13, LOAD, threads * F(unique_global_bytes_read_per_thread), "bytes of global memory that the threads touch") \
	X(BW_COMPONENT_THREAD_SHARED_BYTES, "thread's shared bytes", "thread_shared_bytes", 11, LOAD, threads * F(unique_shared_bytes_read_per_thread), "bytes of shared memory that the threads touch") \
	X(BW_COMPONENT_THREAD_REGISTER_BYTES, "thread's register bytes", "thread_register_bytes", 0, LOAD, threads * F(unique_register_bytes_read_per_thread), "bytes of registers that the threads touch") \
	X(BW_COMPONENT_POINT_BYTES, "bytes a point", "point_bytes", 10, LOAD, F(num_scalars) * F(unique_bytes_read_per_point), "bytes touched by all passes through the innermost tile") \
	X(BW_COMPONENT_POINT_LINES, "lines a point", "point_lines", 12, LOAD, F(num_scalars) * F(unique_lines_read_per_point), "lines touched by all passes through the innermost tile") \
	X(BW_COMPONENT_TASK_BYTES, "bytes a block", "task_bytes", 14, LOAD, tasks * F(unique_bytes_read_per_task), "bytes from outside the kernel that blocks touch") \
	X(BW_COMPONENT_TASK_LINES, "lines a block", "task_lines", 15, LOAD, tasks * F(unique_lines_read_per_task), "lines from outside the kernel that blocks touch") \
	X(BW_COMPONENT_GLOBAL_LOADS, "global loads", "global_loads", 28, LOAD, over(blocks * F(num_global_mem_loads_per_block), direct ? F(global_mem_load_efficiency) : 1), "transactions that load from global memory, divided by their efficiency") \
	X(BW_COMPONENT_SHARED_LOADS, "shared loads", "shared_loads", 27, LOAD, blocks * F(num_shared_mem_loads_per_block), "transactions that load from shared memory") \
	X(BW_COMPONENT_SHARED_STORES, "shared stores", "shared_stores", 29, STORE, blocks * F(num_shared_mem_stores_per_block), "transactions that store to shared memory") \
	X(BW_COMPONENT_GLOBAL_STORES, "global stores", "global_stores", 21, STORE, over(blocks * F(num_global_mem_stores_per_block), direct ? F(global_mem_store_efficiency) : 1), "transactions that store to global memory, divided by their efficiency") \
	X(BW_COMPONENT_FALSE_SHARING, "false sharing", "false_sharing", 22, STORE, F(inner_parallelism) > 1 ? F(num_scalars) / at_least_one(F(global_innermost_bytes_at_task)) : 0, "stores to lines that two blocks share") \
	X(BW_COMPONENT_ALLOCATIONS, "allocations", "allocations", 24, MALLOC, F(num_realizations), "number of allocations of its storage") \
	X(BW_COMPONENT_LAUNCHES, "launches", "launches", 25, PARALLELISM, F(inner_parallelism) > 1 ? F(num_productions) : 0, "kernel launches") \
	X(BW_COMPONENT_TASKS, "blocks", "blocks", 26, PARALLELISM, F(num_productions) * (F(inner_parallelism) - 1), "blocks after the first of each launch") \
	X(BW_COMPONENT_WORKING_SET, "working set", "working_set", 9, WORKING_SET, F(working_set), "bytes allocated while a tile is computed")

enum bw_component { BW_COMPONENT_TABLE(BW_FIRST) BW_N_COMPONENTS };

/* Constant facts about a component. */
struct bw_component_info {
	const char *name, *key, *meaning;
	int coefficient; /* index among the network's coefficients */
	enum bw_equation equation;
};
const struct bw_component_info *bw_component_info(enum bw_component component);

/* Scale of the sum of components: with it, the costs of Halide's weights read as ms. */
#define BW_COMPONENT_SCALE 1e-9

/* Computes the factors of a stage's components on a device with `sms` SMs. The stage's cost is
 * BW_COMPONENT_SCALE times the sum of factors times coefficients. */
void bw_component_factors(const float features[BW_SCHEDULE_FEATURES], double sms,
			  double factors[BW_N_COMPONENTS]);

/* Weights as the network computes with them, or a gradient by them. */
struct bw_parameters {
	union {
		struct {
#define X(name, dims, e0, e1, e2) double name[(e0) * (e1) * (e2)];
			BW_WEIGHTS_TABLE(X)
#undef X
		} by;
		double all[BW_N_WEIGHTS];
	};
};
void bw_parameters_of(const struct bw_weights *weights, struct bw_parameters *parameters);
/* Rounds parameters to floats in *weights. Leaves the origin of the weights unchanged. */
void bw_parameters_round(const struct bw_parameters *parameters, struct bw_weights *weights);

/* Parameters prepared for evaluation. */
struct bw_network {
	struct bw_parameters parameters;
	double squashed[BW_NET_ALGORITHM]
		       [BW_NET_HEAD1]; /* the sigmoid of head1_filter, by feature of the algorithm */
};
void bw_network_prepare(struct bw_network *network, const struct bw_parameters *parameters);

/* The network's embedding of a stage's algorithm, computed once for a pipeline. */
struct bw_embedding {
	double head1[BW_NET_HEAD1];
	/* sums with the bias and the algorithm's part, without the schedule's part */
	double coefficients[BW_NET_COEFFICIENTS];
};
void bw_network_embed(const struct bw_network *network, const float features[BW_PIPELINE_FEATURES],
		      struct bw_embedding *embedding);

/* The network's values for a stage, by layer. */
struct bw_activations {
	double features[BW_NET_SCHEDULE]; /* log(1 + feature) */
	double before2[BW_NET_HEAD2], head2[BW_NET_HEAD2];
	double before[BW_NET_COEFFICIENTS], coefficients[BW_NET_COEFFICIENTS];
};
void bw_network_run(const struct bw_network *network, const struct bw_embedding *embedding,
		    const float features[BW_SCHEDULE_FEATURES], struct bw_activations *activations);

/* The cost of a stage with its terms. */
struct bw_learned_cost {
	double cost;
	double terms[BW_N_COMPONENTS];
	double factors[BW_N_COMPONENTS];
	double coefficients[BW_NET_COEFFICIENTS];
};
/* The steps of bw_network_cost, with sums in another order, so that results differ from bw_network_run in
 * the last bits. bw_network_begin uses all features of a stage but the three that depend on the whole
 * schedule (working_set_at_production, _at_realization, _at_root), which are adjacent and added last. */
enum { BW_NET_WHOLE_FIRST = BW_FEATURE_working_set_at_production, BW_NET_WHOLE = 3 };
struct bw_begun {
	double before2[BW_NET_HEAD2];
	double whole[BW_NET_WHOLE]; /* log(1 + feature) of the three features as given */
	double factors[BW_N_COMPONENTS];
};
void bw_network_begin(const struct bw_network *network, const float features[BW_SCHEDULE_FEATURES],
		      double sms, struct bw_begun *begun);
/* Finishes a stage; whole is log(1 + feature) of the three features. */
void bw_network_finish(const struct bw_network *network, const struct bw_embedding *embedding,
		       const struct bw_begun *begun, const double whole[BW_NET_WHOLE],
		       struct bw_learned_cost *cost);
void bw_network_cost(const struct bw_network *network, const struct bw_embedding *embedding,
		     const float features[BW_SCHEDULE_FEATURES], double sms, struct bw_learned_cost *cost);

/* Back-propagation. Adds the gradient by the weights to *gradient, and the gradient by the embedding's
 * coefficients to of_embedding. of_before is the gradient by the coefficients before their activation. */
void bw_network_back(const struct bw_network *network, const struct bw_activations *activations,
		     const double of_before[BW_NET_COEFFICIENTS], double of_embedding[BW_NET_COEFFICIENTS],
		     struct bw_parameters *gradient);
/* Back-propagates through the embedding, once for all schedules of a pipeline's stage. */
void bw_network_back_embedding(const struct bw_network *network, const struct bw_embedding *embedding,
			       const float features[BW_PIPELINE_FEATURES],
			       const double of_embedding[BW_NET_COEFFICIENTS],
			       struct bw_parameters *gradient);
/* Returns the derivative of the activation max(x, 0) + 1e-10 min(x, 0). */
double bw_network_slope(double before);

/* The functions of the learned cost model, made of sums, products and quotients alone, so that every CPU
 * computes the same bits. The C library's functions differ between CPUs with and without fused
 * multiplication. */

/* Computes log(1 + x) of n floats, x >= 0 (less counts as 0). 1 + x is rounded to a float first, as in
 * Halide. The error is about 2e-7 absolute, and 2e-7 relative for large results. */
void bw_curve_log1p(const float *x, int n, double *log);
/* Returns exp(x), within 1e-15 relative; 0 below -700, exp(700) above 700. */
double bw_curve_exp(double x);
/* Returns 1 / (1 + exp(-x)). */
double bw_curve_sigmoid(double x);
