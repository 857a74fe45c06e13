/* A worker that misbehaves: rogue MODE MARKER WORKER. It stands between its client and a real worker, passes lines on, and does what MODE says
 * when the object begins that two more follow: once, for it makes the file MARKER then, or each time where MARKER is "-". */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode, *marker;

static bool is(const char *name)
{
	return strcmp(mode, name) == 0;
}

/* Copies in pieces of a few bytes, as a slow line would. */
static void copy_slowly(FILE *from, FILE *to)
{
	int c, n = 0;
	while ((c = getc(from)) != EOF) {
		putc(c, to);
		if (c == '\n' || ++n % 1999 == 0) {
			fflush(to);
			usleep(500);
		}
	}
}

static void pass_requests(FILE *to)
{
	if (is("slow")) {
		copy_slowly(stdin, to);
		return;
	}
	char *line = NULL;
	size_t size = 0;
	for (ssize_t n; (n = getline(&line, &size, stdin)) > 0;) {
		fwrite(line, 1, (size_t)n, to);
		fflush(to);
	}
	free(line);
}

static void misbehave(const char *line)
{
	size_t half = strlen(line) / 2;
	if (is("die"))
		kill(getpid(), SIGKILL);
	if (is("complain")) {
		fputs("Error: the driver has fallen off the bus\n", stderr);
		exit(3);
	}
	if (is("quit"))
		exit(0);
	if (is("close")) {
		fflush(stdout);
		close(STDOUT_FILENO);
		pause();
	}
	if (is("garbage"))
		puts("\xff\xfe{]");
	if (is("half")) {
		printf("%.*s\n", (int)half, line);
		fflush(stdout);
		pause();
	}
	if (is("cut")) {
		printf("%.*s", (int)half, line);
		exit(0);
	}
	if (is("hang"))
		pause();
	while (is("flood"))
		fputs(line, stdout);
	while (is("endless"))
		putchar('x');
}

/* Whether the line says that the object begins that two more follow. */
static bool is_moment(const char *line)
{
	int object, n;
	const char *begin = strstr(line, "\"begin\":[");
	return begin && sscanf(begin, "\"begin\":[%d,%d]", &object, &n) == 2 && object >= 0 && n - object == 3;
}

/* Says the line again, and that what was right is wrong. */
static void contradict(const char *line)
{
	static const char right[] = "\"verdict\":\"right\"", wrong[] = "\"verdict\":\"wrong\"";
	const char *at = strstr(line, right);
	if (at)
		printf("%.*s%s%s", (int)(at - line), line, wrong, at + sizeof right - 1);
	else
		fputs(line, stdout);
}

static void pass_answers(FILE *from)
{
	char *line = NULL;
	size_t size = 0;
	bool lost = false;
	if (is("slow")) {
		copy_slowly(from, stdout);
		return;
	}
	while (getline(&line, &size, from) > 0) {
		bool result = strstr(line, "\"object\":");
		if (is("lose") && result && lost)
			continue;
		lost = is_moment(line);
		fputs(line, stdout);
		if (is("twice"))
			contradict(line);
		fflush(stdout);
		if (is_moment(line) && (strcmp(marker, "-") == 0 || access(marker, F_OK) != 0)) {
			FILE *file = strcmp(marker, "-") == 0 ? NULL : fopen(marker, "w");
			if (file)
				fclose(file);
			misbehave(line);
		}
	}
	free(line);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	mode = argv[1];
	marker = argv[2];
	if (is("mute"))
		pause();
	if (is("old"))
		puts("{\"beamwalk-bench\":1,\"object\":-1,\"error\":{\"kind\":\"INPUT\",\"text\":\"not a number of mine\"}}");
	if (is("talk"))
		puts("Last login: never\n\nYou have mail.");
	if (is("refuse")) {
		puts("command not found, says the shell");
		return 127;
	}
	fflush(stdout);
	int requests[2], answers[2];
	if (pipe(requests) || pipe(answers))
		return 1;
	if (fork() == 0) {
		dup2(requests[0], STDIN_FILENO);
		dup2(answers[1], STDOUT_FILENO);
		close(requests[1]);
		close(answers[0]);
		execl(argv[3], argv[3], (char *)NULL);
		_exit(127);
	}
	close(requests[0]);
	close(answers[1]);
	if (fork() == 0) {
		close(answers[0]);
		close(STDOUT_FILENO);
		pass_requests(fdopen(requests[1], "w"));
		_exit(0);
	}
	close(requests[1]);
	pass_answers(fdopen(answers[0], "r"));
	return 0;
}
