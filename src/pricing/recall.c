/* What costs depend on, and the costs of kernels that the memo has. Without a memo all of it is computed. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cost/learned_kernel.h"
#include "pricing/known.h"
#include "pricing/pricing.h"

/* Returns the options that rules and costs depend on, without those that only steer the search. */
static struct bw_settings that_matter(const struct bw_settings *options)
{
	struct bw_settings copy = *options;
	copy.device = NULL;
	copy.model = copy.weights = NULL;
	copy.seed = 0;
	copy.beam = copy.passes = copy.sampling = copy.freezing = copy.random = copy.random_dropout = 0;
	copy.memo_bytes = 0;
	return copy;
}

static uint64_t hash_device(const struct bw_device *device)
{
	uint64_t hash = bw_hash_mix((uint64_t)device->api, device->cpu);
#define X(field, key, unit, text) hash = bw_hash_bytes(hash, &device->field, sizeof device->field);
	BW_DEVICE_TABLE(X)
#undef X
	return hash;
}

struct bw_recall bw_recall_begin(struct bw_memo *memo, const struct bw_pipeline *pipeline,
				 const struct bw_settings *options)
{
	struct bw_settings matter = that_matter(options);
	uint64_t device = hash_device(options->device), limits = device;
#define X(field, kind, name, alias, unit, initial, least, most, alters, meaning) \
	limits = bw_hash_bytes(limits, &matter.field, sizeof matter.field);
	BW_STORED_SETTING_TABLE(X)
#undef X
	struct bw_learned_basis *basis =
	    options->model->learned ? bw_learned_basis_new(pipeline, options->model->learned, options->device)
				    : NULL;
	struct bw_known *known = memo && options->passes > 1 ? bw_known_new() : NULL;
	return (struct bw_recall){
	    memo, bw_hash_mix(bw_hash_string(device, options->model->name), options->model->hash), limits, basis,
	    known};
}

void bw_recall_end(struct bw_recall *recall)
{
	bw_learned_basis_free(recall->basis);
	bw_known_free(recall->known);
	recall->basis = NULL;
	recall->known = NULL;
}

/* The ms of a kernel's stages, in the order of its context. */
struct kept_kernel {
	struct bw_memo_value head;
	int n;
	double ms[];
};

static struct kept_kernel *cost_afresh(const struct bw_settings *options, const struct bw_nest *nest,
				       struct bw_context *context, struct bw_arena *arena)
{
	int n = bw_context_stages(context);
	size_t bytes = sizeof(struct kept_kernel) + (size_t)n * sizeof(double);
	struct bw_stage_cost *costs = BW_ARENA_ARRAY(arena, struct bw_stage_cost, n);
	struct kept_kernel *kept = bw_new_array(1, bytes);
	bw_context_complete(nest, context, arena);
	options->model->cost(context, options->device, arena, costs);
	kept->head = bw_memo_value_plain(bytes);
	kept->n = n;
	for (int i = 0; i < n; i++)
		kept->ms[i] = costs[i].ms;
	return kept;
}

void bw_recall_kernel(const struct bw_recall *recall, const struct bw_settings *options,
		      const struct bw_nest *nest, struct bw_context *context, struct bw_arena *arena,
		      double *ms)
{
	uint64_t key = recall->memo ? bw_hash_mix(bw_context_hash(context), recall->costs) : 0;
	struct bw_memo_value *value = bw_memo_get(recall->memo, BW_MEMO_KERNELS, key);
	const struct kept_kernel *kept = (const struct kept_kernel *)value;
	if (kept && bw_memo_checks(recall->memo)) {
		struct kept_kernel *fresh = cost_afresh(options, nest, context, arena);
		bw_memo_note(recall->memo,
			     fresh->n == kept->n &&
				 !memcmp(fresh->ms, kept->ms, (size_t)fresh->n * sizeof *fresh->ms));
		bw_memo_value_drop(&fresh->head);
	}
	if (!kept)
		value = bw_memo_put(recall->memo, BW_MEMO_KERNELS, key, &cost_afresh(options, nest, context, arena)->head);
	kept = (const struct kept_kernel *)value;
	memcpy(ms, kept->ms, (size_t)kept->n * sizeof *ms);
	bw_memo_value_drop(value);
}
