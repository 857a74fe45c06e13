/* Groups of Funcs: the regions that a tile needs, the schedule of the groups, and the decisions about
 * groups. */
#include "schedulers/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Computes groups->value again, after `inlined` changed. */
static void find_values(struct bw_groups *groups)
{
	for (int f = 0; f < groups->pipeline->n_funcs; f++) {
		const struct bw_func *func = &groups->pipeline->funcs[f];
		groups->value[f] = func->n_stages ? bw_groups_operations(groups, &func->stages[0]) : 0;
	}
}

/* Computes the whole region needed of each Func, from the estimates of the outputs. The region is
 * unbounded if a bound is missing. */
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
			groups->stage_operations[func->first_stage + s] = bw_stage_operations(&func->stages[s]);
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

/* Merges the group of `producer` into the group of `consumer`. */
static void groups_merge(struct bw_groups *groups, int producer, int consumer)
{
	for (int f = 0; f < groups->pipeline->n_funcs; f++)
		if (groups->group[f] == producer)
			groups->group[f] = consumer;
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

#define REGISTER_BYTES 4

/* Returns true if a stage reads one of these Funcs. */
static bool reads_any(const struct bw_stage *stage, const bool *funcs)
{
	for (int r = 0; r < stage->n_reads; r++)
		if (stage->reads[r].producer != stage->func && funcs[stage->reads[r].producer])
			return true;
	return false;
}

int bw_groups_host(const struct bw_groups *groups, int output)
{
	const struct bw_func *funcs = groups->pipeline->funcs;
	BW_SCOPED_MEMORY bool *leads = BW_NEW_ARRAY(bool, groups->pipeline->n_funcs);
	for (int f = 0; f < output; f++)
		leads[f] = groups->group[f] == output || (groups->inlined[f] && reads_any(&funcs[f].stages[0], leads));
	int s = funcs[output].n_stages - 1;
	while (s > 0 && !reads_any(&funcs[output].stages[s], leads))
		s--;
	return s;
}

static bool kernel_fits(const struct bw_groups *groups, const struct bw_nest *nest,
			const struct bw_kernel *kernel, struct bw_error *error)
{
	const struct bw_device *device = groups->device;
	const struct bw_func *funcs = groups->pipeline->funcs;
	const char *name = funcs[kernel->func].name;
	const int64_t *threads = kernel->threads;
	if ((double)kernel->n_threads > device->threads_per_block || (double)threads[0] > device->block_x ||
	    (double)threads[1] > device->block_y || (double)threads[2] > device->block_z)
		return bw_fail(error, BW_ERROR_INPUT, "%s: %lldx%lldx%lld threads per block, more than the device has", name,
			       (long long)threads[0], (long long)threads[1], (long long)threads[2]);
	if ((double)kernel->shared_bytes > device->shared_per_block)
		return bw_fail(error, BW_ERROR_INPUT, "%s: %lld bytes of shared memory per block, limit %.0f", name,
			       (long long)kernel->shared_bytes, device->shared_per_block);
	if ((double)kernel->register_bytes > REGISTER_BYTES * device->register_limit)
		return bw_fail(error, BW_ERROR_INPUT, "%s: %lld bytes of values per thread, and registers for %.0f", name,
			       (long long)kernel->register_bytes, REGISTER_BYTES * device->register_limit);
	for (int m = 0; m < kernel->n_members; m++) {
		const struct bw_placed *placed = nest->placed[kernel->members[m]];
		if (placed->memory != BW_MEMORY_GLOBAL && placed->proof < BW_PROOF_BLOCKS)
			return bw_fail(error, BW_ERROR_INPUT, "%s: the size of its allocation is not the same in all blocks",
				       funcs[kernel->members[m]].name);
	}
	return true;
}

/* Returns true if the device can launch each kernel, and Halide knows the sizes of all Funcs stored in
 * kernels. */
static bool legal(const struct bw_groups *groups, const struct bw_nest *nest, struct bw_error *error)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	bool good = true;
	int n;
	const struct bw_kernel *kernels = bw_nest_kernels(nest, arena, &n);
	for (int k = 0; k < n && good; k++)
		good = kernel_fits(groups, nest, &kernels[k], error);
	return good;
}

static void print_tile(const struct bw_func *func, const int64_t *tile, struct bw_text *out)
{
	for (int d = 0; d < func->n_dims; d++)
		bw_text_printf(out, "%s%lld", d ? "x" : "tile ", (long long)tile[d]);
}

/* Appends `{A B} in C, tile 32x8`. Returns false if the group has no other member. */
static bool describe_group(const struct bw_groups *groups, int output, struct bw_text *out)
{
	const struct bw_func *funcs = groups->pipeline->funcs;
	int n = 0;
	for (int m = groups->pipeline->n_funcs - 1; m >= 0; m--)
		if (m != output && groups->group[m] == output)
			bw_text_printf(out, "%s%s", n++ ? " " : out->length ? "; {" : "{", funcs[m].name);
	if (!n)
		return false;
	bw_text_printf(out, "} in %s", funcs[output].name);
	if (groups->tiles[output]) {
		bw_text_puts(out, ", ");
		print_tile(&funcs[output], groups->tiles[output], out);
	}
	return true;
}

void bw_grouping_describe(const void *state, struct bw_text *out)
{
	const struct bw_groups *groups = &((const struct bw_grouping *)state)->of;
	const struct bw_pipeline *pipeline = groups->pipeline;
	BW_SCOPED_TEXT alone = {0}, inlined = {0};
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const char *name = pipeline->funcs[f].name;
		if (groups->inlined[f])
			bw_text_printf(&inlined, " %s", name);
		else if (groups->group[f] == f && !describe_group(groups, f, out))
			bw_text_printf(&alone, " %s", name);
	}
	if (alone.length)
		bw_text_printf(out, "%salone:%s", out->length ? "; " : "", bw_text_get(&alone));
	if (inlined.length)
		bw_text_printf(out, "; inlined:%s", bw_text_get(&inlined));
}

void *bw_grouping_new(size_t size, const struct bw_pipeline *pipeline, const struct bw_device *device,
		      const struct bw_placement *(*place)(void *state, int func))
{
	struct bw_grouping *grouping = bw_new_array(1, size);
	*grouping = (struct bw_grouping){.device = *device, .arena = bw_arena_new(), .place = place};
	bw_groups_begin(&grouping->of, pipeline, &grouping->device, grouping->arena);
	return grouping;
}

struct bw_schedule *bw_groups_schedule(struct bw_groups *groups,
				       const struct bw_placement *(*place)(void *data, int func), void *data,
				       struct bw_error *error)
{
	const struct bw_pipeline *pipeline = groups->pipeline;
	struct bw_schedule *schedule = bw_schedule_new(pipeline);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		if (pipeline->funcs[f].input)
			continue;
		const struct bw_placement *placement = place(data, f);
		bw_schedule_set(schedule, placement);
		bw_placement_drop(placement);
	}
	struct bw_nest *nest = bw_schedule_nest(pipeline, schedule, error);
	bool good = nest && legal(groups, nest, error);
	bw_nest_drop(nest);
	if (good)
		return schedule;
	bw_schedule_drop(schedule);
	return NULL;
}

bool bw_grouping_remake(struct bw_grouping *grouping, struct bw_error *error)
{
	struct bw_schedule *schedule = bw_groups_schedule(&grouping->of, grouping->place, grouping, error);
	if (!schedule)
		return false;
	bw_schedule_drop(grouping->schedule);
	grouping->schedule = schedule;
	return true;
}

bool bw_grouping_try(struct bw_grouping *grouping, void (*apply)(void *state, const void *choice),
		     const void *choice, struct bw_error *error)
{
	struct bw_groups *of = &grouping->of;
	size_t n = (size_t)of->pipeline->n_funcs;
	struct bw_groups kept = {.inlined = BW_NEW_ARRAY(bool, n),
				 .group = BW_NEW_ARRAY(int, n),
				 .tiles = BW_NEW_ARRAY(const int64_t *, n)};
	memcpy(kept.inlined, of->inlined, n * sizeof *of->inlined);
	memcpy(kept.group, of->group, n * sizeof *of->group);
	memcpy(kept.tiles, of->tiles, n * sizeof *of->tiles);
	apply(grouping, choice);
	bool legal = bw_grouping_remake(grouping, error);
	if (!legal) {
		memcpy(of->inlined, kept.inlined, n * sizeof *of->inlined);
		memcpy(of->group, kept.group, n * sizeof *of->group);
		memcpy(of->tiles, kept.tiles, n * sizeof *of->tiles);
		find_values(of);
	}
	free(kept.inlined);
	free(kept.group);
	free(kept.tiles);
	return legal;
}

void bw_grouping_apply(void *state, const void *choice)
{
	struct bw_groups *groups = &((struct bw_grouping *)state)->of;
	const struct bw_group_choice *what = choice;
	if (what->consumer < 0) {
		bw_groups_inline(groups, what->func, true);
		return;
	}
	groups_merge(groups, what->func, what->consumer);
	groups->tiles[what->consumer] = what->tile;
}

bool bw_grouping_may_inline(const struct bw_groups *groups, int f)
{
	const struct bw_func *func = &groups->pipeline->funcs[f];
	return !func->input && !func->output && func->n_stages == 1 && !groups->inlined[f];
}

/* Returns the total cost of all marked Funcs as kernels, except the inlined ones. */
static double sum_alone(struct bw_grouping *grouping, const bool *marked,
			double (*alone)(void *state, int func))
{
	double sum = 0;
	for (int f = 0; f < grouping->of.pipeline->n_funcs; f++)
		if (marked[f] && !grouping->of.inlined[f])
			sum += alone(grouping, f);
	return sum;
}

void bw_grouping_weigh(struct bw_grouping *grouping, struct bw_group_choice *choice, bool *marked,
		       double (*alone)(void *state, int func), double *before, double *after)
{
	memset(marked, 0, (size_t)grouping->of.pipeline->n_funcs * sizeof *marked);
	bw_groups_mark_readers(&grouping->of, choice->func, marked);
	marked[choice->func] = true;
	*before = sum_alone(grouping, marked, alone);
	bw_groups_inline(&grouping->of, choice->func, true);
	*after = sum_alone(grouping, marked, alone);
	bw_groups_inline(&grouping->of, choice->func, false);
	choice->benefit = isfinite(*before) ? *before - *after : isfinite(*after) ? INFINITY : 0;
}

int bw_grouping_reader(const struct bw_groups *groups, int func)
{
	int reader = -1;
	if (groups->group[func] != func || groups->pipeline->funcs[func].output)
		return -1;
	BW_SCOPED_MEMORY bool *marked = BW_NEW_ARRAY(bool, groups->pipeline->n_funcs);
	bw_groups_mark_readers(groups, func, marked);
	for (int f = 0; f < groups->pipeline->n_funcs; f++)
		if (marked[f] && !groups->inlined[f] && groups->group[f] != func)
			reader = reader == -1 || reader == groups->group[f] ? groups->group[f] : -2;
	return reader < 0 ? -1 : reader;
}

int bw_grouping_order(const void *a, const void *b)
{
	const struct bw_group_choice *first = a, *second = b;
	if (first->trivial != second->trivial)
		return first->trivial ? -1 : 1;
	if (first->benefit != second->benefit)
		return first->benefit > second->benefit ? -1 : 1;
	return first->func - second->func;
}

const char *bw_grouping_tile(const struct bw_grouping *grouping, int output, const int64_t *tile)
{
	struct bw_text text = {0};
	print_tile(&grouping->of.pipeline->funcs[output], tile, &text);
	return bw_text_keep(&text, grouping->arena);
}

void bw_grouping_name(const struct bw_grouping *grouping, const struct bw_group_choice *choice,
		      struct bw_walk_candidate *candidate)
{
	const struct bw_func *funcs = grouping->of.pipeline->funcs;
	int *members;
	candidate->n_funcs = bw_groups_members(&grouping->of, choice->func, grouping->arena, &members);
	candidate->funcs = members;
	candidate->name = bw_arena_format(grouping->arena, "inline %s", funcs[choice->func].name);
	candidate->how = choice->tile ? bw_grouping_tile(grouping, choice->consumer, choice->tile) : "";
	if (choice->consumer < 0)
		return;
	candidate->n_others = bw_groups_members(&grouping->of, choice->consumer, grouping->arena, &members);
	candidate->others = members;
	candidate->name = bw_arena_format(grouping->arena, "merge %s into %s", funcs[choice->func].name,
					  funcs[choice->consumer].name);
}

struct bw_schedule *bw_grouping_schedule(void *state)
{
	return bw_schedule_keep(((const struct bw_grouping *)state)->schedule);
}

void bw_grouping_end(void *state)
{
	BW_SCOPED_MEMORY struct bw_grouping *grouping = state;
	bw_schedule_drop(grouping->schedule);
	bw_arena_free(grouping->arena);
}
