/* How well predictions agree with measurements, by hand: ties, one schedule, what is not a number, all equal;
 * and the plot of three points. */
#include <math.h>
#include <string.h>

#include "../core/test.h"
#include "results/results.h"

static void assert_near(const char *what, double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12))
		fail_msg("%s is %.17g, expected %.17g", what, value, expected);
}

/* Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: squares of 4.5 and 5, and 2.25 + 0 + 0 + 2.25 = 4.5 in common. The
 * least prediction is of the fastest. Predicted over measured 1/10, 2/20, 2/40, 8/41: over is the last, under
 * the third. */
static void test_ties(void **state)
{
	static const struct bw_pair pairs[] = {{1, 10}, {2, 20}, {2, 40}, {8, 41}};
	struct bw_agreement agreement = bw_agreement_of(pairs, 4);
	assert_int_equal(agreement.n, 4);
	assert_near("rho", agreement.rho, 4.5 / sqrt(4.5 * 5));
	assert_near("tau", agreement.tau, 5.0 / 6); /* six pairs, one of equal predictions */
	assert_near("right", agreement.right, 4.0 / 5); /* 40 and 41 are within 5 %; the equal predictions count as wrong */
	assert_near("regret", agreement.regret, 1);
	assert_int_equal(agreement.choice, 0);
	assert_int_equal(agreement.best, 0);
	assert_int_equal(agreement.over, 3);
	assert_int_equal(agreement.under, 2);
	assert_near("scale", agreement.scale, pow(1.0 / 10 * 2 / 20 * 2 / 40 * 8 / 41, 0.25));
}

/* The model prefers the slowest of seven; among its first five the fastest is third. Of equal predictions the
 * first is preferred. */
static void test_regret(void **state)
{
	static const struct bw_pair pairs[] = {{7, 1}, {6, 2}, {5, 3}, {4, 4}, {3, 5}, {2, 6}, {1, 7}};
	static const struct bw_pair equal[] = {{1, 8}, {1, 2}, {3, 4}};
	struct bw_agreement agreement = bw_agreement_of(pairs, 7);
	assert_near("rho", agreement.rho, -1);
	assert_near("regret", agreement.regret, 7);
	assert_near("regret of five", agreement.regret5, 3);
	assert_near("regret of equals", bw_agreement_of(equal, 3).regret, 4);
}

static void test_one(void **state)
{
	static const struct bw_pair pair = {3, 6};
	struct bw_agreement agreement = bw_agreement_of(&pair, 1);
	assert_int_equal(agreement.n, 1);
	assert_true(isnan(agreement.rho));
	assert_near("regret", agreement.regret, 1);
	assert_near("regret of five", agreement.regret5, 1);
	assert_near("scale", agreement.scale, 0.5);
	assert_int_equal(agreement.over, 0);
	assert_int_equal(agreement.under, 0);
}

/* Pairs that lack a figure count for nothing, wherever they stand. */
static void test_no_numbers(void **state)
{
	static const struct bw_pair pairs[] = {{(double)NAN, 1},      {2, 5},   {1, (double)NAN}, {4, 6},
	                                       {(double)INFINITY, 7}, {0, 0.5}, {3, -1}};
	struct bw_agreement agreement = bw_agreement_of(pairs, 7), none = bw_agreement_of(pairs, 1),
			    empty = bw_agreement_of(NULL, 0);
	assert_int_equal(agreement.n, 2);
	assert_near("rho", agreement.rho, 1);
	assert_int_equal(agreement.choice, 1);
	assert_int_equal(agreement.over, 3);
	assert_int_equal(none.n, 0);
	assert_int_equal(none.choice, -1);
	assert_true(isnan(none.rho) && isnan(none.regret) && isnan(none.regret5) && isnan(none.scale));
	assert_int_equal(empty.n, 0);
	assert_int_equal(empty.best, -1);
}

/* There is no order to find where one side is all equal. */
static void test_all_equal(void **state)
{
	static const struct bw_pair predictions[] = {{1, 2}, {1, 3}, {1, 4}},
				    measurements[] = {{1, 2}, {2, 2}, {3, 2}};
	struct bw_agreement agreement = bw_agreement_of(measurements, 3);
	assert_true(isnan(bw_agreement_of(predictions, 3).rho));
	assert_near("regret", bw_agreement_of(predictions, 3).regret, 1);
	assert_true(isnan(agreement.rho));
	assert_near("regret", agreement.regret, 1);
}

/* Corners and middle of 4 x 2 cells: the axes end at the values, dots are where they belong. */
static void test_scatter(void **state)
{
	static const struct bw_pair pairs[] = {{1, 1}, {100, 100}, {100, 1}, {(double)NAN, 5}};
	static const struct bw_scatter scatter = {"measured, ms", "predicted, ms", 4, 2, true};
	struct bw_text text = {0};
	bw_scatter_put(&scatter, pairs, 4, &text);
	assert_string_equal(bw_text_get(&text), "           predicted, ms (logarithmic)\n"
	                                        "      100 |\xe2\xa0\x81  \xe2\xa0\x88\n"
	                                        "        1 |\xe2\xa1\x80.\n"
	                                        "          +----\n"
	                                        "           1100\n"
	                                        "           measured, ms (logarithmic)\n");
	bw_text_clear(&text);
	bw_scatter_put(&scatter, pairs, 1, &text);
	assert_non_null(strstr(bw_text_get(&text), "1 |"));
	bw_text_clear(&text);
	bw_scatter_put(&scatter, pairs + 3, 1, &text);
	assert_string_equal(bw_text_get(&text), "nothing to plot: no schedule has both figures\n");
	bw_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ties),      cmocka_unit_test(test_regret),
		cmocka_unit_test(test_one),       cmocka_unit_test(test_no_numbers),
		cmocka_unit_test(test_all_equal), cmocka_unit_test(test_scatter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
