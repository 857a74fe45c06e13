#include "bench/pocl.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/protocol.h"

bool bw_pocl_folder(const char *object, char folder[PATH_MAX])
{
	const char *all = getenv(BW_POCL_VARIABLE);
	char name[BW_CONTENT_NAME];
	bw_content_name(object, strlen(object), name);
	*folder = 0;
	if (!all || !*all || strlen(all) + sizeof name + 1 > PATH_MAX)
		return false;
	snprintf(folder, PATH_MAX, "%s/%s", all, name);
	return access(folder, F_OK) == 0;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
	(void)info, (void)type, (void)place;
	remove(path);
	return 0;
}

bool bw_pocl_forget(const char *folder)
{
	enum { MOST_OPEN = 16 };
	if (!*folder)
		return true;
	nftw(folder, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
	return access(folder, F_OK) != 0;
}

void bw_pocl_tidy(const char *folder)
{
	static const char begin[] = "tempfile_";
	const char *path = folder ? folder : getenv(BW_POCL_VARIABLE);
	DIR *entries = path && *path ? opendir(path) : NULL;
	const struct dirent *entry;
	struct stat info;
	while (entries && (entry = readdir(entries)))
		if (!strncmp(entry->d_name, begin, sizeof begin - 1) && !strchr(entry->d_name, '.') &&
		    !fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(info.st_mode) && info.st_size == 0)
			unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
}
