/* What an option costs under the learned model: kernels whose key is that of the option before are taken over, others come from the memo, or are found. Each
 * stage is told how much the whole schedule allocates: where that is another amount than before, all are costed anew. */
#include <stdlib.h>

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

/* The kernels of the nest that is costed. */
struct finding {
	struct bw_pricing *pricing;
	const struct bw_nest *nest;
	const uint64_t *keys;
	const struct bw_learned_kernel **kernels;
	bool *same; /* the kernel is the one that had its number last */
};

static void find_kernel(void *data, int func, int stage)
{
	struct finding *finding = data;
	const struct bw_recall *recall = &finding->pricing->trial.recall;
	int number = finding->nest->pipeline->funcs[func].first_stage + stage;
	struct bw_last_kernel *last = &finding->pricing->last[number];
	finding->same[number] = last->value && last->key == finding->keys[number];
	if (!finding->same[number]) {
		bw_memo_value_drop(last->value);
		last->key = finding->keys[number];
		last->value = &recall_kernel(recall, bw_hash_mix(last->key, recall->costs), finding->nest, func, stage, finding->pricing->arena)->head;
	}
	finding->kernels[number] = ((struct bw_kept_learned *)last->value)->kernel;
}

const double *bw_pricing_learned(struct bw_pricing *pricing, const struct bw_nest *nest)
{
	const struct bw_learned_basis *basis = pricing->trial.recall.basis;
	int n = nest->pipeline->n_stages;
	struct bw_arena *arena = pricing->arena;
	bw_arena_reset(arena);
	if (!pricing->last) {
		pricing->last = BW_NEW_ARRAY(struct bw_last_kernel, n);
		pricing->learned = bw_learned_last_new(nest->pipeline);
	}
	uint64_t *keys = BW_ARENA_ARRAY(arena, uint64_t, n + 1);
	struct finding finding = {pricing, nest, keys, BW_ARENA_ARRAY(arena, const struct bw_learned_kernel *, n + 1), BW_ARENA_ARRAY(arena, bool, n + 1)};
	double *costs = BW_ARENA_ARRAY(arena, double, n + 1);
	bw_kernel_keys(bw_learned_features(basis), nest, arena, keys);
	bw_feature_each_kernel(bw_learned_features(basis), nest, find_kernel, &finding);
	bw_learned_costs(basis, nest, finding.kernels, finding.same, pricing->learned, arena, costs);
	return costs;
}

void bw_pricing_forget_learned(struct bw_pricing *pricing)
{
	for (int i = 0; pricing->last && i < pricing->parent->pipeline->n_stages; i++)
		bw_memo_value_drop(pricing->last[i].value);
	free(pricing->last);
	bw_learned_last_free(pricing->learned);
	pricing->last = NULL;
	pricing->learned = NULL;
}
