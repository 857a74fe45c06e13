/* From the options that were costed to the next beam: sorted by cost, or by a random number, in an order that no thread has a part in. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "search/search_private.h"

void bw_reached_forget(struct bw_reached *reached)
{
	for (int i = 0; reached->ms && i < reached->n; i++)
		free(reached->ms[i]);
	free(reached->ms);
	reached->ms = NULL;
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
	free(reached->blessed);
	for (int i = 0; i < reached->n_frozen; i++)
		bw_placement_drop(reached->frozen[i].constraint.placement);
	free(reached->frozen);
	free(reached->complete);
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
		record->let_go += *expansion->let_go != 0;
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
			record->evaluated += option->placement != NULL;
			children[n++] = (struct child){{option->cost, p, i, -1, 1, false}, key_of(search, index, p, option), option->hash, option, from->beam[p]};
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

/* The nest that a child is: its placement, put into the parent's again; and its ms by stage, where they are known. */
static struct bw_nest *nest_of(struct bw_expanding *expanding, const struct child *child, double **ms)
{
	struct bw_pricing *pricing = &expanding->pricing;
	const struct bw_placement *placement = child->option->placement;
	bool begins = expanding->question.phase == BW_PHASE_PASS;
	const double *known = begins ? NULL : pricing->ms;
	size_t n = (size_t)child->parent->nest->pipeline->n_stages;
	if (placement) {
		bw_trial_place(&pricing->trial, placement, true, NULL);
		bw_pricing_total(pricing);
		known = pricing->changed_ms;
	}
	*ms = known ? memcpy(BW_NEW_ARRAY(double, n), known, n * sizeof *known) : NULL;
	if (placement)
		return bw_nest_copy(bw_trial_nest(&pricing->trial));
	return bw_nest_keep(begins ? bw_state_first(child->parent)->nest : child->parent->nest);
}

/* A beam as it is filled. */
struct filling {
	const struct bw_search *search;
	int index; /* of the decision */
	struct bw_reached *next;
	struct child *children; /* by key */
	int n;
	struct bw_dropout dropout;
};

/* Puts a child into the beam, with so many others left that could be; of equal schedules only the first. */
static void keep(struct filling *filling, struct child *child, int left)
{
	struct bw_reached *next = filling->next;
	if (has_twin(next, child->hash))
		return;
	child->record.dropped_out = bw_dropped_out(&filling->dropout, child->hash, left);
	next->decision.dropped_out += child->record.dropped_out;
	if (child->record.dropped_out)
		return;
	struct bw_expanding *expanding = &filling->search->underway.parents[child->record.parent];
	bool begins = filling->search->plan[filling->index].phase == BW_PHASE_PASS;
	struct bw_nest *nest = nest_of(expanding, child, &next->ms[next->n]);
	struct bw_state *state = bw_state_new(begins ? NULL : child->parent, child->record.parent, child->record.option, nest, child->option->cost);
	bw_nest_drop(nest);
	state->position = filling->index + 1;
	state->penalty = child->record.penalty;
	for (int less = 0; less < 2; less++)
		state->structures[less] = bw_expanding_structure(expanding, child->option, less);
	child->record.kept = next->n;
	next->beam[next->n++] = state;
}

/* The states that the pass before ended with, where this decision ends a pass: complete schedules are compared over all passes. */
static const struct bw_reached *ended_before(const struct filling *filling)
{
	int pass = filling->search->plan[filling->index].pass;
	bool ends = filling->index + 1 == bw_search_pass_end(filling->search, pass);
	return ends && pass > filling->search->first_pass ? filling->search->reached[bw_search_pass_end(filling->search, pass - 1)] : NULL;
}

static void fill_by_key(struct filling *filling)
{
	const struct bw_reached *before = ended_before(filling);
	struct bw_reached *next = filling->next;
	int c = 0, b = 0;
	while (next->n < bw_search_keeps(filling->search, filling->index) && (c < filling->n || (before && b < before->n))) {
		if (before && b < before->n && (c >= filling->n || before->beam[b]->cost <= filling->children[c].record.cost)) {
			if (!has_twin(next, before->beam[b]->hash))
				next->beam[next->n++] = bw_state_keep(before->beam[b]);
			b++;
		} else {
			keep(filling, &filling->children[c], filling->n - c - 1);
			c++;
		}
	}
}

/* Children that were put back with a penalty: a heap, the least on top. */
struct deferred {
	int n;
	struct put_back {
		double cost; /* with its penalty */
		struct child *child;
	} *heap;
};

static bool before_in_heap(const struct put_back *a, const struct put_back *b)
{
	return a->cost < b->cost || (a->cost == b->cost && a->child < b->child);
}

static void put_back(struct deferred *deferred, struct put_back entry)
{
	int at = deferred->n++;
	for (; at > 0 && before_in_heap(&entry, &deferred->heap[(at - 1) / 2]); at = (at - 1) / 2)
		deferred->heap[at] = deferred->heap[(at - 1) / 2];
	deferred->heap[at] = entry;
}

static struct child *take_out(struct deferred *deferred)
{
	struct child *child = deferred->heap[0].child;
	struct put_back last = deferred->heap[--deferred->n];
	int at = 0;
	for (int down = 1; down < deferred->n; at = down, down = 2 * at + 1) {
		if (down + 1 < deferred->n && before_in_heap(&deferred->heap[down + 1], &deferred->heap[down]))
			down++;
		if (!before_in_heap(&deferred->heap[down], &last))
			break;
		deferred->heap[at] = deferred->heap[down];
	}
	deferred->heap[at] = last;
	return child;
}

/* Looks at the children from the cheapest on; one with a penalty is put back where something else is cheaper then. */
static void fill_with_penalties(struct filling *filling, struct bw_penalties *penalties)
{
	struct deferred deferred = {.heap = BW_NEW_ARRAY(struct put_back, filling->n)};
	struct child *children = filling->children;
	for (int c = 0; filling->next->n < bw_search_keeps(filling->search, filling->index) && (c < filling->n || deferred.n);) {
		if (deferred.n && (c >= filling->n || deferred.heap[0].cost < children[c].record.cost)) {
			struct child *child = take_out(&deferred);
			keep(filling, child, filling->n - c + deferred.n);
			continue;
		}
		struct child *child = &children[c++];
		if (has_twin(filling->next, child->hash))
			continue;
		child->record.penalty = bw_penalty_of(penalties, child->option);
		double cost = child->record.cost * child->record.penalty;
		bool cheaper = (deferred.n && deferred.heap[0].cost < cost) || (c < filling->n && children[c].record.cost < cost);
		if (child->record.penalty > 1 && cheaper)
			put_back(&deferred, (struct put_back){cost, child});
		else
			keep(filling, child, filling->n - c + deferred.n);
	}
	free(deferred.heap);
}

static void fill(struct filling *filling)
{
	struct bw_penalties penalties;
	if (bw_penalties_begin(filling->search, filling->index, &penalties)) {
		fill_with_penalties(filling, &penalties);
		bw_penalties_end(&penalties);
	} else {
		fill_by_key(filling);
	}
}

/* Children that place the last Func so that nothing is left to tile are whole schedules. */
static void note_complete(const struct bw_search *search, int index, const struct child *children, int n, struct bw_reached *next)
{
	if (index + BW_FUNC_PHASES < bw_search_pass_end(search, search->plan[index].pass) || search->plan[index].phase == BW_PHASE_PASS)
		return;
	next->complete = BW_NEW_ARRAY(uint64_t, n);
	for (int i = 0; i < n; i++) {
		const struct bw_placement *placement = children[i].option->placement;
		if (placement && (placement->compute.kind != BW_SITE_ROOT || placement->tiled))
			next->complete[next->n_complete++] = children[i].hash;
	}
	next->n_complete = bw_hashes_distinct(next->complete, next->n_complete);
	next->complete = bw_resize_array(next->complete, (size_t)next->n_complete, sizeof *next->complete);
}

/* Of many options few are costed. */
static long count_costed(const struct bw_underway *underway)
{
	long costed = 0;
	for (int p = 0; p < underway->n; p++)
		for (int i = 0; i < underway->parents[p].expansion->n; i++)
			costed += underway->parents[p].expansion->options[i].fate == BW_FATE_COSTED;
	return costed;
}

int bw_search_keeps(const struct bw_search *search, int index)
{
	return search->plan[index].pass == 0 ? bw_freezing_beam(&search->options) : search->options.beam;
}

/* What the end of a pass has for those that follow. */
static void end_pass(const struct bw_search *search, struct bw_reached *end, int pass)
{
	if (pass == 1 && search->first_pass == 0)
		bw_freeze_tilings(search, end);
	if (pass > 0)
		bw_bless(search, end, pass);
}

/* Where a pass finds no legal option in any of its states, the best schedule of the pre-pass goes on in their place: that is legal to its end. */
static void stand_in(const struct bw_search *search, int index, struct bw_reached *next)
{
	int pass = search->plan[index].pass, made = index + 1 - bw_search_pass_start(search, pass);
	if (search->first_pass > 0 || pass == 0 || search->plan[index].phase == BW_PHASE_PASS)
		return;
	const struct bw_state *state = search->reached[bw_search_pass_end(search, 0)]->beam[0];
	while (state->position > made)
		state = state->parent;
	next->beam[next->n++] = bw_state_keep(state);
	next->decision.stood_in = true;
}

struct bw_reached *bw_search_merge(struct bw_search *search, int index)
{
	struct child *children = BW_NEW_ARRAY(struct child, count_costed(&search->underway));
	struct bw_reached *next = bw_reached_new(search->options.beam);
	next->decision = search->plan[index];
	struct bw_decision *record = &next->decision;
	int n = collect(search, index, children, record), pass = record->pass;
	qsort(children, (size_t)n, sizeof *children, by_key);
	note_complete(search, index, children, n, next);
	fill(&(struct filling){search, index, next, children, n, bw_dropout_begin(search, index)});
	struct bw_child *list = BW_NEW_ARRAY(struct bw_child, n);
	for (int i = 0; i < n; i++)
		list[i] = children[i].record;
	record->kept = next->n;
	if (!next->n)
		stand_in(search, index, next);
	if (next->n && index + 1 == bw_search_pass_end(search, pass) && pass < search->options.passes)
		end_pass(search, next, pass);
	record->made = true;
	record->costed = record->n_children = n;
	record->children = list;
	record->seconds = search->underway.seconds;
	free(children);
	return next;
}
