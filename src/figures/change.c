#include "figures/change.h"

#include <math.h>
#include <stdio.h>

struct bw_change bw_change_of(double before, double after)
{
	enum { MANY = 10, MOST_DIGITS = 1000000 };
	struct bw_change change;
	double factor = after / before, percent = 100 * (factor - 1);
	if (factor >= MOST_DIGITS)
		snprintf(change.text, sizeof change.text, "%.0ex", factor);
	else if (factor >= MANY)
		snprintf(change.text, sizeof change.text, "%.0fx", factor);
	else
		snprintf(change.text, sizeof change.text, fabs(percent) < 0.05 ? "%.1f%%" : "%+.1f%%",
			 fabs(percent) < 0.05 ? 0 : percent);
	return change;
}
