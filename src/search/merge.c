/* The merge after all parents of a decision are expanded, a little at a time: children are
 * collected, the beam is filled, its record is completed, and at the end of a pass structures are
 * blessed. */
#include <stdlib.h>

#include "base/hash.h"
#include "search/known.h"
#include "search/search_private.h"

enum part { COLLECT, FILL, RECORD, PIN, BLESS, MADE };

struct bw_merging {
	const struct bw_search *search;
	int index; /* of the decision */
	struct bw_reached *next;
	enum part part;
	int parent; /* the next one to collect */
	long fresh; /* children that had not been costed before */
	/* the decision leaves nothing to place or tile, so its children are complete schedules */
	bool completes;
	struct bw_filling filling;
	struct bw_blessing blessing;
};

int bw_search_keeps(const struct bw_search *search, int index)
{
	return search->plan[index].pass == 0 ? bw_freezing_beam(&search->options) : search->options.beam;
}

struct bw_merging *bw_merging_begin(const struct bw_search *search, int index)
{
	struct bw_merging *merging = BW_NEW(struct bw_merging);
	const struct bw_decision *decision = &search->plan[index];
	*merging = (struct bw_merging){.search = search,
				       .index = index,
				       .next = bw_reached_new(search->options.beam + search->constraints.n)};
	merging->next->decision = *decision;
	merging->completes = index + BW_FUNC_PHASES >= bw_search_pass_end(search, decision->pass) &&
			     decision->phase != BW_PHASE_PASS;
	bw_filling_begin(&merging->filling, search, index, merging->next);
	return merging;
}

/* Returns true if an earlier decision has costed a complete schedule, in the same pass or in any.
 * Complete schedules come up only at the ends of passes. */
static bool costed_before(const struct bw_merging *merging, uint64_t hash, bool in_pass)
{
	const struct bw_search *search = merging->search;
	int pass = search->plan[merging->index].pass;
	for (int p = in_pass ? pass : search->first_pass; p <= pass; p++) {
		int end = bw_search_pass_end(search, p);
		for (int position = end - BW_FUNC_PHASES + 1; position <= end && position <= merging->index; position++)
			if (position > 0 && bw_hashes_have(&search->reached[position]->complete, hash))
				return true;
	}
	return false;
}

static void note_complete(struct bw_merging *merging, const struct bw_option *option)
{
	const struct bw_placement *placement = option->placement;
	struct bw_reached *next = merging->next;
	bool whole = placement && (placement->compute.kind != BW_SITE_ROOT || placement->tiled);
	if (!whole || !bw_hashes_add(&next->complete, option->hash) || costed_before(merging, option->hash, true))
		return;
	next->first_in_pass++;
	next->first_complete += !costed_before(merging, option->hash, false);
}

/* Collects what one parent contributes. Returns true if all are collected. */
static bool collect(struct bw_merging *merging)
{
	const struct bw_underway *underway = &merging->search->underway;
	struct bw_decision *record = &merging->next->decision;
	if (merging->parent == underway->n) {
		bw_known_make_room(merging->search->recall.known, merging->fresh);
		return true;
	}
	const struct bw_parent *parent = underway->parents[merging->parent];
	const struct bw_gathered *gathered = &parent->gathered;
	const struct bw_expansion *expansion = parent->expanding.expansion;
	for (int r = 0; r < BW_N_RULES; r++)
		record->pruned[r] += gathered->pruned[r];
	record->second += gathered->second;
	record->unsampled += gathered->unsampled;
	record->costed += gathered->n;
	record->evaluated += gathered->evaluated;
	record->enumerated += expansion->n + expansion->left_out;
	record->buckets += expansion->n_buckets;
	record->let_go += *expansion->let_go != 0;
	for (int i = 0; merging->completes && i < gathered->n; i++)
		note_complete(merging, bw_expansion_option(expansion, gathered->list[i].option));
	merging->fresh += gathered->fresh;
	bw_rest_add(&merging->filling.rest, merging->parent++);
	return false;
}

/* Looking at a child takes much less than a microsecond, and keeping one takes many: a step keeps
 * at most one. */
static bool fill_some(struct bw_merging *merging)
{
	enum { CHILDREN_A_STEP = 64 };
	const int n_before = merging->next->n;
	bool done = false;
	for (int i = 0; i < CHILDREN_A_STEP && !done && merging->next->n == n_before; i++)
		done = bw_filling_step(&merging->filling);
	return done;
}

static bool record_some(struct bw_merging *merging)
{
	enum { CHILDREN_A_STEP = 256 };
	bool done = false;
	for (int i = 0; i < CHILDREN_A_STEP && !done; i++)
		done = bw_filling_record(&merging->filling);
	return done;
}

bool bw_state_allowed(const struct bw_search *search, const struct bw_state *state, int pass)
{
	for (int f = 0; f < search->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = state->nest->placed[f];
		const struct bw_constraint *held = bw_constraint_on(&search->constraints, f, pass);
		const struct bw_constraint *mark =
		    placed ? bw_constraint_mark(&search->constraints, placed->placement, pass) : NULL;
		if (placed && ((held && !bw_constraint_names(held, placed->placement)) ||
			       (mark && mark->source == BW_CONSTRAINT_REJECT)))
			return false;
	}
	return true;
}

/* If a pass finds no legal option in any of its states, the best schedule of the pass that froze
 * takes their place, since it is legal to its end. */
static void stand_in(const struct bw_search *search, int index, struct bw_reached *next)
{
	int pass = search->plan[index].pass, made = index + 1 - bw_search_pass_start(search, pass);
	if (!search->freezes || pass == search->first_pass || search->plan[index].phase == BW_PHASE_PASS)
		return;
	const struct bw_state *state = search->reached[bw_search_pass_end(search, search->first_pass)]->beam[0];
	while (state->position > made)
		state = state->parent;
	if (!bw_state_allowed(search, state, pass))
		return;
	next->beam[next->n++] = bw_state_keep(state);
	next->decision.stood_in = true;
}

/* Completes the record, and begins to bless structures if the pass ends. Returns true if nothing is
 * left to do. */
static bool conclude(struct bw_merging *merging)
{
	const struct bw_search *search = merging->search;
	struct bw_reached *next = merging->next;
	int pass = next->decision.pass;
	bw_filling_end(&merging->filling);
	next->decision.kept = next->n;
	if (!next->n)
		stand_in(search, merging->index, next);
	next->decision.made = true;
	if (!next->n || merging->index + 1 != bw_search_pass_end(search, pass) || pass == search->options.passes)
		return true;
	merging->blessing = (struct bw_blessing){.search = search, .end = next, .pass = pass};
	return pass == 0;
}

bool bw_merging_step(struct bw_merging *merging)
{
	switch (merging->part) {
	case COLLECT:
		merging->part = collect(merging) ? FILL : COLLECT;
		break;
	case FILL:
		merging->part = fill_some(merging) ? RECORD : FILL;
		break;
	case RECORD:
		merging->part = record_some(merging) ? PIN : RECORD;
		break;
	case PIN:
		if (bw_filling_pin(&merging->filling))
			merging->part = conclude(merging) ? MADE : BLESS;
		break;
	case BLESS:
		merging->part = bw_blessing_step(&merging->blessing) ? MADE : BLESS;
		break;
	case MADE:
		break;
	}
	return merging->part == MADE;
}

struct bw_reached *bw_merging_end(struct bw_merging *merging)
{
	if (!merging)
		return NULL;
	struct bw_reached *next = merging->part == MADE ? merging->next : NULL;
	if (merging->part < BLESS)
		bw_filling_end(&merging->filling);
	bw_blessing_end(&merging->blessing);
	if (!next)
		bw_reached_drop(merging->next);
	free(merging);
	return next;
}
