/* Prices a schedule, given the cost of another schedule that differs from it in few Funcs. */
#include <stdlib.h>
#include <string.h>

#include "search/pricing.h"

/* If a partial sum is larger than the bound times this factor, the whole sum is larger than the bound,
 * however it is rounded. */
static const double too_much = 1 + 1e-9;

struct bw_delta {
	struct bw_pricing pricing; /* pricing.ms: costs by stage of the schedule that is priced */
	const struct bw_nest *nest, *other;
	int n_stages, n_funcs;
	/* by stage at root: the cost of its kernel may differ from that in the other schedule */
	bool *marked;
	bool *seen;      /* by Func: its readers are marked */
	bool *concerned; /* by stage at root: its kernel was marked since bw_delta_forget */
};

struct bw_delta *bw_delta_new(const struct bw_recall *recall, const struct bw_settings *options,
				const struct bw_pipeline *pipeline)
{
	struct bw_delta *delta = BW_NEW(struct bw_delta);
	delta->pricing = (struct bw_pricing){.options = options,
					      .func = -1,
					      .trial = {.recall = *recall},
					      .n_changed = -1,
					      .arena = bw_arena_new(),
					      .ms = BW_NEW_ARRAY(double, pipeline->n_stages)};
	delta->n_stages = pipeline->n_stages;
	delta->n_funcs = pipeline->n_funcs;
	delta->marked = BW_NEW_ARRAY(bool, pipeline->n_stages);
	delta->concerned = BW_NEW_ARRAY(bool, pipeline->n_stages);
	delta->seen = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	return delta;
}

void bw_delta_free(struct bw_delta *delta)
{
	if (!delta)
		return;
	bw_pricing_end(&delta->pricing);
	free(delta->marked);
	free(delta->concerned);
	free(delta->seen);
	free(delta);
}

/* Marks the kernels that contain a Func. If `stage` is 0 or more, marks only those that contain this
 * stage. */
static void mark(struct bw_delta *delta, const struct bw_nest *nest, int func, int stage)
{
	const struct bw_placed *placed = nest->placed[func];
	const struct bw_func *funcs = nest->pipeline->funcs;
	if (placed->placement->compute.kind == BW_SITE_AT)
		delta->marked[funcs[placed->kernel_func].first_stage + placed->kernel_stage] = true;
	for (int s = 0; s < funcs[func].n_stages && placed->placement->compute.kind == BW_SITE_ROOT; s++)
		delta->marked[funcs[func].first_stage + s] |= stage < 0 || s == stage;
}

static bool is_inlined(const struct bw_nest *nest, int func)
{
	return nest->placed[func]->placement->compute.kind == BW_SITE_INLINE;
}

/* Marks the kernels that read a Func, directly or through inlined ones. */
static void mark_readers(struct bw_delta *delta, int func)
{
	const struct bw_func *of = &delta->nest->pipeline->funcs[func];
	if (delta->seen[func])
		return;
	delta->seen[func] = true;
	for (int c = 0; c < of->n_consumers; c++) {
		const struct bw_stage *stage = of->consumers[c];
		if (is_inlined(delta->nest, stage->func) || is_inlined(delta->other, stage->func))
			mark_readers(delta, stage->func);
		mark(delta, delta->nest, stage->func, stage->index);
	}
}

static void mark_none(struct bw_delta *delta, const struct bw_nest *nest, const struct bw_nest *other)
{
	delta->nest = nest;
	delta->other = other;
	memset(delta->marked, 0, (size_t)delta->n_stages * sizeof *delta->marked);
	memset(delta->seen, 0, (size_t)delta->n_funcs * sizeof *delta->seen);
}

static void add_marked(struct bw_delta *delta)
{
	for (int s = 0; s < delta->n_stages; s++)
		delta->concerned[s] |= delta->marked[s];
}

/* Marks the kernels that contain a differing Func in one of the schedules, and the kernels that read such
 * a Func. */
static void mark_all(struct bw_delta *delta, const struct bw_nest *nest, const struct bw_nest *other)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	mark_none(delta, nest, other);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		if (!nest->placed[f] || nest->placed[f] == other->placed[f] ||
		    nest->placed[f]->content == other->placed[f]->content)
			continue;
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			delta->pricing.ms[pipeline->funcs[f].first_stage + s] = 0;
		mark(delta, nest, f, -1);
		mark(delta, other, f, -1);
		mark_readers(delta, f);
	}
	add_marked(delta);
}

/* Returns true if a stage is computed in a marked kernel. */
static bool is_marked(const struct bw_delta *delta, const bool *marked, int func, int stage)
{
	const struct bw_func *funcs = delta->nest->pipeline->funcs;
	const struct bw_placed *placed = delta->nest->placed[func];
	if (placed->placement->compute.kind == BW_SITE_AT)
		return marked[funcs[placed->kernel_func].first_stage + placed->kernel_stage];
	return placed->placement->compute.kind == BW_SITE_ROOT && marked[funcs[func].first_stage + stage];
}

/* Returns the cost of the kernels that are not marked. */
static double cost_of_rest(const struct bw_delta *delta)
{
	const struct bw_nest *nest = delta->nest;
	double rest = 0;
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		for (int s = 0; s < nest->pipeline->funcs[f].n_stages && nest->placed[f]; s++)
			if (!is_marked(delta, delta->marked, f, s))
				rest += delta->pricing.ms[nest->pipeline->funcs[f].first_stage + s];
	return rest;
}

/* Costs the marked kernels. Returns the cost of all kernels. Stops once the sum exceeds `below`, and
 * returns the sum so far. */
static double cost_marked(struct bw_delta *delta, double below)
{
	const struct bw_nest *nest = delta->nest;
	double sum = cost_of_rest(delta);
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_func *func = &nest->pipeline->funcs[f];
		if (!nest->placed[f] || nest->placed[f]->placement->compute.kind != BW_SITE_ROOT)
			continue;
		for (int s = 0; s < func->n_stages; s++)
			if (delta->marked[func->first_stage + s] && sum < too_much * below)
				sum += bw_pricing_kernel(&delta->pricing, nest, f, s);
	}
	return sum;
}

double bw_delta_cost(struct bw_delta *delta, const struct bw_nest *nest, const struct bw_nest *other,
		      const double *ms, double below)
{
	struct bw_pricing *pricing = &delta->pricing;
	int n = nest->pipeline->n_stages;
	pricing->parent = pricing->trial.parent = nest;
	memcpy(pricing->ms, ms, (size_t)n * sizeof *ms);
	mark_all(delta, nest, other);
	if (pricing->trial.recall.basis) {
		bw_pricing_learned(pricing, nest, pricing->ms);
	} else {
		double sum = cost_marked(delta, below);
		if (sum >= too_much * below)
			return sum;
	}
	double total = bw_cost_total(pricing->ms, n);
	bw_pricing_check(pricing, nest, total);
	return total;
}

void bw_delta_forget(struct bw_delta *delta)
{
	memset(delta->concerned, 0, (size_t)delta->n_stages * sizeof *delta->concerned);
}

/* Returns true if a Func is computed in a kernel that was marked since bw_delta_forget. */
static bool is_computed(const struct bw_delta *delta, int f)
{
	bool any = false;
	for (int s = 0; s < delta->nest->pipeline->funcs[f].n_stages; s++)
		any |= is_marked(delta, delta->concerned, f, s);
	return any;
}

void bw_delta_concerned(struct bw_delta *delta, const struct bw_nest *nest, int func, uint64_t *set)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	mark_none(delta, nest, nest);
	mark(delta, nest, func, -1);
	mark_readers(delta, func);
	add_marked(delta);
	memset(delta->seen, 0, (size_t)delta->n_funcs * sizeof *delta->seen);
	/* by Func: computed in a kernel that was marked since bw_delta_forget, or inlined into one */
	bool *computed = delta->seen;
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *of = &pipeline->funcs[f];
		bool read = false;
		for (int c = 0; c < of->n_consumers; c++)
			read |= computed[of->consumers[c]->func];
		computed[f] = nest->placed[f] && (is_inlined(nest, f) ? read : is_computed(delta, f));
		if (nest->placed[f] && (f == func || read || computed[f]))
			set[f / 64] |= (uint64_t)1 << f % 64;
	}
}
