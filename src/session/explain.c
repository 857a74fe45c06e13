#include "session/explain.h"

struct bw_pass bw_explain_pass_number(const struct bw_session *session, int number)
{
	const struct bw_search *search = session->search;
	return (struct bw_pass){.number = number,
				.begin = bw_search_pass_start(search, number),
				.end = bw_search_pass_end(search, number),
				.freezes = number == bw_search_freezing_pass(search)};
}

struct bw_pass bw_explain_pass_at(const struct bw_session *session, int position)
{
	return bw_explain_pass_number(session, bw_search_pass(session->search, position));
}

bool bw_explain_several(const struct bw_session *session)
{
	return bw_settings_passes(&session->options) > 1 || bw_search_first_pass(session->search) == 0;
}

bool bw_explain_blessed(const struct bw_session *session, int rank)
{
	const struct bw_state *state = bw_search_state(session->search, session->cursor, rank);
	if (bw_search_blesses(session->search, session->cursor, rank))
		return true;
	return state->parent && state->position == session->cursor &&
	       bw_search_steering(session->search, state->position - 1, state->nest).blessed;
}

void bw_hash_words(uint64_t hash, struct bw_text *out)
{
	bw_text_printf(out, "%04x", (unsigned)(hash & 0xffff));
}

/* Returns the reason why no structure has a penalty with these options. */
static const char *without_penalties(const struct bw_settings *options)
{
	if (options->beam == 1)
		return "a beam of one state has nothing to choose between";
	return options->random ? "options are drawn at random" : "complete schedules are told apart by cost alone";
}

void bw_objection_words(const struct bw_option *option, struct bw_text *out)
{
	bw_text_printf(out, bw_rule_hard(option->rule)
				? "costed, though the rule %s objects (%s): judged again once all Funcs held in its kernel are placed"
				: "a second choice (%s: %s), costed since nothing else was left",
		       bw_rule_name(option->rule), option->reason);
}

void bw_penalty_words(const struct bw_session *session, const struct bw_option *option, struct bw_text *out)
{
	const struct bw_decision *decision = bw_search_decision(session->search, session->cursor);
	struct bw_steering steering = bw_search_steering(session->search, session->cursor, option->nest);
	const struct bw_child *child = bw_decision_child(decision, option->rank);
	int penalty = child->penalty,
	    times = penalty - (steering.judged && !steering.blessed ? BW_PENALTY_UNBLESSED : 0);
	if (child->dropped_out) {
		bw_text_printf(out,
			       "No penalty: left out at random before it was looked at, random_dropout=%d",
			       session->options.random_dropout);
		return;
	}
	if (!steering.penalized) {
		bw_text_printf(out, "Penalty x1: %s", without_penalties(&session->options));
		return;
	}
	if (times < 1)
		bw_text_puts(out, "No penalty: ");
	else
		bw_text_printf(out, "Penalty x%d: ", penalty);
	if (penalty > 1)
		bw_text_printf(out, "ranked as %#.4g %s, ", child->cost * penalty, session->options.model->said);
	bw_text_puts(out, "hash ");
	bw_hash_words(steering.structure, out);
	if (times < 1) {
		bw_text_puts(out, " was not looked at, the beam was full with cheaper ones");
		return;
	}
	if (times == 1)
		bw_text_puts(out, " not seen before in this beam");
	else
		bw_text_printf(out, " seen %d time%s before in this beam", times - 1, times == 2 ? "" : "s");
	if (steering.blessed)
		bw_text_printf(out, ", blessed by pass %d", decision->pass - 1);
	else if (steering.judged)
		bw_text_printf(out, ", %d more: not blessed by pass %d", BW_PENALTY_UNBLESSED, decision->pass - 1);
}

const struct bw_frozen *bw_session_frozen(const struct bw_session *session, int func)
{
	const struct bw_search *search = session->search;
	int pass = bw_search_pass(search, session->cursor);
	bool at_end = pass == bw_search_freezing_pass(search) && session->cursor == bw_search_pass_end(search, pass);
	return bw_search_frozen_on(search, func, at_end ? pass + 1 : pass);
}

void bw_frozen_words(const struct bw_session *session, const struct bw_frozen *frozen, struct bw_text *out)
{
	const char *unit = session->options.model->said;
	bw_text_printf(out, "cost %.4g %s of %.4g in all", frozen->cost, unit, frozen->total);
	if (frozen->other > 0)
		bw_text_printf(out, ", elsewhere at best %.4g", frozen->other);
	else if (bw_settings_freezing(&session->options) == BW_FREEZING_PROBED)
		bw_text_puts(out, ", nowhere else at all");
}

void bw_polish_words(const struct bw_session *session, const struct bw_polish *polish, struct bw_text *out)
{
	const char *unit = session->options.model->said;
	if (polish->overridden)
		bw_text_puts(out, "the best schedule without the newest override, overridden; ");
	/* The polished state comes before the state from which it was made. */
	if (polish->from)
		bw_text_printf(out, "from state %d, whose blocks have another size; ", polish->from + 2);
	const char *end = polish->cut ? "ended early, since the pipeline is long" : "no other single change lowers its cost";
	if (!polish->n) {
		bw_text_printf(out, "polished: %s", polish->cut ? end : "no single change lowers its cost");
		return;
	}
	double before = polish->steps[0].before, after = polish->steps[polish->n - 1].after;
	bw_text_printf(
	    out, "polished by %d change%s, %#.4g to %#.4g %s (%s): %s", polish->n,
	    polish->n == 1 ? "" : "s", before, after, unit, bw_change_of(session->options.model, before, after).text, end);
}

