/* Runs filters, with or without checking the outputs. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cuda.h"
#include "bench/opencl.h"

/* Drivers: the devices of this machine, the device on which a filter runs, and the settings of Halide's
 * runtime. */

/* Writes the processor's name from Linux, or "CPU" if that is not known. */
static void processor(char *name, size_t size)
{
	snprintf(name, size, "%s", "CPU");
	FILE *file = fopen("/proc/cpuinfo", "re");
	if (!file)
		return;
	char line[512];
	while (fgets(line, sizeof line, file)) {
		char *colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
		name[strcspn(name, "\n")] = 0;
		break;
	}
	fclose(file);
}

static void tell_opencl(const struct bw_filter *filter, struct bw_measurement *measurement)
{
	void *context = NULL, *queue = NULL;
	if (filter->acquire_cl_context(NULL, &context, &queue, false) == 0 && queue)
		bw_opencl_tell(queue, measurement);
	filter->release_cl_context(NULL);
}

void bw_filter_device(const struct bw_filter *filter, struct bw_measurement *measurement)
{
	measurement->cpu = !filter->device_interface;
	if (measurement->cpu) {
		processor(measurement->device, sizeof measurement->device);
		return;
	}
	snprintf(measurement->device, sizeof measurement->device, "%s", "GPU");
	if (filter->api == BW_API_CUDA)
		bw_cuda_tell(filter, measurement);
	else if (filter->acquire_cl_context && filter->release_cl_context)
		tell_opencl(filter, measurement);
}

static bool has_emulated(const struct bw_presents *devices)
{
	for (int k = 0; k < devices->n; k++)
		if (devices->list[k].device.api == BW_API_CUDA && devices->list[k].device.cpu)
			return true;
	return false;
}

void bw_drivers_ask(const char *emulator, struct bw_presents *devices)
{
	*devices = (struct bw_presents){0};
	bw_cuda_ask(NULL, devices);
	bw_opencl_ask(devices);
	if (emulator && !has_emulated(devices))
		bw_cuda_ask(emulator, devices);
}

void bw_environment_set(const struct bw_request *request, const struct bw_present *device,
			const char *emulator, int counts)
{
	char number[16], path[40];
	if (emulator && device && device->device.api == BW_API_CUDA && device->device.cpu) {
		bw_cuda_emulate(emulator);
		setenv("BEAMWALK_EMULATOR_QUIET", "1", 1);
		snprintf(path, sizeof path, "/proc/self/fd/%d", counts);
		if (counts >= 0)
			setenv("BEAMWALK_EMULATOR_REPORT", path, 1);
		if (request->emulation.sampled)
			setenv("BEAMWALK_EMULATOR_LEAST", "1", 1);
		if (*request->emulation.check)
			setenv("BEAMWALK_EMULATOR_CHECK", request->emulation.check, 1);
	}
	if (device) {
		snprintf(number, sizeof number, "%d", device->ordinal);
		setenv("HL_GPU_DEVICE", number, 1);
	}
	if (device && device->device.api == BW_API_OPENCL) {
		setenv("HL_OCL_PLATFORM_NAME", device->platform, 1);
		setenv("HL_OCL_DEVICE_TYPE", device->device.cpu ? "cpu" : "gpu", 1);
	}
	if (request->registers) {
		snprintf(number, sizeof number, "%d", request->registers);
		setenv("HL_CUDA_JIT_MAX_REGISTERS", number, 1);
	}
}

/* The value of the bytes around outputs before a checked run. */
enum { POISON = 0xc5 };

static bool is_output(const struct bw_filter *filter, int k)
{
	return filter->metadata->arguments[k].kind == BW_HALIDE_OUTPUT_BUFFER;
}

static bool sync_outputs(const struct bw_filter *filter, const struct bw_arguments *arguments,
			 struct bw_error *error)
{
	for (int k = 0; k < arguments->n; k++) {
		struct bw_halide_buffer *buffer = arguments->pointers[k];
		if (is_output(filter, k) && buffer->device_interface &&
		    !bw_filter_did(filter->device_sync(NULL, buffer), "the device sync", error))
			return false;
	}
	return true;
}

bool bw_run_once(const struct bw_filter *filter, const struct bw_arguments *arguments, struct bw_error *error)
{
	return bw_filter_call(filter, arguments->pointers, error) && sync_outputs(filter, arguments, error);
}

/* Poisons output k on the host and on the filter's device, and fills it with the same initial contents as for
 * the reference. On the device, a guarded buffer's view is a crop. */
static bool poison(const struct bw_filter *filter, int k, struct bw_buffer *buffer, bool guarded,
		   uint64_t seed, struct bw_error *error)
{
	struct bw_halide_buffer *target = guarded ? &buffer->whole : &buffer->view;
	bw_buffer_poison(buffer, POISON);
	bw_buffer_fill(buffer, seed, filter->metadata->arguments[k].name);
	target->flags = 0;
	if (!filter->device_interface)
		return true;
	target->flags = BW_HALIDE_HOST_DIRTY;
	if (!bw_filter_did(filter->copy_to_device(NULL, target, filter->device_interface),
			   "the copy to the device", error))
		return false;
	return !guarded || bw_filter_did(filter->device_crop(NULL, &buffer->whole, &buffer->view),
					 "the crop on the device", error);
}

/* Copies an output to the host, if the device has written it; if `guarded`, with the guard around it. */
static bool fetch(const struct bw_filter *filter, struct bw_buffer *buffer, bool guarded,
		  struct bw_error *error)
{
	if (!(buffer->view.flags & BW_HALIDE_DEVICE_DIRTY))
		return true;
	struct bw_halide_buffer *target = guarded ? &buffer->whole : &buffer->view;
	target->flags = BW_HALIDE_DEVICE_DIRTY;
	return bw_filter_did(filter->copy_to_host(NULL, target), "the copy to the host", error);
}

/* Frees a buffer made for one run. */
static void discard(const struct bw_filter *filter, struct bw_buffer *buffer)
{
	if (buffer->view.device)
		filter->device_release_crop(NULL, &buffer->view);
	if (buffer->whole.device)
		filter->device_free(NULL, &buffer->whole);
	bw_buffer_free(buffer);
}

static void check_guard(const char *name, const struct bw_buffer *buffer, struct bw_comparison *comparison)
{
	int64_t point[BW_BUFFER_DIMS];
	if (bw_buffer_guarded(buffer, POISON, point))
		return;
	comparison->differs = comparison->outside = true;
	comparison->mismatches++;
	comparison->worst = (double)INFINITY;
	size_t used = (size_t)snprintf(comparison->where, sizeof comparison->where,
				       "%.40s was written outside of its box, near (", name);
	for (int d = 0; d < buffer->view.dimensions && used < sizeof comparison->where - 24; d++)
		used += (size_t)snprintf(comparison->where + used, sizeof comparison->where - used,
					 "%s%" PRId64, d ? "," : "", point[d]);
	snprintf(comparison->where + used, sizeof comparison->where - used, ")");
}

/* Returns output k of the reference; its dimensions are in `dim`. */
static struct bw_halide_buffer reference_of(const struct bw_expected *expected, int k,
					    struct bw_halide_dim *dim)
{
	const struct bw_expected_argument *other = &expected->list[k];
	memcpy(dim, other->dim, sizeof other->dim);
	return (struct bw_halide_buffer){.host = (uint8_t *)expected + other->offset,
					 .type = other->type,
					 .dimensions = other->dimensions,
					 .dim = dim};
}

static void check(const char *name, const struct bw_buffer *buffer, const struct bw_expected *expected, int k,
		  const struct bw_request *request, struct bw_comparison *comparison)
{
	if (expected) {
		struct bw_halide_dim dim[BW_BUFFER_DIMS];
		struct bw_halide_buffer reference = reference_of(expected, k, dim);
		bw_compare(name, &buffer->view, &reference, &request->bound, comparison);
	}
	check_guard(name, buffer, comparison);
}

static double bytes_of(const struct bw_halide_buffer *buffer)
{
	double bytes = (double)bw_halide_bytes(buffer->type);
	for (int d = 0; d < buffer->dimensions; d++)
		bytes *= buffer->dim[d].extent;
	return bytes;
}

/* Sets an emulated output's host copy to the reference's values. Elements that the emulated device does not
 * compute keep these values when the output is fetched. */
static void expect(struct bw_buffer *buffer, const struct bw_expected *expected, int k)
{
	uint64_t skipped, copied;
	if (!expected || !(buffer->view.flags & BW_HALIDE_DEVICE_DIRTY) ||
	    !bw_cuda_emulated_skipped(&skipped, &copied))
		return;
	struct bw_halide_dim dim[BW_BUFFER_DIMS];
	struct bw_halide_buffer reference = reference_of(expected, k, dim);
	bw_buffer_copy(&buffer->view, &reference);
}

/* Returns true if an output can have room around it. It cannot if the filter fixes its strides or cannot crop
 * on its device. */
static bool has_room(const struct bw_filter *filter, const struct bw_argument *argument)
{
	for (int d = 0; d < argument->shape.dimensions; d++)
		if (argument->fixed[d])
			return false;
	return argument->shape.dimensions > 0 &&
	       (!filter->device_interface || (filter->device_crop && filter->device_release_crop));
}

/* Replaces each output by a new one with room around it. Keeps an output if there is no memory for the new
 * one, or if Halide's indices could not address it. */
static bool take_guarded(const struct bw_filter *filter, struct bw_arguments *arguments, uint64_t seed,
			 struct bw_buffer *guarded, struct bw_error *error)
{
	for (int k = 0; k < arguments->n; k++) {
		struct bw_argument *argument = &arguments->list[k];
		if (!is_output(filter, k) || !has_room(filter, argument) ||
		    !bw_buffer_make(&guarded[k], &argument->shape, true, NULL))
			continue;
		if (!poison(filter, k, &guarded[k], true, seed, error))
			return false;
		arguments->pointers[k] = &guarded[k].view;
	}
	return true;
}

static bool poison_plain(const struct bw_filter *filter, struct bw_arguments *arguments, uint64_t seed,
			 const struct bw_buffer *guarded, struct bw_error *error)
{
	for (int k = 0; k < arguments->n; k++) {
		struct bw_buffer *buffer = &arguments->list[k].buffer;
		if (is_output(filter, k) && !guarded[k].memory && !poison(filter, k, buffer, false, seed, error))
			return false;
	}
	return true;
}

/* Frees the outputs with room around them and puts the plain ones back. */
static void drop_guarded(const struct bw_filter *filter, struct bw_arguments *arguments,
			 struct bw_buffer *guarded)
{
	for (int k = 0; k < arguments->n; k++) {
		if (!guarded[k].memory)
			continue;
		arguments->pointers[k] = &arguments->list[k].buffer.view;
		discard(filter, &guarded[k]);
		guarded[k] = (struct bw_buffer){0};
	}
}

static bool run_poisoned(const struct bw_filter *filter, struct bw_arguments *arguments, uint64_t seed,
			 bool guard, struct bw_buffer *guarded, struct bw_error *error)
{
	return (!guard || take_guarded(filter, arguments, seed, guarded, error)) &&
	       poison_plain(filter, arguments, seed, guarded, error) && bw_run_once(filter, arguments, error);
}

/* Returns true if the filter rejected the strides of its buffers before it computed anything. Then it fixes
 * strides that equal the dense ones without room. */
static bool refuses_strides(const struct bw_error *error)
{
	return error && strstr(error->text, "Constraint violated") && strstr(error->text, ".stride.");
}

bool bw_run_checked(const struct bw_filter *filter, struct bw_arguments *arguments,
		    const struct bw_request *request, const struct bw_expected *expected, bool guard,
		    struct bw_comparison *comparison, struct bw_error *error)
{
	struct bw_buffer *guarded = BW_NEW_ARRAY(struct bw_buffer, arguments->n);
	uint64_t skipped = 0, copied = 0, skipped_before = 0, copied_before = 0;
	double wanted = 0;
	bool good = run_poisoned(filter, arguments, request->seed, guard, guarded, error);
	if (!good && guard && refuses_strides(error)) {
		drop_guarded(filter, arguments, guarded);
		*error = (struct bw_error){0};
		good = run_poisoned(filter, arguments, request->seed, false, guarded, error);
	}
	bw_cuda_emulated_skipped(&skipped_before, &copied_before);
	for (int k = 0; good && k < arguments->n; k++) {
		if (!is_output(filter, k))
			continue;
		struct bw_buffer *buffer = guarded[k].memory ? &guarded[k] : &arguments->list[k].buffer;
		expect(buffer, expected, k);
		wanted += bytes_of(&buffer->view);
		good = fetch(filter, buffer, guarded[k].memory, error);
		if (good)
			check(filter->metadata->arguments[k].name, buffer, expected, k, request, comparison);
	}
	/* The copies include the room around an output, which was never computed. */
	if (bw_cuda_emulated_skipped(&skipped, &copied) && skipped > skipped_before)
		comparison->skipped =
		    fmax(0, 1 - (double)(copied - copied_before - (skipped - skipped_before)) / wanted);
	drop_guarded(filter, arguments, guarded);
	free(guarded);
	return good;
}
