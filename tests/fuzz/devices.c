/* Fuzzes reading device records, alone and over others. Whatever is accepted can be asked for the occupancy of any block, and is found by its
 * name. */
#include <math.h>
#include <string.h>

#include "gpu/device.h"
#include "target.h"

static void check_block(const struct bw_device *device, const struct bw_block_needs *needs)
{
	struct bw_occupancy found = bw_occupancy(device, needs);
	expect(found.blocks_per_sm >= 0 && found.blocks_per_sm <= (int64_t)device->blocks_per_sm, "an SM has as many blocks as it has slots for at most");
	expect(found.occupancy >= 0 && found.occupancy <= 1, "occupancy is a share");
	expect(found.lanes > 0 && found.lanes <= 1, "lanes are a share");
	expect(found.warps_per_sm <= (int64_t)device->warps_per_sm, "an SM has as many warps as it has slots for at most");
	expect(needs->threads <= (int64_t)device->threads_per_block || found.blocks_per_sm == 0, "what is too large does not fit");
	expect(bw_limiter_name(found.limiter)[0] != 0, "something limits");
}

static void check_device(const struct bw_device *device)
{
	static const int64_t values[] = {0, 1, 31, 32, 33, 255, 256, 1000, 1024, 48128, 49152, INT32_MAX, INT64_MAX};
	enum { N = sizeof values / sizeof *values };
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int l = 0; l < N; l++)
				check_block(device, &(struct bw_block_needs){values[i], values[k], values[l]});
#define X(field, key, unit, text) expect(isfinite(device->field) && device->field >= 0, key);
	BW_DEVICE_TABLE(X)
#undef X
}

static void check_devices(const struct bw_device *devices, int n)
{
	for (int i = 0; i < n; i++) {
		expect(bw_device_find(devices, n, devices[i].name) == &devices[i], "devices have different names");
		check_device(&devices[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_error error = {0};
	int n = -1;
	struct bw_device *devices = bw_devices_parse("fuzz", (const char *)bytes, length, &n, &error);
	if (!devices) {
		expect(error.kind == BW_ERROR_INPUT && !strncmp(error.text, "fuzz:", 5) && n == 0, "errors begin with the file");
		return 0;
	}
	check_devices(devices, n);
	int n_over;
	struct bw_device *over = bw_devices_parse_over(devices, n, "fuzz", (const char *)bytes, length, &n_over, &error);
	expect(over && n_over == n, "records over the same take their places");
	free(over);
	free(devices);
	return 0;
}
