/* Lists of proposals. The same tiles of a Func are proposed to many parents, and again in each
 * pass, so they are kept in the memo. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "space/question.h"

void bw_propose(struct bw_proposals *proposals, const struct bw_placement *placement, uint64_t kind,
		int64_t unrolled)
{
	BW_GROW(proposals->list, proposals->n, proposals->capacity);
	struct bw_proposal *proposal = &proposals->list[proposals->n++];
	*proposal = (struct bw_proposal){
	    .placement = placement, .kind = kind, .unrolled = unrolled, .left_out = proposals->left_out};
	proposals->left_out = 0;
}

void bw_propose_all(struct bw_proposals *proposals, const struct bw_proposals *more)
{
	int before = proposals->n;
	if (before + more->n > proposals->capacity) {
		proposals->capacity = before + more->n;
		proposals->list = bw_resize_array(proposals->list, (size_t)proposals->capacity, sizeof *proposals->list);
	}
	for (int i = 0; i < more->n; i++) {
		struct bw_proposal *proposal = &proposals->list[proposals->n++];
		*proposal = more->list[i];
		bw_placement_keep(proposal->placement);
	}
	if (more->n) {
		proposals->list[before].left_out += proposals->left_out;
		proposals->left_out = 0;
	}
	proposals->left_out += more->left_out;
}

struct kept_proposals {
	struct bw_memo_value head;
	struct bw_proposals proposals; /* its list is `list` below */
	struct bw_proposal list[];
};

static void release(struct bw_memo_value *value)
{
	struct kept_proposals *kept = (struct kept_proposals *)value;
	for (int i = 0; i < kept->proposals.n; i++)
		bw_placement_drop(kept->list[i].placement);
	free(kept);
}

static struct kept_proposals *kept_proposals(const struct bw_proposals *proposals, int from)
{
	const struct bw_proposal *list = &proposals->list[from];
	int n = proposals->n - from;
	size_t bytes = sizeof(struct kept_proposals) + (size_t)n * sizeof *list;
	struct kept_proposals *kept = bw_resize_array(NULL, 1, bytes);
	kept->head = (struct bw_memo_value){.references = 1, .bytes = bytes, .release = release};
	kept->proposals = (struct bw_proposals){.n = n, .left_out = proposals->left_out, .list = kept->list};
	for (int i = 0; i < n; i++) {
		kept->list[i] = list[i];
		bw_placement_keep(list[i].placement);
		kept->head.bytes += list[i].placement ? bw_placement_bytes(list[i].placement) : 0;
	}
	return kept;
}

static bool are_equal(const struct bw_proposal *a, const struct bw_proposal *b, int n)
{
	bool equal = true;
	for (int i = 0; i < n && equal; i++) {
		equal = a[i].kind == b[i].kind && a[i].unrolled == b[i].unrolled &&
			a[i].asked == b[i].asked && a[i].left_out == b[i].left_out &&
			!a[i].placement == !b[i].placement;
		equal = equal && (!a[i].placement || bw_placement_equal(a[i].placement, b[i].placement));
	}
	return equal;
}

bool bw_proposals_recall(const struct bw_recall *recall, uint64_t key, struct bw_proposals *proposals)
{
	if (!recall->memo || bw_memo_checks(recall->memo))
		return false;
	struct bw_memo_value *value =
	    bw_memo_get(recall->memo, BW_MEMO_PROPOSALS, bw_hash_mix(key, recall->limits));
	if (value)
		bw_propose_all(proposals, &((const struct kept_proposals *)value)->proposals);
	bw_memo_value_drop(value);
	return value != NULL;
}

void bw_proposals_keep(const struct bw_recall *recall, uint64_t key, const struct bw_proposals *proposals,
		       int from)
{
	if (!recall->memo)
		return;
	key = bw_hash_mix(key, recall->limits);
	struct bw_memo_value *value =
	    bw_memo_checks(recall->memo) ? bw_memo_get(recall->memo, BW_MEMO_PROPOSALS, key) : NULL;
	const struct kept_proposals *kept = (const struct kept_proposals *)value;
	if (kept)
		bw_memo_note(recall->memo,
			     kept->proposals.n == proposals->n - from &&
				 kept->proposals.left_out == proposals->left_out &&
				 are_equal(kept->list, &proposals->list[from], kept->proposals.n));
	else
		value = bw_memo_put(recall->memo, BW_MEMO_PROPOSALS, key, &kept_proposals(proposals, from)->head);
	bw_memo_value_drop(value);
}
