/* When a value that was given up can be released though others read: epoch-based reclamation (Fraser,
 * "Practical lock-freedom", 2004, section 5.2.3).
 *
 * What is given up waits in limbo, and the invariant is that it is released only when every reader there is
 * entered after it was given up. An epoch's time tells what came first: it goes on by one with each value
 * given up, and a reader notes it when it enters. That nobody who entered later can come upon the value
 * follows from one order of all that is said here, and of the places that values stand in, atomically: a
 * value is taken out of its place, then time goes on, then readers are looked at; a reader notes the time,
 * then looks into places. */
#ifndef BW_SEARCH_EPOCH_H
#define BW_SEARCH_EPOCH_H
#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "search/memo.h"

/* Readers are made where all are in use, and never freed before the memo is. A thread gets the same one
 * again, if it can. */
struct bw_memo_reader {
	struct bw_memo *memo;
	struct bw_epoch *epoch;
	struct bw_memo_reader *next;
	pthread_t thread; /* that had it last */
	atomic_ullong since;        /* when it entered; 0: nobody reads with it */
	long hits[BW_N_MEMO_KINDS]; /* of all who read with it */
	long misses[BW_N_MEMO_KINDS];
	char apart[BW_APART];
	_Atomic(struct bw_memo_value *)
	    returned; /* that it put there, and others have taken out for good: by `older` */
	char end[BW_APART];
};

struct bw_epoch {
	_Atomic(struct bw_memo_reader *) readers; /* that ever were */
	char apart[BW_APART];
	atomic_ullong time; /* values given up so far, and 1 */
};
void bw_epoch_begin(struct bw_epoch *epoch);
/* Nobody reads any more. */
void bw_epoch_end(struct bw_epoch *epoch);
struct bw_memo_reader *bw_epoch_enter(struct bw_epoch *epoch, struct bw_memo *memo);

/* Values given up and not released, the first one first. One thread at a time works with it. */
struct bw_limbo {
	struct bw_memo_value *first, **last;
};
void bw_limbo_begin(struct bw_limbo *limbo);
/* Releases all. */
void bw_limbo_end(struct bw_limbo *limbo);
/* Gives up a value that is in no place any more, or never was. */
void bw_limbo_put(struct bw_limbo *limbo, struct bw_epoch *epoch, struct bw_memo_value *value);
/* Releases what no reader can look at any more. What another thread put there is returned to that while it
 * reads: allocators take best back what the same thread got from them. */
void bw_limbo_release(struct bw_limbo *limbo, struct bw_epoch *epoch);
/* Releases what was returned to a reader. */
void bw_epoch_take_back(struct bw_memo_reader *reader);
#endif
