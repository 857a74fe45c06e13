/* Reading a description (beamwalk-pipeline(5)): everything is checked here, so that nobody behind has to. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "pipeline/pipeline_private.h"

enum { MAX_FUNCS = 4096, MAX_PARAMS = 1024, MAX_VALUES = 64 };

struct bw_scope bw_scope_of(const struct bw_reading_pipeline *reading, const char *const *names, int n)
{
	return (struct bw_scope){names, n, reading->param_names, reading->param_values, reading->pipeline->n_params};
}

bool bw_read_names(struct bw_reading_pipeline *reading, const struct bw_json_at *at, int most, const char ***names, int *n)
{
	size_t length;
	if (!bw_json_length(at, &length, reading->error))
		return false;
	if (length > (size_t)most)
		return bw_json_fail(at, reading->error, "%zu names, at most %d are understood", length, most);
	*names = BW_ARENA_ARRAY(reading->arena, const char *, length + 1);
	*n = (int)length;
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(at, i);
		const char *name;
		if (!bw_json_string(&element, &name, reading->error))
			return false;
		if (!*name)
			return bw_json_fail(&element, reading->error, "an empty name");
		for (size_t k = 0; k < i; k++)
			if (!strcmp((*names)[k], name))
				return bw_json_fail(&element, reading->error, "\"%s\" stands here twice", name);
		(*names)[i] = bw_arena_strdup(reading->arena, name);
	}
	return true;
}

static bool read_bound(struct bw_reading_pipeline *reading, const struct bw_json_at *at, const struct bw_scope *scope, struct bw_bound *bound, bool *unbounded)
{
	static const char *const keys[] = {"min", "max", NULL};
	struct bw_json_at min, max;
	if (!bw_json_only(at, keys, reading->error) || !bw_json_get(at, "min", &min, reading->error) || !bw_json_get(at, "max", &max, reading->error))
		return false;
	bound->min = bw_expr_read(&min, scope, reading->arena, reading->error);
	bound->max = bound->min ? bw_expr_read(&max, scope, reading->arena, reading->error) : NULL;
	if (!bound->max)
		return false;
	*unbounded |= bw_expr_unbounded(bound->min) || bw_expr_unbounded(bound->max);
	return true;
}

bool bw_read_bounds(struct bw_reading_pipeline *reading, const struct bw_json_at *at, const struct bw_scope *scope, int n, const struct bw_bound **bounds, bool *unbounded)
{
	size_t length;
	if (!bw_json_length(at, &length, reading->error))
		return false;
	if (length != (size_t)n)
		return bw_json_fail(at, reading->error, "%zu bounds, expected %d: one a dimension", length, n);
	struct bw_bound *list = BW_ARENA_ARRAY(reading->arena, struct bw_bound, n + 1);
	*bounds = list;
	*unbounded = false;
	for (int i = 0; i < n; i++) {
		struct bw_json_at element = bw_json_element(at, (size_t)i);
		if (!read_bound(reading, &element, scope, &list[i], unbounded))
			return false;
	}
	return true;
}

/* A Halide type's name as the features count it: unsigned like signed, float16 like float32. */
static bool read_type(struct bw_reading_pipeline *reading, const struct bw_json_at *at, enum bw_type *type)
{
	static const struct {
		const char *name;
		enum bw_type type;
	} halide[] = {
		{"bool", BW_TYPE_BOOL}, {"int8", BW_TYPE_INT8}, {"uint8", BW_TYPE_INT8}, {"int16", BW_TYPE_INT16}, {"uint16", BW_TYPE_INT16}, {"int32", BW_TYPE_INT32}, {"uint32", BW_TYPE_INT32}, {"int64", BW_TYPE_INT64}, {"uint64", BW_TYPE_INT64}, {"float16", BW_TYPE_INT16}, {"bfloat16", BW_TYPE_INT16}, {"float32", BW_TYPE_FLOAT32}, {"float64", BW_TYPE_FLOAT64}, {"handle", BW_TYPE_INT64},
	};
	const char *name;
	if (!bw_json_string(at, &name, reading->error))
		return false;
	for (size_t i = 0; i < sizeof halide / sizeof *halide; i++)
		if (!strcmp(halide[i].name, name)) {
			*type = halide[i].type;
			return true;
		}
	return bw_json_fail(at, reading->error, "no type \"%s\"", name);
}

static bool read_types(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_func *func)
{
	size_t length;
	struct bw_json_at types;
	if (!bw_json_get(at, "types", &types, reading->error) || !bw_json_length(&types, &length, reading->error))
		return false;
	if (length < 1 || length > MAX_VALUES)
		return bw_json_fail(&types, reading->error, "expected 1 to %d types, one a component of the tuple", MAX_VALUES);
	enum bw_type *list = BW_ARENA_ARRAY(reading->arena, enum bw_type, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&types, i);
		if (!read_type(reading, &element, &list[i]))
			return false;
		func->bytes += bw_type_bytes(list[i]);
	}
	func->types = list;
	func->n_values = (int)length;
	return true;
}

static bool read_estimate(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_func *func)
{
	size_t length;
	struct bw_json_at estimate;
	if (!bw_json_get(at, "estimate", &estimate, reading->error) || !bw_json_length(&estimate, &length, reading->error))
		return false;
	if (length != (size_t)func->n_dims)
		return bw_json_fail(&estimate, reading->error, "%zu estimates for %d dimensions", length, func->n_dims);
	struct bw_interval *list = BW_ARENA_ARRAY(reading->arena, struct bw_interval, length + 1);
	for (size_t d = 0; d < length; d++) {
		struct bw_json_at pair = bw_json_element(&estimate, d);
		size_t two;
		int64_t min, extent;
		if (!bw_json_length(&pair, &two, reading->error))
			return false;
		if (two != 2)
			return bw_json_fail(&pair, reading->error, "expected [min, extent]");
		struct bw_json_at first = bw_json_element(&pair, 0), second = bw_json_element(&pair, 1);
		if (!bw_json_int(&first, INT32_MIN, INT32_MAX, &min, reading->error) || !bw_json_int(&second, 1, INT32_MAX, &extent, reading->error))
			return false;
		list[d] = (struct bw_interval){min, min + extent - 1};
	}
	func->estimate = list;
	return true;
}

static bool read_flag(struct bw_reading_pipeline *reading, const struct bw_json_at *at, const char *key, bool *flag)
{
	struct bw_json_at member;
	*flag = false;
	return !bw_json_has(at, key, &member) || bw_json_bool(&member, flag, reading->error);
}

/* Name, dimensions and types: what inputs and Funcs have in common. */
static bool read_head(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_func *func)
{
	struct bw_json_at name, dims;
	if (!bw_json_get(at, "name", &name, reading->error) || !bw_json_string(&name, &func->name, reading->error) || !bw_json_get(at, "dims", &dims, reading->error))
		return false;
	if (!*func->name)
		return bw_json_fail(&name, reading->error, "an empty name");
	for (int f = 0; f < reading->n_funcs; f++)
		if (!strcmp(reading->funcs[f].name, func->name))
			return bw_json_fail(&name, reading->error, "there are two Funcs or inputs \"%s\"", func->name);
	func->name = bw_arena_strdup(reading->arena, func->name);
	const char **names;
	if (!bw_read_names(reading, &dims, BW_MAX_DIMS, &names, &func->n_dims))
		return false;
	func->dims = names;
	return read_types(reading, at, func);
}

static bool read_input(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_func *func)
{
	static const char *const keys[] = {"name", "types", "dims", "estimate", NULL};
	func->input = true;
	func->handle = -1;
	return bw_json_only(at, keys, reading->error) && read_head(reading, at, func) && read_estimate(reading, at, func);
}

static bool read_definition(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_func *func)
{
	struct bw_json_at member;
	const char *text;
	char *end;
	if (!bw_json_get(at, "definition", &member, reading->error) || !bw_json_string(&member, &text, reading->error))
		return false;
	func->definition = strtoull(text, &end, 16);
	if (strlen(text) != 16 || *end || strspn(text, "0123456789abcdef") != 16)
		return bw_json_fail(&member, reading->error, "expected 16 hexadecimal digits");
	return true;
}

/* `computed` equals the required box where it is left out. */
static bool read_computed(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_func *func)
{
	struct bw_json_at computed;
	struct bw_scope scope = bw_scope_of(reading, func->dims, func->n_dims);
	bool unbounded;
	if (bw_json_has(at, "computed", &computed))
		return bw_read_bounds(reading, &computed, &scope, func->n_dims, &func->computed, &unbounded);
	struct bw_bound *same = BW_ARENA_ARRAY(reading->arena, struct bw_bound, func->n_dims + 1);
	for (int d = 0; d < func->n_dims; d++) {
		same[d].min = bw_expr_variable(reading->arena, d, false);
		same[d].max = bw_expr_variable(reading->arena, d, true);
	}
	func->computed = same;
	return true;
}

static bool read_func(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_func *func)
{
	static const char *const keys[] = {"name", "handle", "definition", "types", "dims", "output", "estimate", "wrapper", "boundary", "computed", "stages", NULL};
	struct bw_json_at handle, stages, estimate;
	int64_t number;
	if (!bw_json_only(at, keys, reading->error) || !read_head(reading, at, func) || !bw_json_get(at, "handle", &handle, reading->error) || !bw_json_int(&handle, 0, MAX_FUNCS, &number, reading->error))
		return false;
	func->handle = (int)number;
	for (int f = 0; f < reading->n_funcs; f++)
		if (reading->funcs[f].handle == func->handle)
			return bw_json_fail(&handle, reading->error, "%s has the same handle", reading->funcs[f].name);
	if (!read_definition(reading, at, func) || !read_flag(reading, at, "output", &func->output) || !read_flag(reading, at, "wrapper", &func->wrapper) || !read_flag(reading, at, "boundary", &func->boundary))
		return false;
	if (func->output && !read_estimate(reading, at, func))
		return false;
	if (!func->output && bw_json_has(at, "estimate", &estimate))
		return bw_json_fail(&estimate, reading->error, "only inputs and outputs have estimates");
	return read_computed(reading, at, func) && bw_json_get(at, "stages", &stages, reading->error) && bw_read_stages(reading, &stages, func);
}

static bool read_param(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_param *param, int64_t *value)
{
	static const char *const keys[] = {"name", "type", "estimate", NULL};
	struct bw_json_at name, type, estimate;
	if (!bw_json_only(at, keys, reading->error) || !bw_json_get(at, "name", &name, reading->error) || !bw_json_string(&name, &param->name, reading->error) || !bw_json_get(at, "type", &type, reading->error) || !bw_json_string(&type, &param->type, reading->error))
		return false;
	if (bw_json_has(at, "estimate", &estimate) && !bw_json_number(&estimate, &param->estimate, reading->error))
		return false;
	param->name = bw_arena_strdup(reading->arena, param->name);
	param->type = bw_arena_strdup(reading->arena, param->type);
	*value = param->estimate >= -0x1p62 && param->estimate <= 0x1p62 ? (int64_t)param->estimate : 0;
	return true;
}

static bool read_params(struct bw_reading_pipeline *reading, const struct bw_json_at *root)
{
	struct bw_json_at list;
	size_t length;
	if (!bw_json_has(root, "parameters", &list))
		return true;
	if (!bw_json_length(&list, &length, reading->error))
		return false;
	if (length > MAX_PARAMS)
		return bw_json_fail(&list, reading->error, "%zu parameters, at most %d are understood", length, MAX_PARAMS);
	struct bw_param *params = BW_ARENA_ARRAY(reading->arena, struct bw_param, length + 1);
	reading->param_names = BW_ARENA_ARRAY(reading->arena, const char *, length + 1);
	reading->param_values = BW_ARENA_ARRAY(reading->arena, int64_t, length + 1);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&list, i);
		if (!read_param(reading, &element, &params[i], &reading->param_values[i]))
			return false;
		reading->param_names[i] = params[i].name;
	}
	reading->pipeline->n_params = (int)length;
	reading->pipeline->params = params;
	return true;
}

static bool read_funcs(struct bw_reading_pipeline *reading, const struct bw_json_at *root)
{
	struct bw_json_at inputs, funcs;
	size_t n_inputs, n;
	if (!bw_json_get(root, "inputs", &inputs, reading->error) || !bw_json_length(&inputs, &n_inputs, reading->error) || !bw_json_get(root, "funcs", &funcs, reading->error) || !bw_json_length(&funcs, &n, reading->error))
		return false;
	if (!n || n + n_inputs > MAX_FUNCS)
		return bw_json_fail(&funcs, reading->error, "%zu Funcs and inputs, expected 1 to %d", n + n_inputs, MAX_FUNCS);
	reading->funcs = BW_ARENA_ARRAY(reading->arena, struct bw_func, n + n_inputs);
	for (size_t i = 0; i < n_inputs + n; i++) {
		struct bw_json_at element = i < n_inputs ? bw_json_element(&inputs, i) : bw_json_element(&funcs, i - n_inputs);
		struct bw_func *func = &reading->funcs[i];
		if (!(i < n_inputs ? read_input(reading, &element, func) : read_func(reading, &element, func)))
			return false;
		func->first_stage = reading->pipeline->n_stages;
		reading->pipeline->n_stages += func->n_stages;
		reading->n_funcs++;
	}
	reading->pipeline->funcs = reading->funcs;
	reading->pipeline->n_funcs = reading->n_funcs;
	return true;
}

/* Every stage that reads a Func, without its own. */
static bool link_consumers(struct bw_reading_pipeline *reading, const struct bw_json_at *root)
{
	bool output = false;
	for (int f = 0; f < reading->n_funcs; f++) {
		struct bw_func *func = &reading->funcs[f];
		const struct bw_stage **consumers = BW_ARENA_ARRAY(reading->arena, const struct bw_stage *, reading->pipeline->n_stages + 1);
		for (int c = f + 1; c < reading->n_funcs; c++)
			for (int s = 0; s < reading->funcs[c].n_stages; s++)
				if (bw_stage_read_of(&reading->funcs[c].stages[s], f))
					consumers[func->n_consumers++] = &reading->funcs[c].stages[s];
		func->consumers = consumers;
		output |= func->output;
		if (!func->input && !func->output && !func->n_consumers)
			return bw_json_fail(root, reading->error, "nothing reads the Func %s and it is no output", func->name);
	}
	return output ? true : bw_json_fail(root, reading->error, "no Func is an output");
}

static uint64_t hash_algorithm(const struct bw_pipeline *pipeline)
{
	uint64_t hash = bw_hash_string(1, pipeline->name);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		hash = bw_hash_mix(bw_hash_string(hash, func->name), func->definition);
		for (int d = 0; d < func->n_dims; d++)
			hash = bw_hash_string(hash, func->dims[d]);
		for (int v = 0; v < func->n_values; v++)
			hash = bw_hash_mix(hash, func->types[v]);
		for (int s = 0; s < func->n_stages; s++)
			for (int l = 0; l < func->stages[s].n_loops; l++)
				hash = bw_hash_string(hash, func->stages[s].loops[l].name);
		hash = bw_hash_mix(hash, (uint64_t)func->n_stages << 1 | func->output);
	}
	return hash;
}

static bool read_root(struct bw_reading_pipeline *reading, const struct bw_json_at *root)
{
	static const char *const keys[] = {"beamwalk-pipeline", "name", "halide", "parameters", "inputs", "funcs", NULL};
	struct bw_json_at version, name, halide;
	struct bw_pipeline *pipeline = reading->pipeline;
	int64_t number;
	if (!bw_json_get(root, "beamwalk-pipeline", &version, reading->error) || !bw_json_int(&version, 0, INT32_MAX, &number, reading->error))
		return false;
	if (number != 1)
		return bw_json_fail(&version, reading->error, "version %" PRId64 " of the format; this beamwalk reads version 1", number);
	if (!bw_json_only(root, keys, reading->error) || !bw_json_get(root, "name", &name, reading->error) || !bw_json_string(&name, &pipeline->name, reading->error) || !bw_json_get(root, "halide", &halide, reading->error) || !bw_json_string(&halide, &pipeline->halide, reading->error))
		return false;
	pipeline->name = bw_arena_strdup(reading->arena, pipeline->name);
	pipeline->halide = bw_arena_strdup(reading->arena, pipeline->halide);
	if (!read_params(reading, root) || !read_funcs(reading, root) || !link_consumers(reading, root))
		return false;
	pipeline->algorithm = hash_algorithm(pipeline);
	return true;
}

static uint64_t hash_content(const struct bw_json_at *root)
{
	char *text = json_dumps(root->value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	uint64_t hash = text ? bw_hash_string(2, text) : 0;
	free(text);
	return hash;
}

static struct bw_pipeline *read_json(struct bw_json *json, struct bw_error *error)
{
	struct bw_owned_pipeline *owned = BW_NEW(struct bw_owned_pipeline);
	owned->arena = bw_arena_new();
	struct bw_reading_pipeline reading = {.arena = owned->arena, .error = error, .pipeline = &owned->pipeline};
	struct bw_json_at root = bw_json_root(json);
	bool good = read_root(&reading, &root);
	if (good)
		owned->pipeline.content = hash_content(&root);
	bw_json_free(json);
	if (good)
		return &owned->pipeline;
	bw_pipeline_free(&owned->pipeline);
	return NULL;
}

struct bw_pipeline *bw_pipeline_parse(const char *name, const char *text, size_t length, struct bw_error *error)
{
	struct bw_json *json = bw_json_parse(name, text, length, error);
	return json ? read_json(json, error) : NULL;
}

struct bw_pipeline *bw_pipeline_read(const char *path, struct bw_error *error)
{
	struct bw_json *json = bw_json_read(path, error);
	return json ? read_json(json, error) : NULL;
}
