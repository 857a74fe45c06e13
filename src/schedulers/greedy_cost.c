/* Costs of groups: arithmetic, and values loaded (Mullapudi et al. 2016, section 4.1 and listings 1 and 2).
 */
#include <math.h>
#include <string.h>

#include "schedulers/greedy_private.h"

/* Operations that one of a kind costs. Accesses are counted apart, as loads. */
static double operation_cost(enum bw_operation operation)
{
	switch (operation) {
	case BW_OPERATION_DIV:
	case BW_OPERATION_MOD:
		return 4;
	case BW_OPERATION_EXTERN_CALL:
		return 8;
	case BW_OPERATION_CONST:
	case BW_OPERATION_CAST:
	case BW_OPERATION_VARIABLE:
	case BW_OPERATION_PARAM:
	case BW_OPERATION_IMAGE_CALL:
	case BW_OPERATION_FUNC_CALL:
	case BW_OPERATION_SELF_CALL:
	case BW_OPERATION_LET:
		return 0;
	default:
		return 1;
	}
}

static double stage_operations(const struct bw_stage *stage)
{
	double sum = 0;
	for (int o = 0; o < BW_N_OPERATIONS; o++)
		for (int t = 0; t < BW_N_TYPES; t++)
			sum += operation_cost((enum bw_operation)o) * stage->ops[o][t];
	return sum;
}

/* Is called with a stage and the number of its iterations. */
typedef void stage_function(const struct greedy *greedy, const struct bw_stage *stage, double iterations,
			    void *data);

/* Adds the regions that a Func's stages read to greedy->boxes, where the Func's own region stands. Calls
 * `each` for every stage. A read without a bound takes all that is needed. Returns false if that has no bound
 * either. */
static bool add_reads(struct greedy *greedy, int f, stage_function *each, void *data)
{
	const struct bw_pipeline *pipeline = greedy->pipeline;
	const struct bw_func *func = &pipeline->funcs[f];
	struct bw_interval computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS], box[BW_MAX_DIMS];
	if (!bw_computed_box(func, &greedy->boxes[f * BW_MAX_DIMS], computed))
		return false;
	memcpy(&greedy->boxes[f * BW_MAX_DIMS], computed, (size_t)func->n_dims * sizeof *computed);
	for (int s = 0; s < func->n_stages; s++) {
		const struct bw_stage *stage = &func->stages[s];
		if (!bw_stage_loops_of(stage, computed, loops))
			return false;
		each(greedy, stage, bw_box_points(loops, stage->n_loops), data);
		for (int r = 0; r < stage->n_reads; r++) {
			int p = stage->reads[r].producer, n_dims = pipeline->funcs[p].n_dims;
			struct bw_interval *whole = &greedy->whole[p * BW_MAX_DIMS];
			if (p == f)
				continue;
			if (!bw_read_box(&stage->reads[r], n_dims, loops, box)) {
				if (!greedy->bounded[p])
					return false;
				memcpy(box, whole, (size_t)n_dims * sizeof *box);
			}
			bw_box_include(&greedy->boxes[p * BW_MAX_DIMS], box, n_dims, !greedy->known[p]);
			greedy->known[p] = true;
		}
	}
	return true;
}

static void nothing(const struct greedy *greedy, const struct bw_stage *stage, double iterations, void *data)
{
	(void)greedy, (void)stage, (void)iterations, (void)data;
}

bool greedy_reads(struct greedy *greedy, int func)
{
	return add_reads(greedy, func, nothing, NULL);
}

/* Finds all that is needed of each Func, from the estimates of the outputs. What has no bound is unbounded.
 */
static void find_wholes(struct greedy *greedy)
{
	const struct bw_pipeline *pipeline = greedy->pipeline;
	memset(greedy->known, 0, (size_t)pipeline->n_funcs * sizeof *greedy->known);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		struct bw_interval *box = &greedy->boxes[f * BW_MAX_DIMS];
		if (func->estimate && (func->input || func->output)) {
			bw_box_include(box, func->estimate, func->n_dims, !greedy->known[f] || func->input);
			greedy->known[f] = true;
		}
		greedy->bounded[f] = greedy->known[f] && (func->input || greedy_reads(greedy, f));
		memcpy(&greedy->whole[f * BW_MAX_DIMS], box, (size_t)func->n_dims * sizeof *box);
	}
}

void greedy_costs_begin(struct greedy *greedy)
{
	const struct bw_pipeline *pipeline = greedy->pipeline;
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			greedy->stage_operations[pipeline->funcs[f].first_stage + s] =
			    stage_operations(&pipeline->funcs[f].stages[s]);
	find_wholes(greedy);
	greedy_values(greedy);
}

/* The arithmetic of a point of a stage, with that of what is inlined into it. */
static double point_operations(const struct greedy *greedy, const struct bw_stage *stage)
{
	const struct bw_func *func = &greedy->pipeline->funcs[stage->func];
	double sum = greedy->stage_operations[func->first_stage + stage->index];
	for (int r = 0; r < stage->n_reads; r++)
		if (greedy->inlined[stage->reads[r].producer])
			sum += stage->reads[r].calls * greedy->value[stage->reads[r].producer];
	return sum;
}

void greedy_values(struct greedy *greedy)
{
	for (int f = 0; f < greedy->pipeline->n_funcs; f++) {
		const struct bw_func *func = &greedy->pipeline->funcs[f];
		greedy->value[f] = func->n_stages ? point_operations(greedy, &func->stages[0]) : 0;
	}
}

double greedy_points(const struct greedy *greedy, int func)
{
	return bw_box_points(&greedy->whole[func * BW_MAX_DIMS], greedy->pipeline->funcs[func].n_dims);
}

/* Clips the region of a Func to all that is needed of it, and returns its points. */
static double clipped_points(const struct greedy *greedy, int f)
{
	const struct bw_interval *whole = &greedy->whole[f * BW_MAX_DIMS];
	struct bw_interval *box = &greedy->boxes[f * BW_MAX_DIMS];
	for (int d = 0; d < greedy->pipeline->funcs[f].n_dims && greedy->bounded[f]; d++) {
		int64_t extent = whole[d].max - whole[d].min + 1;
		if (box[d].max - box[d].min + 1 > extent)
			box[d] = whole[d];
	}
	return bw_box_points(box, greedy->pipeline->funcs[f].n_dims);
}

/* The tile in the middle of all that is needed, and how many there are. */
static double place_tile(struct greedy *greedy, int output, const int64_t *tile)
{
	double tiles = 1;
	for (int d = 0; d < greedy->pipeline->funcs[output].n_dims; d++) {
		const struct bw_interval *whole = &greedy->whole[output * BW_MAX_DIMS + d];
		int64_t extent = whole->max - whole->min + 1, size = tile ? tile[d] : 1;
		int64_t first = whole->min + (extent - size) / 2;
		greedy->boxes[output * BW_MAX_DIMS + d] = (struct bw_interval){first, first + size - 1};
		tiles *= (double)((extent + size - 1) / size);
	}
	return tiles;
}

static void add_arithmetic(const struct greedy *greedy, const struct bw_stage *stage, double iterations,
			   void *data)
{
	struct group_cost *cost = data;
	if (!greedy->inlined[stage->func])
		cost->arithmetic += iterations * point_operations(greedy, stage);
}

bool greedy_cost(struct greedy *greedy, int output, int extra, const int64_t *tile, struct group_cost *cost)
{
	const struct bw_pipeline *pipeline = greedy->pipeline;
	*cost = (struct group_cost){0};
	if (!greedy->bounded[output])
		return false;
	memset(greedy->known, 0, (size_t)pipeline->n_funcs * sizeof *greedy->known);
	greedy->known[output] = true;
	cost->tiles = place_tile(greedy, output, tile);
	for (int f = output; f >= 0; f--) {
		bool member = greedy->group[f] == output || (extra >= 0 && greedy->group[f] == extra);
		if (!greedy->known[f])
			continue;
		if (member || greedy->inlined[f]) {
			if (!add_reads(greedy, f, add_arithmetic, cost))
				return false;
		} else {
			cost->loads += clipped_points(greedy, f);
		}
		if (!greedy->inlined[f] && f != output)
			cost->bytes += clipped_points(greedy, f) * pipeline->funcs[f].bytes;
	}
	return true;
}

double greedy_total(struct greedy *greedy, int output, int extra, const int64_t *tile)
{
	struct group_cost cost;
	if (!greedy_cost(greedy, output, extra, tile, &cost))
		return INFINITY;
	return cost.tiles * (cost.arithmetic + greedy->options.load_cost * cost.loads);
}

static void add_accesses(const struct greedy *greedy, const struct bw_stage *stage, double iterations,
			 void *data)
{
	double *loads = data;
	for (int r = 0; r < stage->n_reads; r++)
		if (stage->reads[r].producer != stage->func && !greedy->inlined[stage->reads[r].producer])
			*loads += iterations * stage->reads[r].calls;
}

double greedy_all_loads(struct greedy *greedy, int output)
{
	double loads = 0;
	int n_dims = greedy->pipeline->funcs[output].n_dims;
	memset(greedy->known, 0, (size_t)greedy->pipeline->n_funcs * sizeof *greedy->known);
	greedy->known[output] = true;
	memcpy(&greedy->boxes[output * BW_MAX_DIMS], &greedy->whole[output * BW_MAX_DIMS],
	       (size_t)n_dims * sizeof *greedy->boxes);
	for (int f = output; f >= 0; f--)
		if (greedy->known[f] && (f == output || greedy->inlined[f]) && !add_reads(greedy, f, add_accesses, &loads))
			return INFINITY;
	return loads;
}
