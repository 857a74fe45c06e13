/* Random dropout, which makes different schedules, also for training, as in Halide's anderson2021
 * (AutoSchedule.cpp): while a beam is chosen, children are dropped at random, such that
 * random_dropout is the chance that none is dropped in a whole pass. */
#include "base/hash.h"
#include "search/search_private.h"

/* Returns the nth root of a number from 0 to 1, by bisection. Products give the same result on
 * every machine, which pow() need not. */
static double root(double number, int n)
{
	double low = 0, high = 1;
	for (int step = 0; step < 60; step++) {
		double middle = 0.5 * (low + high), power = 1;
		for (int i = 0; i < n; i++)
			power *= middle;
		if (power < number)
			low = middle;
		else
			high = middle;
	}
	return high;
}

struct bw_dropout bw_dropout_begin(const struct bw_search *search, int index)
{
	const struct bw_decision *decision = &search->plan[index];
	bool on = search->options.random_dropout < 100 && decision->phase != BW_PHASE_PASS;
	return (struct bw_dropout){search->options.seed, (uint64_t)decision->pass, (uint64_t)index,
				   on ? root(search->options.random_dropout / 100.0, search->pass_decisions)
				      : 1};
}

bool bw_dropped_out(const struct bw_dropout *dropout, uint64_t state, int left)
{
	enum { DROPOUT = 0xd209 }; /* separates these random numbers from others with the same keys */
	uint64_t keys[] = {dropout->seed, DROPOUT, dropout->pass, dropout->index, state};
	return dropout->stays < 1 && left > 1 &&
	       (double)(bw_random(keys, sizeof keys / sizeof *keys) >> 11) * 0x1p-53 >= dropout->stays;
}
