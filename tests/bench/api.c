/* src/bench/cuda.h and opencl.h against cuda.h and CL/cl.h where these are installed: constants, symbols, sizes of what is passed. */
#include <string.h>

#include "../core/test.h"
#include "bench/cuda.h"
#include "bench/opencl.h"

#if __has_include(<cuda.h>)
#include <cuda.h>
#define HAVE_CUDA 1
#endif
#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#define HAVE_OPENCL 1
#endif

#define QUOTE(name) #name
#define SYMBOL(name) QUOTE(name)

static void cuda(void **state)
{
#ifdef HAVE_CUDA
#define X(name, value) assert_int_equal(CU_##name, value);
	BW_CUDA_CONSTANTS(X)
#undef X
#define X(field, name, value, scale) assert_int_equal(CU_DEVICE_ATTRIBUTE_##name, value);
	BW_CUDA_FIGURES(X)
#undef X
	static const char *const ours[] = {
#define X(field, symbol, type) symbol,
		BW_CUDA_TABLE(X)
#undef X
	};
	static const char *const theirs[] = {
		SYMBOL(cuInit), SYMBOL(cuGetErrorString), SYMBOL(cuDriverGetVersion), SYMBOL(cuDeviceGetCount), SYMBOL(cuDeviceGet), SYMBOL(cuDeviceGetName), SYMBOL(cuDeviceTotalMem),
		SYMBOL(cuDeviceGetAttribute), SYMBOL(cuDeviceGetPCIBusId), "cuCtxCreate_v2", SYMBOL(cuCtxDestroy), SYMBOL(cuCtxSynchronize),
		SYMBOL(cuCtxPushCurrent), SYMBOL(cuCtxPopCurrent), SYMBOL(cuCtxGetDevice), SYMBOL(cuModuleLoadDataEx),
		SYMBOL(cuModuleUnload), SYMBOL(cuModuleGetFunction), SYMBOL(cuFuncGetAttribute), SYMBOL(cuOccupancyMaxActiveBlocksPerMultiprocessor),
		SYMBOL(cuMemAlloc), SYMBOL(cuMemFree), SYMBOL(cuMemcpyDtoH), SYMBOL(cuLaunchKernel),
		SYMBOL(cuEventCreate), SYMBOL(cuEventRecord), "cuEventElapsedTime", SYMBOL(cuEventDestroy),
	};
	assert_int_equal(sizeof ours, sizeof theirs);
	for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
		if (strcmp(ours[k], theirs[k]) != 0 && !(strncmp(ours[k], theirs[k], strlen(theirs[k])) == 0 && strcmp(theirs[k], "cuDeviceGetPCIBusId") == 0))
			fail_msg("%s, not %s", ours[k], theirs[k]);
	assert_int_equal(sizeof(CUresult), sizeof(int));
	assert_int_equal(sizeof(CUdevice), sizeof(int));
	assert_int_equal(sizeof(CUjit_option), sizeof(int));
	assert_int_equal(sizeof(CUdevice_attribute), sizeof(int));
	assert_int_equal(sizeof(CUfunction_attribute), sizeof(int));
	assert_int_equal(sizeof(CUdeviceptr), sizeof(bw_cuda_address));
	assert_int_equal(sizeof(CUcontext), sizeof(bw_cuda_context));
#else
	skip_because("no cuda.h");
#endif
}

static void opencl(void **state)
{
#ifdef HAVE_OPENCL
#define X(name, value) assert_int_equal(name, value);
	BW_OPENCL_CONSTANTS(X)
#undef X
	assert_int_equal(sizeof(cl_int), sizeof(int32_t));
	assert_int_equal(sizeof(cl_device_type), sizeof(uint64_t));
	assert_int_equal(sizeof(cl_device_info), sizeof(uint32_t));
#else
	skip_because("no header of OpenCL");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(cuda), cmocka_unit_test(opencl)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
