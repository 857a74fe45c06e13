/* CUDA's driver interface in front of the interpreter, as far as Halide's runtime (14 to 21) and
 * beamwalk-bench call it. Device memory is memory of the host, and a launch has ended when cuLaunchKernel
 * returns. After a kernel has failed, every call that needs the context fails in the same way, as with CUDA;
 * cuGetErrorString then tells the kernel, block, thread and instruction of the failure. Environment:
 *
 *   BEAMWALK_EMULATOR_THREADS   threads of the host (default: one per processor)
 *   BEAMWALK_EMULATOR_STEPS     most instructions that a warp may run (default 1000000000)
 *   BEAMWALK_EMULATOR_WHOLE     most thread instructions of a launch that runs whole, as estimated from a
 *                               sample of its blocks (default 2000000000)
 *   BEAMWALK_EMULATOR_LEAST     1: run only as few blocks as the kinds of blocks need
 *   BEAMWALK_EMULATOR_CHECK     errors to look for: race, bounds, init, separated by commas
 *   BEAMWALK_EMULATOR_COUNTERS  file to which a line with the counters of each launch is appended
 *   BEAMWALK_EMULATOR_QUIET     write nothing to standard error */
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "emulator/launch.h"

#define EXPORT __attribute__((visibility("default")))

enum { MOST_CONTEXTS = 16, ONLY_DEVICE = 0, DRIVER_VERSION = 12040 };

struct context {
	int alive;
};
struct module {
	struct bw_ptx *ptx;
};

/* A driver has one state for the whole process, behind one lock. */
static struct {
	pthread_mutex_t lock;
	struct bw_memory memory;
	struct context contexts[MOST_CONTEXTS];
	struct bw_checks checks;
	bool started;
	/* bytes copied to the host; bytes requested but unknown, because they depend on blocks that did not
	 * run */
	uint64_t copied, unknown;
	int failed; /* error code of a failed kernel; 0: none failed */
	char text[BW_FAULT_TEXT + 40];
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Contexts that were pushed by this thread; the last one is current. */
static _Thread_local struct {
	struct context *list[MOST_CONTEXTS];
	int n;
} pushed;

static long setting(const char *name, long otherwise)
{
	const char *text = getenv(name);
	char *end;
	long value = text ? strtol(text, &end, 10) : 0;
	return text && *text && !*end && value > 0 ? value : otherwise;
}

/* Records a text about why a call fails. Returns the error code. */
static int complain(int code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(driver.text, sizeof driver.text, format, arguments);
	va_end(arguments);
	if (!getenv("BEAMWALK_EMULATOR_QUIET"))
		fprintf(stderr, "beamwalk's emulated device: %s\n", driver.text);
	return code;
}

static struct context *current(void)
{
	return pushed.n ? pushed.list[pushed.n - 1] : NULL;
}

/* Takes the lock for a call that needs a working context. Returns 0. If there is no such context, returns
 * an error code and does not hold the lock. */
static int enter(void)
{
	if (!driver.started)
		return BW_CODE_NOT_INITIALIZED;
	pthread_mutex_lock(&driver.lock);
	int code = driver.failed ? driver.failed : !current() || !current()->alive ? BW_CODE_INVALID_CONTEXT : 0;
	if (code)
		pthread_mutex_unlock(&driver.lock);
	return code;
}

static int leave(int code)
{
	pthread_mutex_unlock(&driver.lock);
	return code;
}

EXPORT int cuInit(unsigned flags)
{
	if (flags)
		return BW_CODE_INVALID_VALUE;
	pthread_mutex_lock(&driver.lock);
	long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
	uint64_t host = pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 2 : BW_DEVICE_MEMORY;
	driver.memory.most_bytes = host < BW_DEVICE_MEMORY ? host : BW_DEVICE_MEMORY;
	const char *checks = getenv("BEAMWALK_EMULATOR_CHECK");
	driver.checks.what = checks ? bw_check_read(checks) : 0;
	driver.memory.has_cells = driver.checks.what & BW_CHECK_CELLS;
	driver.started = true;
	return leave(0);
}

EXPORT int cuGetErrorName(int error, const char **text)
{
	*text = bw_code_name(error);
	return *text ? 0 : BW_CODE_INVALID_VALUE;
}

EXPORT int cuGetErrorString(int error, const char **text)
{
	*text = error && *driver.text && (error == driver.failed || !driver.failed) ? driver.text
										    : bw_code_text(error);
	return *text ? 0 : BW_CODE_INVALID_VALUE;
}

/* Identifies this library as the emulator. Returns the message of the last failed call; empty if none
 * failed. */
EXPORT const char *beamwalk_emulator_trouble(void)
{
	return driver.text;
}

/* Returns the number of bytes not copied to the host because they depend on blocks that were not run,
 * and in *copied the number of bytes requested. */
EXPORT uint64_t beamwalk_emulator_unknown(uint64_t *copied)
{
	*copied = driver.copied;
	return driver.unknown;
}

EXPORT int cuDriverGetVersion(int *version) { return *version = DRIVER_VERSION, 0; }
EXPORT int cuDeviceGetCount(int *n) { return *n = 1, driver.started ? 0 : BW_CODE_NOT_INITIALIZED; }
EXPORT int cuDeviceGet(int *device, int ordinal)
{
	return *device = ONLY_DEVICE, ordinal ? BW_CODE_INVALID_DEVICE : 0;
}
EXPORT int cuDeviceGetName(char *name, int size, int device)
{
	return snprintf(name, (size_t)size, "%s", BW_DEVICE_NAME), device ? BW_CODE_INVALID_DEVICE : 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	return *bytes = driver.memory.most_bytes, device ? BW_CODE_INVALID_DEVICE : 0;
}
EXPORT int cuDeviceTotalMem(size_t *bytes, int device) { return cuDeviceTotalMem_v2(bytes, device); }
EXPORT int cuDeviceGetPCIBusId(char *bus, int size, int device)
{
	return snprintf(bus, (size_t)size, "0000:00:00.0"), device ? BW_CODE_INVALID_DEVICE : 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	if (device)
		return BW_CODE_INVALID_DEVICE;
	return bw_device_attribute(attribute, value) ? 0 : BW_CODE_INVALID_VALUE;
}

EXPORT int cuCtxPushCurrent_v2(void *context)
{
	if (!context || pushed.n == MOST_CONTEXTS)
		return BW_CODE_INVALID_CONTEXT;
	pushed.list[pushed.n++] = context;
	return 0;
}

EXPORT int cuCtxPopCurrent_v2(void **context)
{
	if (!pushed.n)
		return BW_CODE_INVALID_CONTEXT;
	pushed.n--;
	if (context)
		*context = pushed.list[pushed.n];
	return 0;
}

EXPORT int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
	if (!driver.started)
		return BW_CODE_NOT_INITIALIZED;
	if (device)
		return BW_CODE_INVALID_DEVICE;
	(void)flags;
	const char *checks = getenv("BEAMWALK_EMULATOR_CHECK");
	if (checks && *checks && !driver.checks.what)
		return complain(
		    BW_CODE_INVALID_VALUE,
		    "BEAMWALK_EMULATOR_CHECK: race, bounds, init with commas between are expected, not %s",
		    checks);
	pthread_mutex_lock(&driver.lock);
	for (int k = 0; k < MOST_CONTEXTS; k++) {
		if (driver.contexts[k].alive)
			continue;
		driver.contexts[k].alive = 1;
		*context = &driver.contexts[k];
		return leave(cuCtxPushCurrent_v2(*context));
	}
	return leave(BW_CODE_OUT_OF_MEMORY);
}

EXPORT int cuCtxDestroy_v2(void *context)
{
	struct context *one = context;
	if (!one || !one->alive)
		return BW_CODE_INVALID_CONTEXT;
	pthread_mutex_lock(&driver.lock);
	one->alive = 0;
	driver.failed = 0;
	if (current() == one)
		pushed.n--;
	bool left = false;
	for (int k = 0; k < MOST_CONTEXTS; k++)
		left |= driver.contexts[k].alive != 0;
	if (!left) {
		struct bw_memory empty = {.most_bytes = driver.memory.most_bytes, .has_cells = driver.memory.has_cells};
		bw_memory_end(&driver.memory);
		driver.memory = empty;
	}
	return leave(0);
}

EXPORT int cuCtxGetDevice(int *device)
{
	return *device = ONLY_DEVICE, current() ? 0 : BW_CODE_INVALID_CONTEXT;
}
EXPORT int cuCtxGetCurrent(void **context) { return *context = current(), 0; }
EXPORT int cuCtxSetCurrent(void *context)
{
	if (pushed.n)
		pushed.n--;
	return context ? cuCtxPushCurrent_v2(context) : 0;
}
EXPORT int cuCtxGetApiVersion(void *context, unsigned *version)
{
	return *version = DRIVER_VERSION, context ? 0 : BW_CODE_INVALID_CONTEXT;
}
EXPORT int cuCtxSynchronize(void)
{
	int code = enter();
	return code ? code : leave(0);
}
EXPORT int cuStreamSynchronize(void *stream) { return (void)stream, cuCtxSynchronize(); }
/* An event is the time at which it was recorded. This is enough because a launch ends before cuLaunchKernel
 * returns. */
EXPORT int cuEventCreate(void **event, unsigned flags)
{
	(void)flags;
	*event = calloc(1, sizeof(struct timespec));
	return *event ? 0 : BW_CODE_OUT_OF_MEMORY;
}
EXPORT int cuEventRecord(void *event, void *stream)
{
	(void)stream;
	return event && !clock_gettime(CLOCK_MONOTONIC, event) ? 0 : BW_CODE_INVALID_HANDLE;
}
EXPORT int cuEventElapsedTime(float *ms, void *begin, void *end)
{
	const struct timespec *from = begin, *to = end;
	if (!from || !to)
		return BW_CODE_INVALID_HANDLE;
	*ms = (float)(1e3 * (double)(to->tv_sec - from->tv_sec) + 1e-6 * (double)(to->tv_nsec - from->tv_nsec));
	return 0;
}
EXPORT int cuEventDestroy_v2(void *event)
{
	free(event);
	return 0;
}
EXPORT int cuProfilerStop(void) { return 0; }

/* The options of module loading that the emulator uses. */
struct options {
	char *log;
	size_t log_bytes;
};

static struct options read_options(unsigned n, const int *names, void **values)
{
	enum { ERROR_LOG_BUFFER = 5, ERROR_LOG_BYTES = 6 };
	struct options options = {0};
	for (unsigned k = 0; k < n; k++) {
		if (names[k] == ERROR_LOG_BUFFER)
			options.log = values[k];
		else if (names[k] == ERROR_LOG_BYTES)
			options.log_bytes = (size_t)(uintptr_t)values[k];
	}
	return options;
}

static int load(struct module **loaded, const char *image, const struct options *options)
{
	static const int codes[] = {[BW_PTX_INVALID] = BW_CODE_INVALID_PTX,
				    [BW_PTX_TOO_NEW] = BW_CODE_UNSUPPORTED_PTX,
				    [BW_PTX_NO_MEMORY] = BW_CODE_OUT_OF_MEMORY};
	struct module *module = calloc(1, sizeof *module);
	char complaint[300] = "";
	if (!module)
		return BW_CODE_OUT_OF_MEMORY;
	enum bw_ptx_result result = bw_ptx_read(image, strlen(image), &module->ptx, complaint, sizeof complaint);
	if (result != BW_PTX_GOOD) {
		free(module);
		if (options->log && options->log_bytes)
			snprintf(options->log, options->log_bytes, "%s", complaint);
		return complain(codes[result], "PTX, %s", complaint);
	}
	for (int k = 0; k < module->ptx->n_variables; k++) {
		const struct bw_variable *variable = &module->ptx->variables[k];
		if (variable->memory && !bw_memory_add(&driver.memory, variable->memory, variable->bytes,
						       variable->space == BW_SPACE_CONST))
			return BW_CODE_OUT_OF_MEMORY;
	}
	return *loaded = module, 0;
}

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *names, void **values)
{
	struct options options = read_options(n, names, values);
	int code = enter();
	if (code)
		return code;
	return leave(image && module ? load((struct module **)module, image, &options) : BW_CODE_INVALID_VALUE);
}

EXPORT int cuModuleLoadData(void **module, const void *image)
{
	return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

EXPORT int cuModuleUnload(void *handle)
{
	struct module *module = handle;
	if (!module)
		return BW_CODE_INVALID_HANDLE;
	pthread_mutex_lock(&driver.lock);
	for (int k = 0; k < module->ptx->n_variables; k++)
		if (module->ptx->variables[k].memory)
			bw_memory_free(&driver.memory, module->ptx->variables[k].at);
	bw_ptx_free(module->ptx);
	free(module);
	return leave(0);
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
	if (!module || !name)
		return BW_CODE_INVALID_VALUE;
	*function = bw_ptx_find(((struct module *)module)->ptx, name);
	return *function ? 0 : BW_CODE_NOT_FOUND;
}

EXPORT int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name)
{
	const struct bw_ptx *ptx = module ? ((struct module *)module)->ptx : NULL;
	for (int k = 0; ptx && k < ptx->n_variables; k++) {
		if (!ptx->variables[k].memory || strcmp(ptx->variables[k].name, name))
			continue;
		if (address)
			*address = ptx->variables[k].at;
		if (bytes)
			*bytes = ptx->variables[k].bytes;
		return 0;
	}
	return BW_CODE_NOT_FOUND;
}
EXPORT int cuModuleGetGlobal(uint64_t *address, size_t *bytes, void *module, const char *name)
{
	return cuModuleGetGlobal_v2(address, bytes, module, name);
}

/* The number of registers is not supported, and so neither is occupancy: only ptxas knows the registers. */
EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function)
{
	enum { MOST_THREADS, SHARED_BYTES, CONST_BYTES, LOCAL_BYTES, REGISTERS, PTX_VERSION, BINARY_VERSION };
	const struct bw_ptx_kernel *kernel = function;
	if (!kernel)
		return BW_CODE_INVALID_HANDLE;
	switch (attribute) {
	case MOST_THREADS:
		return *value = kernel->most_threads ? kernel->most_threads : BW_DEVICE_BLOCK_THREADS, 0;
	case SHARED_BYTES:
		return *value = (int)kernel->shared_bytes, 0;
	case CONST_BYTES:
		return *value = 0, 0;
	case LOCAL_BYTES:
		return *value = (int)kernel->local_bytes, 0;
	case PTX_VERSION:
	case BINARY_VERSION:
		return *value = kernel->module->sm, 0;
	default:
		return attribute == REGISTERS ? BW_CODE_NOT_SUPPORTED : BW_CODE_INVALID_VALUE;
	}
}
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value)
{
	return (void)attribute, (void)value, function ? 0 : BW_CODE_INVALID_HANDLE;
}
EXPORT int cuFuncSetCacheConfig(void *function, int config)
{
	return (void)config, function ? 0 : BW_CODE_INVALID_HANDLE;
}
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
						       size_t shared)
{
	(void)threads, (void)shared;
	*blocks = 0;
	return function ? BW_CODE_NOT_SUPPORTED : BW_CODE_INVALID_HANDLE;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
	int code = enter();
	if (code)
		return code;
	if (!bytes)
		return leave(BW_CODE_INVALID_VALUE);
	*address = bw_memory_allocate(&driver.memory, bytes);
	if (*address)
		return leave(0);
	return leave(complain(
	    BW_CODE_OUT_OF_MEMORY, "%zu bytes of device memory are asked for, and %llu of %llu are in use",
	    bytes, (unsigned long long)driver.memory.bytes, (unsigned long long)driver.memory.most_bytes));
}

EXPORT int cuMemFree_v2(uint64_t address)
{
	int code = enter();
	if (code)
		return code;
	if (!address || bw_memory_free(&driver.memory, address))
		return leave(0);
	return leave(complain(BW_CODE_INVALID_VALUE, "no allocation to free begins at 0x%llx",
			      (unsigned long long)address));
}

/* Checks that the bytes are within one live allocation. */
static int check_range(uint64_t address, size_t bytes, const char *what)
{
	const struct bw_allocation *allocation = bw_memory_find(&driver.memory, address);
	if (allocation && bytes <= allocation->end - address)
		return 0;
	return complain(BW_CODE_INVALID_VALUE, "%s of %zu bytes at 0x%llx, which no allocation holds", what,
			bytes, (unsigned long long)address);
}

/* Returns the cells of an address; NULL if it is in no allocation or cells are not kept. */
static struct bw_byte_cell *cells_at(uint64_t address)
{
	const struct bw_allocation *allocation =
	    driver.checks.what & BW_CHECK_CELLS ? bw_memory_find(&driver.memory, address) : NULL;
	return allocation && allocation->cells ? allocation->cells + (address - allocation->begin) : NULL;
}

/* Returns the flags of the known bytes at an address (emulator/sample.h); NULL: all are known. */
static unsigned char *known_at(uint64_t address)
{
	const struct bw_allocation *allocation =
	    driver.memory.has_unknown ? bw_memory_find(&driver.memory, address) : NULL;
	return allocation && allocation->known ? allocation->known + (address - allocation->begin) : NULL;
}

/* Copies the known bytes to the host. */
static void copy_known(unsigned char *to, const unsigned char *from, const unsigned char *known, size_t bytes)
{
	driver.copied += bytes;
	if (!known) {
		memcpy(to, from, bytes);
		return;
	}
	for (size_t k = 0; k < bytes; k++) {
		if (known[k])
			to[k] = from[k];
		driver.unknown += !known[k];
	}
}

/* Records that the host writes memory. */
static void note_written(uint64_t address, size_t bytes)
{
	unsigned char *known = known_at(address);
	if (known)
		memset(known, BW_BYTE_KNOWN, bytes);
	struct bw_byte_cell *cells = cells_at(address);
	for (size_t k = 0; cells && k < bytes; k++)
		cells[k] = (struct bw_byte_cell){.plain.stamp = 1};
}

/* Checks that no byte copied to the host depends on uninitialized memory. */
static int check_written(uint64_t address, size_t bytes)
{
	const struct bw_byte_cell *cells = driver.checks.what & BW_CHECK_INIT ? cells_at(address) : NULL;
	size_t n = 0, first = 0;
	for (size_t k = bytes; cells && k--;)
		if (!bw_cell_is_written(&cells[k]) || cells[k].doubtful) {
			n++;
			first = k;
		}
	if (!n)
		return 0;
	const char *how = bw_cell_is_written(&cells[first]) ? "depend on memory that nothing wrote" : "were never written";
	return complain(BW_CODE_LAUNCH_FAILED,
			"%zu of %zu bytes that are copied to the host %s, first byte %zu%s%s", n, bytes, how,
			first, *driver.checks.doubt ? "; the first read of such memory: " : "",
			driver.checks.doubt);
}

static int copy(void *to, const void *from, size_t bytes, uint64_t reads, uint64_t writes)
{
	int code = enter();
	if (code)
		return code;
	if (reads && bytes)
		code = check_range(reads, bytes, "a copy from the device");
	if (!code && writes && bytes)
		code = check_range(writes, bytes, "a copy to the device");
	if (!code && reads && !writes)
		code = check_written(reads, bytes);
	if (code)
		return leave(code);
	if (reads && !writes) {
		copy_known(to, from, known_at(reads), bytes);
		return leave(0);
	}
	memmove(to, from, bytes);
	unsigned char *from_known = reads ? known_at(reads) : NULL, *to_known = known_at(writes);
	struct bw_byte_cell *from_cells = reads && writes ? cells_at(reads) : NULL,
			    *to_cells = from_cells ? cells_at(writes) : NULL;
	if (to_cells)
		memmove(to_cells, from_cells, bytes * sizeof *to_cells);
	else
		note_written(writes, bytes);
	if (from_known && to_known)
		memmove(to_known, from_known, bytes);
	return leave(0);
}

static void *place(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
	return copy(place(to), from, bytes, 0, to);
}
EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
	return copy(to, place(from), bytes, from, 0);
}
EXPORT int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
	return copy(place(to), place(from), bytes, from, to);
}
EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
	return (void)stream, cuMemcpyHtoD_v2(to, from, bytes);
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
	return (void)stream, cuMemcpyDtoH_v2(to, from, bytes);
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
	return (void)stream, cuMemcpyDtoD_v2(to, from, bytes);
}
EXPORT int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes)
{
	int code = enter();
	if (code)
		return code;
	code = check_range(to, bytes, "a memset");
	if (!code) {
		memset(place(to), value, bytes);
		note_written(to, bytes);
	}
	return leave(code);
}

/* cuda.h's CUDA_MEMCPY3D: one side of a copy, and its extent. */
struct side {
	size_t x, y, z, lod;
	unsigned type; /* 1: the host's memory, 2: the device's */
	void *host;
	uint64_t device;
	void *array, *reserved;
	size_t pitch, height;
};
struct copy_3d {
	struct side from, to;
	size_t width, height, depth;
};

static bool is_side(const struct side *side)
{
	return side->type == 1 || side->type == 2;
}

static uint64_t row_of(const struct side *side, size_t y, size_t z)
{
	uint64_t base = side->type == 2 ? side->device : (uint64_t)(uintptr_t)side->host;
	return base + side->x + (side->y + y + (side->z + z) * side->height) * side->pitch;
}

EXPORT int cuMemcpy3D_v2(const struct copy_3d *wanted)
{
	if (!wanted || !is_side(&wanted->from) || !is_side(&wanted->to))
		return BW_CODE_INVALID_VALUE;
	for (size_t z = 0; z < wanted->depth; z++)
		for (size_t y = 0; y < wanted->height; y++) {
			uint64_t from = row_of(&wanted->from, y, z), to = row_of(&wanted->to, y, z);
			int code = copy(place(to), place(from), wanted->width,
					wanted->from.type == 2 ? from : 0, wanted->to.type == 2 ? to : 0);
			if (code)
				return code;
		}
	return 0;
}

EXPORT int cuPointerGetAttribute(void *result, int attribute, uint64_t address)
{
	enum { CONTEXT = 1, MEMORY_TYPE = 2, DEVICE_MEMORY = 2 };
	int code = enter();
	if (code)
		return code;
	if (!bw_memory_find(&driver.memory, address) || (attribute != CONTEXT && attribute != MEMORY_TYPE))
		return leave(BW_CODE_INVALID_VALUE);
	if (attribute == CONTEXT)
		*(void **)result = current();
	else
		*(unsigned *)result = DEVICE_MEMORY;
	return leave(0);
}

/* Checks a launch against the device's limits. */
static int check_launch(const struct bw_ptx_launch *launch)
{
	static const char axes[] = "xyz";
	const char *name = launch->kernel->name;
	uint64_t threads = (uint64_t)launch->threads[0] * launch->threads[1] * launch->threads[2];
	unsigned most =
	    launch->kernel->most_threads ? (unsigned)launch->kernel->most_threads : BW_DEVICE_BLOCK_THREADS;
	for (int d = 0; d < 3; d++) {
		int grid, block;
		bw_device_attribute(BW_DEVICE_MAX_GRID_X + d, &grid);
		bw_device_attribute(BW_DEVICE_MAX_BLOCK_X + d, &block);
		if (!launch->grid[d] || !launch->threads[d])
			return complain(BW_CODE_INVALID_VALUE, "kernel %s: no blocks or no threads in %c", name, axes[d]);
		if (launch->grid[d] > (unsigned)grid)
			return complain(BW_CODE_INVALID_VALUE,
					"kernel %s: %u blocks in %c, and the device takes at most %d", name,
					launch->grid[d], axes[d], grid);
		if (launch->threads[d] > (unsigned)block)
			return complain(
			    BW_CODE_INVALID_VALUE,
			    "kernel %s: %u threads of a block in %c, and the device takes at most %d", name,
			    launch->threads[d], axes[d], block);
	}
	if (threads > most)
		return complain(BW_CODE_INVALID_VALUE,
				"kernel %s: %llu threads in a block, and %s takes at most %u", name,
				(unsigned long long)threads,
				launch->kernel->most_threads ? "it" : "the device", most);
	if (launch->dynamic_shared + (uint64_t)launch->kernel->shared_bytes > BW_DEVICE_BLOCK_SHARED)
		return complain(
		    BW_CODE_INVALID_VALUE,
		    "kernel %s: %llu bytes of shared memory for a block, and the device has at most %d", name,
		    launch->dynamic_shared + (unsigned long long)launch->kernel->shared_bytes,
		    BW_DEVICE_BLOCK_SHARED);
	return 0;
}

/* Variables that name the files for counters: the user's, and the one of the worker that loads this
 * library. */
static const char *const files[] = {"BEAMWALK_EMULATOR_COUNTERS", "BEAMWALK_EMULATOR_REPORT"};

/* Appends the counters to the files named by the environment. */
static void write_counts(const struct bw_ptx_launch *launch)
{
	for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
		const char *path = getenv(files[k]);
		FILE *file = path ? fopen(path, "a") : NULL;
		if (path && (!file || (bw_counts_write(launch, file), fclose(file))))
			complain(0, "%s: the counters cannot be written there", path);
	}
}

EXPORT int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty,
			  unsigned tz, unsigned shared, void *stream, void **parameters, void **extra)
{
	const struct bw_ptx_kernel *kernel = function;
	(void)stream;
	if (!kernel)
		return BW_CODE_INVALID_HANDLE;
	int code = enter();
	if (code)
		return code;
	unsigned char *values = calloc(1, kernel->parameter_bytes + 8);
	struct bw_ptx_launch launch = {
	    .kernel = kernel,
	    .memory = &driver.memory,
	    .grid = {x, y, z},
	    .threads = {tx, ty, tz},
	    .dynamic_shared = shared,
	    .parameters = values,
	    .most_steps = (uint64_t)setting("BEAMWALK_EMULATOR_STEPS", 1000000000),
	    .host_threads = (int)setting("BEAMWALK_EMULATOR_THREADS", sysconf(_SC_NPROCESSORS_ONLN)),
	    .whole = (uint64_t)setting("BEAMWALK_EMULATOR_WHOLE", 2000000000),
	    .least = setting("BEAMWALK_EMULATOR_LEAST", 0),
	    .checks = driver.checks.what & BW_CHECK_CELLS ? &driver.checks : NULL};
	bool counts = getenv(files[0]) || getenv(files[1]);
	if (counts)
		launch.counts = calloc((size_t)kernel->n_parts, sizeof *launch.counts);
	code = !values || (counts && !(launch.counts && bw_touched_begin(&driver.memory)))
		   ? BW_CODE_OUT_OF_MEMORY
	       : extra || (!parameters && kernel->n_parameters) ? BW_CODE_INVALID_VALUE
								: check_launch(&launch);
	for (int k = 0; !code && k < kernel->n_parameters; k++)
		memcpy(values + kernel->parameters[k].at, parameters[k], kernel->parameters[k].bytes);
	if (!code && (code = bw_launch_run(&launch)))
		driver.failed = complain(code, "%s", launch.fault.text);
	if (!code && launch.checks && launch.checks->n_rounded)
		complain(0, "kernel %s: %llu elements are rounded to two whole numbers by two blocks; the first: %s",
			 kernel->name, (unsigned long long)launch.checks->n_rounded, launch.checks->rounded);
	if (launch.counts)
		bw_touched_end(&driver.memory, launch.counts,
			       launch.sampled ? (double)x * y * z / (double)launch.sampled : 1);
	if (!code && launch.counts)
		write_counts(&launch);
	free(launch.counts);
	free(values);
	return leave(code);
}
