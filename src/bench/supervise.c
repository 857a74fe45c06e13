/* Runs a job in a child process of the worker. A crash of a compiled schedule ends only the child, and is
 * reported. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "bench/turn.h"

/* Resets the signal handlers, which a sanitizer or a driver may have set, so that a crash ends the child. */
static void crash_plainly(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
	for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
		signal(signals[k], SIG_DFL);
}

static BW_WORDS(phase_text, int, BW_PHASE_TABLE(BW_SECOND))

/* Waits for the child only: the watch of a caller that has none. */
static bool watch_child(void *context, int child, double seconds)
{
	(void)context;
	poll(&(struct pollfd){child, POLLIN, 0}, 1, (int)(seconds * 1e3) + 1);
	return true;
}

enum ending { ENDED, LATE, UNWANTED };

/* Waits for the child, at most until `deadline`. The child's waiting for its turn extends the deadline. Polls
 * often if the kernel has no pidfd. */
static enum ending wait_until(pid_t child, const struct bw_watch *watch, double deadline,
			      const struct bw_progress *progress, int *status)
{
	static const double tick = 0.02, longest = 1, most_waiting = 1800;
	int file = pidfd_open(child, 0);
	enum ending how = ENDED;
	double said = 0;
	while (waitpid(child, status, WNOHANG) != child) {
		bool waits = progress->phase == BW_PHASE_WAITING;
		double until = deadline + (waits ? most_waiting : progress->waited);
		double most = file < 0 ? tick : longest, left = until - bw_clock();
		how = left <= 0							     ? LATE
		      : watch->wait(watch->context, file, left < most ? left : most) ? ENDED
										     : UNWANTED;
		if (how != ENDED)
			break;
		if (progress->phase != BW_PHASE_WAITING || !watch->waits || bw_clock() < said + longest / 2)
			continue;
		said = bw_clock();
		char holder[256];
		bw_turn_holder(progress->turn, holder, sizeof holder);
		watch->waits(watch->context, progress->waited + said - progress->since, holder);
	}
	if (file >= 0)
		close(file);
	return how;
}

/* Returns true if the child answered. Otherwise returns false with an error that says how the child ended,
 * and in which phase. */
static bool judge(int status, int phase, struct bw_error *error)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGILL && phase != BW_PHASE_ANSWERED)
		return bw_fail(
		    error, BW_ERROR_DEVICE,
		    "crashed with signal ILL while %s, on an instruction that this processor does not know: compile without the features that it lacks (--target)",
		    phase_text(phase));
	if (WIFSIGNALED(status) && phase != BW_PHASE_ANSWERED)
		return bw_fail(error, BW_ERROR_DEVICE, "crashed with signal %s while %s",
			       sigabbrev_np(WTERMSIG(status)), phase_text(phase));
	if (phase != BW_PHASE_ANSWERED)
		return bw_fail(error, BW_ERROR_DEVICE, "ended its process with status %d while %s",
			       WEXITSTATUS(status), phase_text(phase));
	return true;
}

/* Kills a child that is late or unwanted. Returns false with an error, unless a late child had already
 * answered. */
static bool end_child(pid_t child, enum ending why, double limit, const struct bw_progress *progress,
		      struct bw_error *error)
{
	kill(child, SIGKILL);
	bw_process_reap(child);
	if (why == UNWANTED)
		return bw_fail(error, BW_ERROR_STOPPED, "cancelled");
	return progress->phase == BW_PHASE_ANSWERED ||
	       bw_fail(error, BW_ERROR_DEVICE, "killed at the limit of %g s while %s", limit,
		       phase_text(progress->phase));
}

static bool run_child(bw_supervised *job, void *context, double limit, const struct bw_watch *watch,
		      struct bw_progress *progress, struct bw_error *error)
{
	static const struct bw_watch alone = {.wait = watch_child};
	pid_t child = bw_process_fork(SIGKILL);
	if (child < 0)
		return bw_fail(error, BW_ERROR_FAILED, "no process: %s", strerror(errno));
	if (child == 0) {
		crash_plainly();
		job(context, progress);
		_exit(0);
	}
	int status = 0;
	enum ending how = wait_until(child, watch ? watch : &alone, bw_clock() + limit, progress, &status);
	progress->signal = how == ENDED && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return how == ENDED ? judge(status, progress->phase, error)
			    : end_child(child, how, limit, progress, error);
}

bool bw_supervise(bw_supervised *job, void *context, double limit, const struct bw_watch *watch,
		  struct bw_progress *answer, struct bw_error *error)
{
	struct bw_progress *progress =
	    mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		return bw_fail(error, BW_ERROR_FAILED, "no memory: %s", strerror(errno));
	bool good = run_child(job, context, limit, watch, progress, error);
	*answer = *progress;
	if (good && answer->error.kind != BW_ERROR_NONE) {
		*error = answer->error;
		good = false;
	}
	munmap(progress, sizeof *progress);
	return good;
}
