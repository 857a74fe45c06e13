/* A function on a thread of its own that takes turns with the thread that began it: only one of the two runs
 * at a time. So they share data without locks, the function computes in plain loops, and its owner can answer
 * keys in between and look at what has been found so far. An owner that never takes its turn back runs beside
 * the function; what both touch then is atomic, or waits for the end. */
#pragma once
#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif
#include <stdbool.h>

struct bw_routine;

/* What a long computation asks every few microseconds: whether it is to go on. */
struct bw_yield {
	bool (*go_on)(void *data);
	void *data;
};
/* Returns false if the computation shall end: it then frees what it has not finished, and returns. Whoever is
 * asked may first do something else. NULL: it always goes on. */
static inline bool bw_yield(const struct bw_yield *yield)
{
	return !yield || yield->go_on(yield->data);
}
/* For struct bw_yield: goes on until a flag (const atomic_bool *data) is set. */
bool bw_yield_unless(void *data);

/* Returns a routine that has not begun. Its body asks `yield`. If the system has no thread for it, the body
 * runs whole when it is given its turn. */
struct bw_routine *bw_routine_new(void (*body)(const struct bw_yield *yield, void *data), void *data);
/* Returns 0 if the routine has a thread, or the error of pthread_create: a body that takes minutes, or that
 * its owner is to stop, must not be given its turn then. */
int bw_routine_threadless(const struct bw_routine *routine);
/* Gives the routine its turn, and returns at once: until bw_routine_hold, the owner must not touch what both
 * share. */
void bw_routine_release(struct bw_routine *routine);
/* Waits until the routine yields or ends, which it does soon. Returns true if it has ended. */
bool bw_routine_hold(struct bw_routine *routine);
/* Lets the routine run until it ends, for at most about `seconds`; 0: until it yields next. Returns true
 * if it has ended. */
bool bw_routine_go(struct bw_routine *routine, double seconds);
/* Writes the file descriptor that can be read once the routine has ended or has told something, for
 * poll(2), if there is one and room for it. Returns how many were written. Accepts NULL. */
int bw_routine_fds(const struct bw_routine *routine, int *fds, int most);
/* Makes the descriptor readable: what the body calls when it has found something. */
void bw_routine_tell(const struct bw_routine *routine);
/* Takes what was told, so that the descriptor is readable no longer unless the body has returned.
 * Returns true if it has. Takes no turn. */
bool bw_routine_heard(struct bw_routine *routine);
/* Has the routine end now, where it has not, and frees it. Accepts NULL. */
void bw_routine_end(struct bw_routine *routine);
