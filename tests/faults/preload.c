#define _GNU_SOURCE
/* Loaded before libc (LD_PRELOAD): lets one of a process's writes to regular files fail, as a full or broken disk does.
 *   BW_FAULT=no-space   that write and all after it fail with ENOSPC
 *   BW_FAULT=broken     that write fails with EIO, once
 *   BW_FAULT=short      that write takes half of the bytes, once
 *   BW_FAULT_AT=N       which write it is, from 1
 *   BW_FAULT_IN=NAME    processes of this name only, or of any other than it if NAME begins with `!`
 *   BW_FAULT_COUNT=FILE a byte is added to this file for each write
 * A write is a call of write, pwrite or writev, and, but for `short`, of fsync, ftruncate, rename, linkat and close of a file open to be written. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum fault { NO_FAULT, NO_SPACE, BROKEN, SHORT };

static bool concerns_this_process(void)
{
	const char *name = getenv("BW_FAULT_IN");
	bool other = name && *name == '!';
	return !name || !strcmp(program_invocation_short_name, name + other) != other;
}

static void count(void)
{
	const char *path = getenv("BW_FAULT_COUNT");
	int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (file < 0)
		return;
	syscall(SYS_write, file, ".", 1);
	syscall(SYS_close, file);
}

/* The fault of the write that is about to be made. */
static enum fault next(bool data)
{
	static atomic_int n;
	const char *kind = getenv("BW_FAULT"), *at = getenv("BW_FAULT_AT");
	if (!concerns_this_process())
		return NO_FAULT;
	count();
	int number = atomic_fetch_add(&n, 1) + 1, wanted = at ? atoi(at) : 0;
	if (!kind || !wanted || number < wanted)
		return NO_FAULT;
	if (!strcmp(kind, "no-space"))
		return NO_SPACE;
	if (number > wanted)
		return NO_FAULT;
	return !strcmp(kind, "broken") ? BROKEN : data ? SHORT : NO_FAULT;
}

static bool is_written(int file)
{
	struct stat info;
	int saved = errno, flags = fcntl(file, F_GETFL);
	bool is = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink + (flags & O_TMPFILE) > 0;
	errno = saved;
	return is;
}

static bool fails(enum fault fault)
{
	if (fault == NO_SPACE || fault == BROKEN)
		errno = fault == BROKEN ? EIO : ENOSPC;
	return fault == NO_SPACE || fault == BROKEN;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t length)
{
	enum fault fault = is_written(file) ? next(true) : NO_FAULT;
	return fails(fault) ? -1 : REAL(write)(file, bytes, fault == SHORT ? (length + 1) / 2 : length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at)
{
	enum fault fault = is_written(file) ? next(true) : NO_FAULT;
	return fails(fault) ? -1 : REAL(pwrite)(file, bytes, fault == SHORT ? (length + 1) / 2 : length, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at)
{
	return pwrite(file, bytes, length, at);
}

ssize_t writev(int file, const struct iovec *parts, int n)
{
	enum fault fault = is_written(file) ? next(true) : NO_FAULT;
	return fails(fault) ? -1 : REAL(writev)(file, parts, fault == SHORT && n > 1 ? n - 1 : n);
}

int fsync(int file)
{
	return is_written(file) && fails(next(false)) ? -1 : REAL(fsync)(file);
}

int fdatasync(int file)
{
	return is_written(file) && fails(next(false)) ? -1 : REAL(fdatasync)(file);
}

int ftruncate(int file, off_t length)
{
	return is_written(file) && fails(next(false)) ? -1 : REAL(ftruncate)(file, length);
}

int ftruncate64(int file, off64_t length)
{
	return ftruncate(file, length);
}

int rename(const char *from, const char *to)
{
	return fails(next(false)) ? -1 : REAL(rename)(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
	return fails(next(false)) ? -1 : REAL(linkat)(from_folder, from, to_folder, to, flags);
}

/* A close that fails has closed the file nevertheless. */
int close(int file)
{
	bool fail = is_written(file) && fails(next(false));
	int saved = errno, result = REAL(close)(file);
	if (fail)
		errno = saved;
	return fail ? -1 : result;
}
