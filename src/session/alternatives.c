#include "session/alternatives.h"

#include <math.h>

#include "search/variants.h"
#include "session/core.h"

struct bw_alternatives {
	struct bw_session *session;
	const struct bw_search *search; /* the search with the state */
	int cursor, state, func;
	struct bw_variants *variants;
	int n, capacity, next;      /* next: index of the variant to be priced next */
	bool fresh;                 /* results have changed since they were taken over last */
	struct bw_alternative *list;
	int *of;   /* by variant: its alternative */
	int *left; /* by alternative: its variants that are not priced yet */
};

/* Returns the address of the pointer to the part's data. The pointer is NULL if there are no data. */
static BW_PART_DATA(place_in, struct bw_alternatives *, ALTERNATIVES)

static void end(struct bw_session *session)
{
	struct bw_alternatives *all = *place_in(session);
	if (!all)
		return;
	bw_part_halt(session, BW_PART_ALTERNATIVES);
	for (int i = 0; i < all->n; i++) {
		bw_placement_drop(all->list[i].placement);
		free(all->list[i].value);
		free(all->list[i].reason);
	}
	bw_variants_end(all->variants);
	free(all->list);
	free(all->of);
	free(all->left);
	free(all);
	*place_in(session) = NULL;
}

/* The property that a variant changes, and its new value. */
struct change {
	enum bw_override override;
	struct bw_text value;
	double points; /* as in struct bw_alternative */
};

/* Returns the number of dimensions whose sizes differ. */
static int differing(const int64_t *a, const int64_t *b, int n)
{
	int differ = 0;
	for (int d = 0; d < n; d++)
		differ += a[d] != b[d];
	return differ;
}

/* Returns the property that describes a change of sizes: SERIAL if one serial size differs, THREAD if one
 * number of threads does, SITE if more differs, UNROLL if no size does. */
static enum bw_override resized(const struct bw_alternatives *all, const struct bw_placement *now,
				const struct bw_placement *placement)
{
	const struct bw_pipeline *pipeline = all->session->pipeline;
	int64_t serial[2][BW_MAX_AXES], threads[2][BW_MAX_AXES];
	int n = pipeline->funcs[all->func].n_axes;
	bw_plan_sizes(pipeline, now, serial[0], threads[0]);
	bw_plan_sizes(pipeline, placement, serial[1], threads[1]);
	int serials = differing(serial[0], serial[1], n), across = differing(threads[0], threads[1], n);
	if (serials == 1 && (!across || now->compute.kind == BW_SITE_AT))
		return BW_OVERRIDE_SERIAL;
	if (!serials && across == 1)
		return BW_OVERRIDE_THREAD;
	return serials || across ? BW_OVERRIDE_SITE : BW_OVERRIDE_UNROLL;
}

/* Returns the points that a block computes with given sizes; 1 for a Func inside a thread. */
static double points_of(const struct bw_alternatives *all, const struct bw_placement *placement)
{
	const struct bw_pipeline *pipeline = all->session->pipeline;
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	double points = 1;
	bw_plan_sizes(pipeline, placement, serial, threads);
	for (int d = 0; d < pipeline->funcs[all->func].n_dims; d++)
		points *= (double)(serial[d] > 0 ? serial[d] : 1) * (double)(threads[d] > 0 ? threads[d] : 1);
	return points;
}

static struct change change_of(const struct bw_alternatives *all, const struct bw_placement *placement)
{
	const struct bw_placement *now = bw_variants_nest(all->variants)->placed[all->func]->placement;
	struct change change = {.override = BW_OVERRIDE_SITE};
	if (!bw_site_equal(&now->compute, &placement->compute) || !now->tiled) {
		bw_site_print(all->session->pipeline, &placement->compute, &change.value);
		return change;
	}
	change.override =
	    now->memory != placement->memory ? BW_OVERRIDE_MEMORY : resized(all, now, placement);
	if (change.override == BW_OVERRIDE_SERIAL || change.override == BW_OVERRIDE_THREAD)
		change.points = points_of(all, placement);
	if (change.override != BW_OVERRIDE_SITE)
		bw_override_now(all->session, placement, change.override, &change.value);
	else
		bw_text_puts(&change.value, "other sizes");
	return change;
}

/* Returns the index of the alternative with this change. If there is none, inserts it behind the alternatives
 * of its kind that are not larger. */
static int alternative_of(struct bw_alternatives *all, const struct change *change)
{
	int at = 1;
	for (int i = 1; i < all->n; i++) {
		const struct bw_alternative *other = &all->list[i];
		if (other->override == change->override && !strcmp(other->value, bw_text_get(&change->value)))
			return i;
		at = other->override < change->override ||
			     (other->override == change->override && other->points <= change->points)
			 ? i + 1
			 : at;
	}
	BW_GROW(all->list, all->n, all->capacity);
	memmove(&all->list[at + 1], &all->list[at], (size_t)(all->n++ - at) * sizeof *all->list);
	all->list[at] = (struct bw_alternative){.override = change->override,
						.value = bw_strdup(bw_text_get(&change->value)),
						.points = change->points};
	return at;
}

static void list(struct bw_alternatives *all)
{
	int n;
	const struct bw_variant *variants = bw_variants_list(all->variants, &n);
	all->of = BW_NEW_ARRAY(int, n);
	for (int again = 0; again < 2; again++) {
		for (int i = 0; i < n; i++) {
			struct change change = change_of(all, variants[i].placement);
			all->of[i] = alternative_of(all, &change);
			bw_text_free(&change.value);
		}
	}
	all->left = BW_NEW_ARRAY(int, all->n);
	for (int i = 0; i < n; i++)
		all->left[all->of[i]]++;
}

static void begin(struct bw_session *session, struct bw_alternatives *all)
{
	struct bw_nest *nest = bw_session_state(session)->nest;
	*all = (struct bw_alternatives){.session = session,
					.search = session->search,
					.cursor = session->cursor,
					.state = session->selection.state,
					.func = session->selection.func};
	int pass = bw_search_pass(all->search, all->cursor), place = 0;
	all->variants = bw_variants_begin(all->search, nest, pass, true);
	while (bw_variants_func(all->variants, place) != all->func)
		place++;
	bw_variants_turn(all->variants, place, NULL);
	BW_PUSH(all->list, all->n, all->capacity,
		(struct bw_alternative){.value = bw_strdup(""),
					.known = true,
					.allowed = true,
					.cost = bw_session_state(session)->cost,
					.points = nest->placed[all->func]->placement->tiled
						      ? points_of(all, nest->placed[all->func]->placement)
						      : 0,
					.placement = bw_placement_keep(nest->placed[all->func]->placement)});
	list(all);
}

/* Returns true if a variant should represent its alternative instead of the variant shown so far. */
static bool is_better(const struct bw_variant *variant, const struct bw_alternative *alternative)
{
	if (!(variant->cost > 0) || !(alternative->cost > 0))
		return variant->cost > 0 || !alternative->reason;
	return variant->allowed != alternative->allowed ? variant->allowed : variant->cost < alternative->cost;
}

/* Prices the next variant. */
static void price(struct bw_alternatives *all)
{
	int n, number = all->next++;
	bw_variants_price(all->variants, number, INFINITY);
	const struct bw_variant *variant = &bw_variants_list(all->variants, &n)[number];
	struct bw_alternative *alternative = &all->list[all->of[number]];
	if (is_better(variant, alternative)) {
		bw_placement_drop(alternative->placement);
		free(alternative->reason);
		alternative->placement = bw_placement_keep(variant->placement);
		alternative->cost = variant->cost;
		alternative->allowed = variant->allowed;
		alternative->reason = variant->reason ? bw_strdup(variant->reason) : NULL;
	}
	alternative->known = !--all->left[all->of[number]];
	all->fresh |= alternative->known;
}

static bool is_left(const struct bw_alternatives *all)
{
	int n;
	bw_variants_list(all->variants, &n);
	return all->next < n;
}

static void price_all(const struct bw_yield *yield, void *data)
{
	struct bw_alternatives *all = *(struct bw_alternatives **)data;
	while (is_left(all) && bw_yield(yield))
		price(all);
}

void bw_alternatives_price(struct bw_session *session)
{
	price((*place_in(session)));
}

bool bw_alternatives_pending(const struct bw_session *session)
{
	const struct bw_alternatives *all = *place_in(session);
	return all && is_left(all);
}

static void take(struct bw_session *session, bool ended)
{
	struct bw_alternatives *all = *place_in(session);
	(void)ended;
	if (all->fresh)
		bw_session_touch(session);
	all->fresh = false;
}

void bw_session_alternatives_all(struct bw_session *session)
{
	int n;
	bw_session_alternatives(session, &n);
	if ((*place_in(session)))
		price_all(NULL, place_in(session));
}

const struct bw_alternative *bw_session_alternatives(const struct bw_session *session, int *n)
{
	const struct bw_state *state = bw_session_state(session);
	struct bw_alternatives *all = *place_in(session);
	int func = session->selection.func;
	*n = 0;
	if (all && (all->search != session->search || all->cursor != session->cursor ||
		    all->state != session->selection.state || all->func != func))
		end((struct bw_session *)session);
	if (func < 0 || !state->nest->placed[func])
		return NULL;
	if (!(*place_in(session))) {
		*place_in(session) = BW_NEW(struct bw_alternatives);
		begin((struct bw_session *)session, *place_in(session));
	}
	*n = (*place_in(session))->n;
	return (*place_in(session))->list;
}

struct bw_nest *bw_session_alternative_nest(const struct bw_session *session,
					    const struct bw_alternative **alternative)
{
	int n = 0, chosen = session->selection.alternative;
	const struct bw_alternative *list = chosen > 0 ? bw_session_alternatives(session, &n) : NULL;
	*alternative = list && chosen < n && list[chosen].known && list[chosen].placement ? &list[chosen] : NULL;
	struct bw_nest *nest =
	    *alternative ? bw_variants_changed((*place_in(session))->variants, (*alternative)->placement)
			 : NULL;
	if (!nest)
		*alternative = NULL;
	return nest ? nest : bw_nest_keep((struct bw_nest *)bw_session_state(session)->nest);
}

const struct bw_session_part bw_part_alternatives = {
    .size = sizeof(struct bw_alternatives *),
    .run = price_all,
    .wanted = bw_alternatives_pending,
    .take = take,
    .changed = end,
    .free = end,
};
