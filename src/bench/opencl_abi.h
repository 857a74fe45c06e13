/* The few functions and constants of OpenCL's API that are used, as CL/cl.h has them; tests/bench/api.c
 * compares. */
#ifndef BW_BENCH_OPENCL_ABI_H
#define BW_BENCH_OPENCL_ABI_H
#include <stddef.h>
#include <stdint.h>

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
#endif
