/* The time that counts come to, against times worked out by hand on the device with round numbers of tests/core/description.c: 10 SMs of 2048 threads at
 * 1e9 cycles/s; 1e12 bytes/s from memory, 4e12 from L2, 1e13 from shared memory; 1e13 operations/s; 5 us a launch. */
#include <math.h>

#include "../core/description.h"
#include "../core/test.h"
#include "cost/counted.h"

static void assert_near(const char *what, double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%s: %.12g, expected %.12g", what, value, expected);
}

static const struct bw_counts counts = {.issued = 32000, .global_load_requests = 320, .global_load_sectors = 1280, .l2_read_sectors = 640, .dram_read_bytes = 20480, .dram_write_bytes = 14336,
	.global_store_requests = 320, .global_store_sectors = 1280, .shared_load_wavefronts = 100, .shared_store_wavefronts = 60, .block_cycles = 10760};

/* 40 blocks of 8 warps: 4 on each SM, where 8 fit. 32000 instructions at 3.125e11 a second. 640 wavefronts of sectors
 * and 160 of shared memory are 800 of 128 bytes. 1920 sectors from and to L2. Memory reaches 0.85 of its bandwidth. A block takes 269 cycles. */
static void parts_are_as_worked_out_by_hand(void **state)
{
	const struct bw_counted_launches of = {.counts = &counts, .launches = 1, .blocks = 40, .threads = 256, .shared_bytes = 1024};
	const struct bw_counted_cost cost = bw_counted_estimate(&of, &round_device);
	const double expected[BW_N_COUNTED_PARTS] = {1.024e-4, 1.024e-5, 1.536e-5, 4.096e-5, 2.69e-4, 5e-3};
	double squares = 0;
	for (int p = 0; p < BW_N_COUNTED_PARTS; p++) {
		assert_near("part", cost.parts[p], expected[p]);
		squares += p == BW_COUNTED_PART_LAUNCH ? 0 : expected[p] * expected[p];
	}
	assert_near("ms", cost.ms, sqrt(squares) + 5e-3);
}

/* 41 blocks are 5 on one SM: it issues as long as if all had 5. Of blocks of 1024 threads 2 fit on an SM: 3 waves. The same launched twice has the counts of both. */
static void blocks_are_spread_over_sms(void **state)
{
	struct bw_counted_launches of = {.counts = &counts, .launches = 1, .blocks = 41, .threads = 1024, .shared_bytes = 0};
	struct bw_counted_cost cost = bw_counted_estimate(&of, &round_device);
	assert_near("issue", cost.parts[BW_COUNTED_PART_ISSUE], 1.024e-4 * 50 / 41);
	assert_near("latency", cost.parts[BW_COUNTED_PART_LATENCY], 3 * 10760 / 41.0 * 1e-6);
	of.registers = 64; /* 65536 of them: one block fits */
	cost = bw_counted_estimate(&of, &round_device);
	assert_near("latency with registers", cost.parts[BW_COUNTED_PART_LATENCY], 5 * 10760 / 41.0 * 1e-6);
	of.registers = 0;
	of.launches = 2;
	cost = bw_counted_estimate(&of, &round_device);
	assert_near("two launches", cost.parts[BW_COUNTED_PART_LAUNCH], 1e-2);
	assert_near("latency of both", cost.parts[BW_COUNTED_PART_LATENCY], 3 * 10760 / 41.0 * 1e-6);
}

/* A kernel that does nothing takes its launch. */
static void nothing_takes_a_launch(void **state)
{
	static const struct bw_counts none;
	const struct bw_counted_launches of = {.counts = &none, .launches = 1, .blocks = 1, .threads = 1};
	assert_near("ms", bw_counted_estimate(&of, &round_device).ms, 5e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_as_worked_out_by_hand), cmocka_unit_test(blocks_are_spread_over_sms), cmocka_unit_test(nothing_takes_a_launch)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
