/* Errors: what bw_fail and bw_fail_in leave in the value, and the exit status of each kind. */
#include <string.h>

#include "../core/test.h"
#include "base/error.h"

static void fail_sets_kind_and_text(void **state)
{
	struct bw_error error = {0};
	assert_false(bw_fail(&error, BW_ERROR_INPUT, "%s:%d: expected %s", "a.json", 3, "an array"));
	assert_int_equal(error.kind, BW_ERROR_INPUT);
	assert_string_equal(error.text, "a.json:3: expected an array");
}

static void fail_without_a_place_is_no_crash(void **state)
{
	assert_false(bw_fail(NULL, BW_ERROR_IO, "%s", "lost"));
	assert_false(bw_fail_in(NULL, "%s", "lost"));
}

static void prefix_comes_first_and_keeps_the_kind(void **state)
{
	struct bw_error error = {0};
	bw_fail(&error, BW_ERROR_HALIDE, "no estimate");
	assert_false(bw_fail_in(&error, "Func %s", "Ix"));
	assert_int_equal(error.kind, BW_ERROR_HALIDE);
	assert_string_equal(error.text, "Func Ix: no estimate");
}

static void text_is_one_line(void **state)
{
	struct bw_error error = {0};
	bw_fail(&error, BW_ERROR_FAILED, "a\nb\tc\033[2Jd\x7f");
	assert_string_equal(error.text, "a b c [2Jd ");
	/* The controls of C1, in UTF-8 and as single bytes; the same bytes in letters stay. */
	bw_fail(&error, BW_ERROR_FAILED, "a\xc2\x9b" "2Jb\x9b" "2Jc \xc3\x9b \xe2\x94\x80 \xe9 \xc2\xb5 \xf0\x9f\x98\x80");
	assert_string_equal(error.text, "a  2Jb 2Jc \xc3\x9b \xe2\x94\x80 \xe9 \xc2\xb5 \xf0\x9f\x98\x80");
}

static void long_text_is_cut(void **state)
{
	char wide[2 * sizeof ((struct bw_error *)0)->text];
	memset(wide, 'x', sizeof wide - 1);
	wide[sizeof wide - 1] = 0;
	struct bw_error error = {0};
	bw_fail(&error, BW_ERROR_FAILED, "%s", wide);
	assert_int_equal(strlen(error.text), sizeof error.text - 1);
	bw_fail_in(&error, "front");
	assert_int_equal(strlen(error.text), sizeof error.text - 1);
	assert_memory_equal(error.text, "front: xxx", 10);
	bw_fail_in(&error, "%s", wide);
	assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void statuses_are_those_of_the_manual(void **state)
{
	static const struct {
		enum bw_error_kind kind;
		int status;
		const char *name;
	} cases[] = {
		{BW_ERROR_NONE, 0, "NONE"},
		{BW_ERROR_FAILED, 1, "FAILED"},
		{BW_ERROR_USAGE, 2, "USAGE"},
		{BW_ERROR_INPUT, 3, "INPUT"},
		{BW_ERROR_IO, 4, "IO"},
		{BW_ERROR_HALIDE, 5, "HALIDE"},
		{BW_ERROR_DEVICE, 6, "DEVICE"},
		{BW_ERROR_WRONG, 7, "WRONG"},
		{BW_ERROR_CONFLICT, 8, "CONFLICT"},
		{BW_ERROR_UNSTABLE, 9, "UNSTABLE"},
		{BW_ERROR_MISSING, 10, "MISSING"},
		{BW_ERROR_STOPPED, 130, "STOPPED"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(bw_error_status(cases[i].kind), cases[i].status);
		assert_string_equal(bw_error_name(cases[i].kind), cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fail_sets_kind_and_text),
		cmocka_unit_test(fail_without_a_place_is_no_crash),
		cmocka_unit_test(prefix_comes_first_and_keeps_the_kind),
		cmocka_unit_test(text_is_one_line),
		cmocka_unit_test(long_text_is_cut),
		cmocka_unit_test(statuses_are_those_of_the_manual),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
