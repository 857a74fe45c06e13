/* Figures as people read them. */
#include <math.h>

#include "../core/test.h"
#include "base/say.h"

static void costs(void **state)
{
	static const struct {
		double cost;
		const char *said;
	} cases[] = {{0, "0.0000"}, {0.04412, "0.0441"}, {0.009, "0.00900"}, {0.00012, "0.00012"}, {7.55e-5, "7.6e-05"}, {9.99951, "9.9995"}, {12.346, "12.35"}, {1234.5, "1,234"}, {98765432, "98,765,432"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(bw_say_cost(cases[i].cost).text, cases[i].said);
}

static void counts_and_bytes(void **state)
{
	assert_string_equal(bw_say_count(7).text, "7");
	assert_string_equal(bw_say_count(999).text, "999");
	assert_string_equal(bw_say_count(7680).text, "7,680");
	assert_string_equal(bw_say_count(1234567).text, "1,234,567");
	assert_string_equal(bw_say_count(-1234).text, "-1,234");
	assert_string_equal(bw_say_short(7680).text, "7,680");
	assert_string_equal(bw_say_short(39157920).text, "39.2 M");
	assert_string_equal(bw_say_short(-1553598144).text, "-1.55 G");
	assert_string_equal(bw_say_short(999.6e6).text, "1.00 G");
	assert_string_equal(bw_say_short(INFINITY).text, "infinite");
	assert_string_equal(bw_say_count(2.5e17).text, "2.5e+17");
	assert_string_equal(bw_say_bytes(2448).text, "2,448 B");
	assert_string_equal(bw_say_bytes(99999).text, "99,999 B");
	assert_string_equal(bw_say_bytes(15728640).text, "15.7 MB");
	assert_string_equal(bw_say_bytes(999600).text, "1.0 MB");
	assert_string_equal(bw_say_bytes(250e9).text, "250 GB");
}

static void shares_and_factors(void **state)
{
	assert_string_equal(bw_say_percent(0.41).text, "41%");
	assert_string_equal(bw_say_percent(0.001).text, "<1%");
	assert_string_equal(bw_say_percent(0).text, "0%");
	assert_string_equal(bw_say_times(1.2).text, "1.20x");
	assert_string_equal(bw_say_times(45.67).text, "45.7x");
	assert_string_equal(bw_say_times(456.7).text, "457x");
}

static void ranks_seconds_and_extents(void **state)
{
	static const struct {
		int rank;
		const char *said;
	} ranks[] = {{0, "1st"}, {1, "2nd"}, {2, "3rd"}, {3, "4th"}, {10, "11th"}, {11, "12th"}, {12, "13th"}, {20, "21st"}, {110, "111th"}, {111, "112th"}, {121, "122nd"}};
	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
		assert_string_equal(bw_say_rank(ranks[i].rank).text, ranks[i].said);
	assert_string_equal(bw_say_seconds(0.0123).text, "12 ms");
	assert_string_equal(bw_say_seconds(1.25).text, "1.2 s");
	assert_string_equal(bw_say_seconds(125).text, "2 min 05 s");
	assert_string_equal(bw_say_extents((const int64_t[]){48, 160, 1}).text, "48x160");
	assert_string_equal(bw_say_extents((const int64_t[]){1, 1, 1}).text, "1");
	assert_string_equal(bw_say_extents((const int64_t[]){1, 1, 4}).text, "1x1x4");
	assert_string_equal(bw_say_extents((const int64_t[]){2147483647, 65535, 65535}).text, "2147483647x65535x65535");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs),
		cmocka_unit_test(counts_and_bytes),
		cmocka_unit_test(shares_and_factors),
		cmocka_unit_test(ranks_seconds_and_extents),
	};
	return cmocka_run_group_tests_name("say", tests, NULL, NULL);
}
