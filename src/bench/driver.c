/* Drivers: which devices there are, which of them a filter runs on, and what Halide's runtime is told to use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cuda.h"
#include "bench/cuda_driver.h"
#include "bench/opencl.h"
#include "bench/worker.h"

/* The processor, as the kernel calls it. */
static void processor(char *name, size_t size)
{
	snprintf(name, size, "%s", "CPU");
	FILE *file = fopen("/proc/cpuinfo", "re");
	if (!file)
		return;
	char line[512];
	while (fgets(line, sizeof line, file)) {
		char *colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
		name[strcspn(name, "\n")] = 0;
		break;
	}
	fclose(file);
}

static void tell_opencl(const struct bw_filter *filter, struct bw_measurement *measurement)
{
	void *context = NULL, *queue = NULL;
	if (filter->acquire_cl_context(NULL, &context, &queue, false) == 0 && queue)
		bw_opencl_tell(queue, measurement);
	filter->release_cl_context(NULL);
}

void bw_filter_device(const struct bw_filter *filter, struct bw_measurement *measurement)
{
	measurement->cpu = !filter->device_interface;
	if (measurement->cpu) {
		processor(measurement->device, sizeof measurement->device);
		return;
	}
	snprintf(measurement->device, sizeof measurement->device, "%s", "GPU");
	if (filter->api == BW_API_CUDA)
		bw_cuda_tell(filter, measurement);
	else if (filter->acquire_cl_context && filter->release_cl_context)
		tell_opencl(filter, measurement);
}

static bool has_emulated(const struct bw_presents *devices)
{
	for (int k = 0; k < devices->n; k++)
		if (devices->list[k].device.api == BW_API_CUDA && devices->list[k].device.cpu)
			return true;
	return false;
}

void bw_drivers_ask(const char *emulator, struct bw_presents *devices)
{
	*devices = (struct bw_presents){0};
	bw_cuda_ask(NULL, devices);
	bw_opencl_ask(devices);
	if (emulator && !has_emulated(devices))
		bw_cuda_ask(emulator, devices);
}

void bw_environment_set(const struct bw_request *request, const struct bw_present *device,
			const char *emulator, int counts)
{
	char number[16], path[40];
	if (emulator && device && device->device.api == BW_API_CUDA && device->device.cpu) {
		bw_cuda_emulate(emulator);
		setenv("BEAMWALK_EMULATOR_QUIET", "1", 1);
		snprintf(path, sizeof path, "/proc/self/fd/%d", counts);
		if (counts >= 0)
			setenv("BEAMWALK_EMULATOR_REPORT", path, 1);
		if (*request->emulation.check)
			setenv("BEAMWALK_EMULATOR_CHECK", request->emulation.check, 1);
	}
	if (device) {
		snprintf(number, sizeof number, "%d", device->ordinal);
		setenv("HL_GPU_DEVICE", number, 1);
	}
	if (device && device->device.api == BW_API_OPENCL) {
		setenv("HL_OCL_PLATFORM_NAME", device->platform, 1);
		setenv("HL_OCL_DEVICE_TYPE", device->device.cpu ? "cpu" : "gpu", 1);
	}
	if (request->registers) {
		snprintf(number, sizeof number, "%d", request->registers);
		setenv("HL_CUDA_JIT_MAX_REGISTERS", number, 1);
	}
}
