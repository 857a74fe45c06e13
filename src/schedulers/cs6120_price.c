/* Computes the extents and the weighted cost of a tree. The extents of called Funcs are computed at the
 * corners of the caller's box, from the description's bounds for each read. */
#include <math.h>
#include <string.h>

#include "schedulers/cs6120.h"

/* Sets the counts per point of a stage, including the Funcs inlined into it. */
static void count_point(const struct cs6120 *of, const struct bw_stage *stage, double counts[BW_CS6120_TERMS])
{
	int at = (of->pipeline->funcs[stage->func].first_stage + stage->index) * BW_CS6120_TERMS;
	memcpy(counts, &of->operations[at], BW_CS6120_TERMS * sizeof *counts);
	bw_cs6120_reads(of->pipeline, stage, of->of.inlined, of->values, counts);
}

/* Computes the counts per value and the number of calls of each inlined Func. Returns false if there are
 * more calls than Halide can compile. */
static bool find_values(struct cs6120 *of, const struct cs6120_tree *tree)
{
	const struct bw_pipeline *pipeline = of->pipeline;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		double *value = &of->values[f * BW_CS6120_TERMS];
		of->of.inlined[f] = tree->funcs[f].inlined;
		if (of->of.inlined[f])
			count_point(of, &pipeline->funcs[f].stages[0], value);
	}
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		of->calls[f] = of->of.inlined[f] ? cs6120_calls(of, tree, f) : 0;
		if (of->calls[f] > of->calls_limit && of->of.bounded[f])
			return false;
	}
	return true;
}

/* Copies a Func's region at one of its places from the groups' box, clipped, to `regions`. */
static void keep_region(struct cs6120 *of, int func, struct bw_interval *regions)
{
	bw_groups_clip(&of->of, func);
	memcpy(&regions[func * BW_MAX_DIMS], &of->of.boxes[func * BW_MAX_DIMS],
	       BW_MAX_DIMS * sizeof *regions);
}

/* Returns the number of times that the inside of a place is executed. */
static double visits_of(const struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_place place)
{
	const struct bw_interval *box = &of->computed[place.func * BW_MAX_DIMS];
	double visits = of->visits[place.func];
	for (int l = 0; l < place.level; l++) {
		int d = tree->funcs[place.func].order[l];
		visits *= (double)(box[d].max - box[d].min + 1);
	}
	return visits;
}

/* Computes the regions of all Funcs computed or stored at a place, for one iteration in the middle of the
 * loops around the place. Returns false if a region has no bound. */
static bool find_regions(struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_place place)
{
	struct bw_groups *groups = &of->of;
	const struct bw_func *host = &of->pipeline->funcs[place.func];
	struct bw_interval box[BW_MAX_DIMS];
	double ignored;
	memset(groups->known, 0, (size_t)of->pipeline->n_funcs * sizeof *groups->known);
	memcpy(box, &of->computed[place.func * BW_MAX_DIMS], sizeof box);
	for (int l = 0; l < place.level; l++) {
		struct bw_interval *fixed = &box[tree->funcs[place.func].order[l]];
		fixed->min = fixed->max = fixed->min + (fixed->max - fixed->min) / 2;
	}
	if (!bw_groups_stage_reads(groups, &host->stages[place.stage], box, &ignored))
		return false;
	for (int f = place.func - 1; f >= 0; f--) {
		const struct cs6120_func *at = &tree->funcs[f];
		bool inside = groups->known[f] && !of->pipeline->funcs[f].input &&
			      (at->inlined || cs6120_within(tree, at->compute, place));
		if (inside && !bw_groups_reads(groups, f, NULL, NULL))
			return false;
		bool computed = !at->inlined && cs6120_same(at->compute, place),
		     stored = !at->inlined && cs6120_same(at->store, place);
		if ((computed || stored) && !inside)
			return false;
		if (computed) {
			keep_region(of, f, of->computed);
			of->visits[f] = visits_of(of, tree, place);
		}
		if (stored)
			keep_region(of, f, of->stored);
	}
	return true;
}

/* Returns true if a Func is the first, consumers first, of the Funcs at a place. */
static bool is_first_at(const struct cs6120 *of, const struct cs6120_tree *tree, int func,
			struct cs6120_place place)
{
	for (int f = place.func - 1; f > func; f--)
		if (!of->pipeline->funcs[f].input &&
		    (cs6120_same(tree->funcs[f].compute, place) || cs6120_same(tree->funcs[f].store, place)))
			return false;
	return true;
}

/* Finds the regions of all Funcs, consumers first. */
static bool find_all_regions(struct cs6120 *of, const struct cs6120_tree *tree)
{
	const struct bw_interval *whole = of->of.whole;
	for (int f = of->pipeline->n_funcs - 1; f >= 0; f--) {
		const struct cs6120_func *at = &tree->funcs[f];
		size_t bytes = BW_MAX_DIMS * sizeof *whole;
		if (of->pipeline->funcs[f].input || at->inlined)
			continue;
		if (!of->of.bounded[f])
			return false;
		if (at->store.func < 0)
			memcpy(&of->stored[f * BW_MAX_DIMS], &whole[f * BW_MAX_DIMS], bytes);
		else if (is_first_at(of, tree, f, at->store) && !find_regions(of, tree, at->store))
			return false;
		if (at->compute.func < 0) {
			memcpy(&of->computed[f * BW_MAX_DIMS], &whole[f * BW_MAX_DIMS], bytes);
			of->visits[f] = 1;
		} else if (is_first_at(of, tree, f, at->compute) && !find_regions(of, tree, at->compute)) {
			return false;
		}
	}
	return true;
}

/* Adds the counts of a Func that is not inlined. Returns false if a loop has no bound. */
static bool count(struct cs6120 *of, int f, double counts[BW_CS6120_TERMS])
{
	const struct bw_func *func = &of->pipeline->funcs[f];
	for (int s = 0; s < func->n_stages; s++) {
		struct bw_interval loops[BW_MAX_LOOPS];
		double own[BW_CS6120_TERMS];
		if (func->stages[s].undefined)
			continue;
		if (!bw_stage_loops_of(&func->stages[s], &of->computed[f * BW_MAX_DIMS], loops))
			return false;
		double points = of->visits[f] * bw_box_points(loops, func->stages[s].n_loops);
		count_point(of, &func->stages[s], own);
		own[BW_CS6120_STORES] = !func->output;
		for (int t = BW_CS6120_LOADS; t < BW_CS6120_TERMS; t++)
			counts[t] += own[t] * points;
	}
	return true;
}

/* Returns the Func at root in whose kernel a place lies. */
static int kernel_of(const struct cs6120_tree *tree, struct cs6120_place place)
{
	while (tree->funcs[place.func].compute.func >= 0)
		place = tree->funcs[place.func].compute;
	return place.func;
}

/* Adds the storage of a Func, and the part of the storage that the GPU keeps per block and per thread. */
static void add_storage(struct cs6120 *of, const struct cs6120_tree *tree, int f,
			double counts[BW_CS6120_TERMS], struct cs6120_cost *cost)
{
	const struct bw_func *func = &of->pipeline->funcs[f];
	struct cs6120_place place = tree->funcs[f].store;
	double bytes = func->bytes * bw_box_points(&of->stored[f * BW_MAX_DIMS], func->n_dims);
	counts[BW_CS6120_MEM] += func->output ? 0 : bytes;
	if (place.func < 0)
		return;
	int kernel = kernel_of(tree, place);
	if (place.func == kernel && place.level < of->pipeline->funcs[kernel].n_dims)
		cost->block_bytes = fmax(cost->block_bytes, of->blocks[kernel] += bytes);
	else
		cost->thread_bytes = fmax(cost->thread_bytes, bytes);
}

bool cs6120_price(struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_cost *cost)
{
	double counts[BW_CS6120_TERMS] = {0};
	*cost = (struct cs6120_cost){0};
	if (!find_values(of, tree) || !find_all_regions(of, tree))
		return false;
	memset(of->blocks, 0, (size_t)of->pipeline->n_funcs * sizeof *of->blocks);
	for (int f = of->pipeline->n_funcs - 1; f >= 0; f--) {
		if (of->pipeline->funcs[f].input || of->of.inlined[f])
			continue;
		if (!count(of, f, counts))
			return false;
		add_storage(of, tree, f, counts, cost);
	}
	for (int t = 0; t < BW_CS6120_TERMS; t++) {
		cost->terms[t] = bw_cs6120_weight((enum bw_cs6120_term)t) * counts[t];
		cost->total += cost->terms[t];
	}
	return true;
}
