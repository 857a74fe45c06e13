#include "cost/models.h"

#include <string.h>

#include "cost/cs6120.h"
#include "cost/jangda.h"
#include "cost/sioutas.h"

static const struct bw_cost_model *const models[] = {&bw_roofline, &bw_latency_model, &bw_sioutas_model,
						    &bw_jangda_model, &bw_cs6120_model};

const struct bw_cost_model *const *bw_cost_models(int *n)
{
	*n = sizeof models / sizeof *models;
	return models;
}

const struct bw_cost_model *bw_cost_models_find(const char *name)
{
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if (!strcmp(name, models[i]->name))
			return models[i];
	return NULL;
}

int bw_cost_refused(const struct bw_cost_model *model, const struct bw_cost *cost)
{
	int n = 0;
	for (int t = 0; t < model->n_terms; t++)
		for (int s = 0; s < cost->n && model->terms[t].refuses; s++)
			n += cost->stages[s].terms[t] > 0;
	return n;
}
