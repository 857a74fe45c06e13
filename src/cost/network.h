/* The network of the learned cost model (Anderson et al. 2021, section 5.2): from the features of a stage
 * to the coefficients of its cost's components, and the gradient of a loss by the weights. Uses only sums,
 * products and quotients of doubles in a fixed order, with its own logarithm and exponential, so that
 * every CPU computes the same bits. */
#ifndef BW_COST_NETWORK_H
#define BW_COST_NETWORK_H
#include "cost/components.h"
#include "cost/weights.h"

/* Weights as the network computes with them, or a gradient by them. */
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
/* Rounds parameters to floats in *weights. Leaves the origin of the weights unchanged. */
void bw_parameters_round(const struct bw_parameters *parameters, struct bw_weights *weights);

/* Parameters prepared for evaluation. */
struct bw_network {
	struct bw_parameters parameters;
	double squashed[BW_NET_ALGORITHM]
		       [BW_NET_HEAD1]; /* the sigmoid of head1_filter, by feature of the algorithm */
};
void bw_network_prepare(struct bw_network *network, const struct bw_parameters *parameters);

/* The network's embedding of a stage's algorithm, computed once for a pipeline. */
struct bw_embedding {
	double head1[BW_NET_HEAD1];
	double coefficients[BW_NET_COEFFICIENTS]; /* with the bias, without the part of the schedule */
};
void bw_network_embed(const struct bw_network *network, const float features[BW_PIPELINE_FEATURES],
		      struct bw_embedding *embedding);

/* The network's values for a stage, by layer. */
struct bw_activations {
	double features[BW_NET_SCHEDULE]; /* log(1 + feature) */
	double before2[BW_NET_HEAD2], head2[BW_NET_HEAD2];
	double before[BW_NET_COEFFICIENTS], coefficients[BW_NET_COEFFICIENTS];
};
void bw_network_run(const struct bw_network *network, const struct bw_embedding *embedding,
		    const float features[BW_SCHEDULE_FEATURES], struct bw_activations *activations);

/* The cost of a stage with its terms. */
struct bw_learned_cost {
	double cost;
	double terms[BW_N_COMPONENTS];
	double factors[BW_N_COMPONENTS];
	double coefficients[BW_NET_COEFFICIENTS];
};
/* The steps of bw_network_cost, with sums in another order, so that results differ from bw_network_run in
 * the last bits. bw_network_begin uses all features of a stage but the three that depend on the whole
 * schedule (working_set_at_production, _at_realization, _at_root), which are adjacent and added last. */
enum { BW_NET_WHOLE_FIRST = BW_FEATURE_working_set_at_production, BW_NET_WHOLE = 3 };
struct bw_begun {
	double before2[BW_NET_HEAD2];
	double whole[BW_NET_WHOLE]; /* log(1 + feature) of the three features as given */
	double factors[BW_N_COMPONENTS];
};
void bw_network_begin(const struct bw_network *network, const float features[BW_SCHEDULE_FEATURES],
		      double sms, struct bw_begun *begun);
/* Finishes a stage; whole is log(1 + feature) of the three features. */
void bw_network_finish(const struct bw_network *network, const struct bw_embedding *embedding,
		       const struct bw_begun *begun, const double whole[BW_NET_WHOLE],
		       struct bw_learned_cost *cost);
void bw_network_cost(const struct bw_network *network, const struct bw_embedding *embedding,
		     const float features[BW_SCHEDULE_FEATURES], double sms, struct bw_learned_cost *cost);
/* Computes only the costs of n stages; embeddings[i] and features[i] (of the schedule) are those of stage
 * i. */
void bw_network_costs(const struct bw_network *network, int n, const struct bw_embedding *const *embeddings,
		      const float *const *features, double sms, double *costs);

/* Back-propagation. Adds the gradient by the weights to *gradient, and the gradient by the embedding's
 * coefficients to of_embedding. of_before is the gradient by the coefficients before their activation. */
void bw_network_back(const struct bw_network *network, const struct bw_activations *activations,
		     const double of_before[BW_NET_COEFFICIENTS], double of_embedding[BW_NET_COEFFICIENTS],
		     struct bw_parameters *gradient);
/* Back-propagates through the embedding, once for all schedules of a pipeline's stage. */
void bw_network_back_embedding(const struct bw_network *network, const struct bw_embedding *embedding,
			       const float features[BW_PIPELINE_FEATURES],
			       const double of_embedding[BW_NET_COEFFICIENTS],
			       struct bw_parameters *gradient);
/* Returns the derivative of the activation max(x, 0) + 1e-10 min(x, 0). */
double bw_network_slope(double before);
#endif
