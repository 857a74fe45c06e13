/* The cost models that need no weights. */
#pragma once
#include "cost/latency.h"

/* Returns all of them, the roofline first, and sets *n to their number. */
const struct bw_cost_model *const *bw_cost_models(int *n);
/* The model that predicts where no other is asked for: the one that orders measured schedules best. */
#define BW_DEFAULT_MODEL (&bw_latency_model)
/* Returns the one of this name, or NULL. */
const struct bw_cost_model *bw_cost_models_find(const char *name);
/* Returns the number of stages in whose kernels the model's rules refuse something, so that their cost is not
 * one of its own. */
int bw_cost_refused(const struct bw_cost_model *model, const struct bw_cost *cost);
