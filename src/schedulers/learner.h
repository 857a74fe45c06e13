/* Training between the batches of a tuning (Anderson et al. 2021, section 5.3): the learned cost model's
 * weights follow what is measured on the device. Knows no search. */
#pragma once
#include "cost/learned.h"
#include "schedule/schedule.h"

struct bw_learner;
/* Returns a learner for schedules of one pipeline measured on one device, which the caller keeps. start:
 * the initial weights, copied; NULL: random ones by the seed. */
struct bw_learner *bw_learner_new(const struct bw_device *device, const struct bw_weights *start,
				  uint64_t seed);
void bw_learner_free(struct bw_learner *learner);
/* Adds a complete schedule with its hash, the cost that the search's own model predicts, and the measured
 * time in ms. Schedules without features, as those with derived Funcs, are passed over. */
void bw_learner_add(struct bw_learner *learner, const struct bw_nest *nest, uint64_t hash, double predicted,
		    double ms);
/* Trains on all schedules that were added, from the present weights on. Does nothing if there are fewer than
 * two. */
void bw_learner_train(struct bw_learner *learner);
/* Returns the model by the present weights, valid as long as the learner; NULL before anything was trained.
 */
const struct bw_cost_model *bw_learner_model(const struct bw_learner *learner);
/* Returns true if the trained weights ordered the newest schedules better than the search's own model did.
 * Each was predicted before it was learned from. */
bool bw_learner_leads(const struct bw_learner *learner);
/* Returns the present weights with their origin. */
const struct bw_weights *bw_learner_weights(const struct bw_learner *learner);

/* A surrogate of the device: a Gaussian process over schedules (Rasmussen and Williams 2006, algorithm 2.1),
 * which says of any schedule how far its time is from what is predicted, by the schedules that were measured
 * and are like it. Knows no search. */

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
