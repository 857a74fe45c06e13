#include "session/comparison.h"

#include "session/core.h"
#include "session/counters.h"

/* The comparison, and the data to recompute its costs for another device or model. */
struct comparing {
	struct bw_comparison shown;
	struct bw_arena *arena;
	uint64_t generation;                      /* generation of the session for which the costs hold; 0:
						     none */
	const struct bw_learned_cost *learned[2]; /* NULL: not requested yet */
	const struct bw_code *codes[2];           /* the codes whose difference was computed; NULL: none */
	struct bw_code_diff diff;
	struct bw_arena *diff_arena;
};

/* Returns the address of the pointer to the part's data. The pointer is NULL if there are no data. */
static BW_PART_DATA(place_in, struct comparing *, COMPARISON)

static void end(struct bw_session *session)
{
	struct comparing *comparing = *place_in(session);
	if (!comparing)
		return;
	for (int i = 0; i < 2; i++) {
		free((char *)comparing->shown.labels[i]);
		bw_nest_drop((struct bw_nest *)comparing->shown.nests[i]);
	}
	bw_arena_free(comparing->arena);
	bw_arena_free(comparing->diff_arena);
	free(comparing);
	*place_in(session) = NULL;
}

const struct bw_comparison *bw_session_comparison(const struct bw_session *session)
{
	struct comparing *comparing = *place_in(session);
	if (!comparing)
		return NULL;
	if (comparing->generation != session->generation) {
		bw_arena_reset(comparing->arena);
		comparing->learned[0] = comparing->learned[1] = NULL;
		for (int i = 0; i < 2; i++)
			comparing->shown.costs[i] =
			    !comparing->shown.nests[i]
				? (struct bw_cost){0}
				: bw_search_cost(session->search, comparing->shown.nests[i],
						 comparing->arena);
		comparing->generation = session->generation;
	}
	return &comparing->shown;
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

/* Returns the learned model's cost of each stage of a nest, by the session's weights, which must have been
 * read. Allocated in the arena. */
static const struct bw_learned_cost *learned_of(const struct bw_session *session, const struct bw_nest *nest,
						struct bw_arena *arena)
{
	const struct bw_device *device = bw_search_device(session->search);
	struct bw_feature_limits limits = bw_feature_limits_of(device);
	return learned_costs(session->options.weights->learned, nest, bw_nest_features(nest, &limits, arena),
			     device->sms, arena);
}

const struct bw_learned_cost *bw_comparison_learned(const struct bw_session *session, int side)
{
	const struct bw_comparison *comparison = bw_session_comparison(session);
	struct comparing *comparing = *place_in(session);
	if (comparison && comparison->nests[side] && session->options.model->learned && !comparing->learned[side])
		comparing->learned[side] = learned_of(session, comparison->nests[side], comparing->arena);
	return comparison ? comparing->learned[side] : NULL;
}

void bw_cost_terms(const struct bw_pipeline *pipeline, const struct bw_cost *cost, int func,
		   double terms[BW_MOST_TERMS])
{
	int first = func < 0 ? 0 : pipeline->funcs[func].first_stage,
	    n = func < 0 ? cost->n : pipeline->funcs[func].n_stages;
	memset(terms, 0, BW_MOST_TERMS * sizeof *terms);
	for (int s = first; s < first + n && cost->stages; s++)
		for (int t = 0; t < BW_MOST_TERMS; t++)
			terms[t] += cost->stages[s].terms[t];
}

const struct bw_placed *bw_comparison_placed(const struct bw_comparison *comparison, int side, int func)
{
	return comparison->nests[side] ? comparison->nests[side]->placed[func] : NULL;
}

const struct bw_timing *bw_comparison_code(const struct bw_session *session,
					   const struct bw_comparison *comparison, int side)
{
	const struct bw_nest *nest = comparison->nests[side];
	uint64_t hash = nest ? bw_nest_schedule_hash(nest) : bw_session_hand(session, false);
	return hash ? bw_session_code(session, hash, false) : NULL;
}

const struct bw_code_diff *bw_comparison_code_diff(const struct bw_session *session)
{
	struct comparing *comparing = *place_in(session);
	const struct bw_code *codes[2];
	for (int i = 0; i < 2; i++) {
		const struct bw_timing *timing = bw_comparison_code(session, &comparing->shown, i);
		if (!timing)
			return NULL;
		codes[i] = timing->code;
	}
	if (codes[0] != comparing->codes[0] || codes[1] != comparing->codes[1]) {
		bw_arena_reset(comparing->diff_arena);
		comparing->diff = bw_code_diff_of(codes[0], codes[1], comparing->diff_arena);
		memcpy(comparing->codes, codes, sizeof codes);
	}
	return &comparing->diff;
}

const struct bw_timing *bw_comparison_timing(const struct bw_session *session,
					     const struct bw_comparison *comparison, int side)
{
	bool hand = !strcmp(comparison->labels[side], BW_HAND);
	uint64_t hash = hand ? bw_session_hand(session, false) : bw_nest_schedule_hash(comparison->nests[side]);
	for (int i = session->n_timings - 1; i >= 0; i--) {
		const struct bw_timing *timing = &session->timings[i];
		if (timing->phase == BW_JOB_DONE && !timing->compiled && !timing->sampled && timing->schedule == hash)
			return timing;
	}
	return NULL;
}

bool bw_comparison_same(const struct bw_comparison *comparison, int func)
{
	const struct bw_placed *a = bw_comparison_placed(comparison, 0, func),
			       *b = bw_comparison_placed(comparison, 1, func);
	return a && b ? bw_placement_equal(a->placement, b->placement) : a == b;
}

void bw_comparison_set(struct bw_session *session, char *const labels[2],
		       const struct bw_nest *const nests[2], bool code)
{
	end(session);
	struct comparing *comparing = *place_in(session) = BW_NEW(struct comparing);
	comparing->arena = bw_arena_new();
	comparing->diff_arena = bw_arena_new();
	comparing->shown.code = code;
	for (int i = 0; i < 2; i++) {
		comparing->shown.labels[i] = labels[i];
		comparing->shown.nests[i] = nests[i];
	}
}

const struct bw_session_part bw_part_comparison = {
    .size = sizeof(struct comparing *),
    .free = end,
};

/* The details shown, with the nest, options and arena behind them. */
struct detailing {
	struct bw_details shown;
	struct bw_nest *nest; /* its own reference */
	struct bw_settings options;
	struct bw_arena *arena;
};

/* Returns the address of the pointer to the part's data. The pointer is NULL if there are no data. */
static BW_PART_DATA(details_in, struct detailing *, DETAILS)

static void end_details(struct bw_session *session)
{
	struct detailing *detailing = *details_in(session);
	if (!detailing)
		return;
	bw_nest_drop(detailing->nest);
	bw_arena_free(detailing->arena);
	free(detailing);
	*details_in(session) = NULL;
}

bool bw_details_of(const struct bw_nest *nest, int func)
{
	const struct bw_func *about = &nest->pipeline->funcs[func];
	return nest->placed[func] && !about->input && !bw_func_wraps_input(nest->pipeline, about);
}

static struct bw_details details_of(const struct bw_session *session, const struct bw_nest *nest,
				    struct bw_arena *arena)
{
	const struct bw_device *device = bw_search_device(session->search);
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
	struct detailing *detailing = *details_in(session);
	if (detailing && detailing->nest == nest && bw_settings_same_outcome(&detailing->options, &session->options))
		return &detailing->shown;
	end_details((struct bw_session *)session);
	detailing = (*details_in(session)) = BW_NEW(struct detailing);
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
    .free = end_details,
};
