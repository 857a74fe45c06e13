/* How long the explorer takes to answer keys while it searches: runs a command on a terminal of 100x30, presses keys at times that follow
 * no pattern, and measures each until the screen has what it brings. Prints a line for each key: `KEY MEDIAN P99 MOST`, in ms, without what the explorer and this
 * program waited for a processor that others had (schedstat in proc(5); where there is none, with that). With what is measured the search runs on: Esc
 * stops it, r goes on.
 *
 *   keys ROUNDS COMMAND [ARGUMENT...] */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 1000, LONGEST_MS = 5000, SEEN = 1 << 16 };

/* Keys in turn, and what shows that each was answered: any of two texts, since only what differs is written. */
static const struct {
	const char *name, *bytes, *shows[2];
} keys[] = {
	{"help", "?", {"KEYS, the", "the same in all"}},
	{"back", "q", {"BEAM by", "LOOP NEST"}},
	{"decision", "d", {"hash depth", "DECISION"}},
	{"main", "q", {"BEAM by", "LOOP NEST"}},
	{"stop", "\033", {"stopped", "decision "}},
	{"run", "r", {"running", " at "}},
};
enum { N_KEYS = sizeof keys / sizeof *keys };

static double now_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Reads for so long, or until one of the texts came: the time of it, negative where none came. */
static double read_until(int terminal, double ms, const char *const *texts)
{
	static char seen[SEEN];
	size_t n = 0;
	double until = now_ms() + ms;
	for (double now; (now = now_ms()) < until;) {
		struct pollfd fd = {.fd = terminal, .events = POLLIN};
		if (poll(&fd, 1, (int)(until - now) + 1) <= 0)
			continue;
		ssize_t got = read(terminal, seen + n, sizeof seen - n);
		if (got <= 0)
			return -1;
		n += (size_t)got;
		for (int t = 0; texts && t < 2; t++)
			if (memmem(seen, n, texts[t], strlen(texts[t])))
				return now_ms();
		if (n > sizeof seen / 2)
			n = 0;
	}
	return -1;
}

/* What a process was ready to run and did not, since it began. */
static double waited_ms(pid_t process)
{
	char path[64];
	double ran, waited = 0;
	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)process);
	FILE *file = fopen(path, "r");
	if (file && fscanf(file, "%lf %lf", &ran, &waited) != 2)
		waited = 0;
	if (file)
		fclose(file);
	return waited * 1e-6;
}

static double press(pid_t child, int terminal, int key)
{
	double waited = waited_ms(child) + waited_ms(getpid()), begin = now_ms();
	if (write(terminal, keys[key].bytes, strlen(keys[key].bytes)) < 0)
		return -1;
	double end = read_until(terminal, LONGEST_MS, keys[key].shows);
	double other = waited_ms(child) + waited_ms(getpid()) - waited, took = end - begin;
	return end < 0 ? -1 : took > other ? took - other : 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static pid_t start(char **command, int *terminal)
{
	struct winsize size = {.ws_row = 30, .ws_col = 100};
	pid_t child = forkpty(terminal, NULL, NULL, &size);
	if (child == 0) {
		setenv("TERM", "xterm-256color", 1);
		execvp(command[0], command);
		_exit(127);
	}
	return child;
}

int main(int argc, char **argv)
{
	static double times[N_KEYS][MOST_ROUNDS];
	static const char *const first[2] = {"begin", "tour"};
	int rounds = argc > 2 ? atoi(argv[1]) : 0, terminal, status = 0, done = 0;
	if (rounds < 1 || rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: keys ROUNDS COMMAND [ARGUMENT...]\n");
		return 2;
	}
	pid_t child = start(argv + 2, &terminal);
	bool going = child > 0 && read_until(terminal, LONGEST_MS, first) >= 0 && write(terminal, "\r", 1) == 1;
	srand(1);
	read_until(terminal, 300, NULL);
	for (; going && done < rounds; done += going)
		for (int key = 0; key < N_KEYS && going; key++) {
			read_until(terminal, 5 + rand() % 60, NULL);
			times[key][done] = press(child, terminal, key);
			going = times[key][done] >= 0;
			if (!going)
				fprintf(stderr, "keys: %s was not answered in round %d\n", keys[key].name, done + 1);
		}
	for (int key = 0; key < N_KEYS && done; key++) {
		qsort(times[key], (size_t)done, sizeof **times, by_size);
		printf("%s %.1f %.1f %.1f\n", keys[key].name, times[key][done / 2], times[key][(done - 1) * 99 / 100], times[key][done - 1]);
	}
	kill(child, SIGTERM);
	waitpid(child, &status, 0);
	return going ? 0 : 1;
}
