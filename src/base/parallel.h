/* Work on several threads. */
#ifndef BW_BASE_PARALLEL_H
#define BW_BASE_PARALLEL_H

enum { BW_MOST_THREADS = 64 };

/* Calls work(data) on `threads` threads at once, at most BW_MOST_THREADS, the caller's among them, and
 * returns when all calls have returned. If the system has no more threads, there are fewer calls: so each
 * call takes a part of the work until none is left. */
void bw_parallel(int threads, void (*work)(void *data), void *data);
#endif
