/* Kernels: what is launched, and what one block of it needs. */
#include <stdlib.h>

#include "base/arith.h"
#include "nest/nest_private.h"

/* Halide's runtime places each allocation of shared memory at a multiple of this many bytes. */
enum { SHARED_ALIGN = 16 };

static void add_member(const struct bw_nest *nest, struct bw_kernel *kernel, int f, int *members)
{
	const struct bw_placed *placed = nest->placed[f];
	const struct bw_func *func = &nest->pipeline->funcs[f];
	members[kernel->n_members++] = f;
	for (int s = 0; s < func->n_stages; s++)
		for (int d = 0; d < 3; d++)
			kernel->threads[d] = bw_max(kernel->threads[d], placed->stages[s].threads[d]);
	if (placed->memory == BW_MEMORY_SHARED)
		for (int v = 0; v < func->n_values; v++)
			kernel->shared_bytes += bw_round_up((int64_t)(placed->bytes / func->bytes) * bw_type_bytes(func->types[v]), SHARED_ALIGN);
	if (placed->memory == BW_MEMORY_REGISTERS || placed->memory == BW_MEMORY_STACK)
		kernel->register_bytes += (int64_t)placed->bytes;
	if (placed->memory != BW_MEMORY_GLOBAL)
		kernel->constant &= placed->constant;
}

struct bw_kernel bw_nest_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	const struct bw_placed_stage *root = &nest->placed[func]->stages[stage];
	int *members = BW_ARENA_ARRAY(arena, int, nest->pipeline->n_funcs);
	struct bw_kernel kernel = {.func = func, .stage = stage, .constant = true, .n_blocks = 1, .members = members};
	for (int d = 0; d < 3; d++) {
		kernel.blocks[d] = root->blocks[d];
		kernel.threads[d] = root->threads[d];
		kernel.n_blocks *= (double)root->blocks[d];
	}
	for (int m = nest->pipeline->n_funcs - 1; m >= 0; m--)
		if (nest->placed[m] && nest->placed[m]->kernel_func == func && nest->placed[m]->kernel_stage == stage)
			add_member(nest, &kernel, m, members);
	kernel.n_threads = kernel.threads[0] * kernel.threads[1] * kernel.threads[2];
	return kernel;
}

double bw_busy_lanes(const int64_t block[3], const int64_t threads[3], int64_t warp)
{
	int64_t work = threads[0] * threads[1] * threads[2], width = block[0];
	if (threads[0] == width && threads[1] == block[1])
		return (double)work / (double)bw_round_up(work, warp);
	int64_t warps = 0, last = -1;
	for (int64_t z = 0; z < threads[2]; z++)
		for (int64_t y = 0; y < threads[1]; y++) {
			int64_t start = (z * block[1] + y) * width;
			int64_t first = bw_max(start / warp, last + 1), end = (start + threads[0] - 1) / warp;
			warps += bw_max(end - first + 1, 0);
			last = bw_max(end, last);
		}
	return (double)work / (double)(warps * warp);
}

struct bw_kernel *bw_nest_kernels(const struct bw_nest *nest, struct bw_arena *arena, int *n_kernels)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	struct bw_kernel *kernels = BW_ARENA_ARRAY(arena, struct bw_kernel, pipeline->n_stages + 1);
	*n_kernels = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		if (!placed || placed->placement->compute.kind != BW_SITE_ROOT)
			continue;
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			kernels[(*n_kernels)++] = bw_nest_kernel(nest, f, s, arena);
	}
	return kernels;
}
