/* How well predictions agree with measurements: figures for the schedules of one pipeline, and means over
 * several. */
#pragma once

/* Figures: name in C, key in JSON, in words, printf conversion, meaning. */
#define BW_GOODNESS_TABLE(X) \
	X(loss, "loss", "loss", "%.4f", "mean squared difference of predicted and measured throughput, relative to the fastest schedule's") \
	X(r2, "r2", "R2", "%.3f", "share of the variance of that throughput that is predicted; below 0: none") \
	X(rank, "rank_correlation", "rank", "%.3f", "Spearman's correlation of predicted and measured ranks") \
	X(wrong, "wrong_pairs", "wrong", "%.3f", "share of wrongly ordered pairs among those measured more than 5% apart") \
	X(regret, "regret", "regret", "%.3f", "measured time of the schedule predicted to be fastest, relative to the fastest one's, minus 1") \
	X(regret5, "regret_of_5", "of 5", "%.3f", "the same for the best of the five schedules predicted to be fastest")

struct bw_goodness {
	int n; /* schedules */
#define X(name, key, words, format, meaning) double name;
	BW_GOODNESS_TABLE(X)
#undef X
};

/* Returns the figures of n schedules of one pipeline. predicted and measured may have any units, but loss
 * and R2 assume the same unit for both. A figure is NAN if it has no value: with fewer than two schedules,
 * with all times equal, or without pairs. */
struct bw_goodness bw_goodness_of(const double *predicted, const double *measured, int n);
/* Returns the sum of squared differences whose mean is `loss`. n is at least 1. A prediction of 0 or less
 * counts as nearly 0. */
double bw_throughput_residue(const double *predicted, const double *measured, int n);
/* Returns the means over n pipelines, each counted once; figures without a value are left out. */
struct bw_goodness bw_goodness_mean(const struct bw_goodness *of, int n);
/* Returns Spearman's rank correlation. Equal values share the mean of their ranks. */
double bw_rank_correlation(const double *a, const double *b, int n);
