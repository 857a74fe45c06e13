/* Funcs that follow what is held: a Func that is held in a loop of another one, its host, needs all that
 * reads it, directly or through others, to be computed inside that loop or inlined, up to the host. */
#include <stdlib.h>

#include "search/search_private.h"

struct bw_followed {
	int n;
	const struct bw_constraint *list[]; /* ends with NULL */
};

/* Marks the Funcs that read `func`, and those that read these, up to the host. */
static void mark_readers(const struct bw_pipeline *pipeline, int func, int host, bool *marked)
{
	const struct bw_func *of = &pipeline->funcs[func];
	for (int c = 0; c < of->n_consumers; c++) {
		int reader = of->consumers[c]->func;
		if (marked[reader] || reader == func)
			continue;
		marked[reader] = true;
		if (reader != host)
			mark_readers(pipeline, reader, host, marked);
	}
}

static void add(struct bw_followed **followed, const struct bw_constraint *constraint)
{
	int n = *followed ? (*followed)->n : 0;
	*followed =
	    bw_resize_array(*followed, 1, sizeof **followed + ((size_t)n + 2) * sizeof *(*followed)->list);
	(*followed)->n = n + 1;
	(*followed)->list[n] = constraint;
	(*followed)->list[n + 1] = NULL;
}

/* Returns the place of a Func in a pass among search->followed. */
static int place_of(const struct bw_search *search, int func, int pass)
{
	return pass * search->pipeline->n_funcs + func;
}

/* Adds what the Func that a constraint holds in a pass asks of the others. */
static void add_all(struct bw_search *search, const struct bw_constraint *constraint, int pass)
{
	const struct bw_placement *held = constraint->placement;
	bool *marked = BW_NEW_ARRAY(bool, search->pipeline->n_funcs);
	mark_readers(search->pipeline, held->func, held->compute.func, marked);
	for (int f = 0; f < search->pipeline->n_funcs; f++)
		if (marked[f])
			add(&search->followed[place_of(search, f, pass)], constraint);
	free(marked);
}

void bw_followed_begin(struct bw_search *search)
{
	int n_funcs = search->pipeline->n_funcs;
	for (int pass = search->first_pass; search->constraints.n && pass <= search->options.passes; pass++)
		for (int f = 0; f < n_funcs; f++) {
			const struct bw_constraint *constraint = bw_constraint_on(&search->constraints, f, pass);
			if (!constraint || constraint->placement->compute.kind != BW_SITE_AT)
				continue;
			if (!search->followed)
				search->followed =
				    BW_NEW_ARRAY(struct bw_followed *, (search->options.passes + 1) * n_funcs);
			add_all(search, constraint, pass);
		}
}

void bw_followed_end(struct bw_search *search)
{
	for (int i = 0; search->followed && i < (search->options.passes + 1) * search->pipeline->n_funcs; i++)
		free(search->followed[i]);
	free(search->followed);
}

const struct bw_constraint *const *bw_search_followed(const struct bw_search *search, int func, int pass)
{
	const struct bw_followed *followed =
	    search->followed ? search->followed[place_of(search, func, pass)] : NULL;
	return followed ? followed->list : NULL;
}

bool bw_followed_alike(const struct bw_search *a, const struct bw_search *b, int func, int pass)
{
	const struct bw_constraint *const *x = bw_search_followed(a, func, pass),
					  *const *y = bw_search_followed(b, func, pass);
	while (x && y && *x && *y) {
		const struct bw_placement *one = (*x++)->placement, *other = (*y++)->placement;
		if (one->func != other->func || !bw_site_equal(&one->compute, &other->compute))
			return false;
	}
	return (!x || !*x) && (!y || !*y);
}
