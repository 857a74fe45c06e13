#include "bench/turn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

/* turn_folder: the folder of the lock files, if each device has its own; "" if not.
 * turn_file: the path of the lock file; "": there is no lock. */
static char turn_folder[4096], turn_file[4096];
static bool by_default; /* the folder is the one in /tmp */

static bool is_folder(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

void bw_turn_use(const char *path)
{
	*turn_folder = *turn_file = 0;
	by_default = !path;
	if (!path)
		snprintf(turn_folder, sizeof turn_folder, "/tmp/beamwalk-%ld", (long)geteuid());
	else if (is_folder(path))
		snprintf(turn_folder, sizeof turn_folder, "%s", path);
	else
		snprintf(turn_file, sizeof turn_file, "%s", path);
}

void bw_turn_name(const struct bw_present *device, char *name, size_t size)
{
	bool cuda = device && device->device.api == BW_API_CUDA;
	if (!device)
		snprintf(name, size, "any");
	else if (device->device.cpu)
		snprintf(name, size, "%s", cuda ? "" : "cpu");
	else if (*device->bus)
		snprintf(name, size, "gpu-%s", device->bus);
	else
		snprintf(name, size, "%s-%s-%d", cuda ? "cuda" : "opencl", device->platform, device->ordinal);
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-.:", *c))
			*c = '-';
}

/* Returns false with an error if the path of this user's folder in /tmp is a link or belongs to another
 * user. */
static bool is_ours(struct bw_error *error)
{
	struct stat info;
	return !by_default ||
	       (lstat(turn_folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid()) ||
	       bw_fail(error, BW_ERROR_IO, "%s: is not a folder of this user, and is not used", turn_folder);
}

void bw_turn_on(const struct bw_present *device)
{
	char name[160];
	struct bw_error error = {0};
	if (!*turn_folder)
		return;
	bw_turn_name(device, name, sizeof name);
	*turn_file = 0;
	if (!*name)
		return;
	if (!bw_trusted_folder_make(turn_folder, &error) || !is_ours(&error))
		fprintf(stderr, "beamwalk-bench: %s: others may use the device meanwhile\n", error.text);
	else if ((size_t)snprintf(turn_file, sizeof turn_file, "%s/%s", turn_folder, name) >= sizeof turn_file)
		*turn_file = 0;
}

static bool lock(int file, int how)
{
	while (flock(file, how))
		if (errno != EINTR)
			return false;
	return true;
}

/* Opens the lock file, or with a suffix the door file. Every process first locks the door file, alone, and
 * then waits for the lock file. Without the door, processes that share the lock file could come and go
 * without end, and a process that needs it alone would wait for ever. */
static int open_file(const char *path, const char *suffix)
{
	char name[4096];
	if ((size_t)snprintf(name, sizeof name, "%s%s", path, suffix) >= sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	/* First without O_CREAT: the kernel may refuse O_CREAT for another user's file in /tmp, but not a
	 * plain open. */
	int file = open(name, O_RDWR | O_CLOEXEC);
	return file < 0 && errno == ENOENT ? open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : file;
}

/* Reads a file of a process in /proc. Zero bytes between arguments become blanks. */
static void read_process(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? 0 : read(file, text, size - 1);
	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = 0;
	for (ssize_t k = 0; k + 1 < length; k++)
		text[k] = text[k] ? text[k] : ' ';
}

/* Returns the process for which this child process works: beamwalk if that has started the worker (this
 * process's parent), or else the worker. */
static pid_t find_client(void)
{
	char stat[256], command[64];
	pid_t worker = getppid();
	read_process(worker, "stat", stat, sizeof stat);
	const char *after = strrchr(stat, ')');
	long client = 0;
	if (!after || sscanf(after, ") %*c %ld", &client) != 1 || client <= 1)
		return worker;
	read_process((pid_t)client, "comm", command, sizeof command);
	return strncmp(command, "beamwalk", 8) ? worker : (pid_t)client;
}

/* Writes to the locked file which process has the turn, for the waiting processes. */
static void sign(int file)
{
	char command[128], line[256], when[16] = "";
	time_t now = time(NULL);
	struct tm local;
	pid_t client = find_client();
	read_process(client, "cmdline", command, sizeof command);
	if (localtime_r(&now, &local))
		strftime(when, sizeof when, "%H:%M:%S", &local);
	int length = snprintf(line, sizeof line, "pid %ld (%s) since %s\n", (long)client, command, when);
	if (pwrite(file, line, (size_t)length, 0) == length && ftruncate(file, length))
		return;
}

void bw_turn_holder(const char *path, char *text, size_t size)
{
	long pid = 0;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? 0 : read(file, text, size - 1);
	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	bw_one_line(text);
	if (sscanf(text, "pid %ld", &pid) != 1 || pid <= 0 || (kill((pid_t)pid, 0) && errno == ESRCH))
		*text = 0;
}

/* Returns the descriptor of the locked file. Returns -1 with errno set if it cannot be locked. */
static int take(const char *path, bool alone)
{
	int door = open_file(path, ".door"), file = open_file(path, "");
	bool good = door >= 0 && file >= 0 && lock(door, LOCK_EX) && lock(file, alone ? LOCK_EX : LOCK_SH);
	int why = errno;
	if (door >= 0)
		close(door);
	if (!good && file >= 0)
		close(file);
	errno = why;
	return good ? file : -1;
}

void bw_turn_take(struct bw_turn *turn, bool alone, enum bw_phase phase, struct bw_progress *progress)
{
	if (*turn_file) {
		double start = bw_clock();
		progress->since = start;
		snprintf(progress->turn, sizeof progress->turn, "%s", turn_file);
		progress->phase = BW_PHASE_WAITING;
		turn->file = take(turn_file, alone);
		turn->held = turn->file >= 0;
		if (turn->held)
			sign(turn->file);
		if (!turn->held)
			fprintf(stderr, "beamwalk-bench: %s: %s: others may use the device meanwhile\n", turn_file,
				strerror(errno));
		progress->waited = progress->waited + (bw_clock() - start);
	}
	progress->phase = phase;
}

void bw_turn_end(struct bw_turn *turn)
{
	if (turn->held)
		close(turn->file);
	turn->held = false;
}
