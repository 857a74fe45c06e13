/* The weighted cost of "An Autoscheduler for Halide" by Calinao Correa, Doenges and Recto (CS 6120, 2019).
 * The report's scheduler and the cost model share this code: the scheduler counts in a schedule tree, the
 * model in a nest.
 *
 * Where the report is silent:
 * - Memory is counted in bytes, each storage once, however often the storage is allocated: "the size of
 *   intermediate storage".
 * - Other operations than + - * /, such as comparisons, minima and selects, count as arithmetic; casts do
 *   not count.
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
/* Adds to `counts` the loads per point of a stage, and the counts of the Funcs inlined into it. inlined:
 * by Func, true if it is inlined. values: by Func, BW_CS6120_TERMS counts for one value of the Func; used
 * for inlined Funcs only. */
void bw_cs6120_reads(const struct bw_pipeline *pipeline, const struct bw_stage *stage, const bool *inlined,
		     const double *values, double counts[BW_CS6120_TERMS]);

/* The cost model. */
extern const struct bw_cost_model bw_cs6120_model;
