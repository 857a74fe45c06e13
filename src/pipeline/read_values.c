/* Reads the values of which descriptions are made: names, types, bounds, counts of operations. */
#include <string.h>

#include "base/hash.h"
#include "pipeline/pipeline_private.h"

struct bw_names bw_names_make(struct bw_arena *arena, size_t n)
{
	size_t size = 8;
	while (size < 2 * n)
		size *= 2;
	return (struct bw_names){size - 1, BW_ARENA_ARRAY(arena, struct bw_named, size)};
}

/* Returns the place of a name, or the free place where it belongs. */
static struct bw_named *place_of(const struct bw_names *names, const char *name)
{
	size_t place = bw_hash_string(0, name) & names->mask;
	while (names->places[place].name && strcmp(names->places[place].name, name))
		place = (place + 1) & names->mask;
	return &names->places[place];
}

int bw_names_find(const struct bw_names *names, const char *name)
{
	const struct bw_named *place = place_of(names, name);
	return place->name ? place->number : -1;
}

void bw_names_put(struct bw_names *names, const char *name, int number)
{
	*place_of(names, name) = (struct bw_named){name, number};
}

/* Returns true if a text has control characters of ASCII, or of Latin-1 in UTF-8 (0xc2, then 0x80 to
 * 0x9f), which could control the terminal. */
static bool has_control(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0))
			return true;
	return false;
}

/* Reads a name, 1 to BW_MAX_NAME bytes without control characters, into the arena. */
static bool read_name(struct bw_reading *reading, const struct bw_json_at *at, const char **name)
{
	const char *text;
	if (!bw_json_string(at, &text, reading->error))
		return false;
	size_t length = strlen(text);
	if (length < 1 || length > BW_MAX_NAME)
		return bw_json_fail(at, reading->error, "expected a name of 1 to %d bytes, found %zu", BW_MAX_NAME, length);
	if (has_control(text))
		return bw_json_fail(at, reading->error, "expected a name without control characters");
	*name = bw_arena_strdup(reading->arena, text);
	return true;
}

bool bw_read_name_of(struct bw_reading *reading, const struct bw_json_at *at, const char *key,
		     const char **name)
{
	struct bw_json_at member;
	return bw_json_get(at, key, &member, reading->error) && read_name(reading, &member, name);
}

bool bw_read_name_list(struct bw_reading *reading, const struct bw_json_at *at, int most,
		       const char *const **names, int *n)
{
	size_t length;
	if (!bw_json_size(at, 0, most, "names", &length, reading->error))
		return false;
	const char **list = BW_ARENA_ARRAY(reading->arena, const char *, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(at, i);
		if (!read_name(reading, &element, &list[i]))
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(list[k], list[i]))
				return bw_json_fail(&element, reading->error, "\"%s\" stands here twice", list[i]);
	}
	*names = list;
	*n = (int)length;
	return true;
}

bool bw_read_handle(struct bw_reading *reading, const struct bw_json_at *at, int *handle)
{
	struct bw_json_at member;
	int64_t number;
	if (!bw_json_get(at, "handle", &member, reading->error) ||
	    !bw_json_int(&member, 0, BW_MAX_FUNCS, &number, reading->error))
		return false;
	if (reading->handles[number])
		return bw_json_fail(&member, reading->error, "another Func has this handle");
	reading->handles[number] = true;
	*handle = (int)number;
	return true;
}

/* Finds a type by Halide's name. Unsigned types count as signed. No feature covers 16-bit floats, so they
 * count as integers of their size. */
bool bw_read_type(struct bw_reading *reading, const struct bw_json_at *at, enum bw_type *type)
{
	static const struct {
		const char *name;
		enum bw_type type;
	} types[] = {
		{"bool", BW_TYPE_BOOL},
		{"int8", BW_TYPE_INT8},
		{"uint8", BW_TYPE_INT8},
		{"int16", BW_TYPE_INT16},
		{"uint16", BW_TYPE_INT16},
		{"float16", BW_TYPE_INT16},
		{"bfloat16", BW_TYPE_INT16},
		{"int32", BW_TYPE_INT32},
		{"uint32", BW_TYPE_INT32},
		{"int64", BW_TYPE_INT64},
		{"uint64", BW_TYPE_INT64},
		{"handle", BW_TYPE_INT64},
		{"float32", BW_TYPE_FLOAT32},
		{"float64", BW_TYPE_FLOAT64},
	};
	const char *name;
	if (!bw_json_string(at, &name, reading->error))
		return false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, name)) {
			*type = types[i].type;
			return true;
		}
	return bw_json_fail(at, reading->error,
			    "expected a type of Halide's, such as uint8 or float32, found \"%s\"", name);
}

bool bw_read_flag(struct bw_reading *reading, const struct bw_json_at *at, const char *key, bool *flag)
{
	struct bw_json_at member;
	*flag = false;
	return !bw_json_has(at, key, &member) || bw_json_bool(&member, flag, reading->error);
}

bool bw_read_bound(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_scope *scope,
		   struct bw_bound *bound)
{
	struct bw_json_at min, max;
	if (!bw_json_get(at, "min", &min, reading->error) || !bw_json_get(at, "max", &max, reading->error))
		return false;
	bound->min = bw_expr_read(&min, scope, reading->arena, reading->error);
	if (!bound->min)
		return false;
	bound->max = bw_expr_read(&max, scope, reading->arena, reading->error);
	return bound->max != NULL;
}

bool bw_read_bounds(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_scope *scope,
		    int n, const struct bw_bound **box)
{
	static const char *const keys[] = {"min", "max", NULL};
	size_t length;
	if (!bw_json_size(at, n, n, "bounds, one a dimension", &length, reading->error))
		return false;
	struct bw_bound *bounds = BW_ARENA_ARRAY(reading->arena, struct bw_bound, n);
	for (int i = 0; i < n; i++) {
		struct bw_json_at element = bw_json_element(at, (size_t)i);
		if (!bw_json_only(&element, keys, reading->error) || !bw_read_bound(reading, &element, scope, &bounds[i]))
			return false;
	}
	*box = bounds;
	return true;
}

struct bw_scope bw_reading_scope(const struct bw_reading *reading, const char *const *names, int n)
{
	return (struct bw_scope){names, n, reading->param_names, reading->param_values, reading->pipeline->n_params};
}

bool bw_read_count(struct bw_reading *reading, const struct bw_json_at *at, int64_t least, int *count)
{
	int64_t number;
	if (!bw_json_int(at, least, BW_MAX_COUNT, &number, reading->error))
		return false;
	*count = (int)number;
	return true;
}

bool bw_read_by_type(struct bw_reading *reading, const struct bw_json_at *at, int counts[BW_N_TYPES])
{
	static const char *const types[] = {
		BW_TYPE_TABLE(BW_SECOND)
		NULL,
	};
	struct bw_json_at count;
	if (!bw_json_only(at, types, reading->error))
		return false;
	for (int t = 0; t < BW_N_TYPES; t++)
		if (bw_json_has(at, types[t], &count) && !bw_read_count(reading, &count, 0, &counts[t]))
			return false;
	return true;
}

bool bw_read_ops(struct bw_reading *reading, const struct bw_json_at *at, const char *key,
		 int (*counts)[BW_N_TYPES])
{
	static const char *const operations[] = {
		BW_OPERATION_TABLE(BW_SECOND)
		NULL,
	};
	struct bw_json_at ops, row;
	if (!bw_json_has(at, key, &ops))
		return true;
	if (!bw_json_only(&ops, operations, reading->error))
		return false;
	for (int o = 0; o < BW_N_OPERATIONS; o++)
		if (bw_json_has(&ops, operations[o], &row) && !bw_read_by_type(reading, &row, counts[o]))
			return false;
	return true;
}

uint64_t bw_op_kinds_of(const struct bw_stage *stage)
{
	uint64_t kinds = 0;
	for (int o = 0; o < BW_N_OPERATIONS; o++)
		for (int t = 0; t < BW_N_TYPES; t++)
			kinds |= (uint64_t)(stage->ops[o][t] != 0) << o;
	return kinds;
}
