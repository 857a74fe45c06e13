/* beamwalk-bench: reads requests, writes results (PROTOCOL). It takes no arguments. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "bench/worker.h"

enum { LONGEST_LINE = 16 << 20 };

/* Keeps standard input and output for the protocol under other numbers: what a schedule or a driver reads or prints goes nowhere
 * near it. */
static bool take_streams(FILE **requests, int *results)
{
	int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	*results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (input < 0 || *results < 0 || nothing < 0)
		return false;
	if (dup2(nothing, STDIN_FILENO) < 0 || dup2(fcntl(STDERR_FILENO, F_GETFD) < 0 ? nothing : STDERR_FILENO, STDOUT_FILENO) < 0)
		return false;
	close(nothing);
	*requests = fdopen(input, "r");
	return *requests;
}

/* Serves one line; false when results can no longer be written. */
static bool serve(const char *line, size_t length, int results)
{
	struct bw_request request;
	struct bw_error error = {0};
	if (!bw_request_read(line, length, &request, &error))
		return bw_report_error(results, -1, &error);
	bool good = bw_request_run(&request, results);
	bw_request_free(&request);
	return good;
}

/* A line without its newline; false at the end. A line that is too long is cut, and then no JSON. */
static bool read_line(FILE *requests, struct bw_text *line)
{
	int c;
	bw_text_clear(line);
	while ((c = getc_unlocked(requests)) != EOF && c != '\n')
		if (line->length < LONGEST_LINE)
			bw_text_append(line, &(char){(char)c}, 1);
	return c != EOF || line->length > 0;
}

/* The environment that PoCL needs and may lack: PATH, for it runs a linker; and in a root without /sys, where it would find no
 * memory and give up, the machine as hwloc takes it in words. */
static void complete_environment(void)
{
	if (!getenv("PATH"))
		setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
	if (access("/sys/devices/system/cpu", F_OK) == 0 || getenv("HWLOC_SYNTHETIC") || getenv("HWLOC_XMLFILE"))
		return;
	char machine[80];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long long bytes = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	snprintf(machine, sizeof machine, "numa:1(memory=%lld) core:%ld pu:1", bytes, cpus > 0 ? cpus : 1);
	setenv("HWLOC_SYNTHETIC", machine, 0);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		fprintf(stderr, "usage: %s < requests > results (JSON lines, protocol version %d)\n", argv[0], BW_BENCH_VERSION);
		return bw_error_status(BW_ERROR_USAGE);
	}
	FILE *requests;
	int results;
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (!take_streams(&requests, &results)) {
		perror("beamwalk-bench");
		return bw_error_status(BW_ERROR_IO);
	}
	complete_environment();
	struct bw_text line = {0};
	bool good = true;
	while (good && read_line(requests, &line))
		good = serve(bw_text_get(&line), line.length, results);
	bw_text_free(&line);
	fclose(requests);
	close(results);
	return good ? 0 : bw_error_status(BW_ERROR_IO);
}
