/* Advances a search: the parents of a decision are expanded, then merged into the next beam. At the end of a
 * pass Funcs may be frozen, and at the end of the last one the best schedule is polished. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "nest/words.h"
#include "search/search_private.h"
#include "search/variants.h"

/* Explains why a decision leaves no state: names the Func, how many options each rule pruned, and the
 * values measured for the option that came nearest to its limit. */

/* The expansions of a decision without a legal option, made again with words for the user. */
struct again {
	int n;
	struct bw_expanding *list; /* by parent */
};

/* Returns the option that a rule pruned by the smallest margin. If the rule measures nothing, returns the
 * first option that it pruned. */
static const struct bw_option *nearest(const struct again *again, enum bw_rule rule)
{
	const struct bw_option *best = NULL;
	for (int p = 0; p < again->n; p++) {
		const struct bw_expansion *expansion = again->list[p].expansion;
		for (int i = 0; i < expansion->n; i++) {
			const struct bw_option *option = &expansion->options[i];
			bool pruned = option->fate == BW_FATE_PRUNED && option->rule == rule;
			if (pruned && (!best || option->figure * best->limit < best->figure * option->limit))
				best = option;
		}
	}
	return best;
}

/* Returns the first option, of any parent of the decision, that the constraint names; NULL if no parent has
 * one. */
static const struct bw_option *as_held(const struct again *again,
				       const struct bw_constraint *constraint)
{
	for (int p = 0; p < again->n; p++) {
		const struct bw_expansion *expansion = again->list[p].expansion;
		for (int i = 0; i < expansion->n; i++) {
			const struct bw_placement *placement = expansion->options[i].placement;
			if (placement && bw_constraint_names(constraint, placement))
				return &expansion->options[i];
		}
	}
	return NULL;
}

/* Appends the constraint, and why it cannot be met. */
static void say_constraint(const struct bw_search *search, const struct again *again,
			   const struct bw_constraint *constraint, struct bw_text *out)
{
	const struct bw_option *option = as_held(again, constraint);
	bw_text_puts(out, " (");
	if (option && option->rule == BW_RULE_CONSTRAINT) {
		bw_text_puts(out, option->reason);
	} else {
		bw_placement_words(search->pipeline, constraint->placement, out);
		bw_text_puts(out, option ? "" : ": a site that no state has");
	}
	bw_text_puts(out, ")");
}

/* Makes the expansions again, with words. Returns false if it was stopped. */
static bool explain(struct again *again, const struct bw_parents *parents)
{
	again->list = BW_NEW_ARRAY(struct bw_expanding, parents->n);
	while (again->n < parents->n) {
		struct bw_expanding *expanding = &again->list[again->n];
		bw_expanding_begin(expanding, &parents->list[again->n++].expanding.question, NULL, true);
		expanding->question.silent = false;
		if (!bw_expanding_run(expanding))
			return false;
	}
	return true;
}

/* Sets the error for a pin that no state can satisfy. It names the pinned choice, and the rule and
 * measured value of the first state that cannot have this choice. */
static void say_missed(const struct bw_search *search, const struct again *again,
		       const struct bw_position *dead, struct bw_error *error)
{
	const struct bw_constraint *pin = dead->missed;
	const struct bw_decision *decision = &dead->decision;
	BW_SCOPED_TEXT words = {0};
	const struct bw_option *option = as_held(again, pin);
	bw_placement_words(search->pipeline, pin->placement, &words);
	if (option)
		bw_text_printf(&words, " cannot be: %s (%s)", option->reason, bw_rule_name(option->rule));
	else
		bw_text_printf(&words, ": a site that no state has in pass %d", decision->pass);
	bw_fail(error, BW_ERROR_CONFLICT, "%s: pinned %s", search->pipeline->funcs[decision->func].name,
		bw_text_get(&words));
}

/* Sets an error that says how many options each rule pruned. */
static void say_pruned(const struct bw_search *search, const struct again *again,
		       const struct bw_decision *decision, struct bw_error *error)
{
	BW_SCOPED_TEXT counts = {0};
	const struct bw_constraint *constraint = again->list[0].question.constraint;
	for (int r = 0; r < BW_N_RULES; r++) {
		if (!decision->pruned[r])
			continue;
		bw_text_printf(&counts, "%s%ld by %s", counts.length ? ", " : "", decision->pruned[r],
			       bw_rule_name((enum bw_rule)r));
		const struct bw_option *option = r == BW_RULE_CONSTRAINT ? NULL : nearest(again, (enum bw_rule)r);
		if (option)
			bw_text_printf(&counts, " (%s%s)",
				       decision->pruned[r] == 1 ? ""
				       : option->limit > 0      ? "nearest: "
								: "first: ",
				       option->reason);
		else if (constraint)
			say_constraint(search, again, constraint, &counts);
		else if (r == BW_RULE_CONSTRAINT)
			bw_text_puts(&counts, " (rejected by hand)");
	}
	bw_fail(error, BW_ERROR_CONFLICT, "%s: no legal option for %s: of %ld enumerated, pruned %s",
		search->pipeline->funcs[decision->func].name, bw_phase_name(decision->phase),
		decision->enumerated, bw_text_get(&counts));
}

/* Sets the error of a decision after which no state is left, or no state with a pinned choice. `dead` is
 * the position after the decision. Returns false if it was stopped. */
static bool search_say_no_states(const struct bw_search *search, const struct bw_parents *parents,
			const struct bw_position *dead, struct bw_error *error)
{
	struct again again = {0};
	bool done = explain(&again, parents);
	if (done && dead->missed)
		say_missed(search, &again, dead, error);
	else if (done)
		say_pruned(search, &again, &dead->decision, error);
	for (int p = 0; p < again.n; p++)
		bw_expanding_end(&again.list[p]);
	free(again.list);
	return done;
}

/* Advances the companion search without the newest override (search->without), if any, to its end.
 * Returns false if it was stopped. */
static bool advance_without(struct bw_search *search)
{
	struct bw_search *without = search->without;
	struct bw_error error;
	if (!without)
		return true;
	enum bw_search_status status = bw_search_advance(without, without->n_decisions, search->yield, &error);
	if (status == BW_SEARCH_DEAD) {
		bw_search_free(without);
		search->without = NULL;
	}
	return status != BW_SEARCH_GOING;
}

/* Finishes decision `index`: freezes Funcs at the end of the freezing pass, and polishes the best
 * schedule at the end of the last pass. Returns false if it was stopped. */
static bool finish(struct bw_search *search, int index, struct bw_position *next)
{
	if (search->freezes && index + 1 == bw_search_pass_end(search, search->first_pass) &&
	    !bw_freeze(search, next))
		return false;
	if (!bw_search_polishes(search) || index + 1 < search->n_decisions)
		return true;
	search->polishing = next->beam[0]->cost;
	bool done = advance_without(search) && bw_polish(search, next);
	search->polishing = 0;
	return done;
}

/* Appends the position after a decision, and frees the stage costs of the position before it. */
static void reach(struct bw_search *search, struct bw_position *next)
{
	struct bw_position *before = search->reached[search->n_reached - 1];
	bw_position_measure(next, before);
	bw_position_forget(before);
	search->reached[search->n_reached++] = next;
}

/* Returns true if the search's memory is within memory_limit (0: no limit); else false with an error. */
static bool has_memory(const struct bw_search *search, int index, struct bw_error *error)
{
	int64_t most = search->options.memory_limit, bytes = most ? bw_search_bytes(search) : 0;
	return bytes <= most ||
	       bw_fail(error, BW_ERROR_FAILED,
		       "the search remembers %.1f MB after %d of %d decisions, more than memory_limit allows (%.1f MB): set memory_limit=BYTES higher, or beam or passes lower",
		       (double)bytes * 1e-6, index, search->n_decisions, (double)most * 1e-6);
}

/* Expands the beam and merges the children into *next. If that fails, sets *next to NULL and returns GOING
 * if it was stopped; DEAD with an error if no state is left, or no state has a pinned choice. */
static enum bw_search_status find_next(const struct bw_search *search, int index, struct bw_position **next,
				       struct bw_error *error)
{
	struct bw_parents parents;
	bool expanded = bw_parents_expand(&parents, search, index, search->reached[index]);
	enum bw_search_status status = BW_SEARCH_GOING;
	*next = expanded ? bw_merge(search, &parents) : NULL;
	if (*next && ((*next)->missed || !(*next)->n)) {
		status = search_say_no_states(search, &parents, *next, error) ? BW_SEARCH_DEAD : BW_SEARCH_GOING;
		bw_position_drop(*next);
		*next = NULL;
	}
	bw_parents_end(&parents);
	return *next ? BW_SEARCH_DONE : status;
}

/* Makes one decision. If it is stopped in the middle, the next call starts the decision again. */
static enum bw_search_status decide(struct bw_search *search, int index, struct bw_error *error)
{
	struct bw_position *next;
	double began = bw_clock_of(CLOCK_THREAD_CPUTIME_ID);
	if (!has_memory(search, index, error))
		return BW_SEARCH_DEAD;
	enum bw_search_status status = find_next(search, index, &next, error);
	if (status != BW_SEARCH_DONE)
		return status;
	if (!finish(search, index, next)) {
		bw_position_drop(next);
		return BW_SEARCH_GOING;
	}
	next->decision.seconds = bw_clock_of(CLOCK_THREAD_CPUTIME_ID) - began;
	reach(search, next);
	return BW_SEARCH_DONE;
}

enum bw_search_status bw_search_advance(struct bw_search *search, int until, const struct bw_yield *yield,
					struct bw_error *error)
{
	enum bw_search_status status = BW_SEARCH_DONE;
	double began = bw_clock_of(CLOCK_THREAD_CPUTIME_ID);
	search->yield = yield;
	while (status == BW_SEARCH_DONE && bw_search_reached(search) < search->n_decisions &&
	       bw_search_reached(search) < until)
		status = bw_yield(yield) ? decide(search, bw_search_reached(search), error) : BW_SEARCH_GOING;
	search->yield = NULL;
	search->seconds += bw_clock_of(CLOCK_THREAD_CPUTIME_ID) - began;
	return status;
}

/* Returns a fork of a branch. Each Func that the branch has not decided yet is held at its placement in
 * `nest`, except the Funcs that are let go. */
static struct bw_search *fork_like(const struct bw_search *branch, const struct bw_nest *nest,
				   const bool *let_go)
{
	const struct bw_constraints *old = &branch->constraints;
	BW_SCOPED_MEMORY struct bw_constraint *list =
	    BW_NEW_ARRAY(struct bw_constraint, old->n + branch->pipeline->n_funcs);
	struct bw_constraints with = {.list = list, .n_free = old->n_free, .free = old->free};
	for (; with.n < old->n; with.n++)
		list[with.n] = old->list[with.n];
	int decided = bw_search_reached(branch), pass = bw_search_pass(branch, decided);
	for (int d = decided; d < bw_search_pass_end(branch, pass); d++) {
		int func = branch->plan[d].func;
		if (branch->plan[d].phase == BW_PHASE_WHERE && !let_go[func] && !bw_constraint_on(old, func, pass))
			list[with.n++] = (struct bw_constraint){.placement = nest->placed[func]->placement,
								.sizes = true,
								.source = BW_CONSTRAINT_ACCEPT};
	}
	struct bw_search *fork = bw_search_fork(branch, NULL, &with);
	fork->enough = INFINITY;
	return fork;
}

/* Continues a branch with the placements of `nest`. The search decides again the Funcs that cannot keep
 * these placements. Returns the schedule at the end, for bw_nest_drop. Returns NULL if there is none or it
 * was stopped. */
static struct bw_nest *follow_nest(const struct bw_search *branch, const struct bw_nest *nest,
				   const struct bw_yield *yield)
{
	BW_SCOPED_MEMORY bool *let_go = BW_NEW_ARRAY(bool, nest->pipeline->n_funcs);
	struct bw_error ignored;
	enum bw_search_status status;
	bool held;
	struct bw_nest *found = NULL;
	do {
		struct bw_search *fork = fork_like(branch, nest, let_go);
		status = bw_search_advance(fork, fork->n_decisions, yield, &ignored);
		int at = bw_search_reached(fork), func = at < fork->n_decisions ? fork->plan[at].func : 0;
		held = !let_go[func];
		let_go[func] = true;
		if (status == BW_SEARCH_DONE)
			found = bw_nest_keep(fork->reached[fork->n_decisions]->beam[0]->nest);
		bw_search_free(fork);
	} while (status == BW_SEARCH_DEAD && held);
	return found;
}

struct bw_nest *bw_search_branch_nest(const struct bw_search *branch, const struct bw_search *search,
				      const struct bw_yield *yield, double *cost)
{
	const struct bw_constraints *constraints = &branch->constraints;
	struct bw_nest *best = search->reached[search->n_decisions]->beam[0]->nest;
	struct bw_variants *variants =
	    constraints->n > search->constraints.n
		? bw_polish_held(branch, &constraints->list[constraints->n - 1], best)
		: NULL;
	struct bw_nest *nest = variants ? bw_nest_keep((struct bw_nest *)bw_variants_nest(variants))
					: follow_nest(branch, best, yield);
	if (!variants && nest)
		variants = bw_variants_begin(branch, nest, branch->options.passes, false);
	*cost = variants ? bw_variants_cost(variants) : INFINITY;
	bw_variants_end(variants);
	return nest;
}
