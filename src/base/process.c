#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

pid_t bw_process_fork(int death)
{
	pid_t parent = getpid(), child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, death);
		if (getppid() != parent)
			_exit(1);
	}
	return child;
}

int bw_process_reap(pid_t child)
{
	int status = -1;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

/* The child's own ends. */
struct ends {
	int input, output, errors, failed;
};

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

/* Moves a descriptor above the three standard ones, where dup2 in the child cannot meet it. */
static int above_standard(int file)
{
	if (file < 0 || file > STDERR_FILENO)
		return file;
	int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(file);
	return moved;
}

/* A pipe or, for the direction to the child, a socket pair: writing to that raises no SIGPIPE. */
static bool make_pair(int *mine, int *theirs, bool to_child)
{
	int pair[2];
	if (to_child ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) : pipe2(pair, O_CLOEXEC))
		return false;
	*mine = above_standard(pair[0]);
	*theirs = above_standard(pair[1]);
	if (*mine >= 0)
		fcntl(*mine, F_SETFL, O_NONBLOCK);
	return *mine >= 0 && *theirs >= 0;
}

static bool make_ends(const struct bw_process_command *command, struct bw_process *child, struct ends *ends)
{
	if (command->input ? !make_pair(&child->input, &ends->input, true)
			   : (ends->input = above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC))) < 0)
		return false;
	return make_pair(&child->output, &ends->output, false) &&
	       make_pair(&child->errors, &ends->errors, false) &&
	       make_pair(&child->failed, &ends->failed, false);
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");
	return strncmp(a, b, n + 1) == 0;
}

/* Returns true if an environment variable only makes a library write debugging output to standard error,
 * which would fill the error message of a program that fails. */
static bool is_loud(const char *variable)
{
	static const char *const loud[] = {"LD_DEBUG=", "POCL_DEBUG=", "OCL_ICD_DEBUG=", "HL_DEBUG_CODEGEN=", NULL};
	for (int k = 0; loud[k]; k++)
		if (same_name(loud[k], variable))
			return true;
	return false;
}

/* Returns the environment with the settings added, and without variables that cause debugging output. The
 * caller frees it with free(). */
static char **make_environment(const char *const *settings)
{
	size_t n = 0, n_settings = 0;
	while (environ && environ[n])
		n++;
	while (settings && settings[n_settings])
		n_settings++;
	char **all = BW_NEW_ARRAY(char *, n + n_settings + 1);
	size_t used = 0;
	for (size_t k = 0; k < n; k++) {
		bool replaced = is_loud(environ[k]);
		for (size_t s = 0; s < n_settings; s++)
			replaced |= same_name(settings[s], environ[k]);
		if (!replaced)
			all[used++] = environ[k];
	}
	for (size_t s = 0; s < n_settings; s++)
		all[used++] = (char *)settings[s];
	return all;
}

/* Runs in the child, between fork and exec. Calls only functions that POSIX allows there. */
static _Noreturn void become(const struct bw_process_command *command, const struct ends *ends,
			     char **environment)
{
	static const int signals[] = {SIGPIPE, SIGXFSZ, SIGINT,  SIGQUIT, SIGTERM,
				      SIGHUP,  SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t none;
	sigemptyset(&none);
	setpgid(0, 0);
	for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
		signal(signals[k], SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (dup2(ends->input, 0) == 0 && dup2(ends->output, 1) == 1 && dup2(ends->errors, 2) == 2) {
		close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
		execvpe(command->argv[0], (char *const *)command->argv, environment);
	}
	int code = errno;
	if (write(ends->failed, &code, sizeof code) < 0)
		_exit(126);
	_exit(127);
}

bool bw_process_start(const struct bw_process_command *command, struct bw_process *child)
{
	struct ends ends = {-1, -1, -1, -1};
	*child = (struct bw_process){-1, -1, -1, -1, -1};
	bool good = make_ends(command, child, &ends);
	if (good) {
		BW_SCOPED_MEMORY char **environment = make_environment(command->settings);
		child->pid = bw_process_fork(command->asked ? SIGTERM : SIGKILL);
		if (child->pid == 0)
			become(command, &ends, environment);
		good = child->pid > 0;
	}
	int saved = errno;
	if (good)
		setpgid(child->pid, child->pid);
	close_end(&ends.input);
	close_end(&ends.output);
	close_end(&ends.errors);
	close_end(&ends.failed);
	errno = saved;
	return good;
}

bool bw_process_ended(pid_t pid)
{
	siginfo_t info = {0};
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? errno != EINTR
										: info.si_pid == pid;
}

int bw_process_finish(const struct bw_process *child)
{
	kill(-child->pid, SIGKILL);
	kill(child->pid, SIGKILL);
	return bw_process_reap(child->pid);
}

void bw_process_close(struct bw_process *child)
{
	close_end(&child->input);
	close_end(&child->output);
	close_end(&child->errors);
	close_end(&child->failed);
}

int bw_process_exec_failed(const struct bw_process *child)
{
	int code = 0;
	return read(child->failed, &code, sizeof code) == sizeof code ? code : 0;
}

enum { KEPT_ERRORS = 64 << 10, TICK_MS = 20 };

/* Appends output to a text that keeps its first `most` bytes; if `last`, at least its last `most` bytes, and
 * at most twice as many. */
static void keep(struct bw_text *text, const char *bytes, size_t length, size_t most, bool last)
{
	if (!last && text->length + length > most)
		length = text->length < most ? most - text->length : 0;
	bw_text_append(text, bytes, length);
	if (last && text->length > 2 * most) {
		memmove(text->bytes, text->bytes + text->length - most, most + 1);
		text->length = most;
	}
}

/* Reads the available bytes. Closes the pipe end at the end of the file. */
static void drain(int *end, struct bw_text *text, size_t most, bool last)
{
	char buffer[16384];
	for (int k = 0; *end >= 0 && k < 64; k++) {
		ssize_t got = read(*end, buffer, sizeof buffer);
		if (got > 0)
			keep(text, buffer, (size_t)got, most, last);
		else if (got == 0 || (errno != EINTR && errno != EAGAIN))
			close_end(end);
		else if (errno == EAGAIN)
			break;
	}
}

/* Writes more of the input; closes the end when all is written or nobody reads it. */
static void feed(int *end, const char *input, size_t *done)
{
	size_t length = input ? strlen(input) : 0;
	while (*end >= 0) {
		ssize_t put = *done < length ? send(*end, input + *done, length - *done, MSG_NOSIGNAL) : 0;
		if (put > 0)
			*done += (size_t)put;
		else if (put < 0 && errno == EAGAIN)
			break;
		else if (put == 0 || errno != EINTR)
			close_end(end);
	}
}

/* Waits a tick, or until one of the pipes has something to do. */
static void wait_for_pipes(const struct bw_process *child)
{
	struct pollfd files[3] = {
	    {child->output, POLLIN, 0}, {child->errors, POLLIN, 0}, {child->input, POLLOUT, 0}};
	poll(files, 3, TICK_MS);
}

/* Exchanges data with the child until the child has ended, its time is up, or it must stop. */
static enum bw_ending attend(const struct bw_process_command *command, const struct bw_patience *patience,
			     struct bw_process *child, struct bw_outcome *outcome)
{
	double deadline = bw_clock() + patience->seconds;
	size_t fed = 0;
	for (;;) {
		feed(&child->input, command->input, &fed);
		drain(&child->output, &outcome->output, command->most_output, false);
		drain(&child->errors, &outcome->errors, KEPT_ERRORS, true);
		if (bw_process_ended(child->pid))
			return BW_EXITED;
		if (patience->stop && atomic_load(patience->stop))
			return BW_STOPPED;
		if (bw_clock() >= deadline)
			return BW_TIMED_OUT;
		wait_for_pipes(child);
	}
}

void bw_process_run(const struct bw_process_command *command, const struct bw_patience *patience,
		    struct bw_outcome *outcome)
{
	struct bw_process child;
	*outcome = (struct bw_outcome){.ending = BW_NOT_STARTED};
	if (!bw_process_start(command, &child)) {
		outcome->code = errno;
	} else {
		outcome->ending = attend(command, patience, &child, outcome);
		int status = bw_process_finish(&child), code;
		drain(&child.output, &outcome->output, command->most_output, false);
		drain(&child.errors, &outcome->errors, KEPT_ERRORS, true);
		code = bw_process_exec_failed(&child);
		if (code) {
			outcome->ending = BW_NOT_STARTED;
			outcome->code = code;
		} else if (outcome->ending == BW_EXITED) {
			outcome->ending = WIFSIGNALED(status) ? BW_CRASHED : BW_EXITED;
			outcome->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
		}
	}
	bw_process_close(&child);
}

void bw_outcome_free(struct bw_outcome *outcome)
{
	bw_text_free(&outcome->output);
	bw_text_free(&outcome->errors);
}
