#include "base/memo.h"

#include <stdlib.h>

#include "base/mem.h"

/* Values are found by open addressing with linear probing. */
struct place {
	uint64_t name;
	struct bw_memo_value *value; /* NULL: free */
};

/* Bytes of a value besides its own: its places, and what the allocator adds. */
enum { VALUE_BYTES = 3 * sizeof(struct place) + 16, FIRST_PLACES = 16 };

/* All values are in a ring through `ends`, where ends.newer is the oldest. If room is needed, the oldest is
 * evicted, or made the newest if it was used meanwhile. So a hit only sets a flag. */
struct bw_memo {
	int references;
	size_t limit, bytes, peak;
	uint64_t n, mask; /* values; a power of two of places, at most three quarters of them taken, less 1 */
	struct place *places;
	struct bw_memo_value ends;
	struct bw_memo_totals totals[BW_MEMO_KINDS];
	bool checks;
	long checked, wrong;
};

static void release_plain(struct bw_memo_value *value)
{
	free(value);
}

struct bw_memo_value bw_memo_value_plain(size_t bytes)
{
	return (struct bw_memo_value){.references = 1, .bytes = bytes, .release = release_plain};
}

struct bw_memo_value *bw_memo_value_keep(struct bw_memo_value *value)
{
	if (value)
		value->references++;
	return value;
}

void bw_memo_value_drop(struct bw_memo_value *value)
{
	if (value && !--value->references)
		value->release(value);
}

struct bw_memo *bw_memo_new(int64_t limit)
{
	if (limit <= 0)
		return NULL;
	struct bw_memo *memo = BW_NEW(struct bw_memo);
	memo->references = 1;
	memo->limit = (size_t)limit;
	memo->mask = FIRST_PLACES - 1;
	memo->places = BW_NEW_ARRAY(struct place, FIRST_PLACES);
	memo->ends.newer = memo->ends.older = &memo->ends;
	return memo;
}

struct bw_memo *bw_memo_keep(struct bw_memo *memo)
{
	if (memo)
		memo->references++;
	return memo;
}

static void unlink_value(struct bw_memo_value *value)
{
	value->older->newer = value->newer;
	value->newer->older = value->older;
}

void bw_memo_give_back(struct bw_memo *memo, const struct bw_yield *yield)
{
	if (!memo || --memo->references)
		return;
	while (memo->ends.newer != &memo->ends) {
		struct bw_memo_value *value = memo->ends.newer;
		unlink_value(value);
		bw_memo_value_drop(value);
		bw_yield(yield);
	}
	free(memo->places);
	free(memo);
}

void bw_memo_drop(struct bw_memo *memo)
{
	bw_memo_give_back(memo, NULL);
}

/* Keys of two kinds never mean the same value. */
static uint64_t name_of(int kind, uint64_t key)
{
	return key ^ (uint64_t)kind * 0x9e3779b97f4a7c15;
}

/* Returns the place with a name, or the free place for it. */
static struct place *find(const struct bw_memo *memo, uint64_t name)
{
	for (uint64_t at = name;; at++) {
		struct place *place = &memo->places[at & memo->mask];
		if (!place->value || place->name == name)
			return place;
	}
}

struct bw_memo_value *bw_memo_get(struct bw_memo *memo, int kind, uint64_t key)
{
	struct bw_memo_value *found = memo ? find(memo, name_of(kind, key))->value : NULL;
	if (found) {
		found->used = true;
		found->references++;
		memo->totals[kind].hits++;
	} else if (memo) {
		memo->totals[kind].misses++;
	}
	return found;
}

static void make_newest(struct bw_memo *memo, struct bw_memo_value *value)
{
	value->newer = &memo->ends;
	value->older = memo->ends.older;
	value->older->newer = value;
	memo->ends.older = value;
	value->used = false;
}

/* Frees a place, and moves those behind it up that would not be found any more. */
static void free_place(struct bw_memo *memo, struct place *free_one)
{
	uint64_t hole = (uint64_t)(free_one - memo->places);
	for (uint64_t at = hole + 1; memo->places[at & memo->mask].value; at++) {
		struct place *place = &memo->places[at & memo->mask];
		if (((at - place->name) & memo->mask) >= ((at - hole) & memo->mask)) {
			memo->places[hole & memo->mask] = *place;
			hole = at;
		}
	}
	memo->places[hole & memo->mask].value = NULL;
}

static void take_out(struct bw_memo *memo, struct place *place)
{
	struct bw_memo_value *value = place->value;
	free_place(memo, place);
	unlink_value(value);
	memo->bytes -= value->bytes + VALUE_BYTES;
	memo->n--;
	bw_memo_value_drop(value);
}

/* Evicts old values until `bytes` bytes are free. */
static void make_room(struct bw_memo *memo, size_t bytes)
{
	while (memo->bytes + bytes > memo->limit) {
		struct bw_memo_value *oldest = memo->ends.newer;
		if (oldest->used) {
			unlink_value(oldest);
			make_newest(memo, oldest);
		} else {
			memo->totals[oldest->kind].evictions++;
			take_out(memo, find(memo, oldest->name));
		}
	}
}

static void double_places(struct bw_memo *memo)
{
	struct place *before = memo->places;
	uint64_t n_before = memo->mask + 1;
	memo->places = BW_NEW_ARRAY(struct place, 2 * n_before);
	memo->mask = 2 * n_before - 1;
	for (uint64_t i = 0; i < n_before; i++)
		if (before[i].value)
			*find(memo, before[i].name) = before[i];
	free(before);
}

struct bw_memo_value *bw_memo_put(struct bw_memo *memo, int kind, uint64_t key,
				  struct bw_memo_value *value)
{
	size_t bytes = value->bytes + VALUE_BYTES;
	if (!memo || bytes > memo->limit)
		return value;
	value->name = name_of(kind, key);
	value->kind = kind;
	struct place *there = find(memo, value->name);
	if (there->value)
		take_out(memo, there);
	make_room(memo, bytes);
	if (4 * (memo->n + 1) > 3 * (memo->mask + 1))
		double_places(memo);
	*find(memo, value->name) = (struct place){value->name, value};
	make_newest(memo, value);
	memo->n++;
	memo->bytes += bytes;
	memo->peak = memo->bytes > memo->peak ? memo->bytes : memo->peak;
	value->references++;
	return value;
}

struct bw_memo_counts bw_memo_counts(const struct bw_memo *memo)
{
	struct bw_memo_counts counts = {0};
	if (!memo)
		return counts;
	for (int k = 0; k < BW_MEMO_KINDS; k++)
		counts.kinds[k] = memo->totals[k];
	counts.limit_bytes = (int64_t)memo->limit;
	counts.bytes = (int64_t)memo->bytes;
	counts.peak_bytes = (int64_t)memo->peak;
	counts.checked = memo->checked;
	counts.wrong = memo->wrong;
	return counts;
}

void bw_memo_check(struct bw_memo *memo)
{
	memo->checks = true;
}

bool bw_memo_checks(const struct bw_memo *memo)
{
	return memo && memo->checks;
}

void bw_memo_note(struct bw_memo *memo, bool right)
{
	memo->checked++;
	memo->wrong += !right;
}
