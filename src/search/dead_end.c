/* Explains why no state is left: names the Func, how many options each rule pruned, and the figures
 * of the option that came nearest. */
#include <stdlib.h>

#include "base/text.h"
#include "nest/words.h"
#include "search/search_private.h"

/* The expansions of a decision without a legal option, made again with words for the user. */
struct again {
	int n;
	struct bw_expanding *list; /* by parent */
};

/* Returns the option that a rule pruned by the smallest margin; if the rule has no figures, the
 * first one that it pruned. */
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

/* Returns the first option that the constraint names; NULL if no state has it. */
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

/* Sets the error for a missed pin: the pinned choice, and the rule and figures of the first state that
 * cannot have it. */
static void say_missed(const struct bw_search *search, const struct again *again,
		       const struct bw_position *dead, struct bw_error *error)
{
	const struct bw_constraint *pin = dead->missed;
	const struct bw_decision *decision = &dead->decision;
	struct bw_text words = {0};
	const struct bw_option *option = as_held(again, pin);
	bw_placement_words(search->pipeline, pin->placement, &words);
	if (option)
		bw_text_printf(&words, " cannot be: %s (%s)", option->reason, bw_rule_name(option->rule));
	else
		bw_text_printf(&words, ": a site that no state has in pass %d", decision->pass);
	bw_fail(error, BW_ERROR_CONFLICT, "%s: pinned %s", search->pipeline->funcs[decision->func].name,
		bw_text_get(&words));
	bw_text_free(&words);
}

/* Sets an error with how many options each rule pruned. */
static void say_pruned(const struct bw_search *search, const struct again *again,
		       const struct bw_decision *decision, struct bw_error *error)
{
	struct bw_text counts = {0};
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
	bw_text_free(&counts);
}

bool bw_search_say_dead(const struct bw_search *search, const struct bw_parents *parents,
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
