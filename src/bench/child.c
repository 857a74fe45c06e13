#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

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

static bool make_ends(const struct bw_process_command *command, struct bw_child *child, struct ends *ends)
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

/* Returns true if a variable only has a library write what it does to standard error, which is kept for the
 * complaint of a program that fails. */
static bool is_loud(const char *variable)
{
	static const char *const loud[] = {"LD_DEBUG=", "POCL_DEBUG=", "OCL_ICD_DEBUG=", "HL_DEBUG_CODEGEN=", NULL};
	for (int k = 0; loud[k]; k++)
		if (same_name(loud[k], variable))
			return true;
	return false;
}

/* The environment with the settings in it, and without what is loud; free(). */
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

/* In the child, between fork and exec: only what POSIX allows there. */
static _Noreturn void become(const struct bw_process_command *command, const struct ends *ends,
			     char **environment, pid_t parent)
{
	static const int signals[] = {SIGPIPE, SIGXFSZ, SIGINT,  SIGQUIT, SIGTERM,
				      SIGHUP,  SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t none;
	sigemptyset(&none);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, command->asked ? SIGTERM : SIGKILL);
	for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
		signal(signals[k], SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (getppid() == parent && dup2(ends->input, 0) == 0 && dup2(ends->output, 1) == 1 &&
	    dup2(ends->errors, 2) == 2) {
		close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
		execvpe(command->argv[0], (char *const *)command->argv, environment);
	}
	int code = errno;
	if (write(ends->failed, &code, sizeof code) < 0)
		_exit(126);
	_exit(127);
}

bool bw_child_start(const struct bw_process_command *command, struct bw_child *child)
{
	struct ends ends = {-1, -1, -1, -1};
	*child = (struct bw_child){-1, -1, -1, -1, -1};
	bool good = make_ends(command, child, &ends);
	if (good) {
		char **environment = make_environment(command->settings);
		pid_t parent = getpid();
		child->pid = fork();
		if (child->pid == 0)
			become(command, &ends, environment, parent);
		good = child->pid > 0;
		free(environment);
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

bool bw_child_ended(pid_t pid)
{
	siginfo_t info = {0};
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? errno != EINTR
										: info.si_pid == pid;
}

int bw_child_finish(const struct bw_child *child)
{
	int status = 0;
	kill(-child->pid, SIGKILL);
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

void bw_child_close(struct bw_child *child)
{
	close_end(&child->input);
	close_end(&child->output);
	close_end(&child->errors);
	close_end(&child->failed);
}

int bw_child_exec_failed(const struct bw_child *child)
{
	int code = 0;
	return read(child->failed, &code, sizeof code) == sizeof code ? code : 0;
}
