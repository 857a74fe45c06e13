/* The weighted cost of CS 6120 as a cost model: it counts the loads and operations of a nest. */
#include "cost/cs6120.h"

#include <math.h>

double bw_cs6120_weight(enum bw_cs6120_term term)
{
	static const double weights[BW_CS6120_TERMS] = {
#define X(name, words, key, weight, text) weight,
	    BW_CS6120_TABLE(X)
#undef X
	};
	return weights[term];
}

/* Returns the group that an operation counts for, or -1. */
static int group_of(enum bw_operation operation)
{
	switch (operation) {
	case BW_OPERATION_EXTERN_CALL:
		return BW_CS6120_MATH;
	case BW_OPERATION_CONST:
	case BW_OPERATION_CAST:
	case BW_OPERATION_VARIABLE:
	case BW_OPERATION_PARAM:
	case BW_OPERATION_IMAGE_CALL:
	case BW_OPERATION_FUNC_CALL:
	case BW_OPERATION_SELF_CALL:
	case BW_OPERATION_LET:
		return -1;
	default:
		return BW_CS6120_ARITHMETIC;
	}
}

void bw_cs6120_operations(const struct bw_stage *stage, double counts[BW_CS6120_TERMS])
{
	counts[BW_CS6120_ARITHMETIC] = counts[BW_CS6120_MATH] = 0;
	for (int o = 0; o < BW_N_OPERATIONS; o++)
		for (int t = 0, group = group_of((enum bw_operation)o); t < BW_N_TYPES && group >= 0; t++)
			counts[group] += stage->ops[o][t];
}

void bw_cs6120_reads(const struct bw_pipeline *pipeline, const struct bw_stage *stage, const bool *inlined,
		     const double *values, double counts[BW_CS6120_TERMS])
{
	for (int r = 0; r < stage->n_reads; r++) {
		int p = stage->reads[r].producer, calls = stage->reads[r].calls;
		const struct bw_func *producer = &pipeline->funcs[p];
		if (!inlined[p])
			counts[BW_CS6120_LOADS] += producer->input || producer->output ? 0 : calls;
		for (int t = BW_CS6120_LOADS; t < BW_CS6120_TERMS && inlined[p]; t++)
			counts[t] += calls * values[p * BW_CS6120_TERMS + t];
	}
}

static const struct bw_term_text terms[BW_CS6120_TERMS] = {
#define X(name, words, key, weight, text) {words, key, text ", x " #weight, false, BW_SPENT_ON_STAGE},
    BW_CS6120_TABLE(X)
#undef X
};

/* inlined, values: by Func; counts per value of inlined Funcs. */
static void price_stage(const struct bw_context *context, const struct bw_context_at *at, const bool *inlined,
			const double *values, struct bw_stage_cost *cost)
{
	const struct bw_placed *placed = context->inside[at->inside];
	const struct bw_func *of = &context->pipeline->funcs[at->func];
	double counts[BW_CS6120_TERMS] = {0};
	bw_cs6120_operations(&of->stages[at->stage], counts);
	bw_cs6120_reads(context->pipeline, &of->stages[at->stage], inlined, values, counts);
	counts[BW_CS6120_STORES] = !of->output;
	cost->placed = true;
	cost->points = placed->realizations * placed->stages[at->stage].points;
	cost->operations = counts[BW_CS6120_ARITHMETIC] + counts[BW_CS6120_MATH];
	for (int t = 0; t < BW_CS6120_TERMS; t++) {
		double amount =
		    t == BW_CS6120_MEM ? (at->stage || of->output ? 0 : placed->bytes) : counts[t] * cost->points;
		cost->terms[t] = bw_cs6120_weight((enum bw_cs6120_term)t) * amount;
		cost->ms += cost->terms[t];
		cost->bound = cost->terms[t] > cost->terms[cost->bound] ? t : cost->bound;
	}
}

static void price(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena,
		  struct bw_stage_cost *stages)
{
	const struct bw_pipeline *pipeline = context->pipeline;
	bool *inlined = BW_ARENA_ARRAY(arena, bool, pipeline->n_funcs);
	double *values = BW_ARENA_ARRAY(arena, double, pipeline->n_funcs * BW_CS6120_TERMS);
	(void)device;
	for (int o = context->n_outside - 1; o >= 0; o--) {
		int f = context->outside[o].func;
		double *value = &values[f * BW_CS6120_TERMS];
		inlined[f] = context->outside[o].inlined;
		if (!inlined[f])
			continue;
		bw_cs6120_operations(&pipeline->funcs[f].stages[0], value);
		bw_cs6120_reads(pipeline, &pipeline->funcs[f].stages[0], inlined, values, value);
	}
	BW_CONTEXT_EACH(context, at)
		price_stage(context, &at, inlined, values, &stages[at.number]);
}

const struct bw_cost_model bw_cs6120_model = {.name = "cs6120",
					      .title = "cs6120",
					      .unit = "",
					      .said = "cost",
					      .tie = INFINITY,
					      .n_terms = BW_CS6120_TERMS,
					      .terms = terms,
					      .cost = price};
