#include "study/agreement.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cost/goodness.h"

bool bw_pair_counts(const struct bw_pair *pair)
{
	return isfinite(pair->predicted) && isfinite(pair->measured) && pair->predicted > 0 &&
	       pair->measured > 0;
}

static double ratio_of(const struct bw_pair *pair)
{
	return pair->predicted / pair->measured;
}

/* Updates the indexes of the extremes with pair i, which counts. */
static void take(struct bw_agreement *agreement, const struct bw_pair *pairs, int i)
{
	if (agreement->best < 0) {
		agreement->choice = agreement->best = agreement->over = agreement->under = i;
		return;
	}
	if (pairs[i].predicted < pairs[agreement->choice].predicted)
		agreement->choice = i;
	if (pairs[i].measured < pairs[agreement->best].measured)
		agreement->best = i;
	if (ratio_of(&pairs[i]) > ratio_of(&pairs[agreement->over]))
		agreement->over = i;
	if (ratio_of(&pairs[i]) < ratio_of(&pairs[agreement->under]))
		agreement->under = i;
}

static int sign(double value)
{
	return (value > 0) - (value < 0);
}

/* Returns Kendall's tau of n values (Kendall 1938), without a correction for ties; NAN if n < 2. */
static double tau_of(const double *a, const double *b, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			sum += sign(a[i] - a[k]) * sign(b[i] - b[k]);
	return n < 2 ? (double)NAN : sum / (0.5 * n * (n - 1));
}

struct bw_agreement bw_agreement_of(const struct bw_pair *pairs, int n)
{
	const double nan = (double)NAN;
	struct bw_agreement agreement = {.right = nan,
					 .tau = nan,
					 .rho = nan,
					 .regret = nan,
					 .regret5 = nan,
					 .scale = nan,
					 .choice = -1,
					 .best = -1,
					 .over = -1,
					 .under = -1};
	double *predicted = BW_NEW_ARRAY(double, n + 1), *measured = BW_NEW_ARRAY(double, n + 1), logs = 0;
	for (int i = 0; i < n; i++) {
		if (!bw_pair_counts(&pairs[i]))
			continue;
		take(&agreement, pairs, i);
		predicted[agreement.n] = pairs[i].predicted;
		measured[agreement.n++] = pairs[i].measured;
		logs += log(ratio_of(&pairs[i]));
	}
	if (agreement.n) {
		struct bw_goodness goodness = bw_goodness_of(predicted, measured, agreement.n);
		agreement.rho = goodness.rank;
		agreement.right = 1 - goodness.wrong;
		agreement.tau = tau_of(predicted, measured, agreement.n);
		agreement.regret = pairs[agreement.choice].measured / pairs[agreement.best].measured;
		agreement.regret5 = agreement.n > 1 ? 1 + goodness.regret5 : 1;
		agreement.scale = exp(logs / agreement.n);
	}
	free(predicted);
	free(measured);
	return agreement;
}
