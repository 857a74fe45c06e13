#include "check.h"

#include <dlfcn.h>

typedef int (*filter)(void **);
typedef int (*copy_to_host)(void *, struct halide_buffer_t *);

struct halide_buffer_t buffer_of(void *host, struct halide_type_t type, struct halide_dimension_t *dims, int n)
{
	return (struct halide_buffer_t){.flags = halide_buffer_flag_host_dirty, .host = host, .type = type, .dim = dims, .dimensions = n};
}

uint64_t noise(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

void run_filter_with(const char *path, void **arguments, struct halide_buffer_t *output)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		fail_msg("%s", dlerror());
	filter call = (filter)(uintptr_t)dlsym(object, "bw_filter_argv");
	copy_to_host copy = (copy_to_host)(uintptr_t)dlsym(object, "halide_copy_to_host");
	output->flags &= ~(uint64_t)halide_buffer_flag_host_dirty;
	assert_int_equal(call(arguments), 0);
	assert_int_equal(copy(NULL, output), 0);
}

void run_filter(const char *path, struct halide_buffer_t *input, struct halide_buffer_t *output)
{
	run_filter_with(path, (void *[]){input, output}, output);
}
