#include "bench/cuda.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "bench/device_code.h"

/* The name by which libcuda.so.1 is found once it is loaded, from any path. */
static const char driver_name[] = "libcuda.so.1";
/* A function that only the emulated driver has. It returns the message of the last failed call. */
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

/* Returns an attribute of the device. Returns NAN if the driver does not know it. */
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
	/* Two transfers per clock: the memory clock in kHz times the bus width in bits. */
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

/* Registers per thread to which Halide's runtime limits kernels if HL_CUDA_JIT_MAX_REGISTERS is not set
 * (src/runtime/cuda.cpp of Halide 14 to 21). */
enum { HALIDE_REGISTERS = 64 };

/* Writes the device's bus address in the same form as for OpenCL (opencl.c). CUDA uses capital letters. */
static void tell_bus(const struct bw_cuda *cuda, int device, char *bus, size_t size)
{
	unsigned domain, number, slot, function;
	char text[32] = "";
	if (cuda->device_bus(text, sizeof text, device) == 0 &&
	    sscanf(text, "%x:%x:%x.%x", &domain, &number, &slot, &function) == 4)
		snprintf(bus, size, "%04x:%02x:%02x.%x", domain, number, slot, function);
}

static void tell_device(const struct bw_cuda *cuda, int ordinal, struct bw_present *present)
{
	int device = 0;
	size_t memory = 0;
	*present = (struct bw_present){.name = "CUDA device", .ordinal = ordinal};
	if (cuda->device(&device, ordinal))
		return;
	bw_cuda_figures(cuda, device, &present->device);
	present->device.cpu = cuda->emulated;
	cuda->device_name(present->name, sizeof present->name, device);
	memcpy(present->device.name, present->name, sizeof present->device.name - 1);
	present->memory = cuda->device_memory(&memory, device) ? (double)NAN : (double)memory;
	bw_cuda_name_driver(cuda, present->driver, sizeof present->driver);
	tell_bus(cuda, device, present->bus, sizeof present->bus);
}

void bw_cuda_ask(const char *path, struct bw_presents *devices)
{
	struct bw_cuda cuda;
	int n = 0;
	if (!bw_cuda_open(&cuda, path, devices->trouble, sizeof devices->trouble))
		return;
	cuda.device_count(&n);
	for (int k = 0; k < n && devices->n < BW_MOST_PRESENT; k++)
		tell_device(&cuda, k, &devices->list[devices->n++]);
}

/* Makes the context of the filter's runtime current. Creates the context if there is none yet. Call leave()
 * afterwards. */
static bool enter(const struct bw_filter *filter, struct bw_cuda *cuda, struct bw_error *error)
{
	char trouble[256] = "CUDA's driver is not there";
	void *context = NULL;
	if (!filter->acquire_cuda_context || !bw_cuda_open(cuda, NULL, trouble, sizeof trouble))
		return bw_fail(error, BW_ERROR_DEVICE, "%s", trouble);
	if (filter->acquire_cuda_context(NULL, &context, true) || !context || cuda->push(context))
		return bw_fail(error, BW_ERROR_DEVICE, "Halide's runtime has no CUDA context");
	return true;
}

static void leave(const struct bw_filter *filter, const struct bw_cuda *cuda)
{
	bw_cuda_context context;
	cuda->pop(&context);
	if (filter->release_cuda_context)
		filter->release_cuda_context(NULL);
}

void bw_cuda_tell(const struct bw_filter *filter, struct bw_measurement *measurement)
{
	struct bw_cuda cuda;
	int device = 0;
	if (!enter(filter, &cuda, NULL))
		return;
	measurement->cpu = cuda.emulated;
	if (cuda.current_device(&device) == 0)
		cuda.device_name(measurement->device, sizeof measurement->device, device);
	bw_cuda_name_driver(&cuda, measurement->driver, sizeof measurement->driver);
	leave(filter, &cuda);
}

double bw_cuda_clock(const struct bw_filter *filter)
{
	struct bw_cuda cuda;
	struct bw_nvml nvml;
	int device = 0;
	if (!enter(filter, &cuda, NULL))
		return 0;
	bool good = cuda.current_device(&device) == 0 && bw_nvml_open(&cuda, device, &nvml);
	leave(filter, &cuda);
	return good ? bw_nvml_clock(&nvml) : 0;
}

/* Finds the name of the next entry in the text of the kernels, from *at on. Returns false after the last
 * one. */
static bool next_entry(const char **at, char *name, size_t size)
{
	static const char mark[] = ".entry";
	const char *found = strstr(*at, mark);
	if (!found)
		return false;
	found += sizeof mark - 1;
	found += strspn(found, " \t\r\n");
	size_t length = strcspn(found, " \t\r\n(");
	snprintf(name, size, "%.*s", (int)length, found);
	*at = found + length;
	return true;
}

static int function_attribute(const struct bw_cuda *cuda, bw_cuda_function function, int what)
{
	int value = 0;
	return cuda->function_attribute(&value, what, function) ? -1 : value;
}

/* Reads the driver's data on the module's kernels. Computes the occupancy of each kernel for the launch that
 * the request gives for `object`. */
static void read_uses(const struct bw_cuda *cuda, bw_cuda_module module, const char *ptx,
		      const struct bw_request *request, int object, struct bw_kernel_uses *uses)
{
	char name[512];
	while (uses->n < BW_MOST_KERNELS && next_entry(&ptx, name, sizeof name)) {
		struct bw_kernel_use *use = &uses->list[uses->n++];
		bw_cuda_function function;
		*use = BW_KERNEL_UNKNOWN;
		snprintf(use->name, sizeof use->name, "%s", name);
		if (cuda->function(&function, module, name))
			continue;
		use->registers = function_attribute(cuda, function, BW_CU_FUNC_ATTRIBUTE_NUM_REGS);
		use->local_bytes = function_attribute(cuda, function, BW_CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
		use->shared_bytes = function_attribute(cuda, function, BW_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
		use->block_threads = function_attribute(cuda, function, BW_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
		int threads, shared, blocks;
		if (bw_request_launch(request, object, name, &threads, &shared) &&
		    cuda->blocks_per_sm(&blocks, function, threads, (size_t)shared) == 0)
			use->blocks_per_sm = blocks;
	}
}

bool bw_cuda_kernels(const struct bw_filter *filter, const struct bw_request *request, int object,
		     struct bw_kernel_uses *uses, struct bw_error *error)
{
	struct bw_cuda cuda;
	BW_SCOPED_TEXT ptx = {0};
	bw_cuda_module module = NULL;
	uses->register_limit = request->registers ? request->registers : HALIDE_REGISTERS;
	int option = BW_CU_JIT_MAX_REGISTERS;
	void *value = (void *)(uintptr_t)uses->register_limit;
	if (!bw_device_code_read(request->objects[object].path, BW_API_CUDA, &ptx, error) ||
	    !enter(filter, &cuda, error)) {
		return false;
	}
	int result = cuda.load(&module, bw_text_get(&ptx), 1, &option, &value);
	if (result == 0) {
		read_uses(&cuda, module, bw_text_get(&ptx), request, object, uses);
		cuda.unload(module);
	}
	leave(filter, &cuda);
	return result == 0 || bw_fail(error, BW_ERROR_DEVICE,
				      "CUDA's driver does not load the kernels again: error %d", result);
}
