/* Threads that leave signals to the thread that reads keys. */
#ifndef BW_BASE_THREAD_H
#define BW_BASE_THREAD_H
#include <pthread.h>

/* Begins a thread in which all signals are blocked but those of its own faults. Returns zero, or the number
 * of an error as pthread_create does. */
int bw_thread_begin(pthread_t *thread, void *(*run)(void *data), void *data);
#endif
