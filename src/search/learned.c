/* The cost of an option under the learned model. Kernels whose key has not changed since the last
 * option are reused, and so are the costs of stages inlined into them; others are kept (struct bw_kept), or
 * computed. The cost of a stage also depends on how much the whole schedule allocates, so costs are reused
 * for one such amount. */
#include <stdlib.h>
#include <string.h>

#include "cost/learned.h"
#include "search/pricing.h"

static uint64_t bits_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

struct kept_learned {
	struct bw_kept head;
	struct bw_learned_kernel *kernel; /* behind this struct, in the same block of memory */
};

/* Returns the kernel of a key, from the cache or newly made, with a reference. */
static struct kept_learned *kernel_of(const struct bw_recall *recall, uint64_t key,
				      const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	struct bw_kept *found = bw_kept_get(recall->kernels, key);
	if (found)
		return (struct kept_learned *)found;
	struct bw_kernel_features features = bw_learned_kernel_features(recall->basis, nest, func, stage, arena);
	size_t bytes = sizeof(struct kept_learned) + bw_learned_kernel_bytes(&features);
	struct kept_learned *kept = bw_new_array(1, bytes);
	kept->head = (struct bw_kept){.key = key, .references = 1, .bytes = bytes};
	kept->kernel = (struct bw_learned_kernel *)(void *)(kept + 1);
	bw_learned_kernel_fill(recall->basis, &features, kept->kernel);
	bw_kept_put(recall->kernels, &kept->head);
	return kept;
}

/* A kernel, and the costs of its stages for one amount of allocation. */
struct last_kernel {
	struct kept_learned *kept; /* NULL: none yet */
	double whole;              /* log(1 + bytes) */
	double *costs;             /* by part; NULL: none yet */
};

/* The features and the cost of an inlined stage. */
struct last_inlined {
	bool known;
	uint64_t kernels; /* sum of the keys of the kernels that it is inlined into */
	double features[BW_SCHEDULE_FEATURES];
	double whole, cost;
};

struct bw_pricing_last {
	int n; /* stages of the pipeline */
	struct last_kernel *kernels;  /* by stage at root */
	struct last_inlined *inlined; /* by stage */
	/* for the nest that is costed: */
	uint64_t *now,
	    /* now: keys of kernels; into: by inlined stage, the sum of the keys of the kernels that
	     * it is inlined into */
	    *into;
	int n_found, *numbers; /* of the kernels, in Halide's order */
	const struct bw_learned_kernel **found;
};

static struct bw_pricing_last *last_new(int n)
{
	struct bw_pricing_last *last = BW_NEW(struct bw_pricing_last);
	last->n = n;
	last->now = BW_NEW_ARRAY(uint64_t, n);
	last->into = BW_NEW_ARRAY(uint64_t, n);
	last->kernels = BW_NEW_ARRAY(struct last_kernel, n);
	last->inlined = BW_NEW_ARRAY(struct last_inlined, n);
	last->numbers = BW_NEW_ARRAY(int, n);
	last->found = BW_NEW_ARRAY(const struct bw_learned_kernel *, n);
	return last;
}

/* Drops a kernel and its costs. */
static void forget(struct last_kernel *kernel)
{
	if (kernel->kept)
		bw_kept_drop(&kernel->kept->head);
	free(kernel->costs);
	*kernel = (struct last_kernel){0};
}

void bw_pricing_last_free(struct bw_pricing_last *last)
{
	if (!last)
		return;
	for (int i = 0; i < last->n; i++)
		forget(&last->kernels[i]);
	free(last->now);
	free(last->into);
	free(last->kernels);
	free(last->inlined);
	free(last->numbers);
	free(last->found);
	free(last);
}

/* What find_kernel needs. */
struct finding {
	struct bw_pricing *pricing;
	const struct bw_nest *nest;
};

static void find_kernel(void *data, int func, int stage)
{
	struct finding *finding = data;
	struct bw_pricing_last *last = finding->pricing->last;
	int number = finding->nest->pipeline->funcs[func].first_stage + stage;
	struct last_kernel *kernel = &last->kernels[number];
	uint64_t key = last->now[number];
	if (!kernel->kept || kernel->kept->head.key != key) {
		forget(kernel);
		kernel->kept = kernel_of(&finding->pricing->trial.recall, key, finding->nest, func, stage,
					 finding->pricing->arena);
	}
	const struct bw_learned_kernel *found = kernel->kept->kernel;
	for (int i = 0; i < found->n_inlined; i++)
		last->into[found->inlined[i].stage] += key;
	last->numbers[last->n_found] = number;
	last->found[last->n_found++] = found;
}

static void add_kernel_costs(const struct bw_learned_basis *basis, double whole, struct last_kernel *kernel,
			     double *costs)
{
	const struct bw_learned_kernel *found = kernel->kept->kernel;
	bool same = kernel->costs && bits_of(kernel->whole) == bits_of(whole);
	if (!kernel->costs)
		kernel->costs = BW_NEW_ARRAY(double, found->n_parts);
	if (!same)
		bw_learned_part_costs(basis, found, whole, kernel->costs);
	kernel->whole = whole;
	for (int i = 0; i < found->n_parts; i++)
		costs[found->parts[i].stage] = kernel->costs[i];
}

static double inlined_cost(const struct bw_learned_basis *basis, struct bw_pricing_last *last, int stage,
			   double whole)
{
	struct last_inlined *inlined = &last->inlined[stage];
	bool same = inlined->known && inlined->kernels == last->into[stage];
	if (same && bits_of(inlined->whole) == bits_of(whole))
		return inlined->cost;
	if (!same) {
		bw_learned_inlined_features(basis, stage, last->found, last->n_found, inlined->features);
		inlined->kernels = last->into[stage];
		inlined->known = true;
	}
	inlined->whole = whole;
	return inlined->cost = bw_learned_inlined_cost(basis, stage, inlined->features, whole);
}

void bw_pricing_learned(struct bw_pricing *pricing, const struct bw_nest *nest, double *costs)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	const struct bw_learned_basis *basis = pricing->trial.recall.basis;
	bw_arena_reset(pricing->arena);
	if (!pricing->last)
		pricing->last = last_new(pipeline->n_stages);
	struct bw_pricing_last *last = pricing->last;
	bw_kernel_keys(bw_learned_features(basis), nest, pricing->arena, last->now);
	last->n_found = 0;
	memset(last->into, 0, (size_t)last->n * sizeof *last->into);
	memset(costs, 0, (size_t)last->n * sizeof *costs);
	bw_feature_each_kernel(bw_learned_features(basis), nest, find_kernel,
			       &(struct finding){pricing, nest});
	double whole = bw_learned_whole(last->found, last->n_found);
	for (int i = 0; i < last->n_found; i++)
		add_kernel_costs(basis, whole, &last->kernels[last->numbers[i]], costs);
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (bw_learned_inlines(nest, f))
			costs[pipeline->funcs[f].first_stage] = inlined_cost(basis, last, pipeline->funcs[f].first_stage, whole);
}
