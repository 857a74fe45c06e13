/* Reading the stages of a Func. */
#include <string.h>

#include "pipeline/pipeline_private.h"

enum { MAX_STAGES = 63, MAX_READS = 1024, MAX_LOADS = 4096, MAX_COUNT = 1 << 20 };

static bool read_loop(struct bw_reading_pipeline *reading, const struct bw_json_at *at, const struct bw_func *func, int stage, struct bw_stage_loop *loop)
{
	static const char *const keys[] = {"name", "kind", "parallel", "min", "max", NULL};
	struct bw_json_at name, kind, min, max, parallel;
	const char *kind_name;
	if (!bw_json_only(at, keys, reading->error) || !bw_json_get(at, "name", &name, reading->error) || !bw_json_string(&name, &loop->name, reading->error) || !bw_json_get(at, "kind", &kind, reading->error) || !bw_json_string(&kind, &kind_name, reading->error))
		return false;
	loop->name = bw_arena_strdup(reading->arena, loop->name);
	loop->pure = !strcmp(kind_name, "pure");
	if (!loop->pure && strcmp(kind_name, "reduction"))
		return bw_json_fail(&kind, reading->error, "expected \"pure\" or \"reduction\"");
	if (!loop->pure && stage == 0)
		return bw_json_fail(&kind, reading->error, "a pure definition has no reduction loops");
	loop->dim = -1;
	for (int d = 0; loop->pure && d < func->n_dims; d++)
		if (!strcmp(func->dims[d], loop->name))
			loop->dim = d;
	if (loop->pure && loop->dim < 0)
		return bw_json_fail(&name, reading->error, "%s has no dimension \"%s\"", func->name, loop->name);
	loop->parallel = loop->pure;
	if (bw_json_has(at, "parallel", &parallel) && !bw_json_bool(&parallel, &loop->parallel, reading->error))
		return false;
	struct bw_scope scope = bw_scope_of(reading, func->dims, func->n_dims);
	if (!bw_json_get(at, "min", &min, reading->error) || !(loop->bound.min = bw_expr_read(&min, &scope, reading->arena, reading->error)))
		return false;
	return bw_json_get(at, "max", &max, reading->error) && (loop->bound.max = bw_expr_read(&max, &scope, reading->arena, reading->error));
}

static bool read_loops(struct bw_reading_pipeline *reading, const struct bw_json_at *at, const struct bw_func *func, struct bw_stage *stage)
{
	struct bw_json_at loops;
	size_t length;
	if (!bw_json_get(at, "loops", &loops, reading->error) || !bw_json_length(&loops, &length, reading->error))
		return false;
	if (length > BW_MAX_LOOPS)
		return bw_json_fail(&loops, reading->error, "%zu loops, at most %d are understood", length, BW_MAX_LOOPS);
	struct bw_stage_loop *list = BW_ARENA_ARRAY(reading->arena, struct bw_stage_loop, length + 1);
	stage->loops = list;
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&loops, i);
		if (!read_loop(reading, &element, func, stage->index, &list[i]))
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(list[k].name, list[i].name))
				return bw_json_fail(&element, reading->error, "two loops \"%s\"", list[i].name);
		stage->n_loops = (int)i + 1;
	}
	for (int d = 0; stage->index == 0 && d < func->n_dims; d++)
		if (d >= stage->n_loops || list[d].dim != d)
			return bw_json_fail(&loops, reading->error, "the loops of a pure definition are its dimensions, in order");
	return true;
}

/* An entry of a Jacobian: an integer, [num, den], or null where it is no constant. */
static bool read_entry(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_ratio *entry)
{
	size_t length;
	*entry = (struct bw_ratio){0, 0};
	if (json_is_null(at->value))
		return true;
	if (json_is_integer(at->value)) {
		entry->den = 1;
		return bw_json_int(at, INT32_MIN, INT32_MAX, &entry->num, reading->error);
	}
	if (!json_is_array(at->value) || !bw_json_length(at, &length, reading->error) || length != 2)
		return bw_json_fail(at, reading->error, "expected an integer, [numerator, denominator] or null");
	struct bw_json_at num = bw_json_element(at, 0), den = bw_json_element(at, 1);
	return bw_json_int(&num, INT32_MIN, INT32_MAX, &entry->num, reading->error) && bw_json_int(&den, 1, INT32_MAX, &entry->den, reading->error);
}

static bool read_jacobian(struct bw_reading_pipeline *reading, const struct bw_json_at *at, int n_dims, int n_loops, struct bw_jacobian *jacobian)
{
	size_t rows, columns;
	if (!bw_json_length(at, &rows, reading->error))
		return false;
	if (rows != (size_t)n_dims)
		return bw_json_fail(at, reading->error, "%zu rows, expected %d: one a dimension", rows, n_dims);
	struct bw_ratio *entries = BW_ARENA_ARRAY(reading->arena, struct bw_ratio, n_dims * n_loops + 1);
	*jacobian = (struct bw_jacobian){n_dims, n_loops, 1, entries};
	for (size_t d = 0; d < rows; d++) {
		struct bw_json_at row = bw_json_element(at, d);
		if (!bw_json_length(&row, &columns, reading->error))
			return false;
		if (columns != (size_t)n_loops)
			return bw_json_fail(&row, reading->error, "%zu columns, expected %d: one a loop of the stage", columns, n_loops);
		for (size_t l = 0; l < columns; l++) {
			struct bw_json_at element = bw_json_element(&row, l);
			if (!read_entry(reading, &element, &entries[d * columns + l]))
				return false;
		}
	}
	return true;
}

static bool read_loads(struct bw_reading_pipeline *reading, const struct bw_json_at *at, int n_dims, int n_loops, struct bw_read *read)
{
	static const char *const keys[] = {"count", "jacobian", NULL};
	struct bw_json_at loads;
	size_t length;
	if (!bw_json_get(at, "loads", &loads, reading->error) || !bw_json_length(&loads, &length, reading->error))
		return false;
	if (!length || length > MAX_LOADS)
		return bw_json_fail(&loads, reading->error, "expected 1 to %d loads", MAX_LOADS);
	struct bw_jacobian *list = BW_ARENA_ARRAY(reading->arena, struct bw_jacobian, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&loads, i), count, jacobian;
		int64_t number;
		if (!bw_json_only(&element, keys, reading->error) || !bw_json_get(&element, "count", &count, reading->error) || !bw_json_int(&count, 1, MAX_COUNT, &number, reading->error) || !bw_json_get(&element, "jacobian", &jacobian, reading->error) || !read_jacobian(reading, &jacobian, n_dims, n_loops, &list[i]))
			return false;
		list[i].count = (int)number;
	}
	read->loads = list;
	read->n_loads = (int)length;
	return true;
}

static bool read_read(struct bw_reading_pipeline *reading, const struct bw_json_at *at, const struct bw_func *func, const struct bw_stage *stage, struct bw_read *read)
{
	static const char *const keys[] = {"from", "box", "loads", NULL};
	struct bw_json_at from, box;
	const char *name, *loops[BW_MAX_LOOPS];
	if (!bw_json_only(at, keys, reading->error) || !bw_json_get(at, "from", &from, reading->error) || !bw_json_string(&from, &name, reading->error) || !bw_json_get(at, "box", &box, reading->error))
		return false;
	read->producer = -1;
	for (int f = 0; f < reading->n_funcs; f++)
		if (!strcmp(reading->funcs[f].name, name))
			read->producer = f;
	if (!strcmp(func->name, name) && stage->index > 0)
		read->producer = reading->n_funcs;
	if (read->producer < 0)
		return bw_json_fail(&from, reading->error, "no Func or input \"%s\" stands before %s", name, func->name);
	for (int l = 0; l < stage->n_loops; l++)
		loops[l] = stage->loops[l].name;
	struct bw_scope scope = bw_scope_of(reading, loops, stage->n_loops);
	int n_dims = reading->funcs[read->producer].n_dims;
	bool unbounded;
	if (!bw_read_bounds(reading, &box, &scope, n_dims, &read->box, &unbounded))
		return false;
	read->bounded = !unbounded;
	return read_loads(reading, at, n_dims, stage->n_loops, read);
}

static bool read_reads(struct bw_reading_pipeline *reading, const struct bw_json_at *at, const struct bw_func *func, struct bw_stage *stage)
{
	struct bw_json_at reads;
	size_t length;
	if (!bw_json_has(at, "reads", &reads))
		return true;
	if (!bw_json_length(&reads, &length, reading->error))
		return false;
	if (length > MAX_READS)
		return bw_json_fail(&reads, reading->error, "%zu Funcs are read, at most %d are understood", length, MAX_READS);
	struct bw_read *list = BW_ARENA_ARRAY(reading->arena, struct bw_read, length + 1);
	stage->reads = list;
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&reads, i);
		if (!read_read(reading, &element, func, stage, &list[i]))
			return false;
		if (bw_stage_read_of(stage, list[i].producer))
			return bw_json_fail(&element, reading->error, "%s is read here already; its loads go together", list[i].producer < reading->n_funcs ? reading->funcs[list[i].producer].name : func->name);
		stage->n_reads = (int)i + 1;
	}
	return true;
}

static int find_type(const char *name)
{
	for (int t = 0; t < BW_N_TYPES; t++)
		if (!strcmp(bw_type_name((enum bw_type)t), name))
			return t;
	return -1;
}

static int find_operation(const char *name)
{
	for (int o = 0; o < BW_N_OPERATIONS; o++)
		if (!strcmp(bw_operation_name((enum bw_operation)o), name))
			return o;
	return -1;
}

static bool read_ops(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_stage *stage)
{
	struct bw_json_at ops, row, count;
	const char *name, *type;
	json_t *by_type, *value;
	if (!bw_json_has(at, "ops", &ops))
		return true;
	if (!json_is_object(ops.value))
		return bw_json_fail(&ops, reading->error, "expected an object");
	json_object_foreach((json_t *)ops.value, name, by_type) {
		int operation = find_operation(name);
		if (!bw_json_get(&ops, name, &row, reading->error))
			return false;
		if (operation < 0 || !json_is_object(by_type))
			return bw_json_fail(&row, reading->error, operation < 0 ? "no operation \"%s\"" : "%s: expected an object of counts by type", name);
		json_object_foreach(by_type, type, value) {
			int64_t number;
			if (!bw_json_get(&row, type, &count, reading->error) || !bw_json_int(&count, 0, MAX_COUNT, &number, reading->error))
				return false;
			if (find_type(type) < 0)
				return bw_json_fail(&count, reading->error, "no type \"%s\" for counting", type);
			stage->ops[operation][find_type(type)] = (int)number;
		}
	}
	return true;
}

static bool read_stage(struct bw_reading_pipeline *reading, const struct bw_json_at *at, const struct bw_func *func, struct bw_stage *stage)
{
	static const char *const keys[] = {"loops", "predicated", "store", "ops", "reads", NULL};
	struct bw_json_at predicated, store;
	if (!bw_json_only(at, keys, reading->error) || !read_loops(reading, at, func, stage))
		return false;
	if (bw_json_has(at, "predicated", &predicated) && !bw_json_bool(&predicated, &stage->predicated, reading->error))
		return false;
	if (!bw_json_get(at, "store", &store, reading->error) || !read_jacobian(reading, &store, func->n_dims, stage->n_loops, &stage->store))
		return false;
	return read_ops(reading, at, stage) && read_reads(reading, at, func, stage);
}

bool bw_read_stages(struct bw_reading_pipeline *reading, const struct bw_json_at *at, struct bw_func *func)
{
	size_t length;
	if (!bw_json_length(at, &length, reading->error))
		return false;
	if (!length || length > MAX_STAGES)
		return bw_json_fail(at, reading->error, "%zu stages, expected 1 to %d", length, MAX_STAGES);
	struct bw_stage *list = BW_ARENA_ARRAY(reading->arena, struct bw_stage, length);
	for (size_t s = 0; s < length; s++) {
		struct bw_json_at element = bw_json_element(at, s);
		list[s].func = (int)(func - reading->funcs);
		list[s].index = (int)s;
		if (!read_stage(reading, &element, func, &list[s]))
			return false;
	}
	func->stages = list;
	func->n_stages = (int)length;
	return true;
}
