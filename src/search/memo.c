/* How values are found without a lock, and taken out under the eyes of those who read.
 *
 * Values stand in places, looked for from the one that their name says on until one was never taken. Who
 * changes a place holds the lock of its stripe; who reads one holds nothing. So a value that is taken out may
 * still be looked at, and waits in limbo for those who may. A place that has a name keeps it, so that name
 * and value belong together. */
#include "search/memo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "search/epoch.h"

/* Where a value stands: its address, with USED set where it was found since it was last thought of giving it
 * up. GONE: it was taken out; 0: none ever stood here. A reader needs nothing else of a value's head. */
struct place {
	uint64_t name;
	uintptr_t value;
};
enum { USED = 1, GONE = 2, MARKS = USED | GONE };

/* All places of a stripe; at least a quarter was never taken. It is given up as values are, where a new one
 * takes its place. */
struct table {
	struct bw_memo_value head;
	uint64_t mask; /* a power of two of places, less 1 */
	struct place places[];
};

/* VALUE_BYTES: of a value beside its own, its places, and what the allocator takes of a piece. Stripes of
 * less than LEAST_STRIPE_BYTES would keep too little of anything to be worth a lock. */
enum {
	VALUE_BYTES = 3 * sizeof(struct place) + 16,
	MOST_STRIPES = 16,
	LEAST_STRIPE_BYTES = 1 << 20,
	FIRST_PLACES = 16
};

/* A part of the memo with its own lock. All its values are in a ring through `ends`: ends.newer is the
 * oldest. One that was used since it came to the old end goes back to the new one when room is needed: so a
 * hit writes nothing but that the value was used, and that once, when the stripe fills. */
struct stripe {
	struct table *table;
	bool fills; /* it was half full: from then on it matters what is used */
	char apart[BW_APART];
	pthread_mutex_t lock;
	struct bw_memo_value ends;
	struct bw_limbo limbo;
	size_t n, n_taken, bytes, peak; /* values; places ever taken */
	long evictions[BW_N_MEMO_KINDS];
	char end[BW_APART];
};

struct bw_memo {
	size_t limit; /* of a stripe */
	int64_t whole_limit;
	int n_stripes; /* a power of two */
	struct stripe *stripes;
	atomic_bool checks;
	struct bw_epoch epoch;
	atomic_int references;
	atomic_long checked, wrong;
	char end[BW_APART];
};

static struct table *table_new(uint64_t n_places)
{
	size_t bytes = sizeof(struct table) + n_places * sizeof(struct place);
	struct table *table = bw_new_array(1, bytes);
	table->head = bw_memo_value_plain(bytes);
	table->mask = n_places - 1;
	return table;
}

/* Values are put in much faster than a thread falls asleep and is woken: who waits for a lock looks at it for
 * a while first, where the system can do that. */
static void make_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t how;
	pthread_mutexattr_init(&how);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
	pthread_mutexattr_settype(&how, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
	pthread_mutex_init(lock, &how);
	pthread_mutexattr_destroy(&how);
}

struct bw_memo *bw_memo_new(int64_t limit)
{
	if (limit <= 0)
		return NULL;
	struct bw_memo *memo = BW_NEW(struct bw_memo);
	atomic_init(&memo->references, 1);
	bw_epoch_begin(&memo->epoch);
	memo->n_stripes = 1;
	while (memo->n_stripes < MOST_STRIPES && limit / (2 * memo->n_stripes) >= LEAST_STRIPE_BYTES)
		memo->n_stripes *= 2;
	memo->whole_limit = limit;
	memo->limit = (size_t)limit / (size_t)memo->n_stripes;
	memo->stripes = BW_NEW_ARRAY(struct stripe, memo->n_stripes);
	for (int i = 0; i < memo->n_stripes; i++) {
		struct stripe *stripe = &memo->stripes[i];
		make_lock(&stripe->lock);
		stripe->ends.newer = stripe->ends.older = &stripe->ends;
		bw_limbo_begin(&stripe->limbo);
		stripe->table = table_new(FIRST_PLACES);
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
		bw_limbo_end(&stripe->limbo);
		free(stripe->table);
		pthread_mutex_destroy(&stripe->lock);
	}
	bw_epoch_end(&memo->epoch);
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

struct bw_memo_reader *bw_memo_enter(struct bw_memo *memo)
{
	return memo ? bw_epoch_enter(&memo->epoch, memo) : NULL;
}

static struct stripe *stripe_of(struct bw_memo *memo, uint64_t key)
{
	return &memo->stripes[(key >> 32) & (uint64_t)(memo->n_stripes - 1)];
}

/* Equal keys of two kinds are two hashes. */
static uint64_t name_of(enum bw_memo_kind kind, uint64_t key)
{
	return key ^ (uint64_t)kind * 0x9e3779b97f4a7c15;
}

/* The place with a name; where there is none, the one for it, where none ever stood. */
static struct place *find(struct table *table, uint64_t name, uintptr_t *value)
{
	for (uint64_t at = name;; at++) {
		struct place *place = &table->places[at & table->mask];
		*value = __atomic_load_n(&place->value, __ATOMIC_SEQ_CST);
		if (!*value || place->name == name)
			return place;
	}
}

static struct bw_memo_value *without_marks(uintptr_t value)
{
	return (
	    struct bw_memo_value *)(value &
				    ~(uintptr_t)
					MARKS); /* NOLINT(performance-no-int-to-ptr): it is one, with marks */
}

/* Counts for the one thread that writes here; others may read. */
static void count(long *counter)
{
	__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

struct bw_memo_value *bw_memo_get(struct bw_memo_reader *reader, enum bw_memo_kind kind, uint64_t key)
{
	uintptr_t value;
	if (!reader)
		return NULL;
	struct stripe *stripe = stripe_of(reader->memo, key);
	struct place *place = find(__atomic_load_n(&stripe->table, __ATOMIC_SEQ_CST), name_of(kind, key), &value);
	struct bw_memo_value *found = without_marks(value);
	if (found && !(value & USED) && __atomic_load_n(&stripe->fills, __ATOMIC_RELAXED))
		__atomic_compare_exchange_n(&place->value, &value, value | USED, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	count(found ? &reader->hits[kind] : &reader->misses[kind]);
	return found;
}

/* Here and below the stripe is locked. */
static void make_newest(struct stripe *stripe, struct bw_memo_value *value)
{
	value->newer = &stripe->ends;
	value->older = stripe->ends.older;
	value->older->newer = value;
	stripe->ends.older = value;
}

static void add_bytes(const struct bw_memo *memo, struct stripe *stripe, size_t bytes)
{
	stripe->bytes += bytes;
	stripe->peak = stripe->bytes > stripe->peak ? stripe->bytes : stripe->peak;
	if (!stripe->fills && stripe->bytes > memo->limit / 2)
		__atomic_store_n(&stripe->fills, true, __ATOMIC_RELAXED);
}

static void take_out(struct bw_memo *memo, struct stripe *stripe, struct place *place,
		     struct bw_memo_value *value)
{
	__atomic_store_n(&place->value, GONE, __ATOMIC_SEQ_CST);
	unlink_value(value);
	stripe->bytes -= value->bytes + VALUE_BYTES;
	stripe->n--;
	bw_limbo_put(&stripe->limbo, &memo->epoch, value);
}

/* Gives up old values until so many bytes are free. */
static void make_room(struct bw_memo *memo, struct stripe *stripe, size_t bytes)
{
	while (stripe->bytes + bytes > memo->limit) {
		struct bw_memo_value *oldest = stripe->ends.newer;
		uintptr_t marked;
		struct place *place = find(stripe->table, oldest->name, &marked);
		if (marked & USED) {
			__atomic_store_n(&place->value, (uintptr_t)oldest, __ATOMIC_SEQ_CST);
			unlink_value(oldest);
			make_newest(stripe, oldest);
		} else {
			stripe->evictions[oldest->kind]++;
			take_out(memo, stripe, place, oldest);
		}
	}
}

/* Places of which at least half were never taken, for all values that are there. Readers of the table before
 * find in it what they would have found. */
static void make_places(struct bw_memo *memo, struct stripe *stripe)
{
	struct table *before = stripe->table;
	uint64_t n_before = before->mask + 1;
	struct table *table = table_new(2 * stripe->n > n_before ? 2 * n_before : n_before);
	for (struct place *place = before->places; place < before->places + n_before; place++) {
		uintptr_t value = __atomic_load_n(&place->value, __ATOMIC_RELAXED), none;
		if (without_marks(value))
			*find(table, place->name, &none) = (struct place){place->name, value};
	}
	stripe->n_taken = stripe->n;
	__atomic_store_n(&stripe->table, table, __ATOMIC_SEQ_CST);
	bw_limbo_put(&stripe->limbo, &memo->epoch, &before->head);
}

static void put_in(struct bw_memo *memo, struct stripe *stripe, struct bw_memo_value *value)
{
	size_t bytes = value->bytes + VALUE_BYTES;
	uintptr_t there;
	struct place *place = find(stripe->table, value->name, &there);
	if (without_marks(there))
		take_out(memo, stripe, place, without_marks(there));
	make_room(memo, stripe, bytes);
	if (4 * (stripe->n_taken + 1) > 3 * stripe->table->mask)
		make_places(memo, stripe);
	place = find(stripe->table, value->name, &there);
	stripe->n_taken += !there;
	if (!there)
		place->name = value->name;
	__atomic_store_n(&place->value, (uintptr_t)value, __ATOMIC_SEQ_CST);
	make_newest(stripe, value);
	add_bytes(memo, stripe, bytes);
	stripe->n++;
}

struct bw_memo_held bw_memo_put(struct bw_memo_reader *reader, enum bw_memo_kind kind, uint64_t key,
				struct bw_memo_value *value)
{
	if (!reader)
		return (struct bw_memo_held){value, true};
	struct bw_memo *memo = reader->memo;
	struct stripe *stripe = stripe_of(memo, key);
	value->name = name_of(kind, key);
	value->kind = kind;
	value->giver = reader;
	bw_epoch_take_back(reader);
	pthread_mutex_lock(&stripe->lock);
	if (value->bytes + VALUE_BYTES > memo->limit)
		bw_limbo_put(&stripe->limbo, &memo->epoch, value);
	else
		put_in(memo, stripe, value);
	bw_limbo_release(&stripe->limbo, &memo->epoch);
	pthread_mutex_unlock(&stripe->lock);
	return (struct bw_memo_held){value, false};
}

static void add_counts(struct stripe *stripe, struct bw_memo_counts *counts)
{
	pthread_mutex_lock(&stripe->lock);
	counts->bytes += (int64_t)stripe->bytes;
	counts->peak_bytes += (int64_t)stripe->peak;
	for (int k = 0; k < BW_N_MEMO_KINDS; k++)
		counts->kinds[k].evictions += stripe->evictions[k];
	pthread_mutex_unlock(&stripe->lock);
}

struct bw_memo_counts bw_memo_counts(struct bw_memo *memo)
{
	struct bw_memo_counts counts = {0};
	if (!memo)
		return counts;
	for (int i = 0; i < memo->n_stripes; i++)
		add_counts(&memo->stripes[i], &counts);
	for (struct bw_memo_reader *reader = atomic_load(&memo->epoch.readers); reader; reader = reader->next)
		for (int k = 0; k < BW_N_MEMO_KINDS; k++) {
			counts.kinds[k].hits += __atomic_load_n(&reader->hits[k], __ATOMIC_RELAXED);
			counts.kinds[k].misses += __atomic_load_n(&reader->misses[k], __ATOMIC_RELAXED);
		}
	counts.limit_bytes = memo->whole_limit;
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
