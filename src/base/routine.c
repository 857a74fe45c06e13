#include "base/routine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"

struct bw_routine {
	void (*body)(const struct bw_yield *yield, void *data);
	void *data;
	struct bw_yield yield;
	pthread_t thread;
	pthread_mutex_t lock; /* of `runs` and `ended` */
	pthread_cond_t turned;
	bool runs;          /* it is the routine's turn */
	bool ended;         /* its body has returned */
	int threadless;     /* 0: it has a thread; else why not: it runs whole when it is given its turn */
	atomic_bool wanted; /* the owner waits for its turn */
	atomic_bool ends;   /* the body shall return */
	int pipe[2]; /* its reading end, its writing end; -1: the system has no more of them */
};

/* Waits until it is the routine's turn. */
static void await_turn(struct bw_routine *routine)
{
	while (!routine->runs)
		pthread_cond_wait(&routine->turned, &routine->lock);
}

static void give_turn(struct bw_routine *routine)
{
	routine->runs = false;
	pthread_cond_broadcast(&routine->turned);
}

/* Lets the owner run if it wants to. Returns false if the body shall return. */
static bool take_turns(void *data)
{
	struct bw_routine *routine = data;
	if (atomic_load_explicit(&routine->wanted, memory_order_relaxed)) {
		pthread_mutex_lock(&routine->lock);
		give_turn(routine);
		await_turn(routine);
		pthread_mutex_unlock(&routine->lock);
	}
	return !atomic_load_explicit(&routine->ends, memory_order_relaxed);
}

bool bw_yield_unless(void *data)
{
	return !atomic_load_explicit((const atomic_bool *)data, memory_order_relaxed);
}

/* Marks the routine as ended and gives the turn back. Closes the pipe's write end, so that an owner that
 * polls the read end wakes up. */
static void finish(struct bw_routine *routine)
{
	pthread_mutex_lock(&routine->lock);
	routine->ended = true;
	give_turn(routine);
	if (routine->pipe[1] >= 0)
		close(routine->pipe[1]);
	routine->pipe[1] = -1;
	pthread_mutex_unlock(&routine->lock);
}

static void *run(void *data)
{
	struct bw_routine *routine = data;
	pthread_mutex_lock(&routine->lock);
	await_turn(routine);
	pthread_mutex_unlock(&routine->lock);
	routine->body(&routine->yield, routine->data);
	finish(routine);
	return NULL;
}

struct bw_routine *bw_routine_new(void (*body)(const struct bw_yield *yield, void *data), void *data)
{
	struct bw_routine *routine = BW_NEW(struct bw_routine);
	routine->body = body;
	routine->data = data;
	routine->yield = (struct bw_yield){take_turns, routine};
	bw_lock_begin(&routine->lock, &routine->turned);
	if (pipe2(routine->pipe, O_CLOEXEC | O_NONBLOCK)) /* a full pipe is readable already */
		routine->pipe[0] = routine->pipe[1] = -1;
	routine->threadless = bw_thread_begin(&routine->thread, run, routine);
	return routine;
}

int bw_routine_threadless(const struct bw_routine *routine)
{
	return routine->threadless;
}

/* Gives the routine its turn; `back`: until it yields next. */
static void release(struct bw_routine *routine, bool back)
{
	pthread_mutex_lock(&routine->lock);
	atomic_store_explicit(&routine->wanted, back, memory_order_relaxed);
	if (!routine->ended && !routine->threadless) {
		routine->runs = true;
		pthread_cond_broadcast(&routine->turned);
	}
	pthread_mutex_unlock(&routine->lock);
	if (routine->threadless && !routine->ended) {
		routine->body(&routine->yield, routine->data);
		finish(routine);
	}
}

void bw_routine_release(struct bw_routine *routine)
{
	release(routine, false);
}

static bool wait_for_turn(struct bw_routine *routine, double seconds)
{
	struct timespec until = bw_clock_in(seconds < 1e6 ? seconds : 1e6);
	while (routine->runs && seconds > 0)
		if (pthread_cond_timedwait(&routine->turned, &routine->lock, &until) == ETIMEDOUT)
			break;
	atomic_store_explicit(&routine->wanted, true, memory_order_relaxed);
	while (routine->runs)
		pthread_cond_wait(&routine->turned, &routine->lock);
	return routine->ended;
}

static bool hold_after(struct bw_routine *routine, double seconds)
{
	pthread_mutex_lock(&routine->lock);
	bool ended = wait_for_turn(routine, seconds);
	pthread_mutex_unlock(&routine->lock);
	return ended;
}

bool bw_routine_hold(struct bw_routine *routine)
{
	return hold_after(routine, 0);
}

bool bw_routine_go(struct bw_routine *routine, double seconds)
{
	release(routine, seconds <= 0);
	return hold_after(routine, seconds);
}

int bw_routine_fds(const struct bw_routine *routine, int *fds, int most)
{
	if (!routine || most < 1)
		return 0;
	fds[0] = routine->pipe[0];
	return 1;
}

void bw_routine_tell(const struct bw_routine *routine)
{
	if (routine->pipe[1] >= 0 && write(routine->pipe[1], "", 1) < 0)
		return;
}

bool bw_routine_heard(struct bw_routine *routine)
{
	char bytes[64];
	while (routine->pipe[0] >= 0 && read(routine->pipe[0], bytes, sizeof bytes) > 0)
		continue;
	pthread_mutex_lock(&routine->lock);
	bool ended = routine->ended;
	pthread_mutex_unlock(&routine->lock);
	return ended;
}

void bw_routine_end(struct bw_routine *routine)
{
	if (!routine)
		return;
	atomic_store_explicit(&routine->ends, true, memory_order_relaxed);
	if (!routine->threadless) {
		bw_routine_release(routine);
		pthread_join(routine->thread, NULL);
	}
	for (int end = 0; end < 2; end++)
		if (routine->pipe[end] >= 0)
			close(routine->pipe[end]);
	bw_lock_end(&routine->lock, &routine->turned);
	free(routine);
}
