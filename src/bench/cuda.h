/* Queries of CUDA: its devices, the resource use of compiled kernels, and clocks. The driver and NVML are
 * opened at run time. Call these functions in a child process that ends afterwards, because the driver does
 * not work after a fork. */
#pragma once

#include "bench/worker.h"

/* Appends the devices of the driver in the file `path`; NULL: the system's driver. */
void bw_cuda_ask(const char *path, struct bw_presents *devices);
/* Sets device, cpu and driver of the measurement from the device of the filter's context. */
void bw_cuda_tell(const struct bw_filter *filter, struct bw_measurement *measurement);
/* Returns the current clock of an SM in Hz. Returns 0 if NVML is missing or does not know the clock. */
double bw_cuda_clock(const struct bw_filter *filter);
/* Compiles the kernels of an object of the request once more, with the register limit that Halide's runtime
 * uses. Fills *uses with the driver's data on the kernels, and with their occupancy for the launches that the
 * request gives. On failure returns false with an error; then only the register limit in *uses is set. */
bool bw_cuda_kernels(const struct bw_filter *filter, const struct bw_request *request, int object,
		     struct bw_kernel_uses *uses, struct bw_error *error);

/* The functions and constants that are used from CUDA's driver API (cuda.h) and NVML (nvml.h).
 * tests/bench/api.c compares those of cuda.h with the real header. A result of 0 is success. */

typedef struct bw_cuda_context *bw_cuda_context;
typedef struct bw_cuda_module *bw_cuda_module;
typedef struct bw_cuda_function *bw_cuda_function;
typedef struct bw_cuda_event *bw_cuda_event;
typedef unsigned long long bw_cuda_address;
typedef struct bw_nvml_device *bw_nvml_device;

/* Field name, symbol in libcuda.so.1, type. Devices are numbers. */
#define BW_CUDA_TABLE(X) \
	X(init, "cuInit", int (*)(unsigned)) \
	X(error_text, "cuGetErrorString", int (*)(int, const char **)) \
	X(driver_version, "cuDriverGetVersion", int (*)(int *)) \
	X(device_count, "cuDeviceGetCount", int (*)(int *)) \
	X(device, "cuDeviceGet", int (*)(int *, int)) \
	X(device_name, "cuDeviceGetName", int (*)(char *, int, int)) \
	X(device_memory, "cuDeviceTotalMem_v2", int (*)(size_t *, int)) \
	X(device_attribute, "cuDeviceGetAttribute", int (*)(int *, int, int)) \
	X(device_bus, "cuDeviceGetPCIBusId", int (*)(char *, int, int)) \
	X(create, "cuCtxCreate_v2", int (*)(bw_cuda_context *, unsigned, int)) \
	X(destroy, "cuCtxDestroy_v2", int (*)(bw_cuda_context)) \
	X(synchronize, "cuCtxSynchronize", int (*)(void)) \
	X(push, "cuCtxPushCurrent_v2", int (*)(bw_cuda_context)) \
	X(pop, "cuCtxPopCurrent_v2", int (*)(bw_cuda_context *)) \
	X(current_device, "cuCtxGetDevice", int (*)(int *)) \
	X(load, "cuModuleLoadDataEx", int (*)(bw_cuda_module *, const void *, unsigned, int *, void **)) \
	X(unload, "cuModuleUnload", int (*)(bw_cuda_module)) \
	X(function, "cuModuleGetFunction", int (*)(bw_cuda_function *, bw_cuda_module, const char *)) \
	X(function_attribute, "cuFuncGetAttribute", int (*)(int *, int, bw_cuda_function)) \
	X(blocks_per_sm, "cuOccupancyMaxActiveBlocksPerMultiprocessor", int (*)(int *, bw_cuda_function, int, size_t)) \
	X(allocate, "cuMemAlloc_v2", int (*)(bw_cuda_address *, size_t)) \
	X(free, "cuMemFree_v2", int (*)(bw_cuda_address)) \
	X(fetch, "cuMemcpyDtoH_v2", int (*)(void *, bw_cuda_address, size_t)) \
	X(launch, "cuLaunchKernel", int (*)(bw_cuda_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **)) \
	X(event_create, "cuEventCreate", int (*)(bw_cuda_event *, unsigned)) \
	X(event_record, "cuEventRecord", int (*)(bw_cuda_event, void *)) \
	X(event_elapsed, "cuEventElapsedTime", int (*)(float *, bw_cuda_event, bw_cuda_event)) \
	X(event_destroy, "cuEventDestroy_v2", int (*)(bw_cuda_event))

/* Field name, symbol in libnvidia-ml.so.1, type. */
#define BW_NVML_TABLE(X) \
	X(init, "nvmlInit_v2", int (*)(void)) \
	X(driver_version, "nvmlSystemGetDriverVersion", int (*)(char *, unsigned)) \
	X(device, "nvmlDeviceGetHandleByPciBusId_v2", int (*)(const char *, bw_nvml_device *)) \
	X(clock, "nvmlDeviceGetClockInfo", int (*)(bw_nvml_device, int, unsigned *))
enum { BW_NVML_CLOCK_SM = 1 };

/* Constant of cuda.h without its CU_, value. */
#define BW_CUDA_CONSTANTS(X) \
	X(JIT_MAX_REGISTERS, 0) X(FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0) X(FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1) \
	X(FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3) X(FUNC_ATTRIBUTE_NUM_REGS, 4) X(DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
	X(DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) X(DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36) X(DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)
enum {
#define X(name, value) BW_CU_##name = value,
	BW_CUDA_CONSTANTS(X)
#undef X
};

/* Field of struct bw_device, name of the cuda.h attribute without CU_DEVICE_ATTRIBUTE_, value of that
 * constant, factor from the attribute's unit to the field's unit. */
#define BW_CUDA_FIGURES(X) \
	X(sms, MULTIPROCESSOR_COUNT, 16, 1) X(warp_size, WARP_SIZE, 10, 1) X(threads_per_block, MAX_THREADS_PER_BLOCK, 1, 1) \
	X(threads_per_sm, MAX_THREADS_PER_MULTIPROCESSOR, 39, 1) X(blocks_per_sm, MAX_BLOCKS_PER_MULTIPROCESSOR, 106, 1) \
	X(block_x, MAX_BLOCK_DIM_X, 2, 1) X(block_y, MAX_BLOCK_DIM_Y, 3, 1) X(block_z, MAX_BLOCK_DIM_Z, 4, 1) \
	X(grid_x, MAX_GRID_DIM_X, 5, 1) X(grid_y, MAX_GRID_DIM_Y, 6, 1) X(grid_z, MAX_GRID_DIM_Z, 7, 1) \
	X(registers_per_sm, MAX_REGISTERS_PER_MULTIPROCESSOR, 82, 1) X(registers_per_block, MAX_REGISTERS_PER_BLOCK, 12, 1) \
	X(shared_per_sm, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81, 1) X(shared_per_block, MAX_SHARED_MEMORY_PER_BLOCK, 8, 1) \
	X(shared_reserved, RESERVED_SHARED_MEMORY_PER_BLOCK, 111, 1) X(l2_bytes, L2_CACHE_SIZE, 38, 1) X(clock, CLOCK_RATE, 13, 1e3)

/* CUDA's driver and NVML, opened at run time. */

struct bw_cuda {
#define X(field, symbol, type) __typeof__((type)0) field;
	BW_CUDA_TABLE(X)
#undef X
	bool emulated; /* it is beamwalk's emulated driver, which runs kernels on the CPU */
};

struct bw_nvml {
#define X(field, symbol, type) __typeof__((type)0) field;
	BW_NVML_TABLE(X)
#undef X
	bw_nvml_device handle;
};

/* Opens the driver in the file `path`; NULL: the driver that is loaded already, or else the system's. Returns
 * false if there is no driver. Returns false and writes the reason to trouble if the driver does not work. */
bool bw_cuda_open(struct bw_cuda *cuda, const char *path, char *trouble, size_t size);
/* Loads beamwalk's emulated driver from the file `path`. Later calls of bw_cuda_open and Halide's runtime
 * then use this driver. */
void bw_cuda_emulate(const char *path);
/* Returns the emulated driver's message about its last failed call. Returns "" if the emulated driver is not
 * loaded or has no message. */
const char *bw_cuda_emulated_trouble(void);
/* Sets *copied to the number of bytes that were to be copied to the host. Sets *skipped to the number of
 * those that were not copied, because they depend on blocks that were not run. Returns false if the emulated
 * driver is not loaded. */
bool bw_cuda_emulated_skipped(uint64_t *skipped, uint64_t *copied);
/* Writes the driver's name, as in `NVIDIA 550.54.15, CUDA 12.4`. The CUDA version is the newest API version
 * that the driver supports. */
void bw_cuda_name_driver(const struct bw_cuda *cuda, char *driver, size_t size);
/* Fills the fields of a device record that the driver knows, and sets the others to NAN. */
void bw_cuda_figures(const struct bw_cuda *cuda, int device, struct bw_device *figures);
/* Opens NVML for a CUDA device. Returns false if NVML is missing or does not know the device. */
bool bw_nvml_open(const struct bw_cuda *cuda, int device, struct bw_nvml *nvml);
/* Returns the current clock of an SM in Hz. Returns 0 if NVML does not know it. */
double bw_nvml_clock(const struct bw_nvml *nvml);
