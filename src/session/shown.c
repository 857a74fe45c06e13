/* What views show of the cursor and the selection, made when it is first asked for after a change. */
#include <math.h>

#include "session/session_private.h"

void bw_shown_stop(struct own *own)
{
	bw_routine_end(own->expands_with);
	bw_expansion_free(own->made);
	own->expands_with = NULL;
	own->made = NULL;
}

void bw_shown_end(struct own *own)
{
	bw_shown_stop(own);
	bw_alternatives_end(own);
	bw_comparing_end(own);
	bw_detailing_end(own);
	bw_expansion_free(own->expansion);
	bw_nest_drop(own->before);
	bw_arena_free(own->arena);
}

void bw_session_clamp(struct bw_session *session)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(session->search, session->cursor, &states);
	if (session->selection.state >= n)
		session->selection.state = n - 1;
	if (session->selection.state < 0)
		session->selection.state = 0;
}

const struct bw_state *bw_session_state(struct bw_session *session)
{
	const struct bw_state *const *states;
	bw_session_clamp(session);
	bw_search_beam(session->search, session->cursor, &states);
	return states[session->selection.state];
}

static void refresh(struct bw_session *session)
{
	struct own *own = own_of(session);
	if (own->cost_generation == session->generation)
		return;
	bw_arena_reset(own->arena);
	own->cost = bw_search_cost(session->search, bw_session_state(session)->nest, own->arena);
	own->cost_generation = session->generation;
}

const struct bw_cost *bw_session_cost(struct bw_session *session)
{
	refresh(session);
	return &own_of(session)->cost;
}

static struct expanded expansion_key(struct bw_session *session)
{
	bw_session_clamp(session);
	return (struct expanded){session->search, session->cursor, session->selection.state,
				 bw_search_reached(session->search) > session->cursor};
}

static bool same_key(const struct expanded *a, const struct expanded *b)
{
	return a->search == b->search && a->cursor == b->cursor && a->state == b->state && a->made == b->made;
}

static void expand(const struct bw_yield *yield, void *data)
{
	struct own *own = data;
	own->made = bw_search_expand(own->expands.search, own->expands.cursor, own->expands.state, yield);
}

/* Takes over the options that were made. */
static const struct bw_expansion *take(struct own *own)
{
	bw_expansion_free(own->expansion);
	own->expansion = own->made;
	own->made = NULL;
	own->expanded = own->expands;
	bw_shown_stop(own);
	bw_ledger_begin(own);
	return own->expansion;
}

/* Returns the options that are made already; NULL if they are not. Those of other decisions that are being
 * made are given up then. */
static const struct bw_expansion *made(struct bw_session *session)
{
	struct own *own = own_of(session);
	struct expanded key = expansion_key(session);
	if (own->expansion && same_key(&key, &own->expanded))
		return own->expansion;
	if (own->expands_with && !same_key(&key, &own->expands))
		bw_shown_stop(own);
	if (!own->expands_with)
		own->expands = key;
	return NULL;
}

const struct bw_expansion *bw_session_expand_for(struct bw_session *session, double seconds)
{
	struct own *own = own_of(session);
	if (session->cursor >= bw_search_n_decisions(session->search))
		return NULL;
	const struct bw_expansion *expansion = made(session);
	if (expansion)
		return expansion;
	if (!own->expands_with)
		own->expands_with = bw_routine_new(expand, own);
	return bw_routine_go(own->expands_with, seconds) ? take(own) : NULL;
}

const struct bw_expansion *bw_session_expansion(struct bw_session *session)
{
	struct own *own = own_of(session);
	if (session->cursor >= bw_search_n_decisions(session->search))
		return NULL;
	const struct bw_expansion *expansion = made(session);
	if (expansion)
		return expansion;
	if (own->expands_with)
		bw_routine_go(own->expands_with, INFINITY);
	else
		expand(NULL, own);
	return take(own);
}

const struct bw_expansion *bw_session_expansion_soon(struct bw_session *session)
{
	static const double at_once = 0.002;
	struct own *own = own_of(session);
	struct expanded key = expansion_key(session);
	bool begun = own->expands_with && same_key(&key, &own->expands);
	return begun ? NULL : bw_session_expand_for(session, at_once);
}

const struct bw_expansion *bw_session_expansion_unless(struct bw_session *session)
{
	return own_of(session)->later.told ? bw_session_expansion_soon(session) : bw_session_expansion(session);
}

const struct bw_expansion *bw_session_expansion_made(struct bw_session *session)
{
	struct own *own = own_of(session);
	struct expanded key = expansion_key(session);
	return own->expansion && same_key(&key, &own->expanded) ? own->expansion : NULL;
}

bool bw_session_changed(struct bw_session *session, int func)
{
	const struct bw_nest *before = own_of(session)->before;
	if (!before)
		return false;
	const struct bw_placed *old = before->placed[func], *new = bw_session_state(session)->nest->placed[func];
	return (!old) != (!new) || (old && !bw_placement_equal(old->placement, new->placement));
}

const struct bw_constraint *bw_session_constraint(const struct bw_session *session, int func)
{
	const struct bw_constraint *said = bw_constraint_on(bw_search_constraints(session->search), func,
							    bw_search_pass(session->search, session->cursor));
	if (said)
		return said;
	const struct bw_frozen *frozen = bw_session_frozen(session, func);
	return frozen ? &frozen->constraint : NULL;
}

const struct bw_frozen *bw_session_frozen(const struct bw_session *session, int func)
{
	const struct bw_search *search = session->search;
	int pass = bw_search_pass(search, session->cursor);
	bool at_end = pass == bw_search_freezing_pass(search) && session->cursor == bw_search_pass_end(search, pass);
	return bw_search_frozen_on(search, func, at_end ? pass + 1 : pass);
}
