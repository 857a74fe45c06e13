#include "ui/history.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/trusted_file.h"

enum { LIMIT = 1 << 20, CUT_FROM = 1 << 16, CUT_TO = 1 << 15, LOCK_TRIES = 20 };

/* Locks the file. Other programs hold the lock only for a moment; but one that was stopped in that moment
 * must not block this one. */
static bool lock(int file)
{
	for (int tries = 0; tries < LOCK_TRIES; tries++) {
		if (flock(file, LOCK_EX | LOCK_NB) == 0)
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

static int open_locked(const char *path, int flags)
{
	int file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	struct stat info;
	if (file < 0)
		return -1;
	if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || !lock(file)) {
		close(file);
		return -1;
	}
	return file;
}

/* Reads the file's last LIMIT bytes. */
static void read_end(int file, struct bw_text *text)
{
	char buffer[4096];
	off_t size = lseek(file, 0, SEEK_END), at = size > LIMIT ? size - LIMIT : 0;
	for (ssize_t got; text->length < LIMIT && (got = pread(file, buffer, sizeof buffer, at)) > 0; at += got)
		bw_text_append(text, buffer, (size_t)got);
}

void bw_history_read(const char *path, int most, void (*add)(const char *line, void *data), void *data)
{
	int file = open_locked(path, O_RDONLY);
	if (file < 0)
		return;
	struct bw_text text = {0};
	read_end(file, &text);
	close(file);
	char *end = text.bytes + text.length, *at = end;
	for (int n = 0; text.length && at > text.bytes; at--)
		if (at[-1] == '\n' && at != end && ++n == most)
			break;
	while (text.length && at < end) {
		size_t length = strcspn(at, "\n");
		bool last = at + length >= end;
		at[length] = 0;
		if (length)
			add(at, data);
		at += length + !last;
		if (last)
			break;
	}
	bw_text_free(&text);
}

/* Cuts the file to its last CUT_TO bytes, from the beginning of a line. */
static void cut(int file, off_t size)
{
	char *kept = bw_new_array(CUT_TO, 1);
	ssize_t got = pread(file, kept, CUT_TO, size - CUT_TO);
	char *line = got > 0 ? memchr(kept, '\n', (size_t)got) : NULL;
	if (line && ftruncate(file, 0) == 0) {
		ssize_t length = got - (line + 1 - kept);
		if (write(file, line + 1, (size_t)length) != length)
			lseek(file, 0, SEEK_END);
	}
	free(kept);
}

void bw_history_append(const char *path, const char *line)
{
	const char *slash = strrchr(path, '/');
	char *folder = strndup(path, slash ? (size_t)(slash - path) : 0);
	bool good = !*folder || bw_trusted_folder_make(folder, NULL);
	free(folder);
	if (!good)
		return;
	int file = open_locked(path, O_RDWR | O_CREAT | O_APPEND);
	if (file < 0)
		return;
	struct bw_text text = {0};
	bw_text_printf(&text, "%s\n", line);
	off_t size = lseek(file, 0, SEEK_END);
	if (write(file, text.bytes, text.length) == (ssize_t)text.length && size > CUT_FROM)
		cut(file, size + (off_t)text.length);
	bw_text_free(&text);
	close(file);
}
