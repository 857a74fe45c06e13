/* Pins: for each the beam keeps the best state that has it, in addition to the states that it keeps
 * anyway. */
#include "search/search_private.h"

/* Returns true if a constraint pins a choice for a Func that this pass has decided by now. */
static bool is_pin(const struct bw_filling *filling, const struct bw_constraint *constraint)
{
	const struct bw_search *search = filling->search;
	const struct bw_decision *decision = &search->plan[filling->index];
	int func = constraint->placement->func;
	if (constraint->source != BW_CONSTRAINT_PIN || decision->phase == BW_PHASE_PASS ||
	    !bw_constraint_applies(constraint, decision->pass))
		return false;
	return filling->index >= bw_search_find(search, func, BW_PHASE_WHERE, decision->pass) &&
	       !bw_constraint_on(&search->constraints, func, decision->pass);
}

/* Returns true if a nest, or the child that an option makes of it, has the pinned choice. */
static bool has(const struct bw_constraint *pin, const struct bw_nest *nest, const struct bw_option *option)
{
	int func = pin->placement->func;
	if (option && option->placement && option->placement->func == func)
		return bw_constraint_names(pin, option->placement);
	return nest->placed[func] && bw_constraint_names(pin, nest->placed[func]->placement);
}

static bool candidate_has(const struct bw_filling *filling, const struct bw_constraint *pin,
			  const struct bw_candidate *candidate)
{
	const struct bw_state *parent =
	    filling->parents->list[candidate->parent].expanding.question.parent;
	return has(pin, parent->nest, bw_filling_option(filling, candidate));
}

bool bw_filling_pinned(const struct bw_filling *filling, const struct bw_candidate *candidate)
{
	const struct bw_constraints *constraints = &filling->search->constraints;
	for (int i = 0; i < constraints->n; i++)
		if (is_pin(filling, &constraints->list[i]) && candidate_has(filling, &constraints->list[i], candidate))
			return true;
	return false;
}

/* Finds the best recorded child with the pinned choice. */
static bool find_recorded(const struct bw_filling *filling, const struct bw_constraint *pin,
			  struct bw_candidate *found)
{
	int n = filling->n_recorded < filling->most_recorded ? filling->n_recorded : filling->most_recorded;
	for (int c = 0; c < n; c++) {
		const struct bw_child *child = &filling->next->decision.children[c];
		*found = (struct bw_candidate){.parent = child->parent,
					       .option = child->option,
					       .rank = child->rank,
					       .penalty = child->penalty};
		if (candidate_has(filling, pin, found)) {
			found->hash = bw_filling_option(filling, found)->hash;
			return true;
		}
	}
	return false;
}

/* Returns true if candidate a is taken before candidate b, whether they were looked at or not. */
static bool before(const struct bw_candidate *a, const struct bw_candidate *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return a->hash != b->hash       ? a->hash < b->hash
	       : a->parent != b->parent ? a->parent < b->parent
					: a->option < b->option;
}

/* Returns the first child of a list with the pinned choice, or `best`. */
static const struct bw_candidate *better(const struct bw_filling *filling, const struct bw_constraint *pin,
					 const struct bw_candidate *best, const struct bw_candidate *list,
					 int n)
{
	for (int i = 0; i < n; i++)
		if ((!best || before(&list[i], best)) && candidate_has(filling, pin, &list[i]))
			best = &list[i];
	return best;
}

/* Returns how many children of the rest come before a candidate. */
static int rest_before(const struct bw_rest *rest, const struct bw_candidate *candidate)
{
	int n = 0;
	for (int p = 0; p < rest->n_parents; p++)
		for (int i = rest->looked_at[p]; i < rest->parents[p].gathered.n; i++)
			n += before(&rest->parents[p].gathered.list[i], candidate);
	return n;
}

/* Finds the best child with the pinned choice behind the record. */
static bool find_behind(const struct bw_filling *filling, const struct bw_constraint *pin,
			struct bw_candidate *found)
{
	const struct bw_rest *rest = &filling->rest;
	const struct bw_candidate *back =
				      better(filling, pin, NULL, filling->put_back.heap, filling->put_back.n),
				  *best = back;
	for (int p = 0; p < rest->n_parents; p++)
		best = better(filling, pin, best, rest->parents[p].gathered.list + rest->looked_at[p],
			      rest->parents[p].gathered.n - rest->looked_at[p]);
	if (!best)
		return false;
	*found = *best;
	if (best == back)
		return true;
	found->penalty = 1;
	found->rank = filling->taken + rest_before(rest, best);
	return true;
}

/* Keeps the best child with what is pinned where the beam has none. Returns false if there is no
 * such child. */
static bool keep(struct bw_filling *filling, const struct bw_constraint *pin)
{
	const struct bw_position *next = filling->next;
	struct bw_candidate best;
	for (int i = 0; i < next->n; i++)
		if (has(pin, next->beam[i]->nest, NULL))
			return true;
	if (!find_recorded(filling, pin, &best) && !find_behind(filling, pin, &best))
		return false;
	bw_filling_keep(filling, &best, best.penalty, 0);
	return true;
}

/* A pin that no state can have is a conflict in the first pass that it applies to. Later passes
 * drop it, because other Funcs may have moved. */
static bool must_be(const struct bw_constraint *pin, int pass)
{
	return pin->here || pass == 1;
}

void bw_filling_pin(struct bw_filling *filling)
{
	const struct bw_search *search = filling->search;
	const struct bw_decision *decision = &search->plan[filling->index];
	for (int i = 0; i < search->constraints.n; i++) {
		const struct bw_constraint *pin = &search->constraints.list[i];
		if (is_pin(filling, pin) && !keep(filling, pin) && decision->phase == BW_PHASE_WHERE &&
		    decision->func == pin->placement->func && must_be(pin, decision->pass))
			filling->next->missed = pin;
	}
}
