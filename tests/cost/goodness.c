/* Figures of how good predictions are, by hand. */
#include <math.h>

#include "../core/test.h"
#include "cost/goodness.h"

static void assert_near(const char *what, double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12))
		fail_msg("%s is %.17g, expected %.17g", what, value, expected);
}

/* Throughputs over the fastest one's: measured 1, 1/2, 1/4, 1/4; predicted 1, 1/4, 1/2, 1/4. Their mean is 1/2, their variance 3/8 (times 4), what is left 1/8.
 * Ranks 0, 1, 2.5, 2.5 against 0, 2.5, 1, 2.5: both have squares of 4.5, and 2.25 + 0.5 * 1 - 0.5 + 1 = 2.25 in common. Of 5 pairs apart 1 is wrong, and one
 * that is predicted equal counts as wrong. */
static void test_by_hand(void **state)
{
	static const double measured[] = {2, 4, 8, 8}, predicted[] = {2, 8, 4, 8};
	struct bw_goodness goodness = bw_goodness_of(predicted, measured, 4);
	assert_int_equal(goodness.n, 4);
	assert_near("loss", goodness.loss, 1.0 / 32);
	assert_near("R2", goodness.r2, 1 - (1.0 / 8) / (3.0 / 8));
	assert_near("rank correlation", goodness.rank, 0.5);
	assert_near("wrong pairs", goodness.wrong, 2.0 / 5);
	assert_near("regret", goodness.regret, 0);
	assert_near("regret of five", goodness.regret5, 0);
}

static void test_regret(void **state)
{
	static const double measured[] = {1, 2, 3, 4, 5, 6, 7, 8}, predicted[] = {8, 7, 6, 5, 4, 3, 2, 1};
	struct bw_goodness goodness = bw_goodness_of(predicted, measured, 8);
	assert_near("rank correlation", goodness.rank, -1);
	assert_near("wrong pairs", goodness.wrong, 1);
	assert_near("regret", goodness.regret, 7);
	assert_near("regret of five", goodness.regret5, 3);
}

/* Figures that there are none of, and the mean over those that there are. */
static void test_none(void **state)
{
	static const double same[] = {3, 3}, apart[] = {1, 2};
	struct bw_goodness of[] = {bw_goodness_of(same, same, 1), bw_goodness_of(apart, same, 2), bw_goodness_of(apart, apart, 2)};
	struct bw_goodness mean = bw_goodness_mean(of, 3);
	assert_true(isnan(of[0].loss) && isnan(of[0].rank) && isnan(of[1].rank) && isnan(of[1].wrong) && isnan(of[1].r2));
	assert_near("loss", of[1].loss, (4.0 + 0.25) / 2);
	assert_int_equal(mean.n, 5);
	assert_near("mean rank correlation", mean.rank, 1);
	assert_near("mean loss", mean.loss, 4.25 / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_regret), cmocka_unit_test(test_none)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
