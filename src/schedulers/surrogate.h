/* A surrogate of the device: a Gaussian process over schedules (Rasmussen and Williams 2006, algorithm 2.1),
 * which says of any schedule how far its time is from what is predicted, by the schedules that were measured
 * and are like it. Knows no search. */
#ifndef BW_SCHEDULERS_SURROGATE_H
#define BW_SCHEDULERS_SURROGATE_H
#include "schedule/schedule.h"

/* Returns how far two schedules of one pipeline are apart: the sum over all Funcs of 2 if they are computed
 * at different sites or stored in different memory, else half the difference of the binary logarithms of the
 * extents of each loop, at most 2. */
double bw_surrogate_distance(const struct bw_schedule *a, const struct bw_schedule *b);

struct bw_surrogate;
/* Learns n values, such as logarithms of measured over predicted, of n schedules, which the caller keeps. The
 * values are taken as the median plus a process of zero mean whose covariance falls exponentially with the
 * distance; how fast is chosen by the likelihood of the values. n may be 0. Never fails. */
struct bw_surrogate *bw_surrogate_new(const struct bw_schedule *const *schedules, const double *values,
				      int n);
void bw_surrogate_free(struct bw_surrogate *surrogate);
/* What is expected of a schedule; grows with what the surrogate learns. A zeroed one is of nothing yet. */
struct bw_expectation {
	double mean, deviation;
	double *row; /* L^-1 k: of the covariances with the first n that were learned; to be freed */
	int n, capacity;
};
/* Brings what is expected of a schedule up to date: mean and standard deviation. Without values these are 0
 * and 1. */
void bw_surrogate_expect(const struct bw_surrogate *surrogate, const struct bw_schedule *schedule,
			 struct bw_expectation *expectation);
/* Learns that a schedule, which the caller keeps, has the value that is expected of it, which is up to date:
 * schedules like it then have smaller deviations, so that those of one batch differ. */
void bw_surrogate_believe(struct bw_surrogate *surrogate, const struct bw_schedule *schedule,
			  const struct bw_expectation *expectation);
#endif
