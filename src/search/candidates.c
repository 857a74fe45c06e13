/* Children of a decision from the best on, without all of them being sorted: few of many are looked at. */
#include "search/search_private.h"

static bool before(const struct bw_candidate *a, const struct bw_candidate *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->hash != b->hash)
		return a->hash < b->hash;
	if (a->parent != b->parent)
		return a->parent < b->parent;
	return a->option < b->option;
}

void bw_candidates_put(struct bw_candidates *candidates, struct bw_candidate candidate)
{
	BW_GROW(candidates->heap, candidates->n, candidates->capacity);
	struct bw_candidate *heap = candidates->heap;
	int at = candidates->n++;
	for (; at > 0 && before(&candidate, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = candidate;
}

struct bw_candidate bw_candidates_take(struct bw_candidates *candidates)
{
	struct bw_candidate *heap = candidates->heap, first = heap[0], last = heap[--candidates->n];
	int at = 0;
	for (int down = 1; down < candidates->n; at = down, down = 2 * at + 1) {
		if (down + 1 < candidates->n && before(&heap[down + 1], &heap[down]))
			down++;
		if (!before(&heap[down], &last))
			break;
		heap[at] = heap[down];
	}
	heap[at] = last;
	return first;
}
