#include "bench/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *turn_file;

void bw_turn_use(const char *path)
{
	turn_file = path && *path ? path : NULL;
}

static bool lock(int file, int how)
{
	while (flock(file, how))
		if (errno != EINTR)
			return false;
	return true;
}

/* Opens the file, or the one beside it through which all who wait pass one by one: without that, those who
 * share would come and go and one who waits to be alone would wait for ever. */
static int open_file(const char *path, const char *suffix)
{
	char name[4096];
	if ((size_t)snprintf(name, sizeof name, "%s%s", path, suffix) >= sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

/* Returns the locked file, -1 with errno set. */
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
	if (turn_file) {
		double start = bw_now();
		progress->phase = BW_PHASE_WAITING;
		turn->file = take(turn_file, alone);
		turn->held = turn->file >= 0;
		if (!turn->held)
			fprintf(stderr, "beamwalk-bench: %s: %s: others may use the device meanwhile\n", turn_file,
				strerror(errno));
		progress->waited = progress->waited + (bw_now() - start);
	}
	progress->phase = phase;
}

void bw_turn_end(struct bw_turn *turn)
{
	if (turn->held)
		close(turn->file);
	turn->held = false;
}
