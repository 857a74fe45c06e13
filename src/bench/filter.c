/* Loading compiled schedules. Each shared object has a Halide runtime of its own inside, reached through its
 * handle only. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "bench/cuda_driver.h"
#include "bench/launch_times.h"
#include "bench/worker.h"

/* Where the runtime's error handler leaves its message: the handler is given no pointer of ours. Only the
 * first is kept: those that follow come from the clean-up after it. */
static struct bw_error last_error;

static void note_error(void *user, const char *message)
{
	(void)user;
	if (last_error.kind == BW_ERROR_NONE)
		bw_fail(&last_error, BW_ERROR_HALIDE, "%s", message);
}

/* Halide asks for libOpenCL.so or libcuda.so, names that only development packages install: the versioned one
 * serves as well, and comes first if it is loaded already, as the emulated device's driver is. */
static void *load_library(const char *name)
{
	char versioned[256];
	snprintf(versioned, sizeof versioned, "%s.1", name);
	void *library = dlopen(versioned, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		library = dlopen(name, RTLD_LAZY);
	return library ? library : dlopen(versioned, RTLD_LAZY);
}

/* Halide asks for each function of CUDA's driver here, with library NULL before it has opened one. */
static void *library_symbol(void *library, const char *name)
{
	void *ours = bw_launch_symbol(name);
	return ours ? ours : dlsym(library, name);
}

/* The symbol `function` followed by suffix, or by what C++ calls it with these parameters
 * (c_plus_plus_name_mangling). Returns NULL with an error that says what is missing. */
static void *find(void *handle, const char *path, const char *function, const char *suffix,
		  const char *parameters, struct bw_error *error)
{
	struct bw_text name = {0}, mangled = {0};
	bw_text_printf(&name, "%s%s", function, suffix);
	bw_text_printf(&mangled, "_Z%zu%s%s", name.length, name.bytes, parameters);
	void *symbol = dlsym(handle, name.bytes);
	if (!symbol)
		symbol = dlsym(handle, mangled.bytes);
	if (!symbol)
		bw_fail(error, BW_ERROR_IO, "%s: has no function %s", path, name.bytes);
	bw_text_free(&name);
	bw_text_free(&mangled);
	return symbol;
}

/* Finds what the target names: the interface of its device, and whether bounds can be asked for. */
static void read_target(struct bw_filter *filter)
{
	static const struct {
		const char *feature, *function;
		enum bw_api api;
	} devices[] = {{"-cuda-", "halide_cuda_device_interface", BW_API_CUDA},
		       {"-opencl-", "halide_opencl_device_interface", BW_API_OPENCL}};
	struct bw_text target = {0};
	bw_text_printf(&target, "%s-", filter->metadata->target);
	filter->answers = !strstr(target.bytes, "-no_bounds_query-");
	for (size_t k = 0; k < sizeof devices / sizeof *devices && !filter->device_interface; k++) {
		const void *(*get)(void) = (const void *(*)(void))dlsym(filter->handle, devices[k].function);
		if (!get || !strstr(target.bytes, devices[k].feature))
			continue;
		filter->device_interface = get();
		filter->api = devices[k].api;
	}
	bw_text_free(&target);
}

bool bw_filter_load(const char *path, const char *function, struct bw_filter *filter, struct bw_error *error)
{
	*filter = (struct bw_filter){.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
	if (!filter->handle)
		return bw_fail(error, BW_ERROR_IO, "%s", dlerror());
	void *metadata = find(filter->handle, path, function, "_metadata", "v", error);
	void *call = find(filter->handle, path, function, "_argv", "PPv", error);
	if (!metadata || !call)
		return false;
	filter->call = (int (*)(void **))call;
	filter->metadata = ((const struct bw_halide_metadata *(*)(void))metadata)();
	if (filter->metadata->version != 1)
		return bw_fail(error, BW_ERROR_IO, "%s: its metadata has version %d, not 1", path,
			       filter->metadata->version);
#define X(field, name, type) filter->field = (__typeof__((type)0))dlsym(filter->handle, name);
	BW_RUNTIME_TABLE(X)
#undef X
	read_target(filter);
	if (filter->device_interface && (!filter->copy_to_device || !filter->copy_to_host ||
					 !filter->device_sync || !filter->device_free))
		return bw_fail(error, BW_ERROR_IO, "%s: lacks a part of Halide's runtime for its device", path);
	if (filter->set_error_handler)
		filter->set_error_handler(note_error);
	if (filter->set_load_library)
		filter->set_load_library(load_library);
	if (filter->set_library_symbol && filter->api == BW_API_CUDA)
		filter->set_library_symbol(library_symbol);
	return true;
}

bool bw_filter_call(const struct bw_filter *filter, void **arguments, struct bw_error *error)
{
	last_error.kind = BW_ERROR_NONE;
	return bw_filter_did(filter->call(arguments), "the filter", error);
}

/* Says of the log of an OpenCL compiler that has no function which Halide's code calls, as for bits, which it
 * is. False if it is no such log. */
static bool missing_function(const char *log, struct bw_error *error)
{
	static const char mark[] = "undeclared identifier 'halide_";
	const char *name = strstr(log, mark);
	if (!name)
		return false;
	name += sizeof mark - 1;
	bw_fail(
	    error, BW_ERROR_HALIDE,
	    "the algorithm calls %.*s, for which this Halide has no OpenCL: a CUDA device has it, or write it with other operations",
	    (int)strcspn(name, "'"), name);
	return true;
}

bool bw_filter_did(int result, const char *what, struct bw_error *error)
{
	struct bw_error noted = last_error;
	last_error.kind = BW_ERROR_NONE;
	if (result == 0 && noted.kind == BW_ERROR_NONE)
		return true;
	if (noted.kind == BW_ERROR_NONE)
		return bw_fail(error, BW_ERROR_HALIDE, "%s returned %d", what, result);
	if (missing_function(noted.text, error))
		return false;
	if (*bw_cuda_emulated_trouble())
		return bw_fail(error, BW_ERROR_HALIDE, "%s", bw_cuda_emulated_trouble());
	size_t length = strlen(noted.text);
	while (length && noted.text[length - 1] == ' ')
		noted.text[--length] = 0;
	return bw_fail(error, BW_ERROR_HALIDE, "%s", noted.text);
}
