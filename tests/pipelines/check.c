#include "check.h"

#include <dlfcn.h>

typedef int (*filter)(struct halide_buffer_t *, struct halide_buffer_t *);
typedef int (*copy_to_host)(void *, struct halide_buffer_t *);

struct halide_buffer_t buffer_of(void *host, struct halide_type_t type, struct halide_dimension_t *dims, int n)
{
	return (struct halide_buffer_t){.host = host, .type = type, .dim = dims, .dimensions = n};
}

uint64_t noise(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

void run_filter(const char *path, struct halide_buffer_t *input, struct halide_buffer_t *output)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		fail_msg("%s", dlerror());
	filter call = (filter)(uintptr_t)dlsym(object, "bw_filter");
	copy_to_host copy = (copy_to_host)(uintptr_t)dlsym(object, "halide_copy_to_host");
	input->flags = halide_buffer_flag_host_dirty;
	assert_int_equal(call(input, output), 0);
	assert_int_equal(copy(NULL, output), 0);
}
