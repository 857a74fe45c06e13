/* What the emulated device is asked for, beside running kernels. */
#ifndef BW_BENCH_EMULATION_H
#define BW_BENCH_EMULATION_H
#include <stdbool.h>

struct bw_emulation {
	char check[24]; /* what is looked for: race, bounds, init with commas between; empty: accesses out of
			   bounds alone, which it always finds */
	bool counts; /* what a run does is counted */
};
#endif
