/* OpenCL as it is asked for devices; the library is opened at run time. */
#pragma once
#include <limits.h>

#include "bench/measurement.h"
#include "bench/present.h"

/* Appends the devices of all platforms. */
void bw_opencl_ask(struct bw_presents *devices);
/* Sets device, cpu and driver by the device behind a command queue; leaves them where it cannot be asked. */
void bw_opencl_tell(void *queue, struct bw_measurement *measurement);

/* The few functions and constants of OpenCL's API that are used, as CL/cl.h has them; tests/bench/api.c
 * compares. */

#define BW_OPENCL_TABLE(X) \
	X(clGetPlatformIDs, int32_t (*)(uint32_t, void **, uint32_t *)) \
	X(clGetPlatformInfo, int32_t (*)(void *, uint32_t, size_t, void *, size_t *)) \
	X(clGetDeviceIDs, int32_t (*)(void *, uint64_t, uint32_t, void **, uint32_t *)) \
	X(clGetDeviceInfo, int32_t (*)(void *, uint32_t, size_t, void *, size_t *)) \
	X(clGetCommandQueueInfo, int32_t (*)(void *, uint32_t, size_t, void *, size_t *))

#define BW_OPENCL_CONSTANTS(X) \
	X(CL_PLATFORM_NAME, 0x0902) X(CL_DEVICE_TYPE, 0x1000) X(CL_DEVICE_MAX_COMPUTE_UNITS, 0x1002) X(CL_DEVICE_MAX_WORK_GROUP_SIZE, 0x1004) \
	X(CL_DEVICE_MAX_WORK_ITEM_SIZES, 0x1005) X(CL_DEVICE_MAX_CLOCK_FREQUENCY, 0x100c) X(CL_DEVICE_GLOBAL_MEM_SIZE, 0x101f) \
	X(CL_DEVICE_LOCAL_MEM_SIZE, 0x1023) X(CL_DEVICE_NAME, 0x102b) X(CL_DRIVER_VERSION, 0x102d) X(CL_DEVICE_PLATFORM, 0x1031) \
	X(CL_DEVICE_PCI_BUS_INFO_KHR, 0x410f) X(CL_QUEUE_DEVICE, 0x1091) X(CL_DEVICE_TYPE_CPU, 2) X(CL_DEVICE_TYPE_ALL, 0xffffffff)
enum {
#define X(name, value) BW_##name = value,
	BW_OPENCL_CONSTANTS(X)
#undef X
};

/* PoCL keeps the kernels that it compiled in files, and trusts them: one that was cut or damaged fails, or
 * computes something else, as long as it is there. So each object has a folder of its own, which is removed
 * if a run does not end well. */

/* The variable by which PoCL is told its folder, which the worker has for all objects. */
#define BW_POCL_VARIABLE "POCL_CACHE_DIR"

/* Writes the folder in which PoCL keeps the kernels of the object of this name (a path or a content), inside
 * of the worker's. Empty if the worker has none. Returns true if something is kept there already. */
bool bw_pocl_folder(const char *object, char folder[PATH_MAX]);
/* Removes such a folder with all in it. Returns false if it is still there. */
bool bw_pocl_forget(const char *folder);
/* Removes the empty files that PoCL leaves in a folder each time that it looks whether it can write there;
 * NULL: the worker's own. */
void bw_pocl_tidy(const char *folder);
