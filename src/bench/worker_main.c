/* beamwalk-bench: reads requests and writes results (PROTOCOL). Takes no arguments. */
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/opencl.h"
#include "bench/serve.h"
#include "bench/turn.h"

/* Moves standard input and output to other descriptors, for the protocol only. So a schedule or a driver
 * cannot read requests or print between the results. */
static bool take_streams(int *requests, int *results)
{
	*requests = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	*results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (*requests < 0 || *results < 0 || nothing < 0)
		return false;
	if (dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(fcntl(STDERR_FILENO, F_GETFD) < 0 ? nothing : STDERR_FILENO, STDOUT_FILENO) < 0)
		return false;
	close(nothing);
	return true;
}

/* Sets PoCL's cache folder if the client has not. It is beamwalk's own folder, so that damaged files can be
 * removed. */
static void name_kernels(void)
{
	char folder[PATH_MAX];
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && *cache == '/')
		snprintf(folder, sizeof folder, "%s/beamwalk/pocl", cache);
	else if (home && *home == '/')
		snprintf(folder, sizeof folder, "%s/.cache/beamwalk/pocl", home);
	else
		return;
	setenv(BW_POCL_VARIABLE, folder, 0);
}

/* Sets environment variables that PoCL needs and that may be missing. PATH: PoCL runs a linker. HOME: without
 * it, PoCL's cache is in a folder of /tmp that belongs to the first such user, and for other users PoCL finds
 * no device. If there is no /sys, also a description of the machine for hwloc, because otherwise PoCL finds
 * no memory and gives up. */
static void complete_environment(void)
{
	if (!getenv("PATH"))
		setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
	const struct passwd *user = getenv("HOME") ? NULL : getpwuid(getuid());
	if (user && user->pw_dir)
		setenv("HOME", user->pw_dir, 1);
	name_kernels();
	if (access("/sys/devices/system/cpu", F_OK) == 0 || getenv("HWLOC_SYNTHETIC") || getenv("HWLOC_XMLFILE"))
		return;
	char machine[80];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long long bytes = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	snprintf(machine, sizeof machine, "numa:1(memory=%lld) core:%ld pu:1", bytes, cpus > 0 ? cpus : 1);
	setenv("HWLOC_SYNTHETIC", machine, 0);
}

/* Finds the file of the emulated driver: beside this program in a build folder, or else where it is
 * installed. Returns NULL if there is none. */
static const char *find_emulator(char *path, size_t size)
{
	static const char name[] = "emulator/libcuda.so.1";
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	program[length > 0 ? length : 0] = 0;
	char *slash = strrchr(program, '/');
	if (slash)
		*slash = 0;
	BW_SCOPED_MEMORY char *lib = bw_find_installed(program, BW_BINDIR, BW_PKGLIBDIR, "");
	snprintf(path, size, "%s/%s", lib, name);
	return access(path, R_OK) == 0 ? path : NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		fprintf(stderr, "usage: %s < requests > results (JSON lines, protocol version %d)\n", argv[0],
			BW_BENCH_VERSION);
		return bw_error_status(BW_ERROR_USAGE);
	}
	char emulator[PATH_MAX + 32];
	struct bw_server server = {.emulator = find_emulator(emulator, sizeof emulator),
				   .references.folder = getenv(BW_REFERENCES_VARIABLE)};
	bw_turn_use(getenv(BW_TURN_VARIABLE));
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (!take_streams(&server.input, &server.results)) {
		perror("beamwalk-bench");
		return bw_error_status(BW_ERROR_IO);
	}
	complete_environment();
	int input = server.input;
	bool good = bw_serve(&server);
	close(input);
	good = close(server.results) == 0 && good;
	return good ? 0 : bw_error_status(BW_ERROR_IO);
}
