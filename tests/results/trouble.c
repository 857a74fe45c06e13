/* Nothing that was stored is lost, whatever happens: processes that write at once, one that is killed, a full disk, a locked, read-only
 * or damaged file. What cannot be stored now waits, is tried again, and is taken in by a later run. */
#include "../core/test.h"
#include "made.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/mem.h"
#include "results/results.h"

/* In a child: stores n results; a byte to fd after each that is stored. */
static void store_many(struct made *made, int n, int fd)
{
	struct bw_error error = {0};
	struct bw_results *results = bw_results_open(made->path, true, 60000, NULL, &error);
	for (int i = 0; results && i < n; i++) {
		struct bw_result result = made_result(made);
		if (!bw_results_add(results, &result, NULL, &error))
			break;
		if (fd >= 0 && write(fd, "+", 1) != 1)
			break;
	}
	if (error.kind)
		fprintf(stderr, "%s\n", error.text);
	bw_results_close(results);
	_exit(error.kind ? 1 : 0);
}

static void all_end_well(const pid_t *children, int n)
{
	for (int i = 0; i < n; i++) {
		int status;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
}

enum { WRITERS = 4, EACH = 25 };

/* They race for the making of the file, too. */
static void processes_that_write_at_once(void **state)
{
	struct made *made = *state;
	pid_t children[WRITERS];
	for (int i = 0; i < WRITERS; i++)
		if (!(children[i] = fork()))
			store_many(made, EACH, -1);
	all_end_well(children, WRITERS);
	assert_int_equal(made_count(made), WRITERS * EACH);
	made_sound(made->path);
}

/* Killed in the middle of storing, again and again: all that it was told is stored is there. */
static void a_process_that_is_killed(void **state)
{
	enum { TIMES = 12 };
	struct made *made = *state;
	long least = 0, most = 0;
	for (int k = 0; k < TIMES; k++) {
		int ends[2];
		char byte;
		assert_int_equal(pipe(ends), 0);
		pid_t child = fork();
		if (!child)
			store_many(made, 1000000, ends[1]);
		close(ends[1]);
		for (int i = 0; i < 1 + k; i++, least++)
			assert_int_equal(read(ends[0], &byte, 1), 1);
		usleep((useconds_t)(137 * k));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		while (read(ends[0], &byte, 1) == 1)
			least++;
		close(ends[0]);
		most = least + k + 1;
	}
	long n = made_count(made);
	if (n < least || n > most)
		fail_msg("%ld are stored, expected %ld to %ld", n, least, most);
	made_sound(made->path);
}

/* No file may grow beyond the limit. */
static void a_limit_on_files(void **state)
{
	struct made *made = *state;
	struct bw_error error = {0};
	struct rlimit old, limit;
	struct bw_results *results = made_file(made);
	struct bw_result result = made_result(made);
	made_add(results, &result);
	char *large = BW_NEW_ARRAY(char, 1000001);
	memset(large, 'x', 1000000);
	result = made_result(made);
	result.description = "00000000000000bb";
	result.description_text = large;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 200000;
	setrlimit(RLIMIT_FSIZE, &limit);
	bool stored = bw_results_add(results, &result, NULL, &error);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_false(stored);
	if (!strstr(error.text, "File too large"))
		fail_msg("%s", error.text);
	assert_int_equal(made_count(made), 1);
	made_add(results, &result);
	bw_results_close(results);
	free(large);
	assert_int_equal(made_count(made), 2);
	made_sound(made->path);
}

static bool put(const char *path, const char *format, unsigned id)
{
	FILE *file = fopen(path, "w");
	bool good = file && fprintf(file, format, id) > 0;
	return file && !fclose(file) && good;
}

/* A file system of 256 KiB on the folder, for this process alone; as root, or where users may be root of a name space of their own. */
static bool small_disk(const struct made *made)
{
	unsigned user = geteuid(), group = getegid();
	if (unshare(CLONE_NEWNS) && (unshare(CLONE_NEWUSER | CLONE_NEWNS) || !put("/proc/self/setgroups", "deny", 0) || !put("/proc/self/uid_map", "0 %u 1", user) || !put("/proc/self/gid_map", "0 %u 1", group)))
		return false;
	return !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mount("tmpfs", made->folder, "tmpfs", 0, "size=262144");
}

/* In a child. Exits with 77 where it may not mount. */
static void fill_disk(struct made *made)
{
	struct bw_error error = {0};
	if (!small_disk(made))
		_exit(77);
	struct bw_results *results = bw_results_open(made->path, true, 1000, NULL, &error);
	int n = 0;
	char hash[BW_UID_SIZE], text[4097] = "";
	memset(text, 'x', sizeof text - 1);
	for (bool good = results; good && n < 100; n += good) {
		struct bw_result result = made_result(made);
		snprintf(hash, sizeof hash, "%016x", n);
		result.schedule = hash;
		result.schedule_text = text;
		good = bw_results_add(results, &result, NULL, &error);
	}
	bw_results_close(results);
	if (n < 2 || n == 100 || !strstr(error.text, ": the disk is full")) {
		fprintf(stderr, "%d stored, then: %s\n", n, error.text);
		_exit(1);
	}
	_exit(made_count(made) == n ? 0 : 2);
}

static void a_full_disk(void **state)
{
	struct made *made = *state;
	int status;
	pid_t child = fork();
	if (!child)
		fill_disk(made);
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip_because("nothing can be mounted here");
	assert_int_equal(status, 0);
}

static sqlite3 *lock_file(const struct made *made)
{
	sqlite3 *db;
	assert_int_equal(sqlite3_open(made->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static void a_locked_file(void **state)
{
	struct made *made = *state;
	struct bw_error error = {0};
	bw_results_close(made_file(made));
	struct bw_results *results = bw_results_open(made->path, true, 30, NULL, &error);
	struct bw_result result = made_result(made);
	sqlite3 *other = lock_file(made);
	assert_false(bw_results_add(results, &result, NULL, &error));
	assert_non_null(strstr(error.text, "results.db: locked by another program for more than 0.03 s"));
	sqlite3_close(other);
	made_add(results, &result);
	bw_results_close(results);
	assert_int_equal(made_count(made), 1);
}

/* Waits until there is something to say. */
static int hear(struct bw_recorder *recorder, struct bw_text *said)
{
	int n = 1;
	for (int k = 0; !said->length && k < 600; k++) {
		struct pollfd fd = {bw_recorder_fd(recorder), POLLIN, 0};
		poll(&fd, 1, 100);
		n = bw_recorder_poll(recorder, said);
	}
	return n;
}

static void tried_again_until_stored(void **state)
{
	struct made *made = *state;
	struct bw_text said = {0};
	bw_results_close(made_file(made));
	sqlite3 *other = lock_file(made);
	struct bw_recorder *recorder = bw_recorder_new(made->path, 20, 20);
	for (int i = 0; i < 3; i++) {
		struct bw_result result = made_result(made);
		bw_recorder_add(recorder, bw_result_copy(&result));
	}
	assert_int_equal(hear(recorder, &said), 3);
	assert_non_null(strstr(bw_text_get(&said), "not stored yet: "));
	assert_non_null(strstr(bw_text_get(&said), "locked by another program"));
	usleep(200000);
	bw_text_clear(&said);
	bw_recorder_poll(recorder, &said);
	assert_int_equal(said.length, 0);
	sqlite3_close(other);
	assert_int_equal(hear(recorder, &said), 0);
	assert_string_equal(bw_text_get(&said), "stored now\n");
	bw_text_clear(&said);
	bw_recorder_end(recorder, &said);
	assert_int_equal(said.length, 0);
	assert_int_equal(made_count(made), 3);
	bw_text_free(&said);
}

static size_t files_like(const struct made *made, const char *pattern)
{
	glob_t found;
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s", made->folder, pattern);
	size_t n = glob(bw_text_get(&path), 0, NULL, &found) ? 0 : found.gl_pathc;
	if (n)
		globfree(&found);
	bw_text_free(&path);
	return n;
}

/* Still locked when the program ends: a file beside it keeps them, and the next run takes them in, once. */
static void left_for_a_later_run(void **state)
{
	struct made *made = *state;
	struct bw_text said = {0};
	struct bw_result first = made_result(made);
	struct bw_results *results = made_file(made);
	made_add(results, &first);
	bw_results_close(results);
	sqlite3 *other = lock_file(made);
	struct bw_recorder *recorder = bw_recorder_new(made->path, 20, 20);
	bw_recorder_add(recorder, bw_result_copy(&first));
	first = made_result(made);
	first.schedule_text = "another\n";
	first.schedule = "0000000000000001";
	bw_recorder_add(recorder, bw_result_copy(&first));
	hear(recorder, &said);
	bw_recorder_end(recorder, &said);
	assert_non_null(strstr(bw_text_get(&said), "2 measurements wait in "));
	assert_int_equal(files_like(made, "results.db.unsaved-*"), 1);
	sqlite3_close(other);
	bw_text_clear(&said);
	struct bw_error error = {0};
	results = bw_results_open(made->path, false, 1000, &said, &error);
	assert_string_equal(bw_text_get(&said), "2 measurements that an earlier run could not store are stored now\n");
	bw_text_clear(&said);
	assert_true(bw_results_schedule(results, "0000000000000001", &said, &error));
	assert_string_equal(bw_text_get(&said), "another\n");
	bw_results_close(results);
	assert_int_equal(files_like(made, "*"), 1);
	assert_int_equal(made_count(made), 2);
	bw_text_free(&said);
}

/* Where nothing can be written at all the result is said itself. */
static void nowhere_to_write(void **state)
{
	struct made *made = *state;
	struct bw_text said = {0};
	struct bw_result result = made_result(made);
	struct bw_recorder *recorder = bw_recorder_new("/proc/beamwalk/results.db", 20, 20);
	bw_recorder_add(recorder, bw_result_copy(&result));
	bw_recorder_end(recorder, &said);
	assert_non_null(strstr(bw_text_get(&said), "not stored yet: /proc/beamwalk: the folder cannot be made: "));
	assert_non_null(strstr(bw_text_get(&said), "\n{\"id\":null,\"uid\":\""));
	bw_text_free(&said);
}

/* In a child that is not root: reads, cannot write, and says so. */
static void read_only(struct made *made)
{
	struct bw_error error = {0};
	if (geteuid() == 0 && setuid(65534))
		_exit(77);
	struct bw_result result = made_result(made);
	struct bw_results *results = bw_results_open(made->path, false, 20, NULL, &error);
	if (!results || bw_results_count(results, NULL, &error) != 1)
		_exit(1);
	if (bw_results_add(results, &result, NULL, &error) || !strstr(error.text, "cannot be written"))
		_exit(2);
	bw_results_close(results);
	_exit(0);
}

static void a_read_only_folder(void **state)
{
	struct made *made = *state;
	int status;
	struct bw_result result = made_result(made);
	struct bw_results *results = made_file(made);
	made_add(results, &result);
	bw_results_close(results);
	chmod(made->path, 0444);
	chmod(made->folder, 0555);
	pid_t child = fork();
	if (!child)
		read_only(made);
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip_because("root cannot become another user here");
	assert_int_equal(status, 0);
}

/* Overwrites part of the file with bytes that mean nothing to SQLite. */
static void damage(const struct made *made, off_t from, size_t length)
{
	char *noise = BW_NEW_ARRAY(char, length);
	int fd = open(made->path, O_WRONLY);
	memset(noise, 0xa5, length);
	assert_int_equal(pwrite(fd, noise, length, from), length);
	close(fd);
	free(noise);
}

static void made_one(struct made *made)
{
	struct bw_results *results = made_file(made);
	struct bw_result result = made_result(made);
	made_add(results, &result);
	bw_results_close(results);
}

/* Reading leaves it where it is. The first to store something moves it aside, as it is, once, though several find it at once. */
static void a_damaged_file(void **state)
{
	struct made *made = *state;
	struct bw_error error = {0};
	struct bw_text before = {0}, after = {0}, aside = {0};
	pid_t children[WRITERS];
	made_one(made);
	damage(made, 0, 512);
	assert_true(bw_file_read(made->path, 1 << 24, &before, &error));
	assert_null(bw_results_open(made->path, false, 0, NULL, &error));
	assert_non_null(strstr(error.text, "results.db: the file is damaged"));
	for (int i = 0; i < WRITERS; i++)
		if (!(children[i] = fork()))
			store_many(made, 5, -1);
	all_end_well(children, WRITERS);
	assert_int_equal(files_like(made, "*"), 2);
	assert_int_equal(made_count(made), WRITERS * 5);
	glob_t found;
	bw_text_printf(&aside, "%s.damaged-*", made->path);
	assert_int_equal(glob(bw_text_get(&aside), 0, NULL, &found), 0);
	assert_true(bw_file_read(found.gl_pathv[0], 1 << 24, &after, &error));
	assert_int_equal(before.length, after.length);
	assert_memory_equal(before.bytes, after.bytes, before.length);
	globfree(&found);
	bw_text_free(&before);
	bw_text_free(&after);
	bw_text_free(&aside);
}

/* The head of the file is sound, its tables are not: found out when something is stored. */
static void damage_that_is_found_late(void **state)
{
	struct made *made = *state;
	struct bw_text notice = {0};
	struct bw_error error = {0};
	made_one(made);
	damage(made, 4096, 20 * 4096);
	struct bw_results *results = bw_results_open(made->path, true, 1000, NULL, &error);
	assert_non_null(results);
	struct bw_result result = made_result(made);
	if (!bw_results_add(results, &result, &notice, &error))
		fail_msg("%s", error.text);
	assert_non_null(strstr(bw_text_get(&notice), "the file was damaged; it is kept as "));
	bw_results_close(results);
	assert_int_equal(made_count(made), 1);
	assert_int_equal(files_like(made, "*.damaged-*"), 1);
	bw_text_free(&notice);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, made_open, made_close)
	const struct CMUnitTest tests[] = {
		TEST(processes_that_write_at_once), TEST(a_process_that_is_killed), TEST(a_limit_on_files), TEST(a_full_disk), TEST(a_locked_file), TEST(tried_again_until_stored),
		TEST(left_for_a_later_run), TEST(nowhere_to_write), TEST(a_read_only_folder), TEST(a_damaged_file), TEST(damage_that_is_found_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
