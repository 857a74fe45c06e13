#include "session/advice.h"

#include <math.h>

#include "search/variants.h"
#include "session/core.h"

struct advice {
	const struct bw_search *search; /* the search with the state */
	int cursor, state;
	struct bw_variants *variants;
	int next; /* place, in the order of the variants, of the Func whose changes are priced next */
	int taken; /* value of `next` when the screen was last redrawn */
	struct bw_trials *trials; /* indexed by Func */
};

/* Returns the address of the pointer to the part's data. The pointer is NULL if there are no data. */
static BW_PART_DATA(place_in, struct advice *, ADVICE)

static void end(struct bw_session *session)
{
	struct advice *advice = *place_in(session);
	if (!advice)
		return;
	bw_part_halt(session, BW_PART_ADVICE);
	for (int f = 0; f < session->pipeline->n_funcs; f++) {
		bw_placement_drop(advice->trials[f].best);
		bw_placement_drop(advice->trials[f].stored);
	}
	bw_variants_end(advice->variants);
	free(advice->trials);
	free(advice);
	*place_in(session) = NULL;
}

/* Replaces a placement and its cost by a variant's if the variant costs less. */
static void take_less(const struct bw_placement **least, double *cost, const struct bw_variant *variant)
{
	if (*least && variant->cost >= *cost)
		return;
	bw_placement_drop(*least);
	*least = bw_placement_keep(variant->placement);
	*cost = variant->cost;
}

/* Prices all changes of the Func at the next place. Returns false if it was stopped. */
static bool try_next(struct advice *advice, const struct bw_yield *yield)
{
	struct bw_trials trial = {.known = true};
	int n, func = bw_variants_func(advice->variants, advice->next);
	bool inlined = bw_is_inlined(bw_variants_nest(advice->variants), func),
	     going = bw_variants_turn(advice->variants, advice->next, yield);
	for (int i = 0; going && bw_variants_list(advice->variants, &n) && i < n; i++) {
		bw_variants_price(advice->variants, i, INFINITY);
		const struct bw_variant *variant = &bw_variants_list(advice->variants, &n)[i];
		bool can = variant->cost > 0, stored = variant->placement->compute.kind != BW_SITE_INLINE;
		trial.tried += can && variant->allowed;
		if (can && variant->allowed)
			take_less(&trial.best, &trial.cost, variant);
		if (can && inlined && stored)
			take_less(&trial.stored, &trial.stored_cost, variant);
		going = bw_yield(yield);
	}
	if (going) {
		advice->trials[func] = trial;
		advice->next++;
		return true;
	}
	bw_placement_drop(trial.best);
	bw_placement_drop(trial.stored);
	return false;
}

static bool is_left(const struct advice *advice)
{
	return advice->next < bw_variants_funcs(advice->variants);
}

static void run(const struct bw_yield *yield, void *data)
{
	struct advice *advice = *(struct advice **)data;
	while (is_left(advice) && try_next(advice, yield))
		;
}

static bool is_wanted(const struct bw_session *session)
{
	const struct advice *advice = *place_in(session);
	return advice && is_left(advice);
}

static void take(struct bw_session *session, bool ended)
{
	struct advice *advice = *place_in(session);
	(void)ended;
	if (advice->taken != advice->next)
		bw_session_touch(session);
	advice->taken = advice->next;
}

const struct bw_trials *bw_session_trials(const struct bw_session *session)
{
	const struct bw_state *state = bw_session_state(session);
	struct advice *advice = *place_in(session);
	if (advice && (advice->search != session->search || advice->cursor != session->cursor ||
		       advice->state != session->selection.state))
		end((struct bw_session *)session);
	if (!state)
		return NULL;
	if (!*place_in(session)) {
		advice = *place_in(session) = BW_NEW(struct advice);
		*advice = (struct advice){.search = session->search,
					  .cursor = session->cursor,
					  .state = session->selection.state,
					  .trials = BW_NEW_ARRAY(struct bw_trials, session->pipeline->n_funcs)};
		advice->variants = bw_variants_begin(session->search, state->nest,
						     bw_search_pass(session->search, session->cursor), true);
	}
	return (*place_in(session))->trials;
}

void bw_session_trials_all(struct bw_session *session)
{
	if (bw_session_trials(session))
		run(NULL, place_in(session));
}

/* Marks the Funcs that a kernel computes, inlined ones too. */
static bool *funcs_in(const struct bw_nest *nest, int kernel)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	bool *in = BW_NEW_ARRAY(bool, pipeline->n_funcs), more = true;
	for (int f = 0; f < pipeline->n_funcs; f++)
		in[f] = f == kernel || (nest->placed[f] && nest->placed[f]->kernel_func == kernel);
	while (more) {
		more = false;
		for (int f = 0; f < pipeline->n_funcs; f++)
			for (int c = 0; c < pipeline->funcs[f].n_consumers && !in[f] && nest->placed[f]; c++)
				more |= in[f] = bw_is_inlined(nest, f) && in[pipeline->funcs[f].consumers[c]->func];
	}
	return in;
}

/* Returns the trials of the Func in a kernel that has the cheapest change; NULL if there is none. Sets *tried
 * to the number of changes that were tried, and *known to whether all were tried. */
static const struct bw_trials *cheapest(const struct bw_session *session, int kernel, int *tried, bool *known)
{
	const struct bw_trials *trials = bw_session_trials(session), *least = NULL;
	const struct bw_nest *nest = bw_session_state(session)->nest;
	BW_SCOPED_MEMORY bool *in = funcs_in(nest, kernel);
	*tried = 0;
	*known = true;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		if (!in[f])
			continue;
		*known &= trials[f].known || !nest->placed[f];
		*tried += trials[f].tried;
		if (trials[f].best && (!least || trials[f].cost < least->cost))
			least = &trials[f];
	}
	return least;
}

/* Returns true if a change lowers the cost of the state by more than rounding. */
static bool is_less(const struct bw_session *session, const struct bw_trials *trial)
{
	static const double rounding = 1e-4;
	return trial && trial->cost < (1 - rounding) * bw_session_state(session)->cost;
}

const struct bw_trials *bw_advice_of(const struct bw_session *session,
				     const struct bw_roofline_kernel *kernel)
{
	int tried;
	bool known;
	const struct bw_trials *least = cheapest(session, kernel->func, &tried, &known);
	return known && is_less(session, least) ? least : NULL;
}

static void put(const struct bw_session *session, const struct bw_placement *placement, double cost,
		struct bw_text *out)
{
	bw_placement_words(session->pipeline, placement, out);
	bw_text_printf(out, ": %s", bw_change_of(session->options.model, bw_session_state(session)->cost, cost).text);
}

void bw_advice_words(const struct bw_session *session, const struct bw_rooflines *all,
		     const struct bw_roofline_kernel *kernel, struct bw_text *out)
{
	int tried, again = bw_roofline_again(all, kernel);
	bool known;
	const struct bw_trials *least = cheapest(session, kernel->func, &tried, &known),
			      *inlined = again < 0 ? NULL : &bw_session_trials(session)[again];
	if (!known) {
		bw_text_printf(out, "changes of its Funcs are being priced: %d so far", tried);
		return;
	}
	if (is_less(session, least)) {
		bw_text_puts(out, "to try: ");
		put(session, least->best, least->cost, out);
		return;
	}
	bool pruned = inlined && inlined->stored && inlined->stored_cost < bw_session_state(session)->cost;
	if (inlined && inlined->stored) {
		bw_text_puts(out, "tried: ");
		put(session, inlined->stored, inlined->stored_cost, out);
		bw_text_puts(out, pruned ? ", but a rule of the search prunes it; " : "; ");
	} else if (inlined) {
		bw_text_printf(out, "%s cannot be stored while all other Funcs stay as they are; ",
			       session->pipeline->funcs[again].name);
	}
	bw_text_printf(out, "nothing %s was found in %d change%s of a Func of this kernel",
		       pruned ? "else that is cheaper" : "cheaper", tried, tried == 1 ? "" : "s");
}

const struct bw_session_part bw_part_advice = {
    .size = sizeof(struct advice *),
    .run = run,
    .wanted = is_wanted,
    .take = take,
    .changed = end,
    .free = end,
};
