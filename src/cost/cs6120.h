/* The weighted cost of "An Autoscheduler for Halide" by Calinao Correa, Doenges and Recto (CS 6120, 2019).
 * The report's scheduler and the cost model share it: the one counts in a schedule tree, the other in a nest.
 *
 * Where the report is silent:
 * - Memory counts in bytes, each storage once, however often it is reached: "the size of intermediate
 * storage".
 * - Operations other than + - * / count as one of these: comparisons, minima, choices; casts count nothing.
 * - All functions such as sin and sqrt are mathematical operations. */
#pragma once
#include "cost/cost.h"

/* Groups of features: name in C, in words, key in JSON, weight, meaning. */
#define BW_CS6120_TABLE(X) \
	X(BW_CS6120_MEM, "mem", "mem", 0.1, "bytes of storage for intermediate results, each storage once") \
	X(BW_CS6120_LOADS, "loads", "loads", 0.5, "intermediate results loaded from storage") \
	X(BW_CS6120_STORES, "stores", "stores", 0.5, "intermediate results stored") \
	X(BW_CS6120_ARITHMETIC, "arithm.", "arithmetic", 1.0, "operations such as + - * /") \
	X(BW_CS6120_MATH, "math", "math", 10.0, "functions such as sin, cos and sqrt")

enum bw_cs6120_term { BW_CS6120_TABLE(BW_FIRST) BW_CS6120_TERMS };

/* Returns the weight of a group. */
double bw_cs6120_weight(enum bw_cs6120_term term);
/* Sets the arithmetic and math of `counts` to the operations per point of a stage, without inlined Funcs. */
void bw_cs6120_operations(const struct bw_stage *stage, double counts[BW_CS6120_TERMS]);
/* Adds to `counts` the loads of a point of a stage, and the counts of what is inlined into it. values: those
 * of a value of each Func that `inlined` marks, by Func, BW_CS6120_TERMS each. */
void bw_cs6120_reads(const struct bw_pipeline *pipeline, const struct bw_stage *stage, const bool *inlined,
		     const double *values, double counts[BW_CS6120_TERMS]);

/* The cost model. */
extern const struct bw_cost_model bw_cs6120_model;
