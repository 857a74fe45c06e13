/* Writing whole files: their permissions, that the process's mask of permissions is never touched, and that nothing is left of a
 * write that is killed. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/test.h"
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

static int n_files(const char *folder)
{
	int n = 0;
	DIR *directory = opendir(folder);
	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory));)
		n += *entry->d_name != '.';
	closedir(directory);
	return n;
}

/* Writes a megabyte, of which the system takes 64 KB and then kills the process. */
static _Noreturn void write_too_much(const char *path)
{
	enum { LENGTH = 1 << 20, LIMIT = 1 << 16 };
	struct rlimit limit = {LIMIT, LIMIT};
	struct bw_error error = {0};
	char *bytes = calloc(1, LENGTH);
	signal(SIGXFSZ, SIG_DFL);
	if (bytes && setrlimit(RLIMIT_FSIZE, &limit) == 0)
		bw_file_write(path, bytes, LENGTH, &error);
	_exit(0);
}

/* A file that is written when the program is killed is as it was before, and no other one is left beside it. */
static void killed_in_a_save(void **state)
{
	char folder[] = "/tmp/bw-file-XXXXXX";
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	syscall(SYS_umask, 022);
	int unnamed = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (unnamed < 0)
		skip_because("the file system has no files without a name");
	close(unnamed);
	for (int before = 0; before < 2; before++) {
		int status;
		pid_t child = fork();
		if (child == 0)
			write_too_much("saved");
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
		assert_int_equal(n_files("."), before);
		write_text("saved", "whole");
	}
	struct stat info;
	assert_int_equal(stat("saved", &info), 0);
	assert_int_equal(info.st_size, 5);
	assert_int_equal(unlink("saved"), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* The version that a shared library's file name tells, as Debian and upstream releases of Halide name it. */

static void versions(void **state)
{
	static const struct {
		const char *path;
		int version;
	} cases[] = {
		{"libHalide14.so.0", 14},
		{"/usr/lib/x86_64-linux-gnu/libHalide21.so.1", 21},
		{"/opt/Halide 19/lib/libHalide.so.19.0.0", 19},
		{"libHalide.so.15", 15},
		{"libHalide19.so", 19},
		{"libHalide.so", BW_LIBRARY_UNNUMBERED},
		{"libHalide.so.", BW_LIBRARY_UNNUMBERED},
		{"libHalide.so.99999999999999999999", BW_LIBRARY_UNNUMBERED},
		{"libHalideaot21.so.1", BW_LIBRARY_OTHER},
		{"libHalide.soup", BW_LIBRARY_OTHER},
		{"libHalide", BW_LIBRARY_OTHER},
		{"libHalide14.so.0/libc.so.6", BW_LIBRARY_OTHER},
		{"Halide14.so", BW_LIBRARY_OTHER},
		{"", BW_LIBRARY_OTHER},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		if (bw_library_version(cases[k].path, "Halide") != cases[k].version)
			fail_msg("%s: %d, not %d", cases[k].path, bw_library_version(cases[k].path, "Halide"), cases[k].version);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permissions), cmocka_unit_test(killed_in_a_save),
		cmocka_unit_test(versions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
