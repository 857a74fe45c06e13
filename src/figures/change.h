/* The difference between two costs, in words. A tie by the model (bw_cost_ties) is marked with `~`. The
 * model is NULL for costs of parts of schedules, and for times: these have no ties. */
#pragma once
#include "cost/cost.h"

struct bw_change {
	char text[24];
};
/* Returns the change from `before` to `after`, both above 0: `+22.1%`, `~-3.0%`, from ten times as much on
 * `13x`, and `0.0%` without a sign if the figures agree to that. */
struct bw_change bw_change_of(const struct bw_cost_model *model, double before, double after);
/* Returns how much more a cost is than the best one: `~+2%`, or empty for the best. */
struct bw_change bw_excess_of(const struct bw_cost_model *model, double cost, double best);
