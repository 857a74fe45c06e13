/* Fuzzes reading what ptxas says, putting its kernels in the order of a text, and finding device code in an object. */
#include <string.h>

#include "bench/device_code.h"
#include "bench/ptxas.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	char *text = malloc(length + 1);
	memcpy(text, bytes, length);
	text[length] = 0;
	check_uses(text);
	free(text);
	check_code(bytes, length, BW_API_CUDA);
	check_code(bytes, length, BW_API_OPENCL);
	return 0;
}
