/* Keeps samples, and trains the network on them with Adam. */
#include "cost/training.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"

/* A feature above this has overflowed. */
#define MOST_FEATURE 1e14

struct bw_sample_pipeline *bw_samples_pipeline(struct bw_samples *samples, const char *name, int n_stages,
					       const float (*algorithm)[BW_PIPELINE_FEATURES])
{
	for (int i = 0; i < samples->n; i++)
		if (!strcmp(samples->pipelines[i].name, name))
			return &samples->pipelines[i];
	BW_GROW(samples->pipelines, samples->n, samples->capacity);
	struct bw_sample_pipeline *pipeline = &samples->pipelines[samples->n++];
	*pipeline = (struct bw_sample_pipeline){
	    .name = bw_strdup(name), .n_stages = n_stages, .fastest_ms = (double)INFINITY};
	pipeline->algorithm = bw_new_array((size_t)n_stages, sizeof *algorithm);
	memcpy(pipeline->algorithm, algorithm, (size_t)n_stages * sizeof *algorithm);
	return pipeline;
}

static bool check(const struct bw_sample_pipeline *pipeline, const char *name,
		  const float (*schedule)[BW_SCHEDULE_FEATURES], double ms, struct bw_error *why)
{
	if (!(ms > 0) || !isfinite(ms))
		return bw_fail(why, BW_ERROR_INPUT, "%s of %s: a time of %g ms", name, pipeline->name, ms);
	for (int s = 0; s < pipeline->n_stages; s++)
		for (int f = 0; f < BW_SCHEDULE_FEATURES; f++)
			if (!(schedule[s][f] >= 0) || (double)schedule[s][f] > MOST_FEATURE)
				return bw_fail(why, BW_ERROR_INPUT, "%s of %s: stage %d: %s is %g", name,
					       pipeline->name, s,
					       bw_schedule_feature_text((enum bw_schedule_feature)f)->name,
					       (double)schedule[s][f]);
	return true;
}

bool bw_sample_add(struct bw_sample_pipeline *pipeline, const char *name,
		   const float (*schedule)[BW_SCHEDULE_FEATURES], double ms, struct bw_error *why)
{
	if (!check(pipeline, name, schedule, ms, why))
		return false;
	BW_GROW(pipeline->samples, pipeline->n, pipeline->capacity);
	struct bw_sample *sample = &pipeline->samples[pipeline->n++];
	*sample = (struct bw_sample){.schedule = bw_new_array((size_t)pipeline->n_stages, sizeof *schedule),
				     .ms = ms,
				     .name = bw_strdup(name)};
	memcpy(sample->schedule, schedule, (size_t)pipeline->n_stages * sizeof *schedule);
	if (ms < pipeline->fastest_ms)
		pipeline->fastest_ms = ms;
	return true;
}

static void free_pipeline(struct bw_sample_pipeline *pipeline)
{
	for (int i = 0; i < pipeline->n; i++) {
		free(pipeline->samples[i].schedule);
		free(pipeline->samples[i].name);
	}
	free(pipeline->samples);
	free(pipeline->algorithm);
	free(pipeline->name);
}

bool bw_samples_add_nest(struct bw_samples *samples, const char *name, const struct bw_nest *nest,
			 const struct bw_device *device, const char *schedule, double ms,
			 struct bw_error *why)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_feature_limits limits = bw_feature_limits_of(device);
	const struct bw_features *features = bw_nest_features(nest, &limits, arena);
	int n = nest->pipeline->n_stages;
	float(*algorithm)[BW_PIPELINE_FEATURES] = bw_arena_array(arena, (size_t)n, sizeof *algorithm),
	(*of_schedule)[BW_SCHEDULE_FEATURES] = bw_arena_array(arena, (size_t)n, sizeof *of_schedule);
	for (int s = 0; s < n; s++) {
		memcpy(algorithm[s], features[s].pipeline, sizeof *algorithm);
		memcpy(of_schedule[s], features[s].schedule, sizeof *of_schedule);
	}
	struct bw_sample_pipeline *pipeline =
	    bw_samples_pipeline(samples, name, n, (const float(*)[BW_PIPELINE_FEATURES])algorithm);
	bool good =
	    bw_sample_add(pipeline, schedule, (const float(*)[BW_SCHEDULE_FEATURES])of_schedule, ms, why);
	bw_arena_free(arena);
	return good;
}

void bw_samples_drop_empty(struct bw_samples *samples)
{
	int kept = 0;
	for (int p = 0; p < samples->n; p++)
		if (samples->pipelines[p].n)
			samples->pipelines[kept++] = samples->pipelines[p];
		else
			free_pipeline(&samples->pipelines[p]);
	samples->n = kept;
}

void bw_samples_free(struct bw_samples *samples)
{
	for (int p = 0; p < samples->n; p++)
		free_pipeline(&samples->pipelines[p]);
	free(samples->pipelines);
	*samples = (struct bw_samples){0};
}

int bw_samples_count(const struct bw_samples *samples)
{
	int n = 0;
	for (int p = 0; p < samples->n; p++)
		n += samples->pipelines[p].n;
	return n;
}

/* Returns a hash of everything but names. */
static uint64_t hash_samples(const struct bw_samples *samples)
{
	uint64_t hash = 0;
	for (int p = 0; p < samples->n; p++) {
		const struct bw_sample_pipeline *pipeline = &samples->pipelines[p];
		hash = bw_hash_bytes(hash, pipeline->algorithm, (size_t)pipeline->n_stages * sizeof *pipeline->algorithm);
		for (int i = 0; i < pipeline->n; i++) {
			hash =
			    bw_hash_bytes(hash, pipeline->samples[i].schedule,
					  (size_t)pipeline->n_stages * sizeof *pipeline->samples[i].schedule);
			hash = bw_hash_bytes(hash, &pipeline->samples[i].ms, sizeof pipeline->samples[i].ms);
		}
	}
	return hash;
}

/* Training. */

/* Checkpoints of training: a line of text, then the numbers as in memory, for machines of one byte order. */

/* The format, and the one before it, which lacks the best epoch; that epoch cannot be reconstructed. */
#define HEAD "beamwalk-training 2\n"
#define HEAD_BEFORE "beamwalk-training 1\n"

/* Returns a hash of everything that determines the course of training, except for its state. */
static uint64_t key_of(const struct bw_samples *samples, const struct bw_training_options *options)
{
	uint64_t hash = hash_samples(samples);
	hash = bw_hash_bytes(hash, &options->sms, sizeof options->sms);
	hash = bw_hash_bytes(hash, &options->rate, sizeof options->rate);
	hash = bw_hash_mix(hash, (uint64_t)options->group);
	hash = bw_hash_mix(hash, (uint64_t)options->batch);
	hash = bw_hash_mix(hash, options->seed);
	return bw_hash_mix(hash, (uint64_t)options->hold_out);
}

void bw_training_print(const struct bw_training *training, const struct bw_samples *samples,
		       const struct bw_training_options *options, struct bw_text *out)
{
	size_t start = out->length;
	bw_text_puts(out, HEAD);
	uint64_t key = key_of(samples, options);
	bw_text_append(out, (const char *)&key, sizeof key);
	bw_text_append(out, (const char *)training, sizeof *training);
	uint64_t sum = bw_hash_bytes(0, out->bytes + start, out->length - start);
	bw_text_append(out, (const char *)&sum, sizeof sum);
}

bool bw_training_parse(const char *name, const char *bytes, size_t length, const struct bw_samples *samples,
		       const struct bw_training_options *options, struct bw_training *training,
		       struct bw_error *error)
{
	const size_t head = strlen(HEAD), body = head + sizeof(uint64_t) + sizeof *training;
	uint64_t key, sum;
	if (length >= head && !memcmp(bytes, HEAD_BEFORE, head))
		return bw_fail(
		    error, BW_ERROR_INPUT,
		    "%s: a checkpoint of a beamwalk that did not keep the best epoch; training begins anew without --resume",
		    name);
	if (length < head || memcmp(bytes, HEAD, head) != 0)
		return bw_fail(
		    error, BW_ERROR_INPUT,
		    "%s: no checkpoint of training: it does not begin with \"beamwalk-training 2\"", name);
	if (length != body + sizeof sum)
		return bw_fail(error, BW_ERROR_INPUT, "%s: a checkpoint of %zu bytes, expected %zu", name,
			       length, body + sizeof sum);
	memcpy(&key, bytes + head, sizeof key);
	memcpy(&sum, bytes + body, sizeof sum);
	if (sum != bw_hash_bytes(0, bytes, body))
		return bw_fail(error, BW_ERROR_INPUT, "%s: a damaged checkpoint: its sum does not fit", name);
	if (key != key_of(samples, options))
		return bw_fail(
		    error, BW_ERROR_INPUT,
		    "%s: a checkpoint of other samples, or with another seed, rate, batch, device or pipeline held out",
		    name);
	memcpy(training, bytes + head + sizeof key, sizeof *training);
	return true;
}

/* The loss of a group of schedules, and its gradient, derived by hand. */

/* The least value of a prediction, relative to the fastest time; and the weight of coefficients below 0. */
#define LEAST_COST 1e-10
#define BELOW_ZERO 1e-5

/* A group while its loss is computed. */
struct passing {
	const struct bw_network *network;
	const struct bw_group *group;
	double sms;
	struct bw_embedding *embeddings; /* by stage */
	double (*of_embeddings)[BW_NET_COEFFICIENTS];
	struct bw_activations *activations; /* of one schedule, by stage */
	double (*factors)[BW_N_COMPONENTS];
	struct bw_parameters *gradient;
};

/* Returns a schedule's cost, and keeps its activations and factors for backward. Adds the amount by which
 * coefficients are below 0 to *below. */
static double forward(struct passing *passing, const struct bw_sample *sample, double *below)
{
	double cost = 0;
	for (int s = 0; s < passing->group->pipeline->n_stages; s++) {
		struct bw_activations *activations = &passing->activations[s];
		bw_network_run(passing->network, &passing->embeddings[s], sample->schedule[s], activations);
		bw_component_factors(sample->schedule[s], passing->sms, passing->factors[s]);
		for (int t = 0; t < BW_N_COMPONENTS; t++)
			cost +=
			    BW_COMPONENT_SCALE *
			    (passing->factors[s][t] *
			     activations->coefficients[bw_component_info((enum bw_component)t)->coefficient]);
		for (int c = 0; c < BW_NET_COEFFICIENTS; c++)
			*below += activations->before[c] < 0 ? -activations->before[c] : 0;
	}
	return cost;
}

/* Back-propagates the derivative by a schedule's cost to the weights. */
static void backward(struct passing *passing, double of_cost)
{
	for (int s = 0; s < passing->group->pipeline->n_stages; s++) {
		const struct bw_activations *activations = &passing->activations[s];
		double of_before[BW_NET_COEFFICIENTS] = {0};
		for (int t = 0; t < BW_N_COMPONENTS; t++)
			of_before[bw_component_info((enum bw_component)t)->coefficient] +=
			    of_cost * BW_COMPONENT_SCALE * passing->factors[s][t];
		for (int c = 0; c < BW_NET_COEFFICIENTS; c++)
			of_before[c] = of_before[c] * bw_network_slope(activations->before[c]) -
				       (activations->before[c] < 0 ? BELOW_ZERO : 0);
		bw_network_back(passing->network, activations, of_before, passing->of_embeddings[s], passing->gradient);
	}
}

static double fastest_of(const struct bw_group *group)
{
	double fastest = group->pipeline->samples[group->samples[0]].ms;
	for (int i = 1; i < group->n; i++)
		if (group->pipeline->samples[group->samples[i]].ms < fastest)
			fastest = group->pipeline->samples[group->samples[i]].ms;
	return fastest;
}

static double pass(struct passing *passing, double *costs)
{
	const struct bw_group *group = passing->group;
	double fastest = fastest_of(group), loss = 0;
	for (int i = 0; i < group->n; i++) {
		const struct bw_sample *sample = &group->pipeline->samples[group->samples[i]];
		double below = 0, cost = forward(passing, sample, &below), relative = cost / fastest;
		bool least = relative < LEAST_COST;
		double predicted = 1 / (least ? LEAST_COST : relative), difference = predicted - fastest / sample->ms;
		loss += difference * difference + BELOW_ZERO * below;
		if (costs)
			costs[i] = cost;
		if (passing->gradient)
			backward(passing, least ? 0 : -2 * difference * predicted * predicted / fastest);
	}
	return loss;
}

double bw_loss(const struct bw_network *network, double sms, const struct bw_group *group,
	       struct bw_parameters *gradient, double *costs)
{
	int n = group->pipeline->n_stages;
	struct passing passing = {.network = network, .group = group, .sms = sms, .gradient = gradient};
	passing.embeddings = BW_NEW_ARRAY(struct bw_embedding, n);
	passing.of_embeddings = bw_new_array((size_t)n, sizeof *passing.of_embeddings);
	passing.activations = BW_NEW_ARRAY(struct bw_activations, n);
	passing.factors = bw_new_array((size_t)n, sizeof *passing.factors);
	for (int s = 0; s < n; s++)
		bw_network_embed(network, group->pipeline->algorithm[s], &passing.embeddings[s]);
	double loss = pass(&passing, costs);
	for (int s = 0; s < n && gradient; s++)
		bw_network_back_embedding(network, &passing.embeddings[s], group->pipeline->algorithm[s],
					  passing.of_embeddings[s], gradient);
	free(passing.embeddings);
	free(passing.of_embeddings);
	free(passing.activations);
	free(passing.factors);
	return loss;
}

/* The predictions and measurements of all schedules of a pipeline. */
struct judged {
	int n;
	double *costs, *ms;
};

static struct judged judged_new(const struct bw_network *network, double sms,
				const struct bw_sample_pipeline *pipeline)
{
	struct judged judged = {pipeline->n, BW_NEW_ARRAY(double, pipeline->n), BW_NEW_ARRAY(double, pipeline->n)};
	BW_SCOPED_MEMORY int *all = BW_NEW_ARRAY(int, pipeline->n);
	for (int i = 0; i < pipeline->n; i++) {
		all[i] = i;
		judged.ms[i] = pipeline->samples[i].ms;
	}
	if (pipeline->n)
		bw_loss(network, sms, &(struct bw_group){pipeline, all, pipeline->n}, NULL, judged.costs);
	return judged;
}

static void judged_free(struct judged *judged)
{
	free(judged->costs);
	free(judged->ms);
}

struct bw_goodness bw_network_judge(const struct bw_network *network, double sms,
				    const struct bw_sample_pipeline *pipeline)
{
	struct judged judged = judged_new(network, sms, pipeline);
	struct bw_goodness goodness = bw_goodness_of(judged.costs, judged.ms, judged.n);
	judged_free(&judged);
	return goodness;
}

/* Returns the part of that which training minimizes: bw_throughput_residue of all schedules of a pipeline,
 * 0 if there are none. */
static double network_residue(const struct bw_network *network, double sms,
			  const struct bw_sample_pipeline *pipeline)
{
	struct judged judged = judged_new(network, sms, pipeline);
	double residue = judged.n ? bw_throughput_residue(judged.costs, judged.ms, judged.n) : 0;
	judged_free(&judged);
	return residue;
}

/* Adam's parameters, as in Halide: the decay of both moments, and the summand of the second one's root. */
#define KEEP_MEAN 0.9
#define KEEP_SQUARE 0.999
#define SMALL 1e-5
/* The largest gradient of a step, by length: one absurd prediction must not dominate a thousand steps. */
#define LONGEST 1.0

struct bw_training_options bw_training_options_default(void)
{
	return (struct bw_training_options){
	    .sms = 1, .rate = 1e-3, .group = 16, .batch = 2, .epochs = 100, .hold_out = -1};
}

/* Returns base to an integer power, by products alone, because the C library's result differs between
 * CPUs. */
static double power(double base, int64_t exponent)
{
	double result = 1;
	for (; exponent; exponent /= 2, base *= base)
		result *= exponent % 2 ? base : 1;
	return result;
}

/* Changes the weights by one step of Adam. */
static void step(struct bw_training *training, const struct bw_parameters *gradient, double rate)
{
	double length = 0;
	for (int i = 0; i < BW_N_WEIGHTS; i++)
		length += gradient->all[i] * gradient->all[i];
	double shrink = length > LONGEST * LONGEST ? LONGEST / sqrt(length) : 1;
	training->now.steps++;
	double mean_part = 1 - power(KEEP_MEAN, training->now.steps),
	       square_part = 1 - power(KEEP_SQUARE, training->now.steps);
	for (int i = 0; i < BW_N_WEIGHTS; i++) {
		double slope = gradient->all[i] * shrink;
		training->mean.all[i] = KEEP_MEAN * training->mean.all[i] + (1 - KEEP_MEAN) * slope;
		training->square.all[i] = KEEP_SQUARE * training->square.all[i] + (1 - KEEP_SQUARE) * slope * slope;
		training->now.parameters.all[i] -= rate * (training->mean.all[i] / mean_part) /
						   (sqrt(training->square.all[i] / square_part) + SMALL);
	}
}

/* An item to shuffle. */
struct card {
	uint64_t key;
	int what, from, n;
};

BW_ORDER(compare_cards, struct card,
	  4 * BW_COMPARE(a->key, b->key) + 2 * BW_COMPARE(a->what, b->what) + BW_COMPARE(a->from, b->from))

/* The groups of an epoch: the samples of each pipeline, shuffled, in groups of about the same size; and
 * these groups, shuffled. */
struct dealing {
	int **samples; /* by pipeline */
	struct card *groups;
	int n, capacity;
};

static int *shuffled(int n, const uint64_t keys[3])
{
	BW_SCOPED_MEMORY struct card *cards = BW_NEW_ARRAY(struct card, n);
	int *order = BW_NEW_ARRAY(int, n);
	for (int i = 0; i < n; i++)
		cards[i] = (struct card){
		    .key = bw_random((const uint64_t[]){keys[0], keys[1], keys[2], (uint64_t)i}, 4),
		    .what = i};
	qsort(cards, (size_t)n, sizeof *cards, compare_cards);
	for (int i = 0; i < n; i++)
		order[i] = cards[i].what;
	return order;
}

static void deal(struct dealing *dealing, const struct bw_samples *samples,
		 const struct bw_training_options *options, int64_t epoch)
{
	dealing->samples = BW_NEW_ARRAY(int *, samples->n);
	for (int p = 0; p < samples->n; p++) {
		int n = samples->pipelines[p].n, groups = (n + options->group - 1) / options->group;
		if (p == options->hold_out)
			continue;
		dealing->samples[p] = shuffled(n, (const uint64_t[]){options->seed, (uint64_t)epoch, (uint64_t)p});
		for (int g = 0; g < groups; g++) {
			int from = (int)((int64_t)n * g / groups), to = (int)((int64_t)n * (g + 1) / groups);
			BW_PUSH(dealing->groups, dealing->n, dealing->capacity,
				(struct card){bw_random((const uint64_t[]){options->seed, (uint64_t)epoch,
									   (uint64_t)p, (uint64_t)g, 1},
							5),
					      p, from, to - from});
		}
	}
	if (dealing->n)
		qsort(dealing->groups, (size_t)dealing->n, sizeof *dealing->groups, compare_cards);
}

static void deal_end(struct dealing *dealing, const struct bw_samples *samples)
{
	for (int p = 0; p < samples->n; p++)
		free(dealing->samples[p]);
	free(dealing->samples);
	free(dealing->groups);
}

/* Makes one step with the groups from the first on. */
static void take_batch(struct bw_training *training, const struct bw_samples *samples,
		       const struct bw_training_options *options, const struct dealing *dealing, int first)
{
	BW_SCOPED_MEMORY struct bw_network *network = BW_NEW(struct bw_network);
	BW_SCOPED_MEMORY struct bw_parameters *gradient = BW_NEW(struct bw_parameters);
	int here = 0;
	bw_network_prepare(network, &training->now.parameters);
	for (int g = first; g < dealing->n && g < first + options->batch; g++) {
		const struct card *card = &dealing->groups[g];
		struct bw_group group = {&samples->pipelines[card->what],
					 dealing->samples[card->what] + card->from, card->n};
		bw_loss(network, options->sms, &group, gradient, NULL);
		here += card->n;
	}
	for (int i = 0; i < BW_N_WEIGHTS; i++)
		gradient->all[i] /= here;
	step(training, gradient, options->rate);
}

/* Returns the loss of the current weights over all training samples. */
static double loss_of(const struct bw_training *training, const struct bw_samples *samples,
		      const struct bw_training_options *options)
{
	BW_SCOPED_MEMORY struct bw_network *network = BW_NEW(struct bw_network);
	double residue = 0;
	int n = 0;
	bw_network_prepare(network, &training->now.parameters);
	for (int p = 0; p < samples->n; p++) {
		if (p == options->hold_out)
			continue;
		residue += network_residue(network, options->sms, &samples->pipelines[p]);
		n += samples->pipelines[p].n;
	}
	return n ? residue / n : 0;
}

void bw_training_begin(struct bw_training *training, const struct bw_weights *weights,
		       const struct bw_samples *samples, const struct bw_training_options *options)
{
	memset(training, 0, sizeof *training);
	bw_parameters_of(weights, &training->now.parameters);
	training->now.loss = loss_of(training, samples, options);
	training->best = training->now;
}

void bw_training_epoch(struct bw_training *training, const struct bw_samples *samples,
		       const struct bw_training_options *options)
{
	struct dealing dealing = {0};
	deal(&dealing, samples, options, training->now.epochs);
	for (int first = 0; first < dealing.n; first += options->batch)
		take_batch(training, samples, options, &dealing, first);
	deal_end(&dealing, samples);
	training->now.epochs++;
	training->now.loss = loss_of(training, samples, options);
	if (training->now.loss < training->best.loss)
		training->best = training->now;
}
