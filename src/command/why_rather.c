/* Why one option and not another: the fates of both, and the terms in which their costs differ. */
#include <math.h>
#include <stdlib.h>

#include "command/commands.h"
#include "figures/change.h"
#include "session/comparison.h"
#include "session/decisions.h"

/* What became of an option, in a line: `A3  at output.block 1x4: kept, 5th; 0.0517 ms`. */
static void say_fate(struct bw_session *session, const struct bw_option *option, double cost,
		     struct bw_text *out)
{
	bw_why_name(session, option, out);
	bw_text_puts(out, bw_fate_name(option->fate));
	if (option->rank >= 0)
		bw_text_printf(out, ", %d of the children cost less", option->rank);
	if (option->rule != BW_RULE_NONE)
		bw_text_printf(out, " (%s: %s)", bw_rule_name(option->rule), option->reason);
	if (cost > 0)
		bw_text_printf(out, "; %.4g %s so far", cost, session->options.model->said);
	bw_text_puts(out, "\n");
}

void bw_why_rather(struct bw_session *session, const struct bw_option *option, const struct bw_option *other,
		   struct bw_text *out)
{
	const struct bw_option *options[] = {option, other};
	struct bw_arena *arena = bw_arena_new();
	double terms[2][BW_MOST_TERMS], totals[2] = {0};
	const char *unit = session->options.model->said;
	for (int i = 0; i < 2; i++) {
		struct bw_cost cost = options[i]->nest
					  ? bw_session_cost_of(session, options[i]->nest, arena)
					  : (struct bw_cost){0};
		totals[i] = cost.total;
		if (options[i]->nest)
			bw_cost_terms(session->pipeline, &cost, -1, terms[i]);
	}
	bool both = totals[0] > 0 && totals[1] > 0;
	if (both)
		bw_text_printf(out, "%.4g against %.4g %s, %s:\n", totals[0], totals[1], unit,
			       bw_change_of(session->options.model, totals[1], totals[0]).text);
	else
		bw_text_puts(out, "they cannot be compared: one of them cannot be\n");
	for (int i = 0; i < 2; i++) {
		bw_text_puts(out, "  ");
		say_fate(session, options[i], totals[i], out);
	}
	for (int t = 0; both && t < BW_MOST_TERMS; t++)
		if (fabs(terms[0][t] - terms[1][t]) > 1e-9 * totals[0])
			bw_text_printf(out, "  %-13s %.4g against %.4g, %+.3g\n",
				       session->options.model->terms[t].name, terms[0][t], terms[1][t],
				       terms[0][t] - terms[1][t]);
	bw_arena_free(arena);
}
