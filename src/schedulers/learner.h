/* Training between the batches of a tuning (Anderson et al. 2021, section 5.3): the learned cost model's
 * weights follow what is measured on the device. Knows no search. */
#ifndef BW_SCHEDULERS_LEARNER_H
#define BW_SCHEDULERS_LEARNER_H
#include "cost/learned.h"
#include "gpu/device.h"

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
#endif
