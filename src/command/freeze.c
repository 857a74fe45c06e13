/* Commands that hold Funcs and let them go. All of them set constraints; that is the one mechanism. */
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "nest/words.h"
#include "schedulers/scheduler.h"
#include "session/decisions.h"
#include "session/explain.h"

void bw_command_constrain(struct call *call, const char *verb, const struct bw_constraint *constraint)
{
	struct bw_session *session = call->session;
	struct bw_text line = {0};
	bw_text_printf(&line, "%s ", verb);
	if (constraint->here)
		bw_text_printf(&line, "--pass %d ", constraint->pass);
	if (constraint->sizes)
		bw_placement_print(session->pipeline, constraint->placement, &line);
	else
		bw_placement_print_head(session->pipeline, constraint->placement, &line);
	struct bw_constraints with = bw_constraints_with(bw_session_constraints(session),
							 constraint->placement->func, constraint);
	bw_session_change(session, bw_text_get(&line), NULL, &with);
	bw_session_say(call, "%s", bw_text_get(&line));
	bw_constraints_end(&with);
	bw_text_free(&line);
}

/* Hosts of a placement that no constraint holds: the Func goes with them if the search moves these elsewhere.
 */
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
	const struct bw_placement *placement = bw_placement_keep(placed->placement);
	struct bw_constraint constraint = {
	    .placement = placement, .sizes = placement->tiled, .source = BW_CONSTRAINT_FREEZE};
	bw_command_constrain(call, "freeze", &constraint);
	mention_hosts(call, placement);
	bw_placement_drop(placement);
	return true;
}

const struct bw_placement *bw_choice_read(struct call *call, struct bw_error *error)
{
	const struct bw_placement *placement = bw_placement_parse(call->session->pipeline, call->rest, error);
	if (!placement || bw_session_places(call->session, "", placement, error))
		return placement;
	bw_placement_drop(placement);
	return NULL;
}

bool bw_command_freeze(struct call *call)
{
	struct bw_session *session = call->session;
	int func = session->selection.func;
	struct bw_error error;
	if (!*call->rest && func < 0)
		return bw_fail(call->error, BW_ERROR_USAGE, "freeze which Func? none is selected");
	if (*call->rest == '{')
		return bw_freeze_written(call);
	if (bw_names_several(session, call->rest))
		return bw_freeze_shown(call, call->rest);
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

static bool is_freed(const struct bw_constraints *constraints, int func)
{
	for (int i = 0; i < constraints->n_free; i++)
		if (constraints->free[i] == func)
			return true;
	return false;
}

static bool is_constrained(const struct bw_constraints *constraints, int func)
{
	for (int i = 0; i < constraints->n; i++)
		if (constraints->list[i].placement->func == func)
			return true;
	return false;
}

/* Returns true if there is anything to take back: a constraint, or what the search has frozen or
 * may yet freeze. */
static bool holds(const struct bw_session *session, int func)
{
	const struct bw_constraints *now = bw_session_constraints(session);
	return is_constrained(now, func) || (bw_explain_freezes(session) && !is_freed(now, func));
}

/* Takes the constraint off; a search that freezes is not to freeze the Func either. */
static void free_func(const struct bw_session *session, int func, struct bw_constraints *constraints)
{
	struct bw_constraints without = bw_constraints_with(constraints, func, NULL);
	if (bw_explain_freezes(session))
		bw_constraints_let(&without, func);
	bw_constraints_end(constraints);
	*constraints = without;
}

/* Frees those of the Funcs that are held: all, or those named with blanks between; how many were, -1 with an
 * error. */
static int free_named(struct call *call, const char *names, struct bw_constraints *with, struct bw_text *line)
{
	struct bw_session *session = call->session;
	int freed = 0;
	for (size_t length; *names; names += length + strspn(names + length, " \t")) {
		int func;
		length = strcspn(names, " \t");
		char *name = bw_strdup(names);
		name[length] = 0;
		bool known = bw_select_func(session, name, &func, call->error);
		free(name);
		if (!known)
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

/* As if nothing had ever been said of any Func: the search freezes what it will. */
static bool forget(struct call *call)
{
	const struct bw_constraints *now = bw_session_constraints(call->session);
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
	struct bw_text line = {0};
	struct bw_constraints with = bw_constraints_with(bw_session_constraints(session), -1, NULL);
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
	bw_constraints_end(&with);
	bw_text_free(&line);
	return freed > 0;
}
