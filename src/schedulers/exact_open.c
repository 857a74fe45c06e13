/* Which kernels of a state a later decision may change, and a key of all that later decisions depend on. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "schedulers/exact_private.h"

struct bw_exact_open bw_exact_open_new(const struct bw_pipeline *pipeline)
{
	return (struct bw_exact_open){.pipeline = pipeline,
				      .open = BW_NEW_ARRAY(bool, pipeline->n_stages),
				      .seen = BW_NEW_ARRAY(bool, pipeline->n_funcs)};
}

void bw_exact_open_free(struct bw_exact_open *open)
{
	free(open->open);
	free(open->seen);
}

/* Marks the kernels that a stage is in, directly or through inlined Funcs that read it. */
static void open_kernels(struct bw_exact_open *open, const struct bw_nest *nest, const struct bw_stage *stage)
{
	const struct bw_func *funcs = open->pipeline->funcs;
	const struct bw_placed *placed = nest->placed[stage->func];
	if (!placed)
		return;
	if (placed->placement->compute.kind == BW_SITE_ROOT) {
		open->open[funcs[stage->func].first_stage + stage->index] = true;
	} else if (placed->placement->compute.kind == BW_SITE_AT) {
		open->open[funcs[placed->kernel_func].first_stage + placed->kernel_stage] = true;
	} else if (!open->seen[stage->func]) {
		open->seen[stage->func] = true;
		for (int c = 0; c < funcs[stage->func].n_consumers; c++)
			open_kernels(open, nest, funcs[stage->func].consumers[c]);
	}
}

bool bw_exact_undecided(const struct bw_nest *nest, int func)
{
	const struct bw_placed *placed = nest->placed[func];
	return !placed || (placed->placement->compute.kind == BW_SITE_ROOT && !placed->placement->tiled);
}

void bw_exact_open_mark(struct bw_exact_open *open, const struct bw_nest *nest)
{
	const struct bw_pipeline *pipeline = open->pipeline;
	memset(open->open, 0, (size_t)pipeline->n_stages * sizeof *open->open);
	memset(open->seen, 0, (size_t)pipeline->n_funcs * sizeof *open->seen);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		if (func->input || !bw_exact_undecided(nest, f))
			continue;
		for (int s = 0; s < func->n_stages && nest->placed[f]; s++)
			open_kernels(open, nest, &func->stages[s]);
		for (int c = 0; c < func->n_consumers; c++)
			if (func->consumers[c]->func != f)
				open_kernels(open, nest, func->consumers[c]);
	}
}

/* Returns true if a placed Func, in a kernel or inlined, is in one that is open; those of its consumers are
 * known. */
static bool is_in_open(const struct bw_exact_open *open, const struct bw_nest *nest, int f)
{
	const struct bw_func *func = &open->pipeline->funcs[f];
	const struct bw_placed *placed = nest->placed[f];
	if (placed->placement->compute.kind == BW_SITE_AT)
		return open->open[open->pipeline->funcs[placed->kernel_func].first_stage + placed->kernel_stage];
	for (int s = 0; s < func->n_stages && placed->placement->compute.kind == BW_SITE_ROOT; s++)
		if (open->open[func->first_stage + s])
			return true;
	if (placed->placement->compute.kind == BW_SITE_ROOT)
		return false;
	for (int c = 0; c < func->n_consumers; c++)
		if (open->seen[func->consumers[c]->func])
			return true;
	return false;
}

uint64_t bw_exact_open_key(struct bw_exact_open *open, const struct bw_nest *nest, int index)
{
	const struct bw_pipeline *pipeline = open->pipeline;
	uint64_t key = bw_hash_mix(0, (uint64_t)index);
	bw_exact_open_mark(open, nest);
	memset(open->seen, 0, (size_t)pipeline->n_funcs * sizeof *open->seen);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		if (!nest->placed[f])
			continue;
		bool counts = open->seen[f] = is_in_open(open, nest, f);
		for (int c = 0; c < func->n_consumers && !counts; c++)
			counts = open->seen[func->consumers[c]->func];
		if (counts)
			key = bw_hash_mix(bw_hash_mix(key, (uint64_t)f), nest->placed[f]->content);
	}
	return key;
}
