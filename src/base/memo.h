/* The memo: a cache of values that follow from a key alone, up to a number of bytes. Values that were
 * not used lately are evicted first. What the memo holds changes how
 * long something takes, and never what it finds. Several users may share one, if only one of them runs at a
 * time. Keys are hashes of 64 bits: that two of a million are equal by chance has odds of one in thirty
 * million.
 *
 * Values are reference counted. The memo holds one reference to each value; a caller that gets a value
 * has one of its own, so that the value stays if it is evicted. */
#ifndef BW_BASE_MEMO_H
#define BW_BASE_MEMO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/routine.h"

/* Kinds of values are numbered from 0 by whoever uses the memo. */
enum { BW_MEMO_KINDS = 8 };

/* A value: the head of a structure that is released when nobody refers to it. The caller sets the first
 * three fields (references: 1); the others are the memo's. A value can be in one memo only. */
struct bw_memo_value {
	int references;
	size_t bytes; /* that the value takes, with what it alone refers to */
	void (*release)(struct bw_memo_value *value);
	uint64_t name; /* key and kind */
	int kind;
	bool used;                           /* since it was last considered for eviction */
	struct bw_memo_value *newer, *older; /* in the ring of all values */
};
/* Returns the head of a value that is one piece of memory from the heap and refers to nothing. */
struct bw_memo_value bw_memo_value_plain(size_t bytes);
/* Adds a reference. Accepts NULL. */
struct bw_memo_value *bw_memo_value_keep(struct bw_memo_value *value);
/* Drops a reference. Accepts NULL. */
void bw_memo_value_drop(struct bw_memo_value *value);

struct bw_memo_totals {
	long hits, misses, evictions; /* of one kind */
};
struct bw_memo_counts {
	struct bw_memo_totals kinds[BW_MEMO_KINDS];
	int64_t limit_bytes, bytes, peak_bytes; /* with the memo's own table */
	long checked, wrong; /* hits that were compared with fresh values, and those that differed */
};

struct bw_memo;
/* Returns a memo of up to `limit` bytes; NULL if that is 0. The functions below accept NULL for a memo:
 * then nothing is found and nothing kept. */
struct bw_memo *bw_memo_new(int64_t limit);
struct bw_memo *bw_memo_keep(struct bw_memo *memo);
void bw_memo_drop(struct bw_memo *memo);
/* The same, and lets others have their turn meanwhile; nothing stops it. */
void bw_memo_give_back(struct bw_memo *memo, const struct bw_yield *yield);
/* Returns the value of a key with a new reference; NULL if there is none. */
struct bw_memo_value *bw_memo_get(struct bw_memo *memo, int kind, uint64_t key);
/* Adds a value under a key, in place of an older one, with a reference of the memo's own; returns it. A
 * value that is too large for the memo is not added. */
struct bw_memo_value *bw_memo_put(struct bw_memo *memo, int kind, uint64_t key,
				  struct bw_memo_value *value);
/* Returns all zero for NULL. */
struct bw_memo_counts bw_memo_counts(const struct bw_memo *memo);
/* From now on every hit is to be compared with a fresh value; the outcome is noted by bw_memo_note. */
void bw_memo_check(struct bw_memo *memo);
bool bw_memo_checks(const struct bw_memo *memo);
void bw_memo_note(struct bw_memo *memo, bool right);
#endif
