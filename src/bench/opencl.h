/* Queries of OpenCL: its devices. The library is opened at run time. */
#pragma once
#include <limits.h>

#include "bench/measurement.h"
#include "bench/present.h"

/* Appends the devices of all platforms. */
void bw_opencl_ask(struct bw_presents *devices);
/* Sets device, cpu and driver of the measurement from the device of a command queue. Leaves them unchanged if
 * the device cannot be queried. */
void bw_opencl_tell(void *queue, struct bw_measurement *measurement);

/* The functions and constants that are used from OpenCL's API (CL/cl.h). tests/bench/api.c compares them with
 * the real header. */

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

/* PoCL caches compiled kernels in files and does not check them. A damaged file fails, or computes wrong
 * results, as long as it exists. So each object has its own cache folder, which is removed if a run fails. */

/* The environment variable that names PoCL's cache folder. The worker has one folder, with a subfolder per
 * object. */
#define BW_POCL_VARIABLE "POCL_CACHE_DIR"

/* Writes the cache folder of an object, a subfolder of the worker's folder. object: the object's path or the
 * name of its content. Writes "" if the worker has no folder. Returns true if the subfolder already contains
 * something. */
bool bw_pocl_folder(const char *object, char folder[PATH_MAX]);
/* Removes the cache folder of an object with its contents. Returns false if the folder still exists. */
bool bw_pocl_forget(const char *folder);
/* Removes the empty files that PoCL leaves in a folder when it tests whether it can write there; NULL: the
 * worker's folder. */
void bw_pocl_tidy(const char *folder);
