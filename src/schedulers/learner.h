/* Trains the weights of the learned cost model on measured times between the batches of a tuning
 * (Anderson et al. 2021, section 5.3). Does not depend on a search. */
#pragma once
#include "cost/learned.h"
#include "schedule/schedule.h"

struct bw_learner;
/* Returns a learner for schedules of one pipeline that are measured on one device. The caller keeps the
 * device. start: the initial weights, copied; NULL: random weights from the seed. */
struct bw_learner *bw_learner_new(const struct bw_device *device, const struct bw_weights *start,
				  uint64_t seed);
void bw_learner_free(struct bw_learner *learner);
/* Adds a complete schedule with its hash, the cost that the search's own model predicts, and the measured
 * time in ms. Ignores schedules without features, such as schedules with derived Funcs. */
void bw_learner_add(struct bw_learner *learner, const struct bw_nest *nest, uint64_t hash, double predicted,
		    double ms);
/* Trains the current weights further on all schedules that were added. Does nothing if there are fewer
 * than two schedules. */
void bw_learner_train(struct bw_learner *learner);
/* Returns the model with the current weights, valid as long as the learner. Returns NULL before the first
 * training. */
const struct bw_cost_model *bw_learner_model(const struct bw_learner *learner);
/* Returns true if the trained weights ordered the newest schedules better than the search's own model
 * did. The prediction for each schedule was made before training on it. */
bool bw_learner_leads(const struct bw_learner *learner);
/* Returns the current weights with their origin. */
const struct bw_weights *bw_learner_weights(const struct bw_learner *learner);

/* A surrogate of the device: a Gaussian process over schedules (Rasmussen and Williams 2006, algorithm
 * 2.1). Estimates how far the time of a schedule will be from its prediction, from similar schedules that
 * were measured. Does not depend on a search. */

/* Returns the distance of two schedules of one pipeline, a sum over all Funcs. A Func with equal
 * placements adds 0. A Func that is computed at different sites or stored in different memory adds 2, and so
 * does a Func that only one of the schedules places. Any other Func adds 0.5 and, for the thread pieces and
 * for the other pieces of each loop, half the difference of the binary logarithms of the products of their
 * extents; at most 2 in total. */
double bw_surrogate_distance(const struct bw_schedule *a, const struct bw_schedule *b);

struct bw_surrogate;
/* Returns a surrogate that has learned n values of n schedules, such as logarithms of measured over
 * predicted times. The caller keeps the schedules. The values are modelled as their median plus a process
 * of zero mean, whose covariance falls exponentially with the distance. The length scale is the one with
 * the largest likelihood. n may be 0. Never fails. */
struct bw_surrogate *bw_surrogate_new(const struct bw_schedule *const *schedules, const double *values,
				      int n);
void bw_surrogate_free(struct bw_surrogate *surrogate);
/* The expected value of a schedule, updated step by step as the surrogate learns more. Initialize to
 * zero. */
struct bw_expectation {
	double mean, deviation;
	/* L^-1 k, where k has the covariances with the first n learned schedules; the caller frees it */
	double *row;
	int n, capacity;
};
/* Updates the expected value of a schedule: mean and standard deviation. A surrogate without values gives
 * 0 and 1. */
void bw_surrogate_expect(const struct bw_surrogate *surrogate, const struct bw_schedule *schedule,
			 struct bw_expectation *expectation);
/* Learns the expected value of a schedule as if it were measured. Similar schedules then have smaller
 * deviations, so that the schedules of one batch differ. The expectation must be up to date. The caller
 * keeps the schedule. */
void bw_surrogate_believe(struct bw_surrogate *surrogate, const struct bw_schedule *schedule,
			  const struct bw_expectation *expectation);
