/* Runs one search of an ablation in a child process, and shows its progress. */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "program/ablate.h"
#include "program/program.h"

/* Messages from the child: its progress, then its end. Shorter than PIPE_BUF, so that they are written and
 * read atomically. */
struct message {
	enum { MADE, DONE, FAILED } kind;
	int made, of;
	struct bw_ablated figures;
	struct bw_error error;
};

static void tell_made(int made, int of, void *data)
{
	const int *pipe = data;
	struct message message = {.kind = MADE, .made = made, .of = of};
	if (write(*pipe, &message, sizeof message) < 0)
		_exit(1);
}

/* Makes the heap grow on demand and never shrink, so that its final size is its peak. The resident set
 * size is not used, because it includes pages of files and of the parent. */
static void keep_heap(void)
{
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

/* The child process. The kernel kills it if its parent dies. It ends by _exit, because exit handlers and
 * open streams belong to the parent. */
static _Noreturn void search(const struct bw_ablate_job *job, int pipe)
{
	struct message message = {.kind = DONE};
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	keep_heap();
	double before = (double)mallinfo2().uordblks;
	if (!bw_ablate_run(job->pipeline, job->options, tell_made, &pipe, &message.figures, &message.error))
		message.kind = FAILED;
	message.figures.peak_bytes = (double)mallinfo2().arena - before;
	_exit(write(pipe, &message, sizeof message) == sizeof message ? 0 : 1);
}

/* Width of the line of progress. The next line overwrites it. */
enum { PROGRESS_COLUMNS = 78 };

static void show_progress(const struct bw_ablate_job *job, const struct message *message, double seconds)
{
	char line[PROGRESS_COLUMNS + 1];
	if (!job->progress)
		return;
	snprintf(line, sizeof line, "%s: decision %d of %d, %.1f s", job->what, message->made, message->of, seconds);
	fprintf(stderr, "\r%-*s", PROGRESS_COLUMNS, line);
}

static void erase_progress(const struct bw_ablate_job *job)
{
	if (job->progress)
		fprintf(stderr, "\r%*s\r", PROGRESS_COLUMNS, "");
}

/* A child and its pipe. */
struct watch {
	const struct bw_ablate_job *job;
	pid_t child;
	int pipe;
	struct message message; /* the last one */
};

/* Waits for the child's end, after killing the child if `kill_it`. Returns its status as waitpid gives it. */
static int reap(struct watch *watch, bool kill_it)
{
	if (watch->child > 0 && kill_it)
		kill(watch->child, SIGKILL);
	int status = bw_process_reap(watch->child);
	watch->child = 0;
	return status;
}

static enum bw_ablation_outcome died(struct watch *watch, struct bw_error *error)
{
	int status = reap(watch, false);
	if (WIFSIGNALED(status))
		bw_fail(error, BW_ERROR_FAILED, "the search was killed by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else
		bw_fail(error, BW_ERROR_FAILED, "the search ended without a result");
	return BW_ABLATION_FAILED;
}

/* Waits until the child reports its end, dies, or exceeds its time limit, or until the user presses ^C. */
static enum bw_ablation_outcome wait_for(struct watch *watch, struct bw_error *error)
{
	static const double tick = 0.2;
	double began = bw_clock(), last_shown = began;
	struct pollfd files[] = {{watch->pipe, POLLIN, 0}, {watch->job->interrupts, POLLIN, 0}};
	for (;;) {
		double at = bw_clock(), left = began + (double)watch->job->limit_seconds - at;
		if (left <= 0)
			return BW_ABLATION_LATE;
		if (poll(files, 2, (int)(1e3 * (left < tick ? left : tick)) + 1) < 0)
			continue;
		if (files[1].revents)
			return bw_program_interrupted(watch->job->interrupts) ? BW_ABLATION_NOT_RUN : BW_ABLATION_FAILED;
		if (files[0].revents && read(watch->pipe, &watch->message, sizeof watch->message) != sizeof watch->message)
			return died(watch, error);
		if (watch->message.kind == FAILED)
			*error = watch->message.error;
		if (watch->message.kind != MADE)
			return watch->message.kind == DONE ? BW_ABLATION_DONE : BW_ABLATION_FAILED;
		if (at - last_shown >= tick) {
			show_progress(watch->job, &watch->message, at - began);
			last_shown = at;
		}
	}
}

enum bw_ablation_outcome bw_ablate_in_child(const struct bw_ablate_job *job, struct bw_ablated *figures,
					    struct bw_error *error)
{
	struct watch watch = {.job = job, .message = {.kind = MADE}};
	int ends[2];
	if (pipe(ends) < 0) {
		bw_fail(error, BW_ERROR_IO, "cannot make a pipe: %s", strerror(errno));
		return BW_ABLATION_FAILED;
	}
	watch.pipe = ends[0];
	fflush(NULL);
	watch.child = bw_process_fork(SIGKILL);
	if (watch.child == 0)
		search(job, ends[1]);
	close(ends[1]);
	enum bw_ablation_outcome end = BW_ABLATION_FAILED;
	if (watch.child > 0)
		end = wait_for(&watch, error);
	else
		bw_fail(error, BW_ERROR_IO, "cannot start a process for the search: %s", strerror(errno));
	reap(&watch, true);
	erase_progress(job);
	close(ends[0]);
	*figures = watch.message.figures;
	return end;
}
