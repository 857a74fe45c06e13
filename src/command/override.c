/* Changes one property of a Func's placement, keeps the others, and holds the result. */

#include "command/commands.h"
#include "nest/words.h"
#include "session/lens.h"

/* Takes the Func's name off the front of the arguments, and sets *rest to the remaining ones. */
static bool take_func(struct call *call, int *func, const char **rest)
{
	*rest = call->rest;
	BW_SCOPED_MEMORY char *name = bw_take_word(rest);
	return bw_select_func(call->session, name, func, call->error);
}

static bool hold_so(struct call *call, const struct bw_placement *placement, bool sizes)
{
	struct bw_constraint constraint = {.placement = placement, .sizes = sizes, .source = BW_CONSTRAINT_OVERRIDE};
	bw_command_constrain(call, "override", &constraint);
	return true;
}

/* Overrides a placement written as in the journal. */
static bool override_words(struct call *call)
{
	BW_SCOPED_PLACEMENT *placement = bw_choice_read(call, call->error);
	return placement &&
	       hold_so(call, placement,
		       placement->tiled && !bw_choice_site_alone(call->session, placement, call->rest));
}

/* Returns true if the user gave only a site. */
static bool site_alone(const struct bw_session *session, const struct bw_placement *placement,
		       const char *value)
{
	BW_SCOPED_TEXT words = {0};
	bw_name_print(session->pipeline->funcs[placement->func].name, &words);
	bw_text_printf(&words, " %s", value);
	return bw_choice_site_alone(session, placement, bw_text_get(&words));
}

static bool override_one(struct call *call, int func, enum bw_override override, const char *value)
{
	struct bw_session *session = call->session;
	const char *name = session->pipeline->funcs[func].name;
	const struct bw_placed *placed = bw_session_state(session)->nest->placed[func];
	if (!placed)
		return bw_fail(
		    call->error, BW_ERROR_FAILED,
		    "%s is not placed yet in state %d; step on, or say all of it: override %s SITE", name,
		    session->selection.state + 1, name);
	const struct bw_placement *placement =
	    bw_override_make(session, placed->placement, override, value, call->error);
	bool sizes = placement && placement->tiled &&
		     !(override == BW_OVERRIDE_SITE && site_alone(session, placement, value));
	bool good = placement && hold_so(call, placement, sizes);
	bw_placement_drop(placement);
	return good;
}

/* Refuses an alternative that is impossible while everything else is unchanged. A site may be possible with
 * other sizes. */
static bool refuse(struct call *call, const struct bw_alternative *chosen)
{
	const struct bw_session *session = call->session;
	const char *reason = chosen->reason ? chosen->reason : "";
	BW_SCOPED_TEXT name = {0};
	if (chosen->override != BW_OVERRIDE_SITE)
		return bw_fail(call->error, BW_ERROR_FAILED, "%s", *reason ? reason : "it cannot be");
	bw_name_print(session->pipeline->funcs[session->selection.func].name, &name);
	return bw_fail(call->error, BW_ERROR_FAILED,
		       "as the other Funcs are, it cannot be%s%s; `freeze %s %s` decides them anew",
		       *reason ? ": " : "", reason, bw_text_get(&name), chosen->value);
}

/* Applies the selected alternative. If it is another site, the sizes stay free. */
static bool override_selected(struct call *call)
{
	struct bw_session *session = call->session;
	int n, selected = session->selection.alternative;
	bool shown = !strcmp(session->view, "override") || !strcmp(session->view, "tile");
	const struct bw_lens *lens = !strcmp(session->view, "override") ? NULL : bw_session_lens(session);
	if (lens)
		return lens->moved.cost > 0 ? hold_so(call, lens->moved.placement, true)
					    : bw_fail(call->error, BW_ERROR_FAILED, "%s", lens->reason ? lens->reason : "it cannot be");
	if (shown)
		bw_session_alternatives_all(session);
	const struct bw_alternative *all = shown ? bw_session_alternatives(session, &n) : NULL;
	if (all && n > 0 && !selected)
		return bw_fail(call->error, BW_ERROR_USAGE,
			       "this row is the Func as it is; `freeze` holds it so, another row changes it");
	if (!all || selected <= 0 || selected >= n)
		return bw_fail(
		    call->error, BW_ERROR_USAGE,
		    "override FUNC site, serial, thread, block, unroll or memory VALUE; or FUNC SITE; `view override` has alternatives to choose from");
	const struct bw_alternative *chosen = &all[selected];
	if (!(chosen->cost > 0))
		return refuse(call, chosen);
	const struct bw_site *site = &chosen->placement->compute;
	bool moved = !bw_site_equal(site, &all[0].placement->compute),
	     has_sizes = site->kind == BW_SITE_ROOT || (site->kind == BW_SITE_AT && site->role == BW_ROLE_BLOCK);
	return hold_so(call, chosen->placement, chosen->placement->tiled && !(moved && has_sizes));
}

bool bw_command_lens(struct call *call)
{
	static const struct {
		const char *name;
		int axis, by;
	} moves[] = {{"wider", 0, 1}, {"narrower", 0, -1}, {"taller", 1, 1}, {"flatter", 1, -1}};
	struct bw_session *session = call->session;
	bool good = true, moved = false;
	for (size_t i = 0; i < sizeof moves / sizeof *moves && !moved; i++)
		if (!strcmp(call->rest, moves[i].name)) {
			moved = true;
			good = bw_lens_move(session, moves[i].axis, moves[i].by, call->error);
		}
	if (!strcmp(call->rest, "off"))
		bw_lens_drop(session);
	else if (*call->rest && !moved)
		good = bw_lens_set(session, call->rest, call->error);
	if (!good)
		return false;
	const struct bw_lens *lens = bw_session_lens(session);
	BW_SCOPED_TEXT words = {0};
	if (lens)
		bw_lens_words(session, lens, &words);
	else
		bw_text_puts(&words, "the block as it is; `lens wider` moves an edge of it");
	bw_session_say(call, "%s", bw_text_get(&words));
	return true;
}

bool bw_command_override(struct call *call)
{
	const char *field = "";
	int func;
	if (!*call->rest)
		return override_selected(call);
	if (*call->rest == '"')
		return override_words(call);
	if (!take_func(call, &func, &field))
		return false;
	size_t length = strcspn(field, " \t");
	const char *value = field + length + strspn(field + length, " \t");
	int override = bw_override_find(field, length);
	if (override >= 0 && *value)
		return override_one(call, func, (enum bw_override)override, value);
	if (*field && override < 0)
		return override_words(call);
	return bw_fail(call->error, BW_ERROR_USAGE,
		       "override FUNC site, serial, thread, block, unroll or memory VALUE; or FUNC SITE");
}
