#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Does the same as bw_file_read for an open file; path is for errors. */
static bool file_read_from(int file, const char *path, size_t limit, struct bw_text *text,
			   struct bw_error *error)
{
	struct stat info;
	if (fstat(file, &info) == 0 && S_ISDIR(info.st_mode))
		return bw_fail(error, BW_ERROR_INPUT, "%s: is a directory", path);
	return read_all(file, path, limit, text, error);
}

bool bw_file_read(const char *path, size_t limit, struct bw_text *text, struct bw_error *error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return bw_fail(error, errno == ENOENT ? BW_ERROR_INPUT : BW_ERROR_IO, "%s: %s", path, strerror(errno));
	bool good = file_read_from(file, path, limit, text, error);
	close(file);
	return good;
}

bool bw_file_suits(const char *path, const char *form, const char *endings, struct bw_error *error)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
	size_t length = dot ? strlen(dot + 1) : 0;
	for (const char *at = endings; *at && length; at += strspn(at, " ")) {
		size_t known = strcspn(at, " ");
		if (known == length && !strncasecmp(at, dot + 1, length))
			return true;
		at += known;
	}
	return !length || bw_fail(error, BW_ERROR_USAGE, "%s: this writes %s, so the file's name ends in one of %s", path,
				  form, endings);
}

bool bw_text_lines(const char *name, struct bw_text *text, struct bw_error *error)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *zero = text->length ? memchr(text->bytes, 0, text->length) : NULL;
	int line = 1;
	for (const char *at = text->bytes; zero && at < zero; at++)
		line += *at == '\n';
	if (zero)
		return bw_fail(error, BW_ERROR_INPUT, "%s:%d: a zero byte: expected text in UTF-8", name, line);
	if (text->length >= 3 && !memcmp(text->bytes, mark, 3)) {
		text->length -= 3;
		memmove(text->bytes, text->bytes + 3, text->length + 1);
	}
	return true;
}

bool bw_write_all(int file, const char *bytes, size_t length)
{
	while (length) {
		ssize_t put = write(file, bytes, length);
		if (put > 0) {
			bytes += put;
			length -= (size_t)put;
		} else if (put < 0 && errno == EAGAIN) {
			poll(&(struct pollfd){file, POLLOUT, 0}, 1, -1);
		} else if (put == 0 || errno != EINTR) {
			errno = put == 0 ? ENOSPC : errno;
			return false;
		}
	}
	return true;
}

/* Closes a file. Returns false with errno of the first failure if `good` is false or closing fails. */
static bool close_after(int file, bool good)
{
	int saved = errno;
	bool closed = close(file) == 0;
	if (!good)
		errno = saved;
	return good && closed;
}

/* Writes into an existing device or pipe, which must not be replaced by a file. */
static bool write_into(const char *path, const char *bytes, size_t length)
{
	int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return file >= 0 && close_after(file, bw_write_all(file, bytes, length));
}

/* Renames the file `beside` to `path`, or removes it if not good. */
static bool replace(const char *beside, const char *path, bool good)
{
	good = good && rename(beside, path) == 0;
	int saved = errno;
	if (!good)
		unlink(beside);
	errno = saved;
	return good;
}

/* Opens an unnamed file in the folder of `path`. The system deletes it if the program is killed. Returns
 * -1 if the system has no such files. */
static int open_unnamed(const char *path, mode_t mode)
{
	char *folder = bw_strdup(path), *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	int file = open(slash ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	free(folder);
	return file;
}

/* Replaces the last six letters of `name` with random ones. */
static bool draw_name(char *name)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz012345";
	unsigned char bytes[6];
	char *random = name + strlen(name) - sizeof bytes;
	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return false;
	for (size_t k = 0; k < sizeof bytes; k++)
		random[k] = digits[bytes[k] % 32];
	return true;
}

enum { NAMES = 100 }; /* number of random names to try, at most, if files with these names exist */

/* Gives a file without a name the name `beside`, whose last six letters are chosen here. */
static bool name_file(int file, char *beside)
{
	char own[64];
	snprintf(own, sizeof own, "/proc/self/fd/%d", file);
	for (int tries = 0; tries < NAMES && draw_name(beside); tries++)
		if (linkat(AT_FDCWD, own, AT_FDCWD, beside, AT_SYMLINK_FOLLOW) == 0)
			return true;
		else if (errno != EEXIST)
			return false;
	return false;
}

/* Makes the file `beside`, whose last six letters are chosen here. Returns -1 if it cannot. */
static int open_named(char *beside, mode_t mode)
{
	for (int tries = 0; tries < NAMES && draw_name(beside); tries++) {
		int file = open(beside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
		if (file >= 0 || errno != EEXIST)
			return file;
	}
	return -1;
}

/* Writes a new file in the folder of `path`, and renames it to `path` once it is complete. It gets the
 * permissions of `replaced`, or those of any new file if that is NULL. The process's mask of permissions
 * is left to the system: reading it means to change it, and a program that another thread starts in
 * between would inherit the change. */
static bool write_beside(const char *path, const struct stat *replaced, const char *bytes, size_t length)
{
	mode_t mode = replaced ? 0600 : 0666;
	BW_SCOPED_TEXT beside = {0};
	bw_text_printf(&beside, "%s.XXXXXX", path);
	int file = access("/proc/self/fd", X_OK) == 0 ? open_unnamed(path, mode) : -1;
	bool named = file < 0;
	if (named)
		file = open_named(beside.bytes, mode);
	bool good = file >= 0;
	if (good) {
		good = (!replaced || fchmod(file, replaced->st_mode & 0777) == 0) && bw_write_all(file, bytes, length);
		named = named || (good && name_file(file, beside.bytes));
		good = close_after(file, good && named);
		if (named)
			good = replace(beside.bytes, path, good);
	}
	return good;
}

bool bw_file_write(const char *path, const char *bytes, size_t length, struct bw_error *error)
{
	struct stat info;
	bool there = stat(path, &info) == 0, good;
	if (there && !S_ISREG(info.st_mode)) {
		good = write_into(path, bytes, length);
	} else {
		BW_SCOPED_MEMORY char *target = there ? realpath(path, NULL) : NULL;
		good = write_beside(target ? target : path, there ? &info : NULL, bytes, length);
	}
	return good || bw_fail(error, BW_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
}

/* Standard output, and the three standard files. */

void bw_output_begin(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
	for (int file = 0; file < 3; file++)
		if (fcntl(file, F_GETFD) < 0 && open("/dev/null", modes[file]) != file)
			return;
}

static bool failed(struct bw_error *error)
{
	return bw_fail(error, BW_ERROR_IO, "standard output: %s", strerror(errno));
}

bool bw_output_put(const char *bytes, size_t length, struct bw_error *error)
{
	return (fflush(stdout) == 0 && bw_write_all(STDOUT_FILENO, bytes, length)) || failed(error);
}

bool bw_output_end(struct bw_error *error)
{
	errno = 0;
	if (fflush(stdout) != 0)
		return failed(error);
	if (ferror(stdout))
		return bw_fail(error, BW_ERROR_IO, "standard output: not all of it could be written");
	return close(STDOUT_FILENO) == 0 || failed(error);
}

/* Returns the number at the beginning of a text, 0 if there is none. Sets *rest to the text after the
 * number. */
static int number(const char *text, const char **rest)
{
	char *end = (char *)text;
	long value = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
	*rest = end;
	return value > 0 && value < 10000 ? (int)value : 0;
}

int bw_library_version(const char *path, const char *stem)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *rest;
	size_t length = strlen(stem);
	if (strncmp(name, "lib", 3) != 0 || strncmp(name + 3, stem, length) != 0)
		return BW_LIBRARY_OTHER;
	int in_stem = number(name + 3 + length, &rest);
	if (strncmp(rest, ".so", 3) != 0 || (rest[3] && rest[3] != '.'))
		return BW_LIBRARY_OTHER;
	return in_stem ? in_stem : rest[3] ? number(rest + 4, &rest) : BW_LIBRARY_UNNUMBERED;
}

char *bw_find_installed(const char *folder, const char *own, const char *wanted, const char *built)
{
	BW_SCOPED_TEXT path = {0};
	size_t length = strlen(folder), same = 0;
	bw_text_printf(&path, "%s/config.status", folder);
	bool build = access(path.bytes, F_OK) == 0;
	bw_text_clear(&path);
	for (size_t i = 0; own[i] && own[i] == wanted[i]; i++)
		same = own[i] == '/' ? i : same;
	const size_t tail = strlen(own + same);
	if (build)
		bw_text_printf(&path, "%s/%s", folder, built);
	else if (tail <= length && !strcmp(folder + length - tail, own + same))
		bw_text_printf(&path, "%.*s%s", (int)(length - tail), folder, wanted + same);
	char *found = realpath(bw_text_get(&path), NULL);
	return found ? found : bw_strdup(wanted);
}

enum { MOST_ENTRY = 16 << 10 }; /* bytes per entry in the databases of users and groups */

/* Returns true if a group is this user's private one: it has the user's name and no other members. */
static bool is_private_group(gid_t id)
{
	struct passwd user, *user_found = NULL;
	struct group group, *group_found = NULL;
	BW_SCOPED_MEMORY char *user_bytes = bw_new_array(MOST_ENTRY, 1),
			      *group_bytes = bw_new_array(MOST_ENTRY, 1);
	getpwuid_r(geteuid(), &user, user_bytes, MOST_ENTRY, &user_found);
	getgrgid_r(id, &group, group_bytes, MOST_ENTRY, &group_found);
	bool is = user_found && group_found && user.pw_gid == id && !strcmp(user.pw_name, group.gr_name);
	for (char **member = is ? group.gr_mem : NULL; member && *member; member++)
		is = is && !strcmp(*member, user.pw_name);
	return is;
}

static bool is_own(const struct stat *info, const char *path, struct bw_error *error)
{
	if (info->st_uid != geteuid() && info->st_uid != 0)
		return bw_fail(
		    error, BW_ERROR_IO,
		    "%s: belongs to another user (%ld), who could have put anything there: it is not used",
		    path, (long)info->st_uid);
	if (info->st_mode & S_IWOTH || (info->st_mode & S_IWGRP && !is_private_group(info->st_gid)))
		return bw_fail(
		    error, BW_ERROR_IO,
		    "%s: other users can write there, so it is not used; `chmod go-w %s` mends that", path,
		    path);
	return true;
}

/* Checks that a folder exists and belongs to this user or root alone. Returns false with an error if not. */
static bool folder_is_own(const char *path, struct bw_error *error)
{
	struct stat info;
	if (stat(path, &info) != 0)
		return bw_fail(error, BW_ERROR_IO, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(info.st_mode))
		return bw_fail(error, BW_ERROR_IO, "%s: %s", path, strerror(ENOTDIR));
	return is_own(&info, path, error);
}

bool bw_folders_make(const char *path, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *part = bw_strdup(path);
	struct stat info;
	bool good = true;
	for (char *slash = part + 1; good && (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		good =
		    stat(part, &info) == 0 || mkdir(part, 0700) == 0 || errno == EEXIST ||
		    bw_fail(error, BW_ERROR_IO, "%s: the folder cannot be made: %s", part, strerror(errno));
	}
	return good;
}

bool bw_trusted_folder_make(const char *path, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *inside = bw_format("%s/", path);
	return bw_folders_make(inside, error) && folder_is_own(path, error);
}

bool bw_file_is_trusted(int file, const char *path, struct bw_error *error)
{
	struct stat info;
	if (fstat(file, &info) != 0)
		return bw_fail(error, BW_ERROR_IO, "%s: %s", path, strerror(errno));
	return is_own(&info, path, error);
}

bool bw_trusted_file_read(const char *path, size_t limit, struct bw_text *text, struct bw_error *error)
{
	char *folder = bw_strdup(path), *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	bool good = folder_is_own(slash ? folder : ".", error);
	int file = good ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (good && file < 0)
		good = bw_fail(error, errno == ENOENT ? BW_ERROR_INPUT : BW_ERROR_IO, "%s: %s", path, strerror(errno));
	good = good && bw_file_is_trusted(file, path, error) && file_read_from(file, path, limit, text, error);
	if (file >= 0)
		close(file);
	free(folder);
	return good;
}
