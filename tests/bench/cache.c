/* The cache of files named by content: keys, places, directories of its own, what an unwritable one says, what killed processes leave. */
#include "bench_test.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "bench/cache.h"

static struct fixture fixture;

static int open_all(void **state)
{
	(void)state;
	fixture_open(&fixture);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	fixture_close(&fixture);
	return 0;
}

static char *in_directory(const char *name)
{
	return bw_cache_scratch_file(fixture.directory, name);
}

static void write_file(const char *path, const char *content)
{
	struct bw_error error = {0};
	assert_true(bw_file_write(path, content, strlen(content), &error));
}

static void keys_depend_on_all_and_on_order(void **state)
{
	(void)state;
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
	(void)state;
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
	(void)state;
	struct bw_error error = {0};
	char *cache = in_directory("deep/er/cache"), *scratch = bw_cache_scratch(cache, &error);
	assert_non_null(scratch);
	char *file = bw_cache_scratch_file(scratch, "x"), *left = bw_cache_scratch_file(scratch, "y"), *place = bw_cache_scratch_file(cache, "placed");
	write_file(file, "new");
	write_file(left, "left");
	assert_false(bw_cache_has(place));
	assert_true(bw_cache_publish(file, place, &error));
	assert_true(bw_cache_has(place));
	char *again = bw_strdup(scratch);
	bw_cache_scratch_free(scratch);
	assert_int_equal(access(again, F_OK), -1);
	free(again);
	free(file);
	free(left);
	free(place);
	free(cache);
}

static void unwritable(void **state)
{
	(void)state;
	struct bw_error error = {0};
	char *file = in_directory("a-file"), *under = in_directory("a-file/cache");
	write_file(file, "");
	assert_null(bw_cache_scratch(under, &error));
	assert_int_equal(error.kind, BW_ERROR_IO);
	assert_non_null(strstr(error.text, under));
	assert_non_null(strstr(error.text, " cannot be written: Not a directory"));
	assert_null(bw_cache_scratch("/proc/nowhere/cache", &error));
	assert_int_equal(error.kind, BW_ERROR_IO);
	free(file);
	free(under);
}

/* What a process that is no more left behind goes; what a living one works in stays. */
static void leftovers(void **state)
{
	(void)state;
	struct bw_error error = {0};
	char *cache = in_directory("swept"), *mine = bw_cache_scratch(cache, &error);
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	char name[64];
	snprintf(name, sizeof name, "making-%d-abcdef", (int)child);
	char *dead = bw_cache_scratch_file(cache, name), *file = bw_cache_scratch_file(dead, "x");
	assert_int_equal(mkdir(dead, 0777), 0);
	write_file(file, "x");
	char *other = bw_cache_scratch(cache, &error);
	assert_int_equal(access(dead, F_OK), -1);
	assert_int_equal(access(mine, F_OK), 0);
	bw_cache_scratch_free(mine);
	bw_cache_scratch_free(other);
	free(cache);
	free(dead);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_depend_on_all_and_on_order), cmocka_unit_test(keys_of_files), cmocka_unit_test(scratch_and_publish), cmocka_unit_test(unwritable), cmocka_unit_test(leftovers),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
