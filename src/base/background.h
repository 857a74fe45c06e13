/* A computation on a thread of its own that says by a file descriptor when there is something new. Unlike
 * a routine it runs beside its owner all the time: what both touch is atomic, or waits for the end. */
#ifndef BW_BASE_BACKGROUND_H
#define BW_BASE_BACKGROUND_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"

/* Zeros: nothing was begun. */
struct bw_background {
	void (*body)(void *data);
	void *data;
	pthread_t thread;
	int pipe[2];
	bool running;      /* the thread was begun, and has not been joined */
	atomic_bool stop;  /* the body shall return soon */
	atomic_bool ended; /* the body has returned */
};

/* Begins a thread that runs body(data). Fails if the system has no more threads or descriptors; what: named
 * in the error. */
bool bw_background_begin(struct bw_background *background, void (*body)(void *data), void *data,
			 const char *what, struct bw_error *error);
/* Makes the descriptor readable: what the body calls when it has found something. */
void bw_background_tell(struct bw_background *background);
/* Takes what was told. Returns true if the body has returned, so that joining does not wait. */
bool bw_background_heard(struct bw_background *background);
/* Waits until the body returns. Does nothing where no thread runs. */
void bw_background_join(struct bw_background *background);
/* Writes the descriptor to wait for, if there is one and room for it. Returns how many were written. */
int bw_background_fds(const struct bw_background *background, int *fds, int most);
#endif
