#include "schedulers/learner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cost/training.h"
#include "cost/cost.h"

enum {
	EPOCHS_MOST = 40, /* of one training */
	EPOCHS_LEAST = 5,
	SAMPLES = 4000, /* in all epochs of one training, so that it takes a second or two */
	JUDGED = 48,    /* newest schedules by which the trained weights are judged */
	JUDGED_LEAST = 16
};
#define RATE 0.01

struct judged {
	double own, trained, ms; /* predicted by the search's own model and by the weights; measured */
};

struct bw_learner {
	const struct bw_device *device;
	struct bw_samples samples;
	struct bw_training_options options;
	struct bw_weights weights;
	struct bw_models models;           /* one for each training */
	const struct bw_cost_model *model; /* the newest */
	struct judged judged[JUDGED];
	int n_judged; /* in all; the newest is at (n_judged - 1) % JUDGED */
};

struct bw_learner *bw_learner_new(const struct bw_device *device, const struct bw_weights *start,
				  uint64_t seed)
{
	struct bw_learner *learner = BW_NEW(struct bw_learner);
	learner->device = device;
	learner->options = bw_training_options_default();
	learner->options.rate = RATE;
	learner->options.sms = device->sms;
	learner->options.seed = seed;
	if (start)
		learner->weights = *start;
	else
		bw_weights_draw(&learner->weights, seed);
	return learner;
}

void bw_learner_free(struct bw_learner *learner)
{
	if (!learner)
		return;
	bw_samples_free(&learner->samples);
	bw_models_free(&learner->models);
	free(learner);
}

void bw_learner_add(struct bw_learner *learner, const struct bw_nest *nest, uint64_t hash, double predicted,
		    double ms)
{
	struct bw_error ignored = {0};
	char name[17];
	snprintf(name, sizeof name, "%016llx", (unsigned long long)hash);
	bool good = bw_samples_add_nest(&learner->samples, nest->pipeline->name, nest, learner->device, name,
					ms, &ignored);
	if (!good || !learner->model)
		return;
	struct bw_arena *arena = bw_arena_new();
	double trained = bw_cost_of(learner->model, nest, learner->device, arena).total;
	learner->judged[learner->n_judged++ % JUDGED] = (struct judged){predicted, trained, ms};
	bw_arena_free(arena);
}

/* Returns the number of schedules that were added. */
static int n_samples(const struct bw_learner *learner)
{
	return bw_samples_count(&learner->samples);
}

void bw_learner_train(struct bw_learner *learner)
{
	int n = n_samples(learner);
	if (n < 2)
		return;
	int epochs = SAMPLES / n;
	learner->options.epochs = epochs > EPOCHS_MOST    ? EPOCHS_MOST
				  : epochs < EPOCHS_LEAST ? EPOCHS_LEAST
							  : epochs;
	struct bw_training *training = BW_NEW(struct bw_training);
	bw_training_begin(training, &learner->weights, &learner->samples, &learner->options);
	while (training->now.epochs < learner->options.epochs)
		bw_training_epoch(training, &learner->samples, &learner->options);
	struct bw_weights_origin origin = learner->weights.origin;
	bw_parameters_round(&training->best.parameters, &learner->weights);
	learner->weights.origin = (struct bw_weights_origin){.known = true,
							     .cpu = learner->device->cpu,
							     .pipelines = 1,
							     .samples = n,
							     .steps = origin.steps + training->best.steps};
	snprintf(learner->weights.origin.device, sizeof learner->weights.origin.device, "%s",
		 learner->device->name);
	learner->model = bw_models_add(&learner->models, "trained", &learner->weights);
	free(training);
}

const struct bw_cost_model *bw_learner_model(const struct bw_learner *learner)
{
	return learner->model;
}

bool bw_learner_leads(const struct bw_learner *learner)
{
	int n = learner->n_judged < JUDGED ? learner->n_judged : JUDGED;
	double own[JUDGED], trained[JUDGED], ms[JUDGED];
	for (int i = 0; i < n; i++) {
		own[i] = learner->judged[i].own;
		trained[i] = learner->judged[i].trained;
		ms[i] = learner->judged[i].ms;
	}
	return n >= JUDGED_LEAST && bw_rank_correlation(trained, ms, n) > bw_rank_correlation(own, ms, n);
}

const struct bw_weights *bw_learner_weights(const struct bw_learner *learner)
{
	return &learner->weights;
}
