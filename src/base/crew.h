/* A pool of threads that help the calling thread with its work. */
#ifndef BW_BASE_CREW_H
#define BW_BASE_CREW_H

struct bw_crew;
/* Returns a pool of `threads` threads including the caller, at most BW_MOST_CREW, or fewer if the system
 * has no more. Free with bw_crew_dismiss. */
enum { BW_MOST_CREW = 64 };
struct bw_crew *bw_crew_new(int threads);
/* Calls work(data) on all threads, the caller's among them, and returns when all calls have returned. work
 * must return when nothing is left to do. A thread that wakes up after the caller's own call has returned
 * does not call it. If crew is NULL, only the caller works. */
void bw_crew_work(struct bw_crew *crew, void (*work)(void *data), void *data);
/* bw_crew_work in two parts: bw_crew_call starts work(data) on all threads but the caller's, bw_crew_await
 * waits for the threads that have started it. The caller may do other things in between. */
void bw_crew_call(struct bw_crew *crew, void (*work)(void *data), void *data);
void bw_crew_await(struct bw_crew *crew);
/* Yields the processor if there are more threads than processors; for a loop that waits for a change. */
void bw_crew_pause(const struct bw_crew *crew);
/* Ends the threads and frees the pool. Accepts NULL. */
void bw_crew_dismiss(struct bw_crew *crew);
#endif
