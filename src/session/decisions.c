#include "session/decisions.h"

int bw_session_n_decisions(const struct bw_session *session)
{
	return bw_search_n_decisions(session->search);
}

const struct bw_decision *bw_session_decision(const struct bw_session *session, int index)
{
	return bw_search_decision(session->search, index);
}

int bw_session_reached(const struct bw_session *session)
{
	return bw_search_reached(session->search);
}

int bw_session_find(const struct bw_session *session, int func, enum bw_phase phase, int pass)
{
	return bw_search_find(session->search, func, phase, pass);
}

int bw_session_beam(const struct bw_session *session, int position, const struct bw_state *const **states)
{
	return bw_search_beam(session->search, position, states);
}

const struct bw_device *bw_session_device(const struct bw_session *session)
{
	return bw_search_device(session->search);
}

const struct bw_constraints *bw_session_constraints(const struct bw_session *session)
{
	return bw_search_constraints(session->search);
}

struct bw_cost bw_session_cost_of(const struct bw_session *session, const struct bw_nest *nest,
				  struct bw_arena *arena)
{
	return bw_search_cost(session->search, nest, arena);
}

struct bw_search_totals bw_session_totals(const struct bw_session *session)
{
	return bw_search_totals(session->search);
}
