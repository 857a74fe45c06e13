/* A memo: values that follow from a key alone, kept up to a number of bytes; what was not used lately is
 * given up first (Anderson et al. 2021, section 3.3). What it has or has not kept changes how long a search
 * takes and never what it finds. Several threads and searches may share one. Keys are hashes of 64 bits: that
 * two of a million are equal by chance has odds of one in thirty million.
 *
 * Threads come to the same values again and again, so a value that is found is lent: finding it writes
 * nothing that another thread reads. A thread enters the memo as a reader; what it gets or puts stays until
 * it leaves, even where the memo has given it up meanwhile. Who holds a value for longer keeps it. */
#ifndef BW_SEARCH_MEMO_H
#define BW_SEARCH_MEMO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is kept: name in C, key in JSON, meaning. */
#define BW_MEMO_TABLE(X) \
	X(VERDICTS, "verdicts", "what the rules said of a placement that is judged by itself") \
	X(PLACEMENTS, "placements", "Funcs placed") \
	X(KERNELS, "kernels", "kernels costed in a context") \
	X(COSTS, "costs", "what stages cost under the learned model, by what the whole schedule allocates") \
	X(PROPOSALS, "proposals", "tiles of a Func, as they are proposed")

enum bw_memo_kind {
#define X(name, key, meaning) BW_MEMO_##name,
	BW_MEMO_TABLE(X)
#undef X
	BW_N_MEMO_KINDS
};

/* A value: the head of a structure that is released when nobody refers to it. The caller sets the first three
 * fields (references: 1); the others are the memo's: a value can be in one memo once. */
struct bw_memo_value {
	int references;
	size_t bytes; /* that it takes, with what it alone refers to */
	void (*release)(struct bw_memo_value *value);
	uint64_t name;                       /* key and kind */
	enum bw_memo_kind kind;
	struct bw_memo_value *newer, *older; /* in its stripe; newer: also of what was given up, and waits */
	uint64_t given_up;                   /* when it was: one more than were before */
	struct bw_memo_reader *giver;        /* who put it there */
};
/* The head of a value that is one piece of memory of so many bytes, from the heap, and refers to nothing. */
struct bw_memo_value bw_memo_value_plain(size_t bytes);
/* NULL is nothing to drop. */
void bw_memo_value_drop(struct bw_memo_value *value);
/* A value as somebody holds it: lent, or kept by the holder. {NULL}: none. */
struct bw_memo_held {
	struct bw_memo_value *value;
	bool kept;
};
/* Keeps what is lent, before its reader leaves. */
void bw_memo_held_keep(struct bw_memo_held *held);
/* Holds nothing then. */
void bw_memo_held_drop(struct bw_memo_held *held);

struct bw_memo_totals {
	long hits, misses, evictions; /* of this kind */
};
struct bw_memo_counts {
	struct bw_memo_totals kinds[BW_N_MEMO_KINDS];
	int64_t limit_bytes, bytes,
	    peak_bytes; /* with the memo's own tables; without what was given up, and waits for readers; peak:
			   the sum of what its parts had at most */
	long checked, wrong; /* hits that were compared with fresh values, and those that differed */
};

struct bw_memo;
/* One that keeps up to `limit` bytes; NULL where that is 0: then nothing is kept. */
struct bw_memo *bw_memo_new(int64_t limit);
struct bw_memo *bw_memo_keep(struct bw_memo *memo);
void bw_memo_drop(struct bw_memo *memo);
/* The same, a little at a time where nobody else has it, who must not use it then: true where it is dropped.
 */
bool bw_memo_shrink(struct bw_memo *memo);
/* One thread's reading. NULL for NULL: then nothing is got, and nothing put. */
struct bw_memo_reader;
struct bw_memo_reader *bw_memo_enter(struct bw_memo *memo);
void bw_memo_leave(struct bw_memo_reader *reader);
/* Whether so much was given up since it entered, and waits for it, that it is to leave and enter again. */
bool bw_memo_outstayed(const struct bw_memo_reader *reader);
/* The value of a key, lent; NULL where there is none. */
struct bw_memo_value *bw_memo_get(struct bw_memo_reader *reader, enum bw_memo_kind kind, uint64_t key);
/* Takes over a value, under a key, in place of what was there, and lends it; where the reader is NULL it
 * stays the caller's. */
struct bw_memo_held bw_memo_put(struct bw_memo_reader *reader, enum bw_memo_kind kind, uint64_t key,
				struct bw_memo_value *value);
/* All zero for NULL. */
struct bw_memo_counts bw_memo_counts(struct bw_memo *memo);
/* From now on every hit is to be compared with a fresh value, whose outcome is noted by bw_memo_note. */
void bw_memo_check(struct bw_memo *memo);
bool bw_memo_checks(const struct bw_memo *memo);
void bw_memo_note(struct bw_memo *memo, bool right);
#endif
