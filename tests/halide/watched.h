/* Calls of Halide's OpenCL runtime, watched on their way to the driver. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { WATCHED_MOST = 256, WATCHED_NAME = 256 };

struct watched_launch {
	char name[WATCHED_NAME];
	size_t shared; /* bytes a block */
	size_t global[3], local[3];
};

/* What the driver was asked for since the last watched_clear. */
struct watched {
	int n_kernels, n_launches, n_buffers;
	struct {
		void *handle;
		char name[WATCHED_NAME];
		size_t shared; /* bytes of the arguments without a value, since the last launch */
	} kernels[WATCHED_MOST];
	struct watched_launch launches[WATCHED_MOST];
	int64_t buffers[WATCHED_MOST]; /* bytes */
	char *source;                  /* of all programs */
};
const struct watched *watched(void);
void watched_clear(void);
/* For halide_set_custom_get_library_symbol. */
void *watched_symbol(void *library, const char *name);
