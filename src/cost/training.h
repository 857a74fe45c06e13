/* Training of the learned cost model (Anderson et al. 2021, section 5.3): the loss of groups of measured
 * schedules of one pipeline each, its gradient, and Adam. */
#pragma once
#include "cost/goodness.h"
#include "cost/network.h"

/* Samples: pipelines with the features of their algorithms, and for each pipeline schedules with their
 * features and measured times. */

struct bw_sample {
	float (*schedule)[BW_SCHEDULE_FEATURES]; /* by stage */
	double ms;                               /* measured */
	char *name;                              /* name of the schedule */
};

struct bw_sample_pipeline {
	char *name;
	int n_stages;
	float (*algorithm)[BW_PIPELINE_FEATURES]; /* by stage */
	int n, capacity;
	struct bw_sample *samples;
	double fastest_ms; /* least ms of the schedules */
};

struct bw_samples {
	int n, capacity;
	struct bw_sample_pipeline *pipelines;
};

/* Returns the pipeline of this name. If there is none, adds it, with a copy of the features of its stages'
 * algorithms. The pointer is valid until the next pipeline is added. */
struct bw_sample_pipeline *bw_samples_pipeline(struct bw_samples *samples, const char *name, int n_stages,
					       const float (*algorithm)[BW_PIPELINE_FEATURES]);
/* Adds a schedule, with copies of the features of its stages and of its name. Returns false with an error,
 * and adds nothing, if a feature is not a number, negative or implausibly large, or if the time is not
 * above 0. */
bool bw_sample_add(struct bw_sample_pipeline *pipeline, const char *name,
		   const float (*schedule)[BW_SCHEDULE_FEATURES], double ms, struct bw_error *why);
/* Adds the features of a complete schedule on a device to the pipeline `name`, and adds the pipeline if it
 * is missing. Otherwise like bw_sample_add. */
bool bw_samples_add_nest(struct bw_samples *samples, const char *name, const struct bw_nest *nest,
			 const struct bw_device *device, const char *schedule, double ms,
			 struct bw_error *why);
/* Removes pipelines without schedules. */
void bw_samples_drop_empty(struct bw_samples *samples);
void bw_samples_free(struct bw_samples *samples);
/* Returns the number of all schedules. */
int bw_samples_count(const struct bw_samples *samples);

/* Schedules of one pipeline that are compared with each other. */
struct bw_group {
	const struct bw_sample_pipeline *pipeline;
	const int *samples; /* n indices into the pipeline's samples */
	int n;
};

/* Returns the loss of a group: the sum over its schedules of the squared difference between predicted and
 * measured throughput, both relative to the fastest measured one, plus 1e-5 times the amount by which
 * coefficients are below 0 before their activation. Adds its gradient to *gradient unless that is NULL.
 * Stores the predicted costs in costs unless that is NULL. */
double bw_loss(const struct bw_network *network, double sms, const struct bw_group *group,
	       struct bw_parameters *gradient, double *costs);

/* Returns how well a network predicts all schedules of a pipeline. */
struct bw_goodness bw_network_judge(const struct bw_network *network, double sms,
				    const struct bw_sample_pipeline *pipeline);


/* Options of training. */
struct bw_training_options {
	double sms;    /* SMs of the measured device */
	double rate;   /* learning rate */
	int group;     /* most schedules of one pipeline per group */
	int batch;     /* groups per step, of several pipelines */
	int epochs;    /* number of epochs */
	uint64_t seed; /* seed for shuffling samples */
	int hold_out;  /* index of the pipeline that is held out; -1: none */
};
struct bw_training_options bw_training_options_default(void);

/* Weights after an epoch; after epoch 0 they are the initial weights. */
struct bw_trained {
	struct bw_parameters parameters;
	int64_t epochs, steps; /* done so far */
	double loss; /* mean over all training samples of the squared difference of predicted and measured
			throughput, relative to the fastest schedule of the pipeline */
};
/* The state of training. Together with the options and samples, it determines all later epochs. The loss
 * rises and falls between epochs, the more at a high learning rate. The result is the weights of the best
 * epoch, not of the last one. A held-out pipeline does not influence this choice: it shows how good the
 * weights are for pipelines that are not in the training set (Anderson et al. 2021, section 5.3). */
struct bw_training {
	struct bw_trained now, best;
	struct bw_parameters mean, square; /* Adam's estimates of the gradient's first and second moments */
};
/* Starts training with the given weights. */
void bw_training_begin(struct bw_training *training, const struct bw_weights *weights,
		       const struct bw_samples *samples, const struct bw_training_options *options);
/* Trains for one more epoch. */
void bw_training_epoch(struct bw_training *training, const struct bw_samples *samples,
		       const struct bw_training_options *options);

/* Write and read a checkpoint. Training that continues from a checkpoint gives the same bits as without a
 * break. A checkpoint contains a hash of the samples and of all options except the number of epochs.
 * Reading fails with an error if the hash differs or the checkpoint is damaged. */
void bw_training_print(const struct bw_training *training, const struct bw_samples *samples,
		       const struct bw_training_options *options, struct bw_text *out);
bool bw_training_parse(const char *name, const char *bytes, size_t length, const struct bw_samples *samples,
		       const struct bw_training_options *options, struct bw_training *training,
		       struct bw_error *error);
