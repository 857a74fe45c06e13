/* A stand-in for CUDA's driver and for NVML where there is no GPU: enough for Halide's runtime and for the worker to go through all their steps. It
 * RUNS NO KERNEL: what it can show is that the steps are taken, and with which numbers; tests/gpu/campaign is for the real thing. Device memory is the
 * host's. STUB_CUDA=broken: no device is detected; sick: no kernel can be launched. STUB_LOG=FILE: the limits of registers that modules are loaded
 * with are appended there, and for each context that is destroyed, how many buffers and modules are left. STUB_FAIL="FUNCTION N": the Nth call of this
 * function fails, and after it all calls that can fail so, as after a kernel that crashed; STUB_ONCE="FUNCTION N": the Nth call alone fails.
 * STUB_HANG="FUNCTION N": it never returns. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAD_VALUE = 1, NO_DEVICE = 100, NOT_FOUND = 500, LAUNCH_FAILED = 719 };

struct module {
	char *image;
	int registers;
};
struct function {
	const struct module *module;
};
static int device_context, n_buffers, n_modules;

/* Whether a variable says `FUNCTION N`, and this is the Nth call of this function. */
static int is_call(const char *variable, const char *function, int call)
{
	char name[64];
	int n;
	const char *text = getenv(variable);
	return text && sscanf(text, "%63s %d", name, &n) == 2 && !strcmp(name, function) && n == call;
}

/* The result of a call that can fail. */
static int result_of(const char *function, int *calls)
{
	static int failed;
	++*calls;
	while (is_call("STUB_HANG", function, *calls))
		sleep(1);
	failed |= is_call("STUB_FAIL", function, *calls);
	return failed || is_call("STUB_ONCE", function, *calls) ? LAUNCH_FAILED : 0;
}
#define CAN_FAIL() \
	do { \
		static int calls; \
		int result = result_of(__func__, &calls); \
		if (result) \
			return result; \
	} while (0)

static void put_log(const char *what, int n)
{
	FILE *log = getenv("STUB_LOG") ? fopen(getenv("STUB_LOG"), "a") : NULL;
	if (!log)
		return;
	fprintf(log, "%s %d\n", what, n);
	fclose(log);
}

static int is(const char *ill)
{
	const char *how = getenv("STUB_CUDA");
	return how && strcmp(how, ill) == 0;
}

int cuInit(unsigned flags) { return flags ? BAD_VALUE : is("broken") ? NO_DEVICE : 0; }
int cuGetErrorString(int error, const char **text) { return *text = error == NO_DEVICE ? "no CUDA-capable device is detected" : error == LAUNCH_FAILED ? "unspecified launch failure" : "stub", 0; }
int cuGetErrorName(int error, const char **text) { return cuGetErrorString(error, text); }
int cuDriverGetVersion(int *version) { return *version = 12040, 0; }
int cuDeviceGetCount(int *n) { return *n = 2, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = 70 + ordinal, ordinal < 0 || ordinal > 1 ? BAD_VALUE : 0; }
int cuDeviceGetName(char *name, int size, int device) { return snprintf(name, (size_t)size, "%s", device == 70 ? "Stub GPU" : "NVIDIA A100-STUB"), 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = device ? 40000000000 : 0, 0; }
int cuDeviceTotalMem(size_t *bytes, int device) { return cuDeviceTotalMem_v2(bytes, device); }
int cuDeviceGetPCIBusId(char *bus, int size, int device) { return snprintf(bus, (size_t)size, "0000:%02d:00.0", device), 0; }

/* Two devices of capability 8.0, with 54 and 108 SMs; attributes by their numbers in cuda.h. */
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	static const int values[][2] = {{1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 49152}, {10, 32}, {12, 65536}, {13, 1410000},
	                                {36, 1215000}, {37, 5120}, {38, 41943040}, {39, 2048}, {75, 8}, {76, 0}, {81, 167936}, {82, 65536}, {106, 32}, {111, 1024}};
	if (attribute == 16)
		return *value = device == 70 ? 54 : 108, 0;
	for (size_t k = 0; k < sizeof values / sizeof *values; k++)
		if (values[k][0] == attribute)
			return *value = values[k][1], 0;
	return BAD_VALUE;
}

static int of_context;
int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
	CAN_FAIL();
	return of_context = device, *context = &device_context, flags ? BAD_VALUE : 0;
}

int cuCtxDestroy_v2(void *context)
{
	put_log("buffers left", n_buffers);
	put_log("modules left", n_modules);
	return context ? 0 : BAD_VALUE;
}

int cuCtxPushCurrent_v2(void *context) { return context == &device_context ? 0 : BAD_VALUE; }
int cuCtxPopCurrent_v2(void **context) { return *context = &device_context, 0; }
int cuCtxGetDevice(int *device) { return *device = of_context, 0; }
int cuCtxGetApiVersion(void *context, unsigned *version) { return *version = 12040, context ? 0 : BAD_VALUE; }
int cuCtxSynchronize(void)
{
	CAN_FAIL();
	return 0;
}

int cuStreamSynchronize(void *stream) { return stream ? BAD_VALUE : 0; }
int cuProfilerStop(void) { return 0; }

int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values)
{
	CAN_FAIL();
	struct module *made = calloc(1, sizeof *made);
	if (!strstr(image, ".version ") || n != 1 || options[0] != 0)
		return BAD_VALUE;
	made->image = strdup(image);
	made->registers = (int)(uintptr_t)values[0];
	put_log("registers", made->registers);
	n_modules++;
	*module = made;
	return 0;
}

int cuModuleLoadData(void **module, const void *image)
{
	return cuModuleLoadDataEx(module, image, 1, (int[]){0}, (void *[]){(void *)64});
}

int cuModuleUnload(void *module)
{
	n_modules--;
	free(((struct module *)module)->image);
	free(module);
	return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
	char entry[600];
	snprintf(entry, sizeof entry, ".entry %s(", name);
	if (!strstr(((struct module *)module)->image, entry))
		return NOT_FOUND;
	struct function *made = calloc(1, sizeof *made);
	made->module = module;
	*function = made;
	return 0;
}

int cuModuleGetGlobal(void **address, size_t *bytes, void *module, const char *name) { return *address = NULL, *bytes = 0, module && name ? NOT_FOUND : BAD_VALUE; }

/* Registers: the limit that the module was loaded with. */
int cuFuncGetAttribute(int *value, int attribute, void *function)
{
	*value = attribute == 4 ? ((struct function *)function)->module->registers : attribute == 3 ? 16 : attribute == 1 ? 128 : attribute == 0 ? 1024 : -7;
	return *value == -7 ? BAD_VALUE : 0;
}

/* Blocks that fit by the threads and the shared memory of an SM alone. */
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared)
{
	int by_threads = 2048 / threads, by_shared = shared ? (int)(167936 / shared) : by_threads;
	return *blocks = by_threads < by_shared ? by_threads : by_shared, function ? 0 : BAD_VALUE;
}

int cuMemAlloc_v2(void **address, size_t bytes)
{
	CAN_FAIL();
	n_buffers++;
	return *address = malloc(bytes + 1), 0;
}

int cuMemFree_v2(void *address)
{
	n_buffers--;
	return free(address), 0;
}

int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes), 0; }
int cuMemcpyDtoH_v2(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes), 0; }
int cuMemcpyDtoD_v2(void *to, const void *from, size_t bytes) { return memmove(to, from, bytes), 0; }
int cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream) { return memcpy(to, from, bytes), stream ? BAD_VALUE : 0; }
int cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t bytes, void *stream) { return memcpy(to, from, bytes), stream ? BAD_VALUE : 0; }
int cuMemcpyDtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream) { return memmove(to, from, bytes), stream ? BAD_VALUE : 0; }
int cuMemcpy3D_v2(const void *copy) { return copy ? BAD_VALUE : 0; }
int cuPointerGetAttribute(void *result, int query, void *address) { return *(void **)result = &device_context, query && address ? 0 : BAD_VALUE; }
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz, unsigned shared, void *stream, void **parameters, void **extra)
{
	CAN_FAIL();
	if (is("sick"))
		return LAUNCH_FAILED;
	return function && x && y && z && tx * ty * tz <= 1024 && shared <= 49152 && !stream && parameters && !extra ? 0 : BAD_VALUE;
}

int cuEventCreate(void **event, unsigned flags) { return *event = &device_context, flags ? BAD_VALUE : 0; }
int cuEventRecord(void *event, void *stream) { return event && !stream ? 0 : BAD_VALUE; }
int cuEventElapsedTime(float *ms, void *begin, void *end) { return *ms = 0.5F, begin && end ? 0 : BAD_VALUE; }
int cuEventDestroy_v2(void *event) { return event ? 0 : BAD_VALUE; }

int nvmlInit_v2(void) { return 0; }
int nvmlSystemGetDriverVersion(char *version, unsigned size) { return snprintf(version, size, "550.54.15"), 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device) { return *device = (void *)bus, strncmp(bus, "0000:7", 6) != 0; }
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz) { return *mhz = device && type == 1 ? 1380 : 0, 0; }
