#include "base/background.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/thread.h"

static void *run(void *data)
{
	struct bw_background *background = data;
	background->body(background->data);
	atomic_store(&background->ended, true);
	bw_background_tell(background);
	return NULL;
}

static void close_pipe(struct bw_background *background)
{
	close(background->pipe[0]);
	close(background->pipe[1]);
}

bool bw_background_begin(struct bw_background *background, void (*body)(void *data), void *data,
			 const char *what, struct bw_error *error)
{
	background->body = body;
	background->data = data;
	atomic_store(&background->stop, false);
	atomic_store(&background->ended, false);
	/* Neither end blocks: a full pipe is readable already. */
	if (pipe2(background->pipe, O_CLOEXEC | O_NONBLOCK))
		return bw_fail(error, BW_ERROR_FAILED, "%s: the system has no more file descriptors", what);
	background->running = !bw_thread_begin(&background->thread, run, background);
	if (background->running)
		return true;
	close_pipe(background);
	return bw_fail(error, BW_ERROR_FAILED, "%s: the system has no more threads", what);
}

void bw_background_tell(struct bw_background *background)
{
	if (write(background->pipe[1], "", 1) < 0)
		return;
}

bool bw_background_heard(struct bw_background *background)
{
	char bytes[64];
	while (read(background->pipe[0], bytes, sizeof bytes) > 0)
		continue;
	return atomic_load(&background->ended);
}

void bw_background_join(struct bw_background *background)
{
	if (!background->running)
		return;
	pthread_join(background->thread, NULL);
	background->running = false;
	close_pipe(background);
}

int bw_background_fds(const struct bw_background *background, int *fds, int most)
{
	if (!background->running || most < 1)
		return 0;
	fds[0] = background->pipe[0];
	return 1;
}
