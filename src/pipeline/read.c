/* Reads a description (beamwalk-pipeline(5)) and checks it completely, so that later code need not check:
 * arrays have the right number of entries, each Func comes after all Funcs that it reads, names are
 * unique, sizes fit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline_private.h"

/* Returns true if an estimate can be used in an expression: an integer that a double represents exactly. */
static bool is_integer(double estimate)
{
	return estimate >= -0x1p53 && estimate <= 0x1p53 && estimate == (double)(int64_t)estimate;
}

static bool read_param(struct bw_reading *reading, const struct bw_json_at *at, struct bw_param *param,
		       int index)
{
	static const char *const keys[] = {"name", "type", "estimate", NULL};
	struct bw_json_at type, estimate;
	enum bw_type known;
	if (!bw_json_only(at, keys, reading->error) || !bw_read_name_of(reading, at, "name", &param->name) ||
	    !bw_read_name_of(reading, at, "type", &param->type))
		return false;
	if (!bw_json_get(at, "type", &type, reading->error) || !bw_read_type(reading, &type, &known))
		return false;
	if (!bw_json_has(at, "estimate", &estimate))
		return true;
	if (!bw_json_number(&estimate, &param->estimate, reading->error))
		return false;
	if (is_integer(param->estimate)) {
		reading->param_names[index] = param->name;
		reading->param_values[index] = (int64_t)param->estimate;
	}
	return true;
}

static bool read_params(struct bw_reading *reading, const struct bw_json_at *root)
{
	struct bw_json_at list;
	size_t length;
	if (!bw_json_has(root, "parameters", &list))
		return true;
	if (!bw_json_size(&list, 0, BW_MAX_PARAMS, "parameters", &length, reading->error))
		return false;
	struct bw_param *params = BW_ARENA_ARRAY(reading->arena, struct bw_param, length);
	struct bw_names names = bw_names_make(reading->arena, length);
	reading->param_names = BW_ARENA_ARRAY(reading->arena, const char *, length);
	reading->param_values = BW_ARENA_ARRAY(reading->arena, int64_t, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&list, i);
		if (!read_param(reading, &element, &params[i], (int)i))
			return false;
		if (bw_names_find(&names, params[i].name) >= 0)
			return bw_json_fail(&element, reading->error, "there are two parameters \"%s\"", params[i].name);
		bw_names_put(&names, params[i].name, (int)i);
	}
	reading->pipeline->n_params = (int)length;
	reading->pipeline->params = params;
	return true;
}

static bool read_list(struct bw_reading *reading, const struct bw_json_at *list, size_t length,
		      bool (*read)(struct bw_reading *, const struct bw_json_at *, struct bw_func *))
{
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(list, i);
		struct bw_func *func = &reading->funcs[reading->n_funcs];
		func->first_stage = reading->pipeline->n_stages;
		if (!read(reading, &element, func))
			return false;
		reading->pipeline->n_stages += func->n_stages;
		reading->n_funcs++;
	}
	return true;
}

static bool read_funcs(struct bw_reading *reading, const struct bw_json_at *root)
{
	struct bw_json_at inputs, funcs;
	size_t n_inputs, n;
	if (!bw_json_get_list(root, "inputs", &inputs, &n_inputs, reading->error))
		return false;
	if (!bw_json_get_list(root, "funcs", &funcs, &n, reading->error))
		return false;
	if (!n)
		return bw_json_fail(&funcs, reading->error, "expected at least one Func");
	if (n_inputs > BW_MAX_FUNCS || n > BW_MAX_FUNCS - n_inputs)
		return bw_json_fail(n_inputs > BW_MAX_FUNCS ? &inputs : &funcs, reading->error,
				    "expected at most %d inputs and Funcs, found %zu", BW_MAX_FUNCS,
				    n_inputs + n);
	reading->funcs = BW_ARENA_ARRAY(reading->arena, struct bw_func, n_inputs + n);
	reading->func_names = bw_names_make(reading->arena, n_inputs + n);
	reading->handles = BW_ARENA_ARRAY(reading->arena, bool, BW_MAX_FUNCS + 1);
	reading->last_stage = BW_ARENA_ARRAY(reading->arena, int, n_inputs + n);
	if (!read_list(reading, &inputs, n_inputs, bw_read_input) || !read_list(reading, &funcs, n, bw_read_func))
		return false;
	reading->pipeline->funcs = reading->funcs;
	reading->pipeline->n_funcs = reading->n_funcs;
	return true;
}

/* Finds an optional list of Funcs; its length is 0 if it is missing. */
static bool find_list(struct bw_reading *reading, const struct bw_json_at *root, const char *key,
		      struct bw_json_at *list, size_t *length)
{
	*length = 0;
	return !bw_json_has(root, key, list) ||
	       bw_json_size(list, 0, BW_MAX_FUNCS, "Funcs", length, reading->error);
}

/* Reads the Funcs that are constants. Their names and handles differ from those of all Funcs. */
static bool read_folded(struct bw_reading *reading, const struct bw_json_at *root)
{
	static const char *const keys[] = {"name", "handle", NULL};
	struct bw_json_at list;
	size_t length;
	if (!find_list(reading, root, "folded", &list, &length))
		return false;
	struct bw_folded *folded = BW_ARENA_ARRAY(reading->arena, struct bw_folded, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&list, i);
		if (!bw_json_only(&element, keys, reading->error) ||
		    !bw_read_name_of(reading, &element, "name", &folded[i].name) ||
		    !bw_read_handle(reading, &element, &folded[i].handle))
			return false;
		if (bw_names_find(&reading->func_names, folded[i].name) >= 0)
			return bw_json_fail(&element, reading->error, "there is a Func \"%s\", too", folded[i].name);
	}
	reading->pipeline->n_folded = (int)length;
	reading->pipeline->folded = folded;
	return true;
}

/* Reads the Funcs and inputs that an extern stage reads, and checks the inputs that stand for it. */
static bool read_extern_ends(struct bw_reading *reading, const struct bw_json_at *at, struct bw_extern *stage)
{
	struct bw_json_at reads, results;
	size_t n_reads, n_results;
	if (!bw_json_get_list(at, "reads", &reads, &n_reads, reading->error) ||
	    !bw_json_get_list(at, "results", &results, &n_results, reading->error))
		return false;
	int *indices = BW_ARENA_ARRAY(reading->arena, int, n_reads);
	for (size_t i = 0; i < n_reads + n_results; i++) {
		const bool read = i < n_reads;
		struct bw_json_at element = bw_json_element(read ? &reads : &results, read ? i : i - n_reads);
		const char *name;
		if (!bw_json_string(&element, &name, reading->error))
			return false;
		int found = bw_names_find(&reading->func_names, name);
		if (found < 0 || !(reading->funcs[found].input || (read && reading->funcs[found].output)))
			return bw_json_fail(&element, reading->error, "expected the name of an input%s, found \"%s\"",
					    read ? " or output" : "", name);
		if (read)
			indices[i] = found;
	}
	stage->reads = indices;
	stage->n_reads = (int)n_reads;
	return true;
}

/* Reads the extern stages. */
static bool read_externs(struct bw_reading *reading, const struct bw_json_at *root)
{
	static const char *const keys[] = {"name", "handle", "function", "output", "reads", "results", NULL};
	struct bw_json_at list;
	size_t length;
	if (!find_list(reading, root, "externs", &list, &length))
		return false;
	struct bw_extern *externs = BW_ARENA_ARRAY(reading->arena, struct bw_extern, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&list, i);
		if (!bw_json_only(&element, keys, reading->error) ||
		    !bw_read_name_of(reading, &element, "name", &externs[i].name) ||
		    !bw_read_name_of(reading, &element, "function", &externs[i].function) ||
		    !bw_read_handle(reading, &element, &externs[i].handle) ||
		    !bw_read_flag(reading, &element, "output", &externs[i].output) ||
		    !read_extern_ends(reading, &element, &externs[i]))
			return false;
	}
	reading->pipeline->n_externs = (int)length;
	reading->pipeline->externs = externs;
	return true;
}

/* Reads the name of a Func, not of an input. */
static bool read_func_of(struct bw_reading *reading, const struct bw_json_at *at, const char *key, int *func)
{
	const char *name;
	if (!bw_read_name_of(reading, at, key, &name))
		return false;
	*func = bw_names_find(&reading->func_names, name);
	return (*func >= 0 && !reading->funcs[*func].input) ||
	       bw_json_fail(at, reading->error, "there is no Func \"%s\"", name);
}

static bool read_rfactor(struct bw_reading *reading, const struct bw_json_at *at, struct bw_rfactor *rfactor)
{
	static const char *const keys[] = {"func",  "update", "loop",   "rvar", "outer",
					   "inner", "var",    "factor", "named", "apart", "made", NULL};
	int64_t number, place, by;
	if (!bw_json_only(at, keys, reading->error) || !read_func_of(reading, at, "func", &rfactor->func) ||
	    !read_func_of(reading, at, "made", &rfactor->made) ||
	    !bw_read_name_of(reading, at, "rvar", &rfactor->rvar) ||
	    !bw_read_name_of(reading, at, "outer", &rfactor->outer) ||
	    !bw_read_name_of(reading, at, "inner", &rfactor->inner) ||
	    !bw_read_name_of(reading, at, "var", &rfactor->var))
		return false;
	const struct bw_func *func = &reading->funcs[rfactor->func], *made = &reading->funcs[rfactor->made];
	if (!bw_json_get_int(at, "update", 0, func->n_stages - 2, &number, reading->error) ||
	    !bw_json_get_int(at, "loop", 0, BW_MAX_LOOPS - 1, &place, reading->error) ||
	    !bw_json_get_int(at, "factor", 1, BW_MAX_COUNT, &by, reading->error) ||
	    !bw_read_flag(reading, at, "named", &rfactor->named) ||
	    !bw_read_flag(reading, at, "apart", &rfactor->apart))
		return false;
	rfactor->stage = (int)number + 1;
	rfactor->loop = (int)place;
	rfactor->factor = (int)by;
	return (made->n_stages == 2 && made->n_dims == func->n_dims + 1 &&
		!strcmp(made->dims[made->n_dims - 1], rfactor->var) &&
		bw_stage_read_of(&func->stages[rfactor->stage], rfactor->made)) ||
	       bw_json_fail(at, reading->error, "%s is not what an rfactor of %s makes", made->name, func->name);
}

/* Reads the updates that are factored. */
static bool read_rfactors(struct bw_reading *reading, const struct bw_json_at *root)
{
	struct bw_json_at list;
	size_t length;
	if (!find_list(reading, root, "rfactor", &list, &length))
		return false;
	struct bw_rfactor *rfactors = BW_ARENA_ARRAY(reading->arena, struct bw_rfactor, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&list, i);
		if (!read_rfactor(reading, &element, &rfactors[i]))
			return false;
	}
	reading->pipeline->n_rfactors = (int)length;
	reading->pipeline->rfactors = rfactors;
	return true;
}

/* Calls `visit` for every read of another Func, in pipeline order. */
static void each_read(struct bw_reading *reading, void (*visit)(struct bw_func *, const struct bw_stage *))
{
	for (int f = 0; f < reading->n_funcs; f++)
		for (int s = 0; s < reading->funcs[f].n_stages; s++) {
			const struct bw_stage *stage = &reading->funcs[f].stages[s];
			for (int r = 0; r < stage->n_reads; r++)
				if (stage->reads[r].producer != f)
					visit(&reading->funcs[stage->reads[r].producer], stage);
		}
}

static void count_consumer(struct bw_func *producer, const struct bw_stage *stage)
{
	(void)stage;
	producer->n_consumers++;
}

static void add_consumer(struct bw_func *producer, const struct bw_stage *stage)
{
	((const struct bw_stage **)producer->consumers)[producer->n_consumers++] = stage;
}

static void link_consumers(struct bw_reading *reading)
{
	each_read(reading, count_consumer);
	for (int f = 0; f < reading->n_funcs; f++) {
		struct bw_func *func = &reading->funcs[f];
		func->consumers = BW_ARENA_ARRAY(reading->arena, const struct bw_stage *, func->n_consumers);
		func->n_consumers = 0;
	}
	each_read(reading, add_consumer);
}

/* Returns the least share of a stage's points that load a Func: 0 if values of a loop decide that. */
static double least_loading(const struct bw_stage *stage, int func)
{
	double least = 1;
	for (int p = 0; p < stage->n_parities; p++) {
		const struct bw_parity *parity = &stage->parities[p];
		bool valued = false;
		int loading = 0;
		for (int c = 0; c < parity->n_classes; c++)
			loading += bw_stage_read_of(&parity->classes[c], func)->n_loads > 0;
		for (int i = 0; i < parity->n_loops; i++)
			valued |= !parity->loops[i].modulus;
		double share = (double)loading / parity->n_classes;
		if (share < least)
			least = valued ? 0 : share;
	}
	return least;
}

/* Sets the fields that follow from the parities of all Funcs: `parities` of the pipeline, and
 * `least_needed` of each Func. */
static void finish_parities(struct bw_reading *reading)
{
	for (int f = reading->n_funcs - 1; f >= 0; f--) {
		struct bw_func *func = &reading->funcs[f];
		for (int s = 0; s < func->n_stages; s++)
			reading->pipeline->parities |= func->stages[s].n_parities > 0;
		func->least_needed = func->output;
		for (int c = 0; c < func->n_consumers; c++) {
			double share = least_loading(func->consumers[c], f) *
				       reading->funcs[func->consumers[c]->func].least_needed;
			func->least_needed = share > func->least_needed ? share : func->least_needed;
		}
	}
}

/* Returns which of n bounds are constant, as bits. */
static uint32_t constant_of(const struct bw_bound *bounds, int n, uint32_t known)
{
	uint32_t constant = 0;
	for (int i = 0; i < n; i++)
		constant |= (uint32_t)bw_bound_constant(&bounds[i], known) << i;
	return constant;
}

/* Sets `constant` of each Func: the dimensions whose region is the same at all sizes, so that Halide knows
 * the region when it compiles. */
static void find_constants(struct bw_reading *reading)
{
	for (int f = reading->n_funcs - 1; f >= 0; f--) {
		struct bw_func *func = &reading->funcs[f];
		uint32_t required = func->output ? func->fixed : ~(uint32_t)0;
		for (int c = 0; c < func->n_consumers; c++) {
			const struct bw_stage *stage = func->consumers[c];
			const struct bw_read *read = bw_stage_read_of(stage, f);
			required &=
			    read && read->bounded
				? constant_of(read->box, func->n_dims,
					      bw_stage_constant(stage, reading->funcs[stage->func].constant))
				: 0;
		}
		func->constant = func->input ? 0 : constant_of(func->computed, func->n_dims, required);
	}
}

/* Checks that every Func is used for some output. */
static bool check_use(const struct bw_reading *reading, const struct bw_json_at *root)
{
	struct bw_json_at funcs;
	int n_outputs = 0, n_inputs = 0;
	if (!bw_json_get(root, "funcs", &funcs, reading->error))
		return false;
	for (int f = 0; f < reading->n_funcs; f++) {
		const struct bw_func *func = &reading->funcs[f];
		n_inputs += func->input;
		n_outputs += func->output;
		if (func->input || func->output || func->n_consumers)
			continue;
		struct bw_json_at element = bw_json_element(&funcs, (size_t)(f - n_inputs));
		return bw_json_fail(&element, reading->error, "nothing reads %s, and it is no output", func->name);
	}
	return n_outputs || bw_json_fail(&funcs, reading->error, "expected a Func with \"output\": true");
}

static bool read_root(struct bw_reading *reading, const struct bw_json_at *root)
{
	static const char *const keys[] = {
	    "beamwalk-pipeline", "name", "halide", "parameters", "inputs", "funcs", "folded", "externs", "rfactor", NULL};
	struct bw_json_at version;
	struct bw_pipeline *pipeline = reading->pipeline;
	int64_t number;
	if (!bw_json_get(root, "beamwalk-pipeline", &version, reading->error) ||
	    !bw_json_int(&version, 0, INT32_MAX, &number, reading->error))
		return false;
	if (number != 1)
		return bw_json_fail(&version, reading->error, "expected version 1 of the format, found %" PRId64, number);
	if (!bw_json_only(root, keys, reading->error) ||
	    !bw_read_name_of(reading, root, "name", &pipeline->name) ||
	    !bw_read_name_of(reading, root, "halide", &pipeline->halide))
		return false;
	if (!read_params(reading, root) || !read_funcs(reading, root) || !read_folded(reading, root) ||
	    !read_externs(reading, root) || !read_rfactors(reading, root))
		return false;
	link_consumers(reading);
	find_constants(reading);
	finish_parities(reading);
	if (!check_use(reading, root))
		return false;
	pipeline->algorithm = bw_pipeline_hash_algorithm(pipeline);
	pipeline->content = bw_pipeline_hash_content(root);
	return true;
}

/* Reads the pipeline of a document, and frees the document. */
static struct bw_pipeline *read_json(struct bw_json *json, struct bw_error *error)
{
	if (!json)
		return NULL;
	struct bw_owned_pipeline *owned = BW_NEW(struct bw_owned_pipeline);
	owned->arena = bw_arena_new();
	struct bw_reading reading = {.arena = owned->arena, .error = error, .pipeline = &owned->pipeline};
	struct bw_json_at root = bw_json_root(json);
	bool good = read_root(&reading, &root);
	bw_json_free(json);
	if (good)
		return &owned->pipeline;
	bw_pipeline_free(&owned->pipeline);
	return NULL;
}

struct bw_pipeline *bw_pipeline_parse(const char *name, const char *text, size_t length,
				      struct bw_error *error)
{
	return read_json(bw_json_parse(name, text, length, error), error);
}

struct bw_pipeline *bw_pipeline_read(const char *path, struct bw_error *error)
{
	return read_json(bw_json_read(path, error), error);
}
