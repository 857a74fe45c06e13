/* Fuzzes reading Nsight Compute's CSV. Whatever is accepted has a kernel with a metric, and all numbers are numbers. */
#include <math.h>
#include <string.h>

#include "results/ncu.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	char *text = malloc(length + 1);
	memcpy(text, bytes, length);
	text[length] = 0;
	struct bw_ncu ncu;
	struct bw_error error = {0};
	int metrics = 0;
	bool good = bw_ncu_read("fuzz", text, &ncu, &error);
	expect(good || (error.kind == BW_ERROR_INPUT && !strncmp(error.text, "fuzz: ", 6)), "errors begin with the file");
	for (int k = 0; k < ncu.n; k++) {
		const struct bw_ncu_kernel *kernel = &ncu.kernels[k];
		expect(*kernel->name && bw_ncu_kernel(&ncu, kernel->name, strlen(kernel->name) + 1) == kernel, "a kernel is found by its name");
		for (int i = 0; i < kernel->n; i++, metrics++)
			expect(kernel->metrics[i].n > 0 && !isnan(kernel->metrics[i].sum) && *kernel->metrics[i].name, "a metric has a value");
	}
	expect(good == (metrics > 0), "what is accepted has a metric");
	bw_ncu_free(&ncu);
	free(text);
	return 0;
}
