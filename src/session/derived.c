/* Data about the cursor and the selection that views show. They are computed when first used after a
 * change. */

#include "session/core.h"
#include "session/explain.h"

struct expanded {
	const struct bw_search *search;
	int cursor, state;
	long made;
};

struct shown {
	struct bw_arena *arena;
	uint64_t cost_generation; /* generation of the session for which the cost was computed */
	struct bw_cost cost;
	struct bw_expansion *expansion;
	struct expanded expanded, expands; /* keys of the expansion that is shown, and of the one being
					      made */
	struct bw_routine *expands_with;   /* routine that makes an expansion; NULL: none is being made */
	struct bw_expansion *made;         /* the expansion that this routine made */
	int count;                         /* number of expansions taken over so far */
	struct bw_nest *before;            /* nest of the state shown before the last command, kept */
};

static BW_PART_DATA(shown_of, struct shown, SHOWN)

void bw_session_expansion_stop(struct bw_session *session)
{
	struct shown *shown = shown_of(session);
	bw_routine_end(shown->expands_with);
	bw_expansion_free(shown->made);
	shown->expands_with = NULL;
	shown->made = NULL;
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

const struct bw_state *bw_session_state(const struct bw_session *session)
{
	bw_session_clamp((struct bw_session *)session); /* limits the selected rank to those in the beam */
	return bw_search_state(session->search, session->cursor, session->selection.state);
}

static void refresh(const struct bw_session *session)
{
	struct shown *shown = shown_of(session);
	if (shown->cost_generation == session->generation)
		return;
	bw_arena_reset(shown->arena);
	shown->cost = bw_search_cost(session->search, bw_session_state(session)->nest, shown->arena);
	shown->cost_generation = session->generation;
}

const struct bw_cost *bw_session_cost(const struct bw_session *session)
{
	refresh(session);
	return &shown_of(session)->cost;
}

static struct expanded expansion_key(const struct bw_session *session)
{
	bw_session_clamp((struct bw_session *)session);
	return (struct expanded){session->search, session->cursor, session->selection.state,
				 bw_search_reached(session->search) > session->cursor};
}

static bool same_key(const struct expanded *a, const struct expanded *b)
{
	return a->search == b->search && a->cursor == b->cursor && a->state == b->state && a->made == b->made;
}

static void expand(const struct bw_yield *yield, void *data)
{
	struct shown *shown = data;
	shown->made = bw_search_expand(shown->expands.search, shown->expands.cursor, shown->expands.state, yield);
}

/* Takes over the options that the routine made. */
static const struct bw_expansion *take(struct bw_session *session)
{
	struct shown *shown = shown_of(session);
	bw_expansion_free(shown->expansion);
	shown->expansion = shown->made;
	shown->made = NULL;
	shown->expanded = shown->expands;
	shown->count++;
	bw_session_expansion_stop(session);
	return shown->expansion;
}

/* Returns the options if they have been made, else NULL. If options of another decision are being made,
 * abandons them. */
static const struct bw_expansion *made(struct bw_session *session)
{
	struct shown *shown = shown_of(session);
	struct expanded key = expansion_key(session);
	if (shown->expansion && same_key(&key, &shown->expanded))
		return shown->expansion;
	if (shown->expands_with && !same_key(&key, &shown->expands))
		bw_session_expansion_stop(session);
	if (!shown->expands_with)
		shown->expands = key;
	return NULL;
}

const struct bw_expansion *bw_session_expand_for(struct bw_session *session, double seconds)
{
	struct shown *shown = shown_of(session);
	const struct bw_expansion *expansion = made(session);
	if (expansion || session->cursor >= bw_search_n_decisions(session->search))
		return expansion;
	if (!shown->expands_with)
		shown->expands_with = bw_routine_new(expand, shown);
	return bw_routine_go(shown->expands_with, seconds) ? take(session) : NULL;
}

const struct bw_expansion *bw_session_expansion(struct bw_session *session)
{
	struct shown *shown = shown_of(session);
	const struct bw_expansion *expansion = made(session);
	if (expansion || session->cursor >= bw_search_n_decisions(session->search))
		return expansion;
	if (shown->expands_with)
		bw_routine_go(shown->expands_with, INFINITY);
	else
		expand(NULL, shown);
	return take(session);
}

const struct bw_expansion *bw_session_expansion_soon(struct bw_session *session)
{
	static const double at_once = 0.002;
	struct shown *shown = shown_of(session);
	struct expanded key = expansion_key(session);
	bool begun = shown->expands_with && same_key(&key, &shown->expands);
	return begun ? NULL : bw_session_expand_for(session, at_once);
}

const struct bw_expansion *bw_session_expansion_unless(struct bw_session *session)
{
	return own_of(session)->screen ? bw_session_expansion_soon(session) : bw_session_expansion(session);
}

const struct bw_expansion *bw_session_expansion_made(const struct bw_session *session)
{
	struct shown *shown = shown_of(session);
	struct expanded key = expansion_key(session);
	return shown->expansion && same_key(&key, &shown->expanded) ? shown->expansion : NULL;
}

bool bw_session_changed(const struct bw_session *session, int func)
{
	const struct bw_nest *before = shown_of(session)->before;
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

struct bw_routine *bw_session_expansion_work(struct bw_session *session)
{
	return shown_of(session)->expands_with;
}

int bw_session_expansion_count(const struct bw_session *session)
{
	return shown_of(session)->count;
}

void bw_session_remember_state(struct bw_session *session)
{
	struct shown *shown = shown_of(session);
	struct bw_nest *nest = bw_nest_keep(bw_session_state(session)->nest);
	bw_nest_drop(shown->before);
	shown->before = nest;
}

static void begin(struct bw_session *session)
{
	shown_of(session)->arena = bw_arena_new();
}

static bool is_wanted(const struct bw_session *session)
{
	return shown_of(session)->expands_with;
}

static void take_work(struct bw_session *session, bool ended)
{
	if (ended && bw_session_expand_for(session, 0))
		bw_session_touch(session);
}

static void forget(struct bw_session *session)
{
	shown_of(session)->expanded.search = NULL;
	bw_session_expansion_stop(session);
}

static void free_all(struct bw_session *session)
{
	struct shown *shown = shown_of(session);
	bw_session_expansion_stop(session);
	bw_expansion_free(shown->expansion);
	bw_nest_drop(shown->before);
	bw_arena_free(shown->arena);
}

const struct bw_session_part bw_part_shown = {
    .size = sizeof(struct shown),
    .begin = begin,
    .wanted = is_wanted,
    .work = bw_session_expansion_work,
    .take = take_work,
    .changed = forget,
    .free = free_all,
};
