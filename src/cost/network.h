/* The network of the learned cost model (Anderson et al. 2021, section 5.2): from the features of a stage to the coefficients of its cost's components,
 * and back from what a loss says of costs to what it says of weights. All of it is sums, products and quotients of doubles in a fixed order, and
 * approximations of its own for logarithm and exponential: the same bits on every CPU. */
#ifndef BW_COST_NETWORK_H
#define BW_COST_NETWORK_H
#include "cost/components.h"
#include "cost/weights.h"

/* Numbers by weight: weights as the network computes with them, or gradients. */
struct bw_parameters {
	union {
		struct {
#define X(name, dims, e0, e1, e2) double name[(e0) * (e1) * (e2)];
			BW_WEIGHTS_TABLE(X)
#undef X
		} by;
		double all[BW_N_WEIGHTS];
	};
};
void bw_parameters_of(const struct bw_weights *weights, struct bw_parameters *parameters);
/* Rounded to floats; the weights' origin stays as it is. */
void bw_parameters_round(const struct bw_parameters *parameters, struct bw_weights *weights);

/* Parameters made ready. */
struct bw_network {
	struct bw_parameters parameters;
	double squashed[BW_NET_ALGORITHM][BW_NET_HEAD1]; /* the sigmoid of head1_filter, by feature of the algorithm */
};
void bw_network_prepare(struct bw_network *network, const struct bw_parameters *parameters);

/* What the network makes of a stage's algorithm: once for a pipeline. */
struct bw_embedding {
	double head1[BW_NET_HEAD1];
	double coefficients[BW_NET_COEFFICIENTS]; /* with the bias, before what the schedule adds */
};
void bw_network_embed(const struct bw_network *network, const float features[BW_PIPELINE_FEATURES], struct bw_embedding *embedding);

/* What it makes of a stage, layer by layer. */
struct bw_activations {
	double features[BW_NET_SCHEDULE]; /* log(1 + feature) */
	double before2[BW_NET_HEAD2], head2[BW_NET_HEAD2];
	double before[BW_NET_COEFFICIENTS], coefficients[BW_NET_COEFFICIENTS];
};
void bw_network_run(const struct bw_network *network, const struct bw_embedding *embedding, const float features[BW_SCHEDULE_FEATURES], struct bw_activations *activations);

/* A stage's cost, in its terms. */
struct bw_learned_cost {
	double cost;
	double terms[BW_N_COMPONENTS];
	double factors[BW_N_COMPONENTS];
	double coefficients[BW_NET_COEFFICIENTS];
};
/* The steps of bw_network_cost. Its sums are in another order than those of bw_network_run, so that they differ in their last bits. First all that follows from the features of a stage but the three that follow from the whole schedule
 * (working_set_at_production, _at_realization, _at_root), which stand together and are the last that are added up. */
enum { BW_NET_WHOLE_FIRST = BW_FEATURE_working_set_at_production, BW_NET_WHOLE = 3 };
struct bw_begun {
	double before2[BW_NET_HEAD2];
	double whole[BW_NET_WHOLE]; /* log(1 + feature) of the three as they were given */
	double factors[BW_N_COMPONENTS];
};
void bw_network_begin(const struct bw_network *network, const float features[BW_SCHEDULE_FEATURES], double sms, struct bw_begun *begun);
/* whole: log(1 + feature) of the three. */
void bw_network_finish(const struct bw_network *network, const struct bw_embedding *embedding, const struct bw_begun *begun, const double whole[BW_NET_WHOLE], struct bw_learned_cost *cost);
void bw_network_cost(const struct bw_network *network, const struct bw_embedding *embedding, const float features[BW_SCHEDULE_FEATURES], double sms, struct bw_learned_cost *cost);
/* The costs alone of n stages: embeddings[i] is the i-th one's, features[i] its features of the schedule. */
void bw_network_costs(const struct bw_network *network, int n, const struct bw_embedding *const *embeddings, const float *const *features, double sms, double *costs);

/* The way back: adds to *gradient what follows for the weights, and to of_embedding for the embedding's coefficients, from `of_before`, the derivatives by the
 * coefficients before their activation. */
void bw_network_back(const struct bw_network *network, const struct bw_activations *activations, const double of_before[BW_NET_COEFFICIENTS], double of_embedding[BW_NET_COEFFICIENTS],
		     struct bw_parameters *gradient);
/* The rest of it, once for all schedules of a pipeline's stage. */
void bw_network_back_embedding(const struct bw_network *network, const struct bw_embedding *embedding, const float features[BW_PIPELINE_FEATURES],
			       const double of_embedding[BW_NET_COEFFICIENTS], struct bw_parameters *gradient);
/* The derivative of the activation: max(x, 0) + 1e-10 min(x, 0). */
double bw_network_slope(double before);
#endif
