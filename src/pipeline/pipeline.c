#include "pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline_private.h"

static const struct {
	const char *name;
	int bytes;
} types[] = {
#define X(name, text, bytes) {text, bytes},
	BW_TYPE_TABLE(X)
#undef X
};

const char *bw_type_name(enum bw_type type)
{
	return types[type].name;
}

int bw_type_bytes(enum bw_type type)
{
	return types[type].bytes;
}

const char *bw_operation_name(enum bw_operation operation)
{
	static const char *const names[] = {
#define X(name, text) text,
		BW_OPERATION_TABLE(X)
#undef X
	};
	return names[operation];
}

void bw_pipeline_free(struct bw_pipeline *pipeline)
{
	if (!pipeline)
		return;
	struct bw_arena *arena = ((struct bw_owned_pipeline *)pipeline)->arena;
	bw_arena_free(arena);
	free(pipeline);
}

int bw_pipeline_n_handles(const struct bw_pipeline *pipeline)
{
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++)
		n = pipeline->funcs[f].handle < n ? n : pipeline->funcs[f].handle + 1;
	for (int i = 0; i < pipeline->n_folded; i++)
		n = pipeline->folded[i].handle < n ? n : pipeline->folded[i].handle + 1;
	for (int i = 0; i < pipeline->n_externs; i++)
		n = pipeline->externs[i].handle < n ? n : pipeline->externs[i].handle + 1;
	return n;
}

int bw_pipeline_find(const struct bw_pipeline *pipeline, const char *name)
{
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (!strcmp(pipeline->funcs[f].name, name))
			return f;
	return -1;
}

const struct bw_read *bw_stage_read_of(const struct bw_stage *stage, int producer)
{
	for (int r = 0; r < stage->n_reads; r++)
		if (stage->reads[r].producer == producer)
			return &stage->reads[r];
	return NULL;
}

const char *bw_func_axis(const struct bw_func *func, int axis)
{
	for (int s = 0; s < func->n_stages; s++)
		for (int i = 0; i < func->stages[s].n_across; i++)
			if (func->stages[s].loops[func->stages[s].across[i]].axis == axis)
				return func->stages[s].loops[func->stages[s].across[i]].name;
	return "";
}

int bw_stage_find_loop(const struct bw_stage *stage, const char *name)
{
	for (int l = 0; l < stage->n_loops; l++)
		if (!strcmp(stage->loops[l].name, name))
			return l;
	return -1;
}

static bool is_identity(const struct bw_jacobian *jacobian)
{
	if (jacobian->count != 1 || jacobian->n_dims != jacobian->n_loops)
		return false;
	for (int d = 0; d < jacobian->n_dims; d++)
		for (int l = 0; l < jacobian->n_loops; l++) {
			struct bw_ratio entry = jacobian->entries[d * jacobian->n_loops + l];
			if (entry.den != 1 || entry.num != (d == l))
				return false;
		}
	return true;
}

bool bw_func_pointwise(const struct bw_pipeline *pipeline, int func)
{
	const struct bw_func *f = &pipeline->funcs[func];
	if (f->n_stages != 1)
		return false;
	for (int c = 0; c < f->n_consumers; c++) {
		const struct bw_read *read = bw_stage_read_of(f->consumers[c], func);
		if (read->n_loads != 1 || !is_identity(&read->loads[0]))
			return false;
	}
	return true;
}

bool bw_func_maps(const struct bw_func *func)
{
	const struct bw_stage *stage = &func->stages[0];
	for (int r = 0; r < stage->n_reads; r++)
		if (stage->reads[r].n_loads != 1 || !is_identity(&stage->reads[r].loads[0]))
			return false;
	return func->n_stages == 1;
}
