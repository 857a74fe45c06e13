/* The cost of an option under the learned model. Kernels whose key has not changed since the last
 * option are reused, and so are the costs of stages inlined into them; others are kept (struct bw_kept), or
 * computed. The cost of a stage also depends on how much the whole schedule allocates, so costs are reused
 * for one such amount. */
#include <string.h>

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

/* The features and the cost of an inlined stage. */
struct last_inlined {
	bool known;
	uint64_t kernels; /* sum of the keys of the kernels that it is inlined into */
	double features[BW_SCHEDULE_FEATURES];
	double whole, cost;
};

struct bw_pricing_last {
	struct bw_arena *arena; /* owns all of it */
	int n; /* stages of the pipeline */
	struct kept_learned **kernels; /* by stage at root; NULL: none yet */
	struct last_inlined *inlined; /* by stage */
	/* for the nest that is costed: */
	uint64_t *now;  /* keys of kernels */
	uint64_t *into; /* by inlined stage: the sum of the keys of the kernels that it is inlined into */
	int n_found;
	const struct bw_learned_kernel **found; /* in Halide's order */
};

static struct bw_pricing_last *last_new(int n)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_pricing_last *last = BW_ARENA_NEW(arena, struct bw_pricing_last);
	*last = (struct bw_pricing_last){.arena = arena,
					 .n = n,
					 .kernels = BW_ARENA_ARRAY(arena, struct kept_learned *, n),
					 .inlined = BW_ARENA_ARRAY(arena, struct last_inlined, n),
					 .now = BW_ARENA_ARRAY(arena, uint64_t, n),
					 .into = BW_ARENA_ARRAY(arena, uint64_t, n),
					 .found = BW_ARENA_ARRAY(arena, const struct bw_learned_kernel *, n)};
	return last;
}

void bw_pricing_last_free(struct bw_pricing_last *last)
{
	for (int i = 0; last && i < last->n; i++)
		if (last->kernels[i])
			bw_kept_drop(&last->kernels[i]->head);
	if (last)
		bw_arena_free(last->arena);
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
	struct kept_learned *kept = last->kernels[number];
	uint64_t key = last->now[number];
	if (!kept || kept->head.key != key) {
		if (kept)
			bw_kept_drop(&kept->head);
		kept = kernel_of(&finding->pricing->trial.recall, key, finding->nest, func, stage,
				 finding->pricing->arena);
		last->kernels[number] = kept;
	}
	const struct bw_learned_kernel *found = kept->kernel;
	for (int i = 0; i < found->n_inlined; i++)
		last->into[found->inlined[i].stage] += key;
	last->found[last->n_found++] = found;
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
		bw_learned_part_costs(basis, last->found[i], whole, costs);
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (bw_learned_inlines(nest, f))
			costs[pipeline->funcs[f].first_stage] = inlined_cost(basis, last, pipeline->funcs[f].first_stage, whole);
}
