#include "ui/rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The caught signals: the alarm of each (0: the signal ends the program), and whether a second signal ends
 * the program at once. */
static const struct {
	int number, alarm;
	bool twice_ends;
} caught[] = {
	{SIGWINCH, BW_ALARM_RESIZED, false}, {SIGINT, BW_ALARM_INTERRUPTED, true}, {SIGTERM, BW_ALARM_ENDED, true},
	{SIGHUP, BW_ALARM_HUNG_UP, true}, {SIGTSTP, BW_ALARM_SUSPEND, false}, {SIGCONT, BW_ALARM_CONTINUED, false},
	{SIGSEGV, 0, false}, {SIGBUS, 0, false}, {SIGFPE, 0, false}, {SIGILL, 0, false}, {SIGABRT, 0, false}, {SIGSYS, 0, false},
	{SIGQUIT, 0, false}, {SIGPIPE, 0, false}, {SIGALRM, 0, false}, {SIGUSR1, 0, false}, {SIGUSR2, 0, false}, {SIGXCPU, 0, false},
};
enum { N_CAUGHT = sizeof caught / sizeof *caught, MOST_BYTES = 512, STACK_BYTES = 1 << 16 };

/* Everything that a signal handler needs. */
static struct {
	int pipe[2];
	struct sigaction before[N_CAUGHT];
	bool begun;
	atomic_int alarms;
	volatile sig_atomic_t armed;
	int terminal;
	struct termios modes;
	char bytes[MOST_BYTES];
	size_t length;
	volatile sig_atomic_t stderr_held;
	int held, real_stderr;
	char stack[STACK_BYTES]; /* for the signal handler when the program's own stack is exhausted */
} rescue;

static void write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t put = write(fd, bytes, length);
		if (put < 0 && errno != EINTR)
			return;
		bytes += put > 0 ? put : 0;
		length -= put > 0 ? (size_t)put : 0;
	}
}

/* Calls only functions that POSIX allows in signal handlers. */
static void restore_terminal(void)
{
	if (!rescue.armed)
		return;
	rescue.armed = 0;
	write_all(rescue.terminal, rescue.bytes, rescue.length);
	tcsetattr(rescue.terminal, TCSANOW, &rescue.modes);
}

void bw_rescue_release_stderr(void)
{
	if (!rescue.stderr_held)
		return;
	rescue.stderr_held = 0;
	dup2(rescue.real_stderr, STDERR_FILENO);
	char buffer[512];
	off_t at = 0;
	for (ssize_t got; (got = pread(rescue.held, buffer, sizeof buffer, at)) > 0; at += got)
		write_all(STDERR_FILENO, buffer, (size_t)got);
	close(rescue.held);
	close(rescue.real_stderr);
}

void bw_rescue_hold_stderr(void)
{
	if (rescue.stderr_held || !isatty(STDERR_FILENO))
		return;
	rescue.held = memfd_create("stderr", MFD_CLOEXEC);
	rescue.real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (rescue.held < 0 || rescue.real_stderr < 0)
		return;
	rescue.stderr_held = 1;
	dup2(rescue.held, STDERR_FILENO);
}

/* Ends the program by the signal, as if the signal were not caught. */
static void end_by(int number)
{
	restore_terminal();
	bw_rescue_release_stderr();
	signal(number, SIG_DFL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
}

static void on_signal(int number)
{
	int saved = errno, i = 0;
	while (caught[i].number != number)
		i++;
	int before = atomic_fetch_or(&rescue.alarms, caught[i].alarm);
	if (caught[i].alarm == 0 || (caught[i].twice_ends && before & caught[i].alarm))
		end_by(number);
	write_all(rescue.pipe[1], "", 1);
	errno = saved;
}

static void on_exit_restore(void)
{
	restore_terminal();
	bw_rescue_release_stderr();
}

static void catch_signal(int i)
{
	sigaction(caught[i].number, NULL, &rescue.before[i]);
	if (rescue.before[i].sa_handler == SIG_IGN)
		return;
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
	sigemptyset(&action.sa_mask);
	sigaction(caught[i].number, &action, NULL);
}

int bw_rescue_begin(void)
{
	if (rescue.begun)
		return rescue.pipe[0];
	if (pipe2(rescue.pipe, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	stack_t stack = {.ss_sp = rescue.stack, .ss_size = sizeof rescue.stack};
	sigaltstack(&stack, NULL);
	atomic_store(&rescue.alarms, 0);
	rescue.begun = true;
	atexit(on_exit_restore);
	for (int i = 0; i < N_CAUGHT; i++)
		catch_signal(i);
	return rescue.pipe[0];
}

void bw_rescue_end(void)
{
	if (!rescue.begun)
		return;
	for (int i = 0; i < N_CAUGHT; i++)
		sigaction(caught[i].number, &rescue.before[i], NULL);
	stack_t none = {.ss_flags = SS_DISABLE};
	sigaltstack(&none, NULL);
	close(rescue.pipe[0]);
	close(rescue.pipe[1]);
	rescue.begun = false;
}

int bw_rescue_alarms(void)
{
	char bytes[64];
	while (read(rescue.pipe[0], bytes, sizeof bytes) > 0)
		;
	return atomic_exchange(&rescue.alarms, 0);
}

void bw_rescue_arm(int fd, const struct termios *modes, const char *bytes, size_t length)
{
	rescue.armed = 0;
	rescue.terminal = fd;
	rescue.modes = *modes;
	rescue.length = length < sizeof rescue.bytes ? length : sizeof rescue.bytes;
	memcpy(rescue.bytes, bytes, rescue.length);
	rescue.armed = 1;
}

void bw_rescue_disarm(void)
{
	rescue.armed = 0;
}

/* The pause covers the case that another thread receives the stop signal, which stops this thread only a
 * moment later. */
void bw_rescue_stop(void)
{
	struct sigaction ours, usual = {.sa_handler = SIG_DFL};
	sigemptyset(&usual.sa_mask);
	sigaction(SIGTSTP, &usual, &ours);
	kill(0, SIGTSTP);
	poll(NULL, 0, 20);
	sigaction(SIGTSTP, &ours, NULL);
}
