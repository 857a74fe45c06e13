#include "bench/cuda.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/cuda_driver.h"
#include "bench/device_code.h"

/* Registers a thread that Halide's runtime has kernels compiled for where HL_CUDA_JIT_MAX_REGISTERS is not
 * set (src/runtime/cuda.cpp of Halide 14 to 21). */
enum { HALIDE_REGISTERS = 64 };

/* Writes the device's place on the bus as OpenCL's is written (opencl.c); CUDA has capital letters. */
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

/* Makes the context of the filter's runtime the current one, and creates it where there is none yet; to be
 * followed by leave(). */
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

/* The name of the next entry in the text of the kernels, from *at on; false after the last. */
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

/* Reads what the driver says of the kernels of the module, and how many blocks of each are resident as the
 * request says that `object` launches them. */
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
	struct bw_text ptx = {0};
	bw_cuda_module module = NULL;
	uses->register_limit = request->registers ? request->registers : HALIDE_REGISTERS;
	int option = BW_CU_JIT_MAX_REGISTERS;
	void *value = (void *)(uintptr_t)uses->register_limit;
	if (!bw_device_code_read(request->objects[object].path, BW_API_CUDA, &ptx, error) ||
	    !enter(filter, &cuda, error)) {
		bw_text_free(&ptx);
		return false;
	}
	int result = cuda.load(&module, bw_text_get(&ptx), 1, &option, &value);
	if (result == 0) {
		read_uses(&cuda, module, bw_text_get(&ptx), request, object, uses);
		cuda.unload(module);
	}
	leave(filter, &cuda);
	bw_text_free(&ptx);
	return result == 0 || bw_fail(error, BW_ERROR_DEVICE,
				      "CUDA's driver does not load the kernels again: error %d", result);
}
