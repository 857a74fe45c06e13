/* Children of a decision, best first: a heap of candidates, merged with the sorted children of each
 * parent. */
#include <stdlib.h>

#include "search/search_private.h"

bool bw_candidate_before(const struct bw_candidate *a, const struct bw_candidate *b)
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
	for (; at > 0 && bw_candidate_before(&candidate, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = candidate;
}

/* Puts a candidate in place of the first one. */
static void replace_first(struct bw_candidates *candidates, const struct bw_candidate *candidate)
{
	struct bw_candidate *heap = candidates->heap;
	int at = 0;
	for (int down = 1; down < candidates->n; at = down, down = 2 * at + 1) {
		if (down + 1 < candidates->n && bw_candidate_before(&heap[down + 1], &heap[down]))
			down++;
		if (!bw_candidate_before(&heap[down], candidate))
			break;
		heap[at] = heap[down];
	}
	heap[at] = *candidate;
}

struct bw_candidate bw_candidates_take(struct bw_candidates *candidates)
{
	struct bw_candidate first = candidates->heap[0], last = candidates->heap[--candidates->n];
	replace_first(candidates, &last);
	return first;
}

void bw_rest_begin(struct bw_rest *rest, const struct bw_parent *parents, int n_parents)
{
	*rest = (struct bw_rest){
	    .n_parents = n_parents, .parents = parents, .looked_at = BW_NEW_ARRAY(int, n_parents)};
}

void bw_rest_end(struct bw_rest *rest)
{
	free(rest->looked_at);
	free(rest->heads.heap);
	*rest = (struct bw_rest){0};
}

const struct bw_candidate *bw_rest_next(const struct bw_rest *rest, int parent)
{
	const struct bw_gathered *gathered = &rest->parents[parent].gathered;
	return rest->looked_at[parent] < gathered->n ? &gathered->list[rest->looked_at[parent]] : NULL;
}

void bw_rest_add(struct bw_rest *rest, int parent)
{
	const struct bw_candidate *first = bw_rest_next(rest, parent);
	rest->n += rest->parents[parent].gathered.n;
	if (first)
		bw_candidates_put(&rest->heads, *first);
}

struct bw_candidate bw_rest_take(struct bw_rest *rest)
{
	struct bw_candidate candidate = rest->heads.heap[0];
	rest->n--;
	rest->looked_at[candidate.parent]++;
	const struct bw_candidate *next = bw_rest_next(rest, candidate.parent);
	if (next)
		replace_first(&rest->heads, next);
	else
		bw_candidates_take(&rest->heads);
	return candidate;
}
