/* Constraints as values: copies, look-ups, comparison. */
#include <stdlib.h>

#include "search/search_private.h"

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

const struct bw_constraint *bw_constraint_on(const struct bw_constraints *constraints, int func)
{
	for (int i = 0; i < constraints->n; i++)
		if (constraints->list[i].placement->func == func)
			return &constraints->list[i];
	return NULL;
}

bool bw_constraints_let_go(const struct bw_constraints *constraints, int func)
{
	for (int i = 0; i < constraints->n_free; i++)
		if (constraints->free[i] == func)
			return true;
	return false;
}

bool bw_constraint_equal(const struct bw_constraint *a, const struct bw_constraint *b)
{
	if (!a || !b)
		return a == b;
	return a->sizes == b->sizes && (a->sizes ? bw_placement_equal(a->placement, b->placement) : bw_site_equal(&a->placement->compute, &b->placement->compute));
}
