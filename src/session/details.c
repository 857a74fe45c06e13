#include "session/details.h"

#include <stdlib.h>

#include "session/core.h"
#include "session/decisions.h"

/* The details shown, with the nest, options and arena behind them. */
struct detailing {
	struct bw_details shown;
	struct bw_nest *nest; /* its own reference */
	struct bw_settings options;
	struct bw_arena *arena;
};

/* Returns the place of the part's data, NULL in it if there are none. */
static struct detailing **place_in(const struct bw_session *session)
{
	return bw_part_data(session, BW_PART_DETAILS);
}

static void end(struct bw_session *session)
{
	struct detailing *detailing = *place_in(session);
	if (!detailing)
		return;
	bw_nest_drop(detailing->nest);
	bw_arena_free(detailing->arena);
	free(detailing);
	*place_in(session) = NULL;
}

bool bw_details_of(const struct bw_nest *nest, int func)
{
	const struct bw_func *about = &nest->pipeline->funcs[func];
	return nest->placed[func] && !about->input && !bw_func_wraps_input(nest->pipeline, about);
}

static const struct bw_learned_cost *learned_costs(const struct bw_learned *learned,
						   const struct bw_nest *nest,
						   const struct bw_features *features, double sms,
						   struct bw_arena *arena)
{
	struct bw_learned_cost *costs = BW_ARENA_ARRAY(arena, struct bw_learned_cost, nest->pipeline->n_stages + 1);
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_func *func = &nest->pipeline->funcs[f];
		for (int s = func->first_stage; bw_details_of(nest, f) && s < func->first_stage + func->n_stages; s++)
			bw_learned_stage(learned, &features[s], sms, &costs[s]);
	}
	return costs;
}

const struct bw_learned_cost *bw_session_learned(const struct bw_session *session, const struct bw_nest *nest,
						 struct bw_arena *arena)
{
	const struct bw_device *device = bw_session_device(session);
	struct bw_feature_limits limits = bw_feature_limits_of(device);
	return learned_costs(session->options.weights->learned, nest, bw_nest_features(nest, &limits, arena),
			     device->sms, arena);
}

static struct bw_details details_of(const struct bw_session *session, const struct bw_nest *nest,
				    struct bw_arena *arena)
{
	const struct bw_device *device = bw_session_device(session);
	const struct bw_cost_model *weights = session->options.weights;
	struct bw_feature_limits limits = bw_feature_limits_of(device);
	struct bw_details details = {.features = bw_nest_features(nest, &limits, arena)};
	if (weights)
		details.learned = learned_costs(weights->learned, nest, details.features, device->sms, arena);
	details.roofline = bw_cost_of(&bw_roofline, nest, device, arena);
	return details;
}

const struct bw_details *bw_session_details(const struct bw_session *session)
{
	struct bw_nest *nest = bw_session_state(session)->nest;
	struct detailing *detailing = *place_in(session);
	if (detailing && detailing->nest == nest && bw_settings_alike(&detailing->options, &session->options))
		return &detailing->shown;
	end((struct bw_session *)session);
	detailing = (*place_in(session)) = BW_NEW(struct detailing);
	*detailing = (struct detailing){
	    .nest = bw_nest_keep(nest), .options = session->options, .arena = bw_arena_new()};
	detailing->shown = details_of(session, nest, detailing->arena);
	return &detailing->shown;
}

void bw_weights_words(const struct bw_learned *learned, struct bw_text *out)
{
	const struct bw_weights_origin *origin = &learned->weights.origin;
	bw_text_puts(out, learned->title);
	if (origin->known)
		bw_text_printf(out, "; trained on %lld schedules of %lld pipelines, measured on %s%s",
			       (long long)origin->samples, (long long)origin->pipelines, origin->device,
			       origin->cpu ? " (cpu)" : "");
	else
		bw_text_puts(out, "; the file does not say which device they were trained on");
}

const struct bw_session_part bw_part_details = {
    .size = sizeof(struct detailing *),
    .free = end,
};
