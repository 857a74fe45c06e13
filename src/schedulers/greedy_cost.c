/* Costs of groups: arithmetic, and values loaded (Mullapudi et al. 2016, section 4.1 and listings 1 and 2).
 */
#include <math.h>
#include <string.h>

#include "schedulers/greedy_private.h"

static void add_arithmetic(const struct bw_groups *groups, const struct bw_stage *stage, double iterations,
			   void *data)
{
	struct group_cost *cost = data;
	if (!groups->inlined[stage->func])
		cost->arithmetic += iterations * bw_groups_operations(groups, stage);
}

bool greedy_cost(struct greedy *greedy, int output, int extra, const int64_t *tile, struct group_cost *cost)
{
	const struct bw_pipeline *pipeline = greedy->of.pipeline;
	*cost = (struct group_cost){0};
	if (!greedy->of.bounded[output])
		return false;
	cost->tiles = bw_groups_place(&greedy->of, output, tile);
	for (int f = output; f >= 0; f--) {
		bool member = greedy->of.group[f] == output || (extra >= 0 && greedy->of.group[f] == extra);
		if (!greedy->of.known[f])
			continue;
		if (member || greedy->of.inlined[f]) {
			if (!bw_groups_reads(&greedy->of, f, add_arithmetic, cost))
				return false;
		} else {
			cost->loads += bw_groups_clip(&greedy->of, f);
		}
		if (!greedy->of.inlined[f] && f != output)
			cost->bytes += bw_groups_clip(&greedy->of, f) * pipeline->funcs[f].bytes;
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

static void add_accesses(const struct bw_groups *groups, const struct bw_stage *stage, double iterations,
			 void *data)
{
	double *loads = data;
	for (int r = 0; r < stage->n_reads; r++)
		if (stage->reads[r].producer != stage->func && !groups->inlined[stage->reads[r].producer])
			*loads += iterations * stage->reads[r].calls;
}

double greedy_all_loads(struct greedy *greedy, int output)
{
	double loads = 0;
	int n_dims = greedy->of.pipeline->funcs[output].n_dims;
	memset(greedy->of.known, 0, (size_t)greedy->of.pipeline->n_funcs * sizeof *greedy->of.known);
	greedy->of.known[output] = true;
	memcpy(&greedy->of.boxes[output * BW_MAX_DIMS], &greedy->of.whole[output * BW_MAX_DIMS],
	       (size_t)n_dims * sizeof *greedy->of.boxes);
	for (int f = output; f >= 0; f--)
		if (greedy->of.known[f] && (f == output || greedy->of.inlined[f]) &&
		    !bw_groups_reads(&greedy->of, f, add_accesses, &loads))
			return INFINITY;
	return loads;
}
