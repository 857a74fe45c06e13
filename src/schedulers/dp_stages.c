/* The stages of a pipeline, as the scheduler of Jangda and Guha 2020 fuses them. */
#include <stdlib.h>
#include <string.h>

#include "schedulers/dp_private.h"

/* Wrappers and boundary conditions of inputs are no stages of the paper's: they are inlined. */
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

/* Returns why a Func is no member of a group that it does not end; NULL if it may be one. */
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
			return bw_arena_format(dp->arena, "%s, which reads it, is a reduction, which the paper does not fuse",
					       reader);
		if (!is_steady(bw_stage_read_of(stage, func)))
			return bw_arena_format(dp->arena, "the dependence vectors from %s are not constant", reader);
	}
	return NULL;
}

/* Values that a Func's definition holds at once; some descriptions do not say. */
static int values_of(const struct dp *dp, int func)
{
	enum { UNKNOWN = 2 };
	int values = bw_func_branching(dp->pipeline, func, dp->groups.inlined);
	return values ? values : UNKNOWN;
}

static void set_stage(struct dp *dp, int s)
{
	int func = dp->funcs[s];
	const struct bw_func *of = &dp->pipeline->funcs[func];
	bool *marked = BW_NEW_ARRAY(bool, dp->pipeline->n_funcs);
	double operations = 0, loads = 0;
	bw_groups_mark_readers(&dp->groups, func, marked);
	for (int f = 0; f < dp->pipeline->n_funcs; f++)
		if (marked[f] && dp->stages[f] >= 0)
			bw_dp_add(&dp->readers[s], dp->stages[f]);
	for (int u = 0; u < of->n_stages; u++) {
		if (of->stages[u].undefined)
			continue;
		operations += bw_groups_operations(&dp->groups, &of->stages[u]);
		for (int r = 0; r < of->stages[u].n_reads; r++)
			loads += of->stages[u].reads[r].calls;
	}
	dp->seconds[s] = bw_jangda_time(operations, loads, &dp->device);
	dp->registers[s] = bw_jangda_registers(values_of(dp, func));
	dp->alone[s] = alone_because(dp, func);
	dp->joins[s] = !dp->alone[s];
	free(marked);
}

struct dp *dp_new(const struct bw_pipeline *pipeline, const struct bw_device *device, struct bw_error *error)
{
	int n = pipeline->n_funcs;
	struct bw_arena *arena = bw_arena_new();
	struct dp *dp = BW_ARENA_NEW(arena, struct dp);
	*dp = (struct dp){.pipeline = pipeline, .device = *device, .arena = arena};
	bw_groups_begin(&dp->groups, pipeline, &dp->device, arena);
	dp->funcs = BW_ARENA_ARRAY(arena, int, n);
	dp->stages = BW_ARENA_ARRAY(arena, int, n);
	for (int f = 0; f < n; f++) {
		bool inlined = !pipeline->funcs[f].input && is_inlined(pipeline, f);
		if (inlined)
			bw_groups_inline(&dp->groups, f, true);
		dp->stages[f] = pipeline->funcs[f].input || inlined ? -1 : dp->n;
		if (dp->stages[f] >= 0)
			dp->funcs[dp->n++] = f;
	}
	if (dp->n > BW_DP_STAGES) {
		bw_fail(error, BW_ERROR_INPUT, "dp fuses at most %d stages, and %s has %d", BW_DP_STAGES,
			pipeline->name, dp->n);
		bw_arena_free(arena);
		return NULL;
	}
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
	bw_arena_free(dp->arena);
}

int dp_last(const struct dp *dp, const struct bw_dp_set *group)
{
	int last = dp->n - 1;
	while (last > 0 && !bw_dp_has(group, last))
		last--;
	return last;
}
