/* Constraints as values: copies, look-ups, comparison. */
#include <stdlib.h>

#include "search/record.h"

struct bw_constraints bw_constraints_copy(const struct bw_constraints *constraints)
{
	struct bw_constraints copy = {.n = constraints ? constraints->n : 0};
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, copy.n);
	for (int i = 0; i < copy.n; i++) {
		list[i] = constraints->list[i];
		bw_placement_keep(list[i].placement);
	}
	copy.list = list;
	int *freed = BW_NEW_ARRAY(int, constraints ? constraints->n_free : 0);
	for (int i = 0; constraints && i < constraints->n_free; i++)
		freed[copy.n_free++] = constraints->free[i];
	copy.free = freed;
	return copy;
}

void bw_constraints_free(struct bw_constraints *constraints)
{
	for (int i = 0; i < constraints->n; i++)
		bw_placement_drop(constraints->list[i].placement);
	free((void *)constraints->list);
	free((void *)constraints->free);
}

bool bw_constraint_holds(const struct bw_constraint *constraint)
{
	return constraint->source != BW_CONSTRAINT_REJECT && constraint->source != BW_CONSTRAINT_PIN;
}

bool bw_constraint_applies(const struct bw_constraint *constraint, int pass)
{
	return constraint->here ? constraint->pass == pass : pass > 0 || bw_constraint_holds(constraint);
}

bool bw_constraint_names(const struct bw_constraint *constraint, const struct bw_placement *placement)
{
	const struct bw_placement *named = constraint->placement;
	if (named->func != placement->func)
		return false;
	return constraint->sizes ? bw_placement_equal(named, placement)
				 : bw_site_equal(&named->compute, &placement->compute);
}

const struct bw_constraint *bw_constraint_on(const struct bw_constraints *constraints, int func, int pass)
{
	const struct bw_constraint *found = NULL;
	for (int i = 0; i < constraints->n; i++) {
		const struct bw_constraint *constraint = &constraints->list[i];
		if (constraint->placement->func == func && bw_constraint_holds(constraint) &&
		    bw_constraint_applies(constraint, pass) && (!found || constraint->here))
			found = constraint;
	}
	return found;
}

bool bw_constraints_marks(const struct bw_constraints *constraints, int func, int pass)
{
	for (int i = 0; i < constraints->n; i++) {
		const struct bw_constraint *constraint = &constraints->list[i];
		if (!bw_constraint_holds(constraint) && constraint->placement->func == func &&
		    bw_constraint_applies(constraint, pass))
			return !bw_constraint_on(constraints, func, pass);
	}
	return false;
}

const struct bw_constraint *bw_constraint_mark(const struct bw_constraints *constraints,
					       const struct bw_placement *placement, int pass)
{
	const struct bw_constraint *found = NULL;
	for (int i = 0; i < constraints->n; i++) {
		const struct bw_constraint *constraint = &constraints->list[i];
		if (!bw_constraint_holds(constraint) && bw_constraint_applies(constraint, pass) &&
		    bw_constraint_names(constraint, placement) &&
		    (!found || constraint->sizes >= found->sizes))
			found = constraint;
	}
	return found && !bw_constraint_on(constraints, placement->func, pass) ? found : NULL;
}

bool bw_constraints_let_go(const struct bw_constraints *constraints, int func)
{
	for (int i = 0; i < constraints->n_free; i++)
		if (constraints->free[i] == func)
			return true;
	return false;
}

/* Returns the next constraint from *i on that concerns a Func in a pass; NULL at the end. */
static const struct bw_constraint *next_on(const struct bw_constraints *constraints, int func, int pass,
					   int *i)
{
	while (*i < constraints->n) {
		const struct bw_constraint *constraint = &constraints->list[(*i)++];
		if (constraint->placement->func == func && bw_constraint_applies(constraint, pass))
			return constraint;
	}
	return NULL;
}

static bool says_the_same(const struct bw_constraint *a, const struct bw_constraint *b)
{
	bool same_kind = bw_constraint_holds(a) ? bw_constraint_holds(b) : a->source == b->source;
	return same_kind && a->sizes == b->sizes && bw_constraint_names(a, b->placement);
}

bool bw_constraints_equal_on(const struct bw_constraints *a, const struct bw_constraints *b, int func,
			     int pass)
{
	for (int i = 0, k = 0;;) {
		const struct bw_constraint *x = next_on(a, func, pass, &i), *y = next_on(b, func, pass, &k);
		if (!x || !y)
			return x == y;
		if (!says_the_same(x, y))
			return false;
	}
}
