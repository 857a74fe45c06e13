/* Threads and their locks. */
#pragma once
#include <pthread.h>
#include <stdbool.h>

/* Begins a thread that blocks all signals except those of its own faults, such as SIGSEGV. The thread that
 * reads keys handles the blocked signals. Returns 0 or an error number, like pthread_create. */
int bw_thread_begin(pthread_t *thread, void *(*run)(void *data), void *data);

/* Initializes a lock and a condition variable that uses the clock of bw_clock. */
void bw_lock_begin(pthread_mutex_t *lock, pthread_cond_t *changed);
void bw_lock_end(pthread_mutex_t *lock, pthread_cond_t *changed);
/* Waits until the condition is signalled, or for at most `seconds` (up to 1e6). The caller must hold the
 * lock. Returns false on timeout. */
bool bw_lock_wait(pthread_mutex_t *lock, pthread_cond_t *changed, double seconds);

enum { BW_MOST_THREADS = 64 };

/* Calls work(data) on `threads` threads at once, at most BW_MOST_THREADS, including the caller's. Returns
 * when all calls have returned. If the system cannot create more threads, there are fewer calls. So each
 * call must take parts of the work until none is left. */
void bw_parallel(int threads, void (*work)(void *data), void *data);
