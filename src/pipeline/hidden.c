/* Names that hide each other in OpenCL C (CodeGen_OpenCL_Dev.cpp and FuseGPUThreadLoops.cpp of Halide 14 to 21): what a kernel holds of Func f is called f_0, f_1 and so
 * on there, and so is a Func or an input of that name. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/hidden.h"

/* A kernel's allocations are counted from 0; there are not as many as have three digits. */
enum { MOST_DIGITS = 2 };

/* The Func that is called as this one is without `_` and such a number; -1 where there is none. */
static int hidden_by(const struct bw_pipeline *pipeline, const char *name)
{
	size_t length = strlen(name), digits = length;
	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	bool number = digits < length && length - digits <= MOST_DIGITS && (name[digits] != '0' || length - digits == 1);
	if (!number || digits < 2 || name[digits - 1] != '_')
		return -1;
	char *begin = strndup(name, digits - 1);
	int f = bw_pipeline_find(pipeline, begin);
	free(begin);
	return f >= 0 && !pipeline->funcs[f].input ? f : -1;
}

void bw_pipeline_hidden_words(const struct bw_pipeline *pipeline, struct bw_text *out)
{
	for (int f = 0; f < pipeline->n_funcs; f++) {
		int by = hidden_by(pipeline, pipeline->funcs[f].name);
		if (by < 0)
			continue;
		bw_text_printf(out, "rename %s: in OpenCL C %s's memory is called so, too; outputs can be wrong", pipeline->funcs[f].name, pipeline->funcs[by].name);
		return;
	}
}
