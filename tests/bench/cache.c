/* The cache of files named by content: keys, places, directories of its own, what an unwritable one says, what killed processes leave. */
#include "bench_test.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file.h"
#include "bench/cache.h"

static struct fixture fixture;

static int open_all(void **state)
{
	fixture_open(&fixture);
	return 0;
}

static int close_all(void **state)
{
	fixture_close(&fixture);
	return 0;
}

static char *in_directory(const char *name)
{
	return bw_format("%s/%s", fixture.directory, name);
}

static void write_file(const char *path, const char *content)
{
	struct bw_error error = {0};
	assert_true(bw_file_write(path, content, strlen(content), &error));
}

static void keys_depend_on_all_and_on_order(void **state)
{
	static const char *const lists[][3] = {{"a", "b", NULL}, {"b", "a", NULL}, {"ab", NULL, NULL}, {"ab", "", NULL}, {"a", NULL, "b"}, {"", "ab", NULL}};
	char *seen[6];
	for (size_t k = 0; k < 6; k++) {
		struct bw_cache_key key = bw_cache_key("test");
		for (int i = 0; i < 3; i++)
			bw_cache_key_string(&key, lists[k][i]);
		seen[k] = bw_cache_path("/c", &key, ".x");
		assert_int_equal(strlen(seen[k]), strlen("/c/") + 32 + strlen(".x"));
		for (size_t j = 0; j < k; j++)
			assert_string_not_equal(seen[j], seen[k]);
	}
	for (size_t k = 0; k < 6; k++)
		free(seen[k]);
}

static void keys_of_files(void **state)
{
	char *one = in_directory("one"), *two = in_directory("two");
	struct bw_error error = {0};
	write_file(one, "content");
	write_file(two, "content");
	struct bw_cache_key a = bw_cache_key("p"), b = bw_cache_key("p"), c = bw_cache_key("p"), d = bw_cache_key("q");
	assert_true(bw_cache_key_file(&a, one, &error) && bw_cache_key_file(&b, two, &error) && bw_cache_key_file(&d, one, &error));
	write_file(two, "contenT");
	assert_true(bw_cache_key_file(&c, two, &error));
	assert_memory_equal(&a, &b, sizeof a);
	assert_memory_not_equal(&a, &c, sizeof a);
	assert_memory_not_equal(&a, &d, sizeof a);
	assert_false(bw_cache_key_file(&a, "/nowhere", &error));
	assert_string_equal(error.text, "/nowhere: No such file or directory");
	assert_int_equal(error.kind, BW_ERROR_INPUT);
	assert_false(bw_cache_key_file(&a, fixture.directory, &error));
	assert_int_equal(error.kind, BW_ERROR_INPUT);
	free(one);
	free(two);
}

static void scratch_and_publish(void **state)
{
	struct bw_error error = {0};
	struct bw_scratch scratch;
	char *cache = in_directory("deep/er/cache");
	assert_true(bw_cache_scratch(cache, &scratch, &error));
	char *file = bw_format("%s/%s", scratch.path, "x"), *left = bw_format("%s/%s", scratch.path, "y"), *place = bw_format("%s/%s", cache, "placed");
	write_file(file, "new");
	write_file(left, "left");
	assert_false(bw_cache_has(place));
	assert_true(bw_cache_publish(file, place, &error));
	assert_true(bw_cache_has(place));
	char *again = bw_strdup(scratch.path);
	bw_cache_scratch_free(&scratch);
	assert_int_equal(access(again, F_OK), -1);
	free(again);
	free(file);
	free(left);
	free(place);
	free(cache);
}

/* A file that is damaged, cut short, put there by somebody else or open to others is as good as missing, and is replaced. */
static void damage(void **state)
{
	struct bw_error error = {0};
	struct bw_scratch scratch;
	char *cache = in_directory("damaged");
	assert_true(bw_cache_scratch(cache, &scratch, &error));
	char *place = bw_format("%s/%s", cache, "placed"), *sum = bw_format("%s/%s", cache, "placed.sum");
	for (int k = 0; k < 7; k++) {
		char *file = bw_format("%s/%s", scratch.path, "x");
		write_file(file, "content");
		assert_true(bw_cache_publish(file, place, &error));
		assert_true(bw_cache_has(place));
		assert_int_equal(chmod(place, 0644), 0);
		assert_true(bw_cache_has(place));
		if (k == 0)
			write_file(place, "contenT");
		else if (k == 1)
			write_file(place, "conten");
		else if (k == 2)
			write_file(place, "");
		else if (k == 3)
			unlink(sum);
		else if (k == 4)
			chmod(place, 0666);
		else if (k == 5)
			chmod(sum, 0666);
		else if (geteuid() == 0)
			assert_int_equal(chown(place, 12345, 12345), 0);
		else
			unlink(place);
		assert_false(bw_cache_has(place));
		unlink(sum);
		unlink(place);
		free(file);
	}
	bw_cache_scratch_free(&scratch);
	free(sum);
	free(place);
	free(cache);
}

/* A cache that others can write to, or that belongs to somebody else, is not used. */
static void caches_of_others(void **state)
{
	struct bw_error error = {0};
	struct bw_scratch scratch;
	struct stat info;
	char *cache = in_directory("others"), *mine = in_directory("mine/cache");
	assert_int_equal(mkdir(cache, 0700), 0);
	assert_int_equal(chmod(cache, 0777), 0);
	assert_false(bw_cache_scratch(cache, &scratch, &error));
	assert_int_equal(error.kind, BW_ERROR_IO);
	assert_non_null(strstr(error.text, "the cache cannot be used: "));
	assert_non_null(strstr(error.text, "other users can write there, so it is not used; `chmod go-w "));
	assert_int_equal(chmod(cache, 0700), 0);
	assert_true(bw_cache_scratch(cache, &scratch, &error));
	bw_cache_scratch_free(&scratch);
	if (geteuid() == 0) {
		assert_int_equal(chown(cache, 12345, 12345), 0);
		assert_false(bw_cache_scratch(cache, &scratch, &error));
		assert_non_null(strstr(error.text, "belongs to another user (12345)"));
	}
	mode_t mask = umask(0);
	assert_true(bw_cache_scratch(mine, &scratch, &error));
	umask(mask);
	assert_int_equal(stat(mine, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	bw_cache_scratch_free(&scratch);
	free(mine);
	free(cache);
}

static void unwritable(void **state)
{
	struct bw_error error = {0};
	struct bw_scratch scratch;
	char *file = in_directory("a-file"), *under = in_directory("a-file/cache");
	write_file(file, "");
	assert_false(bw_cache_scratch(under, &scratch, &error));
	assert_int_equal(error.kind, BW_ERROR_IO);
	assert_non_null(strstr(error.text, under));
	assert_non_null(strstr(error.text, ": the folder cannot be made: Not a directory"));
	assert_false(bw_cache_scratch("/proc/nowhere/cache", &scratch, &error));
	assert_int_equal(error.kind, BW_ERROR_IO);
	free(file);
	free(under);
}

/* Makes a directory as it may be left behind, last used so many seconds ago. */
static void leave(const char *path, int seconds)
{
	char *file = bw_format("%s/%s", path, "x");
	struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
	assert_int_equal(mkdir(path, 0700), 0);
	write_file(file, "x");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	free(file);
}

/* What a process that is no more left behind goes; what a living one works in stays, whatever its number: that of one in a container may
 * be nobody's here. */
static void leftovers(void **state)
{
	struct bw_error error = {0};
	struct bw_scratch mine, other;
	char *cache = in_directory("swept");
	assert_true(bw_cache_scratch(cache, &mine, &error));
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	char name[64];
	snprintf(name, sizeof name, "making-%d-abcdef", (int)child);
	char *dead = bw_format("%s/%s", cache, name), *living = bw_format("%s/%s", cache, "making-4000001-abcdef"), *new = bw_format("%s/%s", cache, "making-4000002-abcdef");
	leave(dead, 3600);
	leave(living, 3600);
	leave(new, 0);
	int held = open(living, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(held, LOCK_EX), 0);
	struct timespec times[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
	assert_int_equal(utimensat(AT_FDCWD, mine.path, times, 0), 0);
	assert_true(bw_cache_scratch(cache, &other, &error));
	assert_int_equal(access(dead, F_OK), -1);
	assert_int_equal(access(living, F_OK), 0);
	assert_int_equal(access(new, F_OK), 0);
	assert_int_equal(access(mine.path, F_OK), 0);
	close(held);
	bw_cache_scratch_free(&mine);
	bw_cache_scratch_free(&other);
	free(cache);
	free(dead);
	free(living);
	free(new);
}

/* One lock for each file: it is waited for no longer than the patience, less what it was waited for before; it ends with its holder or a stop. */
static void locks(void **state)
{
	char *one = in_directory("locked"), *two = in_directory("other"), *nowhere = in_directory("no/where");
	struct bw_patience much = {300, NULL}, little = {0.3, NULL};
	atomic_bool stop = true;
	int held, other, again;
	assert_true(bw_cache_lock(one, &much, &held) && held >= 0);
	assert_true(much.seconds == 300); /* it did not wait */
	assert_true(bw_cache_lock(two, &little, &other) && other >= 0);
	assert_false(bw_cache_lock(one, &little, &again));
	assert_true(again == -1 && little.seconds == 0);
	assert_false(bw_cache_lock(one, &(struct bw_patience){300, &stop}, &again));
	pid_t child = fork();
	if (!child) {
		usleep(200000); /* it has the lock, too, until it ends */
		_exit(0);
	}
	close(held);
	assert_true(bw_cache_lock(one, &much, &again) && again >= 0);
	assert_true(much.seconds < 299.9 && much.seconds > 290);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(again);
	close(other);
	assert_true(bw_cache_lock(nowhere, &much, &again) && again == -1);
	free(one);
	free(two);
	free(nowhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_depend_on_all_and_on_order), cmocka_unit_test(keys_of_files), cmocka_unit_test(scratch_and_publish),
		cmocka_unit_test(damage), cmocka_unit_test(caches_of_others), cmocka_unit_test(unwritable), cmocka_unit_test(leftovers), cmocka_unit_test(locks),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
