/* Fuzzes reading PTX, and runs what can be read: a kernel of any content does no harm beyond its own memory. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/launch.h"
#include "emulator/ptx.h"

enum { BUFFER = 4096, THREADS = 40, STEPS = 500, MOST_PARAMETERS = 32768 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Runs two blocks; 64-bit parameters are the address of a buffer, all others 0. */
static void run(const struct bw_ptx_kernel *kernel, struct bw_memory *memory, uint64_t buffer, struct bw_checks *checks)
{
	static unsigned char values[MOST_PARAMETERS];
	memset(values, 0, sizeof values);
	for (int k = 0; k < kernel->n_parameters; k++)
		if (kernel->parameters[k].bytes == sizeof buffer)
			memcpy(values + kernel->parameters[k].at, &buffer, sizeof buffer);
	struct bw_ptx_launch launch = {.kernel = kernel, .memory = memory, .grid = {2, 1, 1}, .threads = {THREADS, 1, 1}, .dynamic_shared = 1024, .parameters = values, .most_steps = STEPS, .host_threads = 1, .checks = checks};
	int code = bw_launch_run(&launch);
	expect(!code || *launch.fault.text, "a fault has words");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_ptx *module;
	char complaint[300] = "";
	char *text = malloc(length + 1);
	memcpy(text, bytes, length);
	enum bw_ptx_result result = bw_ptx_read(text, length, &module, complaint, sizeof complaint);
	free(text);
	if (result != BW_PTX_GOOD) {
		expect(!module && *complaint, "a complaint has words");
		return 0;
	}
	for (int k = 0; k < module->n_kernels && k < 8; k++) {
		const struct bw_ptx_kernel *kernel = module->kernels[k];
		if (kernel->register_bytes > 1 << 20 || kernel->shared_bytes > 1 << 16 || kernel->local_bytes > 1 << 12)
			continue;
		struct bw_memory memory = {.most_bytes = 1 << 20, .has_cells = true};
		struct bw_checks checks = {.what = BW_CHECK_RACE | BW_CHECK_INIT};
		uint64_t buffer = bw_memory_allocate(&memory, BUFFER);
		run(kernel, &memory, buffer, NULL);
		run(kernel, &memory, buffer, &checks);
		bw_check_end(&checks);
		bw_memory_end(&memory);
	}
	bw_ptx_free(module);
	return 0;
}
