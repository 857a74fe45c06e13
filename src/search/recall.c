/* What the search takes from its memo: Funcs placed, what the rules said of them, kernels costed. All of it is also found without one. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "search/search_private.h"

/* Of the options that rules and costs follow from, those that say how the search goes on are left out. */
static struct bw_search_options that_matter(const struct bw_search_options *options)
{
	struct bw_search_options copy = *options;
	copy.device = NULL;
	copy.model = NULL;
	copy.seed = 0;
	copy.beam = copy.passes = copy.threads = copy.sampling = copy.freezing = copy.random = copy.random_dropout = 0;
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

struct bw_recall bw_recall_begin(struct bw_memo *memo, const struct bw_search_options *options)
{
	struct bw_search_options matter = that_matter(options);
	uint64_t device = hash_device(options->device), limits = device;
#define X(field, kind, name, alias, unit, initial, least, most, alters, meaning) limits = bw_hash_bytes(limits, &matter.field, sizeof matter.field);
	BW_STORED_OPTION_TABLE(X)
#undef X
	return (struct bw_recall){memo, bw_hash_string(device, options->model->name), limits};
}

/* A placed Func, NULL: the placement cannot be; and the verdict of the rules where it follows from the Func alone. */
struct kept_placement {
	struct bw_memo_value head;
	const struct bw_placed *placed;
	uint64_t limits; /* key of the limits that it was judged by; 0: it was not */
	enum bw_fate fate;
	enum bw_rule rule;
	double figure, limit;
};

static void release_placement(struct bw_memo_value *value)
{
	bw_placed_release(((struct kept_placement *)value)->placed);
	free(value);
}

static struct kept_placement *kept_placement(const struct bw_placed *placed)
{
	struct kept_placement *kept = BW_NEW(struct kept_placement);
	kept->head = (struct bw_memo_value){1, sizeof *kept + (placed ? placed->size : 0), release_placement};
	kept->placed = bw_placed_keep(placed);
	return kept;
}

static uint64_t key_of(struct bw_trial *trial, const struct bw_placement *placement)
{
	int root = placement->compute.kind == BW_SITE_ROOT;
	if (!trial->contexts_known[root])
		trial->contexts[root] = bw_nest_context(trial->parent, placement->func, placement->compute.kind);
	trial->contexts_known[root] = true;
	return bw_nest_key(trial->parent, placement, trial->contexts[root]);
}

void bw_trial_begin(struct bw_trial *trial, const struct bw_recall *recall, const struct bw_nest *parent, int func)
{
	*trial = (struct bw_trial){.recall = *recall, .parent = parent, .func = func};
}

void bw_trial_end(struct bw_trial *trial)
{
	bw_memo_value_drop(trial->kept);
	bw_placed_release(trial->placed);
	bw_nest_drop(trial->scratch);
	*trial = (struct bw_trial){0};
}

/* Compares what the memo has with what is found afresh. */
static void check_placement(const struct bw_trial *trial, const struct bw_placement *placement, const struct kept_placement *kept)
{
	const struct bw_placed *fresh = bw_nest_try(trial->parent, placement, NULL);
	bw_memo_note(trial->recall.memo, fresh && kept->placed ? bw_placed_equal(trial->parent->pipeline, fresh, kept->placed) : fresh == kept->placed);
	bw_placed_release(fresh);
}

bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, struct bw_error *error)
{
	struct bw_memo *memo = trial->recall.memo;
	bw_placed_release(trial->placed);
	bw_memo_value_drop(trial->kept);
	trial->placed = NULL;
	trial->kept = NULL;
	trial->stands = false;
	if (memo) {
		trial->key = key_of(trial, placement);
		trial->kept = bw_memo_get(memo, BW_MEMO_PLACEMENTS, trial->key);
	}
	const struct kept_placement *kept = (const struct kept_placement *)trial->kept;
	if (kept && bw_memo_checks(memo))
		check_placement(trial, placement, kept);
	if (kept && (kept->placed || !error))
		trial->placed = bw_placed_keep(kept->placed);
	else
		trial->placed = bw_nest_try(trial->parent, placement, error);
	if (memo && !kept && !trial->placed) {
		trial->kept = &kept_placement(NULL)->head;
		bw_memo_put(memo, BW_MEMO_PLACEMENTS, trial->key, trial->kept);
	}
	return trial->placed != NULL;
}

const struct bw_nest *bw_trial_nest(struct bw_trial *trial)
{
	if (!trial->scratch)
		trial->scratch = bw_nest_scratch(trial->parent);
	if (!trial->stands)
		bw_nest_set(trial->scratch, trial->func, trial->placed);
	trial->stands = true;
	return trial->scratch;
}

/* In a kernel of its own, or in none, a Func is judged by what it is itself: other Funcs have no part in it. */
static bool stands_alone(const struct bw_trial *trial, const struct bw_question *question)
{
	return !question->constraint && trial->placed->placement->compute.kind != BW_SITE_AT;
}

static void judge_afresh(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena, struct bw_option *option)
{
	bw_arena_reset(arena);
	bw_rules_after(question, bw_trial_nest(trial), arena, option);
}

static bool same_verdict(const struct kept_placement *kept, const struct bw_option *option)
{
	return kept->fate == option->fate && kept->rule == option->rule && kept->figure == option->figure && kept->limit == option->limit;
}

static void check_verdict(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena, const struct bw_option *option, const struct kept_placement *kept)
{
	struct bw_option fresh = *option;
	judge_afresh(trial, question, arena, &fresh);
	bw_memo_note(trial->recall.memo, same_verdict(kept, &fresh));
}

void bw_trial_judge(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena, struct bw_option *option)
{
	const struct kept_placement *kept = (const struct kept_placement *)trial->kept;
	bool alone = trial->recall.memo && stands_alone(trial, question), judged = alone && kept && kept->limits == trial->recall.limits;
	if (judged && bw_memo_checks(trial->recall.memo))
		check_verdict(trial, question, arena, option, kept);
	if (judged && option->silent) {
		option->fate = kept->fate;
		option->rule = kept->rule;
		option->figure = kept->figure;
		option->limit = kept->limit;
		return;
	}
	judge_afresh(trial, question, arena, option);
	if (!trial->recall.memo || (kept && (judged || !alone)))
		return;
	struct kept_placement *now = kept_placement(trial->placed);
	if (alone) {
		now->limits = trial->recall.limits;
		now->fate = option->fate;
		now->rule = option->rule;
		now->figure = option->figure;
		now->limit = option->limit;
	}
	bw_memo_put(trial->recall.memo, BW_MEMO_PLACEMENTS, trial->key, &now->head);
	bw_memo_value_drop(trial->kept);
	trial->kept = &now->head;
}

/* The ms of a kernel's stages, in the order of its context. */
struct kept_kernel {
	struct bw_memo_value head;
	int n;
	double ms[];
};

static void release_kernel(struct bw_memo_value *value)
{
	free(value);
}

static struct kept_kernel *cost_afresh(const struct bw_search_options *options, const struct bw_nest *nest, struct bw_context *context, struct bw_arena *arena)
{
	int n = bw_context_stages(context);
	size_t bytes = sizeof(struct kept_kernel) + (size_t)n * sizeof(double);
	struct bw_stage_cost *costs = BW_ARENA_ARRAY(arena, struct bw_stage_cost, n);
	struct kept_kernel *kept = bw_new_array(1, bytes);
	bw_context_complete(nest, context, arena);
	options->model->cost(context, options->device, arena, costs);
	kept->head = (struct bw_memo_value){1, bytes, release_kernel};
	kept->n = n;
	for (int i = 0; i < n; i++)
		kept->ms[i] = costs[i].ms;
	return kept;
}

void bw_recall_kernel(const struct bw_recall *recall, const struct bw_search_options *options, const struct bw_nest *nest, struct bw_context *context, struct bw_arena *arena, double *ms)
{
	uint64_t key = recall->memo ? bw_hash_mix(bw_context_hash(context), recall->costs) : 0;
	struct kept_kernel *kept = recall->memo ? (struct kept_kernel *)bw_memo_get(recall->memo, BW_MEMO_KERNELS, key) : NULL;
	if (kept && bw_memo_checks(recall->memo)) {
		struct kept_kernel *fresh = cost_afresh(options, nest, context, arena);
		bw_memo_note(recall->memo, fresh->n == kept->n && !memcmp(fresh->ms, kept->ms, (size_t)fresh->n * sizeof *fresh->ms));
		bw_memo_value_drop(&fresh->head);
	}
	if (!kept) {
		kept = cost_afresh(options, nest, context, arena);
		if (recall->memo)
			bw_memo_put(recall->memo, BW_MEMO_KERNELS, key, &kept->head);
	}
	memcpy(ms, kept->ms, (size_t)kept->n * sizeof *ms);
	bw_memo_value_drop(&kept->head);
}
