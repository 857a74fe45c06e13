#include "cost/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

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

static int compare_cards(const void *a, const void *b)
{
	const struct card *left = a, *right = b;
	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return left->what != right->what ? (left->what > right->what) - (left->what < right->what)
					 : (left->from > right->from) - (left->from < right->from);
}

/* The groups of an epoch: the samples of each pipeline, shuffled, in groups of about the same size; and
 * these groups, shuffled. */
struct dealing {
	int **samples; /* by pipeline */
	struct card *groups;
	int n, capacity;
};

static int *shuffled(int n, const uint64_t keys[3])
{
	struct card *cards = BW_NEW_ARRAY(struct card, n);
	int *order = BW_NEW_ARRAY(int, n);
	for (int i = 0; i < n; i++)
		cards[i] = (struct card){
		    .key = bw_random((const uint64_t[]){keys[0], keys[1], keys[2], (uint64_t)i}, 4),
		    .what = i};
	qsort(cards, (size_t)n, sizeof *cards, compare_cards);
	for (int i = 0; i < n; i++)
		order[i] = cards[i].what;
	free(cards);
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
			BW_GROW(dealing->groups, dealing->n, dealing->capacity);
			dealing->groups[dealing->n++] =
			    (struct card){bw_random((const uint64_t[]){options->seed, (uint64_t)epoch,
								       (uint64_t)p, (uint64_t)g, 1},
						    5),
					  p, from, to - from};
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
	struct bw_network *network = BW_NEW(struct bw_network);
	struct bw_parameters *gradient = BW_NEW(struct bw_parameters);
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
	free(network);
	free(gradient);
}

/* Returns the loss of the current weights over all training samples. */
static double loss_of(const struct bw_training *training, const struct bw_samples *samples,
		      const struct bw_training_options *options)
{
	struct bw_network *network = BW_NEW(struct bw_network);
	double residue = 0;
	int n = 0;
	bw_network_prepare(network, &training->now.parameters);
	for (int p = 0; p < samples->n; p++) {
		if (p == options->hold_out)
			continue;
		residue += bw_network_residue(network, options->sms, &samples->pipelines[p]);
		n += samples->pipelines[p].n;
	}
	free(network);
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
