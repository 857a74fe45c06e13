/* Names that hide each other in OpenCL C (CodeGen_OpenCL_Dev.cpp and FuseGPUThreadLoops.cpp of Halide 14
 * to 21): a kernel calls its allocations of Func f f_0, f_1 and so on, which hide a Func or input of such
 * a name. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/hidden.h"

/* Allocations of a kernel are numbered from 0; there are fewer than 100. */
enum { MOST_DIGITS = 2 };

/* Returns the Func whose name is this one without `_` and such a number, or -1. */
static int hidden_by(const struct bw_pipeline *pipeline, const char *name)
{
	size_t length = strlen(name), digits = length;
	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	bool number = digits < length && length - digits <= MOST_DIGITS &&
		      (name[digits] != '0' || length - digits == 1);
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
		bw_text_printf(out,
			       "rename %s: in OpenCL C %s's memory is called so, too; outputs can be wrong",
			       pipeline->funcs[f].name, pipeline->funcs[by].name);
		return;
	}
}
