/* Evaluates the network, and computes the gradient of a loss by its weights. */
#include "cost/network.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"

/* Slope of the activation below 0. */
#define LEAK 1e-10

double bw_network_slope(double before)
{
	return before > 0 ? 1 : LEAK;
}

void bw_parameters_of(const struct bw_weights *weights, struct bw_parameters *parameters)
{
	for (int i = 0; i < BW_N_WEIGHTS; i++)
		parameters->all[i] = (double)weights->all[i];
}

void bw_parameters_round(const struct bw_parameters *parameters, struct bw_weights *weights)
{
	for (int i = 0; i < BW_N_WEIGHTS; i++)
		weights->all[i] = (float)parameters->all[i];
}

/* Returns where the weights of a feature of the algorithm begin in head1_filter, whose outermost index is
 * the type. */
static int head1_at(int feature)
{
	return BW_NET_HEAD1 * (feature / BW_NET_TYPES + BW_NET_OPERATIONS * (feature % BW_NET_TYPES));
}

void bw_network_prepare(struct bw_network *network, const struct bw_parameters *parameters)
{
	network->parameters = *parameters;
	for (int f = 0; f < BW_NET_ALGORITHM; f++)
		for (int c = 0; c < BW_NET_HEAD1; c++)
			network->squashed[f][c] = bw_curve_sigmoid(parameters->by.head1_filter[head1_at(f) + c]);
}

/* Two sums that are added up at once, with the alignment of one. */
typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

static inline pair pair_of(const double *two)
{
	return *(const pair *)two;
}

/* A row of weights, and its factor. */
struct weighed {
	const double *row;
	double factor;
};

/* Adds n rows of weights, times their factors, to the sums. A row has `width` columns, a multiple of
 * STRIP, whose sums stay in registers. Many factors are 0 and are skipped. Each sum is added up in row
 * order. */
static inline void add_rows(const double *restrict weights, int width, const double *restrict factors, int n,
			    double *restrict sums)
{
	enum { STRIP = 8, MOST = BW_NET_SCHEDULE };
	struct weighed rows[MOST], *end = rows;
	for (int i = 0; i < n; i++, weights += width) {
		*end = (struct weighed){weights, factors[i]};
		end += factors[i] != 0;
	}
	for (int at = 0; at < width; at += STRIP) {
		double *strip = sums + at;
		pair a = pair_of(strip), b = pair_of(strip + 2), c = pair_of(strip + 4), d = pair_of(strip + 6);
		for (const struct weighed *weighed = rows; weighed < end; weighed++) {
			const double *row = weighed->row + at;
			double factor = weighed->factor;
			a += pair_of(row) * factor;
			b += pair_of(row + 2) * factor;
			c += pair_of(row + 4) * factor;
			d += pair_of(row + 6) * factor;
		}
		memcpy(strip, (pair[]){a, b, c, d}, STRIP * sizeof *strip);
	}
}

void bw_network_embed(const struct bw_network *network, const float features[BW_PIPELINE_FEATURES],
		      struct bw_embedding *embedding)
{
	memcpy(embedding->head1, network->parameters.by.head1_bias, sizeof embedding->head1);
	for (int f = 0; f < BW_NET_ALGORITHM; f++)
		for (int c = 0; features[f] != 0 && c < BW_NET_HEAD1; c++)
			embedding->head1[c] += network->squashed[f][c] * (double)features[f];
	memcpy(embedding->coefficients, network->parameters.by.conv1_bias, sizeof embedding->coefficients);
	add_rows(network->parameters.by.conv1_filter, BW_NET_COEFFICIENTS, embedding->head1, BW_NET_HEAD1,
		 embedding->coefficients);
}

static void activate(const double *before, int n, double *after)
{
	for (int i = 0; i < n; i++)
		after[i] = before[i] * bw_network_slope(before[i]);
}

_Static_assert(BW_FEATURE_working_set_at_root == BW_NET_WHOLE_FIRST + BW_NET_WHOLE - 1,
	       "they stand together");

/* Computes the sums of the first layer over all features but those of the whole schedule. */
static void sum_features(const struct bw_network *network, const double *features,
			 double before2[BW_NET_HEAD2])
{
	const double *filter = network->parameters.by.head2_filter;
	const int next = BW_NET_WHOLE_FIRST + BW_NET_WHOLE;
	memcpy(before2, network->parameters.by.head2_bias, BW_NET_HEAD2 * sizeof *before2);
	add_rows(filter, BW_NET_HEAD2, features, BW_NET_WHOLE_FIRST, before2);
	add_rows(filter + next * BW_NET_HEAD2, BW_NET_HEAD2, features + next, BW_NET_SCHEDULE - next, before2);
}

/* Computes all later layers from the first layer's sums. */
static void run_rest(const struct bw_network *network, const struct bw_embedding *embedding,
		     struct bw_activations *activations)
{
	activate(activations->before2, BW_NET_HEAD2, activations->head2);
	memcpy(activations->before, embedding->coefficients, sizeof activations->before);
	add_rows(network->parameters.by.conv1_filter + BW_NET_HEAD1 * BW_NET_COEFFICIENTS,
		 BW_NET_COEFFICIENTS, activations->head2, BW_NET_HEAD2, activations->before);
	activate(activations->before, BW_NET_COEFFICIENTS, activations->coefficients);
}

void bw_network_run(const struct bw_network *network, const struct bw_embedding *embedding,
		    const float features[BW_SCHEDULE_FEATURES], struct bw_activations *activations)
{
	bw_curve_log1p(features, BW_NET_SCHEDULE, activations->features);
	memcpy(activations->before2, network->parameters.by.head2_bias, sizeof activations->before2);
	add_rows(network->parameters.by.head2_filter, BW_NET_HEAD2, activations->features, BW_NET_SCHEDULE,
		 activations->before2);
	run_rest(network, embedding, activations);
}

void bw_network_begin(const struct bw_network *network, const float features[BW_SCHEDULE_FEATURES],
		      double sms, struct bw_begun *begun)
{
	double logs[BW_NET_SCHEDULE];
	bw_curve_log1p(features, BW_NET_SCHEDULE, logs);
	sum_features(network, logs, begun->before2);
	memcpy(begun->whole, logs + BW_NET_WHOLE_FIRST, sizeof begun->whole);
	bw_component_factors(features, sms, begun->factors);
}

void bw_network_finish(const struct bw_network *network, const struct bw_embedding *embedding,
		       const struct bw_begun *begun, const double whole[BW_NET_WHOLE],
		       struct bw_learned_cost *cost)
{
	struct bw_activations activations;
	memcpy(activations.before2, begun->before2, sizeof activations.before2);
	add_rows(network->parameters.by.head2_filter + BW_NET_WHOLE_FIRST * BW_NET_HEAD2, BW_NET_HEAD2, whole,
		 BW_NET_WHOLE, activations.before2);
	run_rest(network, embedding, &activations);
	memcpy(cost->coefficients, activations.coefficients, sizeof cost->coefficients);
	memcpy(cost->factors, begun->factors, sizeof cost->factors);
	cost->cost = 0;
	for (int t = 0; t < BW_N_COMPONENTS; t++) {
		cost->terms[t] = BW_COMPONENT_SCALE *
				 (cost->factors[t] *
				  cost->coefficients[bw_component_info((enum bw_component)t)->coefficient]);
		cost->cost += cost->terms[t];
	}
}

void bw_network_cost(const struct bw_network *network, const struct bw_embedding *embedding,
		     const float features[BW_SCHEDULE_FEATURES], double sms, struct bw_learned_cost *cost)
{
	struct bw_begun begun;
	bw_network_begin(network, features, sms, &begun);
	bw_network_finish(network, embedding, &begun, begun.whole, cost);
}

/* Adds to the gradient of rows of weights, from the derivatives of the sums and the rows' factors. */
static inline void add_back(const double *of_sums, int width, const double *factors, int n, double *gradient)
{
	for (int i = 0; i < n; i++)
		for (int c = 0; c < width; c++)
			gradient[i * width + c] += factors[i] * of_sums[c];
}

void bw_network_back(const struct bw_network *network, const struct bw_activations *activations,
		     const double of_before[BW_NET_COEFFICIENTS], double of_embedding[BW_NET_COEFFICIENTS],
		     struct bw_parameters *gradient)
{
	enum { SCHEDULE_PART = BW_NET_HEAD1 * BW_NET_COEFFICIENTS };
	double of_before2[BW_NET_HEAD2];
	for (int k = 0; k < BW_NET_HEAD2; k++)
		of_before2[k] =
		    bw_dot(network->parameters.by.conv1_filter + SCHEDULE_PART + k * BW_NET_COEFFICIENTS,
			of_before, BW_NET_COEFFICIENTS) *
		    bw_network_slope(activations->before2[k]);
	add_back(of_before, BW_NET_COEFFICIENTS, activations->head2, BW_NET_HEAD2,
		 gradient->by.conv1_filter + SCHEDULE_PART);
	add_back(of_before2, BW_NET_HEAD2, activations->features, BW_NET_SCHEDULE, gradient->by.head2_filter);
	for (int k = 0; k < BW_NET_HEAD2; k++)
		gradient->by.head2_bias[k] += of_before2[k];
	for (int c = 0; c < BW_NET_COEFFICIENTS; c++)
		of_embedding[c] += of_before[c];
}

void bw_network_back_embedding(const struct bw_network *network, const struct bw_embedding *embedding,
			       const float features[BW_PIPELINE_FEATURES],
			       const double of_embedding[BW_NET_COEFFICIENTS], struct bw_parameters *gradient)
{
	double of_head1[BW_NET_HEAD1];
	for (int c = 0; c < BW_NET_COEFFICIENTS; c++)
		gradient->by.conv1_bias[c] += of_embedding[c];
	add_back(of_embedding, BW_NET_COEFFICIENTS, embedding->head1, BW_NET_HEAD1, gradient->by.conv1_filter);
	for (int k = 0; k < BW_NET_HEAD1; k++) {
		of_head1[k] = bw_dot(network->parameters.by.conv1_filter + k * BW_NET_COEFFICIENTS, of_embedding,
				  BW_NET_COEFFICIENTS);
		gradient->by.head1_bias[k] += of_head1[k];
	}
	for (int f = 0; f < BW_NET_ALGORITHM; f++)
		for (int c = 0; c < BW_NET_HEAD1 && features[f] != 0; c++)
			gradient->by.head1_filter[head1_at(f) + c] +=
			    of_head1[c] * (double)features[f] *
			    (network->squashed[f][c] * (1 - network->squashed[f][c]));
}

#define LN2 0.69314718055994530942

/* Numbers that are computed together, and their bits. */
enum { AT_ONCE = 4 };
typedef float floats __attribute__((vector_size(AT_ONCE * sizeof(float))));
typedef int32_t whole __attribute__((vector_size(AT_ONCE * sizeof(int32_t))));
typedef uint32_t words __attribute__((vector_size(AT_ONCE * sizeof(uint32_t))));

/* x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172. Five
 * terms of the series have an error below 1e-9. */
static inline floats logs_of(floats x)
{
	const uint32_t root_half = 0x3f3504f3, one = 0x3f800000;
	words bits = (words)x + (one - root_half);
	whole exponent = (whole)(bits >> 23) - 127;
	floats mantissa = (floats)((bits & 0x007fffff) + root_half);
	floats s = (mantissa - 1) / (mantissa + 1), z = s * s;
	floats series = 2 + z * (2.0f / 3 + z * (2.0f / 5 + z * (2.0f / 7 + z * (2.0f / 9))));
	return __builtin_convertvector(exponent, floats) * (float)LN2 + s * series;
}

static inline void log1p_at_once(const float x[AT_ONCE], double log[AT_ONCE])
{
	floats more;
	memcpy(&more, x, sizeof more);
	more = logs_of((floats)((whole)more & (more > 0)) + 1);
	for (int i = 0; i < AT_ONCE; i++)
		log[i] = (double)more[i];
}

void bw_curve_log1p(const float *x, int n, double *log)
{
	float rest[AT_ONCE] = {0};
	double logs[AT_ONCE];
	for (; n >= AT_ONCE; n -= AT_ONCE, x += AT_ONCE, log += AT_ONCE)
		log1p_at_once(x, log);
	for (int i = 0; i < n; i++)
		rest[i] = x[i];
	if (n)
		log1p_at_once(rest, logs);
	for (int i = 0; i < n; i++)
		log[i] = logs[i];
}

/* x = k ln 2 + r, |r| <= 0.35. Fourteen terms of the series of exp(r) have an error below 1e-17. */
double bw_curve_exp(double x)
{
	const double most = 700;
	if (x < -most)
		return 0;
	x = x > most ? most : x;
	int64_t k = (int64_t)(x / LN2 + (x < 0 ? -0.5 : 0.5));
	double r = x - (double)k * LN2, sum = 1;
	for (int i = 14; i > 0; i--)
		sum = 1 + sum * r / i;
	uint64_t bits = (uint64_t)(k + 1023) << 52;
	double power;
	memcpy(&power, &bits, sizeof power);
	return sum * power;
}

double bw_curve_sigmoid(double x)
{
	return 1 / (1 + bw_curve_exp(-x));
}

const struct bw_component_info *bw_component_info(enum bw_component component)
{
	static const struct bw_component_info infos[] = {
#define X(name, words, key, coefficient, equation, factor, meaning) \
	{words, key, meaning, coefficient, BW_EQUATION_##equation},
	    BW_COMPONENT_TABLE(X)
#undef X
	};
	return &infos[component];
}

static double at_least_one(double value)
{
	return value > 1 ? value : 1;
}

/* Returns a share to divide by, never 0. */
static double above_zero(double part)
{
	const double least = 1e-6;
	return part > least ? part : least;
}

/* Divides an amount by an efficiency; 0 stays 0. */
static double over(double amount, double efficiency)
{
	return amount > 0 ? amount / above_zero(efficiency) : 0;
}

void bw_component_factors(const float features[BW_SCHEDULE_FEATURES], double sms,
			  double factors[BW_N_COMPONENTS])
{
#define F(name) ((double)features[BW_FEATURE_##name])
	bool direct = F(inlined_calls) == 0, inlined = !direct;
	double blocks = at_least_one(F(num_blocks)), threads = blocks * F(num_threads_per_block);
	double tasks = at_least_one(F(inner_parallelism) * F(outer_parallelism)), per_sm = tasks / sms;
	double idle = ceil(per_sm) / at_least_one(per_sm), lanes = above_zero(1 - F(idle_lane_wastage));
#define X(name, words, key, coefficient, equation, factor, meaning) factors[name] = factor;
	BW_COMPONENT_TABLE(X)
#undef X
#undef F
}
