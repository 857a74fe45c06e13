/* Threads and their locks. */
#pragma once
#include <pthread.h>
#include <stdbool.h>

/* Begins a thread in which all signals are blocked but those of its own faults: they are left to the
 * thread that reads keys. Returns zero, or the number of an error as pthread_create does. */
int bw_thread_begin(pthread_t *thread, void *(*run)(void *data), void *data);

/* Begins a lock and a condition under it, by the clock of bw_clock. */
void bw_lock_begin(pthread_mutex_t *lock, pthread_cond_t *changed);
void bw_lock_end(pthread_mutex_t *lock, pthread_cond_t *changed);
/* Waits until the condition is signalled, or for at most `seconds` (to 1e6). Under the lock. Returns
 * false if the time is over. */
bool bw_lock_wait(pthread_mutex_t *lock, pthread_cond_t *changed, double seconds);

enum { BW_MOST_THREADS = 64 };

/* Calls work(data) on `threads` threads at once, at most BW_MOST_THREADS, the caller's among them, and
 * returns when all calls have returned. If the system has no more threads, there are fewer calls: so each
 * call takes a part of the work until none is left. */
void bw_parallel(int threads, void (*work)(void *data), void *data);
