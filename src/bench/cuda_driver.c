#include "bench/cuda_driver.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>

#include "bench/measurement.h"

/* The name under which libcuda.so.1 is found once it is loaded, from wherever that was. */
static const char driver_name[] = "libcuda.so.1";
/* A function that only the emulated driver has: it returns what the last call that failed has to say. */
static const char trouble_name[] = "beamwalk_emulator_trouble";

void bw_cuda_emulate(const char *path)
{
	dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

const char *bw_cuda_emulated_trouble(void)
{
	void *library = dlopen(driver_name, RTLD_NOW | RTLD_NOLOAD);
	const char *(*trouble)(void) = library ? (const char *(*)(void))dlsym(library, trouble_name) : NULL;
	const char *text = trouble ? trouble() : "";
	if (library)
		dlclose(library);
	return text;
}

bool bw_cuda_emulated_skipped(uint64_t *skipped, uint64_t *copied)
{
	void *library = dlopen(driver_name, RTLD_NOW | RTLD_NOLOAD);
	uint64_t (*unknown)(uint64_t *) =
	    library ? (uint64_t(*)(uint64_t *))dlsym(library, "beamwalk_emulator_unknown") : NULL;
	if (unknown)
		*skipped = unknown(copied);
	if (library)
		dlclose(library);
	return unknown;
}

bool bw_cuda_open(struct bw_cuda *cuda, const char *path, char *trouble, size_t size)
{
	void *library = dlopen(path ? path : driver_name, RTLD_NOW);
	if (!library)
		return false;
	cuda->emulated = dlsym(library, trouble_name) != NULL;
#define X(field, symbol, type) \
	if (!(cuda->field = (__typeof__((type)0))dlsym(library, symbol))) { \
		snprintf(trouble, size, "CUDA's driver is too old: it has no %s", symbol); \
		return false; \
	}
	BW_CUDA_TABLE(X)
#undef X
	int result = cuda->init(0);
	const char *text = NULL;
	if (result && (cuda->error_text(result, &text) || !text))
		text = "an unknown error";
	if (result)
		snprintf(trouble, size, "CUDA's driver is installed and says: %s", text);
	return result == 0;
}

static bool open_nvml(struct bw_nvml *nvml)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
	if (!library)
		return false;
#define X(field, symbol, type) \
	if (!(nvml->field = (__typeof__((type)0))dlsym(library, symbol))) \
		return false;
	BW_NVML_TABLE(X)
#undef X
	return nvml->init() == 0;
}

void bw_cuda_name_driver(const struct bw_cuda *cuda, char *driver, size_t size)
{
	struct bw_nvml nvml;
	char release[64] = "";
	int version = 0;
	cuda->driver_version(&version);
	if (cuda->emulated) {
		snprintf(driver, size, BW_EMULATED_DRIVER ", CUDA %d.%d", version / 1000, version % 1000 / 10);
		return;
	}
	if (open_nvml(&nvml) && nvml.driver_version(release, sizeof release))
		*release = 0;
	snprintf(driver, size, "NVIDIA%s%s, CUDA %d.%d", *release ? " " : "", release, version / 1000,
		 version % 1000 / 10);
}

/* An attribute of the device; NAN if the driver does not tell. */
static double attribute(const struct bw_cuda *cuda, int device, int what)
{
	int value = 0;
	return cuda->device_attribute(&value, what, device) ? (double)NAN : value;
}

void bw_cuda_figures(const struct bw_cuda *cuda, int device, struct bw_device *figures)
{
#define X(field, key, unit, text) figures->field = (double)NAN;
	BW_DEVICE_TABLE(X)
#undef X
	figures->api = BW_API_CUDA;
#define X(field, name, value, scale) figures->field = attribute(cuda, device, value) * (scale);
	BW_CUDA_FIGURES(X)
#undef X
	figures->warps_per_sm = figures->threads_per_sm / figures->warp_size;
	figures->capability = 10 * attribute(cuda, device, BW_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
			      attribute(cuda, device, BW_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
	/* Two transfers a clock: kHz of the memory's clock times the bits of its bus. */
	double transfers = 2e3 * attribute(cuda, device, BW_CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
	figures->global_bandwidth =
	    transfers * attribute(cuda, device, BW_CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
	if (!(figures->global_bandwidth > 0))
		figures->global_bandwidth = (double)NAN;
	if (!(figures->clock > 0))
		figures->clock = (double)NAN;
}

bool bw_nvml_open(const struct bw_cuda *cuda, int device, struct bw_nvml *nvml)
{
	char bus[32] = "";
	return cuda->device_bus(bus, sizeof bus, device) == 0 && open_nvml(nvml) &&
	       nvml->device(bus, &nvml->handle) == 0;
}

double bw_nvml_clock(const struct bw_nvml *nvml)
{
	unsigned mhz = 0;
	return nvml->clock(nvml->handle, BW_NVML_CLOCK_SM, &mhz) ? 0 : 1e6 * mhz;
}
