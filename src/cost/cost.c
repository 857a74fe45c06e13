#include "cost/cost.h"

#include <string.h>

static const struct bw_cost_model *const models[] = {&bw_roofline};

const struct bw_cost_model *bw_cost_model_find(const char *name)
{
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

const char *bw_cost_model_names(void)
{
	return "roofline";
}

/* Where the costs of a kernel's stages go. */
struct spreading {
	const struct bw_stage_cost *from;
	struct bw_stage_cost *stages;
};

static void spread(const struct bw_context *context, int func, int stage, int number, void *data)
{
	struct spreading *spreading = data;
	spreading->stages[context->pipeline->funcs[func].first_stage + stage] = spreading->from[number];
}

struct bw_cost bw_cost_of(const struct bw_cost_model *model, const struct bw_nest *nest, const struct bw_device *device, struct bw_arena *arena)
{
	struct bw_cost cost = {.n = nest->pipeline->n_stages};
	cost.stages = BW_ARENA_ARRAY(arena, struct bw_stage_cost, cost.n);
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		for (int s = 0; placed && placed->placement->compute.kind == BW_SITE_ROOT && s < placed->placement->n_stages; s++) {
			struct bw_context context = bw_context_of(nest, f, s, arena);
			struct bw_stage_cost *stages = BW_ARENA_ARRAY(arena, struct bw_stage_cost, bw_context_stages(&context));
			model->cost(&context, device, arena, stages);
			bw_context_each_stage(&context, spread, &(struct spreading){stages, cost.stages});
		}
	}
	for (int i = 0; i < cost.n; i++)
		cost.total += cost.stages[i].ms;
	return cost;
}

double bw_cost_total(const double *ms, int n)
{
	double total = 0;
	for (int i = 0; i < n; i++)
		total += ms[i];
	return total;
}

const char *bw_term_name(enum bw_term term)
{
	static const char *const names[] = {
#define X(name, words, key, text) words,
		BW_TERM_TABLE(X)
#undef X
	};
	return names[term];
}

const char *bw_term_key(enum bw_term term)
{
	static const char *const keys[] = {
#define X(name, words, key, text) key,
		BW_TERM_TABLE(X)
#undef X
	};
	return keys[term];
}
