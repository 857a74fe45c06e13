/* Runs a compiled schedule with a CUDA driver of its own that computes nothing, and writes what Halide's runtime launches: a line for each
 * kernel with its entry, its grid, its block and the bytes of shared memory that it asks for. So what is predicted of launches can be
 * compared with what is launched, on a machine without a GPU.
 *
 *   launches OBJECT [ESTIMATES]
 *
 * ESTIMATES: sizes other than the generator's own, which are all that an object knows of, as beamwalk-bench(1) takes them. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/protocol.h"
#include "bench/worker.h"

/* Anything that is not NULL, for handles that nobody looks into. */
static int something;

static int nothing(void)
{
	return 0;
}

static int device_get_count(int *n)
{
	*n = 1;
	return 0;
}

/* Compute capability 8.0 and, of all else, enough. */
static int device_get_attribute(int *value, int attribute, int device)
{
	enum { MAJOR = 75, MINOR = 76 };
	(void)device;
	*value = attribute == MAJOR ? 8 : attribute == MINOR ? 0 : 1024;
	return 0;
}

static int device_get(int *device, int number)
{
	*device = number;
	return 0;
}

static int context_create(void **context, unsigned flags, int device)
{
	(void)flags;
	(void)device;
	*context = &something;
	return 0;
}

static int context_version(void *context, unsigned *version)
{
	(void)context;
	*version = 3020;
	return 0;
}

static int context_pop(void **context)
{
	*context = &something;
	return 0;
}

static int module_load(void **module, const void *image)
{
	(void)image;
	*module = &something;
	return 0;
}

static int module_function(void **function, void *module, const char *name)
{
	(void)module;
	*function = strdup(name);
	return 0;
}

static int memory_take(uint64_t *address, size_t size)
{
	*address = (uint64_t)(uintptr_t)malloc(size);
	return 0;
}

static int memory_give(uint64_t address)
{
	free((void *)(uintptr_t)address);
	return 0;
}

static int launch(const char *name, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared)
{
	printf("%s %u,%u,%u %u,%u,%u %u\n", name, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared);
	return 0;
}

/* Halide's runtime asks for each function of the driver by name. */
static void *find_symbol(void *library, const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} driver[] = {
		{"cuDeviceGetCount", (void *)device_get_count}, {"cuDeviceGet", (void *)device_get}, {"cuDeviceGetAttribute", (void *)device_get_attribute},
		{"cuCtxCreate_v2", (void *)context_create}, {"cuCtxGetApiVersion", (void *)context_version}, {"cuCtxPopCurrent_v2", (void *)context_pop},
		{"cuModuleLoadData", (void *)module_load}, {"cuModuleLoadDataEx", (void *)module_load}, {"cuModuleGetFunction", (void *)module_function},
		{"cuMemAlloc_v2", (void *)memory_take}, {"cuMemFree_v2", (void *)memory_give}, {"cuLaunchKernel", (void *)launch},
	};
	for (size_t i = 0; i < sizeof driver / sizeof *driver; i++)
		if (!strcmp(name, driver[i].name))
			return driver[i].function;
	return library == &something && !strncmp(name, "cu", 2) ? (void *)nothing : dlsym(RTLD_DEFAULT, name);
}

static void *load_library(const char *name)
{
	return strstr(name, "cuda") ? &something : NULL;
}

/* Tells the runtime in the object to ask here. */
static bool take_over(const struct bw_filter *filter)
{
	void (*set_load)(void *(*)(const char *)) = (void (*)(void *(*)(const char *)))dlsym(filter->handle, "halide_set_custom_load_library");
	void (*set_symbol)(void *(*)(void *, const char *)) = (void (*)(void *(*)(void *, const char *)))dlsym(filter->handle, "halide_set_custom_get_library_symbol");
	if (!set_load || !set_symbol)
		return false;
	set_load(load_library);
	set_symbol(find_symbol);
	return true;
}

int main(int argc, char **argv)
{
	struct bw_filter filter;
	struct bw_arguments arguments = {0};
	struct bw_request request = {0};
	char line[4096];
	snprintf(line, sizeof line, "{\"beamwalk-bench\":%d,\"id\":1,\"do\":\"measure\",\"objects\":[\"of the command line\"],\"estimates\":%s}", BW_BENCH_VERSION, argc == 3 ? argv[2] : "{}");
	struct bw_error error = {0};
	bool good = (argc == 2 || argc == 3) && bw_request_read(line, strlen(line), &request, &error) && bw_filter_load(argv[1], "bw_filter", &filter, &error) && take_over(&filter) && bw_arguments_shape(&filter, &request, &arguments, &error) &&
		    bw_arguments_make(&filter, &arguments, 0, &error) && bw_run_once(&filter, &arguments, &error);
	if (!good)
		fprintf(stderr, "launches: %s\n", *error.text ? error.text : "usage: launches OBJECT [ESTIMATES]");
	bw_arguments_free(&arguments);
	bw_request_free(&request);
	fflush(stdout);
	_Exit(good ? 0 : 1);
}
