/* A routine: a function on a thread of its own that takes turns with the owner, the thread that started
 * it. Only one of the two runs at a time, so they share data without locks. The function computes in plain
 * loops; between turns, the owner can react to keys and look at the results so far. An owner that never
 * takes back the turn runs in parallel with the function. Then all data that both access must be atomic,
 * or must wait for the end of the routine. */
#pragma once
#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
#else
#include <stdatomic.h>
#endif
#include <stdbool.h>

struct bw_routine;

/* A callback that a long computation calls every few microseconds to learn whether it should go on. */
struct bw_yield {
	bool (*go_on)(void *data);
	void *data;
};
/* Returns false if the computation must end: the caller then frees its unfinished results and returns. The
 * callback may do other work before it returns. yield NULL: always returns true. */
static inline bool bw_yield(const struct bw_yield *yield)
{
	return !yield || yield->go_on(yield->data);
}
/* A go_on function for struct bw_yield: returns true until a flag (const atomic_bool *data) is set. */
bool bw_yield_unless(void *data);

/* Returns a routine that has not begun. The body calls bw_yield with the `yield` that it is given. If the
 * system cannot create a thread, the whole body runs when the routine first gets its turn. */
struct bw_routine *bw_routine_new(void (*body)(const struct bw_yield *yield, void *data), void *data);
/* Returns 0 if the routine has a thread, else the error of pthread_create. Without a thread, do not give
 * the turn to a body that takes minutes or that the owner must be able to stop. */
int bw_routine_threadless(const struct bw_routine *routine);
/* Gives the turn to the routine and returns at once. Until it calls bw_routine_hold, the owner must not
 * access shared data. */
void bw_routine_release(struct bw_routine *routine);
/* Waits until the routine yields or ends, usually microseconds. Returns true if the routine has ended. */
bool bw_routine_hold(struct bw_routine *routine);
/* Lets the routine run until it ends, for at most about `seconds`. If `seconds` is 0, lets the routine run
 * until its next yield. Returns true if the routine has ended. */
bool bw_routine_go(struct bw_routine *routine, double seconds);
/* Writes to `fds` the file descriptor, for poll(2), that becomes readable when the routine ends or calls
 * bw_routine_tell. Writes nothing if there is no descriptor or `most` is 0. Returns the number written.
 * Accepts NULL. */
int bw_routine_fds(const struct bw_routine *routine, int *fds, int most);
/* Makes the descriptor readable. The body calls this function when it has found a result. */
void bw_routine_tell(const struct bw_routine *routine);
/* Clears the notifications of bw_routine_tell: the descriptor is no longer readable unless the body has
 * returned. Returns true if the body has returned. Does not take the turn. */
bool bw_routine_heard(struct bw_routine *routine);
/* Makes the routine end now if it is still running, and frees it. Accepts NULL. */
void bw_routine_end(struct bw_routine *routine);
