#include "figures/change.h"

#include <math.h>
#include <stdio.h>

enum { MANY = 10, MOST_DIGITS = 1000000 };

static const char *mark_of(const struct bw_cost_model *model, double before, double after)
{
	return model && bw_cost_ties(model, before, after) ? "~" : "";
}

struct bw_change bw_change_of(const struct bw_cost_model *model, double before, double after)
{
	struct bw_change change;
	double factor = after / before, percent = 100 * (factor - 1);
	const char *mark = mark_of(model, before, after);
	if (factor >= MANY)
		snprintf(change.text, sizeof change.text, factor < MOST_DIGITS ? "%s%.0fx" : "%s%.0ex", mark, factor);
	else if (fabs(percent) < 0.05)
		snprintf(change.text, sizeof change.text, "0.0%%");
	else
		snprintf(change.text, sizeof change.text, "%s%+.1f%%", mark, percent);
	return change;
}

struct bw_change bw_excess_of(const struct bw_cost_model *model, double cost, double best)
{
	struct bw_change change = {""};
	double excess = best > 0 ? cost / best - 1 : 0;
	const char *mark = mark_of(model, cost, best);
	/* The exact digits of a tie are meaningless. */
	int digits = excess < 0.0095 && !*mark;
	if (excess >= MANY)
		snprintf(change.text, sizeof change.text, "%s%.0fx", mark, cost / best);
	else if (excess >= 0.0005)
		snprintf(change.text, sizeof change.text, "%s+%.*f%%", mark, digits, 100 * excess);
	return change;
}
