/* The learned cost model: kernels by their features, and the terms of their stages. */
#include "cost/learned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The terms of all learned models: the components of appendix B. */
static const struct bw_term_text learned_terms[BW_N_COMPONENTS] = {
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
	return bw_format("%s %08llx", slash ? slash + 1 : path, (unsigned long long)(hash >> 32));
}

static struct bw_learned *learned_of(const char *path, const struct bw_weights *weights)
{
	struct bw_learned *learned = BW_NEW(struct bw_learned);
	BW_SCOPED_MEMORY struct bw_parameters *parameters = BW_NEW(struct bw_parameters);
	learned->weights = *weights;
	bw_parameters_of(weights, parameters);
	bw_network_prepare(&learned->network, parameters);
	learned->path = bw_strdup(path);
	learned->title = title_of(path, bw_weights_hash(weights));
	learned->model = (struct bw_cost_model){.name = BW_LEARNED_NAME,
						.title = learned->title,
						.unit = "",
						.said = "cost",
						.n_terms = BW_N_COMPONENTS,
						.terms = learned_terms,
						.hash = bw_weights_hash(weights),
						.whole = cost_whole,
						.learned = learned};
	return learned;
}

const struct bw_cost_model *bw_models_add(struct bw_models *models, const char *name,
					  const struct bw_weights *weights)
{
	struct bw_learned *learned = learned_of(name, weights);
	BW_PUSH(models->list, models->n, models->capacity, learned);
	return &learned->model;
}

const struct bw_cost_model *bw_models_read(struct bw_models *models, const char *path, struct bw_error *error)
{
	BW_SCOPED_MEMORY struct bw_weights *weights = BW_NEW(struct bw_weights);
	const struct bw_cost_model *model = NULL;
	bool good = bw_weights_read(path, weights, error);
	for (int i = 0; i < models->n && good && !model; i++)
		if (!strcmp(models->list[i]->path, path) && models->list[i]->model.hash == bw_weights_hash(weights))
			model = &models->list[i]->model;
	if (good && !model)
		model = bw_models_add(models, path, weights);
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

struct bw_learned_basis {
	struct bw_arena *arena;
	const struct bw_learned *learned;
	struct bw_feature_limits limits;
	double sms;
	const struct bw_feature_basis *features;
	struct bw_embedding *embeddings; /* by stage */
	bool *undefined;		 /* by stage: it costs nothing */
};

struct bw_learned_basis *bw_learned_basis_new(const struct bw_pipeline *pipeline,
					      const struct bw_learned *learned,
					      const struct bw_device *device)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_learned_basis *basis = BW_ARENA_NEW(arena, struct bw_learned_basis);
	*basis = (struct bw_learned_basis){.arena = arena,
					   .learned = learned,
					   .limits = bw_feature_limits_of(device),
					   .sms = device->sms,
					   .features = bw_feature_basis_new(pipeline, arena)};
	basis->embeddings = BW_ARENA_ARRAY(arena, struct bw_embedding, pipeline->n_stages + 1);
	basis->undefined = BW_ARENA_ARRAY(arena, bool, pipeline->n_stages + 1);
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages && !pipeline->funcs[f].input; s++) {
			basis->undefined[pipeline->funcs[f].first_stage + s] = pipeline->funcs[f].stages[s].undefined;
			float features[BW_PIPELINE_FEATURES];
			bw_pipeline_features(pipeline, f, s, features);
			bw_network_embed(&learned->network, features, &basis->embeddings[pipeline->funcs[f].first_stage + s]);
		}
	return basis;
}

void bw_learned_basis_free(struct bw_learned_basis *basis)
{
	if (basis)
		bw_arena_free(basis->arena);
}

const struct bw_feature_basis *bw_learned_features(const struct bw_learned_basis *basis)
{
	return basis->features;
}

struct bw_kernel_features bw_learned_kernel_features(const struct bw_learned_basis *basis,
						     const struct bw_nest *nest, int func, int stage,
						     struct bw_arena *arena)
{
	return bw_kernel_features_of(basis->features, nest, func, stage, &basis->limits, arena);
}

static int count_inlined(const struct bw_kernel_features *features)
{
	int n = 0;
	for (int i = 0; i < features->n; i++)
		n += features->parts[i].inlined;
	return n;
}

size_t bw_learned_kernel_bytes(const struct bw_kernel_features *features)
{
	size_t inlined = (size_t)count_inlined(features), own = (size_t)features->n - inlined;
	return sizeof(struct bw_learned_kernel) + own * sizeof(struct bw_learned_part) +
	       inlined * sizeof(struct bw_kernel_part);
}

static void begin(const struct bw_learned_basis *basis, const double *features, struct bw_begun *begun)
{
	float rounded[BW_SCHEDULE_FEATURES];
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++)
		rounded[i] = bw_feature_float(features[i]);
	bw_network_begin(&basis->learned->network, rounded, basis->sms, begun);
}

void bw_learned_kernel_fill(const struct bw_learned_basis *basis, const struct bw_kernel_features *features,
			    struct bw_learned_kernel *kernel)
{
	*kernel = (struct bw_learned_kernel){.working_set = features->working_set};
	kernel->parts = (struct bw_learned_part *)(void *)kernel->rest;
	kernel->inlined = (struct bw_kernel_part *)(void *)(kernel->parts + (features->n - count_inlined(features)));
	for (int i = 0; i < features->n; i++) {
		const struct bw_kernel_part *from = &features->parts[i];
		if (from->inlined) {
			kernel->inlined[kernel->n_inlined++] = *from;
			continue;
		}
		struct bw_learned_part *part = &kernel->parts[kernel->n_parts++];
		part->stage = from->stage;
		part->launched = from->launched;
		part->kept = from->kept;
		begin(basis, from->features, &part->begun);
	}
}

double bw_learned_whole(const struct bw_learned_kernel *const *kernels, int n)
{
	double bytes = 0, whole;
	for (int i = 0; i < n; i++)
		bytes += kernels[i]->working_set;
	float rounded = bw_feature_float(bytes);
	bw_curve_log1p(&rounded, 1, &whole);
	return whole;
}

static double finish(const struct bw_learned_basis *basis, int stage, const struct bw_begun *begun,
		     const double whole[BW_NET_WHOLE])
{
	struct bw_learned_cost cost;
	if (basis->undefined[stage])
		return 0;
	bw_network_finish(&basis->learned->network, &basis->embeddings[stage], begun, whole, &cost);
	return cost.cost;
}

void bw_learned_part_costs(const struct bw_learned_basis *basis, const struct bw_learned_kernel *kernel,
			   double whole, double *costs)
{
	for (int i = 0; i < kernel->n_parts; i++) {
		const struct bw_learned_part *part = &kernel->parts[i];
		double of_part[BW_NET_WHOLE] = {part->launched ? whole : part->begun.whole[0],
						part->kept ? whole : part->begun.whole[1], whole};
		costs[part->stage] = finish(basis, part->stage, &part->begun, of_part);
	}
}

bool bw_learned_inlines(const struct bw_nest *nest, int func)
{
	return bw_is_inlined(nest, func) &&
	       !bw_func_wraps_input(nest->pipeline, &nest->pipeline->funcs[func]);
}

void bw_learned_inlined_features(const struct bw_learned_basis *basis, int stage,
				 const struct bw_learned_kernel *const *kernels, int n,
				 double features[BW_SCHEDULE_FEATURES])
{
	bw_inlined_begin(basis->features, stage, &basis->limits, features);
	for (int k = 0; k < n; k++)
		for (int i = 0; i < kernels[k]->n_inlined; i++)
			if (kernels[k]->inlined[i].stage == stage)
				bw_inlined_add(&kernels[k]->inlined[i], features);
}

double bw_learned_inlined_cost(const struct bw_learned_basis *basis, int stage,
			       const double features[BW_SCHEDULE_FEATURES], double whole)
{
	struct bw_begun begun;
	begin(basis, features, &begun);
	return finish(basis, stage, &begun, (const double[BW_NET_WHOLE]){begun.whole[0], begun.whole[1], whole});
}
