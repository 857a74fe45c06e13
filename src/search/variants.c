/* Lists and prices the variants of a schedule, one Func at a time. */
#include "search/variants.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "search/search_private.h"

struct bw_variants {
	const struct bw_search *search;
	struct bw_settings options; /* the search's options, without sampling */
	struct bw_settings lenient; /* `options` without a limit on recomputation */
	struct bw_recall recall;
	/* n: number of placed Funcs; place: of the changed Func in the order of decisions */
	int pass, n, place;
	bool asked, whole;  /* whole: all Funcs are placed */
	/* by place: the schedule with only the Funcs placed that are decided earlier; the last element is
	 * the whole schedule */
	struct bw_nest **before;
	/* by place: key of the Func's placement, given the Funcs placed before it (bw_nest_key) */
	uint64_t *keys;
	double cost, *ms;   /* cost of the schedule; costs of its stages */
	struct bw_near near;
	struct bw_delta *delta;
	int n_listed, capacity;
	struct bw_variant *list;
	struct bw_arena *arena;
};

int bw_variants_func(const struct bw_variants *variants, int place)
{
	const struct bw_search *search = variants->search;
	return search->plan[bw_search_pass_start(search, variants->pass) + place * BW_FUNC_PHASES].func;
}

const struct bw_nest *bw_variants_nest(const struct bw_variants *variants)
{
	return variants->before[variants->n];
}

double bw_variants_cost(const struct bw_variants *variants)
{
	return variants->cost;
}

const double *bw_variants_ms(const struct bw_variants *variants)
{
	return variants->ms;
}

int bw_variants_funcs(const struct bw_variants *variants)
{
	return variants->n;
}

/* Rebuilds the partial nests of a schedule from a place on, and prices the schedule. Drops the old partial
 * nests; the old whole nest is dropped last. */
static void take_apart(struct bw_variants *variants, int place, struct bw_nest *nest)
{
	for (int i = place; i < variants->n; i++) {
		int func = bw_variants_func(variants, i);
		struct bw_nest *next = i + 1 < variants->n ? bw_nest_copy(variants->before[i]) : bw_nest_keep(nest);
		if (i + 1 < variants->n)
			bw_nest_set(next, func, nest->placed[func]);
		variants->keys[i] = bw_nest_key(variants->before[i], nest->placed[func]->placement);
		bw_nest_drop(variants->before[i + 1]);
		variants->before[i + 1] = next;
	}
	variants->cost = bw_pricing_whole(&variants->recall, &variants->options, nest, variants->ms);
}

struct bw_variants *bw_variants_begin(const struct bw_search *search, struct bw_nest *nest, int pass,
				      bool asked)
{
	struct bw_variants *variants = BW_NEW(struct bw_variants);
	int n_funcs = search->pass_decisions / BW_FUNC_PHASES;
	*variants = (struct bw_variants){.search = search,
					 .options = search->options,
					 .recall = search->recall,
					 .pass = pass,
					 .asked = asked,
					 .arena = bw_arena_new()};
	variants->options.sampling = BW_SAMPLING_OFF;
	variants->lenient = variants->options;
	variants->lenient.recompute_limit = INFINITY;
	while (variants->n < n_funcs && nest->placed[bw_variants_func(variants, variants->n)])
		variants->n++;
	variants->whole = variants->n == n_funcs;
	variants->before = BW_NEW_ARRAY(struct bw_nest *, variants->n + 1);
	variants->keys = BW_NEW_ARRAY(uint64_t, variants->n);
	variants->ms = BW_NEW_ARRAY(double, search->pipeline->n_stages);
	variants->delta = bw_delta_new(&variants->recall, &variants->options, search->pipeline);
	variants->before[0] = bw_nest_keep(search->reached[0]->beam[0]->nest);
	take_apart(variants, 0, nest);
	return variants;
}

static void clear(struct bw_variants *variants)
{
	for (int i = 0; i < variants->n_listed; i++) {
		bw_placement_drop(variants->list[i].placement);
		free(variants->list[i].reason);
	}
	variants->n_listed = 0;
}

void bw_variants_end(struct bw_variants *variants)
{
	if (!variants)
		return;
	clear(variants);
	for (int i = 0; i <= variants->n; i++)
		bw_nest_drop(variants->before[i]);
	free(variants->before);
	free(variants->keys);
	free(variants->ms);
	free(variants->list);
	bw_delta_free(variants->delta);
	bw_arena_free(variants->arena);
	free(variants);
}

/* Returns the question of a phase for the Func. It is that of the pass, except that frozen choices do not
 * hold. */
static struct bw_question question_of(const struct bw_variants *variants, enum bw_phase phase,
				      const struct bw_state *parent)
{
	const struct bw_constraints *constraints = &variants->search->constraints;
	int func = bw_variants_func(variants, variants->place);
	bool marked = !variants->asked && bw_constraints_marks(constraints, func, variants->pass);
	return (struct bw_question){
	    .pipeline = variants->search->pipeline,
	    .options = &variants->options,
	    .constraint = variants->asked ? NULL : bw_constraint_on(constraints, func, variants->pass),
	    .parent = parent,
	    .alone = true,
	    .beam = 1,
	    .func = func,
	    .phase = phase,
	    .pass = variants->pass,
	    .marks = marked ? constraints : NULL,
	    .recall = &variants->recall,
	    .near = &variants->near,
	};
}

/* Judges a Func of a schedule by the rules, without the limit on recomputation. */
static struct bw_option judged(const struct bw_variants *variants, const struct bw_nest *nest, int place,
			       bool silent)
{
	struct bw_option option = {.fate = BW_FATE_COSTED, .rule = BW_RULE_NONE, .silent = silent, .reason = ""};
	int func = bw_variants_func(variants, place);
	bool held = !variants->asked || place != variants->place;
	struct bw_question question = {
	    .pipeline = variants->search->pipeline,
	    .options = &variants->lenient,
	    .constraint =
		held ? bw_constraint_on(&variants->search->constraints, func, variants->pass) : NULL,
	    .func = func,
	    .pass = variants->pass,
	    .recall = &variants->recall,
	    .silent = silent};
	bw_arena_reset(variants->arena);
	bw_rules_after(&question, nest, variants->arena, &option);
	return option;
}

static void say(struct bw_variant *variant, const char *func, const char *rule, const char *reason)
{
	BW_SCOPED_TEXT text = {0};
	if (!variant->reason) {
		bw_text_printf(&text, "%s%s%s%s%s", func, *func ? ": " : "", rule, *rule && *reason ? ": " : "", reason);
		variant->reason = bw_strdup(bw_text_get(&text));
	}
}

/* Sets whether a variant is allowed and possible. It is allowed if the rules prune no Func that they do
 * not already prune in the current schedule. */
static void judge(const struct bw_variants *variants, const struct bw_nest *nest, struct bw_variant *variant)
{
	for (int i = 0; i < variants->n && (variant->allowed || variants->asked) && variant->possible; i++) {
		struct bw_option option = judged(variants, nest, i, !variants->asked);
		if (option.fate == BW_FATE_PRUNED) {
			bool hard = bw_rule_hard(option.rule),
			     now = judged(variants, bw_variants_nest(variants), i, true).fate == BW_FATE_PRUNED;
			variant->allowed &= now;
			variant->possible &= now || !hard;
			if (!now && hard && variants->asked) {
				free(variant->reason);
				variant->reason = NULL;
			}
			if (!now && variants->asked)
				say(variant,
				    i == variants->place ? "" : variants->search->pipeline->funcs[bw_variants_func(variants, i)].name,
				    bw_rule_name(option.rule), option.reason);
		}
		bw_option_hush(&option);
	}
}

/* Places a Func in a nest that has no other owner yet. Returns false with an error if it cannot be
 * placed. */
static bool put(struct bw_nest *nest, const struct bw_placement *placement, struct bw_error *error)
{
	const struct bw_placed *placed = bw_nest_try(nest, placement, NULL, error);
	if (placed)
		bw_nest_set(nest, placement->func, placed);
	bw_placed_release(placed);
	return placed;
}

/* Returns the schedule with this placement of the Func. Returns NULL with an error if it is impossible.
 * Reuses the results of all Funcs whose inputs did not change. */
static struct bw_nest *changed(const struct bw_variants *variants, const struct bw_placement *placement,
			       struct bw_error *error)
{
	struct bw_nest *nest = bw_nest_copy(variants->before[variants->place]);
	bool stands = put(nest, placement, error);
	for (int i = variants->place + 1; stands && i < variants->n; i++) {
		const struct bw_placed *placed = bw_variants_nest(variants)->placed[bw_variants_func(variants, i)];
		if (bw_nest_key(nest, placed->placement) == variants->keys[i])
			bw_nest_set(nest, placed->placement->func, placed);
		else
			stands = put(nest, placed->placement, error);
	}
	if (stands)
		return nest;
	bw_nest_drop(nest);
	return NULL;
}

struct bw_nest *bw_variants_changed(const struct bw_variants *variants, const struct bw_placement *placement)
{
	return changed(variants, placement, NULL);
}

void bw_variants_price(struct bw_variants *variants, int number, double below)
{
	struct bw_variant *variant = &variants->list[number];
	struct bw_error error;
	variant->priced = true;
	if (!variant->possible)
		return;
	struct bw_nest *nest = changed(variants, variant->placement, variants->asked ? &error : NULL);
	if (!nest) {
		variant->possible = variant->allowed = false;
		if (variants->asked)
			say(variant, "", "", error.text);
		return;
	}
	double cost = variants->whole
			  ? bw_delta_cost(variants->delta, nest, bw_variants_nest(variants), variants->ms,
					   variants->asked ? INFINITY : below)
			  : bw_pricing_whole(&variants->recall, &variants->options, nest, NULL);
	if (cost < below)
		judge(variants, nest, variant);
	variant->cost = variant->possible ? cost : 0;
	bw_nest_drop(nest);
}

static bool is_untiled(const struct bw_placement *placement)
{
	return placement->compute.kind == BW_SITE_ROOT && !placement->tiled;
}

static bool any_costed(const struct bw_expansion *expansion)
{
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].fate == BW_FATE_COSTED)
			return true;
	return false;
}

/* Returns true if an option may be taken. A second choice may be taken only if there is no other option.
 * Idle SMs, idle lanes and recomputation never exclude an option, because the cost of the whole schedule
 * includes them more precisely than these rules. */
static bool is_allowed(const struct bw_option *option, bool costed)
{
	if (option->rule == BW_RULE_RECOMPUTE || option->rule == BW_RULE_IDLE_SMS ||
	    option->rule == BW_RULE_IDLE_LANES)
		return true;
	return option->fate == (costed ? BW_FATE_COSTED : BW_FATE_SECOND_CHOICE);
}

static void add(struct bw_variants *variants, const struct bw_option *option, bool allowed)
{
	bool possible = option->fate != BW_FATE_PRUNED || !bw_rule_hard(option->rule),
	     global = option->placement->memory == BW_MEMORY_GLOBAL &&
		      variants->near.now->memory != BW_MEMORY_GLOBAL;
	allowed &= !global;
	if (!variants->asked && !(allowed && possible))
		return;
	BW_GROW(variants->list, variants->n_listed, variants->capacity);
	struct bw_variant *variant = &variants->list[variants->n_listed++];
	*variant = (struct bw_variant){.placement = bw_placement_keep(option->placement),
				       .possible = possible,
				       .allowed = allowed && possible};
	if (option->rule != BW_RULE_NONE && !variant->allowed)
		say(variant, "", bw_rule_name(option->rule), option->reason);
	else if (global)
		say(variant, "", "", "by hand alone: for all blocks at once");
}

/* Lists the options of a phase. Returns the untiled placement at root, with a reference; NULL if it is
 * not offered. */
static const struct bw_placement *list(struct bw_variants *variants, const struct bw_expansion *expansion)
{
	const struct bw_placement *untiled = NULL;
	bool costed = any_costed(expansion);
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		if (!option->placement || bw_placement_equal(option->placement, variants->near.now))
			continue;
		bool allowed = is_allowed(option, costed);
		if (!is_untiled(option->placement)) {
			add(variants, option, allowed);
		} else if (allowed) {
			bw_placement_drop(untiled);
			untiled = bw_placement_keep(option->placement);
		}
	}
	return untiled;
}

/* Makes the options of a phase in a nest, and lists them. Sets *untiled to the result of list(). Returns
 * false if it was stopped. */
static bool expand(struct bw_variants *variants, enum bw_phase phase, struct bw_nest *nest,
		   const struct bw_yield *yield, const struct bw_placement **untiled)
{
	struct bw_state *parent = bw_state_new(NULL, 0, -1, nest, 0);
	struct bw_question question = question_of(variants, phase, parent);
	struct bw_expanding expanding;
	question.yield = yield;
	bw_expanding_begin(&expanding, &question, NULL, !variants->asked);
	expanding.draws = true;
	bool done = bw_expanding_run(&expanding);
	*untiled = done ? list(variants, expanding.expansion) : NULL;
	bw_expanding_end(&expanding);
	bw_state_drop(parent);
	return done;
}

/* Returns true if a Func is computed in the loops of `host`, or of a Func computed in these loops. */
static bool is_within(const struct bw_nest *nest, int func, int host)
{
	const struct bw_site *site = &nest->placed[func]->placement->compute;
	while (site->kind == BW_SITE_AT && site->func != host)
		site = &nest->placed[site->func]->placement->compute;
	return site->kind == BW_SITE_AT;
}

/* Returns true if the Func, moved to root, would read a Func that is computed in a loop around its current
 * site, directly or through inlined Funcs. The Func can then not be tiled at root. */
static bool leaves_behind(const struct bw_variants *variants)
{
	const struct bw_nest *nest = bw_variants_nest(variants);
	const int moved = bw_variants_func(variants, variants->place);
	bw_arena_reset(variants->arena);
	bool *reads = BW_ARENA_ARRAY(variants->arena, bool, nest->pipeline->n_funcs);
	reads[moved] = true;
	for (int i = variants->place + 1; i < variants->n; i++) {
		int f = bw_variants_func(variants, i);
		const struct bw_func *func = &nest->pipeline->funcs[f];
		bool read = false;
		for (int c = 0; c < func->n_consumers; c++)
			read |= reads[func->consumers[c]->func];
		if (read && nest->placed[f]->placement->compute.kind == BW_SITE_AT && !is_within(nest, f, moved))
			return true;
		reads[f] = read && bw_is_inlined(nest, f);
	}
	return false;
}

/* Lists the tilings of the Func at root. Returns false if it was stopped. */
static bool expand_tiles(struct bw_variants *variants, const struct bw_placement *untiled,
			 const struct bw_yield *yield)
{
	const struct bw_placement *now = variants->near.now, *none = NULL;
	if (!variants->asked && leaves_behind(variants))
		return true;
	BW_SCOPED_NEST *nest = bw_nest_place(variants->before[variants->place], untiled, NULL);
	if (!nest)
		return true;
	bw_plan_sizes(variants->search->pipeline, now->compute.kind == BW_SITE_ROOT ? now : untiled,
		      variants->near.serial, variants->near.threads);
	bool done = expand(variants, BW_PHASE_TILE, nest, yield, &none);
	bw_placement_drop(none);
	return done;
}

void bw_variants_late(struct bw_variants *variants, bool late, bool together)
{
	variants->near.late = late;
	variants->near.together = together;
}

uint64_t bw_variants_listed(const struct bw_variants *variants)
{
	return (uint64_t)variants->near.late + 2 * (uint64_t)variants->near.together;
}

uint64_t bw_variants_hash(const struct bw_variants *variants, int func)
{
	const struct bw_placed *placed = bw_variants_nest(variants)->placed[func];
	const struct bw_constraint *held =
	    bw_constraint_on(&variants->search->constraints, func, variants->pass);
	uint64_t hash = placed ? placed->content : 0;
	return held ? bw_hash_mix(bw_hash_mix(hash, held->placement->hash), held->sizes) : hash;
}

static void turn(struct bw_variants *variants, int place)
{
	clear(variants);
	bw_delta_forget(variants->delta);
	variants->place = place;
	const struct bw_placed *placed = bw_variants_nest(variants)->placed[bw_variants_func(variants, place)];
	variants->near.now = placed->placement;
	variants->near.memory = placed->memory;
}

void bw_variants_try(struct bw_variants *variants, int place, const struct bw_placement *placement)
{
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	const struct bw_pipeline *pipeline = variants->search->pipeline;
	turn(variants, place);
	bw_plan_sizes(pipeline, placement, serial, threads);
	struct bw_state *parent = bw_state_new(NULL, 0, -1, variants->before[place], 0);
	struct bw_question question = question_of(variants, BW_PHASE_TILE, parent);
	struct bw_proposal proposal = {.placement = placement,
				       .unrolled = bw_plan_iterations(&pipeline->funcs[placement->func], serial)};
	struct bw_option option = {
	    .placement = placement, .fate = BW_FATE_COSTED, .rule = BW_RULE_NONE, .reason = ""};
	bw_rules_before(&question, &proposal, &option);
	add(variants, &option, is_allowed(&option, true));
	bw_option_hush(&option);
	bw_state_drop(parent);
	bw_variants_price(variants, 0, INFINITY);
}

bool bw_variants_turn(struct bw_variants *variants, int place, const struct bw_yield *yield)
{
	const struct bw_placement *untiled;
	turn(variants, place);
	bool done = expand(variants, BW_PHASE_WHERE, variants->before[place], yield, &untiled);
	if (done && untiled && !variants->near.late && (variants->whole || !is_untiled(variants->near.now)))
		done = expand_tiles(variants, untiled, yield);
	bw_placement_drop(untiled);
	return done;
}

const struct bw_variant *bw_variants_list(const struct bw_variants *variants, int *n)
{
	*n = variants->n_listed;
	return variants->list;
}

void bw_variants_concerned(const struct bw_variants *variants, uint64_t *set)
{
	bw_delta_concerned(variants->delta, bw_variants_nest(variants),
			    bw_variants_func(variants, variants->place), set);
}

void bw_variants_take(struct bw_variants *variants, int number)
{
	BW_SCOPED_NEST *nest = changed(variants, variants->list[number].placement, NULL);
	clear(variants);
	take_apart(variants, variants->place, nest);
}
