/* The line that says most in what generators and compilers print when they fail. The texts are those of Halide 14's and of gcc's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bench/complaint.h"

static void complaints(void **state)
{
	(void)state;
	static const struct {
		const char *errors, *line;
	} cases[] = {
		{"", ""},
		{"\n \n", ""},
		{"one\ntwo\n", "two"},
		{"one\ntwo\n\n  \n", "two"},
		{"noise\nbeamwalk: error: INPUT: Func f: no estimate\n", "INPUT: Func f: no estimate"},
		{"Unhandled exception: Error: Failed to load: /p.so: /p.so: cannot open shared object file\n\n", "Failed to load: /p.so: /p.so: cannot open shared object file"},
		{"Unhandled exception: Error: Generator not found: zork\nDid you mean:\n    a\n    bb\n", "Generator not found: zork; it has a, bb"},
		{"Either -g <name> or -r must be specified; available Generators are:\n    a\n    bb\n", "available Generators are: a, bb"},
		{"  4711:\tfind library=libm.so.6 [0]; searching\nthe cause\n      4711:\t/x.so: error: symbol lookup error: undefined symbol: f (fatal)\n", "the cause"},
		{"      4711:\tcalling fini: /x.so [0]\n", ""},
		{"/usr/bin/ld: cannot find -lzork\ncollect2: error: ld returned 1 exit status\n", "ld returned 1 exit status"},
		{"Unhandled exception: Error: Cannot compute f at g:\nLoops of g:\n  x\n  y\n\nf is used elsewhere.\n\n", "Cannot compute f at g: Loops of g: x, y f is used elsewhere."},
		{"terminate called after throwing an instance of 'Halide::CompileError'\n  what():  Error: Func f\ncannot be computed\n", "Func f cannot be computed"},
		{"a.c:3:5: error: expected a name\n    3 | int\n      |    ^\n", "expected a name"},
		{"terminate called after throwing an instance of 'Halide::RuntimeError'\n  what():  Error: no\n", "no"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_text line = {0};
		bw_complaint(cases[k].errors, &line);
		assert_string_equal(bw_text_get(&line), cases[k].line);
		bw_text_free(&line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(complaints)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
