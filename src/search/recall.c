/* What the search takes from its memo: placed Funcs, verdicts of the rules, costs of kernels.
 * Without a memo all of it is computed. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cost/learned_kernel.h"
#include "search/known.h"
#include "search/search_private.h"

/* Returns the options that rules and costs depend on, without those that only steer the search. */
static struct bw_search_options that_matter(const struct bw_search_options *options)
{
	struct bw_search_options copy = *options;
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
				 const struct bw_search_options *options)
{
	struct bw_search_options matter = that_matter(options);
	uint64_t device = hash_device(options->device), limits = device;
#define X(field, kind, name, alias, unit, initial, least, most, alters, meaning) \
	limits = bw_hash_bytes(limits, &matter.field, sizeof matter.field);
	BW_STORED_OPTION_TABLE(X)
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

/* Depths for which the share in the structure hash is kept. */
enum { MOST_DEPTHS = 8 };

/* A placed Func; NULL if the placement is not possible. */
struct kept_placement {
	struct bw_memo_value head;
	const struct bw_placed *placed;
	/* by depth: what it adds to the structure hash of its nest; 0 until it is first needed */
	uint64_t shares[MOST_DEPTHS];
};

static void release_placement(struct bw_memo_value *value)
{
	bw_placed_release(((struct kept_placement *)value)->placed);
	free(value);
}

/* Takes over the placed Func. */
static struct kept_placement *kept_placement(const struct bw_placed *placed)
{
	struct kept_placement *kept = BW_NEW(struct kept_placement);
	kept->head = (struct bw_memo_value){.references = 1,
					    .bytes = sizeof *kept + (placed ? placed->size : 0),
					    .release = release_placement};
	kept->placed = placed;
	return kept;
}

const struct bw_nest_contexts *bw_trial_context(struct bw_trial *trial, enum bw_site_kind kind)
{
	int root = kind == BW_SITE_ROOT;
	if (!trial->contexts_known[root])
		trial->contexts[root] = bw_nest_context(trial->parent, trial->func, kind);
	trial->contexts_known[root] = true;
	return &trial->contexts[root];
}

uint64_t bw_trial_loops(struct bw_trial *trial)
{
	return bw_trial_context(trial, BW_SITE_ROOT)->loops;
}

static uint64_t key_of(struct bw_trial *trial, const struct bw_placement *placement)
{
	return bw_nest_key(trial->parent, placement, bw_trial_context(trial, placement->compute.kind)->all);
}

void bw_trial_begin(struct bw_trial *trial, const struct bw_recall *recall, const struct bw_nest *parent,
		    int func)
{
	*trial = (struct bw_trial){.recall = *recall, .parent = parent, .func = func};
}

/* Drops a placed Func, which is part of a value of the memo, or the trial's own. */
static void forget_placed(const struct bw_placed **placed, struct bw_memo_value **recalled)
{
	if (!*recalled)
		bw_placed_release(*placed);
	bw_memo_value_drop(*recalled);
	*recalled = NULL;
	*placed = NULL;
}

void bw_trial_forget(struct bw_trial *trial)
{
	if (trial->stands)
		bw_nest_set(trial->scratch, trial->func, NULL);
	forget_placed(&trial->placed, &trial->recalled);
	if (trial->verdict)
		bw_memo_value_drop(&trial->verdict->head);
	trial->verdict = NULL;
	trial->stands = false;
}

void bw_trial_end(struct bw_trial *trial)
{
	bw_trial_forget(trial);
	forget_placed(&trial->before, &trial->recalled_before);
	bw_nest_drop(trial->scratch);
	*trial = (struct bw_trial){0};
}

/* Compares a Func that was not placed from the start with one that is; both NULL: it cannot be. */
static void check_placement(const struct bw_trial *trial, const struct bw_placement *placement,
			    const struct bw_placed *placed)
{
	const struct bw_placed *fresh = bw_nest_try(trial->parent, placement, NULL, NULL);
	bw_memo_note(trial->recall.memo, fresh && placed
					     ? bw_placed_equal(trial->parent->pipeline, fresh, placed)
					     : fresh == placed);
	bw_placed_release(fresh);
}

/* Places the Func, reusing what the last one has at the same sites. */
static const struct bw_placed *place_again(const struct bw_trial *trial, const struct bw_placement *placement,
					   struct bw_error *error)
{
	const struct bw_placed *placed = bw_nest_try(trial->parent, placement, trial->before, error);
	if (trial->before && bw_memo_checks(trial->recall.memo))
		check_placement(trial, placement, placed);
	return placed;
}

static uint64_t kept_share(struct kept_placement *kept, int depth)
{
	if (!kept->shares[depth])
		kept->shares[depth] = bw_placed_structure(kept->placed, depth);
	return kept->shares[depth];
}

/* Finds the placed Func in the memo, or places it and adds it. An error's words are always made
 * anew. */
static const struct bw_placed *recall_placed(struct bw_trial *trial, const struct bw_placement *placement,
					     struct bw_error *error)
{
	const struct bw_recall *recall = &trial->recall;
	uint64_t key = key_of(trial, placement);
	trial->recalled = bw_memo_get(recall->memo, BW_MEMO_PLACEMENTS, key);
	const struct kept_placement *kept = (const struct kept_placement *)trial->recalled;
	if (kept && bw_memo_checks(recall->memo))
		check_placement(trial, placement, kept->placed);
	if (kept && (kept->placed || !error))
		return kept->placed;
	const struct bw_placed *placed = place_again(trial, placement, error);
	if (!kept)
		trial->recalled = bw_memo_put(recall->memo, BW_MEMO_PLACEMENTS, key, &kept_placement(placed)->head);
	return placed;
}

bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, bool costed,
		    struct bw_error *error)
{
	bw_trial_forget(trial);
	bool kept = trial->recall.memo && (costed || placement->compute.kind == BW_SITE_AT);
	trial->placed = kept ? recall_placed(trial, placement, error) : place_again(trial, placement, error);
	if (trial->placed && placement->compute.kind == BW_SITE_AT) {
		forget_placed(&trial->before, &trial->recalled_before);
		trial->before = trial->recalled ? trial->placed : bw_placed_keep(trial->placed);
		trial->recalled_before = bw_memo_value_keep(trial->recalled);
	}
	return trial->placed != NULL;
}

const struct bw_nest *bw_trial_nest(struct bw_trial *trial)
{
	if (!trial->scratch)
		trial->scratch = bw_nest_scratch(trial->parent, trial->func);
	if (!trial->stands)
		bw_nest_set(trial->scratch, trial->func, trial->placed);
	trial->stands = true;
	return trial->scratch;
}

uint64_t bw_trial_share(const struct bw_trial *trial, int depth)
{
	if (trial->recalled && depth >= 0 && depth < MOST_DEPTHS)
		return kept_share((struct kept_placement *)trial->recalled, depth);
	if (trial->placed || depth < 0)
		return bw_placed_structure(trial->placed, depth);
	return bw_outline_structure(trial->verdict->outline, depth);
}

/* The ms of a kernel's stages, in the order of its context. */
struct kept_kernel {
	struct bw_memo_value head;
	int n;
	double ms[];
};

static struct kept_kernel *cost_afresh(const struct bw_search_options *options, const struct bw_nest *nest,
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

void bw_recall_kernel(const struct bw_recall *recall, const struct bw_search_options *options,
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
