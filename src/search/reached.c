/* The positions that were reached. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "search/polish.h"

void bw_reached_forget(struct bw_reached *reached)
{
	for (int i = 0; reached->ms && i < reached->n; i++)
		free(reached->ms[i]);
	free(reached->ms);
	reached->ms = NULL;
}

void bw_polish_free(struct bw_polish *polish)
{
	for (int i = 0; i < polish->n; i++) {
		bw_placement_drop(polish->steps[i].from);
		bw_placement_drop(polish->steps[i].to);
	}
	free(polish->steps);
}

void bw_reached_drop(struct bw_reached *reached)
{
	if (!reached || --reached->references)
		return;
	bw_reached_forget(reached);
	for (int i = 0; i < reached->n; i++)
		bw_state_drop(reached->beam[i]);
	free(reached->beam);
	free((void *)reached->decision.children);
	bw_hashes_end(&reached->blessed);
	bw_polish_free(&reached->polish);
	for (int i = 0; i < reached->n_frozen; i++)
		bw_placement_drop(reached->frozen[i].constraint.placement);
	free(reached->frozen);
	bw_hashes_end(&reached->complete);
	free(reached);
}

struct bw_reached *bw_reached_new(int capacity)
{
	struct bw_reached *reached = BW_NEW(struct bw_reached);
	reached->references = 1;
	reached->beam = BW_NEW_ARRAY(const struct bw_state *, capacity);
	reached->ms = BW_NEW_ARRAY(double *, capacity);
	return reached;
}

static int by_address(const void *a, const void *b)
{
	const struct bw_placed *const *x = a, *const *y = b;
	return (*x > *y) - (*x < *y);
}

/* Returns the bytes of the placed Funcs that the states of a beam do not share with their parents. Some
 * states share one with each other. */
static int64_t placed_bytes(const struct bw_reached *reached, int func)
{
	const struct bw_placed **own = BW_NEW_ARRAY(const struct bw_placed *, reached->n + 1);
	int64_t bytes = 0;
	int n = 0;
	for (int i = 0; i < reached->n; i++) {
		const struct bw_state *state = reached->beam[i];
		const struct bw_placed *placed = state->nest->placed[func];
		if (placed && state->parent && state->parent->nest->placed[func] != placed)
			own[n++] = placed;
	}
	qsort(own, (size_t)n, sizeof *own, by_address);
	for (int i = 0; i < n; i++)
		if (!i || own[i] != own[i - 1])
			bytes += (int64_t)(own[i]->size + bw_placement_bytes(own[i]->placement));
	free(own);
	return bytes;
}

/* Returns the bytes of a state with its nest, without what that has placed. If nothing was to decide,
 * the nest is the parent's. */
static int64_t state_bytes(const struct bw_state *state)
{
	const struct bw_nest *nest = state->nest;
	bool own = !state->parent || state->parent->nest != nest;
	return (int64_t)sizeof *state +
	       own * (int64_t)(sizeof *nest + (size_t)nest->pipeline->n_funcs * sizeof *nest->placed);
}

static uint64_t mix_beam(uint64_t digest, const struct bw_reached *reached)
{
	digest = bw_hash_mix(digest, (uint64_t)reached->n);
	for (int i = 0; i < reached->n; i++) {
		uint64_t cost;
		memcpy(&cost, &reached->beam[i]->cost, sizeof cost);
		digest = bw_hash_mix(bw_hash_mix(digest, reached->beam[i]->hash), cost);
	}
	return digest;
}

void bw_reached_measure(struct bw_reached *reached, const struct bw_reached *before)
{
	reached->digest = mix_beam(before ? before->digest : 0, reached);
	const struct bw_decision *decision = &reached->decision;
	reached->bytes = (int64_t)sizeof *reached + decision->n_recorded * (int64_t)sizeof *decision->children;
	reached->bytes += (reached->blessed.capacity + reached->complete.capacity) *
			  (int64_t)sizeof *reached->complete.places;
	for (int i = 0; i < reached->n; i++)
		reached->bytes += state_bytes(reached->beam[i]) + (int64_t)sizeof *reached->beam;
	reached->bytes += placed_bytes(reached, decision->func);
}
