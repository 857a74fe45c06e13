/* Loads compiled schedules. Each shared object contains its own Halide runtime, which is accessed only
 * through the object's handle. */
#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "bench/cuda.h"

/* Makes a filter's arguments from its metadata. */

static bool is_input(const struct bw_filter *filter, int k)
{
	return filter->metadata->arguments[k].kind == BW_HALIDE_INPUT_BUFFER;
}

/* Converts a number to a scalar of the type. */
static void set_scalar(uint64_t *scalar, struct bw_halide_type type, double value)
{
	float single = (float)value;
	int64_t whole = (int64_t)value;
	if (type.code == BW_HALIDE_FLOAT && type.bits == 64)
		memcpy(scalar, &value, sizeof value);
	else if (type.code == BW_HALIDE_FLOAT && type.bits == 32)
		memcpy(scalar, &single, sizeof single);
	else
		memcpy(scalar, &whole, sizeof whole);
}

static void make_scalar(const struct bw_halide_argument *of, const struct bw_request *request,
			struct bw_argument *argument)
{
	double value;
	const void *stated = of->scalar_estimate ? of->scalar_estimate : of->scalar_def;
	if (bw_request_scalar(request, of->name, &value))
		set_scalar(&argument->scalar, of->type, value);
	else if (stated && of->type.code != BW_HALIDE_HANDLE)
		memcpy(&argument->scalar, stated, (size_t)bw_halide_bytes(of->type));
}

/* Sets the box of a buffer from its estimates. An input's dimension without an estimate gets extent 0; for an
 * output that is an error. output: the buffer's index among the outputs; -1: an input. */
static bool estimated_box(const struct bw_halide_argument *of, int output, const struct bw_request *request,
			  struct bw_argument *argument, struct bw_error *error)
{
	for (int d = 0; d < of->dimensions; d++) {
		const int64_t *stated_min = of->buffer_estimates ? of->buffer_estimates[2 * d] : NULL;
		const int64_t *stated_extent = of->buffer_estimates ? of->buffer_estimates[2 * d + 1] : NULL;
		int64_t min = stated_min ? *stated_min : 0, extent = stated_min && stated_extent ? *stated_extent : 0;
		bw_request_box(request, of->name, output, d, &min, &extent);
		argument->dim[d].min = (int32_t)min;
		argument->dim[d].extent = (int32_t)extent;
		if (extent <= 0 && of->kind == BW_HALIDE_OUTPUT_BUFFER)
			return bw_fail(error, BW_ERROR_INPUT, "output %s has no estimate in dimension %d", of->name, d);
	}
	return true;
}

static bool make_argument(const struct bw_halide_argument *of, int output, const struct bw_request *request,
			  struct bw_argument *argument, struct bw_error *error)
{
	if (of->kind == BW_HALIDE_INPUT_SCALAR) {
		make_scalar(of, request, argument);
		return true;
	}
	if (of->dimensions > BW_BUFFER_DIMS)
		return bw_fail(error, BW_ERROR_INPUT, "%s has %d dimensions; at most %d are served", of->name,
			       of->dimensions, BW_BUFFER_DIMS);
	argument->shape.type = of->type;
	argument->shape.dimensions = of->dimensions;
	argument->shape.dim = argument->dim;
	return estimated_box(of, output, request, argument, error);
}

/* Notes which strides the filter fixes, from the answer to a query. Where the filter fixes nothing, Halide
 * answers with the given or with dense strides. So all other strides are fixed; and if there is one, a stride
 * of 1 is fixed, too. Restores the given box. */
static void note_strides(struct bw_argument *argument, const struct bw_halide_dim *given)
{
	bool any = false;
	int64_t dense = 1;
	int n = argument->shape.dimensions;
	for (int d = 0; d < n; d++) {
		argument->fixed[d] = argument->dim[d].stride != dense && argument->dim[d].stride != given[d].stride;
		any |= argument->fixed[d];
		dense = bw_min(dense * bw_max(argument->dim[d].extent, 1), INT32_MAX);
	}
	for (int d = 0; d < n; d++) {
		argument->fixed[d] |= any && argument->dim[d].stride == 1;
		argument->dim[d].min = given[d].min;
		argument->dim[d].extent = given[d].extent;
	}
}

/* Marks buffers in a query. No runtime uses this flag, and a filter that answers for a buffer clears it. */
static const uint64_t unanswered = UINT64_C(1) << 63;

/* Queries the strides of all buffers for the outputs' boxes. The filter fixes the strides that its answer
 * changes. Sets *reads if the filter reads an input: then it answers for that input. */
static bool query_strides(const struct bw_filter *filter, struct bw_arguments *arguments, bool *reads,
			  struct bw_error *error)
{
	struct bw_halide_dim (*given)[BW_BUFFER_DIMS] = bw_new_array((size_t)arguments->n, sizeof *given);
	static const bool none_fixed[BW_BUFFER_DIMS];
	for (int k = 0; k < arguments->n; k++) {
		struct bw_argument *argument = &arguments->list[k];
		bw_strides_lay(argument->dim, argument->shape.dimensions, none_fixed);
		memcpy(given[k], argument->dim, sizeof given[k]);
		argument->shape.flags = unanswered;
	}
	bool good = bw_filter_call(filter, arguments->pointers, error);
	for (int k = 0; k < arguments->n; k++) {
		struct bw_argument *argument = &arguments->list[k];
		*reads |= is_input(filter, k) && argument->shape.flags != unanswered;
		argument->shape.flags = 0;
		if (good)
			note_strides(argument, given[k]);
	}
	free(given);
	return good;
}

/* Enlarges *dim to contain the other interval as well. An interval of extent 0 or less is empty. */
static void join(struct bw_halide_dim *dim, int32_t min, int32_t extent)
{
	if (extent <= 0)
		return;
	if (dim->extent <= 0) {
		dim->min = min;
		dim->extent = extent;
		return;
	}
	int64_t low = bw_min(dim->min, min), high = bw_max((int64_t)dim->min + dim->extent, (int64_t)min + extent);
	dim->min = (int32_t)low;
	dim->extent = (int32_t)bw_min(high - low, INT32_MAX);
}

/* Prepares the arguments for the query of the inputs' boxes. Outputs have their final boxes. Inputs have no
 * memory, and their estimated boxes, because a boundary condition clamps to the box that it is given. */
static void pose_query(const struct bw_filter *filter, struct bw_arguments *arguments)
{
	static uint8_t anywhere[1];
	for (int k = 0; k < arguments->n; k++) {
		struct bw_argument *argument = &arguments->list[k];
		bw_strides_lay(argument->dim, argument->shape.dimensions, argument->fixed);
		argument->shape.host = is_input(filter, k) ? NULL : anywhere;
	}
}

/* Queries which boxes of the inputs the outputs need, and enlarges the estimated boxes to contain them. A
 * filter that reads no input (`reads` is false) is not queried, because the call would run it. An input
 * without an estimate that is not read gets extent 1. */
static bool query_inputs(const struct bw_filter *filter, struct bw_arguments *arguments, bool reads,
			 struct bw_error *error)
{
	struct bw_halide_dim (*estimated)[BW_BUFFER_DIMS] = bw_new_array((size_t)arguments->n, sizeof *estimated);
	for (int k = 0; k < arguments->n; k++)
		memcpy(estimated[k], arguments->list[k].dim, sizeof estimated[k]);
	if (reads)
		pose_query(filter, arguments);
	bool good = !reads || bw_filter_call(filter, arguments->pointers, error);
	for (int k = 0; k < arguments->n; k++) {
		struct bw_argument *argument = &arguments->list[k];
		argument->shape.host = NULL;
		for (int d = 0; is_input(filter, k) && d < argument->shape.dimensions; d++) {
			join(&argument->dim[d], estimated[k][d].min, estimated[k][d].extent);
			argument->dim[d].extent = (int32_t)bw_max(argument->dim[d].extent, 1);
		}
	}
	free(estimated);
	return good;
}

/* Returns the first buffer with this number of dimensions that has a box. Returns NULL if there is none. */
static const struct bw_argument *find_alike(const struct bw_filter *filter,
					    const struct bw_arguments *arguments, int n_dims)
{
	for (int k = 0; k < arguments->n; k++)
		if (filter->metadata->arguments[k].kind != BW_HALIDE_INPUT_SCALAR &&
		    filter->metadata->arguments[k].dimensions == n_dims &&
		    arguments->list[k].dim[0].extent > 0)
			return &arguments->list[k];
	return NULL;
}

/* Without a bounds query: sets the boxes of inputs without estimates. No estimate means that the input is not
 * read, but the filter may compare its box with another buffer's. So it gets the box of a buffer with as many
 * dimensions, or extent 1 if there is none. */
static void state_inputs(const struct bw_filter *filter, struct bw_arguments *arguments)
{
	for (int k = 0; k < arguments->n; k++) {
		struct bw_argument *argument = &arguments->list[k];
		int n = argument->shape.dimensions;
		if (!is_input(filter, k) || n == 0 || argument->dim[0].extent > 0)
			continue;
		const struct bw_argument *alike = find_alike(filter, arguments, n);
		for (int d = 0; d < n; d++)
			argument->dim[d] = alike ? alike->dim[d] : (struct bw_halide_dim){.extent = 1};
	}
}

bool bw_arguments_shape(const struct bw_filter *filter, const struct bw_request *request,
			struct bw_arguments *arguments, struct bw_error *error)
{
	int n = filter->metadata->num_arguments, n_outputs = 0;
	*arguments = (struct bw_arguments){n, BW_NEW_ARRAY(struct bw_argument, n), BW_NEW_ARRAY(void *, n)};
	for (int k = 0; k < n; k++) {
		struct bw_argument *argument = &arguments->list[k];
		const struct bw_halide_argument *of = &filter->metadata->arguments[k];
		if (!make_argument(of, of->kind == BW_HALIDE_OUTPUT_BUFFER ? n_outputs++ : -1, request, argument, error))
			return false;
		arguments->pointers[k] =
		    of->kind == BW_HALIDE_INPUT_SCALAR ? (void *)&argument->scalar : (void *)&argument->shape;
	}
	bool reads = false, asked = filter->answers && !request->unasked;
	if (!asked)
		state_inputs(filter, arguments);
	return !asked || (query_strides(filter, arguments, &reads, error) &&
			  query_inputs(filter, arguments, reads, error));
}

/* Describes the first input and dimension of which the filter needs more than the reference. */
static void tell_demand(const char *name, int d, const struct bw_halide_dim *asked,
			const struct bw_halide_dim *wanted, char *demand, size_t size)
{
	int64_t last = (int64_t)asked->min + asked->extent - 1,
		wanted_last = (int64_t)wanted->min + wanted->extent - 1;
	if (*demand || (asked->min >= wanted->min && last <= wanted_last))
		return;
	snprintf(demand, size,
		 "%.60s: dimension %d from %d to %" PRId64 ", the reference from %d to %" PRId64, name, d,
		 asked->min, last, wanted->min, wanted_last);
}

bool bw_arguments_join(const struct bw_filter *filter, struct bw_arguments *arguments,
		       const struct bw_expected *expected, char *demand, size_t size, struct bw_error *error)
{
	*demand = 0;
	for (int k = 0; k < arguments->n || k < expected->n; k++) {
		const struct bw_halide_argument *of = &filter->metadata->arguments[k];
		const struct bw_expected_argument *other = &expected->list[k];
		if (k >= arguments->n || k >= expected->n || of->kind != other->kind ||
		    of->dimensions != other->dimensions ||
		    memcmp(&of->type, &other->type, sizeof of->type) != 0)
			return bw_fail(error, BW_ERROR_INPUT, "its arguments are not those of the reference");
		struct bw_halide_dim *dim = arguments->list[k].dim;
		for (int d = 0; of->kind == BW_HALIDE_INPUT_BUFFER && d < of->dimensions; d++) {
			tell_demand(of->name, d, &dim[d], &other->dim[d], demand, size);
			join(&dim[d], other->dim[d].min, other->dim[d].extent);
		}
		for (int d = 0; of->kind == BW_HALIDE_OUTPUT_BUFFER && d < of->dimensions; d++)
			if (dim[d].min != other->dim[d].min || dim[d].extent != other->dim[d].extent)
				return bw_fail(error, BW_ERROR_INPUT, "output %s has not the box of the reference's", of->name);
	}
	return true;
}

bool bw_arguments_make(const struct bw_filter *filter, struct bw_arguments *arguments, uint64_t seed,
		       struct bw_error *error)
{
	for (int k = 0; k < arguments->n; k++) {
		struct bw_argument *argument = &arguments->list[k];
		const struct bw_halide_argument *of = &filter->metadata->arguments[k];
		if (of->kind == BW_HALIDE_INPUT_SCALAR)
			continue;
		bw_strides_lay(argument->dim, argument->shape.dimensions, argument->fixed);
		if (!bw_buffer_make(&argument->buffer, &argument->shape, false, error))
			return bw_fail_in(error, "%s", of->name);
		bw_buffer_fill(&argument->buffer, seed, of->name);
		if (of->kind == BW_HALIDE_INPUT_BUFFER)
			argument->buffer.view.flags = BW_HALIDE_HOST_DIRTY;
		arguments->pointers[k] = &argument->buffer.view;
	}
	return true;
}

void bw_arguments_free(struct bw_arguments *arguments)
{
	for (int k = 0; k < arguments->n; k++)
		bw_buffer_free(&arguments->list[k].buffer);
	free(arguments->list);
	free(arguments->pointers);
	*arguments = (struct bw_arguments){0};
}

/* The message of the runtime's error handler. It is global because the handler gets no user pointer. Only the
 * first message is kept; the later ones come from the cleanup. */
static struct bw_error last_error;

static void note_error(void *user, const char *message)
{
	(void)user;
	if (last_error.kind == BW_ERROR_NONE)
		bw_fail(&last_error, BW_ERROR_HALIDE, "%s", message);
}

/* Loads a library for Halide's runtime. Halide asks for libOpenCL.so or libcuda.so, which only development
 * packages install. The versioned name works as well. It is used first if that library is already loaded, as
 * the emulated driver is. */
static void *load_library(const char *name)
{
	char versioned[256];
	snprintf(versioned, sizeof versioned, "%s.1", name);
	void *library = dlopen(versioned, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		library = dlopen(name, RTLD_LAZY);
	return library ? library : dlopen(versioned, RTLD_LAZY);
}

/* Finds the symbol `function` + suffix, or its mangled C++ name for these parameters
 * (c_plus_plus_name_mangling). Returns NULL with an error that says what is missing. */
static void *find(void *handle, const char *path, const char *function, const char *suffix,
		  const char *parameters, struct bw_error *error)
{
	BW_SCOPED_TEXT name = {0}, mangled = {0};
	bw_text_printf(&name, "%s%s", function, suffix);
	bw_text_printf(&mangled, "_Z%zu%s%s", name.length, name.bytes, parameters);
	void *symbol = dlsym(handle, name.bytes);
	if (!symbol)
		symbol = dlsym(handle, mangled.bytes);
	if (!symbol)
		bw_fail(error, BW_ERROR_IO, "%s: has no function %s", path, name.bytes);
	return symbol;
}

/* Reads the filter's target: sets its device interface, and whether it supports bounds queries. */
static void read_target(struct bw_filter *filter)
{
	static const struct {
		const char *feature, *function;
		enum bw_api api;
	} devices[] = {{"-cuda-", "halide_cuda_device_interface", BW_API_CUDA},
		       {"-opencl-", "halide_opencl_device_interface", BW_API_OPENCL}};
	BW_SCOPED_TEXT target = {0};
	bw_text_printf(&target, "%s-", filter->metadata->target);
	filter->answers = !strstr(target.bytes, "-no_bounds_query-");
	for (size_t k = 0; k < sizeof devices / sizeof *devices && !filter->device_interface; k++) {
		const void *(*get)(void) = (const void *(*)(void))dlsym(filter->handle, devices[k].function);
		if (!get || !strstr(target.bytes, devices[k].feature))
			continue;
		filter->device_interface = get();
		filter->api = devices[k].api;
	}
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
	return true;
}

bool bw_filter_call(const struct bw_filter *filter, void **arguments, struct bw_error *error)
{
	last_error.kind = BW_ERROR_NONE;
	return bw_filter_did(filter->call(arguments), "the filter", error);
}

/* Sets an error if the log of an OpenCL compiler says that Halide's code calls an unknown function, for
 * example for bit operations. Names the function. Returns false if the log says something else. */
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
