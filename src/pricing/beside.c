/* The cost of a schedule beside one that is known, from which it differs in few Funcs. */
#include <stdlib.h>
#include <string.h>

#include "pricing/pricing.h"

/* How many times a bound the sum of some kernels must be for all to cost more, in any order. */
static const double too_much = 1 + 1e-9;

struct bw_beside {
	struct bw_pricing pricing; /* its ms: by stage, of the schedule that is costed */
	const struct bw_nest *nest, *other;
	int n_stages, n_funcs;
	bool *marked;    /* by stage: its kernel at root may cost something else than in the other schedule */
	bool *seen;      /* by Func: its readers are marked */
	bool *concerned; /* by stage: its kernel at root was marked since it was forgotten */
};

struct bw_beside *bw_beside_new(const struct bw_recall *recall, const struct bw_settings *options,
				const struct bw_pipeline *pipeline)
{
	struct bw_beside *beside = BW_NEW(struct bw_beside);
	beside->pricing = (struct bw_pricing){.options = options,
					      .func = -1,
					      .trial = {.recall = *recall},
					      .n_changed = -1,
					      .arena = bw_arena_new(),
					      .ms = BW_NEW_ARRAY(double, pipeline->n_stages)};
	beside->n_stages = pipeline->n_stages;
	beside->n_funcs = pipeline->n_funcs;
	beside->marked = BW_NEW_ARRAY(bool, pipeline->n_stages);
	beside->concerned = BW_NEW_ARRAY(bool, pipeline->n_stages);
	beside->seen = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	return beside;
}

void bw_beside_free(struct bw_beside *beside)
{
	if (!beside)
		return;
	bw_pricing_end(&beside->pricing);
	free(beside->marked);
	free(beside->concerned);
	free(beside->seen);
	free(beside);
}

/* Marks the kernels that a Func is in; with a stage of 0 or more, those that this stage is in. */
static void mark(struct bw_beside *beside, const struct bw_nest *nest, int func, int stage)
{
	const struct bw_placed *placed = nest->placed[func];
	const struct bw_func *funcs = nest->pipeline->funcs;
	if (placed->placement->compute.kind == BW_SITE_AT)
		beside->marked[funcs[placed->kernel_func].first_stage + placed->kernel_stage] = true;
	for (int s = 0; s < funcs[func].n_stages && placed->placement->compute.kind == BW_SITE_ROOT; s++)
		beside->marked[funcs[func].first_stage + s] |= stage < 0 || s == stage;
}

static bool is_inlined(const struct bw_nest *nest, int func)
{
	return nest->placed[func]->placement->compute.kind == BW_SITE_INLINE;
}

/* Marks the kernels that read a Func, directly or through inlined ones. */
static void mark_readers(struct bw_beside *beside, int func)
{
	const struct bw_func *of = &beside->nest->pipeline->funcs[func];
	if (beside->seen[func])
		return;
	beside->seen[func] = true;
	for (int c = 0; c < of->n_consumers; c++) {
		const struct bw_stage *stage = of->consumers[c];
		if (is_inlined(beside->nest, stage->func) || is_inlined(beside->other, stage->func))
			mark_readers(beside, stage->func);
		mark(beside, beside->nest, stage->func, stage->index);
	}
}

static void mark_none(struct bw_beside *beside, const struct bw_nest *nest, const struct bw_nest *other)
{
	beside->nest = nest;
	beside->other = other;
	memset(beside->marked, 0, (size_t)beside->n_stages * sizeof *beside->marked);
	memset(beside->seen, 0, (size_t)beside->n_funcs * sizeof *beside->seen);
}

static void add_marked(struct bw_beside *beside)
{
	for (int s = 0; s < beside->n_stages; s++)
		beside->concerned[s] |= beside->marked[s];
}

/* Marks the kernels that the Funcs that differ are in, were in, or are read by. */
static void mark_all(struct bw_beside *beside, const struct bw_nest *nest, const struct bw_nest *other)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	mark_none(beside, nest, other);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		if (!nest->placed[f] || nest->placed[f] == other->placed[f] ||
		    nest->placed[f]->content == other->placed[f]->content)
			continue;
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			beside->pricing.ms[pipeline->funcs[f].first_stage + s] = 0;
		mark(beside, nest, f, -1);
		mark(beside, other, f, -1);
		mark_readers(beside, f);
	}
	add_marked(beside);
}

/* Returns true if a stage is computed in a marked kernel. */
static bool is_marked(const struct bw_beside *beside, const bool *marked, int func, int stage)
{
	const struct bw_func *funcs = beside->nest->pipeline->funcs;
	const struct bw_placed *placed = beside->nest->placed[func];
	if (placed->placement->compute.kind == BW_SITE_AT)
		return marked[funcs[placed->kernel_func].first_stage + placed->kernel_stage];
	return placed->placement->compute.kind == BW_SITE_ROOT && marked[funcs[func].first_stage + stage];
}

/* Returns what the kernels cost that are not marked. */
static double cost_of_rest(const struct bw_beside *beside)
{
	const struct bw_nest *nest = beside->nest;
	double rest = 0;
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		for (int s = 0; s < nest->pipeline->funcs[f].n_stages && nest->placed[f]; s++)
			if (!is_marked(beside, beside->marked, f, s))
				rest += beside->pricing.ms[nest->pipeline->funcs[f].first_stage + s];
	return rest;
}

/* Costs the kernels that are marked. Returns what all kernels cost, or some of them if that is too much. */
static double cost_marked(struct bw_beside *beside, double below)
{
	const struct bw_nest *nest = beside->nest;
	double sum = cost_of_rest(beside);
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_func *func = &nest->pipeline->funcs[f];
		if (!nest->placed[f] || nest->placed[f]->placement->compute.kind != BW_SITE_ROOT)
			continue;
		for (int s = 0; s < func->n_stages; s++)
			if (beside->marked[func->first_stage + s] && sum < too_much * below)
				sum += bw_pricing_kernel(&beside->pricing, nest, f, s);
	}
	return sum;
}

double bw_beside_cost(struct bw_beside *beside, const struct bw_nest *nest, const struct bw_nest *other,
		      const double *ms, double below)
{
	struct bw_pricing *pricing = &beside->pricing;
	int n = nest->pipeline->n_stages;
	pricing->parent = pricing->trial.parent = nest;
	memcpy(pricing->ms, ms, (size_t)n * sizeof *ms);
	mark_all(beside, nest, other);
	if (pricing->trial.recall.basis) {
		bw_pricing_learned(pricing, nest, pricing->ms);
	} else {
		double sum = cost_marked(beside, below);
		if (sum >= too_much * below)
			return sum;
	}
	double total = bw_cost_total(pricing->ms, n);
	bw_pricing_check(pricing, nest, total);
	return total;
}

void bw_beside_forget(struct bw_beside *beside)
{
	memset(beside->concerned, 0, (size_t)beside->n_stages * sizeof *beside->concerned);
}

/* Returns true if a Func is computed in a kernel that was concerned. */
static bool is_computed(const struct bw_beside *beside, int f)
{
	bool any = false;
	for (int s = 0; s < beside->nest->pipeline->funcs[f].n_stages; s++)
		any |= is_marked(beside, beside->concerned, f, s);
	return any;
}

void bw_beside_concerned(struct bw_beside *beside, const struct bw_nest *nest, int func, uint64_t *set)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	mark_none(beside, nest, nest);
	mark(beside, nest, func, -1);
	mark_readers(beside, func);
	add_marked(beside);
	memset(beside->seen, 0, (size_t)beside->n_funcs * sizeof *beside->seen);
	bool *computed = beside->seen; /* by Func: in a kernel that was concerned, or inlined into one */
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *of = &pipeline->funcs[f];
		bool read = false;
		for (int c = 0; c < of->n_consumers; c++)
			read |= computed[of->consumers[c]->func];
		computed[f] = nest->placed[f] && (is_inlined(nest, f) ? read : is_computed(beside, f));
		if (nest->placed[f] && (f == func || read || computed[f]))
			set[f / 64] |= (uint64_t)1 << f % 64;
	}
}
