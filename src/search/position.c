/* The positions that a search has reached, with the beam after each decision; and the totals of a search
 * so far. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "search/search_private.h"

void bw_position_forget(struct bw_position *position)
{
	for (int i = 0; position->ms && i < position->n; i++)
		free(position->ms[i]);
	free(position->ms);
	position->ms = NULL;
}

struct bw_tries *bw_tries_new(int n_funcs)
{
	struct bw_tries *tries = BW_NEW(struct bw_tries);
	*tries = (struct bw_tries){1, n_funcs, (n_funcs + 63) / 64, BW_NEW_ARRAY(struct bw_tries_of, n_funcs)};
	return tries;
}

struct bw_tries *bw_tries_keep(struct bw_tries *tries)
{
	if (tries)
		tries->references++;
	return tries;
}

void bw_tries_drop(struct bw_tries *tries)
{
	if (!tries || --tries->references)
		return;
	for (int f = 0; f < tries->n_funcs; f++) {
		for (int i = 0; i < tries->of[f].n; i++)
			free(tries->of[f].list[i].set);
		free(tries->of[f].list);
	}
	free(tries->of);
	free(tries);
}

void bw_polish_free(struct bw_polish *polish)
{
	for (int i = 0; i < polish->n; i++) {
		bw_placement_drop(polish->steps[i].from);
		bw_placement_drop(polish->steps[i].to);
	}
	free(polish->steps);
	bw_tries_drop(polish->tries);
}

void bw_position_drop(struct bw_position *position)
{
	if (!position || --position->references)
		return;
	bw_position_forget(position);
	for (int i = 0; i < position->n; i++)
		bw_state_drop(position->beam[i]);
	free(position->beam);
	free((void *)position->decision.children);
	bw_hashes_end(&position->blessed);
	bw_polish_free(&position->polish);
	for (int i = 0; i < position->n_frozen; i++)
		bw_placement_drop(position->frozen[i].constraint.placement);
	free(position->frozen);
	bw_hashes_end(&position->complete);
	free(position);
}

struct bw_position *bw_position_new(int capacity)
{
	struct bw_position *position = BW_NEW(struct bw_position);
	position->references = 1;
	position->beam = BW_NEW_ARRAY(const struct bw_state *, capacity);
	position->ms = BW_NEW_ARRAY(double *, capacity);
	return position;
}

BW_ORDER(by_address, struct bw_placed *, BW_COMPARE(*a, *b))

/* Returns the bytes of the placed Funcs that the states of a beam do not share with their parents. A
 * placed Func that several states share counts once. */
static int64_t placed_bytes(const struct bw_position *position, int func)
{
	BW_SCOPED_MEMORY const struct bw_placed **own =
	    BW_NEW_ARRAY(const struct bw_placed *, position->n + 1);
	int64_t bytes = 0;
	int n = 0;
	for (int i = 0; i < position->n; i++) {
		const struct bw_state *state = position->beam[i];
		const struct bw_placed *placed = state->nest->placed[func];
		if (placed && state->parent && state->parent->nest->placed[func] != placed)
			own[n++] = placed;
	}
	qsort(own, (size_t)n, sizeof *own, by_address);
	for (int i = 0; i < n; i++)
		if (!i || own[i] != own[i - 1])
			bytes += (int64_t)(own[i]->size + bw_placement_bytes(own[i]->placement));
	return bytes;
}

/* Returns the bytes of a state and its nest, without the placed Funcs. If there was nothing to decide, the
 * nest is the parent's and does not count. */
static int64_t state_bytes(const struct bw_state *state)
{
	const struct bw_nest *nest = state->nest;
	bool own = !state->parent || state->parent->nest != nest;
	return (int64_t)sizeof *state +
	       own * (int64_t)(sizeof *nest + (size_t)nest->pipeline->n_funcs * sizeof *nest->placed);
}

static uint64_t mix_beam(uint64_t digest, const struct bw_position *position)
{
	digest = bw_hash_mix(digest, (uint64_t)position->n);
	for (int i = 0; i < position->n; i++) {
		uint64_t cost;
		memcpy(&cost, &position->beam[i]->cost, sizeof cost);
		digest = bw_hash_mix(bw_hash_mix(digest, position->beam[i]->hash), cost);
	}
	return digest;
}

void bw_position_measure(struct bw_position *position, const struct bw_position *before)
{
	position->digest = mix_beam(before ? before->digest : 0, position);
	const struct bw_decision *decision = &position->decision;
	position->bytes = (int64_t)sizeof *position + decision->n_recorded * (int64_t)sizeof *decision->children;
	position->bytes += (position->blessed.capacity + position->complete.capacity) *
			  (int64_t)sizeof *position->complete.places;
	for (int i = 0; i < position->n; i++)
		position->bytes += state_bytes(position->beam[i]) + (int64_t)sizeof *position->beam;
	position->bytes += placed_bytes(position, decision->func);
}
