/* Occupancy: figures worked out by hand for the bundled records of three generations of NVIDIA's devices, and, where the CUDA Toolkit
 * is installed, the outcome and the limiter of its own calculator over a grid of blocks, for every CUDA record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "gpu/device.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HAVE_CALCULATOR
#endif

struct records {
	struct bw_device *list;
	int n;
};

static int set_up(void **state)
{
	static struct records records;
	struct bw_text path = {0};
	struct bw_error error = {0};
	bw_text_printf(&path, "%s/data/devices.json", getenv("BW_SRC"));
	records.list = bw_devices_read(bw_text_get(&path), &records.n, &error);
	if (!records.list)
		fail_msg("%s", error.text);
	bw_text_free(&path);
	*state = &records;
	return 0;
}

static int tear_down(void **state)
{
	struct records *records = *state;
	free(records->list);
	return 0;
}

static const struct bw_device *find(void **state, const char *name)
{
	struct records *records = *state;
	const struct bw_device *device = bw_device_find(records->list, records->n, name);
	if (!device)
		fail_msg("no record of %s", name);
	return device;
}

/* An SM of the A100 has 64 slots for warps, 32 for blocks, 65536 registers in 4 parts and 167936 bytes of shared memory, of which each
 * block takes 1024 for itself; of the V100 98304 bytes, and none for itself; of the RTX 2080 Ti 32 slots for warps, 16 for blocks. */
static const struct by_hand {
	const char *device;
	struct bw_block_needs needs;
	int64_t blocks, warps;
	double occupancy, lanes;
	enum bw_limiter limiter;
} by_hand[] = {
	{"A100", {256, 0, 0}, 8, 64, 1, 1, BW_LIMITED_BY_THREADS},
	{"A100", {768, 0, 0}, 2, 48, 0.75, 1, BW_LIMITED_BY_THREADS},
	{"A100", {1024, 0, 0}, 2, 64, 1, 1, BW_LIMITED_BY_THREADS},
	{"A100", {1025, 0, 0}, 0, 0, 0, 1025.0 / 1056, BW_LIMITED_BY_THREADS},
	{"A100", {INT64_MAX, 255, INT64_MAX}, 0, 0, 0, 1, BW_LIMITED_BY_THREADS},
	{"A100", {32, 0, 0}, 32, 32, 0.5, 1, BW_LIMITED_BY_BLOCKS},
	{"A100", {1, 0, 0}, 32, 32, 0.5, 1.0 / 32, BW_LIMITED_BY_BLOCKS},
	{"A100", {0, 0, 0}, 32, 32, 0.5, 1.0 / 32, BW_LIMITED_BY_BLOCKS},
	/* Two warps for 33 threads: 64 / 2 is 32 as the slots for blocks are. */
	{"A100", {33, 0, 0}, 32, 64, 1, 33.0 / 64, BW_LIMITED_BY_THREADS},
	{"A100", {257, 0, 0}, 7, 63, 63.0 / 64, 257.0 / 288, BW_LIMITED_BY_THREADS},
	/* 64 x 32 = 2048 registers a warp; 16384 / 2048 = 8 warps a part, 32 in all. */
	{"A100", {256, 64, 0}, 4, 32, 0.5, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {1024, 64, 0}, 1, 32, 0.5, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {256, 32, 0}, 8, 64, 1, 1, BW_LIMITED_BY_THREADS},
	/* 33 x 32 = 1056 is rounded up to 1280; 16384 / 1280 = 12 warps a part, 48 in all, 6 blocks of 8. */
	{"A100", {256, 33, 0}, 6, 48, 0.75, 1, BW_LIMITED_BY_REGISTERS},
	/* 255 x 32 = 8160 is rounded up to 8192; 2 warps a part, 8 in all. */
	{"A100", {256, 255, 0}, 1, 8, 0.125, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {32, 255, 0}, 8, 8, 0.125, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {96, 255, 0}, 2, 6, 6.0 / 64, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {1024, 255, 0}, 0, 0, 0, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {32, 256, 0}, 0, 0, 0, 1, BW_LIMITED_BY_REGISTERS},
	/* 5 warps count as 8 against the registers of a block: 8 x 8192 is just all of them; 9 warps count as 12. */
	{"A100", {160, 255, 0}, 1, 5, 5.0 / 64, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {288, 255, 0}, 0, 0, 0, 1, BW_LIMITED_BY_REGISTERS},
	/* 49152 + 1024 = 50176; 167936 / 50176 = 3.3. */
	{"A100", {256, 0, 49152}, 3, 24, 0.375, 1, BW_LIMITED_BY_SHARED},
	{"A100", {256, 0, 49153}, 0, 0, 0, 1, BW_LIMITED_BY_SHARED},
	{"A100", {256, 0, INT64_MAX}, 0, 0, 0, 1, BW_LIMITED_BY_SHARED},
	/* 9472 + 1024 = 10496 = 167936 / 16; one byte more takes 128. */
	{"A100", {128, 0, 9472}, 16, 64, 1, 1, BW_LIMITED_BY_THREADS},
	{"A100", {128, 0, 9473}, 15, 60, 0.9375, 1, BW_LIMITED_BY_SHARED},
	/* 167936 / (30000 + 1024, rounded up to 31104) = 5.4, registers 4. */
	{"A100", {256, 64, 30000}, 4, 32, 0.5, 1, BW_LIMITED_BY_REGISTERS},
	/* Registers and shared memory allow 4 each: 40960 + 1024 = 41984 = 167936 / 4. */
	{"A100", {256, 64, 40960}, 4, 32, 0.5, 1, BW_LIMITED_BY_REGISTERS},
	{"V100", {256, 0, 12288}, 8, 64, 1, 1, BW_LIMITED_BY_THREADS},
	{"V100", {256, 0, 12289}, 7, 56, 0.875, 1, BW_LIMITED_BY_SHARED},
	{"V100", {256, 0, 49152}, 2, 16, 0.25, 1, BW_LIMITED_BY_SHARED},
	{"V100", {32, 0, 0}, 32, 32, 0.5, 1, BW_LIMITED_BY_BLOCKS},
	{"RTX2080Ti", {32, 0, 0}, 16, 16, 0.5, 1, BW_LIMITED_BY_BLOCKS},
	{"RTX2080Ti", {256, 0, 0}, 4, 32, 1, 1, BW_LIMITED_BY_THREADS},
	{"RTX2080Ti", {768, 0, 0}, 1, 24, 0.75, 1, BW_LIMITED_BY_THREADS},
	/* 64 x 32 = 2048; 32 warps by registers as by slots. */
	{"RTX2080Ti", {256, 64, 0}, 4, 32, 1, 1, BW_LIMITED_BY_THREADS},
	{"RTX2080Ti", {256, 65, 0}, 3, 24, 0.75, 1, BW_LIMITED_BY_REGISTERS},
	{"RTX2080Ti", {64, 0, 8192}, 8, 16, 0.5, 1, BW_LIMITED_BY_SHARED},
};

static void figures_by_hand(void **state)
{
	for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
		const struct by_hand *c = &by_hand[i];
		struct bw_occupancy found = bw_occupancy(find(state, c->device), &c->needs);
		if (found.blocks_per_sm != c->blocks || found.warps_per_sm != c->warps || found.limiter != c->limiter)
			fail_msg("case %zu: %lld blocks, %lld warps, limited by %s", i, (long long)found.blocks_per_sm, (long long)found.warps_per_sm, bw_limiter_name(found.limiter));
		assert_true(found.occupancy == c->occupancy);
		assert_true(found.lanes == c->lanes);
	}
}

static void limiters_have_names(void **state)
{
	(void)state;
	assert_string_equal(bw_limiter_name(BW_LIMITED_BY_THREADS), "threads");
	assert_string_equal(bw_limiter_name(BW_LIMITED_BY_BLOCKS), "blocks");
	assert_string_equal(bw_limiter_name(BW_LIMITED_BY_REGISTERS), "registers");
	assert_string_equal(bw_limiter_name(BW_LIMITED_BY_SHARED), "shared memory");
}

#ifdef HAVE_CALCULATOR
static const unsigned factors[BW_N_LIMITERS] = {
	[BW_LIMITED_BY_THREADS] = OCC_LIMIT_WARPS,
	[BW_LIMITED_BY_BLOCKS] = OCC_LIMIT_BLOCKS,
	[BW_LIMITED_BY_REGISTERS] = OCC_LIMIT_REGISTERS,
	[BW_LIMITED_BY_SHARED] = OCC_LIMIT_SHARED_MEMORY,
};

static struct cudaOccDeviceProp properties_of(const struct bw_device *device)
{
	return (struct cudaOccDeviceProp){
		.computeMajor = (int)device->capability / 10,
		.computeMinor = (int)device->capability % 10,
		.maxThreadsPerBlock = (int)device->threads_per_block,
		.maxThreadsPerMultiprocessor = (int)device->threads_per_sm,
		.regsPerBlock = (int)device->registers_per_block,
		.regsPerMultiprocessor = (int)device->registers_per_sm,
		.warpSize = (int)device->warp_size,
		.sharedMemPerBlock = (size_t)device->shared_per_block,
		.sharedMemPerMultiprocessor = (size_t)device->shared_per_sm,
		.numSms = (int)device->sms,
		.sharedMemPerBlockOptin = (size_t)device->shared_per_block,
		.reservedSharedMemPerBlock = (size_t)device->shared_reserved,
	};
}

static void compare(const struct bw_device *device, const struct bw_block_needs *needs)
{
	struct cudaOccDeviceProp properties = properties_of(device);
	struct cudaOccFuncAttributes attributes = {.maxThreadsPerBlock = 1 << 20, .numRegs = (int)needs->registers, .numBlockBarriers = 1};
	struct cudaOccDeviceState whole = {.cacheConfig = CACHE_PREFER_NONE, .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
	struct cudaOccResult expected = {0};
	if (cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &attributes, &whole, (int)needs->threads, (size_t)needs->shared_bytes) != CUDA_OCC_SUCCESS)
		fail_msg("the calculator does not know %s", device->name);
	struct bw_occupancy found = bw_occupancy(device, needs);
	if (found.blocks_per_sm != expected.activeBlocksPerMultiprocessor || !(expected.limitingFactors & factors[found.limiter]))
		fail_msg("%s, %lld threads of %lld registers, %lld bytes: %lld blocks by %s, expected %d by %#x", device->name, (long long)needs->threads, (long long)needs->registers, (long long)needs->shared_bytes,
			(long long)found.blocks_per_sm, bw_limiter_name(found.limiter), expected.activeBlocksPerMultiprocessor, expected.limitingFactors);
}

static void as_the_calculator_says(void **state)
{
	static const int64_t bytes[] = {0, 1, 128, 1000, 4096, 5119, 8192, 12288, 12289, 16000, 20480, 24576, 32768, 48128, 49151, 49152, 49153, 65536};
	struct records *records = *state;
	int compared = 0;
	for (int d = 0; d < records->n; d++)
		for (int64_t threads = 1; threads <= 1056 && records->list[d].api == BW_API_CUDA; threads += threads % 32 < 2 ? 1 : 30)
			for (int64_t registers = 0; registers <= 255; registers += registers < 60 ? 3 : 13)
				for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++, compared++)
					compare(&records->list[d], &(struct bw_block_needs){threads, registers, bytes[b]});
	assert_true(compared > 100000);
}
#else
static void as_the_calculator_says(void **state)
{
	(void)state;
	print_message("# no cuda_occupancy.h\n");
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_by_hand),
		cmocka_unit_test(limiters_have_names),
		cmocka_unit_test(as_the_calculator_says),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
