/* Threads that help another one with its work, from when they are first called until they are dismissed. */
#ifndef BW_BASE_CREW_H
#define BW_BASE_CREW_H

struct bw_crew;
/* One of so many threads, the caller's among them; fewer where the system has no more. At most BW_MOST_CREW. */
enum { BW_MOST_CREW = 64 };
struct bw_crew *bw_crew_new(int threads);
/* Has all threads call work(data), the caller first; each is to return when nothing is left to do. One that wakes up after the caller has returned from it does not
 * begin. Ends when all that have begun are back. crew NULL: the caller is alone. */
void bw_crew_work(struct bw_crew *crew, void (*work)(void *data), void *data);
/* The same in two parts, between which the caller does what it likes: all threads but its own are called; and those that have begun are waited for. */
void bw_crew_call(struct bw_crew *crew, void (*work)(void *data), void *data);
void bw_crew_await(struct bw_crew *crew);
/* For one that looks at something until it changes: lets others run where there are more of them than processors. */
void bw_crew_pause(const struct bw_crew *crew);
/* NULL is nothing to dismiss. */
void bw_crew_dismiss(struct bw_crew *crew);
#endif
