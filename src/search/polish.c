/* Polishing: after the last pass the best schedule is changed in one Func at a time, while that lowers its
 * cost. What a Func can be changed to is what the search itself would offer it beside the Funcs that are
 * decided before it, with nothing left to a draw: every site, at a block with all sizes, at root with other
 * sizes in one dimension. Those after it stay as they are, if that is legal. A round that changes nothing is
 * the last one: then no single change lowers the predicted cost. */
#include <stdlib.h>

#include "nest/plan.h"
#include "search/polish.h"

struct bw_polisher {
	const struct bw_search *search;
	struct bw_search_options options; /* the search's, without sampling */
	struct bw_recall recall;
	struct bw_reached *end;
	int pass, n, place;             /* Funcs in the order of decisions; the one that is tried */
	struct bw_nest **before; /* by place: the schedule with the Funcs placed that are decided earlier; the
				    last one is whole */
	uint64_t *keys;                 /* by place: of the Func's placement beside those before it (bw_nest_key) */
	double cost, *ms;               /* of the schedule, and of its stages */
	int settled;                    /* Funcs in a row that no change of theirs lowers it */
	bool expands;                   /* `expanding` is of the Func's decision, of `parent` */
	enum bw_phase phase;
	struct bw_state *parent;
	struct bw_expanding expanding;
	int next;                       /* option to be priced */
	const struct bw_placement *untiled; /* at root, NULL: not offered */
	struct bw_root_sizes
	    near; /* of the Func at root: as it is, or as it is assumed where it is elsewhere */
	const struct bw_placement *best; /* that lowers the cost most so far, NULL: none does */
	double best_cost;
	struct bw_arena *arena;
};

static int func_at(const struct bw_polisher *polisher, int place)
{
	return polisher->search
	    ->plan[bw_search_pass_start(polisher->search, polisher->pass) + place * BW_FUNC_PHASES]
	    .func;
}

static const struct bw_nest *whole(const struct bw_polisher *polisher)
{
	return polisher->before[polisher->n];
}

static const struct bw_placement *placement_at(const struct bw_polisher *polisher, int place)
{
	return whole(polisher)->placed[func_at(polisher, place)]->placement;
}

static uint64_t key_of(const struct bw_nest *nest, const struct bw_placement *placement)
{
	struct bw_nest_contexts contexts = bw_nest_context(nest, placement->func, placement->compute.kind);
	return bw_nest_key(nest, placement, contexts.all);
}

/* Takes a schedule apart again from a place on. The nests from there on are dropped, the whole one last. */
static void take_apart(struct bw_polisher *polisher, int place, struct bw_nest *whole_nest)
{
	for (int i = place; i < polisher->n; i++) {
		int func = func_at(polisher, i);
		struct bw_nest *next = i + 1 < polisher->n ? bw_nest_copy(polisher->before[i]) : bw_nest_keep(whole_nest);
		if (i + 1 < polisher->n)
			bw_nest_set(next, func, whole_nest->placed[func]);
		polisher->keys[i] = key_of(polisher->before[i], whole_nest->placed[func]->placement);
		bw_nest_drop(polisher->before[i + 1]);
		polisher->before[i + 1] = next;
	}
}

struct bw_polisher *bw_polisher_begin(const struct bw_search *search, struct bw_reached *end)
{
	struct bw_polisher *polisher = BW_NEW(struct bw_polisher);
	const struct bw_state *best = end->beam[0];
	*polisher = (struct bw_polisher){.search = search,
					 .options = search->options,
					 .recall = search->recall,
					 .end = end,
					 .pass = search->options.passes,
					 .n = search->pass_decisions / BW_FUNC_PHASES,
					 .cost = best->cost,
					 .arena = bw_arena_new()};
	polisher->options.sampling = BW_SAMPLING_OFF;
	polisher->before = BW_NEW_ARRAY(struct bw_nest *, polisher->n + 1);
	polisher->keys = BW_NEW_ARRAY(uint64_t, polisher->n);
	polisher->before[0] = bw_nest_keep(bw_state_first(best)->nest);
	take_apart(polisher, 0, best->nest);
	polisher->ms = BW_NEW_ARRAY(double, search->pipeline->n_stages);
	bw_pricing_whole(&polisher->recall, &polisher->options, best->nest, polisher->ms);
	return polisher;
}

/* What is asked of the Func: as in the last pass, but that what the search froze is free. */
static struct bw_question question_of(const struct bw_polisher *polisher)
{
	const struct bw_search *search = polisher->search;
	int func = func_at(polisher, polisher->place);
	bool marked = bw_constraints_marks(&search->constraints, func, polisher->pass);
	return (struct bw_question){
	    .pipeline = search->pipeline,
	    .options = &polisher->options,
	    .constraint = bw_constraint_on(&search->constraints, func, polisher->pass),
	    .parent = polisher->parent,
	    .alone = true,
	    .beam = 1,
	    .func = func,
	    .phase = polisher->phase,
	    .pass = polisher->pass,
	    .marks = marked ? &search->constraints : NULL,
	    .recall = &polisher->recall,
	    .near = &polisher->near,
	};
}

/* Begins with the options of a phase; nest: what they are placed beside, which is taken over. */
static void expand(struct bw_polisher *polisher, enum bw_phase phase, struct bw_nest *nest)
{
	polisher->phase = phase;
	polisher->parent = bw_state_new(NULL, 0, -1, nest, 0);
	bw_nest_drop(nest);
	struct bw_question question = question_of(polisher);
	bw_expanding_begin(&polisher->expanding, &question, NULL, true);
	polisher->expanding.draws = true;
	polisher->expands = true;
	polisher->next = 0;
}

static void end_expansion(struct bw_polisher *polisher)
{
	if (!polisher->expands)
		return;
	bw_expanding_end(&polisher->expanding);
	bw_state_drop(polisher->parent);
	polisher->expands = false;
}

/* Whether the rules prune a Func of a schedule. */
static bool is_pruned(const struct bw_polisher *polisher, const struct bw_nest *nest, int place)
{
	struct bw_option option = {.fate = BW_FATE_COSTED, .rule = BW_RULE_NONE, .silent = true, .reason = ""};
	struct bw_question question = {.pipeline = polisher->search->pipeline,
				       .options = &polisher->options,
				       .func = func_at(polisher, place),
				       .pass = polisher->pass,
				       .recall = &polisher->recall,
				       .silent = true};
	bw_arena_reset(polisher->arena);
	bw_rules_after(&question, nest, polisher->arena, &option);
	return option.fate == BW_FATE_PRUNED;
}

/* Whether the rules prune no Func of a schedule that they do not prune now. */
static bool is_legal(const struct bw_polisher *polisher, const struct bw_nest *nest)
{
	for (int i = 0; i < polisher->n; i++)
		if (is_pruned(polisher, nest, i) && !is_pruned(polisher, whole(polisher), i))
			return false;
	return true;
}

/* Places a Func in a nest that nobody else has yet; returns false if it cannot be placed. */
static bool put(struct bw_nest *nest, const struct bw_placement *placement)
{
	const struct bw_placed *placed = bw_nest_try(nest, placement, NULL, NULL);
	if (!placed)
		return false;
	bw_nest_set(nest, placement->func, placed);
	bw_placed_release(placed);
	return true;
}

/* Whether a Func's consumers and hosts in a nest are those of the whole schedule, from which all that is
 * known of it follows. */
static bool sees_the_same(const struct bw_polisher *polisher, const struct bw_nest *nest,
			  const struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	const struct bw_func *func = &nest->pipeline->funcs[placement->func];
	const struct bw_placed **now = whole(polisher)->placed;
	for (int c = 0; c < func->n_consumers; c++)
		if (nest->placed[func->consumers[c]->func] != now[func->consumers[c]->func])
			return false;
	return placement->compute.kind != BW_SITE_AT ||
	       (nest->placed[placement->compute.func] == now[placement->compute.func] &&
		nest->placed[placement->store.func] == now[placement->store.func]);
}

/* Returns the schedule with the Func at hand placed so, and those after it as they are; NULL if they cannot
 * stay. What follows from the same as before is not found again. */
static struct bw_nest *changed(const struct bw_polisher *polisher, const struct bw_placement *placement)
{
	struct bw_nest *nest = bw_nest_copy(polisher->before[polisher->place]);
	bool stands = put(nest, placement);
	for (int i = polisher->place + 1; stands && i < polisher->n; i++) {
		const struct bw_placed *placed = whole(polisher)->placed[func_at(polisher, i)];
		if (sees_the_same(polisher, nest, placed) || key_of(nest, placed->placement) == polisher->keys[i])
			bw_nest_set(nest, placed->placement->func, placed);
		else
			stands = put(nest, placed->placement);
	}
	if (stands)
		return nest;
	bw_nest_drop(nest);
	return NULL;
}

/* Prices a placement of the Func at hand. */
static void price(struct bw_polisher *polisher, const struct bw_placement *placement)
{
	if (bw_placement_equal(placement, placement_at(polisher, polisher->place)))
		return;
	struct bw_nest *nest = changed(polisher, placement);
	if (!nest)
		return;
	double cost = bw_pricing_beside(&polisher->recall, &polisher->options, nest, whole(polisher), polisher->ms);
	polisher->end->polish.priced++;
	if (cost < (polisher->best ? polisher->best_cost : polisher->cost) && is_legal(polisher, nest)) {
		bw_placement_drop(polisher->best);
		polisher->best = bw_placement_keep(placement);
		polisher->best_cost = cost;
	}
	bw_nest_drop(nest);
}

static bool is_untiled(const struct bw_placement *placement)
{
	return placement->compute.kind == BW_SITE_ROOT && !placement->tiled;
}

/* Whether an option is offered: where there are second choices alone, these are. Of idle SMs and lanes the
 * cost of a whole schedule tells more than the rule. */
static bool is_offered(const struct bw_expansion *expansion, const struct bw_option *option)
{
	if (option->fate == BW_FATE_COSTED)
		return option->placement;
	if (option->fate != BW_FATE_SECOND_CHOICE || !option->placement)
		return false;
	if (option->rule == BW_RULE_IDLE_SMS || option->rule == BW_RULE_IDLE_LANES)
		return true;
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].fate == BW_FATE_COSTED)
			return false;
	return true;
}

/* All options of the Func are priced: the best change is made, and the next Func is tried. */
static void settle(struct bw_polisher *polisher)
{
	if (polisher->best) {
		struct bw_polish *polish = &polisher->end->polish;
		struct bw_nest *nest = changed(polisher, polisher->best);
		BW_GROW(polish->steps, polish->n, polish->capacity);
		polish->steps[polish->n++] = (struct bw_polish_step){
		    .from = bw_placement_keep(placement_at(polisher, polisher->place)),
		    .to = polisher->best,
		    .before = polisher->cost,
		    .after = polisher->best_cost};
		polisher->cost = polisher->best_cost;
		polisher->best = NULL;
		polisher->settled = 0; /* it is tried again, too: other tilings are near now */
		take_apart(polisher, polisher->place, nest);
		bw_pricing_whole(&polisher->recall, &polisher->options, nest, polisher->ms);
		bw_nest_drop(nest);
	} else {
		polisher->settled++;
	}
	polisher->place = (polisher->place + 1) % polisher->n;
}

/* The options of a phase are gone through: those for the tiling of a Func at root follow on its site. */
static void leave_phase(struct bw_polisher *polisher)
{
	end_expansion(polisher);
	struct bw_nest *nest = polisher->untiled
				   ? bw_nest_place(polisher->before[polisher->place], polisher->untiled, NULL)
				   : NULL;
	const struct bw_placement *now = placement_at(polisher, polisher->place);
	if (nest)
		bw_plan_sizes(polisher->search->pipeline,
			      now->compute.kind == BW_SITE_ROOT ? now : polisher->untiled,
			      polisher->near.serial, polisher->near.threads);
	bw_placement_drop(polisher->untiled);
	polisher->untiled = NULL;
	if (nest)
		expand(polisher, BW_PHASE_TILE, nest);
	else
		settle(polisher);
}

bool bw_polisher_step(struct bw_polisher *polisher)
{
	if (polisher->settled == polisher->n)
		return true;
	if (!polisher->expands) {
		expand(polisher, BW_PHASE_WHERE, bw_nest_keep(polisher->before[polisher->place]));
		return false;
	}
	if (!polisher->expanding.done) {
		bw_expanding_enter(&polisher->expanding);
		bw_expanding_step(&polisher->expanding);
		bw_expanding_leave(&polisher->expanding);
		return false;
	}
	const struct bw_expansion *expansion = polisher->expanding.expansion;
	if (polisher->next == expansion->n) {
		leave_phase(polisher);
		return false;
	}
	const struct bw_option *option = &expansion->options[polisher->next++];
	if (!is_offered(expansion, option))
		return false;
	if (is_untiled(option->placement)) {
		bw_placement_drop(polisher->untiled);
		polisher->untiled = bw_placement_keep(option->placement);
	} else {
		price(polisher, option->placement);
	}
	return false;
}

/* Puts what was found before the others of the beam, which then holds one state more: the one that was best
 * before stays the second. */
static void put_first(const struct bw_polisher *polisher)
{
	struct bw_reached *end = polisher->end;
	const struct bw_state *best = end->beam[0];
	struct bw_state *state =
	    bw_state_new(best->parent, best->parent_rank, -1, polisher->before[polisher->n], polisher->cost);
	struct bw_child *children = (struct bw_child *)end->decision.children;
	state->position = best->position;
	state->structures[0] = best->structures[0];
	state->structures[1] = best->structures[1];
	end->beam = bw_resize_array(end->beam, (size_t)end->n + 1, sizeof *end->beam);
	end->ms = bw_resize_array(end->ms, (size_t)end->n + 1, sizeof *end->ms);
	for (int i = end->n++; i > 0; i--) {
		end->beam[i] = end->beam[i - 1];
		end->ms[i] = end->ms[i - 1];
	}
	end->beam[0] = state;
	end->ms[0] = NULL;
	for (int i = 0; i < end->decision.n_recorded; i++)
		children[i].kept += children[i].kept >= 0;
	end->decision.kept = end->n;
}

void bw_polisher_end(struct bw_polisher *polisher)
{
	if (!polisher)
		return;
	end_expansion(polisher);
	if (polisher->settled == polisher->n && polisher->end->polish.n)
		put_first(polisher);
	polisher->end->polish.done = polisher->settled == polisher->n;
	bw_placement_drop(polisher->untiled);
	bw_placement_drop(polisher->best);
	for (int i = 0; i <= polisher->n; i++)
		bw_nest_drop(polisher->before[i]);
	free(polisher->before);
	free(polisher->keys);
	free(polisher->ms);
	bw_arena_free(polisher->arena);
	free(polisher);
}

void bw_polish_free(struct bw_polish *polish)
{
	for (int i = 0; i < polish->n; i++) {
		bw_placement_drop(polish->steps[i].from);
		bw_placement_drop(polish->steps[i].to);
	}
	free(polish->steps);
}

const struct bw_polish *bw_search_polish(const struct bw_search *search, int position)
{
	const struct bw_polish *polish = &search->reached[position]->polish;
	return polish->done ? polish : NULL;
}
