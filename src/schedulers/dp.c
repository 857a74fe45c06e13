#include "schedulers/dp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

bool bw_dp_has(const struct bw_dp_set *set, int stage)
{
	return set->words[stage / 64] >> stage % 64 & 1;
}

void bw_dp_add(struct bw_dp_set *set, int stage)
{
	set->words[stage / 64] |= (uint64_t)1 << stage % 64;
}

struct bw_dp_set bw_dp_without(const struct bw_dp_set *set, const struct bw_dp_set *taken)
{
	struct bw_dp_set left = *set;
	for (int w = 0; w < BW_DP_WORDS; w++)
		left.words[w] &= ~taken->words[w];
	return left;
}

bool bw_dp_same(const struct bw_dp_set *a, const struct bw_dp_set *b)
{
	return !memcmp(a, b, sizeof *a);
}

bool bw_dp_empty(const struct bw_dp_set *set)
{
	return bw_dp_same(set, &(struct bw_dp_set){{0}});
}

/* Returns true if all stages of `set` are in `all`. */
static bool is_within(const struct bw_dp_set *set, const struct bw_dp_set *all)
{
	struct bw_dp_set rest = bw_dp_without(set, all);
	return bw_dp_empty(&rest);
}

/* Returns the slot of a set in the hash table: the slot that has the set, or the empty slot for it. */
static int place_of(const struct bw_dp *dp, const struct bw_dp_set *left)
{
	int place = (int)(bw_hash_bytes(0, left, sizeof *left) & (uint64_t)(dp->n_places - 1));
	while (dp->places[place] >= 0 && !bw_dp_same(&dp->entries[dp->places[place]].left, left))
		place = (place + 1) & (dp->n_places - 1);
	return place;
}

int bw_dp_find(const struct bw_dp *dp, const struct bw_dp_set *left)
{
	return dp->places[place_of(dp, left)];
}

/* Returns the entry of a set of stages that are left. Adds the entry if there is none. */
static int entry_of(struct bw_dp *dp, const struct bw_dp_set *left)
{
	int place = place_of(dp, left);
	if (dp->places[place] < 0) {
		BW_GROW(dp->entries, dp->n, dp->capacity);
		dp->entries[dp->n] = (struct bw_dp_entry){.left = *left, .best = INFINITY};
		dp->places[place] = dp->n++;
	}
	return dp->places[place];
}

static void add_all(struct bw_dp *dp)
{
	struct bw_dp_set all = {{0}};
	for (int s = 0; s < dp->graph.n; s++)
		bw_dp_add(&all, s);
	entry_of(dp, &all);
}

void bw_dp_begin(struct bw_dp *dp, const struct bw_dp_graph *graph)
{
	enum { PLACES = 1 << 16 }; /* more than twice BW_DP_MOST */
	*dp = (struct bw_dp){.graph = *graph, .places = BW_NEW_ARRAY(int, PLACES), .n_places = PLACES};
	memset(dp->places, -1, PLACES * sizeof *dp->places);
	add_all(dp);
}

static void forget(struct bw_dp *dp)
{
	for (int e = 0; e < dp->n; e++)
		free(dp->entries[e].choices);
	memset(dp->places, -1, (size_t)dp->n_places * sizeof *dp->places);
	dp->n = dp->filled = 0;
	dp->cut = false;
}

/* Adds a choice. Returns false if the group is impossible. */
static bool add_choice(struct bw_dp *dp, struct bw_dp_entry *entry, const struct bw_dp_set *group)
{
	double cost = dp->graph.cost(dp->graph.data, group);
	dp->costed++;
	if (isinf(cost) && entry->n)
		return false; /* the first choice is a single stage, and is kept whatever its cost */
	BW_PUSH(entry->choices, entry->n, entry->capacity,
		(struct bw_dp_choice){.group = *group, .cost = cost, .then = -1});
	return true;
}

/* Adds all groups that contain `group`, which has `size` stages, each once. A stage with a number below
 * `below` can be added if only members read it. Readers have higher numbers, so they are decided first.
 * Impossible groups do not grow further. Returns false if `yield` stopped it. */
static bool grow(struct bw_dp *dp, struct bw_dp_entry *entry, const struct bw_dp_set *group, int size,
		 int below, const struct bw_yield *yield)
{
	const struct bw_dp_graph *graph = &dp->graph;
	for (int s = below - 1; s >= 0; s--) {
		if (!graph->joins[s] || !bw_dp_has(&entry->left, s) || bw_dp_empty(&graph->readers[s]) ||
		    !is_within(&graph->readers[s], group))
			continue;
		if (size == graph->limit) {
			dp->cut = true;
			return true;
		}
		struct bw_dp_set larger = *group;
		bw_dp_add(&larger, s);
		if (!bw_yield(yield))
			return false;
		if (add_choice(dp, entry, &larger) && !grow(dp, entry, &larger, size + 1, s, yield))
			return false;
	}
	return true;
}

/* Finds the choices of an entry. Returns false if `yield` stopped it; the next call starts again. */
static bool fill(struct bw_dp *dp, int index, const struct bw_yield *yield)
{
	struct bw_dp_entry *entry = &dp->entries[index];
	struct bw_dp_set group = {{0}};
	int last = dp->graph.n - 1;
	while (last >= 0 && !bw_dp_has(&entry->left, last))
		last--;
	if (last < 0)
		return true;
	bw_dp_add(&group, last);
	entry->n = 0;
	add_choice(dp, entry, &group);
	if (!grow(dp, entry, &group, 1, last, yield))
		return false;
	for (int c = 0, n = entry->n; c < n && dp->n <= 2 * BW_DP_MOST; c++) {
		struct bw_dp_set left = bw_dp_without(&dp->entries[index].left, &dp->entries[index].choices[c].group);
		int then = entry_of(dp, &left);
		dp->entries[index].choices[c].then = then;
	}
	return true;
}

static int count(const struct bw_dp_set *set)
{
	int n = 0;
	for (int w = 0; w < BW_DP_WORDS; w++)
		n += __builtin_popcountll(set->words[w]);
	return n;
}

/* Orders the choices of an entry by total cost. The least costs of the entries that the choices lead to
 * must be known. */
static void order_choices(struct bw_dp *dp, struct bw_dp_entry *entry)
{
	for (int c = 0; c < entry->n; c++) {
		struct bw_dp_choice choice = entry->choices[c];
		double whole = choice.cost + dp->entries[choice.then].best;
		int at = c;
		for (; at > 0; at--) {
			const struct bw_dp_choice *before = &entry->choices[at - 1];
			if (!(before->cost + dp->entries[before->then].best > whole))
				break;
			entry->choices[at] = *before;
		}
		entry->choices[at] = choice;
	}
	if (entry->n)
		entry->best = entry->choices[0].cost + dp->entries[entry->choices[0].then].best;
	else
		entry->best = 0;
}

/* Computes the least cost of each entry, entries with the fewest stages first. */
static void finish(struct bw_dp *dp)
{
	BW_SCOPED_MEMORY int *order = BW_NEW_ARRAY(int, dp->n), *begin = BW_NEW_ARRAY(int, dp->graph.n + 2);
	for (int e = 0; e < dp->n; e++)
		begin[count(&dp->entries[e].left) + 1]++;
	for (int k = 0; k <= dp->graph.n; k++)
		begin[k + 1] += begin[k];
	for (int e = 0; e < dp->n; e++)
		order[begin[count(&dp->entries[e].left)]++] = e;
	for (int i = 0; i < dp->n; i++)
		order_choices(dp, &dp->entries[order[i]]);
	dp->done = true;
}

bool bw_dp_work(struct bw_dp *dp, const struct bw_yield *yield)
{
	while (!dp->done) {
		if (dp->n > BW_DP_MOST && dp->graph.limit > 1) {
			forget(dp);
			dp->graph.limit /= 2;
			dp->cut = true;
			add_all(dp);
		}
		if (dp->filled == dp->n)
			finish(dp);
		else if (fill(dp, dp->filled, yield))
			dp->filled++;
		else
			return false;
	}
	return true;
}

void bw_dp_end(struct bw_dp *dp)
{
	forget(dp);
	free(dp->entries);
	free(dp->places);
	*dp = (struct bw_dp){0};
}
