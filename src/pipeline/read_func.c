/* Reads an input or a Func, without its stages. */
#include <string.h>

#include "pipeline/pipeline_private.h"

static bool read_types(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func)
{
	size_t length;
	struct bw_json_at types;
	if (!bw_json_get(at, "types", &types, reading->error) ||
	    !bw_json_size(&types, 1, BW_MAX_VALUES, "types, one a component of the tuple", &length, reading->error))
		return false;
	enum bw_type *list = BW_ARENA_ARRAY(reading->arena, enum bw_type, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&types, i);
		if (!bw_read_type(reading, &element, &list[i]))
			return false;
		func->bytes += bw_type_bytes(list[i]);
	}
	func->types = list;
	func->n_values = (int)length;
	return true;
}

/* Reads [min, extent] as an interval. Coordinates are int32, as in Halide. */
static bool read_interval(struct bw_reading *reading, const struct bw_json_at *at,
			  struct bw_interval *interval)
{
	size_t length;
	int64_t extent;
	if (!bw_json_length(at, &length, reading->error))
		return false;
	if (length != 2)
		return bw_json_fail(at, reading->error, "expected [min, extent], found %zu elements", length);
	struct bw_json_at first = bw_json_element(at, 0), second = bw_json_element(at, 1);
	if (!bw_json_int(&first, INT32_MIN, INT32_MAX, &interval->min, reading->error) ||
	    !bw_json_int(&second, 1, INT32_MAX, &extent, reading->error))
		return false;
	interval->max = interval->min + extent - 1;
	return interval->max <= INT32_MAX ||
	       bw_json_fail(at, reading->error, "the last coordinate, %lld, is none of 32 bits",
			    (long long)interval->max);
}

static bool read_estimate(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func)
{
	size_t length;
	struct bw_json_at estimate;
	if (!bw_json_get(at, "estimate", &estimate, reading->error) ||
	    !bw_json_size(&estimate, func->n_dims, func->n_dims, "estimates, one a dimension", &length, reading->error))
		return false;
	struct bw_interval *list = BW_ARENA_ARRAY(reading->arena, struct bw_interval, length);
	int64_t bytes = func->bytes;
	for (size_t d = 0; d < length; d++) {
		struct bw_json_at pair = bw_json_element(&estimate, d);
		if (!read_interval(reading, &pair, &list[d]))
			return false;
		if (__builtin_mul_overflow(bytes, list[d].max - list[d].min + 1, &bytes))
			return bw_json_fail(&estimate, reading->error, "a region of 2^63 bytes or more");
	}
	func->estimate = list;
	return true;
}

/* Reads the members that inputs and Funcs share: name, dimensions and types. */
static bool read_head(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func)
{
	struct bw_json_at dims;
	if (!bw_read_name_of(reading, at, "name", &func->name))
		return false;
	if (bw_names_find(&reading->func_names, func->name) >= 0)
		return bw_json_fail(at, reading->error, "there are two Funcs or inputs \"%s\"", func->name);
	bw_names_put(&reading->func_names, func->name, reading->n_funcs);
	return bw_json_get(at, "dims", &dims, reading->error) &&
	       bw_read_name_list(reading, &dims, BW_MAX_DIMS, &func->dims, &func->n_dims) &&
	       read_types(reading, at, func);
}

/* Reads an optional list of dimensions into the bits of *mask; no bits if the list is missing. */
static bool read_dims(struct bw_reading *reading, const struct bw_json_at *at, const char *key,
		      const struct bw_func *func, uint32_t *mask)
{
	struct bw_json_at list;
	const char *const *dims;
	int n;
	if (!bw_json_has(at, key, &list))
		return true;
	if (!bw_read_name_list(reading, &list, BW_MAX_DIMS, &dims, &n))
		return false;
	for (int i = 0; i < n; i++) {
		int d = 0;
		while (d < func->n_dims && strcmp(dims[i], func->dims[d]) != 0)
			d++;
		if (d == func->n_dims)
			return bw_json_fail(&list, reading->error, "\"%s\" is no dimension here", dims[i]);
		*mask |= (uint32_t)1 << d;
	}
	return true;
}

bool bw_read_input(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func)
{
	static const char *const keys[] = {"name", "types", "dims", "estimate", "inferred", NULL};
	uint32_t inferred = 0; /* only people want to know */
	func->input = true;
	func->handle = -1;
	return bw_json_only(at, keys, reading->error) && read_head(reading, at, func) &&
	       read_estimate(reading, at, func) && read_dims(reading, at, "inferred", func, &inferred);
}

static bool read_definition(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func)
{
	static const char digits[] = "0123456789abcdef";
	struct bw_json_at member;
	const char *text;
	if (!bw_json_get(at, "definition", &member, reading->error) ||
	    !bw_json_string(&member, &text, reading->error))
		return false;
	if (strlen(text) != 16 || strspn(text, digits) != 16)
		return bw_json_fail(&member, reading->error, "expected 16 hexadecimal digits in lower case");
	for (int i = 0; i < 16; i++)
		func->definition = func->definition << 4 | (uint64_t)(strchr(digits, text[i]) - digits);
	return true;
}

static const struct bw_bound *required_of(struct bw_reading *reading, const struct bw_func *func)
{
	struct bw_bound *required = BW_ARENA_ARRAY(reading->arena, struct bw_bound, func->n_dims);
	for (int d = 0; d < func->n_dims; d++)
		required[d] = (struct bw_bound){bw_expr_variable(reading->arena, d, false),
						bw_expr_variable(reading->arena, d, true)};
	return required;
}

/* Reads `computed` (default: the required box) and `stored` (default: computed; null: the required box). */
static bool read_computed(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func)
{
	struct bw_json_at box;
	struct bw_scope scope = bw_reading_scope(reading, func->dims, func->n_dims);
	func->computed = required_of(reading, func);
	if (bw_json_has(at, "computed", &box) &&
	    !bw_read_bounds(reading, &box, &scope, func->n_dims, &func->computed))
		return false;
	func->stored = func->computed;
	if (!bw_json_has(at, "stored", &box))
		return true;
	func->stored = required_of(reading, func);
	return json_is_null(box.value) || bw_read_bounds(reading, &box, &scope, func->n_dims, &func->stored);
}

/* Checks the place of an output, which only programs that run the pipeline use. */
static bool read_place(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func)
{
	struct bw_json_at place;
	int64_t number;
	if (!bw_json_has(at, "place", &place))
		return true;
	return func->output ? bw_json_int(&place, 0, BW_MAX_FUNCS, &number, reading->error)
			    : bw_json_fail(&place, reading->error, "only outputs have a place");
}

/* The tree of a definition's expression, for its Strahler number. */
static bool read_tree(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		      int depth, struct bw_branching *tree);

static bool read_parts(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		       int depth, size_t first, struct bw_branching *tree)
{
	size_t length = json_array_size(at->value);
	struct bw_branching *parts = BW_ARENA_ARRAY(reading->arena, struct bw_branching, length);
	for (size_t i = first; i < length; i++) {
		struct bw_json_at element = bw_json_element(at, i);
		if (!read_tree(reading, &element, func, depth, &parts[i - first]))
			return false;
	}
	tree->parts = parts;
	tree->n_parts = (int)(length - first);
	return true;
}

static bool read_call(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		      int depth, struct bw_branching *tree)
{
	static const char *const keys[] = {"call", "else", NULL};
	struct bw_json_at call, other;
	const char *name;
	if (!bw_json_only(at, keys, reading->error) || !bw_json_get(at, "call", &call, reading->error) ||
	    !bw_json_string(&call, &name, reading->error))
		return false;
	tree->kind = BW_BRANCHING_CALL;
	tree->number = bw_names_find(&reading->func_names, name);
	if (tree->number < 0 || &reading->funcs[tree->number] == func)
		return bw_json_fail(&call, reading->error, "no Func or input \"%s\" stands before %s", name, func->name);
	struct bw_branching *arguments = BW_ARENA_NEW(reading->arena, struct bw_branching);
	tree->parts = arguments;
	tree->n_parts = 1;
	return bw_json_get(at, "else", &other, reading->error) && read_tree(reading, &other, func, depth, arguments);
}

/* Reads a number, ["both", a, b], ["each", ...], ["most", ...], or {"call": name, "else": tree}. */
static bool read_tree(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		      int depth, struct bw_branching *tree)
{
	static const char *const words[] = {
	    [BW_BRANCHING_BOTH] = "both", [BW_BRANCHING_EACH] = "each", [BW_BRANCHING_MOST] = "most"};
	int64_t number;
	const char *word;
	if (++depth > BW_MAX_DEPTH)
		return bw_json_fail(at, reading->error, "nested deeper than %d", BW_MAX_DEPTH);
	if (json_is_object(at->value))
		return read_call(reading, at, func, depth, tree);
	if (!json_is_array(at->value)) {
		if (!bw_json_int(at, 0, BW_MAX_COUNT, &number, reading->error))
			return false;
		tree->number = (int)number;
		return true;
	}
	if (!json_array_size(at->value))
		return bw_json_fail(at, reading->error, "expected \"both\", \"each\" or \"most\" first");
	struct bw_json_at first = bw_json_element(at, 0);
	if (!bw_json_string(&first, &word, reading->error))
		return false;
	for (int k = BW_BRANCHING_BOTH; k <= BW_BRANCHING_MOST; k++)
		if (!strcmp(words[k], word))
			tree->kind = (enum bw_branching_kind)k;
	if (!tree->kind)
		return bw_json_fail(&first, reading->error, "expected \"both\", \"each\" or \"most\", found \"%s\"", word);
	if (tree->kind == BW_BRANCHING_BOTH && json_array_size(at->value) != 3)
		return bw_json_fail(at, reading->error, "expected 2 operands, found %zu", json_array_size(at->value) - 1);
	return read_parts(reading, at, func, depth, 1, tree);
}
static bool read_branching(struct bw_reading *reading, const struct bw_json_at *at,
			   const struct bw_func *func,
		       const struct bw_branching **branching)
{
	struct bw_json_at member;
	if (!bw_json_has(at, "branching", &member))
		return true;
	struct bw_branching *tree = BW_ARENA_NEW(reading->arena, struct bw_branching);
	*branching = tree;
	return read_tree(reading, &member, func, 0, tree);
}

bool bw_read_func(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func)
{
	static const char *const keys[] = {"name",       "handle",   "definition", "types",     "dims",
					   "output",     "place",    "estimate",   "fixed",     "wrapper",
					   "boundary",   "computed", "stored",     "branching", "stages",
					   "for_extern", "begins",   NULL};
	struct bw_json_at stages, estimate, fixed;
	if (!bw_json_only(at, keys, reading->error) || !read_head(reading, at, func) ||
	    !bw_read_handle(reading, at, &func->handle) || !read_definition(reading, at, func))
		return false;
	if (!bw_read_flag(reading, at, "output", &func->output) ||
	    !bw_read_flag(reading, at, "wrapper", &func->wrapper) ||
	    !bw_read_flag(reading, at, "boundary", &func->boundary))
		return false;
	if (!bw_read_flag(reading, at, "for_extern", &func->for_extern))
		return false;
	if (func->output && !read_estimate(reading, at, func))
		return false;
	if (!func->output && bw_json_has(at, "estimate", &estimate))
		return bw_json_fail(&estimate, reading->error, "only inputs and outputs have estimates");
	if (!func->output && (bw_json_has(at, "fixed", &fixed) || bw_json_has(at, "begins", &fixed)))
		return bw_json_fail(&fixed, reading->error, "only outputs have fixed dimensions");
	if (!read_place(reading, at, func) || !read_dims(reading, at, "fixed", func, &func->fixed) ||
	    !read_dims(reading, at, "begins", func, &func->begins))
		return false;
	return read_computed(reading, at, func) && read_branching(reading, at, func, &func->branching) &&
	       bw_json_get(at, "stages", &stages, reading->error) && bw_read_stages(reading, &stages, func);
}
