/* The kernels that measure a device's rates, as PTX for CUDA devices of compute capability 5.0 and later;
 * half_rate needs 5.3. */
#pragma once
#include "bench/rates.h"

/* What the kernels of a rate do; threads: of all blocks.
 *   EMPTY      nothing
 *   BARRIER    32 barriers per round
 *   READ       per round `trips` times 4 loads of 16 bytes per thread, from `from` on, `stride` bytes apart
 *   WRITE      the same with stores to `to`
 *   COPY       both
 *   SHARED     32 loads of 16 bytes of shared memory per thread and round, `trips` bytes apart (pass 0)
 *   ARITHMETIC 256 steps of 1 or 2 operations per thread and round, in 8 independent chains (pass 1 as
 * `trips`) READ leaves 16 bytes per thread in `to`, SHARED and ARITHMETIC 64 bytes per thread. */
enum bw_rate_shape {
	BW_SHAPE_EMPTY,
	BW_SHAPE_BARRIER,
	BW_SHAPE_READ,
	BW_SHAPE_WRITE,
	BW_SHAPE_COPY,
	BW_SHAPE_SHARED,
	BW_SHAPE_ARITHMETIC
};

enum {
	BW_RATE_BLOCK = 256, /* threads per block, except for EMPTY and BARRIER */
	BW_RATE_UNROLL = 4,  /* loads or stores of global memory per thread and trip */
	BW_RATE_REGISTERS = 64, /* per thread, the limit when the kernels are assembled: leaves registers for
				   at least four blocks per SM */
	BW_RATE_LEFT = 64       /* bytes per thread of `to`, enough for the results of any kernel */
};

/* The kernels' parameters, in order. */
#define BW_RATE_PARAMETERS(X) X(from, u64) X(to, u64) X(stride, u64) X(trips, u32) X(rounds, u32)

enum bw_rate_shape bw_rate_shape(enum bw_rate_key key);
/* Returns the operations, bytes or barriers per thread and round; for READ, WRITE and COPY per thread and
 * trip. */
double bw_rate_work(enum bw_rate_key key);
/* Appends the kernel of a rate. The name of its entry is "rate". */
void bw_rate_ptx(enum bw_rate_key key, struct bw_text *ptx);
