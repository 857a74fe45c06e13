#include "session/alternatives.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nest/plan.h"
#include "session/kernels.h"
#include "session/session_private.h"

enum { MOST_ALTERNATIVES = 160, MOST_SITES = 32, CHANGED_DIMS = 3 };

/* Sizes that are tried at a site: of the first two dimensions. */
static const int64_t tried[][2] = {{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2}, {4, 1}, {1, 8}};
enum { TRIED = sizeof tried / sizeof *tried };

struct bw_alternatives {
	struct bw_session *session;
	const struct bw_search *search; /* what they are of */
	int cursor, state, func;
	struct bw_nest *before;         /* with the Funcs placed that are decided before this one */
	const struct bw_nest *nest;     /* the whole state; its own reference */
	int *order, n_order, place;     /* of the Func in it */
	struct bw_arena *arena;
	int n, next, at;                /* the one to be costed next, and the sizes to be tried of it */
	struct bw_alternative list[MOST_ALTERNATIVES];
};

void bw_alternatives_end(struct own *own)
{
	struct bw_alternatives *all = own->alternatives;
	if (!all)
		return;
	for (int i = 0; i < all->n; i++)
		bw_placement_drop(all->list[i].placement);
	bw_nest_drop(all->before);
	bw_nest_drop((struct bw_nest *)all->nest);
	free(all->order);
	bw_arena_free(all->arena);
	free(all);
	own->alternatives = NULL;
}

static void add(struct bw_alternatives *all, enum bw_override override, const char *value)
{
	if (all->n == MOST_ALTERNATIVES)
		return;
	struct bw_alternative *alternative = &all->list[all->n++];
	*alternative = (struct bw_alternative){.override = override};
	snprintf(alternative->value, sizeof alternative->value, "%s", value);
}

static void add_site(struct bw_alternatives *all, const struct bw_site *site)
{
	struct bw_text text = {0};
	if (!bw_site_equal(site, &all->nest->placed[all->func]->placement->compute)) {
		bw_site_print(all->session->pipeline, site, &text);
		add(all, BW_OVERRIDE_SITE, bw_text_get(&text));
	}
	bw_text_free(&text);
}

static void add_sites(struct bw_alternatives *all)
{
	const struct bw_func *func = &all->session->pipeline->funcs[all->func];
	struct bw_site sites[MOST_SITES];
	if (func->output)
		return;
	if (func->n_stages == 1)
		add_site(all, &(struct bw_site){.kind = BW_SITE_INLINE});
	add_site(all, &(struct bw_site){.kind = BW_SITE_ROOT});
	int n = bw_nest_sites(all->before, all->func, sites, MOST_SITES);
	for (int i = 0; i < n; i++)
		add_site(all, &sites[i]);
}

/* Sizes with one of them another: powers of two up to `most`. */
static void add_sizes(struct bw_alternatives *all, enum bw_override override, const int64_t *sizes,
		      const int64_t *most)
{
	int n = all->session->pipeline->funcs[all->func].n_dims;
	for (int d = 0; d < n && d < CHANGED_DIMS; d++)
		for (int64_t size = 1; size <= most[d]; size *= 2) {
			struct bw_text text = {0};
			for (int k = 0; k < n; k++)
				bw_text_printf(&text, k ? "x%" PRId64 : "%" PRId64, k == d ? size : sizes[k]);
			if (size != sizes[d])
				add(all, override, bw_text_get(&text));
			bw_text_free(&text);
		}
}

static void add_loops(struct bw_alternatives *all)
{
	static const int64_t most_serial[CHANGED_DIMS] = {8, 8, 8}, most_threads[CHANGED_DIMS] = {256, 32, 16};
	const struct bw_placement *now = all->nest->placed[all->func]->placement;
	bool root = now->compute.kind == BW_SITE_ROOT,
	     block = now->compute.kind == BW_SITE_AT && now->compute.role == BW_ROLE_BLOCK;
	int64_t serial[BW_MAX_DIMS], threads[BW_MAX_DIMS];
	struct bw_text unrolled = {0};
	if (!now->tiled || (!root && !block))
		return;
	bw_plan_sizes(all->session->pipeline, now, serial, threads);
	add_sizes(all, BW_OVERRIDE_SERIAL, serial, most_serial);
	if (root)
		add_sizes(all, BW_OVERRIDE_THREAD, threads, most_threads);
	bw_override_now(all->session, now, BW_OVERRIDE_UNROLL, &unrolled);
	if (unrolled.length)
		add(all, BW_OVERRIDE_UNROLL, strcmp(bw_text_get(&unrolled), "on") ? "on" : "off");
	for (int m = 0; m < BW_N_MEMORIES && block; m++)
		if (m != (int)now->memory &&
		    (now->memory != BW_MEMORY_AUTO || m != (int)all->nest->placed[all->func]->memory))
			add(all, BW_OVERRIDE_MEMORY, bw_memory_name((enum bw_memory)m));
	bw_text_free(&unrolled);
}

/* The nest with the Func placed so and those after it as they are; NULL with an error. */
static struct bw_nest *nest_with(const struct bw_alternatives *all, const struct bw_placement *placement,
				 struct bw_error *error)
{
	struct bw_nest *nest = bw_nest_place(all->before, placement, error);
	for (int i = all->place + 1; nest && i < all->n_order && all->nest->placed[all->order[i]]; i++) {
		struct bw_nest *next = bw_nest_place(nest, all->nest->placed[all->order[i]]->placement, error);
		bw_nest_drop(nest);
		nest = next;
	}
	return nest;
}

static void begin(struct bw_session *session, struct bw_alternatives *all)
{
	const struct bw_nest *whole = bw_session_state(session)->nest;
	*all = (struct bw_alternatives){.session = session,
					.search = session->search,
					.cursor = session->cursor,
					.state = session->selection.state,
					.func = session->selection.func,
					.arena = bw_arena_new()};
	all->nest = bw_nest_keep((struct bw_nest *)whole);
	all->order = bw_nest_order(session->pipeline, &all->n_order);
	all->before = bw_nest_new(session->pipeline);
	for (; all->order[all->place] != all->func; all->place++) {
		struct bw_nest *next = bw_nest_place(all->before, whole->placed[all->order[all->place]]->placement, NULL);
		bw_nest_drop(all->before);
		all->before = next;
	}
	all->list[all->n++] =
	    (struct bw_alternative){.known = true,
				    .cost = bw_session_state(session)->cost,
				    .placement = bw_placement_keep(whole->placed[all->func]->placement)};
	all->next = 1;
	add_sites(all);
	add_loops(all);
}

/* The placement that is tried next of an alternative, NULL with an error; *last: it is the last one. */
static const struct bw_placement *next_placement(struct bw_alternatives *all,
						 const struct bw_alternative *alternative, bool *last,
						 struct bw_error *error)
{
	const struct bw_session *session = all->session;
	const struct bw_placement *now = all->nest->placed[all->func]->placement;
	const struct bw_placement *plain =
	    bw_override_make(session, now, alternative->override, alternative->value, error);
	*last = true;
	if (!plain || alternative->override != BW_OVERRIDE_SITE)
		return plain;
	bool root = plain->compute.kind == BW_SITE_ROOT,
	     block = plain->compute.kind == BW_SITE_AT && plain->compute.role == BW_ROLE_BLOCK &&
		     !bw_nest_inside_threads(all->before, &plain->compute);
	if (!root && !block)
		return plain;
	int64_t serial[BW_MAX_DIMS], threads[BW_MAX_DIMS];
	for (int d = 0; d < BW_MAX_DIMS; d++) {
		serial[d] = d < 2 ? tried[all->at][d] : 1;
		threads[d] = d == 0 ? (int64_t)session->options.device->warp_size : d == 1 ? 8 : 1;
	}
	*last = all->at + 1 == TRIED;
	const struct bw_placement *sized =
	    root ? bw_plan_root(session->pipeline, all->func, serial, threads)
		 : bw_plan_at_block(session->pipeline, all->func, &plain->compute, serial);
	bw_placement_drop(plain);
	return sized;
}

/* Whether the device can launch it; else why not. */
static bool fits(const struct bw_alternatives *all, const struct bw_nest *nest, char *reason, size_t size)
{
	struct bw_text why = {0};
	const struct bw_device *device = bw_search_device(all->session->search);
	int n;
	struct bw_kernel_facts *facts = bw_kernel_facts(nest, device, NULL, all->arena, &n);
	bool good = true;
	for (int k = 0; k < n && good; k++)
		good = bw_kernel_fits(nest->pipeline, &facts[k], device, &why);
	if (!good)
		snprintf(reason, size, "%s", bw_text_get(&why));
	bw_text_free(&why);
	return good;
}

/* Tries one placement. */
static void step(struct bw_alternatives *all)
{
	struct bw_alternative *alternative = &all->list[all->next];
	struct bw_error error = {0};
	bool last;
	const struct bw_placement *placement = next_placement(all, alternative, &last, &error);
	struct bw_nest *nest = placement ? nest_with(all, placement, &error) : NULL;
	bw_arena_reset(all->arena);
	if (!nest)
		snprintf(alternative->reason, sizeof alternative->reason, "%.120s", error.text);
	else if (fits(all, nest, alternative->reason, sizeof alternative->reason)) {
		double cost = bw_search_cost(all->search, nest, all->arena).total;
		if (!(alternative->cost > 0) || cost < alternative->cost) {
			bw_placement_drop(alternative->placement);
			alternative->placement = bw_placement_keep(placement);
			alternative->cost = cost;
		}
	}
	bw_nest_drop(nest);
	bw_placement_drop(placement);
	alternative->known = last;
	all->at = last ? 0 : all->at + 1;
	all->next += last;
}

bool bw_alternatives_work(struct bw_session *session)
{
	struct bw_alternatives *all = own_of(session)->alternatives;
	int before = all->next;
	step(all);
	return all->next > before;
}

bool bw_alternatives_pending(const struct bw_session *session)
{
	const struct bw_alternatives *all = own_of(session)->alternatives;
	return all && all->next < all->n;
}

void bw_session_alternatives_all(struct bw_session *session)
{
	int n;
	bw_session_alternatives(session, &n);
	while (bw_alternatives_pending(session))
		bw_alternatives_work(session);
}

const struct bw_alternative *bw_session_alternatives(struct bw_session *session, int *n)
{
	struct own *own = own_of(session);
	const struct bw_state *state = bw_session_state(session);
	struct bw_alternatives *all = own->alternatives;
	int func = session->selection.func;
	*n = 0;
	if (all && (all->search != session->search || all->cursor != session->cursor ||
		    all->state != session->selection.state || all->func != func))
		bw_alternatives_end(own);
	if (func < 0 || !state->nest->placed[func])
		return NULL;
	if (!own->alternatives) {
		own->alternatives = BW_NEW(struct bw_alternatives);
		begin(session, own->alternatives);
	}
	*n = own->alternatives->n;
	return own->alternatives->list;
}

struct bw_nest *bw_session_alternative_nest(struct bw_session *session,
					    const struct bw_alternative **alternative)
{
	int n = 0, chosen = session->selection.alternative;
	const struct bw_alternative *list = chosen > 0 ? bw_session_alternatives(session, &n) : NULL;
	*alternative = list && chosen < n && list[chosen].cost > 0 ? &list[chosen] : NULL;
	struct bw_nest *nest =
	    *alternative ? nest_with(own_of(session)->alternatives, (*alternative)->placement, NULL) : NULL;
	if (!nest)
		*alternative = NULL;
	return nest ? nest : bw_nest_keep((struct bw_nest *)bw_session_state(session)->nest);
}
