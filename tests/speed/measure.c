/* Runs a command several times and prints the least of its wall times and the most of its memory: `MS KIB`. With --until TEXT
 * the command runs on a terminal of 100x30, and the time is the one until TEXT was written; then it is ended.
 *
 *   measure [--until TEXT] RUNS COMMAND [ARGUMENT...] */
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Reads until the text came or the command ended; the time of it, negative where it never came. */
static double wait_for(int terminal, const char *text)
{
	static char seen[1 << 20];
	size_t n = 0;
	for (;;) {
		ssize_t got = read(terminal, seen + n, sizeof seen - 1 - n);
		if (got <= 0)
			return -1;
		n += (size_t)got;
		if (memmem(seen, n, text, strlen(text)))
			return now_ms();
		if (n > sizeof seen / 2)
			n = 0;
	}
}

static pid_t start(char **command, int *terminal)
{
	struct winsize size = {.ws_row = 30, .ws_col = 100};
	pid_t child = terminal ? forkpty(terminal, NULL, NULL, &size) : fork();
	if (child == 0) {
		if (terminal)
			setenv("TERM", "xterm-256color", 1);
		else if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execvp(command[0], command);
		_exit(127);
	}
	return child;
}

int main(int argc, char **argv)
{
	const char *until = NULL;
	int at = 1;
	if (argc > 2 && !strcmp(argv[1], "--until")) {
		until = argv[2];
		at = 3;
	}
	int runs = at < argc ? atoi(argv[at]) : 0;
	if (runs < 1 || at + 1 >= argc) {
		fprintf(stderr, "usage: measure [--until TEXT] RUNS COMMAND...\n");
		return 2;
	}
	double least = -1;
	long most = 0;
	for (int r = 0; r < runs; r++) {
		int terminal, status;
		struct rusage usage;
		double began = now_ms();
		pid_t child = start(argv + at + 1, until ? &terminal : NULL);
		double ended = until ? wait_for(terminal, until) : 0;
		if (until)
			kill(child, SIGTERM);
		wait4(child, &status, 0, &usage);
		if (until)
			close(terminal);
		else
			ended = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? now_ms() : -1;
		if (ended < 0) {
			fprintf(stderr, "measure: %s did not do it\n", argv[at + 1]);
			return 1;
		}
		least = least < 0 || ended - began < least ? ended - began : least;
		most = usage.ru_maxrss > most ? usage.ru_maxrss : most;
	}
	printf("%.1f %ld\n", least, most);
	return 0;
}
