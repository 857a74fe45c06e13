/* Training of the learned cost model (Anderson et al. 2021, section 5.3): the loss of groups of measured schedules, each of one pipeline; its
 * gradient; Adam. */
#ifndef BW_COST_TRAINING_H
#define BW_COST_TRAINING_H
#include "cost/goodness.h"
#include "cost/network.h"
#include "cost/samples.h"

/* Schedules of one pipeline that are compared with each other. */
struct bw_group {
	const struct bw_sample_pipeline *pipeline;
	const int *samples; /* n indices into it */
	int n;
};

/* The loss of a group: over its schedules the squared difference between predicted and measured throughput, both over the fastest one's measured, and
 * 1e-5 times the coefficients' shortfall below 0 before their activation. Adds its gradient to *gradient; NULL: that is not asked for.
 * costs (may be NULL) receives what is predicted of each. */
double bw_loss(const struct bw_network *network, double sms, const struct bw_group *group, struct bw_parameters *gradient, double *costs);

/* How good a network's predictions of all schedules of a pipeline are. */
struct bw_goodness bw_network_judge(const struct bw_network *network, double sms, const struct bw_sample_pipeline *pipeline);

/* The part of it that training makes small: bw_throughput_residue of all schedules of a pipeline; 0 where it has none. */
double bw_network_residue(const struct bw_network *network, double sms, const struct bw_sample_pipeline *pipeline);

/* How training is done. */
struct bw_training_options {
	double sms;     /* of the device that was measured */
	double rate;    /* how far a step goes */
	int group;      /* schedules of a pipeline that are compared, at most */
	int batch;      /* groups, of several pipelines, to a step */
	int epochs;     /* times that all samples are gone through */
	uint64_t seed;  /* what samples are shuffled by */
	int hold_out;   /* index of the pipeline that is not trained on; -1: all are */
};
struct bw_training_options bw_training_options_default(void);

/* Weights as they stood after an epoch; after 0 they are those that training began with. */
struct bw_trained {
	struct bw_parameters parameters;
	int64_t epochs, steps; /* gone through by then */
	double loss;           /* squared difference of predicted and measured throughput, over the fastest one's of the pipeline, a schedule, of all that are trained on */
};
/* Training as far as it has come; all that goes on follows from this, the options and the samples. The loss goes up again time and again, the more at a high
 * rate: what training comes to is the best that any epoch left, not the last. What is held out has no part in that: it tells how good the weights are for what they
 * never saw (Anderson et al. 2021, section 5.3), and would tell too much of those that were chosen by it. */
struct bw_training {
	struct bw_trained now, best;
	struct bw_parameters mean, square; /* Adam's estimates of the gradient's first and second moments */
};
/* Begins with weights. */
void bw_training_begin(struct bw_training *training, const struct bw_weights *weights, const struct bw_samples *samples, const struct bw_training_options *options);
/* Trains on for one epoch. */
void bw_training_epoch(struct bw_training *training, const struct bw_samples *samples, const struct bw_training_options *options);

/* A checkpoint: writes all of it, so that training goes on from there to the same bits; what it is of (samples, options but for the number of
 * epochs) is told by a hash. Reading fails with an error where it is of something else, or damaged. */
void bw_training_print(const struct bw_training *training, const struct bw_samples *samples, const struct bw_training_options *options, struct bw_text *out);
bool bw_training_parse(const char *name, const char *bytes, size_t length, const struct bw_samples *samples, const struct bw_training_options *options, struct bw_training *training,
		       struct bw_error *error);
#endif
