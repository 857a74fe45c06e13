#include "watched.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Halide's runtime gives its caller no pointer of ours, so that it is gathered here. */
static struct watched seen;

const struct watched *watched(void)
{
	return &seen;
}

void watched_clear(void)
{
	free(seen.source);
	memset(&seen, 0, sizeof seen);
}

static void must(bool good)
{
	if (!good) {
		fprintf(stderr, "more calls of the driver than are kept, or of a kernel that nobody made\n");
		abort();
	}
}

/* The driver's functions, as Khronos' cl.h declares them. */
static void *(*real_program)(void *, uint32_t, const char **, const size_t *, int32_t *);
static void *(*real_kernel)(void *, const char *, int32_t *);
static int32_t (*real_argument)(void *, uint32_t, size_t, const void *);
static void *(*real_buffer)(void *, uint64_t, size_t, void *, int32_t *);

static void *make_program(void *context, uint32_t n, const char **strings, const size_t *lengths, int32_t *error)
{
	struct bw_text source = {0};
	bw_text_puts(&source, seen.source ? seen.source : "");
	for (uint32_t i = 0; i < n; i++)
		bw_text_append(&source, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
	free(seen.source);
	seen.source = bw_text_take(&source);
	return real_program(context, n, strings, lengths, error);
}

static void *make_kernel(void *program, const char *name, int32_t *error)
{
	void *kernel = real_kernel(program, name, error);
	must(seen.n_kernels < WATCHED_MOST);
	seen.kernels[seen.n_kernels].handle = kernel;
	seen.kernels[seen.n_kernels].shared = 0;
	snprintf(seen.kernels[seen.n_kernels++].name, WATCHED_NAME, "%s", name);
	return kernel;
}

static int kernel_index(const void *handle)
{
	int i = seen.n_kernels - 1; /* a handle may come back */
	while (i >= 0 && seen.kernels[i].handle != handle)
		i--;
	must(i >= 0);
	return i;
}

/* Where a kernel has no shared memory the runtime asks for one byte. */
static int32_t set_argument(void *kernel, uint32_t index, size_t size, const void *value)
{
	if (!value && size > 1)
		seen.kernels[kernel_index(kernel)].shared += size;
	return real_argument(kernel, index, size, value);
}

/* Launches nothing: what kernels compute is not looked at, and PoCL would compile them now. */
static int32_t enqueue(void *queue, void *kernel, uint32_t n, const size_t *offset, const size_t *global, const size_t *local, uint32_t n_events, const void *events, void *event)
{
	(void)queue, (void)offset, (void)n_events, (void)events, (void)event;
	int from = kernel_index(kernel);
	must(seen.n_launches < WATCHED_MOST);
	struct watched_launch *launch = &seen.launches[seen.n_launches++];
	memcpy(launch->name, seen.kernels[from].name, WATCHED_NAME);
	launch->shared = seen.kernels[from].shared;
	seen.kernels[from].shared = 0;
	for (uint32_t d = 0; d < 3; d++) {
		launch->global[d] = d < n ? global[d] : 1;
		launch->local[d] = d < n ? local[d] : 1;
	}
	return 0;
}

static void *make_buffer(void *context, uint64_t flags, size_t size, void *host, int32_t *error)
{
	must(seen.n_buffers < WATCHED_MOST);
	seen.buffers[seen.n_buffers++] = (int64_t)size;
	return real_buffer(context, flags, size, host, error);
}

void *watched_symbol(void *library, const char *name)
{
	void *symbol = dlsym(library, name);
#define WATCH(function, real, ours) \
	if (symbol && !strcmp(name, function)) { \
		real = (__typeof__(real))symbol; \
		return (void *)ours; \
	}
	WATCH("clCreateProgramWithSource", real_program, make_program)
	WATCH("clCreateKernel", real_kernel, make_kernel)
	WATCH("clSetKernelArg", real_argument, set_argument)
	if (symbol && !strcmp(name, "clEnqueueNDRangeKernel"))
		return (void *)enqueue;
	WATCH("clCreateBuffer", real_buffer, make_buffer)
#undef WATCH
	return symbol;
}
