/* Reads the stages of a Func: loops, reads of other Funcs, operations per point, and the remaining work
 * where the parity of a loop is known. */
#include <string.h>

#include "base/arith.h"
#include "pipeline/pipeline_private.h"

static bool read_kind(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_stage *stage,
		      struct bw_stage_loop *loop)
{
	struct bw_json_at kind, parallel;
	const char *text;
	if (!bw_json_get(at, "kind", &kind, reading->error) || !bw_json_string(&kind, &text, reading->error))
		return false;
	loop->pure = !strcmp(text, "pure");
	if (!loop->pure && strcmp(text, "reduction"))
		return bw_json_fail(&kind, reading->error, "expected \"pure\" or \"reduction\", found \"%s\"", text);
	if (!loop->pure && stage->index == 0)
		return bw_json_fail(&kind, reading->error, "a pure definition has no reduction loops");
	if (!bw_read_flag(reading, at, "parallel", &loop->parallel))
		return false;
	if (loop->pure && bw_json_has(at, "parallel", &parallel))
		return bw_json_fail(&parallel, reading->error,
				    "a pure loop is always parallel; this key is for reduction loops");
	loop->parallel |= loop->pure;
	return true;
}

/* Finds the dimension of a pure loop, which has the loop's name. */
static bool find_dim(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		     struct bw_stage_loop *loop)
{
	loop->dim = -1;
	for (int d = 0; d < func->n_dims; d++)
		if (!strcmp(func->dims[d], loop->name))
			loop->dim = d;
	if (loop->pure && loop->dim < 0)
		return bw_json_fail(at, reading->error, "%s has no dimension \"%s\"", func->name, loop->name);
	if (!loop->pure && loop->dim >= 0)
		return bw_json_fail(at, reading->error, "a reduction loop has the name of a dimension, \"%s\"", loop->name);
	return true;
}

static bool read_loop(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		      const struct bw_stage *stage, struct bw_stage_loop *loop)
{
	static const char *const keys[] = {"name", "kind", "parallel", "min", "max", NULL};
	struct bw_scope scope = bw_reading_scope(reading, func->dims, func->n_dims);
	if (!bw_json_only(at, keys, reading->error) || !bw_read_name_of(reading, at, "name", &loop->name) ||
	    !read_kind(reading, at, stage, loop) || !find_dim(reading, at, func, loop))
		return false;
	for (int l = 0; l < stage->n_loops; l++)
		if (!strcmp(stage->loops[l].name, loop->name))
			return bw_json_fail(at, reading->error, "there are two loops \"%s\"", loop->name);
	return bw_read_bound(reading, at, &scope, &loop->bound);
}

static bool read_loops(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		       struct bw_stage *stage)
{
	struct bw_json_at loops;
	size_t length;
	if (!bw_json_get(at, "loops", &loops, reading->error) ||
	    !bw_json_size(&loops, 0, BW_MAX_LOOPS, "loops", &length, reading->error))
		return false;
	struct bw_stage_loop *list = BW_ARENA_ARRAY(reading->arena, struct bw_stage_loop, length);
	stage->loops = list;
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&loops, i);
		if (!read_loop(reading, &element, func, stage, &list[i]))
			return false;
		stage->n_loops++;
	}
	bool in_order = stage->n_loops == func->n_dims;
	for (int l = 0; l < stage->n_loops; l++)
		in_order = in_order && list[l].dim == l;
	return in_order || stage->index > 0 ||
	       bw_json_fail(&loops, reading->error,
			    "the loops of a pure definition are its dimensions, in their order");
}

/* Reads an integer, [numerator, denominator], the same with "lost", or null for a value that is not
 * constant. Reduces to lowest terms. */
static bool read_ratio(struct bw_reading *reading, const struct bw_json_at *at, struct bw_ratio *ratio)
{
	*ratio = (struct bw_ratio){0};
	if (json_is_null(at->value))
		return true;
	ratio->den = 1;
	if (json_is_integer(at->value))
		return bw_json_int(at, INT32_MIN, INT32_MAX, &ratio->num, reading->error);
	const char *word = json_string_value(json_array_get(at->value, 2));
	ratio->lost = word && !strcmp(word, "lost");
	if (json_array_size(at->value) != (ratio->lost ? 3 : 2))
		return bw_json_fail(
		    at, reading->error,
		    "expected an integer, [numerator, denominator], [numerator, denominator, \"lost\"] or null");
	struct bw_json_at num = bw_json_element(at, 0), den = bw_json_element(at, 1);
	if (!bw_json_int(&num, INT32_MIN, INT32_MAX, &ratio->num, reading->error) ||
	    !bw_json_int(&den, 1, INT32_MAX, &ratio->den, reading->error))
		return false;
	int64_t common = bw_gcd(ratio->num, ratio->den);
	ratio->num /= common;
	ratio->den /= common;
	return true;
}

/* Reads a Jacobian of n_dims rows and n_loops columns, and sets its count to 1. */
static bool read_jacobian(struct bw_reading *reading, const struct bw_json_at *at, int n_dims, int n_loops,
			  struct bw_jacobian *jacobian)
{
	size_t rows, columns;
	if (!bw_json_size(at, n_dims, n_dims, "rows, one a dimension", &rows, reading->error))
		return false;
	struct bw_ratio *entries = BW_ARENA_ARRAY(reading->arena, struct bw_ratio, n_dims * n_loops);
	*jacobian = (struct bw_jacobian){.n_dims = n_dims, .n_loops = n_loops, .count = 1, .entries = entries};
	for (size_t d = 0; d < rows; d++) {
		struct bw_json_at row = bw_json_element(at, d);
		if (!bw_json_size(&row, n_loops, n_loops, "columns, one a loop of the stage", &columns, reading->error))
			return false;
		for (size_t l = 0; l < columns; l++) {
			struct bw_json_at element = bw_json_element(&row, l);
			if (!read_ratio(reading, &element, &entries[d * columns + l]))
				return false;
		}
	}
	return true;
}

/* Reads the optional types of the loaded components. */
static bool read_load_types(struct bw_reading *reading, const struct bw_json_at *at, struct bw_jacobian *load)
{
	struct bw_json_at types;
	int64_t sum = 0;
	if (!bw_json_has(at, "types", &types))
		return true;
	int *counts = BW_ARENA_ARRAY(reading->arena, int, BW_N_TYPES);
	if (!bw_read_by_type(reading, &types, counts))
		return false;
	for (int t = 0; t < BW_N_TYPES; t++)
		sum += counts[t];
	load->by_type = counts;
	return sum == load->count ||
	       bw_json_fail(&types, reading->error, "expected %d loads in all, as counted, found %lld",
			    load->count, (long long)sum);
}

static bool read_load(struct bw_reading *reading, const struct bw_json_at *at, int n_dims, int n_loops,
		      struct bw_jacobian *load)
{
	static const char *const keys[] = {"count", "jacobian", "predicate", "types", NULL};
	struct bw_json_at count, jacobian;
	if (!bw_json_only(at, keys, reading->error) || !bw_json_get(at, "count", &count, reading->error) ||
	    !bw_json_get(at, "jacobian", &jacobian, reading->error))
		return false;
	return read_jacobian(reading, &jacobian, n_dims, n_loops, load) &&
	       bw_read_count(reading, &count, 1, &load->count) &&
	       bw_read_flag(reading, at, "predicate", &load->predicate) && read_load_types(reading, at, load);
}

static bool read_loads(struct bw_reading *reading, const struct bw_json_at *at, int n_dims, int n_loops,
		       struct bw_read *read)
{
	struct bw_json_at loads;
	size_t length;
	if (!bw_json_get(at, "loads", &loads, reading->error) ||
	    !bw_json_size(&loads, 0, BW_MAX_LOADS, "loads", &length, reading->error))
		return false;
	struct bw_jacobian *list = BW_ARENA_ARRAY(reading->arena, struct bw_jacobian, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&loads, i);
		if (!read_load(reading, &element, n_dims, n_loops, &list[i]))
			return false;
	}
	read->loads = list;
	read->n_loads = (int)length;
	return true;
}

/* Finds the Func that is read: an earlier one, or in an update the Func itself; each at most once. */
static bool find_producer(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
			  const struct bw_stage *stage, int *producer)
{
	struct bw_json_at from;
	const char *name;
	if (!bw_json_get(at, "from", &from, reading->error) || !bw_json_string(&from, &name, reading->error))
		return false;
	*producer = bw_names_find(&reading->func_names, name);
	if (*producer < 0)
		return bw_json_fail(&from, reading->error, "no Func or input \"%s\" stands before %s", name, func->name);
	if (*producer == stage->func && stage->index == 0)
		return bw_json_fail(&from, reading->error, "the pure definition of %s cannot read itself", func->name);
	int number = func->first_stage + stage->index + 1;
	if (reading->last_stage[*producer] == number)
		return bw_json_fail(&from, reading->error, "\"%s\" is read here already; its loads go together", name);
	reading->last_stage[*producer] = number;
	return true;
}

static bool is_bounded(const struct bw_bound *box, int n)
{
	for (int d = 0; d < n; d++)
		if (bw_expr_unbounded(box[d].min) || bw_expr_unbounded(box[d].max))
			return false;
	return true;
}

static bool read_read(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		      const struct bw_stage *stage, struct bw_read *read)
{
	static const char *const keys[] = {"from", "box", "touched", "calls", "loads", NULL};
	const char *loops[BW_MAX_LOOPS];
	struct bw_json_at box, touched, calls;
	if (!bw_json_only(at, keys, reading->error) ||
	    !find_producer(reading, at, func, stage, &read->producer) ||
	    !bw_json_get(at, "box", &box, reading->error))
		return false;
	for (int l = 0; l < stage->n_loops; l++)
		loops[l] = stage->loops[l].name;
	struct bw_scope scope = bw_reading_scope(reading, loops, stage->n_loops);
	int n_dims = reading->funcs[read->producer].n_dims;
	if (!bw_read_bounds(reading, &box, &scope, n_dims, &read->box))
		return false;
	read->touched = read->box;
	if (bw_json_has(at, "touched", &touched) &&
	    !bw_read_bounds(reading, &touched, &scope, n_dims, &read->touched))
		return false;
	if (!read_loads(reading, at, n_dims, stage->n_loops, read))
		return false;
	for (int l = 0; l < read->n_loads; l++)
		read->calls += read->loads[l].count;
	if (bw_json_has(at, "calls", &calls) && !bw_read_count(reading, &calls, 0, &read->calls))
		return false;
	read->bounded = is_bounded(read->box, n_dims) && is_bounded(read->touched, n_dims);
	return true;
}

static bool read_reads(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		       struct bw_stage *stage)
{
	struct bw_json_at reads;
	size_t length;
	if (!bw_json_has(at, "reads", &reads))
		return true;
	if (!bw_json_size(&reads, 0, BW_MAX_FUNCS, "Funcs to be read", &length, reading->error))
		return false;
	struct bw_read *list = BW_ARENA_ARRAY(reading->arena, struct bw_read, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&reads, i);
		if (!read_read(reading, &element, func, stage, &list[i]))
			return false;
	}
	stage->reads = list;
	stage->n_reads = (int)length;
	return true;
}

/* Parities: the remaining work of a stage in each class of points if some of its loops are known. */

static bool read_values(struct bw_reading *reading, const struct bw_json_at *at, struct bw_parity_loop *loop)
{
	size_t length;
	if (!bw_json_size(at, 1, BW_MAX_PARITY_VALUES, "values", &length, reading->error))
		return false;
	int64_t *values = BW_ARENA_ARRAY(reading->arena, int64_t, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(at, i);
		if (!bw_json_int(&element, INT32_MIN, INT32_MAX, &values[i], reading->error))
			return false;
		for (size_t k = 0; k < i; k++)
			if (values[k] == values[i])
				return bw_json_fail(&element, reading->error, "%lld stands twice", (long long)values[i]);
	}
	loop->values = values;
	loop->n_values = (int)length;
	return true;
}

static bool read_parity_loop(struct bw_reading *reading, const struct bw_json_at *at,
			     const struct bw_stage *stage,
		      const struct bw_parity *parity, struct bw_parity_loop *loop)
{
	static const char *const keys[] = {"loop", "modulus", "values", NULL};
	struct bw_json_at member;
	const char *name;
	int64_t modulus = 0;
	if (!bw_json_only(at, keys, reading->error) || !bw_read_name_of(reading, at, "loop", &name))
		return false;
	loop->loop = bw_stage_find_loop(stage, name);
	for (int i = 0; i < parity->n_loops; i++)
		if (loop->loop < 0 || parity->loops[i].loop == loop->loop)
			loop->loop = -1;
	if (loop->loop < 0)
		return bw_json_fail(at, reading->error,
				    "expected a loop of the stage, each once, found \"%s\"", name);
	if (bw_json_has(at, "values", &member))
		return read_values(reading, &member, loop);
	if (!bw_json_get_int(at, "modulus", 2, BW_MAX_PARITY_VALUES, &modulus, reading->error))
		return false;
	loop->modulus = (int)modulus;
	return true;
}

static bool read_parity_loops(struct bw_reading *reading, const struct bw_json_at *at,
			      const struct bw_stage *stage,
		       struct bw_parity *parity)
{
	struct bw_json_at list;
	size_t length;
	if (!bw_json_get(at, "loops", &list, reading->error) ||
	    !bw_json_size(&list, 1, BW_MAX_PARITY_LOOPS, "loops", &length, reading->error))
		return false;
	struct bw_parity_loop *loops = BW_ARENA_ARRAY(reading->arena, struct bw_parity_loop, length);
	parity->loops = loops;
	parity->n_classes = 1;
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&list, i);
		if (!read_parity_loop(reading, &element, stage, parity, &loops[i]))
			return false;
		parity->n_loops++;
		parity->n_classes *= loops[i].modulus ? loops[i].modulus : loops[i].n_values + 1;
	}
	return parity->n_classes <= BW_MAX_CLASSES ||
	       bw_json_fail(&list, reading->error,
			    "expected at most %d classes of points, these loops make %d", BW_MAX_CLASSES,
			    parity->n_classes);
}

/* Reads the counts of a class's loads of one producer. Leaves out loads with count 0. */
static bool read_counts(struct bw_reading *reading, const struct bw_json_at *at, struct bw_read *read)
{
	size_t length;
	if (!bw_json_length(at, &length, reading->error))
		return false;
	if ((int)length != read->n_loads)
		return bw_json_fail(at, reading->error, "expected the counts of %d loads, found %zu",
				    read->n_loads, length);
	struct bw_jacobian *loads = BW_ARENA_ARRAY(reading->arena, struct bw_jacobian, length);
	int n = 0;
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(at, i);
		int count;
		if (!bw_read_count(reading, &element, 0, &count))
			return false;
		if (count > read->loads[i].count)
			return bw_json_fail(&element, reading->error,
					    "expected at most %d, as in the whole stage, found %d",
					    read->loads[i].count, count);
		loads[n] = read->loads[i];
		loads[n].count = count;
		n += count > 0;
	}
	read->loads = loads;
	read->n_loads = n;
	return true;
}

static bool read_class(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_stage *stage,
		       struct bw_stage *of)
{
	static const char *const keys[] = {"ops", "loads", NULL};
	struct bw_json_at loads, counts;
	struct bw_read *reads = BW_ARENA_ARRAY(reading->arena, struct bw_read, stage->n_reads);
	const char **producers = BW_ARENA_ARRAY(reading->arena, const char *, stage->n_reads + 1);
	*of = *stage;
	of->reads = reads;
	memset(of->ops, 0, sizeof of->ops);
	for (int r = 0; r < stage->n_reads; r++) {
		reads[r] = stage->reads[r];
		producers[r] = reading->funcs[reads[r].producer].name;
	}
	if (!bw_json_only(at, keys, reading->error) || !bw_read_ops(reading, at, "ops", of->ops))
		return false;
	of->op_kinds = bw_op_kinds_of(of);
	if (!bw_json_has(at, "loads", &loads))
		return true;
	if (!bw_json_only(&loads, producers, reading->error))
		return false;
	for (int r = 0; r < stage->n_reads; r++)
		if (bw_json_has(&loads, producers[r], &counts) && !read_counts(reading, &counts, &reads[r]))
			return false;
	return true;
}

static bool read_parity(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_stage *stage,
			struct bw_parity *parity)
{
	static const char *const keys[] = {"loops", "classes", NULL};
	struct bw_json_at list;
	size_t length;
	if (!bw_json_only(at, keys, reading->error) || !read_parity_loops(reading, at, stage, parity) ||
	    !bw_json_get(at, "classes", &list, reading->error) ||
	    !bw_json_size(&list, parity->n_classes, parity->n_classes, "classes of points", &length, reading->error))
		return false;
	struct bw_stage *classes = BW_ARENA_ARRAY(reading->arena, struct bw_stage, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&list, i);
		if (!read_class(reading, &element, stage, &classes[i]))
			return false;
	}
	parity->classes = classes;
	return true;
}

static bool read_parities(struct bw_reading *reading, const struct bw_json_at *at, struct bw_stage *stage)
{
	struct bw_json_at list;
	size_t length;
	if (!bw_json_has(at, "parity", &list))
		return true;
	if (!bw_json_size(&list, 0, 1 << BW_MAX_PARITY_LOOPS, "sets of loops", &length, reading->error))
		return false;
	struct bw_parity *parities = BW_ARENA_ARRAY(reading->arena, struct bw_parity, length);
	for (size_t i = 0; i < length; i++) {
		struct bw_json_at element = bw_json_element(&list, i);
		if (!read_parity(reading, &element, stage, &parities[i]))
			return false;
	}
	stage->parities = parities;
	stage->n_parities = (int)length;
	return true;
}

static bool read_stage(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		       struct bw_stage *stage)
{
	static const char *const keys[] = {"loops",       "predicated", "undefined", "associative",   "atomic",
					   "store",       "ops",        "predicate_ops", "reads", "parity", NULL};
	struct bw_json_at store;
	if (!bw_json_only(at, keys, reading->error) || !read_loops(reading, at, func, stage) ||
	    !bw_read_flag(reading, at, "predicated", &stage->predicated) ||
	    !bw_read_flag(reading, at, "undefined", &stage->undefined) ||
	    !bw_read_flag(reading, at, "associative", &stage->associative) ||
	    !bw_read_flag(reading, at, "atomic", &stage->atomic))
		return false;
	if ((stage->associative && stage->index == 0) || (stage->atomic && !stage->associative))
		return bw_json_fail(at, reading->error, stage->atomic ? "only an associative update is atomic"
								      : "a pure definition is not associative");
	if (!bw_json_get(at, "store", &store, reading->error) ||
	    !read_jacobian(reading, &store, func->n_dims, stage->n_loops, &stage->store))
		return false;
	if (!bw_read_ops(reading, at, "ops", stage->ops) ||
	    !bw_read_ops(reading, at, "predicate_ops", stage->predicate_ops))
		return false;
	stage->op_kinds = bw_op_kinds_of(stage);
	return read_reads(reading, at, func, stage) && read_parities(reading, at, stage);
}

/* Returns the first dimension along which a loop of a stage stores; that of a Var is its own. A loop that
 * stores at places that depend on data comes last. */
static int dim_along(const struct bw_stage *stage, int loop)
{
	const struct bw_jacobian *store = &stage->store;
	int d = stage->loops[loop].dim;
	for (int i = 0; i < store->n_dims && d < 0; i++)
		if (store->entries[i * store->n_loops + loop].den && store->entries[i * store->n_loops + loop].num)
			d = i;
	return d < 0 ? BW_MAX_DIMS : d;
}

/* Returns true if a loop has no iterations, whatever the box of its Func is. */
static bool is_empty(const struct bw_stage_loop *loop)
{
	int64_t min, max;
	return !bw_expr_variables(loop->bound.min) && !bw_expr_variables(loop->bound.max) &&
	       bw_expr_eval(loop->bound.min, NULL, &min) && bw_expr_eval(loop->bound.max, NULL, &max) && max < min;
}

/* Gives the parallel loops of a stage their axes, and sets their order. */
static void set_axes(struct bw_reading *reading, struct bw_func *func, struct bw_stage *stage)
{
	struct bw_stage_loop *loops = (struct bw_stage_loop *)stage->loops;
	int *across = BW_ARENA_ARRAY(reading->arena, int, stage->n_loops);
	int before = func->n_axes;
	for (int l = 0; l < stage->n_loops; l++) {
		loops[l].empty = !loops[l].pure && is_empty(&loops[l]);
		loops[l].parallel &= !loops[l].empty;
		bool counts = loops[l].parallel && !loops[l].pure && func->n_axes < BW_MAX_AXES;
		loops[l].axis = counts ? func->n_axes++ : loops[l].dim;
		if (loops[l].axis < 0)
			continue;
		across[stage->n_across++] = l;
	}
	for (int i = 1; i < stage->n_across && func->n_axes > before; i++)
		for (int k = i; k > 0 && dim_along(stage, across[k - 1]) > dim_along(stage, across[k]); k--) {
			int outer = across[k - 1];
			across[k - 1] = across[k];
			across[k] = outer;
		}
	stage->across = across;
}

bool bw_read_stages(struct bw_reading *reading, const struct bw_json_at *at, struct bw_func *func)
{
	size_t length;
	if (!bw_json_size(at, 1, BW_MAX_STAGES, "stages", &length, reading->error))
		return false;
	struct bw_stage *list = BW_ARENA_ARRAY(reading->arena, struct bw_stage, length);
	func->n_axes = func->n_dims;
	for (size_t s = 0; s < length; s++) {
		struct bw_json_at element = bw_json_element(at, s);
		list[s].func = reading->n_funcs;
		list[s].index = (int)s;
		if (!read_stage(reading, &element, func, &list[s]))
			return false;
		set_axes(reading, func, &list[s]);
	}
	func->stages = list;
	func->n_stages = (int)length;
	return true;
}
