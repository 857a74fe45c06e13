/* Fuzzes reading what ptxas says and makes, putting its kernels in the order of a text, and finding device code in an object. */
#include <string.h>

#include "bench/device_code.h"
#include "bench/ptxas.h"
#include "bench/sass.h"
#include "target.h"

static void check_uses(const char *text)
{
	struct bw_kernel_uses uses;
	struct bw_error error = {0};
	if (!bw_ptxas_read(text, &uses, &error)) {
		expect(error.kind == BW_ERROR_DEVICE && *error.text, "an error says what is missing");
		return;
	}
	expect(uses.n > 0 && uses.n <= BW_MOST_KERNELS, "there are kernels, and no more than are kept");
	int registers = 0, after = 0;
	for (int k = 0; k < uses.n; k++) {
		const struct bw_kernel_use *use = &uses.list[k];
		expect(*use->name && strlen(use->name) < sizeof use->name, "a kernel has a name");
		expect(use->registers >= 0, "its registers are known");
		expect(use->local_bytes >= -1 && use->spill_stores >= -1 && use->spill_loads >= -1 && use->shared_bytes >= 0 && use->barriers >= -1, "what is not known is -1");
		registers ^= use->registers;
	}
	bw_ptxas_order(text, &uses);
	for (int k = 0; k < uses.n; k++)
		after ^= uses.list[k].registers;
	expect(registers == after, "ordering keeps all kernels");
}

static void check_code(const uint8_t *bytes, size_t length, enum bw_api api)
{
	struct bw_text code = {0};
	struct bw_error error = {0};
	if (bw_device_code("fuzz", bytes, length, api, &code, &error))
		expect(code.length > 0 && strlen(bw_text_get(&code)) == code.length, "device code is text");
	else
		expect(error.kind == BW_ERROR_INPUT && !strncmp(error.text, "fuzz: ", 6), "errors begin with the file");
	bw_text_free(&code);
}

/* bytes: with a 0 behind them. */
static void check_sass(const char *bytes, size_t length, int sm)
{
	struct bw_error error = {0};
	struct bw_sass *sass = bw_sass_read("fuzz", bytes, length, sm, &error);
	if (!sass) {
		expect(error.kind == BW_ERROR_INPUT && !strncmp(error.text, "fuzz: ", 6), "errors begin with the file");
		return;
	}
	for (int k = 0; k < sass->n; k++) {
		struct bw_counted_part parts[] = {{.line = 1, .length = 1, .counts = {.instructions = 8}}, {.line = 5, .length = 3, .counts = {.instructions = 9}}};
		struct bw_counted_kernel kernel = {.n_parts = 2, .parts = parts};
		struct bw_counted counted = {.n = 1, .kernels = &kernel};
		snprintf(kernel.name, sizeof kernel.name, "%s", sass->kernels[k].name);
		for (int i = 0; i < sass->kernels[k].n; i++)
			expect(sass->kernels[k].code[i].target < sass->kernels[k].n && sass->kernels[k].code[i].line >= 0, "branches stay in their kernel");
		bw_sass_count(sass, "ld.global.u32 a\n@p st.shared.u8 a\nfma.rn.f32\n\nmov\nbra\n", &counted);
		expect(bw_counted_sass(&kernel) >= 0, "there is a sum");
	}
	bw_sass_free(sass);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	char *text = malloc(length + 1);
	memcpy(text, bytes, length);
	text[length] = 0;
	check_uses(text);
	check_sass(text, length, 80);
	check_sass(text, length, 90);
	free(text);
	check_code(bytes, length, BW_API_CUDA);
	check_code(bytes, length, BW_API_OPENCL);
	return 0;
}
