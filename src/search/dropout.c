/* Random dropout, for other schedules and for training data, as Halide's anderson2021 has it: while a beam is
 * chosen each child is left out at random, such that random_dropout is the chance that in a whole pass none
 * is (AutoSchedule.cpp). */
#include "base/hash.h"
#include "search/search_private.h"

/* The nth root of a number from 0 to 1, by halving: a power in plain products is the same on every machine,
 * pow(3) need not be. */
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
	enum { DROPOUT = 0xd209 }; /* tells these random numbers from others of the same keys */
	uint64_t keys[] = {dropout->seed, DROPOUT, dropout->pass, dropout->index, state};
	return dropout->stays < 1 && left > 1 &&
	       (double)(bw_random(keys, sizeof keys / sizeof *keys) >> 11) * 0x1p-53 >= dropout->stays;
}
