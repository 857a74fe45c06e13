/* Writing whole files: their permissions, and that the process's mask of permissions is never touched. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"

/* Stands before the C library's: a program that another thread starts while the mask is changed would
 * make files with the changed one. */
mode_t umask(mode_t mask)
{
	fail_msg("the mask of permissions is set to %03o", (unsigned)mask);
	return 0;
}

static mode_t mode_of(const char *path)
{
	struct stat info;
	assert_int_equal(stat(path, &info), 0);
	return info.st_mode & 07777;
}

static void write_text(const char *path, const char *text)
{
	struct bw_error error = {0};
	if (!bw_file_write(path, text, strlen(text), &error))
		fail_msg("%s", error.text);
}

static void permissions(void **state)
{
	(void)state;
	static const mode_t masks[] = {022, 002, 077, 0};
	char folder[] = "/tmp/bw-file-XXXXXX";
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
		syscall(SYS_umask, masks[k]);
		write_text("new", "a");
		assert_int_equal(mode_of("new"), 0666 & ~masks[k]);
		assert_int_equal(chmod("new", 0640), 0);
		write_text("new", "b");
		assert_int_equal(mode_of("new"), 0640);
		assert_int_equal(unlink("new"), 0);
	}
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(permissions)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
