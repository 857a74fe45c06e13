#include "cost/learned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct bw_term_text bw_learned_terms[BW_N_COMPONENTS] = {
#define X(name, words, key, coefficient, equation, factor, meaning) \
	{words, key, meaning, false, BW_SPENT_ON_STAGE},
	BW_COMPONENT_TABLE(X)
#undef X
};

void bw_learned_stage(const struct bw_learned *learned, const struct bw_features *features, double sms,
		      struct bw_learned_cost *cost)
{
	struct bw_embedding embedding;
	bw_network_embed(&learned->network, features->pipeline, &embedding);
	bw_network_cost(&learned->network, &embedding, features->schedule, sms, cost);
}

/* Sets the figures that the roofline also has from the features. */
static void set_figures(const float *features, double sms, struct bw_stage_cost *stage)
{
#define F(name) ((double)features[BW_FEATURE_##name])
	double tasks = F(inner_parallelism) * F(outer_parallelism), per_sm = tasks / sms;
	stage->points = F(points_computed_total);
	stage->recompute =
	    F(points_computed_minimum) > 0 ? F(points_computed_total) / F(points_computed_minimum) : 0;
	stage->global_load_efficiency = F(global_mem_load_efficiency);
	stage->global_store_efficiency = F(global_mem_store_efficiency);
	stage->occupancy = F(max_warp_occupancy);
	stage->busy_sms = per_sm > 0 ? per_sm / ceil(per_sm) : 0;
	stage->busy_lanes = F(warp_lane_utilization);
	stage->inlined_calls = F(inlined_calls);
#undef F
}

static void set_stage(const struct bw_learned_cost *cost, struct bw_stage_cost *stage)
{
	stage->ms = cost->cost;
	memcpy(stage->terms, cost->terms, sizeof cost->terms);
	for (int t = 1; t < BW_N_COMPONENTS; t++)
		if (stage->terms[t] > stage->terms[stage->bound])
			stage->bound = t;
}

static void cost_whole(const struct bw_cost_model *model, const struct bw_nest *nest,
		       const struct bw_device *device, struct bw_arena *arena, struct bw_stage_cost *stages)
{
	struct bw_feature_limits limits = bw_feature_limits_of(device);
	const struct bw_features *features = bw_nest_features(nest, &limits, arena);
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_func *func = &nest->pipeline->funcs[f];
		if (!nest->placed[f] || func->input || bw_func_wraps_input(nest->pipeline, func))
			continue;
		for (int s = func->first_stage; s < func->first_stage + func->n_stages; s++) {
			struct bw_learned_cost cost;
			if (func->stages[s - func->first_stage].undefined)
				continue;
			bw_learned_stage(model->learned, &features[s], device->sms, &cost);
			set_stage(&cost, &stages[s]);
			stages[s].placed = nest->placed[f]->placement->compute.kind != BW_SITE_INLINE;
			set_figures(features[s].schedule, device->sms, &stages[s]);
		}
	}
}

static char *title_of(const char *path, uint64_t hash)
{
	const char *slash = strrchr(path, '/');
	struct bw_text title = {0};
	bw_text_printf(&title, "%s %08llx", slash ? slash + 1 : path, (unsigned long long)(hash >> 32));
	return bw_text_take(&title);
}

static struct bw_learned *learned_of(const char *path, const struct bw_weights *weights)
{
	struct bw_learned *learned = BW_NEW(struct bw_learned);
	struct bw_parameters *parameters = BW_NEW(struct bw_parameters);
	learned->weights = *weights;
	bw_parameters_of(weights, parameters);
	bw_network_prepare(&learned->network, parameters);
	free(parameters);
	learned->path = bw_strdup(path);
	learned->title = title_of(path, bw_weights_hash(weights));
	learned->model = (struct bw_cost_model){.name = BW_LEARNED_NAME,
						.title = learned->title,
						.unit = "",
						.said = "cost",
						.n_terms = BW_N_COMPONENTS,
						.terms = bw_learned_terms,
						.hash = bw_weights_hash(weights),
						.whole = cost_whole,
						.learned = learned};
	return learned;
}

const struct bw_cost_model *bw_models_add(struct bw_models *models, const char *name,
					  const struct bw_weights *weights)
{
	struct bw_learned *learned = learned_of(name, weights);
	BW_GROW(models->list, models->n, models->capacity);
	models->list[models->n++] = learned;
	return &learned->model;
}

const struct bw_cost_model *bw_models_read(struct bw_models *models, const char *path, struct bw_error *error)
{
	struct bw_weights *weights = BW_NEW(struct bw_weights);
	const struct bw_cost_model *model = NULL;
	bool good = bw_weights_read(path, weights, error);
	for (int i = 0; i < models->n && good && !model; i++)
		if (!strcmp(models->list[i]->path, path) && models->list[i]->model.hash == bw_weights_hash(weights))
			model = &models->list[i]->model;
	if (good && !model)
		model = bw_models_add(models, path, weights);
	free(weights);
	return model;
}

void bw_models_free(struct bw_models *models)
{
	for (int i = 0; i < models->n; i++) {
		free(models->list[i]->path);
		free(models->list[i]->title);
		free(models->list[i]);
	}
	free(models->list);
	*models = (struct bw_models){0};
}
