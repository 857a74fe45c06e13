/* Questions about a pipeline: names, types, reads, constant dimensions, and the hashes that identify it. */
#include "pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "pipeline/pipeline_private.h"

static const struct {
	const char *name;
	int bytes;
} types[] = {BW_TYPE_TABLE(BW_ROW)};

const char *bw_type_name(enum bw_type type)
{
	return types[type].name;
}

int bw_type_bytes(enum bw_type type)
{
	return types[type].bytes;
}

BW_WORDS(bw_operation_name, enum bw_operation, BW_OPERATION_TABLE(BW_SECOND))

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

void bw_pipeline_put_rfactors(const struct bw_pipeline *pipeline, struct bw_text *out)
{
	for (int i = 0; i < pipeline->n_rfactors; i++) {
		const struct bw_rfactor *rfactor = &pipeline->rfactors[i];
		bw_text_printf(out, "%s%s.update%d:", i ? "," : "", pipeline->funcs[rfactor->func].name,
			       rfactor->stage - 1);
		if (rfactor->named)
			bw_text_printf(out, "%s%c", rfactor->rvar, rfactor->apart ? '%' : '/');
		bw_text_printf(out, "%d", rfactor->factor);
	}
}

int bw_pipeline_find(const struct bw_pipeline *pipeline, const char *name)
{
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (!strcmp(pipeline->funcs[f].name, name))
			return f;
	return -1;
}

char *bw_pipeline_size(const struct bw_pipeline *pipeline)
{
	struct bw_text size = {0};
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		if (!func->output || size.length)
			continue;
		for (int d = 0; d < func->n_dims; d++)
			bw_text_printf(&size, d ? "x%lld" : "%lld",
				       (long long)(func->estimate[d].max - func->estimate[d].min + 1));
	}
	return bw_text_take(&size);
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

double bw_stage_operations(const struct bw_stage *stage)
{
	static const double costs[] = {BW_OPERATION_TABLE(BW_THIRD)};
	double sum = 0;
	for (int o = 0; o < BW_N_OPERATIONS; o++)
		for (int t = 0; t < BW_N_TYPES; t++)
			sum += costs[o] * stage->ops[o][t];
	return sum;
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

/* The numbers of inlined Funcs; -1: not computed yet. */
struct known {
	const struct bw_pipeline *pipeline;
	const bool *inlined;
	int *numbers;
};

static int number_of(const struct known *known, const struct bw_branching *tree);

static int number_of_func(const struct known *known, int func)
{
	const struct bw_branching *tree = known->pipeline->funcs[func].branching;
	if (known->numbers[func] < 0)
		known->numbers[func] = tree ? number_of(known, tree) : 0;
	return known->numbers[func];
}

static int number_of(const struct known *known, const struct bw_branching *tree)
{
	int total = 0;
	if (tree->kind == BW_BRANCHING_NUMBER)
		return tree->number;
	if (tree->kind == BW_BRANCHING_CALL)
		return known->inlined[tree->number] ? number_of_func(known, tree->number) : number_of(known, tree->parts);
	for (int i = 0; i < tree->n_parts; i++) {
		int part = number_of(known, &tree->parts[i]);
		if (tree->kind == BW_BRANCHING_MOST || !i)
			total = (int)bw_max(total, part);
		else if (part || tree->kind == BW_BRANCHING_BOTH)
			total = part == total ? total + 1 : (int)bw_max(total, part);
	}
	return total;
}

/* The feature expr_branching (Anderson et al. 2021, appendix A). */
int bw_func_branching(const struct bw_pipeline *pipeline, int func, const bool *inlined)
{
	struct known known = {pipeline, inlined, BW_NEW_ARRAY(int, pipeline->n_funcs)};
	for (int f = 0; f < pipeline->n_funcs; f++)
		known.numbers[f] = -1;
	int number = number_of_func(&known, func);
	free(known.numbers);
	return number;
}

uint32_t bw_stage_constant(const struct bw_stage *stage, uint32_t computed)
{
	uint32_t constant = 0;
	for (int l = 0; l < stage->n_loops; l++)
		constant |= (uint32_t)bw_bound_constant(&stage->loops[l].bound, computed) << l;
	return constant;
}

/* Names that shadow each other in OpenCL C (CodeGen_OpenCL_Dev.cpp and FuseGPUThreadLoops.cpp of Halide 14
 * to 21): a kernel names its allocations of Func f f_0, f_1 and so on. These shadow a Func or input of the
 * same name. */

/* Allocations of a kernel are numbered from 0; there are fewer than 100. */
enum { MOST_DIGITS = 2 };

/* Returns the Func whose allocation has this name: the name without `_` and an allocation's number; or -1. */
static int hidden_by(const struct bw_pipeline *pipeline, const char *name)
{
	size_t length = strlen(name), digits = length;
	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	bool number = digits < length && length - digits <= MOST_DIGITS &&
		      (name[digits] != '0' || length - digits == 1);
	if (!number || digits < 2 || name[digits - 1] != '_')
		return -1;
	BW_SCOPED_MEMORY char *begin = strndup(name, digits - 1);
	int f = bw_pipeline_find(pipeline, begin);
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

/* The hashes that identify pipelines. */

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

/* The hash covers everything that a schedule names, and the definitions. It leaves out bounds and
 * operations, which follow from the definitions but differ between versions of Halide. */
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
	BW_SCOPED_MEMORY char *text = json_dumps(root->value, JSON_COMPACT | JSON_SORT_KEYS);
	return bw_hash_string(2, text ? text : "");
}
