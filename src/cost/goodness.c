/* Computes correlations, wrong pairs and regret of predicted and measured times. */
#include "cost/goodness.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/mem.h"

/* Pairs that are closer than this factor have no order. */
#define APART 1.05

struct ranked {
	double value, rank;
	int at;
};

BW_ORDER(by_value, struct ranked, 2 * BW_COMPARE(a->value, b->value) + BW_COMPARE(a->at, b->at))

/* Returns the values by size with their ranks; free(). */
static struct ranked *sorted(const double *values, int n)
{
	struct ranked *ranked = BW_NEW_ARRAY(struct ranked, n);
	for (int i = 0; i < n; i++)
		ranked[i] = (struct ranked){values[i], 0, i};
	qsort(ranked, (size_t)n, sizeof *ranked, by_value);
	for (int i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && ranked[end].value == ranked[i].value; end++)
			;
		for (int k = i; k < end; k++)
			ranked[k].rank = (i + end - 1) / 2.0;
	}
	return ranked;
}

static double *ranks_of(const double *values, int n)
{
	BW_SCOPED_MEMORY struct ranked *ranked = sorted(values, n);
	double *ranks = BW_NEW_ARRAY(double, n);
	for (int i = 0; i < n; i++)
		ranks[ranked[i].at] = ranked[i].rank;
	return ranks;
}

double bw_rank_correlation(const double *a, const double *b, int n)
{
	double *left = ranks_of(a, n), *right = ranks_of(b, n), mean = (n - 1) / 2.0, both = 0, of_left = 0,
	       of_right = 0;
	for (int i = 0; i < n; i++) {
		both += (left[i] - mean) * (right[i] - mean);
		of_left += (left[i] - mean) * (left[i] - mean);
		of_right += (right[i] - mean) * (right[i] - mean);
	}
	free(left);
	free(right);
	return of_left > 0 && of_right > 0 ? both / sqrt(of_left * of_right) : (double)NAN;
}

static double least_of(const double *values, int n)
{
	double least = values[0];
	for (int i = 1; i < n; i++)
		least = values[i] < least ? values[i] : least;
	return least;
}

double bw_throughput_residue(const double *predicted, const double *measured, int n)
{
	double fastest = least_of(measured, n), residue = 0;
	for (int i = 0; i < n; i++) {
		double difference = fastest / (predicted[i] > 0 ? predicted[i] : fastest * 1e-10) - fastest / measured[i];
		residue += difference * difference;
	}
	return residue;
}

static void set_throughput(struct bw_goodness *goodness, const double *predicted, const double *measured,
			   double fastest)
{
	double mean = 0, residue = bw_throughput_residue(predicted, measured, goodness->n), variance = 0;
	for (int i = 0; i < goodness->n; i++)
		mean += fastest / measured[i] / goodness->n;
	for (int i = 0; i < goodness->n; i++) {
		double off = fastest / measured[i] - mean;
		variance += off * off;
	}
	goodness->loss = residue / goodness->n;
	goodness->r2 = variance > 0 ? 1 - residue / variance : (double)NAN;
}

static double wrong_of(const double *predicted, const double *measured, int n)
{
	long pairs = 0, wrong = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++) {
			bool apart = measured[i] > measured[k] * APART;
			pairs += apart;
			wrong += apart && predicted[i] <= predicted[k];
		}
	return pairs ? (double)wrong / (double)pairs : (double)NAN;
}

/* Returns the regret of choosing the best of the `few` schedules predicted to be fastest. */
static double regret_of(const double *predicted, const double *measured, int n, int few, double fastest)
{
	BW_SCOPED_MEMORY struct ranked *ranked = sorted(predicted, n);
	double best = measured[ranked[0].at];
	for (int i = 1; i < few && i < n; i++)
		best = measured[ranked[i].at] < best ? measured[ranked[i].at] : best;
	return best / fastest - 1;
}

struct bw_goodness bw_goodness_of(const double *predicted, const double *measured, int n)
{
	enum { FEW = 5 };
	struct bw_goodness goodness = {.n = n};
#define X(name, key, words, format, meaning) goodness.name = (double)NAN;
	BW_GOODNESS_TABLE(X)
#undef X
	if (n < 2)
		return goodness;
	double fastest = least_of(measured, n);
	set_throughput(&goodness, predicted, measured, fastest);
	goodness.rank = bw_rank_correlation(predicted, measured, n);
	goodness.wrong = wrong_of(predicted, measured, n);
	goodness.regret = regret_of(predicted, measured, n, 1, fastest);
	goodness.regret5 = regret_of(predicted, measured, n, FEW, fastest);
	return goodness;
}

struct bw_goodness bw_goodness_mean(const struct bw_goodness *of, int n)
{
	struct bw_goodness mean = {0};
	int counted;
	for (int i = 0; i < n; i++)
		mean.n += of[i].n;
#define X(name, key, words, format, meaning) \
	counted = 0; \
	for (int i = 0; i < n; i++) \
		if (!isnan(of[i].name)) { \
			mean.name += of[i].name; \
			counted++; \
		} \
	mean.name = counted ? mean.name / counted : (double)NAN;
	BW_GOODNESS_TABLE(X)
#undef X
	return mean;
}
