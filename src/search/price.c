/* The cost of an option: its parent's cost, with the kernels costed again that placing its Func
 * changes. All figures are pure functions of a kernel and its context, so the sum equals that of
 * the whole nest to the bit. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "search/pricing.h"

enum { PLACES = 1 << 14 };

struct bw_kept_table {
	struct bw_kept *places[PLACES];
};

static struct bw_kept_table *kept_table_new(void)
{
	return BW_NEW(struct bw_kept_table);
}

static void kept_table_free(struct bw_kept_table *table)
{
	for (int i = 0; table && i < PLACES; i++)
		bw_kept_drop(table->places[i]);
	free(table);
}

/* Returns the bytes of a table with its values. */
static int64_t kept_table_bytes(const struct bw_kept_table *table)
{
	size_t bytes = table ? sizeof *table : 0;
	for (int i = 0; table && i < PLACES; i++)
		bytes += table->places[i] ? table->places[i]->bytes : 0;
	return (int64_t)bytes;
}

struct bw_kept *bw_kept_get(const struct bw_kept_table *table, uint64_t key)
{
	struct bw_kept *kept = table ? table->places[key % PLACES] : NULL;
	if (!kept || kept->key != key)
		return NULL;
	kept->references++;
	return kept;
}

void bw_kept_put(struct bw_kept_table *table, struct bw_kept *kept)
{
	if (!table)
		return;
	struct bw_kept **place = &table->places[kept->key % PLACES];
	bw_kept_drop(*place);
	*place = kept;
	kept->references++;
}

void bw_kept_drop(struct bw_kept *kept)
{
	if (kept && !--kept->references)
		free(kept);
}

/* Options as they are placed and judged. */

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

/* Compares a Func placed by reusing results of the last one with the same Func placed from scratch. */
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

/* A search for the kernels that read a Func; each Func is visited once. */
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

/* Adds the kernels of the stages that read a Func, directly or through inlined ones. */
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

/* Finds the kernels of the parent that placing the Func changes: the kernels that read it, and those
 * that read the Func's own producers, because a Func that is not placed counts as being at root with the
 * region required of it so far. */
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

/* Sets the ms of a stage, and lists the stage as changed unless the parent's own ms are being filled
 * in. */
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

/* Costs the kernels that read the Func, other than its own. */
static void cost_readers(struct bw_pricing *pricing, const struct bw_nest *nest, struct bw_launched own)
{
	for (int i = 0; i < pricing->n_readers; i++)
		if (pricing->readers[i].func != own.func || pricing->readers[i].stage != own.stage)
			bw_pricing_kernel(pricing, nest, pricing->readers[i].func, pricing->readers[i].stage);
}

/* Costs again the kernels that placing the Func changes. */
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
	bw_pricing_last_free(pricing->last);
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

/* The caches that a search keeps between options. */

struct bw_recall bw_recall_begin(const struct bw_pipeline *pipeline, const struct bw_settings *options)
{
	const struct bw_learned *learned = options->model->learned;
	return (struct bw_recall){
	    .basis = learned ? bw_learned_basis_new(pipeline, learned, options->device) : NULL,
	    .kernels = kept_table_new()};
}

void bw_recall_end(struct bw_recall *recall)
{
	bw_learned_basis_free(recall->basis);
	kept_table_free(recall->kernels);
	*recall = (struct bw_recall){0};
}

int64_t bw_recall_bytes(const struct bw_recall *recall)
{
	return kept_table_bytes(recall->kernels);
}
