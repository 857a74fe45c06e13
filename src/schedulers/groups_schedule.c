/* The schedule that groups stand for, whether it is legal, and groups in words. */
#include <stdlib.h>

#include "schedulers/groups.h"

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
	bool *leads = BW_NEW_ARRAY(bool, groups->pipeline->n_funcs);
	for (int f = 0; f < output; f++)
		leads[f] = groups->group[f] == output || (groups->inlined[f] && reads_any(&funcs[f].stages[0], leads));
	int s = funcs[output].n_stages - 1;
	while (s > 0 && !reads_any(&funcs[output].stages[s], leads))
		s--;
	free(leads);
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

/* Returns true if the device can launch each kernel, and Halide knows the size of all that is stored in one.
 */
static bool legal(const struct bw_groups *groups, const struct bw_nest *nest, struct bw_error *error)
{
	struct bw_arena *arena = bw_arena_new();
	bool good = true;
	int n;
	const struct bw_kernel *kernels = bw_nest_kernels(nest, arena, &n);
	for (int k = 0; k < n && good; k++)
		good = kernel_fits(groups, nest, &kernels[k], error);
	bw_arena_free(arena);
	return good;
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

void bw_groups_print_tile(const struct bw_func *func, const int64_t *tile, struct bw_text *out)
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
		bw_groups_print_tile(&funcs[output], groups->tiles[output], out);
	}
	return true;
}

void bw_groups_describe(const struct bw_groups *groups, struct bw_text *out)
{
	const struct bw_pipeline *pipeline = groups->pipeline;
	struct bw_text alone = {0}, inlined = {0};
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
	bw_text_free(&alone);
	bw_text_free(&inlined);
}
