/* A case that cannot be shown here is skipped and says why: run-test.sh puts the reason where TAP has it. */
#ifndef BW_TESTS_CORE_SKIP_H
#define BW_TESTS_CORE_SKIP_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define skip_because(reason) \
	do { \
		print_message("# SKIP: %s\n", reason); \
		skip(); \
	} while (0)
#endif
