/* The stages that can be members of an output's group: whether each depends on the output with constant
 * dependence vectors (section 2.3), and what a warp of each loads. Found by trying tiles of several
 * sizes: with constant dependence vectors, regions grow with the tile by the same ratio everywhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedulers/dp_private.h"

/* The tiles that are tried begin at multiples of STEP, and their extents are multiples of STEP. The first
 * tile is one STEP in each dimension. Then, in each dimension in turn, the tile is two STEPs long, three
 * STEPs long, and moved by one STEP. */
enum { STEP = 128, TRIES = 3, PROBES = 1 + TRIES * BW_JANGDA_DIMS };

static struct bw_interval *boxes_of(struct dp *dp, int probe, int func)
{
	return &dp->probes[(probe * dp->pipeline->n_funcs + func) * BW_MAX_DIMS];
}

/* Finds the regions of all Funcs if the output's region is `tile`. */
static void try_tile(struct dp *dp, int output, const struct bw_interval *tile, int probe)
{
	struct bw_groups *groups = &dp->own.of;
	bw_groups_place(groups, output, NULL);
	memcpy(&groups->boxes[output * BW_MAX_DIMS], tile, sizeof(struct bw_interval[BW_MAX_DIMS]));
	for (int f = output; f >= 0; f--)
		if (groups->known[f] && !dp->pipeline->funcs[f].input && !bw_groups_reads(groups, f, NULL, NULL))
			groups->known[f] = false;
	memcpy(boxes_of(dp, probe, 0), groups->boxes,
	       (size_t)dp->pipeline->n_funcs * sizeof(struct bw_interval[BW_MAX_DIMS]));
}

static void try_tiles(struct dp *dp, int output)
{
	struct bw_interval tile[BW_MAX_DIMS];
	const struct bw_func *func = &dp->pipeline->funcs[output];
	int n = func->n_dims < BW_JANGDA_DIMS ? func->n_dims : BW_JANGDA_DIMS, probe = 0;
	for (int d = 0; d < BW_MAX_DIMS; d++) {
		const struct bw_interval *whole = &dp->own.of.whole[output * BW_MAX_DIMS + d];
		int64_t middle = d < func->n_dims ? whole->min + (whole->max - whole->min) / 2 : 0;
		int64_t at = d < n ? middle / STEP * STEP : middle;
		tile[d] = (struct bw_interval){at, d < n ? at + STEP - 1 : at};
	}
	try_tile(dp, output, tile, probe++);
	for (int a = 0; a < n; a++) {
		struct bw_interval kept = tile[a];
		for (int k = 0; k < TRIES; k++) {
			tile[a].max = kept.max + (k == TRIES - 1 ? 1 : k + 1) * STEP;
			tile[a].min = kept.min + (k == TRIES - 1 ? STEP : 0);
			try_tile(dp, output, tile, probe++);
		}
		tile[a] = kept;
	}
}

static double extent(const struct bw_interval *interval)
{
	return (double)(interval->max - interval->min + 1);
}

/* Finds how the region of a Func in a dimension grows with the output's tile. Returns false if it does
 * not grow by a constant ratio. */
static bool follow(struct dp *dp, int output, int func, int d, struct dp_member *member)
{
	const struct bw_interval *first = boxes_of(dp, 0, func) + d;
	int n = dp->pipeline->funcs[output].n_dims;
	member->axis[d] = -1;
	member->more[d] = extent(first);
	for (int a = 0; a < n && a < BW_JANGDA_DIMS; a++) {
		const struct bw_interval *twice = boxes_of(dp, 1 + TRIES * a, func) + d,
					 *thrice = boxes_of(dp, 2 + TRIES * a, func) + d,
					 *moved = boxes_of(dp, 3 + TRIES * a, func) + d;
		double growth = extent(twice) - extent(first), move = (double)(moved->min - first->min);
		if (extent(thrice) - extent(twice) != growth || (double)(moved->max - first->max) != move ||
		    fabs(move) != growth || (growth != 0 && member->axis[d] >= 0))
			return false;
		if (growth != 0) {
			member->axis[d] = a;
			member->scale[d] = growth / STEP;
			member->more[d] = extent(first) - growth;
		}
	}
	return true;
}

struct dp_member *dp_members(struct dp *dp, int output)
{
	if (dp->outputs[output])
		return dp->outputs[output];
	struct dp_member *members = dp->outputs[output] = BW_ARENA_ARRAY(dp->own.arena, struct dp_member, dp->n);
	try_tiles(dp, dp->funcs[output]);
	for (int s = 0; s <= output; s++) {
		int func = dp->funcs[s];
		members[s].n_loads = -1;
		members[s].reached = members[s].constant = dp->own.of.known[func];
		for (int d = 0; d < dp->pipeline->funcs[func].n_dims && members[s].constant; d++)
			members[s].constant = follow(dp, dp->funcs[output], func, d, &members[s]);
	}
	return members;
}

void dp_shape(int shape, int64_t *warp)
{
	enum { LOG = 5 };
	for (int x = LOG; x >= 0; x--)
		for (int y = LOG - x; y >= 0; y--)
			if (!shape--) {
				warp[0] = (int64_t)1 << x;
				warp[1] = (int64_t)1 << y;
				warp[2] = (int64_t)1 << (LOG - x - y);
				return;
			}
}

/* Computes the regions that a stage reads in one iteration of a warp: one point per lane. */
static void place_warp(struct dp *dp, const struct dp_member *member, int func, const int64_t *warp)
{
	struct bw_groups *groups = &dp->own.of;
	bw_groups_place(groups, func, NULL);
	struct bw_interval *box = &groups->boxes[func * BW_MAX_DIMS];
	for (int d = 0; d < dp->pipeline->funcs[func].n_dims; d++)
		if (member->axis[d] >= 0)
			box[d].max = box[d].min + warp[member->axis[d]] - 1;
	for (int f = func; f >= 0; f--)
		if (groups->known[f] && (f == func || groups->inlined[f]) && !bw_groups_reads(groups, f, NULL, NULL))
			return;
}

/* Returns the calls of `producer` per point of `func`, also through inlined Funcs. */
static double calls_of(const struct dp *dp, int func, int producer)
{
	double sum = 0;
	const struct bw_func *of = &dp->pipeline->funcs[func];
	for (int s = 0; s < of->n_stages; s++)
		for (int r = 0; r < of->stages[s].n_reads; r++) {
			const struct bw_read *read = &of->stages[s].reads[r];
			if (read->producer == producer && producer != func)
				sum += read->calls;
			else if (dp->own.of.inlined[read->producer])
				sum += read->calls * calls_of(dp, read->producer, producer);
		}
	return sum;
}

/* Returns the least number of transactions for a region: for each row, as few as contain the row. At most
 * one per lane and call. */
static double least(const struct dp *dp, int producer, double calls, double bytes)
{
	const struct bw_func *func = &dp->pipeline->funcs[producer];
	const struct bw_interval *box = &dp->own.of.boxes[producer * BW_MAX_DIMS];
	double n = func->n_dims ? ceil(extent(&box[0]) * func->bytes / bytes) : 1;
	for (int d = 1; d < func->n_dims; d++)
		n *= extent(&box[d]);
	double most = calls * dp->own.device.warp_size;
	return n < most ? n : most;
}

void dp_find_loads(struct dp *dp, struct dp_member *member, int stage)
{
	static const double sizes[DP_TRANSACTIONS] = {32, 128};
	int func = dp->funcs[stage], n = 0;
	if (member->n_loads >= 0)
		return;
	member->loads = BW_ARENA_ARRAY(dp->own.arena, struct dp_load, dp->pipeline->n_funcs);
	for (int shape = 0; shape < DP_SHAPES; shape++) {
		int64_t warp[BW_JANGDA_DIMS];
		dp_shape(shape, warp);
		place_warp(dp, member, func, warp);
		n = 0;
		for (int p = 0; p < func; p++) {
			if (!dp->own.of.known[p] || dp->own.of.inlined[p])
				continue;
			struct dp_load *load = &member->loads[n++];
			load->producer = p;
			load->calls = shape ? load->calls : calls_of(dp, func, p);
			for (int t = 0; t < DP_TRANSACTIONS; t++)
				load->transactions[shape][t] = least(dp, p, load->calls, sizes[t]);
		}
	}
	member->n_loads = n;
}

/* The stages of a pipeline for the scheduler of Jangda and Guha 2020. */

/* Returns true if a Func is inlined instead of being a stage. The paper has no stages for wrappers and
 * boundary conditions of inputs. */
static bool is_inlined(const struct bw_pipeline *pipeline, int func)
{
	const struct bw_func *of = &pipeline->funcs[func];
	bool inlined = (of->wrapper || of->boundary) && !of->output && of->n_stages == 1;
	for (int r = 0; inlined && r < of->stages[0].n_reads; r++) {
		int producer = of->stages[0].reads[r].producer;
		inlined = pipeline->funcs[producer].input || is_inlined(pipeline, producer);
	}
	return inlined;
}

/* Returns true if a read's coordinates all depend on loops by constant ratios. */
static bool is_steady(const struct bw_read *read)
{
	for (int l = 0; l < read->n_loads; l++) {
		const struct bw_jacobian *load = &read->loads[l];
		for (int e = 0; e < load->n_dims * load->n_loops; e++)
			if (!load->entries[e].den)
				return false;
	}
	return read->bounded;
}

/* Returns why a Func can only be the output of its group; NULL if it can be any member. */
static const char *alone_because(const struct dp *dp, int func)
{
	const struct bw_func *of = &dp->pipeline->funcs[func];
	if (of->n_stages > 1)
		return "it is a reduction, which the paper does not fuse";
	if (of->output)
		return "it is an output";
	for (int c = 0; c < of->n_consumers; c++) {
		const struct bw_stage *stage = of->consumers[c];
		const char *reader = dp->pipeline->funcs[stage->func].name;
		if (dp->pipeline->funcs[stage->func].n_stages > 1)
			return bw_arena_format(dp->own.arena, "%s, which reads it, is a reduction, which the paper does not fuse",
					       reader);
		if (!is_steady(bw_stage_read_of(stage, func)))
			return bw_arena_format(dp->own.arena, "the dependence vectors from %s are not constant", reader);
	}
	return NULL;
}

/* Returns how many values a Func's definition keeps live at once. Some descriptions do not say. */
static int values_of(const struct dp *dp, int func)
{
	enum { UNKNOWN = 2 };
	int values = bw_func_branching(dp->pipeline, func, dp->own.of.inlined);
	return values ? values : UNKNOWN;
}

static void set_stage(struct dp *dp, int s)
{
	int func = dp->funcs[s];
	const struct bw_func *of = &dp->pipeline->funcs[func];
	BW_SCOPED_MEMORY bool *marked = BW_NEW_ARRAY(bool, dp->pipeline->n_funcs);
	double operations = 0, loads = 0;
	bw_groups_mark_readers(&dp->own.of, func, marked);
	for (int f = 0; f < dp->pipeline->n_funcs; f++)
		if (marked[f] && dp->stages[f] >= 0)
			bw_dp_add(&dp->readers[s], dp->stages[f]);
	for (int u = 0; u < of->n_stages; u++) {
		if (of->stages[u].undefined)
			continue;
		operations += bw_groups_operations(&dp->own.of, &of->stages[u]);
		for (int r = 0; r < of->stages[u].n_reads; r++)
			loads += of->stages[u].reads[r].calls;
	}
	dp->seconds[s] = bw_jangda_time(operations, loads, &dp->own.device);
	dp->registers[s] = bw_jangda_registers(values_of(dp, func));
	dp->alone[s] = alone_because(dp, func);
	dp->joins[s] = !dp->alone[s];
}

struct dp *dp_new(const struct bw_pipeline *pipeline, const struct bw_device *device, struct bw_error *error)
{
	int n = pipeline->n_funcs;
	struct dp *dp = bw_grouping_new(sizeof *dp, pipeline, device, dp_place);
	struct bw_arena *arena = dp->own.arena;
	dp->pipeline = pipeline;
	dp->funcs = BW_ARENA_ARRAY(arena, int, n);
	dp->stages = BW_ARENA_ARRAY(arena, int, n);
	for (int f = 0; f < n; f++) {
		bool inlined = !pipeline->funcs[f].input && is_inlined(pipeline, f);
		if (inlined)
			bw_groups_inline(&dp->own.of, f, true);
		dp->stages[f] = pipeline->funcs[f].input || inlined ? -1 : dp->n;
		if (dp->stages[f] >= 0)
			dp->funcs[dp->n++] = f;
	}
	if (dp->n > BW_DP_STAGES) {
		bw_fail(error, BW_ERROR_INPUT, "dp fuses at most %d stages, and %s has %d", BW_DP_STAGES,
			pipeline->name, dp->n);
		bw_grouping_end(dp);
		return NULL;
	}
	dp->sizes = BW_ARENA_ARRAY(arena, struct dp_sizes, dp->n);
	dp->readers = BW_ARENA_ARRAY(arena, struct bw_dp_set, dp->n);
	dp->joins = BW_ARENA_ARRAY(arena, bool, dp->n);
	dp->alone = BW_ARENA_ARRAY(arena, const char *, dp->n);
	dp->seconds = BW_ARENA_ARRAY(arena, double, dp->n);
	dp->registers = BW_ARENA_ARRAY(arena, double, dp->n);
	dp->outputs = BW_ARENA_ARRAY(arena, struct dp_member *, dp->n);
	dp->probes = BW_ARENA_ARRAY(arena, struct bw_interval, (1 + 3 * BW_JANGDA_DIMS) * n * BW_MAX_DIMS);
	for (int s = 0; s < dp->n; s++)
		set_stage(dp, s);
	return dp;
}

void dp_free(struct dp *dp)
{
	free(dp->priced);
	bw_grouping_end(dp);
}

int dp_last(const struct dp *dp, const struct bw_dp_set *group)
{
	int last = dp->n - 1;
	while (last > 0 && !bw_dp_has(group, last))
		last--;
	return last;
}
