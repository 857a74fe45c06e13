/* Fuzzes reading PTX, and runs what can be read: a kernel of any content does no harm beyond its own memory. */
#include <string.h>

#include "emulator/launch.h"
#include "emulator/ptx.h"
#include "target.h"

enum { BUFFER = 4096, THREADS = 40, STEPS = 500, MOST_PARAMETERS = 32768 };

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

/* Blanks the line that the complaint names. Returns false if there is nothing to blank. */
static bool blank(char *text, size_t length, const char *complaint)
{
	int line = 0;
	bool changed = false;
	if (sscanf(complaint, "line %d:", &line) != 1)
		return false;
	for (size_t k = 0; k < length && line > 0; k++) {
		line -= text[k] == '\n';
		if (line == 1 && text[k] != '\n') {
			changed |= text[k] != ' ';
			text[k] = ' ';
		}
	}
	return changed;
}

/* Reads the text; what is refused is read again without the lines that are wrong, so that the rest of it runs. */
static struct bw_ptx *read_module(const uint8_t *bytes, size_t length)
{
	enum { MOST_TRIES = 12 };
	struct bw_ptx *module = NULL;
	char complaint[300], *text = malloc(length + 1);
	memcpy(text, bytes, length);
	for (int k = 0; k < MOST_TRIES && !module; k++) {
		*complaint = 0;
		enum bw_ptx_result result = bw_ptx_read(text, length, &module, complaint, sizeof complaint);
		expect(result == BW_PTX_GOOD ? module != NULL : !module && *complaint, "a complaint has words");
		if (!module && !blank(text, length, complaint))
			break;
	}
	free(text);
	return module;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_ptx *module = read_module(bytes, length);
	if (!module)
		return 0;
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
