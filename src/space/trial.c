/* Options as they are placed: in the memo, or anew. */
#include "space/trial.h"

#include <stdlib.h>

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
