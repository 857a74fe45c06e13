/* Commands that hold several Funcs at once: as the selected state has them, or as written. */
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "nest/words.h"
#include "session/decisions.h"

/* Constraints on their way into force, with the words of the journal. */
struct several {
	struct bw_session *session;
	struct bw_constraints with;
	struct bw_text line;              /* `freeze {Ix inline | Iy root` */
	const struct bw_placement **held; /* by Func: what they hold, kept; NULL: nothing */
	int n;
};

static struct several several_begin(struct bw_session *session)
{
	struct several several = {
	    .session = session,
	    .with = bw_constraints_with(bw_session_constraints(session), -1, NULL),
	    .held = BW_NEW_ARRAY(const struct bw_placement *, session->pipeline->n_funcs)};
	bw_text_puts(&several.line, "freeze ");
	return several;
}

static void several_add(struct several *several, const struct bw_placement *placement, bool sizes)
{
	struct bw_constraint constraint = {.placement = placement, .sizes = sizes, .source = BW_CONSTRAINT_FREEZE};
	struct bw_constraints with = bw_constraints_with(&several->with, placement->func, &constraint);
	bw_constraints_end(&several->with);
	several->with = with;
	bw_text_puts(&several->line, several->n++ ? " | " : "{");
	if (sizes)
		bw_placement_print(several->session->pipeline, placement, &several->line);
	else
		bw_placement_print_head(several->session->pipeline, placement, &several->line);
	several->held[placement->func] = bw_placement_keep(placement);
}

/* A host of what is held that is not held itself; NULL: there is none. */
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

/* Puts them into force. */
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
	bw_constraints_end(&several->with);
	bw_text_free(&several->line);
	for (int f = 0; f < several->session->pipeline->n_funcs; f++)
		bw_placement_drop(several->held[f]);
	free(several->held);
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

bool bw_freeze_written(struct call *call)
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

bool bw_names_several(const struct bw_session *session, const char *names)
{
	int n = 0;
	for (size_t length; *names; names += length + strspn(names + length, " \t")) {
		length = strcspn(names, " \t");
		char *name = bw_strdup(names);
		name[length] = 0;
		bool known = bw_pipeline_find(session->pipeline, name) >= 0;
		free(name);
		if (!known)
			return false;
		n++;
	}
	return n > 1;
}

/* Marks the Funcs that are named, with blanks between. */
static bool mark_named(struct call *call, const char *names, bool *named)
{
	for (size_t length; *names; names += length + strspn(names + length, " \t")) {
		int func;
		length = strcspn(names, " \t");
		char *name = bw_strdup(names);
		name[length] = 0;
		bool known = bw_select_func(call->session, name, &func, call->error);
		free(name);
		if (!known)
			return false;
		named[func] = true;
	}
	return true;
}

/* Holds what the selected state shows of these Funcs, or of all but these. */
static bool hold(struct call *call, const bool *named, bool wanted)
{
	struct bw_session *session = call->session;
	const struct bw_nest *nest = bw_session_state(session)->nest;
	struct several several = several_begin(session);
	struct bw_text how = {0};
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
	bw_text_printf(&how, "state %d has them", session->selection.state + 1);
	if (good)
		several_do(&several, call, bw_text_get(&how));
	bw_text_free(&how);
	several_end(&several);
	return good;
}

bool bw_freeze_shown(struct call *call, const char *names)
{
	bool *named = BW_NEW_ARRAY(bool, call->session->pipeline->n_funcs);
	bool good = mark_named(call, names, named) && hold(call, named, true);
	free(named);
	return good;
}

bool bw_command_hold(struct call *call)
{
	const char *names = call->rest;
	size_t length = strcspn(names, " \t");
	bool except = length == strlen("except") && !strncmp(names, "except", length);
	if (*names && (!except || !names[length]))
		return bw_fail(call->error, BW_ERROR_USAGE, "hold, or hold except FUNC...: not \"%s\"", names);
	names += length + strspn(names + length, " \t");
	bool *named = BW_NEW_ARRAY(bool, call->session->pipeline->n_funcs);
	bool good = mark_named(call, names, named) && hold(call, named, false);
	free(named);
	return good;
}
