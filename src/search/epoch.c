#include "search/epoch.h"

#include <stdlib.h>

#include "base/mem.h"

/* A reader that so many values wait for has outstayed. */
enum { MOST_GIVEN_UP = 64 };

static void release_plain(struct bw_memo_value *value)
{
	free(value);
}

struct bw_memo_value bw_memo_value_plain(size_t bytes)
{
	return (struct bw_memo_value){.references = 1, .bytes = bytes, .release = release_plain};
}

void bw_memo_value_drop(struct bw_memo_value *value)
{
	if (value && !__atomic_sub_fetch(&value->references, 1, __ATOMIC_ACQ_REL))
		value->release(value);
}

void bw_memo_held_keep(struct bw_memo_held *held)
{
	if (held->value && !held->kept)
		__atomic_add_fetch(&held->value->references, 1, __ATOMIC_RELAXED);
	held->kept = held->value;
}

void bw_memo_held_drop(struct bw_memo_held *held)
{
	if (held->kept)
		bw_memo_value_drop(held->value);
	*held = (struct bw_memo_held){0};
}

void bw_epoch_begin(struct bw_epoch *epoch)
{
	atomic_init(&epoch->readers, NULL);
	atomic_init(&epoch->time, 1);
}

void bw_epoch_end(struct bw_epoch *epoch)
{
	for (struct bw_memo_reader *reader = atomic_load(&epoch->readers), *next; reader; reader = next) {
		next = reader->next;
		bw_epoch_take_back(reader);
		free(reader);
	}
}

/* A reader that nobody had. */
static struct bw_memo_reader *reader_new(struct bw_epoch *epoch, struct bw_memo *memo)
{
	struct bw_memo_reader *reader = BW_NEW(struct bw_memo_reader), *first = atomic_load(&epoch->readers);
	reader->memo = memo;
	reader->epoch = epoch;
	reader->thread = pthread_self();
	atomic_init(&reader->since, atomic_load(&epoch->time));
	do
		reader->next = first;
	while (!atomic_compare_exchange_weak(&epoch->readers, &first, reader));
	return reader;
}

/* Whether this thread had it last. */
static bool is_here(const struct bw_memo_reader *reader)
{
	return pthread_equal(__atomic_load_n(&reader->thread, __ATOMIC_RELAXED), pthread_self());
}

static bool take(struct bw_memo_reader *reader)
{
	unsigned long long nobody = 0;
	return !atomic_load_explicit(&reader->since, memory_order_relaxed) &&
	       atomic_compare_exchange_strong(&reader->since, &nobody, atomic_load(&reader->epoch->time));
}

/* A reader that is not in use, taken: the one that this thread had last, or any. NULL: there is none. */
static struct bw_memo_reader *reader_at_hand(struct bw_epoch *epoch, bool any)
{
	for (struct bw_memo_reader *reader = atomic_load(&epoch->readers); reader; reader = reader->next)
		if ((any || is_here(reader)) && take(reader))
			return reader;
	return NULL;
}

struct bw_memo_reader *bw_epoch_enter(struct bw_epoch *epoch, struct bw_memo *memo)
{
	struct bw_memo_reader *reader = reader_at_hand(epoch, false);
	if (!reader && (reader = reader_at_hand(epoch, true)))
		__atomic_store_n(&reader->thread, pthread_self(), __ATOMIC_RELAXED);
	return reader ? reader : reader_new(epoch, memo);
}

void bw_memo_leave(struct bw_memo_reader *reader)
{
	if (!reader)
		return;
	bw_epoch_take_back(reader);
	atomic_store(&reader->since, 0);
}

bool bw_memo_outstayed(const struct bw_memo_reader *reader)
{
	return reader && atomic_load_explicit(&reader->epoch->time, memory_order_relaxed) -
				 atomic_load_explicit(&reader->since, memory_order_relaxed) >
			     MOST_GIVEN_UP;
}

/* When the reader that is there for the longest time entered. */
static uint64_t earliest(struct bw_epoch *epoch)
{
	uint64_t time = UINT64_MAX;
	for (struct bw_memo_reader *reader = atomic_load(&epoch->readers); reader; reader = reader->next) {
		uint64_t since = atomic_load(&reader->since);
		if (since && since < time)
			time = since;
	}
	return time;
}

void bw_limbo_begin(struct bw_limbo *limbo)
{
	limbo->first = NULL;
	limbo->last = &limbo->first;
}

static bool reads(const struct bw_memo_reader *reader)
{
	return atomic_load_explicit(&reader->since, memory_order_relaxed);
}

static void give_back(struct bw_memo_value *value)
{
	_Atomic(struct bw_memo_value *) *returned = &value->giver->returned;
	value->older = atomic_load_explicit(returned, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(returned, &value->older, value, memory_order_release,
						      memory_order_relaxed))
		;
}

void bw_epoch_take_back(struct bw_memo_reader *reader)
{
	if (!atomic_load_explicit(&reader->returned, memory_order_relaxed))
		return;
	for (struct bw_memo_value *
		 value = atomic_exchange_explicit(&reader->returned, NULL, memory_order_acquire),
		*next;
	     value; value = next) {
		next = value->older;
		bw_memo_value_drop(value);
	}
}

/* Releases what was given up before a time; all: the memo ends, and with it all readers. */
static void release_before(struct bw_limbo *limbo, uint64_t time, bool all)
{
	while (limbo->first && limbo->first->given_up < time) {
		struct bw_memo_value *value = limbo->first;
		limbo->first = value->newer;
		if (!all && value->giver && reads(value->giver) && !is_here(value->giver))
			give_back(value);
		else
			bw_memo_value_drop(value);
	}
	if (!limbo->first)
		limbo->last = &limbo->first;
}

void bw_limbo_end(struct bw_limbo *limbo)
{
	release_before(limbo, UINT64_MAX, true);
}

void bw_limbo_release(struct bw_limbo *limbo, struct bw_epoch *epoch)
{
	if (limbo->first)
		release_before(limbo, earliest(epoch), false);
}

void bw_limbo_put(struct bw_limbo *limbo, struct bw_epoch *epoch, struct bw_memo_value *value)
{
	value->newer = NULL;
	value->given_up = atomic_fetch_add(&epoch->time, 1);
	*limbo->last = value;
	limbo->last = &value->newer;
}
