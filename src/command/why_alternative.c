/* `why` in the views `override` and `tile`: the change by the selected alternative, or the rule that
 * forbids it. */
#include <math.h>
#include <string.h>

#include "command/commands.h"
#include "figures/change.h"
#include "session/alternatives.h"
#include "session/comparison.h"
#include "session/decisions.h"

/* Appends how the cost of a Func differs, and the terms by which it does, the unit behind each. Differences
 * below a thousandth of the state's cost are left out. */
static void why_func(const struct bw_session *session, const struct bw_cost costs[2], int func,
		     struct bw_text *out)
{
	const struct bw_cost_model *model = session->options.model;
	double terms[2][BW_MOST_TERMS], sums[2] = {0}, least = costs[0].total / 1000;
	for (int side = 0; side < 2; side++) {
		bw_cost_terms(session->pipeline, &costs[side], func, terms[side]);
		for (int t = 0; t < BW_MOST_TERMS; t++)
			sums[side] += terms[side][t];
	}
	if (fabs(sums[1] - sums[0]) < least)
		return;
	bw_text_printf(out, "  %s %.3g -> %.3g %s:", session->pipeline->funcs[func].name, sums[0], sums[1],
		       model->said);
	for (int t = 0, n = 0; t < BW_MOST_TERMS; t++)
		if (fabs(terms[1][t] - terms[0][t]) >= least)
			bw_text_printf(out, "%s %s %+.2g%s%s", n++ ? "," : "", model->terms[t].name,
				       terms[1][t] - terms[0][t], *model->unit ? " " : "", model->unit);
	bw_text_puts(out, "\n");
}

static void why_costs(struct bw_session *session, const struct bw_alternative *alternative,
		      struct bw_text *out)
{
	struct bw_arena *arena = bw_arena_new();
	const struct bw_alternative *taken;
	struct bw_nest *nest = bw_session_alternative_nest(session, &taken);
	struct bw_cost costs[2] = {*bw_session_cost(session), bw_session_cost_of(session, nest, arena)};
	bw_text_printf(out, "  the whole would cost %.4g %s in place of %.4g (%s)\n", alternative->cost,
		       session->options.model->said, costs[0].total,
		       bw_change_of(session->options.model, costs[0].total, alternative->cost).text);
	for (int f = 0; f < session->pipeline->n_funcs; f++)
		why_func(session, costs, f, out);
	if (alternative->reason)
		bw_text_printf(out, "  the search itself prunes it by %s\n", alternative->reason);
	bw_nest_drop(nest);
	bw_arena_free(arena);
}

bool bw_why_alternative(struct bw_session *session, struct bw_text *out)
{
	int n, chosen = session->selection.alternative;
	bool shown = !strcmp(session->view, "override") || !strcmp(session->view, "tile");
	const struct bw_alternative *list = shown && chosen > 0 ? bw_session_alternatives(session, &n) : NULL;
	if (!list || chosen >= n)
		return false;
	while (!list[chosen].known && bw_alternatives_pending(session))
		bw_alternatives_price(session);
	const struct bw_alternative *alternative = &list[chosen];
	if (alternative->cost > 0)
		bw_placement_words(session->pipeline, alternative->placement, out);
	else
		bw_text_printf(out, "%s %s %s", session->pipeline->funcs[session->selection.func].name,
			       bw_override_name(alternative->override), alternative->value);
	bw_text_puts(out, " in place of ");
	bw_placement_words(session->pipeline, list[0].placement, out);
	bw_text_puts(out, ", all else as it is\n");
	if (alternative->cost > 0)
		why_costs(session, alternative, out);
	else
		bw_text_printf(out, "  cannot be: %s\n",
			       alternative->reason ? alternative->reason : "it is not legal here");
	return true;
}
