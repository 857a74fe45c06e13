/* The cost of an option under the learned model. Kernels whose key has not changed since the last
 * option are reused, and so are the costs of stages inlined into them; others come from the memo,
 * or are computed. The cost of a stage also depends on how much the whole schedule allocates, so
 * costs are kept by that amount, too. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cost/learned_kernel.h"
#include "pricing/pricing.h"

struct bw_kept_learned {
	struct bw_memo_value head;
	struct bw_learned_kernel *kernel; /* in the same block of memory */
};

static uint64_t bits_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static struct bw_kept_learned *find_afresh(const struct bw_recall *recall, const struct bw_nest *nest,
					   int func, int stage, struct bw_arena *arena)
{
	struct bw_kernel_features features = bw_learned_kernel_features(recall->basis, nest, func, stage, arena);
	size_t bytes = sizeof(struct bw_kept_learned) + bw_learned_kernel_bytes(&features);
	struct bw_kept_learned *kept = bw_new_array(1, bytes);
	kept->head = bw_memo_value_plain(bytes);
	kept->kernel = (struct bw_learned_kernel *)(void *)(kept + 1);
	bw_learned_kernel_fill(recall->basis, &features, kept->kernel);
	return kept;
}

static void check(const struct bw_recall *recall, const struct bw_nest *nest, int func, int stage,
		  struct bw_arena *arena, const struct bw_kept_learned *kept)
{
	struct bw_kept_learned *fresh = find_afresh(recall, nest, func, stage, arena);
	bw_memo_note(recall->memo, bw_learned_kernel_equal(kept->kernel, fresh->kernel));
	bw_memo_value_drop(&fresh->head);
}

static struct bw_memo_value *recall_kernel(const struct bw_recall *recall, uint64_t key,
					   const struct bw_nest *nest, int func, int stage,
					   struct bw_arena *arena)
{
	struct bw_memo_value *value = bw_memo_get(recall->memo, BW_MEMO_KERNELS, key);
	if (value && bw_memo_checks(recall->memo))
		check(recall, nest, func, stage, arena, (const struct bw_kept_learned *)value);
	if (value)
		return value;
	return bw_memo_put(recall->memo, BW_MEMO_KERNELS, key,
			   &find_afresh(recall, nest, func, stage, arena)->head);
}

/* Costs of stages under the learned model. */
struct kept_costs {
	struct bw_memo_value head;
	int n;
	double costs[];
};

static struct kept_costs *new_costs(int n)
{
	size_t bytes = sizeof(struct kept_costs) + (size_t)n * sizeof(double);
	struct kept_costs *kept = bw_new_array(1, bytes);
	kept->head = bw_memo_value_plain(bytes);
	kept->n = n;
	return kept;
}

/* Everything that costs depend on: a kernel, or the features of an inlined stage, and how much the
 * whole schedule allocates. */
struct costed {
	const struct bw_learned_kernel *kernel; /* NULL for an inlined stage */
	int stage;
	const double *features;
	double whole;
};

static struct kept_costs *cost_afresh(const struct bw_recall *recall, const struct costed *costed)
{
	struct kept_costs *kept = new_costs(costed->kernel ? costed->kernel->n_parts : 1);
	if (costed->kernel)
		bw_learned_part_costs(recall->basis, costed->kernel, costed->whole, kept->costs);
	else
		kept->costs[0] = bw_learned_inlined_cost(recall->basis, costed->stage, costed->features, costed->whole);
	return kept;
}

static void check_costs(const struct bw_recall *recall, const struct costed *costed,
			const struct kept_costs *kept)
{
	struct kept_costs *fresh = cost_afresh(recall, costed);
	bw_memo_note(recall->memo, fresh->n == kept->n && !memcmp(fresh->costs, kept->costs,
								  (size_t)fresh->n * sizeof *fresh->costs));
	bw_memo_value_drop(&fresh->head);
}

/* Returns costs from the memo, or computes them. `key` is that of the kernel or stage, without
 * `whole`. */
static struct bw_memo_value *recall_costs(const struct bw_recall *recall, uint64_t key,
					  const struct costed *costed)
{
	key = bw_hash_mix(key, bits_of(costed->whole));
	struct bw_memo_value *value = bw_memo_get(recall->memo, BW_MEMO_COSTS, key);
	if (value && bw_memo_checks(recall->memo))
		check_costs(recall, costed, (const struct kept_costs *)value);
	if (value)
		return value;
	return bw_memo_put(recall->memo, BW_MEMO_COSTS, key, &cost_afresh(recall, costed)->head);
}

/* A kernel with its key, and the costs of its stages for one amount of allocation. */
struct last_kernel {
	uint64_t key;
	struct bw_memo_value *value;
	double whole; /* log(1 + bytes) */
	struct bw_memo_value *costs;
};

/* The features and the cost of an inlined stage. */
struct last_inlined {
	bool known;
	uint64_t kernels; /* sum of the keys of the kernels that it is inlined into */
	uint64_t key;     /* of its features */
	double features[BW_SCHEDULE_FEATURES];
	double whole, cost;
};

struct bw_pricing_last {
	int n; /* stages of the pipeline */
	bool viewed;
	/* keys of kernels without what the Func's placement adds, for the way that it is seen
	 * (`view`) */
	uint64_t view, *keys;
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
	last->keys = BW_NEW_ARRAY(uint64_t, n);
	last->now = BW_NEW_ARRAY(uint64_t, n);
	last->into = BW_NEW_ARRAY(uint64_t, n);
	last->kernels = BW_NEW_ARRAY(struct last_kernel, n);
	last->inlined = BW_NEW_ARRAY(struct last_inlined, n);
	last->numbers = BW_NEW_ARRAY(int, n);
	last->found = BW_NEW_ARRAY(const struct bw_learned_kernel *, n);
	return last;
}

/* Forgets a kernel, and what it cost. */
static void forget(struct last_kernel *kernel)
{
	bw_memo_value_drop(kernel->value);
	bw_memo_value_drop(kernel->costs);
	*kernel = (struct last_kernel){0};
}

void bw_pricing_last_free(struct bw_pricing_last *last)
{
	if (!last)
		return;
	for (int i = 0; i < last->n; i++)
		forget(&last->kernels[i]);
	free(last->keys);
	free(last->now);
	free(last->into);
	free(last->kernels);
	free(last->inlined);
	free(last->numbers);
	free(last->found);
	free(last);
}

/* Finds the keys of the kernels. Kernels that a Func is not part of see most of its options
 * alike. */
static void find_keys(struct bw_pricing *pricing, const struct bw_nest *nest)
{
	struct bw_pricing_last *last = pricing->last;
	const struct bw_feature_basis *basis = bw_learned_features(pricing->trial.recall.basis);
	if (pricing->func < 0) {
		bw_kernel_keys(basis, nest, pricing->func, pricing->arena, last->now);
		return;
	}
	uint64_t view = bw_kernel_view(nest, pricing->func);
	if (!last->viewed || last->view != view)
		bw_kernel_keys(basis, nest, pricing->func, pricing->arena, last->keys);
	last->viewed = true;
	last->view = view;
	memcpy(last->now, last->keys, (size_t)last->n * sizeof *last->now);
	bw_kernel_keys_add(basis, nest, pricing->func, last->now);
}

/* What find_kernel needs. */
struct finding {
	struct bw_pricing *pricing;
	const struct bw_nest *nest;
};

static void find_kernel(void *data, int func, int stage)
{
	struct finding *finding = data;
	const struct bw_recall *recall = &finding->pricing->trial.recall;
	struct bw_pricing_last *last = finding->pricing->last;
	int number = finding->nest->pipeline->funcs[func].first_stage + stage;
	struct last_kernel *kernel = &last->kernels[number];
	uint64_t key = last->now[number];
	if (!kernel->value || kernel->key != key) {
		forget(kernel);
		kernel->key = key;
		kernel->value = recall_kernel(recall, bw_hash_mix(key, recall->costs), finding->nest, func,
					      stage, finding->pricing->arena);
	}
	const struct bw_learned_kernel *found = ((struct bw_kept_learned *)kernel->value)->kernel;
	for (int i = 0; i < found->n_inlined; i++)
		last->into[found->inlined[i].stage] += key;
	last->numbers[last->n_found] = number;
	last->found[last->n_found++] = found;
}

static void add_kernel_costs(const struct bw_recall *recall, const struct bw_learned_kernel *found,
			     double whole, struct last_kernel *kernel, double *costs)
{
	if (!kernel->costs || bits_of(kernel->whole) != bits_of(whole)) {
		bw_memo_value_drop(kernel->costs);
		kernel->whole = whole;
		kernel->costs = recall_costs(recall, bw_hash_mix(kernel->key, recall->costs),
					     &(struct costed){.kernel = found, .whole = whole});
	}
	for (int i = 0; i < found->n_parts; i++)
		costs[found->parts[i].stage] = ((struct kept_costs *)kernel->costs)->costs[i];
}

static double find_inlined_cost(const struct bw_recall *recall, const struct last_inlined *inlined, int stage,
				double whole)
{
	const struct costed costed = {.stage = stage, .features = inlined->features, .whole = whole};
	struct bw_memo_value *value = recall_costs(recall, inlined->key, &costed);
	double cost = ((const struct kept_costs *)value)->costs[0];
	bw_memo_value_drop(value);
	return cost;
}

static double inlined_cost(const struct bw_recall *recall, struct bw_pricing_last *last, int stage,
			   double whole)
{
	struct last_inlined *inlined = &last->inlined[stage];
	bool same = inlined->known && inlined->kernels == last->into[stage];
	if (same && bits_of(inlined->whole) == bits_of(whole))
		return inlined->cost;
	if (!same) {
		bw_learned_inlined_features(recall->basis, stage, last->found, last->n_found, inlined->features);
		inlined->key = bw_inlined_hash(bw_hash_mix(recall->costs, (uint64_t)stage), inlined->features);
		inlined->kernels = last->into[stage];
		inlined->known = true;
	}
	inlined->whole = whole;
	return inlined->cost = find_inlined_cost(recall, inlined, stage, whole);
}

void bw_pricing_learned(struct bw_pricing *pricing, const struct bw_nest *nest, double *costs)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	const struct bw_recall *recall = &pricing->trial.recall;
	bw_arena_reset(pricing->arena);
	if (!pricing->last)
		pricing->last = last_new(pipeline->n_stages);
	struct bw_pricing_last *last = pricing->last;
	find_keys(pricing, nest);
	last->n_found = 0;
	memset(last->into, 0, (size_t)last->n * sizeof *last->into);
	memset(costs, 0, (size_t)last->n * sizeof *costs);
	bw_feature_each_kernel(bw_learned_features(recall->basis), nest, find_kernel,
			       &(struct finding){pricing, nest});
	double whole = bw_learned_whole(last->found, last->n_found);
	for (int i = 0; i < last->n_found; i++)
		add_kernel_costs(recall, last->found[i], whole, &last->kernels[last->numbers[i]], costs);
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (bw_learned_inlines(nest, f))
			costs[pipeline->funcs[f].first_stage] = inlined_cost(recall, last, pipeline->funcs[f].first_stage, whole);
}
