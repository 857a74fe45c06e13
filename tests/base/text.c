/* Text that grows, and files read and written whole. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/test.h"
#include "base/file.h"

static void empty_text_is_a_string(void **state)
{
	struct bw_text text = {0};
	assert_string_equal(bw_text_get(&text), "");
	char *taken = bw_text_take(&text);
	assert_string_equal(taken, "");
	free(taken);
	bw_text_free(&text);
}

static void text_grows_as_it_is_written(void **state)
{
	struct bw_text text = {0};
	for (int i = 0; i < 500; i++)
		bw_text_printf(&text, "%03d,", i);
	assert_int_equal(text.length, 2000);
	assert_memory_equal(bw_text_get(&text) + 4 * 499, "499,", 5);
	bw_text_clear(&text);
	assert_string_equal(bw_text_get(&text), "");
	bw_text_puts(&text, "a");
	bw_text_append(&text, "b\0c", 3);
	assert_int_equal(text.length, 4);
	assert_memory_equal(text.bytes, "ab\0c", 5);
	char *taken = bw_text_take(&text);
	assert_int_equal(text.length, 0);
	assert_null(text.bytes);
	free(taken);
}

static void characters_of_utf8_are_told_from_bytes_that_are_none(void **state)
{
	static const struct {
		const char *text;
		size_t most;
		int bytes;
		uint32_t point;
	} table[] = {
	    {"a", 1, 1, 'a'},
	    {"\xc3\xa4", 2, 2, 0xe4},
	    {"\xe2\x82\xac!", 4, 3, 0x20ac},
	    {"\xf0\x9f\x98\x80", 4, 4, 0x1f600},
	    {"\xe2\x82\xac", 2, 0, 0},     /* cut */
	    {"\xe2\x82", 9, 0, 0},         /* ends too early */
	    {"\x80", 1, 0, 0},              /* none begins so */
	    {"\xc0\xaf", 2, 0, 0},         /* overlong */
	    {"\xe0\x9f\xbf", 3, 0, 0},     /* overlong */
	    {"\xf0\x8f\xbf\xbf", 4, 0, 0}, /* overlong */
	    {"\xed\xa0\x80", 3, 0, 0},     /* a surrogate */
	    {"\xf4\x90\x80\x80", 4, 0, 0}, /* beyond Unicode */
	    {"\xf8\x88\x80\x80", 4, 0, 0}, /* none begins so */
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		uint32_t point = 0;
		assert_int_equal(bw_utf8(table[i].text, table[i].most, &point), table[i].bytes);
		if (table[i].bytes)
			assert_int_equal(point, table[i].point);
	}
	assert_int_equal(bw_utf8_cut("a\xe2\x82\xac", 3), 1);
	assert_int_equal(bw_utf8_cut("a\xe2\x82\xac", 4), 4);
}

static char directory[64];

static const char *in_directory(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	return path;
}

static int make_directory(void **state)
{
	strcpy(directory, "/tmp/bw-text-XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	unlink(in_directory("file"));
	return rmdir(directory);
}

static void what_is_written_is_read(void **state)
{
	struct bw_error error = {0};
	struct bw_text text = {0};
	assert_true(bw_file_write(in_directory("file"), "one\0two", 7, &error));
	assert_true(bw_file_write(in_directory("file"), "1\0\n", 3, &error));
	assert_true(bw_file_read(in_directory("file"), 3, &text, &error));
	assert_int_equal(text.length, 3);
	assert_memory_equal(text.bytes, "1\0\n", 3);
	bw_text_free(&text);
	struct stat info;
	mode_t mask = umask(0);
	umask(mask);
	assert_int_equal(stat(in_directory("file"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0666 & ~mask);
}

/* Each failure names the file and leaves nothing behind (the directory is removed as empty at the end). */
static void failures_name_the_file(void **state)
{
	struct bw_error error = {0};
	struct bw_text text = {0};
	assert_false(bw_file_read(in_directory("missing"), 10, &text, &error));
	assert_int_equal(error.kind, BW_ERROR_INPUT);
	assert_non_null(strstr(error.text, "/missing: No such file"));
	assert_false(bw_file_read(directory, 10, &text, &error));
	assert_non_null(strstr(error.text, "is a directory"));
	assert_true(bw_file_write(in_directory("file"), "12345", 5, &error));
	assert_false(bw_file_read(in_directory("file"), 4, &text, &error));
	assert_int_equal(error.kind, BW_ERROR_INPUT);
	assert_non_null(strstr(error.text, "larger than 4 bytes"));
	assert_false(bw_file_write(in_directory("missing/file"), "1", 1, &error));
	assert_int_equal(error.kind, BW_ERROR_IO);
	assert_non_null(strstr(error.text, "/missing/file: cannot be written"));
	assert_false(bw_file_write(directory, "1", 1, &error));
	assert_int_equal(error.kind, BW_ERROR_IO);
	bw_text_free(&text);
}

/* A link stays a link, a pipe stays a pipe. */
/* Files of the test's directory. */
static int count_files(void)
{
	int n = 0;
	DIR *dir = opendir(directory);
	for (struct dirent *entry; (entry = readdir(dir));)
		n += *entry->d_name != '.';
	closedir(dir);
	return n;
}

static void permissions_stay(void **state)
{
	struct bw_error error = {0};
	struct stat info;
	mode_t mask = umask(022);
	assert_true(bw_file_write(in_directory("kept"), "1", 1, &error));
	assert_int_equal(stat(in_directory("kept"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0644);
	assert_int_equal(chmod(in_directory("kept"), 0600), 0);
	assert_true(bw_file_write(in_directory("kept"), "2", 1, &error));
	assert_int_equal(stat(in_directory("kept"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	unlink(in_directory("kept"));
	umask(mask);
}

/* The writer is killed by the signal of a file that grows beyond a limit. */
static void nothing_is_left_by_a_writer_that_is_killed(void **state)
{
	static const char bytes[10000];
	struct bw_error error = {0};
	struct bw_text text = {0};
	assert_true(bw_file_write(in_directory("file"), "old", 3, &error));
	int before = count_files(), status;
	pid_t child = fork();
	if (child == 0) {
		signal(SIGXFSZ, SIG_DFL);
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){5000, 5000});
		bw_file_write(in_directory("file"), bytes, sizeof bytes, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_true(bw_file_read(in_directory("file"), 100, &text, &error));
	assert_string_equal(bw_text_get(&text), "old");
	assert_int_equal(count_files(), before);
	bw_text_free(&text);
	unlink(in_directory("file"));
}

static void what_is_no_file_is_not_replaced(void **state)
{
	struct bw_error error = {0};
	struct bw_text text = {0};
	char link[128], pipe[128];
	snprintf(link, sizeof link, "%s/link", directory);
	snprintf(pipe, sizeof pipe, "%s/pipe", directory);
	assert_true(bw_file_write(in_directory("file"), "old", 3, &error));
	assert_int_equal(symlink("file", link), 0);
	assert_true(bw_file_write(link, "new", 3, &error));
	assert_true(bw_file_read(in_directory("file"), 10, &text, &error));
	assert_string_equal(bw_text_get(&text), "new");
	bw_text_free(&text);
	struct stat info;
	assert_int_equal(lstat(link, &info), 0);
	assert_true(S_ISLNK(info.st_mode));
	unlink(link);

	assert_int_equal(mkfifo(pipe, 0600), 0);
	int reader = open(pipe, O_RDONLY | O_NONBLOCK);
	char got[8] = "";
	assert_true(bw_file_write(pipe, "flow", 4, &error));
	assert_int_equal(read(reader, got, sizeof got - 1), 4);
	assert_string_equal(got, "flow");
	close(reader);
	assert_int_equal(lstat(pipe, &info), 0);
	assert_true(S_ISFIFO(info.st_mode));
	unlink(pipe);
}

static void texts_of_lines(void **state)
{
	struct bw_error error = {0};
	struct bw_text text = {0};
	bw_text_append(&text, "\xef\xbb\xbfrun\n", 7);
	assert_true(bw_text_lines("file", &text, &error));
	assert_string_equal(bw_text_get(&text), "run\n");
	assert_int_equal(text.length, 4);
	bw_text_append(&text, "ba\0ck\n", 6);
	assert_false(bw_text_lines("file", &text, &error));
	assert_string_equal(error.text, "file:2: a zero byte: expected text in UTF-8");
	bw_text_free(&text);
	assert_true(bw_text_lines("file", &text, &error));
}

/* sh gives back each word as it was before it was quoted; white space at both ends is cut off, inside it stays. */
static void words_for_sh_and_trimmed_texts(void **state)
{
	static const char *const table[][2] = {{"", "''"}, {"a b", "'a b'"}, {"it's", "'it'\\''s'"}, {"$x `y` \"", "'$x `y` \"'"}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bw_text text = {0};
		bw_text_quote(&text, table[i][0]);
		assert_string_equal(bw_text_get(&text), table[i][1]);
		bw_text_free(&text);
	}
	char padded[] = " \t a  b \r\n", blank[] = " \t\n";
	assert_string_equal(bw_trim(padded), "a  b");
	assert_string_equal(bw_trim(blank), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_for_sh_and_trimmed_texts),
		cmocka_unit_test(empty_text_is_a_string),
		cmocka_unit_test(text_grows_as_it_is_written),
		cmocka_unit_test(characters_of_utf8_are_told_from_bytes_that_are_none),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(failures_name_the_file),
		cmocka_unit_test(texts_of_lines),
		cmocka_unit_test(permissions_stay),
		cmocka_unit_test(nothing_is_left_by_a_writer_that_is_killed),
		cmocka_unit_test(what_is_no_file_is_not_replaced),
	};
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
