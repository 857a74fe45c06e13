/* Reads what is left of a stage where loops are known: its work in each class of points. */
#include <string.h>

#include "pipeline/pipeline_private.h"

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

static bool read_loop(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_stage *stage,
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

static bool read_loops(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_stage *stage,
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
		if (!read_loop(reading, &element, stage, parity, &loops[i]))
			return false;
		parity->n_loops++;
		parity->n_classes *= loops[i].modulus ? loops[i].modulus : loops[i].n_values + 1;
	}
	return parity->n_classes <= BW_MAX_CLASSES ||
	       bw_json_fail(&list, reading->error,
			    "expected at most %d classes of points, these loops make %d", BW_MAX_CLASSES,
			    parity->n_classes);
}

/* Reads the counts of a class's loads of one producer; of which there are none is left out. */
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
	if (!bw_json_only(at, keys, reading->error) || !read_loops(reading, at, stage, parity) ||
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

bool bw_read_parities(struct bw_reading *reading, const struct bw_json_at *at, struct bw_stage *stage)
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

void bw_finish_parities(struct bw_reading *reading)
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

/* Which regions are the same at all sizes, so that Halide knows them when it compiles. */

/* Returns true if both ends of a bound are over intervals that are constant, `known` as bits, and no
 * parameter. */
static bool is_constant(const struct bw_bound *bound, uint32_t known)
{
	const uint32_t over = bw_expr_variables(bound->min) | bw_expr_variables(bound->max);
	return !(over & ~known) && !bw_expr_parametric(bound->min) && !bw_expr_parametric(bound->max);
}

/* Returns which of n bounds are constant, as bits. */
static uint32_t constant_of(const struct bw_bound *bounds, int n, uint32_t known)
{
	uint32_t constant = 0;
	for (int i = 0; i < n; i++)
		constant |= (uint32_t)is_constant(&bounds[i], known) << i;
	return constant;
}

uint32_t bw_stage_constant(const struct bw_stage *stage, uint32_t computed)
{
	uint32_t constant = 0;
	for (int l = 0; l < stage->n_loops; l++)
		constant |= (uint32_t)is_constant(&stage->loops[l].bound, computed) << l;
	return constant;
}

void bw_find_constants(struct bw_reading *reading)
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
