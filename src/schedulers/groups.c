/* Groups, and the regions that a tile needs. */
#include "schedulers/groups.h"

#include <stdlib.h>
#include <string.h>

#include "cost/operations.h"

/* Finds the values of Funcs anew, after `inlined` changed. */
static void find_values(struct bw_groups *groups)
{
	for (int f = 0; f < groups->pipeline->n_funcs; f++) {
		const struct bw_func *func = &groups->pipeline->funcs[f];
		groups->value[f] = func->n_stages ? bw_groups_operations(groups, &func->stages[0]) : 0;
	}
}

/* Finds all that is needed of each Func, from the estimates of the outputs. What has no bound is unbounded.
 */
static void find_wholes(struct bw_groups *groups)
{
	const struct bw_pipeline *pipeline = groups->pipeline;
	memset(groups->known, 0, (size_t)pipeline->n_funcs * sizeof *groups->known);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		struct bw_interval *box = &groups->boxes[f * BW_MAX_DIMS];
		if (func->estimate && (func->input || func->output)) {
			bw_box_include(box, func->estimate, func->n_dims, !groups->known[f] || func->input);
			groups->known[f] = true;
		}
		groups->bounded[f] = groups->known[f] && (func->input || bw_groups_reads(groups, f, NULL, NULL));
		memcpy(&groups->whole[f * BW_MAX_DIMS], box, (size_t)func->n_dims * sizeof *box);
	}
}

void bw_groups_begin(struct bw_groups *groups, const struct bw_pipeline *pipeline,
		     const struct bw_device *device, struct bw_arena *arena)
{
	int n = pipeline->n_funcs;
	*groups = (struct bw_groups){.pipeline = pipeline, .device = device, .arena = arena};
	groups->inlined = BW_ARENA_ARRAY(arena, bool, n);
	groups->group = BW_ARENA_ARRAY(arena, int, n);
	groups->tiles = BW_ARENA_ARRAY(arena, const int64_t *, n);
	groups->whole = BW_ARENA_ARRAY(arena, struct bw_interval, n * BW_MAX_DIMS);
	groups->boxes = BW_ARENA_ARRAY(arena, struct bw_interval, n * BW_MAX_DIMS);
	groups->bounded = BW_ARENA_ARRAY(arena, bool, n);
	groups->known = BW_ARENA_ARRAY(arena, bool, n);
	groups->value = BW_ARENA_ARRAY(arena, double, n);
	groups->stage_operations = BW_ARENA_ARRAY(arena, double, pipeline->n_stages);
	for (int f = 0; f < n; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		groups->inlined[f] = false;
		groups->group[f] = func->input ? -1 : f;
		groups->tiles[f] = NULL;
		for (int s = 0; s < func->n_stages; s++)
			groups->stage_operations[func->first_stage + s] = bw_operations_of(&func->stages[s]);
	}
	find_wholes(groups);
	find_values(groups);
}

void bw_groups_inline(struct bw_groups *groups, int func, bool inlined)
{
	groups->inlined[func] = inlined;
	groups->group[func] = inlined ? -1 : func;
	find_values(groups);
}

void bw_groups_merge(struct bw_groups *groups, int producer, int consumer)
{
	for (int f = 0; f < groups->pipeline->n_funcs; f++)
		if (groups->group[f] == producer)
			groups->group[f] = consumer;
}

struct bw_groups_kept bw_groups_keep(const struct bw_groups *groups)
{
	int n = groups->pipeline->n_funcs;
	struct bw_groups_kept kept = {BW_NEW_ARRAY(bool, n), BW_NEW_ARRAY(int, n),
				      BW_NEW_ARRAY(const int64_t *, n)};
	memcpy(kept.inlined, groups->inlined, (size_t)n * sizeof *kept.inlined);
	memcpy(kept.group, groups->group, (size_t)n * sizeof *kept.group);
	memcpy(kept.tiles, groups->tiles, (size_t)n * sizeof *kept.tiles);
	return kept;
}

void bw_groups_return(struct bw_groups *groups, const struct bw_groups_kept *kept)
{
	int n = groups->pipeline->n_funcs;
	memcpy(groups->inlined, kept->inlined, (size_t)n * sizeof *kept->inlined);
	memcpy(groups->group, kept->group, (size_t)n * sizeof *kept->group);
	memcpy(groups->tiles, kept->tiles, (size_t)n * sizeof *kept->tiles);
	find_values(groups);
}

void bw_groups_kept_free(struct bw_groups_kept *kept)
{
	free(kept->inlined);
	free(kept->group);
	free(kept->tiles);
}

void bw_groups_mark_readers(const struct bw_groups *groups, int func, bool *marked)
{
	const struct bw_func *of = &groups->pipeline->funcs[func];
	for (int c = 0; c < of->n_consumers; c++) {
		int reader = of->consumers[c]->func;
		if (marked[reader])
			continue;
		marked[reader] = true;
		if (groups->inlined[reader])
			bw_groups_mark_readers(groups, reader, marked);
	}
}

int bw_groups_only_reader(const struct bw_groups *groups, int output)
{
	int reader = -1;
	bool *marked = BW_NEW_ARRAY(bool, groups->pipeline->n_funcs);
	bw_groups_mark_readers(groups, output, marked);
	for (int f = 0; f < groups->pipeline->n_funcs; f++)
		if (marked[f] && !groups->inlined[f] && groups->group[f] != output)
			reader = reader == -1 || reader == groups->group[f] ? groups->group[f] : -2;
	free(marked);
	return reader < 0 ? -1 : reader;
}

int bw_groups_members(const struct bw_groups *groups, int output, struct bw_arena *arena, int **list)
{
	int n = 0;
	*list = BW_ARENA_ARRAY(arena, int, groups->pipeline->n_funcs);
	(*list)[n++] = output;
	for (int f = groups->pipeline->n_funcs - 1; f >= 0; f--)
		if (f != output && groups->group[f] == output)
			(*list)[n++] = f;
	return n;
}

bool bw_groups_stage_reads(struct bw_groups *groups, const struct bw_stage *stage,
			   const struct bw_interval *computed, double *iterations)
{
	struct bw_interval loops[BW_MAX_LOOPS], box[BW_MAX_DIMS];
	if (!bw_stage_loops_of(stage, computed, loops))
		return false;
	*iterations = bw_box_points(loops, stage->n_loops);
	for (int r = 0; r < stage->n_reads; r++) {
		int p = stage->reads[r].producer, n_dims = groups->pipeline->funcs[p].n_dims;
		if (p == stage->func)
			continue;
		if (!bw_read_box(&stage->reads[r], n_dims, loops, box)) {
			if (!groups->bounded[p])
				return false;
			memcpy(box, &groups->whole[p * BW_MAX_DIMS], (size_t)n_dims * sizeof *box);
		}
		bw_box_include(&groups->boxes[p * BW_MAX_DIMS], box, n_dims, !groups->known[p]);
		groups->known[p] = true;
	}
	return true;
}

bool bw_groups_reads(struct bw_groups *groups, int f, bw_groups_stage *each, void *data)
{
	const struct bw_func *func = &groups->pipeline->funcs[f];
	struct bw_interval computed[BW_MAX_DIMS];
	double iterations;
	if (!bw_computed_box(func, &groups->boxes[f * BW_MAX_DIMS], computed))
		return false;
	memcpy(&groups->boxes[f * BW_MAX_DIMS], computed, (size_t)func->n_dims * sizeof *computed);
	for (int s = 0; s < func->n_stages; s++) {
		if (func->stages[s].undefined)
			continue;
		if (!bw_groups_stage_reads(groups, &func->stages[s], computed, &iterations))
			return false;
		if (each)
			each(groups, &func->stages[s], iterations, data);
	}
	return true;
}

double bw_groups_operations(const struct bw_groups *groups, const struct bw_stage *stage)
{
	const struct bw_func *func = &groups->pipeline->funcs[stage->func];
	double sum = groups->stage_operations[func->first_stage + stage->index];
	for (int r = 0; r < stage->n_reads; r++)
		if (groups->inlined[stage->reads[r].producer])
			sum += stage->reads[r].calls * groups->value[stage->reads[r].producer];
	return sum;
}

double bw_groups_place(struct bw_groups *groups, int output, const int64_t *tile)
{
	double tiles = 1;
	memset(groups->known, 0, (size_t)groups->pipeline->n_funcs * sizeof *groups->known);
	groups->known[output] = true;
	for (int d = 0; d < groups->pipeline->funcs[output].n_dims; d++) {
		const struct bw_interval *whole = &groups->whole[output * BW_MAX_DIMS + d];
		int64_t extent = whole->max - whole->min + 1, size = tile ? tile[d] : 1;
		int64_t first = whole->min + (extent - size) / 2;
		groups->boxes[output * BW_MAX_DIMS + d] = (struct bw_interval){first, first + size - 1};
		tiles *= (double)((extent + size - 1) / size);
	}
	return tiles;
}

int64_t bw_groups_extent(const struct bw_groups *groups, int func, int dim)
{
	const struct bw_interval *whole = &groups->whole[func * BW_MAX_DIMS + dim];
	return groups->bounded[func] ? whole->max - whole->min + 1 : 1;
}

double bw_groups_clip(const struct bw_groups *groups, int f)
{
	const struct bw_interval *whole = &groups->whole[f * BW_MAX_DIMS];
	struct bw_interval *box = &groups->boxes[f * BW_MAX_DIMS];
	for (int d = 0; d < groups->pipeline->funcs[f].n_dims && groups->bounded[f]; d++) {
		int64_t extent = whole[d].max - whole[d].min + 1;
		if (box[d].max - box[d].min + 1 > extent)
			box[d] = whole[d];
	}
	return bw_box_points(box, groups->pipeline->funcs[f].n_dims);
}
