#include "base/thread.h"

#include <signal.h>

#include "base/clock.h"

int bw_thread_begin(pthread_t *thread, void *(*run)(void *data), void *data)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
	sigset_t blocked, before;
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	int error = pthread_create(thread, NULL, run, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

void bw_lock_begin(pthread_mutex_t *lock, pthread_cond_t *changed)
{
	pthread_condattr_t attributes;
	pthread_mutex_init(lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

void bw_lock_end(pthread_mutex_t *lock, pthread_cond_t *changed)
{
	pthread_cond_destroy(changed);
	pthread_mutex_destroy(lock);
}

bool bw_lock_wait(pthread_mutex_t *lock, pthread_cond_t *changed, double seconds)
{
	struct timespec until = bw_clock_in(seconds);
	return pthread_cond_timedwait(changed, lock, &until) == 0;
}

struct call {
	void (*work)(void *data);
	void *data;
};

static void *run(void *data)
{
	const struct call *call = data;
	call->work(call->data);
	return NULL;
}

void bw_parallel(int threads, void (*work)(void *data), void *data)
{
	pthread_t others[BW_MOST_THREADS];
	struct call call = {work, data};
	int n = 0;
	while (n + 1 < threads && n + 1 < BW_MOST_THREADS && pthread_create(&others[n], NULL, run, &call) == 0)
		n++;
	work(data);
	while (n)
		pthread_join(others[--n], NULL);
}
