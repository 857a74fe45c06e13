#include "search/memo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* Bytes of a value beside its own: its part of the buckets, and what the allocator takes of a piece. */
enum { VALUE_BYTES = 2 * sizeof(struct bw_memo_value *) + 16 };

/* A part of the memo with its own lock. All its values are in a ring through `ends`: ends.newer is the oldest. One that was used since it came to the
 * old end goes back to the new one when room is needed: so a hit writes nothing but the value itself. */
struct stripe {
	pthread_mutex_t lock;
	struct bw_memo_value ends;
	struct bw_memo_value **buckets;
	size_t n, n_buckets; /* a power of two */
	size_t bytes;
	struct bw_memo_totals totals[BW_N_MEMO_KINDS];
};

struct bw_memo {
	atomic_int references;
	size_t limit; /* of a stripe */
	int64_t whole_limit;
	int n_stripes;
	struct stripe *stripes;
	atomic_llong bytes, peak;
	atomic_bool checks;
	atomic_long checked, wrong;
};

struct bw_memo_value *bw_memo_value_keep(struct bw_memo_value *value)
{
	__atomic_add_fetch(&value->references, 1, __ATOMIC_RELAXED);
	return value;
}

void bw_memo_value_drop(struct bw_memo_value *value)
{
	if (value && !__atomic_sub_fetch(&value->references, 1, __ATOMIC_ACQ_REL))
		value->release(value);
}

/* Stripes of less than this would keep too little of anything to be worth a lock. */
enum { MOST_STRIPES = 16, LEAST_STRIPE_BYTES = 1 << 20, FIRST_BUCKETS = 16 };

struct bw_memo *bw_memo_new(int64_t limit)
{
	if (limit <= 0)
		return NULL;
	struct bw_memo *memo = BW_NEW(struct bw_memo);
	atomic_init(&memo->references, 1);
	memo->n_stripes = 1;
	while (memo->n_stripes < MOST_STRIPES && limit / (2 * memo->n_stripes) >= LEAST_STRIPE_BYTES)
		memo->n_stripes *= 2;
	memo->whole_limit = limit;
	memo->limit = (size_t)limit / (size_t)memo->n_stripes;
	memo->stripes = BW_NEW_ARRAY(struct stripe, memo->n_stripes);
	for (int i = 0; i < memo->n_stripes; i++) {
		struct stripe *stripe = &memo->stripes[i];
		pthread_mutex_init(&stripe->lock, NULL);
		stripe->ends.newer = stripe->ends.older = &stripe->ends;
		stripe->n_buckets = FIRST_BUCKETS;
		stripe->buckets = BW_NEW_ARRAY(struct bw_memo_value *, FIRST_BUCKETS);
	}
	return memo;
}

struct bw_memo *bw_memo_keep(struct bw_memo *memo)
{
	if (memo)
		atomic_fetch_add(&memo->references, 1);
	return memo;
}

void bw_memo_drop(struct bw_memo *memo)
{
	if (!memo || atomic_fetch_sub(&memo->references, 1) > 1)
		return;
	for (int i = 0; i < memo->n_stripes; i++) {
		struct stripe *stripe = &memo->stripes[i];
		for (struct bw_memo_value *value = stripe->ends.newer, *next; value != &stripe->ends; value = next) {
			next = value->newer;
			bw_memo_value_drop(value);
		}
		free(stripe->buckets);
		pthread_mutex_destroy(&stripe->lock);
	}
	free(memo->stripes);
	free(memo);
}

static void unlink_value(struct bw_memo_value *value)
{
	value->older->newer = value->newer;
	value->newer->older = value->older;
}

bool bw_memo_shrink(struct bw_memo *memo)
{
	enum { VALUES_A_STEP = 256 };
	int left = VALUES_A_STEP;
	for (int i = 0; memo && i < memo->n_stripes && atomic_load(&memo->references) == 1; i++) {
		struct bw_memo_value *ends = &memo->stripes[i].ends;
		for (; ends->newer != ends && left; left--) {
			struct bw_memo_value *value = ends->newer;
			unlink_value(value);
			bw_memo_value_drop(value);
		}
	}
	if (left)
		bw_memo_drop(memo);
	return left;
}

static struct stripe *stripe_of(struct bw_memo *memo, uint64_t key)
{
	return &memo->stripes[(key >> 32) % (uint64_t)memo->n_stripes];
}

/* What refers to the value of a key, or to where it would be. */
static struct bw_memo_value **find(struct stripe *stripe, enum bw_memo_kind kind, uint64_t key)
{
	struct bw_memo_value **at = &stripe->buckets[key & (stripe->n_buckets - 1)];
	while (*at && ((*at)->key != key || (*at)->kind != kind))
		at = &(*at)->next;
	return at;
}

static void make_newest(struct stripe *stripe, struct bw_memo_value *value)
{
	value->newer = &stripe->ends;
	value->older = stripe->ends.older;
	value->older->newer = value;
	stripe->ends.older = value;
}

static void count_bytes(struct bw_memo *memo, struct stripe *stripe, long long more)
{
	stripe->bytes += (size_t)more;
	long long now = atomic_fetch_add(&memo->bytes, more) + more, peak = atomic_load(&memo->peak);
	while (now > peak && !atomic_compare_exchange_weak(&memo->peak, &peak, now))
		;
}

static void take_out(struct bw_memo *memo, struct stripe *stripe, struct bw_memo_value **at)
{
	struct bw_memo_value *value = *at;
	*at = value->next;
	unlink_value(value);
	count_bytes(memo, stripe, -(long long)(value->bytes + VALUE_BYTES));
	stripe->n--;
	bw_memo_value_drop(value);
}

static void grow(struct stripe *stripe)
{
	size_t n_buckets = 2 * stripe->n_buckets;
	struct bw_memo_value **buckets = BW_NEW_ARRAY(struct bw_memo_value *, n_buckets);
	for (struct bw_memo_value *value = stripe->ends.newer; value != &stripe->ends; value = value->newer) {
		struct bw_memo_value **bucket = &buckets[value->key & (n_buckets - 1)];
		value->next = *bucket;
		*bucket = value;
	}
	free(stripe->buckets);
	stripe->buckets = buckets;
	stripe->n_buckets = n_buckets;
}

struct bw_memo_value *bw_memo_get(struct bw_memo *memo, enum bw_memo_kind kind, uint64_t key)
{
	struct stripe *stripe = stripe_of(memo, key);
	pthread_mutex_lock(&stripe->lock);
	struct bw_memo_value *value = *find(stripe, kind, key);
	if (value) {
		value->used = true;
		bw_memo_value_keep(value);
		stripe->totals[kind].hits++;
	} else {
		stripe->totals[kind].misses++;
	}
	pthread_mutex_unlock(&stripe->lock);
	return value;
}

/* Gives up old values until so many bytes are free. */
static void make_room(struct bw_memo *memo, struct stripe *stripe, size_t bytes)
{
	while (stripe->bytes + bytes > memo->limit) {
		struct bw_memo_value *oldest = stripe->ends.newer;
		if (oldest->used) {
			oldest->used = false;
			unlink_value(oldest);
			make_newest(stripe, oldest);
		} else {
			stripe->totals[oldest->kind].evictions++;
			take_out(memo, stripe, find(stripe, oldest->kind, oldest->key));
		}
	}
}

void bw_memo_put(struct bw_memo *memo, enum bw_memo_kind kind, uint64_t key, struct bw_memo_value *value)
{
	struct stripe *stripe = stripe_of(memo, key);
	size_t bytes = value->bytes + VALUE_BYTES;
	if (bytes > memo->limit)
		return;
	pthread_mutex_lock(&stripe->lock);
	struct bw_memo_value **at = find(stripe, kind, key);
	if (*at)
		take_out(memo, stripe, at);
	make_room(memo, stripe, bytes);
	if (stripe->n >= stripe->n_buckets)
		grow(stripe);
	value->key = key;
	value->kind = kind;
	value->used = false;
	at = find(stripe, kind, key);
	value->next = NULL;
	*at = bw_memo_value_keep(value);
	make_newest(stripe, value);
	count_bytes(memo, stripe, (long long)bytes);
	stripe->n++;
	pthread_mutex_unlock(&stripe->lock);
}

struct bw_memo_counts bw_memo_counts(struct bw_memo *memo)
{
	struct bw_memo_counts counts = {0};
	if (!memo)
		return counts;
	for (int i = 0; i < memo->n_stripes; i++) {
		struct stripe *stripe = &memo->stripes[i];
		pthread_mutex_lock(&stripe->lock);
		for (int k = 0; k < BW_N_MEMO_KINDS; k++) {
			counts.kinds[k].hits += stripe->totals[k].hits;
			counts.kinds[k].misses += stripe->totals[k].misses;
			counts.kinds[k].evictions += stripe->totals[k].evictions;
		}
		pthread_mutex_unlock(&stripe->lock);
	}
	counts.limit_bytes = memo->whole_limit;
	counts.bytes = atomic_load(&memo->bytes);
	counts.peak_bytes = atomic_load(&memo->peak);
	counts.checked = atomic_load(&memo->checked);
	counts.wrong = atomic_load(&memo->wrong);
	return counts;
}

void bw_memo_check(struct bw_memo *memo)
{
	atomic_store(&memo->checks, true);
}

bool bw_memo_checks(const struct bw_memo *memo)
{
	return atomic_load(&((struct bw_memo *)memo)->checks);
}

void bw_memo_note(struct bw_memo *memo, bool right)
{
	atomic_fetch_add(&memo->checked, 1);
	atomic_fetch_add(&memo->wrong, !right);
}
