/* The cost of an option. It is the parent's cost, except that the kernels that change when the Func is
 * placed are costed again. All values are pure functions of a kernel and its context, so the sum equals
 * that of the whole nest to the bit. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "search/pricing.h"

/* Placing and judging the options of a decision. */

void bw_checks_note(struct bw_reuse_checks *checks, bool right)
{
	checks->made++;
	checks->wrong += !right;
}

static void trial_begin(struct bw_trial *trial, const struct bw_recall *recall, const struct bw_nest *parent,
		    int func)
{
	*trial = (struct bw_trial){.recall = *recall, .parent = parent, .func = func};
}

void bw_trial_forget(struct bw_trial *trial)
{
	bw_placed_release(trial->placed);
	trial->placed = NULL;
}

static void trial_end(struct bw_trial *trial)
{
	bw_trial_forget(trial);
	bw_placed_release(trial->before);
	bw_nest_drop(trial->nest);
	*trial = (struct bw_trial){0};
}

/* Compares a Func that was placed by reusing results of the last placement with the same Func placed from
 * scratch. */
static void check_placement(const struct bw_trial *trial, const struct bw_placement *placement)
{
	const struct bw_placed *fresh = bw_nest_try(trial->parent, placement, NULL, NULL);
	bw_checks_note(trial->recall.checks,
		       fresh && trial->placed
			   ? bw_placed_equal(trial->parent->pipeline, fresh, trial->placed)
			   : fresh == trial->placed);
	bw_placed_release(fresh);
}

bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, struct bw_error *error)
{
	bw_trial_forget(trial);
	trial->placed = bw_nest_try(trial->parent, placement, trial->before, error);
	if (trial->before && trial->recall.checks)
		check_placement(trial, placement);
	if (trial->placed && placement->compute.kind == BW_SITE_AT) {
		bw_placed_release(trial->before);
		trial->before = bw_placed_keep(trial->placed);
	}
	return trial->placed != NULL;
}

const struct bw_nest *bw_trial_nest(struct bw_trial *trial)
{
	if (!trial->nest)
		trial->nest = bw_nest_copy(trial->parent);
	bw_nest_set(trial->nest, trial->func, trial->placed);
	return trial->nest;
}

void bw_trial_judge(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		    struct bw_option *option)
{
	struct bw_error error;
	if (!bw_trial_place(trial, option->placement, option->silent ? NULL : &error)) {
		bool held = bw_question_pinned(question);
		bw_option_judge(option, BW_FATE_PRUNED, held ? BW_RULE_CONSTRAINT : BW_RULE_SITE, 0, 0,
				"%.90s", option->silent ? "" : error.text);
		return;
	}
	bw_arena_reset(arena);
	bw_rules_after(question, bw_trial_nest(trial), arena, option);
}

/* A kernel, named by its stage at root. */
struct bw_launched {
	int func, stage;
};

/* The state of a search for the kernels that read a Func. Each Func is visited once. */
struct search_for {
	struct bw_pricing *pricing;
	bool *seen; /* by Func */
	int capacity;
};

static void add_kernel(struct search_for *looking, struct bw_launched kernel)
{
	struct bw_pricing *pricing = looking->pricing;
	for (int i = 0; i < pricing->n_readers; i++)
		if (pricing->readers[i].func == kernel.func && pricing->readers[i].stage == kernel.stage)
			return;
	BW_PUSH(pricing->readers, pricing->n_readers, looking->capacity, kernel);
}

/* Adds the kernels of the stages that read a Func, directly or through inlined Funcs. */
static void add_readers(struct search_for *looking, int func)
{
	struct bw_pricing *pricing = looking->pricing;
	const struct bw_func *of = &pricing->parent->pipeline->funcs[func];
	if (looking->seen[func])
		return;
	looking->seen[func] = true;
	for (int c = 0; c < of->n_consumers; c++) {
		const struct bw_stage *stage = of->consumers[c];
		const struct bw_placed *placed = pricing->parent->placed[stage->func];
		if (stage->func == pricing->func || !placed)
			continue;
		if (placed->placement->compute.kind == BW_SITE_INLINE)
			add_readers(looking, stage->func);
		else if (placed->placement->compute.kind == BW_SITE_ROOT)
			add_kernel(looking, (struct bw_launched){stage->func, stage->index});
		else
			add_kernel(looking, (struct bw_launched){placed->kernel_func, placed->kernel_stage});
	}
}

/* Finds the parent's kernels that change when the Func is placed. These are the kernels that read the
 * Func, and those that read the Func's producers: a producer that is not placed counts as being at root,
 * with the region that is required of it so far. */
static void find_readers(struct bw_pricing *pricing)
{
	const struct bw_func *func = &pricing->parent->pipeline->funcs[pricing->func];
	struct search_for looking = {.pricing = pricing,
				     .seen = BW_NEW_ARRAY(bool, pricing->parent->pipeline->n_funcs)};
	add_readers(&looking, pricing->func);
	for (int s = 0; s < func->n_stages; s++)
		for (int r = 0; r < func->stages[s].n_reads; r++)
			if (!pricing->parent->pipeline->funcs[func->stages[s].reads[r].producer].input)
				add_readers(&looking, func->stages[s].reads[r].producer);
	free(looking.seen);
}

/* Sets the ms of a stage. While the parent itself is priced (n_changed < 0), that is the parent's ms.
 * Otherwise it is the child's, and the stage is added to the list of changed stages. */
static void set_ms(struct bw_pricing *pricing, int stage, double ms)
{
	if (pricing->n_changed < 0) {
		pricing->ms[stage] = ms;
		return;
	}
	BW_PUSH(pricing->changed, pricing->n_changed, pricing->changed_capacity, stage);
	pricing->changed_ms[stage] = ms;
}

/* The ms of a kernel's stages, in the order of its context. */
struct kept_kernel {
	struct bw_kept head;
	int n;
	double ms[];
};

static struct kept_kernel *cost_kernel(const struct bw_pricing *pricing, const struct bw_nest *nest,
				       struct bw_context *context, uint64_t key)
{
	int n = bw_context_stages(context);
	struct bw_stage_cost *costs = BW_ARENA_ARRAY(pricing->arena, struct bw_stage_cost, n);
	size_t bytes = sizeof(struct kept_kernel) + (size_t)n * sizeof(double);
	struct kept_kernel *kept = bw_new_array(1, bytes);
	bw_context_complete(nest, context, pricing->arena);
	pricing->options->model->cost(context, pricing->options->device, pricing->arena, costs);
	kept->head = (struct bw_kept){.key = key, .references = 1, .bytes = bytes};
	kept->n = n;
	for (int i = 0; i < n; i++)
		kept->ms[i] = costs[i].ms;
	return kept;
}

double bw_pricing_kernel(struct bw_pricing *pricing, const struct bw_nest *nest, int func, int stage)
{
	struct bw_kept_table *table = pricing->trial.recall.kernels;
	bw_arena_reset(pricing->arena);
	struct bw_context context = bw_context_find(nest, func, stage, pricing->arena);
	uint64_t key = bw_context_hash(&context);
	struct bw_kept *found = bw_kept_get(table, key);
	struct kept_kernel *kept = found ? (struct kept_kernel *)found : cost_kernel(pricing, nest, &context, key);
	if (!found)
		bw_kept_put(table, &kept->head);
	BW_CONTEXT_EACH(&context, at)
		set_ms(pricing, nest->pipeline->funcs[at.func].first_stage + at.stage, kept->ms[at.number]);
	double total = bw_cost_total(kept->ms, kept->n);
	bw_kept_drop(&kept->head);
	return total;
}

/* The cost under the learned model. Kernels whose key has not changed since the last option are reused,
 * and so are the costs of the stages inlined into them. Other kernels come from the cache (struct
 * bw_kept), or are computed. The cost of a stage also depends on how much the whole schedule allocates, so
 * costs are reused only for the same amount. */

static uint64_t bits_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

struct kept_learned {
	struct bw_kept head;
	/* the kernel's data, which follows this struct in the same block of memory */
	struct bw_learned_kernel *kernel;
};

/* Returns the kernel of a key with a reference, from the cache or newly computed. */
static struct kept_learned *kernel_of(const struct bw_recall *recall, uint64_t key,
				      const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	struct bw_kept *found = bw_kept_get(recall->kernels, key);
	if (found)
		return (struct kept_learned *)found;
	struct bw_kernel_features features = bw_learned_kernel_features(recall->basis, nest, func, stage, arena);
	size_t bytes = sizeof(struct kept_learned) + bw_learned_kernel_bytes(&features);
	struct kept_learned *kept = bw_new_array(1, bytes);
	kept->head = (struct bw_kept){.key = key, .references = 1, .bytes = bytes};
	kept->kernel = (struct bw_learned_kernel *)(void *)(kept + 1);
	bw_learned_kernel_fill(recall->basis, &features, kept->kernel);
	bw_kept_put(recall->kernels, &kept->head);
	return kept;
}

/* The features and the cost of an inlined stage. */
struct last_inlined {
	bool known;
	uint64_t kernels; /* sum of the keys of the kernels that the stage is inlined into */
	double features[BW_SCHEDULE_FEATURES];
	double whole, cost;
};

struct bw_pricing_last {
	struct bw_arena *arena; /* owns all arrays of this struct */
	int n; /* stages of the pipeline */
	struct kept_learned **kernels; /* by stage at root; NULL: none yet */
	struct last_inlined *inlined; /* by stage */
	/* for the nest that is costed: */
	uint64_t *now;  /* keys of kernels */
	uint64_t *into; /* by inlined stage: the sum of the keys of the kernels that it is inlined into */
	int n_found;
	const struct bw_learned_kernel **found; /* in Halide's order */
};

static struct bw_pricing_last *last_new(int n)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_pricing_last *last = BW_ARENA_NEW(arena, struct bw_pricing_last);
	*last = (struct bw_pricing_last){.arena = arena,
					 .n = n,
					 .kernels = BW_ARENA_ARRAY(arena, struct kept_learned *, n),
					 .inlined = BW_ARENA_ARRAY(arena, struct last_inlined, n),
					 .now = BW_ARENA_ARRAY(arena, uint64_t, n),
					 .into = BW_ARENA_ARRAY(arena, uint64_t, n),
					 .found = BW_ARENA_ARRAY(arena, const struct bw_learned_kernel *, n)};
	return last;
}

static void last_free(struct bw_pricing_last *last)
{
	for (int i = 0; last && i < last->n; i++)
		if (last->kernels[i])
			bw_kept_drop(&last->kernels[i]->head);
	if (last)
		bw_arena_free(last->arena);
}

/* What find_kernel needs. */
struct finding {
	struct bw_pricing *pricing;
	const struct bw_nest *nest;
};

static void find_kernel(void *data, int func, int stage)
{
	struct finding *finding = data;
	struct bw_pricing_last *last = finding->pricing->last;
	int number = finding->nest->pipeline->funcs[func].first_stage + stage;
	struct kept_learned *kept = last->kernels[number];
	uint64_t key = last->now[number];
	if (!kept || kept->head.key != key) {
		if (kept)
			bw_kept_drop(&kept->head);
		kept = kernel_of(&finding->pricing->trial.recall, key, finding->nest, func, stage,
				 finding->pricing->arena);
		last->kernels[number] = kept;
	}
	const struct bw_learned_kernel *found = kept->kernel;
	for (int i = 0; i < found->n_inlined; i++)
		last->into[found->inlined[i].stage] += key;
	last->found[last->n_found++] = found;
}

static double inlined_cost(const struct bw_learned_basis *basis, struct bw_pricing_last *last, int stage,
			   double whole)
{
	struct last_inlined *inlined = &last->inlined[stage];
	bool same = inlined->known && inlined->kernels == last->into[stage];
	if (same && bits_of(inlined->whole) == bits_of(whole))
		return inlined->cost;
	if (!same) {
		bw_learned_inlined_features(basis, stage, last->found, last->n_found, inlined->features);
		inlined->kernels = last->into[stage];
		inlined->known = true;
	}
	inlined->whole = whole;
	return inlined->cost = bw_learned_inlined_cost(basis, stage, inlined->features, whole);
}

void bw_pricing_learned(struct bw_pricing *pricing, const struct bw_nest *nest, double *costs)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	const struct bw_learned_basis *basis = pricing->trial.recall.basis;
	bw_arena_reset(pricing->arena);
	if (!pricing->last)
		pricing->last = last_new(pipeline->n_stages);
	struct bw_pricing_last *last = pricing->last;
	bw_kernel_keys(bw_learned_features(basis), nest, pricing->arena, last->now);
	last->n_found = 0;
	memset(last->into, 0, (size_t)last->n * sizeof *last->into);
	memset(costs, 0, (size_t)last->n * sizeof *costs);
	bw_feature_each_kernel(bw_learned_features(basis), nest, find_kernel,
			       &(struct finding){pricing, nest});
	double whole = bw_learned_whole(last->found, last->n_found);
	for (int i = 0; i < last->n_found; i++)
		bw_learned_part_costs(basis, last->found[i], whole, costs);
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (bw_learned_inlines(nest, f))
			costs[pipeline->funcs[f].first_stage] = inlined_cost(basis, last, pipeline->funcs[f].first_stage, whole);
}

/* Costs the kernels of a Func at root. */
static void cost_kernels_of(struct bw_pricing *pricing, const struct bw_nest *nest, int func)
{
	for (int s = 0; s < nest->placed[func]->placement->n_stages; s++)
		bw_pricing_kernel(pricing, nest, func, s);
}

/* Gives a pricing an arena, and a copy of the parent's ms if they are known. */
static void make_memory(struct bw_pricing *pricing, const double *ms)
{
	size_t n = (size_t)pricing->parent->pipeline->n_stages;
	pricing->arena = bw_arena_new();
	if (ms)
		pricing->ms = memcpy(BW_NEW_ARRAY(double, n), ms, n * sizeof *ms);
}

void bw_pricing_begin(struct bw_pricing *pricing, const struct bw_question *question, const double *ms)
{
	const struct bw_nest *parent = question->parent->nest;
	*pricing = (struct bw_pricing){.options = question->options, .parent = parent, .func = question->func};
	trial_begin(&pricing->trial, question->recall, parent, question->func);
	make_memory(pricing, ms);
}

/* Returns the ms of the parent by stage. */
static const double *pricing_parent(struct bw_pricing *pricing)
{
	if (pricing->ms)
		return pricing->ms;
	pricing->ms = BW_NEW_ARRAY(double, pricing->parent->pipeline->n_stages);
	pricing->n_changed = -1;
	if (pricing->trial.recall.basis)
		bw_pricing_learned(pricing, pricing->parent, pricing->ms);
	for (int f = 0; f < pricing->parent->pipeline->n_funcs && !pricing->trial.recall.basis; f++)
		if (pricing->parent->placed[f] && pricing->parent->placed[f]->placement->compute.kind == BW_SITE_ROOT)
			cost_kernels_of(pricing, pricing->parent, f);
	pricing->n_changed = 0;
	return pricing->ms;
}

/* Sets changed_ms to the parent's costs before an option is costed, and finds the kernels that
 * every option changes. Under the learned model there is nothing else to do. */
static void prepare(struct bw_pricing *pricing)
{
	size_t n = (size_t)pricing->parent->pipeline->n_stages;
	bool begun = pricing->changed_ms, learned = pricing->trial.recall.basis;
	if (!begun)
		pricing->changed_ms = BW_NEW_ARRAY(double, n);
	if (learned)
		return;
	const double *ms = pricing_parent(pricing);
	if (!begun) {
		memcpy(pricing->changed_ms, ms, n * sizeof *ms);
		find_readers(pricing);
	}
	for (int i = 0; i < pricing->n_changed; i++)
		pricing->changed_ms[pricing->changed[i]] = ms[pricing->changed[i]];
	pricing->n_changed = 0;
}

void bw_pricing_check(struct bw_pricing *pricing, const struct bw_nest *nest, double total)
{
	struct bw_reuse_checks *checks = pricing->trial.recall.checks;
	if (!checks)
		return;
	bw_arena_reset(pricing->arena);
	double whole =
	    bw_cost_of(pricing->options->model, nest, pricing->options->device, pricing->arena).total;
	bw_checks_note(checks, !memcmp(&whole, &total, sizeof total));
}

/* Costs the kernels that read the Func, except the kernel that contains it. */
static void cost_readers(struct bw_pricing *pricing, const struct bw_nest *nest, struct bw_launched own)
{
	for (int i = 0; i < pricing->n_readers; i++)
		if (pricing->readers[i].func != own.func || pricing->readers[i].stage != own.stage)
			bw_pricing_kernel(pricing, nest, pricing->readers[i].func, pricing->readers[i].stage);
}

/* Costs again the kernels that change when the Func is placed. */
static void cost_changed(struct bw_pricing *pricing, const struct bw_nest *nest)
{
	const struct bw_func *func = &pricing->parent->pipeline->funcs[pricing->func];
	const struct bw_placed *placed = pricing->trial.placed;
	struct bw_launched own = {placed->kernel_func, placed->kernel_stage};
	for (int s = 0; s < func->n_stages; s++)
		set_ms(pricing, func->first_stage + s, 0);
	if (placed->placement->compute.kind == BW_SITE_ROOT)
		cost_kernels_of(pricing, nest, pricing->func);
	else if (placed->placement->compute.kind == BW_SITE_AT)
		bw_pricing_kernel(pricing, nest, own.func, own.stage);
	cost_readers(pricing, nest, own);
}

double bw_pricing_total(struct bw_pricing *pricing)
{
	const struct bw_nest *nest = bw_trial_nest(&pricing->trial);
	prepare(pricing);
	if (pricing->trial.recall.basis)
		bw_pricing_learned(pricing, nest, pricing->changed_ms);
	else
		cost_changed(pricing, nest);
	double total = bw_cost_total(pricing->changed_ms, pricing->parent->pipeline->n_stages);
	bw_pricing_check(pricing, nest, total);
	return total;
}

void bw_pricing_forget(struct bw_pricing *pricing)
{
	last_free(pricing->last);
	pricing->last = NULL;
	bw_trial_forget(&pricing->trial);
}

void bw_pricing_end(struct bw_pricing *pricing)
{
	bw_pricing_forget(pricing);
	trial_end(&pricing->trial);
	free(pricing->ms);
	free(pricing->changed_ms);
	free(pricing->changed);
	free(pricing->readers);
	bw_arena_free(pricing->arena);
	*pricing = (struct bw_pricing){0};
}

double bw_pricing_whole(const struct bw_recall *recall, const struct bw_settings *options,
			const struct bw_nest *nest, double *ms)
{
	struct bw_pricing pricing = {
	    .options = options, .parent = nest, .trial = {.recall = *recall, .parent = nest}};
	make_memory(&pricing, NULL);
	double total = bw_cost_total(pricing_parent(&pricing), nest->pipeline->n_stages);
	if (ms)
		memcpy(ms, pricing.ms, (size_t)nest->pipeline->n_stages * sizeof *ms);
	bw_pricing_check(&pricing, nest, total);
	bw_pricing_end(&pricing);
	return total;
}
