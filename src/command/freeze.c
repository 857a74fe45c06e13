/* Commands that hold or free Funcs. All of these commands set constraints. */

#include "command/commands.h"
#include "nest/words.h"
#include "schedulers/scheduler.h"

/* Returns true if the constraint `new` on a Func replaces the constraint `old`; if `new` is NULL, true if
 * `old` is on this Func, so that it is to be removed. A hold replaces all constraints of its passes. A
 * rejection or pin replaces only one with the same placement and pass. */
static bool gives_way(const struct bw_constraint *old, int func, const struct bw_constraint *new)
{
	bool same_passes = new && old->here == new->here && (!old->here || old->pass == new->pass);
	if (old->placement->func != func)
		return false;
	if (!new || (bw_constraint_holds(new) && !new->here))
		return true;
	if (bw_constraint_holds(new))
		return same_passes;
	return same_passes && old->sizes == new->sizes &&bw_constraint_names(old, new->placement);
}

/* Returns the constraints with `constraint` (its placement kept) instead of the constraints that it replaces.
 * If `constraint` is NULL, returns the constraints without those on `func`. Free both lists with
 * free_lists. */
static struct bw_constraints constraints_with(const struct bw_constraints *constraints, int func,
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

static void free_lists(struct bw_constraints *constraints)
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

void bw_command_constrain(struct call *call, const char *verb, const struct bw_constraint *constraint)
{
	struct bw_session *session = call->session;
	BW_SCOPED_TEXT line = {0};
	bw_text_printf(&line, "%s ", verb);
	if (constraint->here)
		bw_text_printf(&line, "--pass %d ", constraint->pass);
	if (constraint->sizes)
		bw_placement_print(session->pipeline, constraint->placement, &line);
	else
		bw_placement_print_head(session->pipeline, constraint->placement, &line);
	struct bw_constraints with =
	    constraints_with(bw_search_constraints(session->search), constraint->placement->func, constraint);
	bw_session_change(session, bw_text_get(&line), NULL, &with);
	bw_session_say(call, "%s", bw_text_get(&line));
	free_lists(&with);
}

/* Mentions the hosts of a placement that no constraint holds: if the search moves such a host, the Func moves
 * with it. */
static void mention_hosts(struct call *call, const struct bw_placement *placement)
{
	struct bw_session *session = call->session;
	if (placement->compute.kind != BW_SITE_AT || bw_session_constraint(session, placement->compute.func))
		return;
	const char *host = session->pipeline->funcs[placement->compute.func].name;
	bw_session_say(
	    call, "frozen inside %s, which is free: states without that site die; `freeze %s` holds it too",
	    host, host);
}

static bool freeze_as_shown(struct call *call, int func)
{
	struct bw_session *session = call->session;
	const struct bw_placed *placed = bw_session_state(session)->nest->placed[func];
	if (!placed)
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "%s is not placed yet in state %d; step on, or say where: freeze %s SITE",
			       session->pipeline->funcs[func].name, session->selection.state + 1,
			       session->pipeline->funcs[func].name);
	BW_SCOPED_PLACEMENT *placement = bw_placement_keep(placed->placement);
	struct bw_constraint constraint = {
	    .placement = placement, .sizes = placement->tiled, .source = BW_CONSTRAINT_FREEZE};
	bw_command_constrain(call, "freeze", &constraint);
	mention_hosts(call, placement);
	return true;
}

const struct bw_placement *bw_choice_read(struct call *call, struct bw_error *error)
{
	const struct bw_placement *placement = bw_placement_parse(call->session->pipeline, call->rest, error);
	if (!placement || bw_placement_searched(call->session->pipeline, "", placement, error))
		return placement;
	bw_placement_drop(placement);
	return NULL;
}

/* Several constraints to be put into force together, with their line for the journal. */
struct several {
	struct bw_session *session;
	struct bw_constraints with;
	struct bw_text line;              /* `freeze {Ix inline | Iy root` */
	const struct bw_placement **held; /* by Func: the held placement, kept; NULL: none */
	int n;
};

static struct several several_begin(struct bw_session *session)
{
	struct several several = {.session = session,
				  .with = constraints_with(bw_search_constraints(session->search), -1, NULL),
				  .held =
				      BW_NEW_ARRAY(const struct bw_placement *, session->pipeline->n_funcs)};
	bw_text_puts(&several.line, "freeze ");
	return several;
}

/* Returns the name of a host of held Funcs that is not itself held; NULL: there is none. */
static const char *free_host(const struct several *several)
{
	const struct bw_session *session = several->session;
	for (int i = 0; i < several->with.n; i++) {
		const struct bw_placement *placement = several->with.list[i].placement;
		if (several->held[placement->func] && placement->compute.kind == BW_SITE_AT &&
		    !several->held[placement->compute.func] &&
		    !bw_session_constraint(session, placement->compute.func))
			return session->pipeline->funcs[placement->compute.func].name;
	}
	return NULL;
}

/* Puts the constraints into force. */
static void several_do(struct several *several, struct call *call, const char *how)
{
	const char *host = free_host(several);
	bw_text_puts(&several->line, "}");
	bw_session_change(several->session, bw_text_get(&several->line), NULL, &several->with);
	bw_session_say(call, "%d Func%s held as %s%s%s%s", several->n, several->n == 1 ? "" : "s", how,
		       host ? ", some inside " : "", host ? host : "",
		       host ? ", which is free: states without that site die" : "");
}

static void several_end(struct several *several)
{
	free_lists(&several->with);
	bw_text_free(&several->line);
	for (int f = 0; f < several->session->pipeline->n_funcs; f++)
		bw_placement_drop(several->held[f]);
	free(several->held);
}

static void several_add(struct several *several, const struct bw_placement *placement, bool sizes)
{
	struct bw_constraint constraint = {.placement = placement, .sizes = sizes, .source = BW_CONSTRAINT_FREEZE};
	struct bw_constraints with = constraints_with(&several->with, placement->func, &constraint);
	free_lists(&several->with);
	several->with = with;
	bw_text_puts(&several->line, several->n++ ? " | " : "{");
	if (sizes)
		bw_placement_print(several->session->pipeline, placement, &several->line);
	else
		bw_placement_print_head(several->session->pipeline, placement, &several->line);
	several->held[placement->func] = bw_placement_keep(placement);
}

static bool add_entry(const char *entry, const struct bw_placement *placement, void *data,
		      struct bw_error *error)
{
	struct several *several = data;
	if (several->held[placement->func])
		return bw_fail(error, BW_ERROR_USAGE, "%s stands twice",
			       several->session->pipeline->funcs[placement->func].name);
	several_add(several, placement,
		    placement->tiled && !bw_choice_site_alone(several->session, placement, entry));
	return true;
}

/* Freezes the placements written in braces: `{Ix inline | Iy at output.block}`. */
static bool freeze_written(struct call *call)
{
	struct several several = several_begin(call->session);
	bool good = bw_line_each_entry(call->session, call->rest, add_entry, &several, call->error);
	if (good && !several.n)
		good = bw_fail(call->error, BW_ERROR_USAGE, "expected an entry between the braces");
	if (good)
		several_do(&several, call, "written");
	several_end(&several);
	return good;
}

/* Returns true if `names` is a list of several Funcs' names. */
static bool names_several(const struct bw_session *session, const char *names)
{
	int n = 0;
	for (; *names; n++) {
		BW_SCOPED_MEMORY char *name = bw_take_word(&names);
		if (bw_pipeline_find(session->pipeline, name) < 0)
			return false;
	}
	return n > 1;
}

/* Marks the Funcs in a list of names separated by blanks. */
static bool mark_named(struct call *call, const char *names, bool *named)
{
	while (*names) {
		int func;
		BW_SCOPED_MEMORY char *name = bw_take_word(&names);
		if (!bw_select_func(call->session, name, &func, call->error))
			return false;
		named[func] = true;
	}
	return true;
}

/* Holds the named Funcs as the selected state places them; if `wanted` is false, all other Funcs instead. */
static bool hold(struct call *call, const bool *named, bool wanted)
{
	struct bw_session *session = call->session;
	const struct bw_nest *nest = bw_session_state(session)->nest;
	struct several several = several_begin(session);
	bool good = true;
	for (int f = session->pipeline->n_funcs - 1; f >= 0 && good; f--) {
		if (session->pipeline->funcs[f].input || named[f] != wanted)
			continue;
		if (nest->placed[f])
			several_add(&several, nest->placed[f]->placement, nest->placed[f]->placement->tiled);
		else if (wanted)
			good = bw_fail(call->error, BW_ERROR_FAILED, "%s is not placed yet in state %d",
				       session->pipeline->funcs[f].name, session->selection.state + 1);
	}
	if (good && !several.n)
		good = bw_fail(call->error, BW_ERROR_FAILED, "state %d has nothing to hold", session->selection.state + 1);
	BW_SCOPED_MEMORY char *how = bw_format("state %d has them", session->selection.state + 1);
	if (good)
		several_do(&several, call, how);
	several_end(&several);
	return good;
}

/* Freezes the named Funcs as the selected state places them. */
static bool freeze_shown(struct call *call, const char *names)
{
	BW_SCOPED_MEMORY bool *named = BW_NEW_ARRAY(bool, call->session->pipeline->n_funcs);
	return mark_named(call, names, named) && hold(call, named, true);
}

bool bw_command_freeze(struct call *call)
{
	struct bw_session *session = call->session;
	int func = session->selection.func;
	struct bw_error error;
	if (!*call->rest && func < 0)
		return bw_fail(call->error, BW_ERROR_USAGE, "freeze which Func? none is selected");
	if (*call->rest == '{')
		return freeze_written(call);
	if (names_several(session, call->rest))
		return freeze_shown(call, call->rest);
	if (!*call->rest || bw_pipeline_find(session->pipeline, call->rest) >= 0)
		return (!*call->rest || bw_select_func(session, call->rest, &func, call->error)) &&
		       freeze_as_shown(call, func);
	const struct bw_placement *placement = bw_choice_read(call, &error);
	if (!placement) {
		if (!strpbrk(call->rest, " \t"))
			return bw_select_func(session, call->rest, &func, call->error);
		*call->error = error;
		return false;
	}
	struct bw_constraint constraint = {.placement = placement,
					   .sizes = placement->tiled &&
						    !bw_choice_site_alone(session, placement, call->rest),
					   .source = BW_CONSTRAINT_FREEZE};
	bw_command_constrain(call, "freeze", &constraint);
	mention_hosts(call, placement);
	bw_placement_drop(placement);
	return true;
}

static bool is_constrained(const struct bw_constraints *constraints, int func)
{
	for (int i = 0; i < constraints->n; i++)
		if (constraints->list[i].placement->func == func)
			return true;
	return false;
}

/* Returns true if the Func can be unfrozen: there is a constraint on it, or the search has frozen it or may
 * do so later. */
static bool holds(const struct bw_session *session, int func)
{
	const struct bw_constraints *now = bw_search_constraints(session->search);
	return is_constrained(now, func) ||
	       (bw_search_freezing_pass(session->search) >= 0 && !bw_constraints_let_go(now, func));
}

/* Removes the constraint on a Func. If the search freezes Funcs, also prevents it from freezing this one. */
static void free_func(const struct bw_session *session, int func, struct bw_constraints *constraints)
{
	struct bw_constraints without = constraints_with(constraints, func, NULL);
	if (bw_search_freezing_pass(session->search) >= 0)
		((int *)without.free)[without.n_free++] = func;
	free_lists(constraints);
	*constraints = without;
}

/* Frees the held Funcs in a list of names separated by blanks. Returns their number, or -1 with an error. */
static int free_named(struct call *call, const char *names, struct bw_constraints *with, struct bw_text *line)
{
	struct bw_session *session = call->session;
	int freed = 0;
	while (*names) {
		int func;
		BW_SCOPED_MEMORY char *name = bw_take_word(&names);
		if (!bw_select_func(session, name, &func, call->error))
			return -1;
		if (!holds(session, func))
			continue;
		free_func(session, func, with);
		bw_text_printf(line, " %s", session->pipeline->funcs[func].name);
		freed++;
	}
	return freed;
}

static int free_all(struct call *call, struct bw_constraints *with, struct bw_text *line)
{
	const struct bw_session *session = call->session;
	int freed = 0;
	for (int f = 0; f < session->pipeline->n_funcs; f++)
		if (!session->pipeline->funcs[f].input && holds(session, f)) {
			free_func(session, f, with);
			freed++;
		}
	bw_text_puts(line, " all");
	return freed;
}

/* Removes all constraints, including those that prevent the search from freezing Funcs. */
static bool forget(struct call *call)
{
	const struct bw_constraints *now = bw_search_constraints(call->session->search);
	if (!now->n && !now->n_free)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing was said of any Func");
	bw_session_change(call->session, "unfreeze --forget", NULL, &(struct bw_constraints){0});
	bw_session_say(call, "nothing is said of any Func");
	return true;
}

bool bw_command_unfreeze(struct call *call)
{
	struct bw_session *session = call->session;
	if (!strcmp(call->rest, "--forget"))
		return forget(call);
	bool all = !strcmp(call->rest, "all");
	const char *names = *call->rest ? call->rest
			    : session->selection.func >= 0
				? session->pipeline->funcs[session->selection.func].name
				: NULL;
	if (!names)
		return bw_fail(call->error, BW_ERROR_USAGE, "unfreeze which Func? none is selected");
	BW_SCOPED_TEXT line = {0};
	struct bw_constraints with = constraints_with(bw_search_constraints(session->search), -1, NULL);
	bw_text_puts(&line, "unfreeze");
	int freed = all ? free_all(call, &with, &line) : free_named(call, names, &with, &line);
	if (freed > 0) {
		bw_session_change(session, bw_text_get(&line), NULL, &with);
		bw_session_say(call, "%s %s free",
			       all ? "all Funcs" : bw_text_get(&line) + strlen("unfreeze "),
			       all || freed > 1 ? "are" : "is");
	}
	if (!freed && all)
		bw_fail(call->error, BW_ERROR_FAILED, "nothing is frozen");
	else if (!freed)
		bw_fail(call->error, BW_ERROR_FAILED, "%s %s not frozen", names, strpbrk(names, " \t") ? "are" : "is");
	free_lists(&with);
	return freed > 0;
}

bool bw_command_hold(struct call *call)
{
	const char *names = call->rest;
	size_t length = strcspn(names, " \t");
	bool except = length == strlen("except") && !strncmp(names, "except", length);
	if (*names && (!except || !names[length]))
		return bw_fail(call->error, BW_ERROR_USAGE, "hold, or hold except FUNC...: not \"%s\"", names);
	names += length + strspn(names + length, " \t");
	BW_SCOPED_MEMORY bool *named = BW_NEW_ARRAY(bool, call->session->pipeline->n_funcs);
	return mark_named(call, names, named) && hold(call, named, false);
}
