#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static void reserve(struct bw_text *text, size_t more)
{
	size_t need = text->length + more + 1;
	if (need <= text->capacity)
		return;
	size_t capacity = text->capacity ? text->capacity : 64;
	while (capacity < need)
		capacity *= 2;
	text->bytes = bw_resize_array(text->bytes, capacity, 1);
	text->capacity = capacity;
}

void bw_text_append(struct bw_text *text, const char *bytes, size_t length)
{
	reserve(text, length);
	if (length)
		memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = 0;
}

void bw_text_puts(struct bw_text *text, const char *string)
{
	bw_text_append(text, string, strlen(string));
}

void bw_text_printf(struct bw_text *text, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length > 0) {
		reserve(text, (size_t)length);
		vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
		text->length += (size_t)length;
	}
	va_end(again);
}

void bw_text_clear(struct bw_text *text)
{
	text->length = 0;
	if (text->bytes)
		text->bytes[0] = 0;
}

void bw_text_free(struct bw_text *text)
{
	free(text->bytes);
	*text = (struct bw_text){0};
}

const char *bw_text_get(const struct bw_text *text)
{
	return text->bytes ? text->bytes : "";
}

char *bw_text_take(struct bw_text *text)
{
	char *bytes = text->bytes ? text->bytes : bw_strdup("");
	*text = (struct bw_text){0};
	return bytes;
}

static bool read_all(int file, const char *path, size_t limit, struct bw_text *text, struct bw_error *error)
{
	char buffer[65536];
	for (;;) {
		ssize_t got = read(file, buffer, sizeof buffer);
		if (got == 0)
			return true;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bw_fail(error, BW_ERROR_IO, "%s: %s", path, strerror(errno));
		if (text->length + (size_t)got > limit)
			return bw_fail(error, BW_ERROR_INPUT, "%s: larger than %zu bytes", path, limit);
		bw_text_append(text, buffer, (size_t)got);
	}
}

bool bw_file_read(const char *path, size_t limit, struct bw_text *text, struct bw_error *error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return bw_fail(error, errno == ENOENT ? BW_ERROR_INPUT : BW_ERROR_IO, "%s: %s", path, strerror(errno));
	struct stat info;
	bool good;
	if (fstat(file, &info) == 0 && S_ISDIR(info.st_mode))
		good = bw_fail(error, BW_ERROR_INPUT, "%s: is a directory", path);
	else
		good = read_all(file, path, limit, text, error);
	close(file);
	return good;
}

static bool write_all(int file, const char *bytes, size_t length)
{
	while (length) {
		ssize_t put = write(file, bytes, length);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		bytes += put;
		length -= (size_t)put;
	}
	return true;
}

/* Into what is there already: a device or a pipe, which must not be replaced by a file. */
static bool write_into(const char *path, const char *bytes, size_t length)
{
	int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (file < 0)
		return false;
	bool good = write_all(file, bytes, length);
	int saved = errno;
	good = close(file) == 0 && good;
	if (saved)
		errno = saved;
	return good;
}

/* A new file beside path, then a rename. */
static bool write_beside(const char *path, const char *bytes, size_t length)
{
	struct bw_text beside = {0};
	bw_text_printf(&beside, "%s.XXXXXX", path);
	int file = mkostemp(beside.bytes, O_CLOEXEC);
	bool good = file >= 0;
	if (good) {
		mode_t mask = umask(0);
		umask(mask);
		good = fchmod(file, 0666 & ~mask) == 0 && write_all(file, bytes, length);
		int saved = errno;
		good = close(file) == 0 && good;
		if (good)
			good = rename(beside.bytes, path) == 0;
		else if (saved)
			errno = saved;
		if (!good) {
			saved = errno;
			unlink(beside.bytes);
			errno = saved;
		}
	}
	bw_text_free(&beside);
	return good;
}

bool bw_file_write(const char *path, const char *bytes, size_t length, struct bw_error *error)
{
	struct stat info;
	errno = 0;
	bool there = stat(path, &info) == 0, good;
	if (there && !S_ISREG(info.st_mode)) {
		good = write_into(path, bytes, length);
	} else {
		char *target = there ? realpath(path, NULL) : NULL;
		good = write_beside(target ? target : path, bytes, length);
		free(target);
	}
	if (!good)
		bw_fail(error, BW_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
	return good;
}
