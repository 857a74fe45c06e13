/* Keeps sessions in files while they run, and finds these files again. The files are named
 * NAME-DESCRIPTION-WHEN-PROCESS.bw, so that two runs of the program never share one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "session/core.h"

enum { MOST_KEPT = 20, MOST_BYTES = 1 << 24 };
static const char ending[] = ".bw";

struct keeper {
	char *path; /* the file that keeps the session; NULL: it is not kept */
	struct bw_text text; /* the text last written to the file or, while the journal is empty, the text to
				be written */
	bool failed; /* the file cannot be written, and a warning was given */
};

static BW_PART_DATA(keeper_of, struct keeper, KEEPER)

/* Writes the part of a file's name between NAME and WHEN for this pipeline. */
static void key_of(const struct bw_session *session, char key[32])
{
	snprintf(key, 32, "-%016llx-", (unsigned long long)session->pipeline->content);
}

/* Appends the beginning of the file names for pipelines with this name. */
static void name_of(const struct bw_session *session, struct bw_text *name)
{
	enum { LONGEST = 64 };
	for (const char *at = session->pipeline->name; *at && name->length < LONGEST; at++)
		bw_text_append(name, strchr("/.-", *at) ? "_" : at, 1);
}

struct found {
	char *path;
	struct timespec when;
};

BW_ORDER(newest_first, struct found,
	 4 * BW_COMPARE(b->when.tv_sec, a->when.tv_sec) + 2 * BW_COMPARE(b->when.tv_nsec, a->when.tv_nsec) +
	     BW_COMPARE(strcmp(b->path, a->path), 0))

/* Returns the files in the folder whose names begin with `begin` and contain the key, the newest first, and
 * sets *n to their number. free() each path and the list. */
static struct found *find_files(const char *folder, const char *begin, const char *key, int *n)
{
	struct found *list = NULL;
	int capacity = 0;
	*n = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		BW_SCOPED_TEXT path = {0};
		struct stat info;
		bw_text_printf(&path, "%s/%s", folder, entry->d_name);
		if (bw_ends_with(entry->d_name, ending) && !strncmp(entry->d_name, begin, strlen(begin)) &&
		    strstr(entry->d_name, key) && stat(bw_text_get(&path), &info) == 0 && S_ISREG(info.st_mode)) {
			BW_PUSH(list, *n, capacity, (struct found){bw_text_take(&path), info.st_mtim});
		}
	}
	if (dir)
		closedir(dir);
	if (*n)
		qsort(list, (size_t)*n, sizeof *list, newest_first);
	return list;
}

/* Returns the files of sessions of exactly this pipeline, as find_files does. */
static struct found *find_kept(const struct bw_session *session, const char *folder, int *n)
{
	char key[32];
	key_of(session, key);
	return find_files(folder, "", key, n);
}

static void free_found(struct found *list, int n)
{
	for (int i = 0; i < n; i++)
		free(list[i].path);
	free(list);
}

static void remove_oldest(const struct bw_session *session, const char *folder)
{
	int n;
	struct found *list = find_kept(session, folder, &n);
	for (int i = MOST_KEPT - 1; i < n; i++)
		unlink(list[i].path);
	free_found(list, n);
}

static void write_kept(struct bw_session *session)
{
	struct keeper *keeper = keeper_of(session);
	struct bw_error error = {0};
	BW_SCOPED_MEMORY char *folder = strndup(keeper->path, (size_t)(strrchr(keeper->path, '/') - keeper->path));
	bool good = bw_trusted_folder_make(folder, &error) &&
		    bw_file_write(keeper->path, bw_text_get(&keeper->text), keeper->text.length, &error);
	if (good || keeper->failed)
		return;
	keeper->failed = true;
	size_t length = strlen(session->message);
	snprintf(session->warning, sizeof session->warning, "this session is not kept: %.200s", error.text);
	snprintf(session->message + length, sizeof session->message - length, "%s%s", length ? "; " : "",
		 session->warning);
}

/* Writes the session to its file if it has changed since the last time. */
static void keep_up(struct bw_session *session)
{
	struct keeper *keeper = keeper_of(session);
	struct bw_text text = {0};
	int n_bookmarks;
	bw_session_bookmarks(session, &n_bookmarks);
	if (!keeper->path || own_of(session)->depth || session->n_journal + session->n_timings + n_bookmarks == 0)
		return;
	bw_session_print_saved(session, session->target >= 0 ? session->target : session->cursor, &text);
	bool same = text.length == keeper->text.length &&
		    !memcmp(bw_text_get(&text), bw_text_get(&keeper->text), text.length);
	bw_text_free(&keeper->text);
	keeper->text = text;
	if (!same)
		write_kept(session);
}

void bw_session_keep(struct bw_session *session, const char *folder)
{
	struct keeper *keeper = keeper_of(session);
	char key[32], when[32];
	time_t now = time(NULL);
	struct tm utc;
	struct bw_text path = {0}, name = {0};
	key_of(session, key);
	gmtime_r(&now, &utc);
	strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &utc);
	bw_text_printf(&path, "%s/", folder);
	name_of(session, &name);
	bw_text_printf(&path, "%s%s%s-%ld%s", bw_text_get(&name), key, when, (long)getpid(), ending);
	bw_text_free(&name);
	remove_oldest(session, folder);
	free(keeper->path);
	keeper->path = bw_text_take(&path);
	keep_up(session);
}

static void end(struct bw_session *session)
{
	struct keeper *keeper = keeper_of(session);
	static const char mark[] = BW_SAVED_END "\n";
	int file = keeper->path ? open(keeper->path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	if (file >= 0) {
		bool marked = !session->quit || write(file, mark, sizeof mark - 1) == sizeof mark - 1;
		if (marked)
			fsync(file);
		close(file);
	}
	free(keeper->path);
	bw_text_free(&keeper->text);
}

/* Takes the settings that stand in the file before its journal as the session's initial settings. */
static bool take_settings(struct bw_session *session, const char *text, struct bw_error *error)
{
	struct bw_settings options = session->options;
	char *copy = bw_strdup(text), *rest = copy, *line;
	bool good = true;
	while (good && (line = strsep(&rest, "\n")) && strcmp(line, BW_SAVED_JOURNAL)) {
		struct bw_assignment assignment;
		if (!strncmp(line, "set ", 4) && strncmp(line, "set on=", 7))
			good = bw_assignment_read(line + 4, &assignment, error) &&
			       bw_settings_assign(&assignment, session->devices, session->n_devices,
							&options, error);
	}
	free(copy);
	if (!good)
		return false;
	bw_advance_end(session);
	bw_session_expansion_stop(session);
	bw_search_free(session->search);
	session->options = options;
	session->search = bw_search_new(session->pipeline, &options, NULL);
	session->cursor = 0;
	bw_session_touch(session);
	return true;
}

/* Returns true if a process is running. A process that has ended but was not waited for (a zombie) is not. */
static bool runs(long id)
{
	char path[64];
	BW_SCOPED_TEXT text = {0};
	snprintf(path, sizeof path, "/proc/%ld/stat", id);
	bool known = bw_file_read(path, MOST_BYTES, &text, NULL);
	const char *name_end = known ? strrchr(bw_text_get(&text), ')') : NULL;
	bool ended = name_end && name_end[1] && strchr("ZX", name_end[2]);
	return !ended && (kill((pid_t)id, 0) == 0 || errno != ESRCH);
}

/* Returns true if the process that wrote the file is gone without having ended the session properly. */
static bool is_unended(const char *path)
{
	BW_SCOPED_TEXT text = {0};
	const char *process = strrchr(path, '-');
	long id = process ? strtol(process + 1, NULL, 10) : 0;
	size_t end = strlen(BW_SAVED_END "\n");
	return id > 0 && !runs(id) && bw_file_read(path, MOST_BYTES, &text, NULL) &&
	       (text.length < end || strcmp(text.bytes + text.length - end, BW_SAVED_END "\n"));
}

/* Writes the time at which a file was written, as text for people. */
static void say_when(const struct found *found, char when[32])
{
	struct tm utc;
	gmtime_r(&found->when.tv_sec, &utc);
	strftime(when, 32, "%Y-%m-%d %H:%M:%S UTC", &utc);
}

void bw_session_unended(const struct bw_session *session, const char *folder, struct bw_text *said)
{
	int n;
	char when[32];
	struct found *list = find_kept(session, folder, &n);
	if (n && is_unended(list[0].path)) {
		say_when(&list[0], when);
		bw_text_printf(said, "the session of %s did not come to its end: --resume goes on with it", when);
	}
	free_found(list, n);
}

static bool resume_file(struct bw_session *session, const char *path, struct bw_text *said,
			struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	bool good = bw_trusted_file_read(path, MOST_BYTES, &text, error) && bw_text_lines(path, &text, error) &&
		    take_settings(session, bw_text_get(&text), error) &&
		    bw_session_replay_file(session, path, NULL, error);
	if (good)
		bw_saved_differences(session, bw_text_get(&text), said);
	return good;
}

/* Fails with the error that no session of the pipeline is kept. The error names the newest file of another
 * pipeline with the same name, which may be an earlier version. */
static bool none_kept(const struct bw_session *session, const char *folder, struct bw_error *error)
{
	BW_SCOPED_TEXT begin = {0};
	int n;
	name_of(session, &begin);
	bw_text_puts(&begin, "-");
	struct found *list = find_files(folder, bw_text_get(&begin), "-", &n);
	if (n)
		bw_fail(
		    error, BW_ERROR_INPUT,
		    "no session of %s as it is now is kept; `load` reads %s, which is of one with other sizes, or from before it was changed",
		    session->pipeline->name, list[0].path);
	else
		bw_fail(error, BW_ERROR_INPUT, "no session of %s is kept in %s", session->pipeline->name, folder);
	free_found(list, n);
	return false;
}

bool bw_session_resume(struct bw_session *session, const char *folder, struct bw_text *said,
		       struct bw_error *error)
{
	int n;
	struct found *list = find_kept(session, folder, &n);
	BW_SCOPED_TEXT differences = {0};
	bool good = n ? resume_file(session, list[0].path, &differences, error) : none_kept(session, folder, error);
	if (good) {
		char when[32];
		say_when(&list[0], when);
		bw_text_printf(said, "resumed the session of %s, %d command%s%s", when,
			       bw_journal_done(session), bw_journal_done(session) == 1 ? "" : "s",
			       bw_text_get(&differences));
	}
	free_found(list, n);
	return good;
}

const struct bw_session_part bw_part_keeper = {
    .size = sizeof(struct keeper),
    .settled = keep_up,
    .end = end,
};
