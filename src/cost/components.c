#include "cost/components.h"

#include <math.h>

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
#define X(name, words, key, coefficient, equation, factor, meaning) factors[BW_COMPONENT_##name] = factor;
	BW_COMPONENT_TABLE(X)
#undef X
#undef F
}
