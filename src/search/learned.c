/* What an option costs under the learned model: kernels whose key is that of the option before are taken over, others come from the memo, or are found. Each
 * stage is told how much the whole schedule allocates: what stages cost is kept by that amount, too. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cost/learned_kernel.h"
#include "search/search_private.h"

struct bw_kept_learned {
	struct bw_memo_value head;
	struct bw_learned_kernel *kernel; /* in the same piece of memory */
};

static void release(struct bw_memo_value *value)
{
	free(value);
}

static uint64_t bits_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static struct bw_kept_learned *find_afresh(const struct bw_recall *recall, const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	struct bw_kernel_features features = bw_learned_kernel_features(recall->basis, nest, func, stage, arena);
	size_t bytes = sizeof(struct bw_kept_learned) + bw_learned_kernel_bytes(&features);
	struct bw_kept_learned *kept = bw_new_array(1, bytes);
	kept->head = (struct bw_memo_value){.references = 1, .bytes = bytes, .release = release};
	kept->kernel = (struct bw_learned_kernel *)(void *)(kept + 1);
	bw_learned_kernel_fill(recall->basis, &features, kept->kernel);
	return kept;
}

static void check(const struct bw_recall *recall, const struct bw_nest *nest, int func, int stage, struct bw_arena *arena, const struct bw_kept_learned *kept)
{
	struct bw_kept_learned *fresh = find_afresh(recall, nest, func, stage, arena);
	bw_memo_note(recall->memo, bw_learned_kernel_equal(kept->kernel, fresh->kernel));
	bw_memo_value_drop(&fresh->head);
}

static struct bw_kept_learned *recall_kernel(const struct bw_recall *recall, uint64_t key, const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	struct bw_kept_learned *kept = recall->memo ? (struct bw_kept_learned *)bw_memo_get(recall->memo, BW_MEMO_KERNELS, key) : NULL;
	if (kept && bw_memo_checks(recall->memo))
		check(recall, nest, func, stage, arena, kept);
	if (kept)
		return kept;
	kept = find_afresh(recall, nest, func, stage, arena);
	if (recall->memo)
		bw_memo_put(recall->memo, BW_MEMO_KERNELS, key, &kept->head);
	return kept;
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
	kept->head = (struct bw_memo_value){.references = 1, .bytes = bytes, .release = release};
	kept->n = n;
	return kept;
}

/* What costs follow from: a kernel, or the features of an inlined stage, and what the whole schedule allocates. */
struct costed {
	const struct bw_learned_kernel *kernel; /* NULL: a stage is inlined */
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

static void check_costs(const struct bw_recall *recall, const struct costed *costed, const struct kept_costs *kept)
{
	struct kept_costs *fresh = cost_afresh(recall, costed);
	bw_memo_note(recall->memo, fresh->n == kept->n && !memcmp(fresh->costs, kept->costs, (size_t)fresh->n * sizeof *fresh->costs));
	bw_memo_value_drop(&fresh->head);
}

/* key: of what is costed, without `whole`. */
static struct kept_costs *recall_costs(const struct bw_recall *recall, uint64_t key, const struct costed *costed)
{
	if (!recall->memo)
		return cost_afresh(recall, costed);
	key = bw_hash_mix(key, bits_of(costed->whole));
	struct kept_costs *kept = (struct kept_costs *)bw_memo_get(recall->memo, BW_MEMO_COSTS, key);
	if (kept && bw_memo_checks(recall->memo))
		check_costs(recall, costed, kept);
	if (kept)
		return kept;
	kept = cost_afresh(recall, costed);
	bw_memo_put(recall->memo, BW_MEMO_COSTS, key, &kept->head);
	return kept;
}

/* The kernels of the nest that is costed, in the order in which Halide lists them. */
struct finding {
	struct bw_pricing *pricing;
	const struct bw_nest *nest;
	const uint64_t *keys;
	int n, *numbers;
	const struct bw_learned_kernel **kernels;
};

/* Forgets a kernel, and what it cost. */
static void forget(struct bw_last_kernel *last)
{
	bw_memo_value_drop(last->value);
	bw_memo_value_drop(last->costs);
	*last = (struct bw_last_kernel){0};
}

static void find_kernel(void *data, int func, int stage)
{
	struct finding *finding = data;
	const struct bw_recall *recall = &finding->pricing->trial.recall;
	int number = finding->nest->pipeline->funcs[func].first_stage + stage;
	struct bw_last_kernel *last = &finding->pricing->last[number];
	uint64_t key = bw_hash_mix(finding->keys[number], recall->costs);
	if (!last->value || last->key != key) {
		forget(last);
		last->key = key;
		last->value = &recall_kernel(recall, key, finding->nest, func, stage, finding->pricing->arena)->head;
	}
	finding->numbers[finding->n] = number;
	finding->kernels[finding->n++] = ((struct bw_kept_learned *)last->value)->kernel;
}

static void add_kernel_costs(const struct bw_recall *recall, const struct bw_learned_kernel *kernel, double whole, struct bw_last_kernel *last, double *costs)
{
	if (!last->costs || bits_of(last->whole) != bits_of(whole)) {
		bw_memo_value_drop(last->costs);
		last->whole = whole;
		last->costs = &recall_costs(recall, last->key, &(struct costed){.kernel = kernel, .whole = whole})->head;
	}
	for (int i = 0; i < kernel->n_parts; i++)
		costs[kernel->parts[i].stage] = ((struct kept_costs *)last->costs)->costs[i];
}

static double inlined_cost(const struct bw_recall *recall, int stage, const double *features, double whole)
{
	uint64_t key = bw_hash_mix(bw_hash_mix(recall->costs, (uint64_t)stage), bw_hash_bytes(0, features, BW_SCHEDULE_FEATURES * sizeof *features));
	struct kept_costs *kept = recall_costs(recall, key, &(struct costed){.stage = stage, .features = features, .whole = whole});
	double cost = kept->costs[0];
	bw_memo_value_drop(&kept->head);
	return cost;
}

const double *bw_pricing_learned(struct bw_pricing *pricing, const struct bw_nest *nest)
{
	const struct bw_recall *recall = &pricing->trial.recall;
	int n = nest->pipeline->n_stages;
	struct bw_arena *arena = pricing->arena;
	bw_arena_reset(arena);
	if (!pricing->last)
		pricing->last = BW_NEW_ARRAY(struct bw_last_kernel, n);
	uint64_t *keys = BW_ARENA_ARRAY(arena, uint64_t, n + 1);
	struct finding finding = {pricing, nest, keys, 0, BW_ARENA_ARRAY(arena, int, n + 1), BW_ARENA_ARRAY(arena, const struct bw_learned_kernel *, n + 1)};
	double *costs = BW_ARENA_ARRAY(arena, double, n + 1);
	bw_kernel_keys(bw_learned_features(recall->basis), nest, arena, keys);
	bw_feature_each_kernel(bw_learned_features(recall->basis), nest, find_kernel, &finding);
	double whole = bw_learned_whole(finding.kernels, finding.n);
	const double *const *inlined = bw_learned_inlined(recall->basis, nest, finding.kernels, finding.n, arena);
	for (int i = 0; i < finding.n; i++)
		add_kernel_costs(recall, finding.kernels[i], whole, &pricing->last[finding.numbers[i]], costs);
	for (int i = 0; i < n; i++)
		if (inlined[i])
			costs[i] = inlined_cost(recall, i, inlined[i], whole);
	return costs;
}

void bw_pricing_forget_learned(struct bw_pricing *pricing)
{
	for (int i = 0; pricing->last && i < pricing->parent->pipeline->n_stages; i++)
		forget(&pricing->last[i]);
	free(pricing->last);
	pricing->last = NULL;
}
