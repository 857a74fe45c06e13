/* The version that a shared library's file name tells, as Debian and upstream releases of Halide name it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"

static void versions(void **state)
{
	(void)state;
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
	const struct CMUnitTest tests[] = {cmocka_unit_test(versions)};
	return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
