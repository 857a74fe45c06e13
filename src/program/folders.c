#include "program/folders.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "bench/ptxas.h"

static char *format_path(const char *format, const char *a)
{
	struct bw_text path = {0};
	bw_text_printf(&path, format, a);
	return bw_text_take(&path);
}

/* Makes a folder instead of HOME, private to this user, in the common temporary folder. Returns false with
 * *trouble if that is impossible, for example because another user has made it. */
static bool make_home(const char *path, struct bw_error *trouble)
{
	struct stat info;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return bw_fail(trouble, BW_ERROR_IO, "%s cannot be created (%s)", path, strerror(errno));
	if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() || info.st_mode & 077)
		return bw_fail(trouble, BW_ERROR_IO, "%s does not belong to this user alone", path);
	return true;
}

/* Returns the default parent of the user's folders: HOME, or a private folder. If there is none, returns
 * /dev/null, below which nothing can be created. */
static char *find_home(struct bw_error *trouble)
{
	const char *home = getenv("HOME"), *temporary = getenv("TMPDIR");
	if (home && *home == '/')
		return bw_strdup(home);
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/beamwalk-%ld", temporary && *temporary == '/' ? temporary : "/tmp",
		       (long)geteuid());
	if (!make_home(bw_text_get(&path), trouble)) {
		bw_text_clear(&path);
		bw_text_puts(&path, "/dev/null");
	}
	return bw_text_take(&path);
}

static char *xdg(const char *variable, const char *fallback, struct bw_error *trouble)
{
	const char *value = getenv(variable);
	if (value && *value == '/')
		return format_path("%s/beamwalk", value);
	struct bw_text path = {0};
	char *home = find_home(trouble);
	bw_text_printf(&path, "%s/%s/beamwalk", home, fallback);
	free(home);
	return bw_text_take(&path);
}

/* Returns the first of these variables that is set and not empty, else `otherwise`. */
static const char *said(const char *first, const char *second, const char *otherwise)
{
	const char *values[] = {getenv(first), second ? getenv(second) : NULL};
	for (int i = 0; i < 2; i++)
		if (values[i] && *values[i])
			return values[i];
	return otherwise;
}

void bw_layout_find(struct bw_layout *layout, struct bw_error *trouble)
{
	char exe[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[length > 0 ? length : 0] = 0;
	char *slash = strrchr(exe, '/');
	if (slash)
		*slash = 0;
	bool build = !strcmp(exe, BW_BUILD_FOLDER);
	layout->generators = build ? format_path("%s/pipelines", exe) : bw_strdup(BW_PKGLIBDIR "/pipelines");
	layout->bundled = bw_strdup(build ? BW_SOURCE_FOLDER "/pipelines" : BW_PKGDATADIR "/pipelines");
	layout->descriptions =
	    bw_strdup(build ? BW_SOURCE_FOLDER "/data/descriptions" : BW_PKGDATADIR "/data/descriptions");
	layout->lessons = bw_strdup(build ? BW_SOURCE_FOLDER "/lessons" : BW_PKGDATADIR "/lessons");
	layout->published =
	    bw_strdup(build ? BW_SOURCE_FOLDER "/data/published" : BW_PKGDATADIR "/data/published");
	layout->devices =
	    bw_strdup(build ? BW_SOURCE_FOLDER "/data/devices.json" : BW_PKGDATADIR "/data/devices.json");
	layout->plugins = bw_plugins_find(build ? exe : BW_PKGLIBDIR);
	layout->bench = build ? format_path("%s/beamwalk-bench", exe) : bw_strdup(BW_BINDIR "/beamwalk-bench");
	layout->ptxas = bw_ptxas_find(getenv("PATH"));
	layout->cache = xdg("XDG_CACHE_HOME", ".cache", trouble);
	layout->state = xdg("XDG_STATE_HOME", ".local/state", trouble);
	layout->config = xdg("XDG_CONFIG_HOME", ".config", trouble);
	layout->data = xdg("XDG_DATA_HOME", ".local/share", trouble);
	layout->results = format_path("%s/results.db", layout->data);
	layout->editing = (struct bw_editing){said("VISUAL", "EDITOR", "vi"), said("TMPDIR", NULL, "/tmp")};
}

void bw_layout_free(struct bw_layout *layout)
{
	free(layout->generators);
	free(layout->bundled);
	free(layout->descriptions);
	free(layout->lessons);
	free(layout->published);
	free(layout->devices);
	bw_plugins_free(layout->plugins);
	free(layout->bench);
	free(layout->ptxas);
	free(layout->cache);
	free(layout->state);
	free(layout->config);
	free(layout->data);
	free(layout->results);
}
