#include "base/thread.h"

#include <signal.h>

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
