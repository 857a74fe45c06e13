/* Processes of the worker's own: what a compiled schedule does to its process is told, not shared. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/worker.h"

/* In the child: what crashes ends it, whatever handlers a sanitizer or a driver has put in place. */
static void crash_plainly(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
	for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
		signal(signals[k], SIG_DFL);
}

static const char *phase_text(int phase)
{
	static const char *const texts[] = {
#define X(name, text) text,
		BW_PHASE_TABLE(X)
#undef X
	};
	return texts[phase];
}

/* SIGCHLD is blocked while a child lives, so that sigtimedwait can wait for it; `old` gets the mask to go back to. */
static void block_child_signal(sigset_t *child, sigset_t *old)
{
	sigemptyset(child);
	sigaddset(child, SIGCHLD);
	sigprocmask(SIG_BLOCK, child, old);
}

/* Waits for the child, at most until `deadline`; false when it has to be killed. */
static bool wait_until(pid_t child, const sigset_t *signals, double deadline, int *status)
{
	for (;;) {
		pid_t got = waitpid(child, status, WNOHANG);
		if (got == child)
			return true;
		double left = deadline - bw_now();
		if (left <= 0)
			return false;
		if (left > 1)
			left = 1;
		struct timespec time = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
		sigtimedwait(signals, NULL, &time);
	}
}

static bool judge(int status, int phase, struct bw_error *error)
{
	if (WIFSIGNALED(status) && phase != BW_PHASE_ANSWERED)
		return bw_fail(error, BW_ERROR_DEVICE, "crashed with signal %s while %s", sigabbrev_np(WTERMSIG(status)), phase_text(phase));
	if (phase != BW_PHASE_ANSWERED)
		return bw_fail(error, BW_ERROR_DEVICE, "ended its process with status %d while %s", WEXITSTATUS(status), phase_text(phase));
	return true;
}

bool bw_supervise(bw_supervised *job, void *context, double limit, struct bw_progress *answer, struct bw_error *error)
{
	struct bw_progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		return bw_fail(error, BW_ERROR_FAILED, "no memory: %s", strerror(errno));
	sigset_t signals, old;
	block_child_signal(&signals, &old);
	pid_t parent = getpid(), child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		sigprocmask(SIG_SETMASK, &old, NULL);
		crash_plainly();
		job(context, progress);
		_exit(0);
	}
	int status = 0;
	bool good = child > 0;
	if (!good) {
		bw_fail(error, BW_ERROR_FAILED, "no process: %s", strerror(errno));
	} else if (wait_until(child, &signals, bw_now() + limit, &status)) {
		good = judge(status, progress->phase, error);
	} else {
		kill(child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		good = progress->phase == BW_PHASE_ANSWERED;
		if (!good)
			bw_fail(error, BW_ERROR_DEVICE, "killed at the limit of %g s while %s", limit, phase_text(progress->phase));
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	*answer = *progress;
	if (good && answer->error.kind != BW_ERROR_NONE) {
		*error = answer->error;
		good = false;
	}
	munmap(progress, sizeof *progress);
	return good;
}
