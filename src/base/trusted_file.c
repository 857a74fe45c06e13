#include "base/trusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { MOST_ENTRY = 16 << 10 }; /* bytes per entry in the databases of users and groups */

/* Returns true if a group is this user's private one: it has the user's name and no other members. */
static bool is_private_group(gid_t id)
{
	struct passwd user, *user_found = NULL;
	struct group group, *group_found = NULL;
	char *user_bytes = bw_new_array(MOST_ENTRY, 1), *group_bytes = bw_new_array(MOST_ENTRY, 1);
	getpwuid_r(geteuid(), &user, user_bytes, MOST_ENTRY, &user_found);
	getgrgid_r(id, &group, group_bytes, MOST_ENTRY, &group_found);
	bool is = user_found && group_found && user.pw_gid == id && !strcmp(user.pw_name, group.gr_name);
	for (char **member = is ? group.gr_mem : NULL; member && *member; member++)
		is = is && !strcmp(*member, user.pw_name);
	free(user_bytes);
	free(group_bytes);
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

bool bw_trusted_folder_make(const char *path, struct bw_error *error)
{
	char *part = bw_strdup(path);
	struct stat info;
	bool good = true;
	for (char *slash = strchr(part + 1, '/'); good; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = 0;
		good =
		    stat(part, &info) == 0 || mkdir(part, 0700) == 0 || errno == EEXIST ||
		    bw_fail(error, BW_ERROR_IO, "%s: the folder cannot be made: %s", part, strerror(errno));
		if (!slash)
			break;
		*slash = '/';
	}
	free(part);
	return good && folder_is_own(path, error);
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
	good = good && bw_file_is_trusted(file, path, error) && bw_file_read_from(file, path, limit, text, error);
	if (file >= 0)
		close(file);
	free(folder);
	return good;
}
