/* cmocka, with the headers that it wants before it. A case that asks for no state leaves its parameter unused; one that cannot be shown here is
 * skipped and says why: run-test.sh puts the reason where TAP has it. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define skip_because(reason) \
	do { \
		print_message("# SKIP: %s\n", reason); \
		skip(); \
	} while (0)
