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
};

struct bw_learned_basis *bw_learned_basis_new(const struct bw_pipeline *pipeline, const struct bw_learned *learned, const struct bw_device *device)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_learned_basis *basis = BW_ARENA_NEW(arena, struct bw_learned_basis);
	*basis = (struct bw_learned_basis){.arena = arena, .learned = learned, .limits = bw_feature_limits_of(device), .sms = device->sms, .features = bw_feature_basis_new(pipeline, arena)};
	basis->embeddings = BW_ARENA_ARRAY(arena, struct bw_embedding, pipeline->n_stages + 1);
	for (int f = 0; f < pipeline->n_funcs; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages && !pipeline->funcs[f].input; s++) {
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

struct bw_kernel_features bw_learned_kernel_features(const struct bw_learned_basis *basis, const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
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
	return sizeof(struct bw_learned_kernel) + own * sizeof(struct bw_learned_part) + inlined * sizeof(struct bw_kernel_part);
}

static void begin(const struct bw_learned_basis *basis, const double *features, struct bw_begun *begun)
{
	float rounded[BW_SCHEDULE_FEATURES];
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++)
		rounded[i] = bw_feature_float(features[i]);
	bw_network_begin(&basis->learned->network, rounded, basis->sms, begun);
}

void bw_learned_kernel_fill(const struct bw_learned_basis *basis, const struct bw_kernel_features *features, struct bw_learned_kernel *kernel)
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

static bool parts_equal(const struct bw_learned_part *a, const struct bw_learned_part *b)
{
	return a->stage == b->stage && a->launched == b->launched && a->kept == b->kept && !memcmp(&a->begun, &b->begun, sizeof a->begun);
}

bool bw_learned_kernel_equal(const struct bw_learned_kernel *a, const struct bw_learned_kernel *b)
{
	bool equal = a->n_parts == b->n_parts && a->n_inlined == b->n_inlined && !memcmp(&a->working_set, &b->working_set, sizeof a->working_set);
	for (int i = 0; equal && i < a->n_parts; i++)
		equal = parts_equal(&a->parts[i], &b->parts[i]);
	for (int i = 0; equal && i < a->n_inlined; i++)
		equal = a->inlined[i].stage == b->inlined[i].stage && !memcmp(a->inlined[i].features, b->inlined[i].features, sizeof a->inlined[i].features);
	return equal;
}

/* What was found for a kernel, or for an inlined stage; whole: log(1 + bytes) of what the schedule allocates, for which the costs hold. */
struct last_kernel {
	bool known;
	double whole;
	int capacity;
	double *costs; /* by part */
};

struct last_inlined {
	bool known;
	double features[BW_SCHEDULE_FEATURES]; /* to which all kernels have added */
	struct bw_begun begun;
	double whole, cost;
};

struct bw_learned_last {
	int n_stages;
	struct last_kernel *kernels;   /* by number */
	struct last_inlined **inlined; /* by stage; NULL: it was never inlined */
};

struct bw_learned_last *bw_learned_last_new(const struct bw_pipeline *pipeline)
{
	struct bw_learned_last *last = BW_NEW(struct bw_learned_last);
	last->n_stages = pipeline->n_stages;
	last->kernels = BW_NEW_ARRAY(struct last_kernel, pipeline->n_stages);
	last->inlined = BW_NEW_ARRAY(struct last_inlined *, pipeline->n_stages);
	return last;
}

void bw_learned_last_free(struct bw_learned_last *last)
{
	for (int i = 0; last && i < last->n_stages; i++) {
		free(last->kernels[i].costs);
		free(last->inlined[i]);
	}
	if (last) {
		free(last->kernels);
		free(last->inlined);
	}
	free(last);
}

static bool same_bits(double a, double b)
{
	return !memcmp(&a, &b, sizeof a);
}

/* The costs of a nest as they come together from its kernels. */
struct costing {
	const struct bw_learned_basis *basis;
	const struct bw_pipeline *pipeline;
	const struct bw_learned_kernel *const *kernels;
	const bool *same;
	struct bw_learned_last *last;
	double working_set, whole; /* of the schedule: bytes; log(1 + these) */
	double (**inlined)[BW_SCHEDULE_FEATURES]; /* by stage */
	double *costs;
};

static const struct bw_learned_kernel *kernel_of(const struct costing *costing, int func, int stage)
{
	return costing->kernels[costing->pipeline->funcs[func].first_stage + stage];
}

static void add_working_set(void *data, int func, int stage)
{
	struct costing *costing = data;
	costing->working_set += kernel_of(costing, func, stage)->working_set;
}

static double finish(const struct costing *costing, int stage, const struct bw_begun *begun, bool launched, bool kept)
{
	double whole[BW_NET_WHOLE] = {launched ? costing->whole : begun->whole[0], kept ? costing->whole : begun->whole[1], costing->whole};
	struct bw_learned_cost cost;
	bw_network_finish(&costing->basis->learned->network, &costing->basis->embeddings[stage], begun, whole, &cost);
	return cost.cost;
}

static void cost_parts(const struct costing *costing, const struct bw_learned_kernel *kernel, struct last_kernel *last)
{
	if (last->capacity < kernel->n_parts) {
		last->costs = bw_resize_array(last->costs, (size_t)kernel->n_parts, sizeof *last->costs);
		last->capacity = kernel->n_parts;
	}
	for (int i = 0; i < kernel->n_parts; i++) {
		const struct bw_learned_part *part = &kernel->parts[i];
		last->costs[i] = finish(costing, part->stage, &part->begun, part->launched, part->kept);
	}
	last->whole = costing->whole;
	last->known = true;
}

static void add_kernel(void *data, int func, int stage)
{
	struct costing *costing = data;
	int number = costing->pipeline->funcs[func].first_stage + stage;
	const struct bw_learned_kernel *kernel = costing->kernels[number];
	struct last_kernel *last = &costing->last->kernels[number];
	if (!last->known || !costing->same[number] || !same_bits(last->whole, costing->whole))
		cost_parts(costing, kernel, last);
	for (int i = 0; i < kernel->n_parts; i++)
		costing->costs[kernel->parts[i].stage] = last->costs[i];
	for (int i = 0; i < kernel->n_inlined; i++)
		bw_inlined_add(&kernel->inlined[i], *costing->inlined[kernel->inlined[i].stage]);
}

static bool is_inlined(const struct bw_nest *nest, const struct bw_func *func, int f)
{
	return nest->placed[f] && nest->placed[f]->placement->compute.kind == BW_SITE_INLINE && !bw_func_wraps_input(nest->pipeline, func);
}

static double cost_inlined(const struct costing *costing, int stage)
{
	struct last_inlined *last = costing->last->inlined[stage];
	const double *features = *costing->inlined[stage];
	if (!last)
		last = costing->last->inlined[stage] = BW_NEW(struct last_inlined);
	bool begun = last->known && !memcmp(last->features, features, sizeof last->features);
	if (begun && same_bits(last->whole, costing->whole))
		return last->cost;
	if (!begun) {
		memcpy(last->features, features, sizeof last->features);
		begin(costing->basis, features, &last->begun);
	}
	last->known = true;
	last->whole = costing->whole;
	last->cost = finish(costing, stage, &last->begun, false, false);
	return last->cost;
}

void bw_learned_costs(const struct bw_learned_basis *basis, const struct bw_nest *nest, const struct bw_learned_kernel *const *kernels, const bool *same, struct bw_learned_last *last,
		      struct bw_arena *arena, double *costs)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	struct costing costing = {.basis = basis, .pipeline = pipeline, .kernels = kernels, .same = same, .last = last, .costs = costs};
	costing.inlined = bw_arena_array(arena, (size_t)pipeline->n_stages + 1, sizeof *costing.inlined);
	for (int i = 0; i < pipeline->n_stages; i++)
		costs[i] = 0;
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (is_inlined(nest, &pipeline->funcs[f], f)) {
			int stage = pipeline->funcs[f].first_stage;
			costing.inlined[stage] = bw_arena_array(arena, 1, sizeof *costing.inlined[stage]);
			bw_inlined_begin(basis->features, stage, &basis->limits, *costing.inlined[stage]);
		}
	bw_feature_each_kernel(basis->features, nest, add_working_set, &costing);
	float bytes = bw_feature_float(costing.working_set);
	bw_curve_log1p(&bytes, 1, &costing.whole);
	bw_feature_each_kernel(basis->features, nest, add_kernel, &costing);
	for (int i = 0; i < pipeline->n_stages; i++)
		if (costing.inlined[i])
			costs[i] = cost_inlined(&costing, i);
}
