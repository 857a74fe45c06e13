/* Constraints as commands combine them, and the check of which Funcs may be placed at all. */

#include "schedulers/scheduler.h"
#include "session/core.h"

/* Returns true if the constraint `old` gives way to `new` on a Func, or, if that is NULL, is to be
 * removed. A hold replaces all constraints of the passes that it is for; a rejection or pin replaces
 * only one of the same placement and pass. */
static bool gives_way(const struct bw_constraint *old, int func, const struct bw_constraint *new)
{
	bool same_passes = new && old->here == new->here && (!old->here || old->pass == new->pass);
	if (old->placement->func != func)
		return false;
	if (!new || (bw_constraint_holds(new) && !new->here))
		return true;
	if (bw_constraint_holds(new))
		return same_passes;
	return same_passes && old->sizes == new->sizes && bw_constraint_names(old, new->placement);
}

struct bw_constraints bw_constraints_with(const struct bw_constraints *constraints, int func,
					  const struct bw_constraint *constraint)
{
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, constraints->n + 1);
	int *freed = BW_NEW_ARRAY(int, constraints->n_free + 1);
	struct bw_constraints with = {0, list, 0, freed};
	for (int i = 0; i < constraints->n; i++)
		if (!gives_way(&constraints->list[i], func, constraint))
			list[with.n++] = constraints->list[i];
	if (constraint)
		list[with.n++] = *constraint;
	bool holds = !constraint || (bw_constraint_holds(constraint) && !constraint->here);
	for (int i = 0; i < constraints->n_free; i++)
		if (!holds || constraints->free[i] != func)
			freed[with.n_free++] = constraints->free[i];
	return with;
}

void bw_constraints_let(struct bw_constraints *constraints, int func)
{
	((int *)constraints->free)[constraints->n_free++] = func;
}

void bw_constraints_end(struct bw_constraints *constraints)
{
	free((void *)constraints->list);
	free((void *)constraints->free);
}

bool bw_choice_site_alone(const struct bw_session *session, const struct bw_placement *placement,
			  const char *typed)
{
	BW_SCOPED_TEXT sized = {0};
	struct bw_error error;
	if (placement->compute.kind != BW_SITE_AT || placement->compute.role != BW_ROLE_BLOCK)
		return false;
	bw_text_puts(&sized, typed);
	for (int d = 0; d < session->pipeline->funcs[placement->func].n_dims; d++)
		bw_text_puts(&sized, d ? "x1" : " 1");
	const struct bw_placement *with =
	    sized.length > strlen(typed) ? bw_placement_parse(session->pipeline, bw_text_get(&sized), &error)
					 : NULL;
	bool alone = with != NULL;
	bw_placement_drop(with);
	return alone;
}

bool bw_session_places(const struct bw_session *session, const char *path,
		       const struct bw_placement *placement, struct bw_error *error)
{
	return bw_placement_searched(session->pipeline, path, placement, error);
}

