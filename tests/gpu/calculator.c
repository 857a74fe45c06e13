#include "calculator.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

bool calculator_there(void)
{
	return true;
}

static bool calculate(const struct bw_device *device, const struct bw_block_needs *needs, struct cudaOccResult *result)
{
	struct cudaOccDeviceProp properties = {
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
	struct cudaOccFuncAttributes attributes = {.maxThreadsPerBlock = 1 << 20, .numRegs = (int)needs->registers, .numBlockBarriers = 1};
	struct cudaOccDeviceState whole = {.cacheConfig = CACHE_PREFER_NONE, .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
	return cudaOccMaxActiveBlocksPerMultiprocessor(result, &properties, &attributes, &whole, (int)needs->threads, (size_t)needs->shared_bytes) == CUDA_OCC_SUCCESS;
}

bool calculator_blocks(const struct bw_device *device, const struct bw_block_needs *needs, enum bw_limiter limiter, int64_t *blocks, bool *limits)
{
	static const unsigned factors[BW_N_LIMITERS] = {
		[BW_LIMITED_BY_THREADS] = OCC_LIMIT_WARPS,
		[BW_LIMITED_BY_BLOCKS] = OCC_LIMIT_BLOCKS,
		[BW_LIMITED_BY_REGISTERS] = OCC_LIMIT_REGISTERS,
		[BW_LIMITED_BY_SHARED] = OCC_LIMIT_SHARED_MEMORY,
	};
	struct cudaOccResult result;
	if (!calculate(device, needs, &result))
		return false;
	*blocks = result.activeBlocksPerMultiprocessor;
	*limits = result.limitingFactors & factors[limiter];
	return true;
}

/* Runs of equal numbers, as `FIRST-LAST:NUMBER`. */
static void put_runs(const int *numbers, int first, int last, struct bw_text *out)
{
	for (int i = first, end; i <= last; i = end) {
		for (end = i; end <= last && numbers[end] == numbers[i]; end++)
			;
		bw_text_printf(out, " %d-%d:", i, end - 1);
		if (numbers[i] == INT_MAX)
			bw_text_puts(out, "-");
		else
			bw_text_printf(out, "%d", numbers[i]);
	}
}

static bool put_slots(const struct bw_device *device, struct bw_text *out)
{
	static int warps[MOST_THREADS + 1], blocks[MOST_THREADS + 1];
	for (int t = 1; t <= MOST_THREADS; t++) {
		struct cudaOccResult result;
		if (!calculate(device, &(struct bw_block_needs){t, 0, 0}, &result))
			return false;
		warps[t] = result.blockLimitWarps;
		blocks[t] = result.blockLimitBlocks;
	}
	bw_text_puts(out, " warps:");
	put_runs(warps, 1, MOST_THREADS, out);
	bw_text_puts(out, "\n blocks:");
	put_runs(blocks, 1, MOST_THREADS, out);
	bw_text_puts(out, "\n");
	return true;
}

static bool put_registers_of(const struct bw_device *device, int threads, struct bw_text *out)
{
	static int blocks[MOST_REGISTERS + 1];
	for (int r = 0; r <= MOST_REGISTERS; r++) {
		struct cudaOccResult result;
		if (!calculate(device, &(struct bw_block_needs){threads, r, 0}, &result))
			return false;
		blocks[r] = result.blockLimitRegs;
	}
	put_runs(blocks, 0, MOST_REGISTERS, out);
	return true;
}

/* Threads that have the same runs of registers are one line. */
static bool put_registers(const struct bw_device *device, struct bw_text *out)
{
	struct bw_text runs = {0}, next = {0};
	bool good = put_registers_of(device, 1, &runs);
	for (int first = 1, t = 2; t <= MOST_THREADS + 1 && good; t++) {
		bw_text_clear(&next);
		if (t <= MOST_THREADS)
			good = put_registers_of(device, t, &next);
		if (!strcmp(bw_text_get(&runs), bw_text_get(&next)))
			continue;
		bw_text_printf(out, " %d-%d:%s\n", first, t - 1, bw_text_get(&runs));
		bw_text_clear(&runs);
		bw_text_puts(&runs, bw_text_get(&next));
		first = t;
	}
	bw_text_free(&runs);
	bw_text_free(&next);
	return good;
}

static bool put_shared(const struct bw_device *device, struct bw_text *out)
{
	static int blocks[MOST_SHARED + 1];
	for (int b = 0; b <= MOST_SHARED; b++) {
		struct cudaOccResult result;
		if (!calculate(device, &(struct bw_block_needs){1, 0, b}, &result))
			return false;
		blocks[b] = result.blockLimitSharedMem;
	}
	bw_text_puts(out, " all:");
	put_runs(blocks, 0, MOST_SHARED, out);
	bw_text_puts(out, "\n");
	return true;
}

/* A section for each set of records that have it alike. */
static bool put_sections(const char *kind, bool (*put)(const struct bw_device *, struct bw_text *), const struct bw_device *devices, int n_devices, struct bw_text *out)
{
	struct bw_text *sections = calloc((size_t)n_devices, sizeof *sections);
	bool good = sections != NULL;
	for (int d = 0; d < n_devices && good; d++)
		good = devices[d].api != BW_API_CUDA || put(&devices[d], &sections[d]);
	for (int d = 0; d < n_devices && good; d++) {
		if (!sections[d].length)
			continue;
		bw_text_printf(out, "%s %s", kind, devices[d].name);
		for (int e = d + 1; e < n_devices; e++)
			if (!strcmp(bw_text_get(&sections[d]), bw_text_get(&sections[e]))) {
				bw_text_printf(out, " %s", devices[e].name);
				bw_text_free(&sections[e]);
			}
		bw_text_printf(out, "\n%s", bw_text_get(&sections[d]));
	}
	for (int d = 0; d < n_devices && sections; d++)
		bw_text_free(&sections[d]);
	free(sections);
	return good;
}

bool calculator_table(const struct bw_device *devices, int n_devices, struct bw_text *out)
{
	return put_sections("slots", put_slots, devices, n_devices, out) && put_sections("registers", put_registers, devices, n_devices, out) && put_sections("shared", put_shared, devices, n_devices, out);
}
#else
bool calculator_there(void)
{
	return false;
}

bool calculator_blocks(const struct bw_device *device, const struct bw_block_needs *needs, enum bw_limiter limiter, int64_t *blocks, bool *limits)
{
	(void)device, (void)needs, (void)limiter, (void)blocks, (void)limits;
	return false;
}

bool calculator_table(const struct bw_device *devices, int n_devices, struct bw_text *out)
{
	(void)devices, (void)n_devices, (void)out;
	return false;
}
#endif
