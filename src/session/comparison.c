#include "session/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "session/core.h"
#include "session/decisions.h"
#include "session/details.h"

/* The comparison, and the data to cost it anew for another device or model. */
struct comparing {
	struct bw_comparison shown;
	struct bw_arena *arena;
	uint64_t generation;                      /* that the costs are of; 0: none */
	const struct bw_learned_cost *learned[2]; /* NULL: nobody asked yet */
};

/* Returns the place of the part's data, NULL in it if there are none. */
static struct comparing **place_in(const struct bw_session *session)
{
	return bw_part_data(session, BW_PART_COMPARISON);
}

static void end(struct bw_session *session)
{
	struct comparing *comparing = *place_in(session);
	if (!comparing)
		return;
	for (int i = 0; i < 2; i++) {
		free((char *)comparing->shown.labels[i]);
		bw_nest_drop((struct bw_nest *)comparing->shown.nests[i]);
	}
	bw_arena_free(comparing->arena);
	free(comparing);
	*place_in(session) = NULL;
}

const struct bw_comparison *bw_session_comparison(const struct bw_session *session)
{
	struct comparing *comparing = *place_in(session);
	if (!comparing)
		return NULL;
	if (comparing->generation != session->generation) {
		bw_arena_reset(comparing->arena);
		comparing->learned[0] = comparing->learned[1] = NULL;
		for (int i = 0; i < 2; i++)
			comparing->shown.costs[i] =
			    !comparing->shown.nests[i]
				? (struct bw_cost){0}
				: bw_session_cost_of(session, comparing->shown.nests[i],
						 comparing->arena);
		comparing->generation = session->generation;
	}
	return &comparing->shown;
}

const struct bw_learned_cost *bw_comparison_learned(const struct bw_session *session, int side)
{
	const struct bw_comparison *comparison = bw_session_comparison(session);
	struct comparing *comparing = *place_in(session);
	if (comparison && comparison->nests[side] && session->options.model->learned && !comparing->learned[side])
		comparing->learned[side] = bw_session_learned(session, comparison->nests[side], comparing->arena);
	return comparison ? comparing->learned[side] : NULL;
}

void bw_cost_terms(const struct bw_pipeline *pipeline, const struct bw_cost *cost, int func,
		   double terms[BW_MOST_TERMS])
{
	int first = func < 0 ? 0 : pipeline->funcs[func].first_stage,
	    n = func < 0 ? cost->n : pipeline->funcs[func].n_stages;
	memset(terms, 0, BW_MOST_TERMS * sizeof *terms);
	for (int s = first; s < first + n && cost->stages; s++)
		for (int t = 0; t < BW_MOST_TERMS; t++)
			terms[t] += cost->stages[s].terms[t];
}

const struct bw_placed *bw_comparison_placed(const struct bw_comparison *comparison, int side, int func)
{
	return comparison->nests[side] ? comparison->nests[side]->placed[func] : NULL;
}

const struct bw_timing *bw_comparison_timing(const struct bw_session *session,
					     const struct bw_comparison *comparison, int side)
{
	uint64_t hash = 0;
	struct bw_schedule *schedule = comparison->nests[side] ? bw_nest_schedule(comparison->nests[side]) : NULL;
	if (!strcmp(comparison->labels[side], BW_HAND))
		hash = bw_session_hand(session, false);
	else if (schedule)
		hash = bw_schedule_hash(schedule);
	bw_schedule_drop(schedule);
	for (int i = session->n_timings - 1; i >= 0; i--) {
		const struct bw_timing *timing = &session->timings[i];
		if (timing->phase == BW_JOB_DONE && !timing->compiled && timing->schedule == hash)
			return timing;
	}
	return NULL;
}

bool bw_comparison_same(const struct bw_comparison *comparison, int func)
{
	const struct bw_placed *a = bw_comparison_placed(comparison, 0, func),
			       *b = bw_comparison_placed(comparison, 1, func);
	return a && b ? bw_placement_equal(a->placement, b->placement) : a == b;
}

void bw_comparison_set(struct bw_session *session, char *const labels[2],
		       const struct bw_nest *const nests[2])
{
	end(session);
	struct comparing *comparing = *place_in(session) = BW_NEW(struct comparing);
	comparing->arena = bw_arena_new();
	for (int i = 0; i < 2; i++) {
		comparing->shown.labels[i] = labels[i];
		comparing->shown.nests[i] = nests[i];
	}
}

const struct bw_session_part bw_part_comparison = {
    .size = sizeof(struct comparing *),
    .free = end,
};
