/* The hashes that identify pipelines. */
#include <stdlib.h>

#include "base/hash.h"
#include "pipeline/pipeline_private.h"

static uint64_t hash_stage(uint64_t hash, const struct bw_pipeline *pipeline, const struct bw_stage *stage)
{
	hash = bw_hash_mix(hash, (uint64_t)stage->n_loops << 1 | stage->predicated);
	for (int l = 0; l < stage->n_loops; l++)
		hash = bw_hash_mix(bw_hash_string(hash, stage->loops[l].name), stage->loops[l].pure);
	hash = bw_hash_mix(hash, (uint64_t)stage->n_reads);
	for (int r = 0; r < stage->n_reads; r++)
		hash = bw_hash_string(hash, pipeline->funcs[stage->reads[r].producer].name);
	return hash;
}

static uint64_t hash_func(uint64_t hash, const struct bw_pipeline *pipeline, const struct bw_func *func)
{
	hash = bw_hash_mix(bw_hash_string(hash, func->name), func->definition);
	hash = bw_hash_mix(hash, (uint64_t)func->n_dims << 1 | func->output);
	for (int d = 0; d < func->n_dims; d++)
		hash = bw_hash_string(hash, func->dims[d]);
	hash = bw_hash_mix(hash, (uint64_t)func->n_values);
	for (int v = 0; v < func->n_values; v++)
		hash = bw_hash_mix(hash, func->types[v]);
	hash = bw_hash_mix(hash, (uint64_t)func->n_stages);
	for (int s = 0; s < func->n_stages; s++)
		hash = hash_stage(hash, pipeline, &func->stages[s]);
	return hash;
}

/* Covers everything that a schedule names, and the definitions. Bounds and operations follow from these,
 * and differ between versions of Halide. */
uint64_t bw_pipeline_hash_algorithm(const struct bw_pipeline *pipeline)
{
	uint64_t hash = bw_hash_string(1, pipeline->name);
	for (int f = 0; f < pipeline->n_funcs; f++)
		hash = hash_func(hash, pipeline, &pipeline->funcs[f]);
	return hash;
}

/* Covers the whole document except for the order of keys and white space. */
uint64_t bw_pipeline_hash_content(const struct bw_json_at *root)
{
	char *text = json_dumps(root->value, JSON_COMPACT | JSON_SORT_KEYS);
	uint64_t hash = bw_hash_string(2, text ? text : "");
	free(text);
	return hash;
}
