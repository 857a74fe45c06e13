#include "cost/learned_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "cost/curves.h"

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
		costs[i] = finish(basis, part->stage, &part->begun, of_part);
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
