/* From the options that were costed to the next beam: sorted by cost, or by a random number, in an order that no thread has a part in. */
#include <stdlib.h>

#include "base/hash.h"
#include "search/search_private.h"

void bw_reached_drop(struct bw_reached *reached)
{
	if (!reached || --reached->references)
		return;
	for (int i = 0; i < reached->n; i++)
		bw_state_drop(reached->beam[i]);
	free(reached->beam);
	free((void *)reached->decision.children);
	free(reached);
}

struct bw_reached *bw_reached_new(int capacity)
{
	struct bw_reached *reached = BW_NEW(struct bw_reached);
	reached->references = 1;
	reached->beam = BW_NEW_ARRAY(const struct bw_state *, capacity);
	return reached;
}

/* A child on its way into the beam. */
struct child {
	struct bw_child record;
	double key; /* what it is sorted by: its cost, or a random number */
	uint64_t hash;
	const struct bw_option *option;
	const struct bw_state *parent;
};

static int by_key(const void *a, const void *b)
{
	const struct child *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->record.parent != y->record.parent)
		return x->record.parent - y->record.parent;
	return x->record.option - y->record.option;
}

static double key_of(const struct bw_search *search, int index, int parent, const struct bw_option *option)
{
	if (!search->options.random)
		return option->cost;
	uint64_t keys[] = {search->options.seed, (uint64_t)search->plan[index].pass, (uint64_t)index, (uint64_t)parent, option->kind, (uint64_t)option->number};
	uint64_t kind_keys[] = {search->options.seed, (uint64_t)index, option->kind};
	/* A kind is drawn first and an option of it then: sites with many sizes would come up too often otherwise. */
	return (double)(bw_random(kind_keys, 3) >> 40) + (double)(bw_random(keys, 6) >> 11) * 0x1p-53;
}

static int collect(const struct bw_search *search, int index, struct child *children, struct bw_decision *record)
{
	int n = 0;
	const struct bw_reached *from = search->reached[index];
	for (int p = 0; p < search->underway.n; p++) {
		const struct bw_expansion *expansion = search->underway.parents[p].expansion;
		record->enumerated += expansion->n;
		record->buckets += expansion->n_buckets;
		for (int i = 0; i < expansion->n; i++) {
			const struct bw_option *option = &expansion->options[i];
			if (option->fate == BW_FATE_PRUNED)
				record->pruned[option->rule]++;
			else if (option->fate == BW_FATE_SECOND_CHOICE)
				record->second++;
			else if (option->fate == BW_FATE_UNSAMPLED)
				record->unsampled++;
			if (option->fate != BW_FATE_COSTED)
				continue;
			children[n++] = (struct child){{option->cost, p, i, -1}, key_of(search, index, p, option), option->hash, option, from->beam[p]};
		}
	}
	return n;
}

/* Whether a schedule is in the beam already. Looked for from the end: equal schedules have equal costs. */
static bool has_twin(const struct bw_reached *reached, uint64_t hash)
{
	for (int k = reached->n - 1; k >= 0; k--)
		if (reached->beam[k]->hash == hash)
			return true;
	return false;
}

/* The state that a kept option makes: its placement, put into the parent's nest again. */
static const struct bw_state *state_of(const struct child *child)
{
	const struct bw_placement *placement = child->option->placement;
	struct bw_nest *nest = placement ? bw_nest_place(child->parent->nest, placement, NULL) : bw_nest_keep(child->parent->nest);
	const struct bw_state *state = bw_state_new(child->parent, child->record.parent, child->record.option, nest, child->option->cost);
	bw_nest_drop(nest);
	return state;
}

struct bw_reached *bw_search_merge(struct bw_search *search, int index)
{
	long options = 0;
	for (int p = 0; p < search->underway.n; p++)
		options += search->underway.parents[p].expansion->n;
	struct child *children = BW_NEW_ARRAY(struct child, options);
	struct bw_reached *next = bw_reached_new(search->options.beam);
	next->decision = search->plan[index];
	struct bw_decision *record = &next->decision;
	int n = collect(search, index, children, record);
	qsort(children, (size_t)n, sizeof *children, by_key);
	struct bw_child *list = BW_NEW_ARRAY(struct bw_child, n);
	for (int i = 0; i < n; i++) {
		struct child *child = &children[i];
		if (next->n < search->options.beam && !has_twin(next, child->hash)) {
			child->record.kept = next->n;
			next->beam[next->n++] = state_of(child);
		}
		list[i] = child->record;
	}
	record->made = true;
	record->costed = record->n_children = n;
	record->kept = next->n;
	record->children = list;
	record->seconds = search->underway.seconds;
	free(children);
	return next;
}
