/* Computations that are stopped wherever they can be: struct asks counts how often one asks whether it is to go on, and stops it when it has asked
 * `most` times. */
#pragma once
#include "base/routine.h"

struct asks {
	long n, most; /* most: 0: any number */
};

static inline bool asks_go_on(void *data)
{
	struct asks *asks = (struct asks *)data;
	return ++asks->n != asks->most;
}
