#include "schedulers/learner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "cost/training.h"

enum {
	EPOCHS_MOST = 40, /* epochs of one training */
	EPOCHS_LEAST = 5,
	/* total samples over all epochs of one training, so that a training takes one or two seconds */
	SAMPLES = 4000,
	JUDGED = 48,    /* number of newest schedules by which the trained weights are judged */
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
	int n_judged; /* total number; the newest is at (n_judged - 1) % JUDGED */
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
	BW_SCOPED_ARENA *arena = bw_arena_new();
	double trained = bw_cost_of(learner->model, nest, learner->device, arena).total;
	learner->judged[learner->n_judged++ % JUDGED] = (struct judged){predicted, trained, ms};
}

void bw_learner_train(struct bw_learner *learner)
{
	int n = bw_samples_count(&learner->samples);
	if (n < 2)
		return;
	int epochs = SAMPLES / n;
	learner->options.epochs = epochs > EPOCHS_MOST    ? EPOCHS_MOST
				  : epochs < EPOCHS_LEAST ? EPOCHS_LEAST
							  : epochs;
	BW_SCOPED_MEMORY struct bw_training *training = BW_NEW(struct bw_training);
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

/* distance of two placements of a Func at different sites; also the largest distance */
#define OTHER_SITE 2.
#define OF_LOOP .5      /* distance for an extent that is twice as large */
#define NOISE .02       /* standard deviation of repeated measurements, as a logarithm */
#define LEAST_SPREAD .1 /* standard deviation of the process, at least */

struct bw_surrogate {
	int n, capacity;
	const struct bw_schedule **schedules;
	double *factor; /* the lower triangle L of the covariance = L L^T: rows of 1, 2, ... n numbers */
	size_t factor_capacity;
	double *weights; /* L^-1 (values - median), by schedule */
	int weights_capacity;
	double median, variance, length, noise;
};

static size_t row_of(int i)
{
	return (size_t)i * (size_t)(i + 1) / 2;
}

/* Returns the binary logarithm of the product of the extents of one kind of one loop in a plan. */
static double size_of(const struct bw_stage_plan *plan, int loop, bool threads)
{
	double size = 0;
	for (int i = 0; i < plan->n_loops; i++) {
		const struct bw_loop *piece = &plan->loops[i];
		bool is_thread = bw_loop_role(piece->kind) == BW_ROLE_THREAD;
		if (piece->loop == loop && piece->extent > 0 && is_thread == threads)
			size += log2((double)piece->extent);
	}
	return size;
}

static double placement_distance(const struct bw_placement *a, const struct bw_placement *b)
{
	if (!a || !b)
		return a == b ? 0 : OTHER_SITE;
	if (a->hash == b->hash)
		return 0;
	if (!bw_site_equal(&a->compute, &b->compute) || a->memory != b->memory || a->n_stages != b->n_stages)
		return OTHER_SITE;
	double distance = OF_LOOP; /* the placements differ at least in the order of loops */
	for (int s = 0; s < a->n_stages; s++) {
		const struct bw_stage_plan *left = &a->stages[s], *right = &b->stages[s];
		for (int i = 0; i < left->n_loops; i++) {
			int loop = left->loops[i].loop;
			if (left->loops[i].extent > 0)
				continue; /* every loop has one piece with extent 0 */
			for (int threads = 0; threads < 2; threads++)
				distance += OF_LOOP * fabs(size_of(left, loop, threads) -
							   size_of(right, loop, threads));
		}
	}
	return fmin(distance, OTHER_SITE);
}

double bw_surrogate_distance(const struct bw_schedule *a, const struct bw_schedule *b)
{
	double distance = 0;
	for (int i = 0; i < a->n_funcs; i++)
		distance += placement_distance(a->placements[i], b->placements[i]);
	return distance;
}

/* Returns the covariance of the values of two schedules at a distance. */
static double covariance(const struct bw_surrogate *surrogate, double distance)
{
	return surrogate->variance * exp(-distance / surrogate->length);
}

/* Returns element i of L^-1 k from the elements before it and the distance to schedule i. */
static double element(const struct bw_surrogate *surrogate, const double *row, int i, double distance)
{
	const double *factor = surrogate->factor + row_of(i);
	return (covariance(surrogate, distance) - bw_dot(factor, row, i)) / factor[i];
}

/* Appends a schedule. row: L^-1 times its covariances with all earlier schedules. value: NAN: the
 * expected value. */
static void append(struct bw_surrogate *surrogate, const struct bw_schedule *schedule, const double *row,
		   double value)
{
	int n = surrogate->n;
	BW_GROW(surrogate->schedules, n, surrogate->capacity);
	BW_GROW(surrogate->weights, n, surrogate->weights_capacity);
	if (row_of(n + 1) > surrogate->factor_capacity) {
		surrogate->factor_capacity = 2 * row_of(n + 1);
		surrogate->factor =
		    bw_resize_array(surrogate->factor, surrogate->factor_capacity, sizeof(double));
	}
	double *factor = surrogate->factor + row_of(n);
	memmove(factor, row, (size_t)n * sizeof *row);
	/* Without rounding, the difference is at least the noise. Rounding could make it negative. */
	double left = surrogate->variance + surrogate->noise - bw_dot(factor, factor, n);
	factor[n] = sqrt(fmax(left, surrogate->noise));
	double expected = bw_dot(factor, surrogate->weights, n);
	surrogate->weights[n] = isnan(value) ? 0 : (value - surrogate->median - expected) / factor[n];
	surrogate->schedules[n] = schedule;
	surrogate->n++;
}

/* Returns the logarithm of the likelihood of the values, up to a constant. */
static double likelihood(const struct bw_surrogate *surrogate)
{
	double sum = 0;
	for (int i = 0; i < surrogate->n; i++)
		sum -= log(surrogate->factor[row_of(i) + (size_t)i]) +
		       surrogate->weights[i] * surrogate->weights[i] / 2;
	return sum;
}

/* Sets median and variance from the values. */
static void measure_spread(struct bw_surrogate *surrogate, const double *values, int n)
{
	surrogate->variance = 1;
	if (!n)
		return;
	double *sorted = BW_NEW_ARRAY(double, n), squares = 0;
	memcpy(sorted, values, (size_t)n * sizeof *sorted);
	bw_sort_doubles(sorted, n);
	surrogate->median = sorted[n / 2];
	for (int i = 0; i < n; i++)
		squares += (values[i] - surrogate->median) * (values[i] - surrogate->median);
	surrogate->variance = fmax(squares / n, LEAST_SPREAD * LEAST_SPREAD);
	free(sorted);
}

/* Learns all values again with another length scale. */
static void learn(struct bw_surrogate *surrogate, const struct bw_schedule *const *schedules,
		  const double *distances, const double *values, int n, double length)
{
	BW_SCOPED_MEMORY double *row = BW_NEW_ARRAY(double, n + 1);
	surrogate->length = length;
	surrogate->n = 0;
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < i; k++)
			row[k] = element(surrogate, row, k, distances[(size_t)i * (size_t)n + (size_t)k]);
		append(surrogate, schedules[i], row, values[i]);
	}
}

struct bw_surrogate *bw_surrogate_new(const struct bw_schedule *const *schedules, const double *values, int n)
{
	static const double lengths[] = {1, 2, 4, 8, 16, 32};
	enum { N_LENGTHS = sizeof lengths / sizeof *lengths };
	struct bw_surrogate *surrogate = BW_NEW(struct bw_surrogate);
	double *distances = BW_NEW_ARRAY(double, (size_t)n *(size_t)n + 1), most = -INFINITY,
	       best = lengths[2];
	measure_spread(surrogate, values, n);
	surrogate->noise = NOISE * NOISE;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			distances[(size_t)i * (size_t)n + (size_t)k] =
			    bw_surrogate_distance(schedules[i], schedules[k]);
	for (int k = 0; n > 1 && k < N_LENGTHS; k++) {
		learn(surrogate, schedules, distances, values, n, lengths[k]);
		double found = likelihood(surrogate);
		if (found > most) {
			most = found;
			best = lengths[k];
		}
	}
	learn(surrogate, schedules, distances, values, n, best);
	free(distances);
	return surrogate;
}

void bw_surrogate_free(struct bw_surrogate *surrogate)
{
	if (!surrogate)
		return;
	free(surrogate->schedules);
	free(surrogate->factor);
	free(surrogate->weights);
	free(surrogate);
}

void bw_surrogate_expect(const struct bw_surrogate *surrogate, const struct bw_schedule *schedule,
			 struct bw_expectation *expectation)
{
	for (int i = expectation->n; i < surrogate->n; i++) {
		BW_GROW(expectation->row, i, expectation->capacity);
		expectation->row[i] = element(surrogate, expectation->row, i,
					      bw_surrogate_distance(schedule, surrogate->schedules[i]));
	}
	int n = expectation->n = surrogate->n;
	expectation->mean = surrogate->median + bw_dot(expectation->row, surrogate->weights, n);
	expectation->deviation =
	    sqrt(fmax(surrogate->variance - bw_dot(expectation->row, expectation->row, n), 0));
}

void bw_surrogate_believe(struct bw_surrogate *surrogate, const struct bw_schedule *schedule,
			  const struct bw_expectation *expectation)
{
	append(surrogate, schedule, expectation->row, NAN);
}
