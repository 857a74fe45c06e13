/* The loss of a group of schedules, and its gradient, derived by hand. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cost/training.h"

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
	int *all = BW_NEW_ARRAY(int, pipeline->n);
	for (int i = 0; i < pipeline->n; i++) {
		all[i] = i;
		judged.ms[i] = pipeline->samples[i].ms;
	}
	if (pipeline->n)
		bw_loss(network, sms, &(struct bw_group){pipeline, all, pipeline->n}, NULL, judged.costs);
	free(all);
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

double bw_network_residue(const struct bw_network *network, double sms,
			  const struct bw_sample_pipeline *pipeline)
{
	struct judged judged = judged_new(network, sms, pipeline);
	double residue = judged.n ? bw_throughput_residue(judged.costs, judged.ms, judged.n) : 0;
	judged_free(&judged);
	return residue;
}
