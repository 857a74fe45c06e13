#include "session/lens.h"

#include <inttypes.h>

#include "base/arith.h"
#include "figures/kernels.h"
#include "search/variants.h"
#include "session/core.h"

struct data {
	const struct bw_search *search; /* the search with the state */
	int cursor, state;
	struct bw_variants *variants; /* NULL: there is no lens */
	bool allowed; /* no rule prunes the moved block */
	struct bw_lens lens;
};

static BW_PART_DATA(data_of, struct data, LENS)

static void drop_side(struct bw_lens_side *side)
{
	bw_placement_drop(side->placement);
	bw_nest_drop(side->nest);
	side->placement = NULL;
	side->nest = NULL;
}

static void end(struct bw_session *session)
{
	struct data *data = data_of(session);
	drop_side(&data->lens.now);
	drop_side(&data->lens.moved);
	free(data->lens.reason);
	bw_variants_end(data->variants);
	*data = (struct data){0};
}

void bw_lens_drop(struct bw_session *session)
{
	end(session);
	bw_session_touch(session);
}

/* Returns the Func at root whose kernel computes the selected Func; -1 if there is none. */
static int kernel_of(const struct bw_session *session)
{
	int func = session->selection.func, kernel, stage;
	const struct bw_state *state = func < 0 ? NULL : bw_session_state(session);
	return state && bw_tile_kernel(state->nest, func, &kernel, &stage) ? kernel : -1;
}

static bool is_current(const struct bw_session *session)
{
	const struct data *data = data_of(session);
	return data->variants && data->search == session->search && data->cursor == session->cursor &&
	       data->state == session->selection.state && data->lens.func == kernel_of(session);
}

const struct bw_lens *bw_session_lens(const struct bw_session *session)
{
	const struct bw_lens *lens = &data_of(session)->lens;
	return is_current(session) && lens->moved.placement ? lens : NULL;
}

/* Computes the figures of one side: the kernel with one size of its block. */
static void measure(const struct bw_session *session, const struct bw_lens *lens, struct bw_lens_side *side)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n, stage = side->placement->n_stages - 1;
	struct bw_block_tile tile;
	if (!side->nest)
		return;
	bw_tile_of_kernel(side->nest, lens->func, stage, arena, &tile);
	double computed = 0, needed = 0;
	side->loaded = 0;
	side->n_blocks = tile.n_blocks;
	for (int i = 0; i < tile.n; i++) {
		const struct bw_tile_part *part = &tile.parts[i];
		bool inside = part->kind == BW_TILE_HOST || part->kind == BW_TILE_INSIDE;
		double least = inside ? side->nest->placed[part->func]->minimum_points : 0;
		needed += least;
		computed += least * part->again;
		side->loaded += part->kind == BW_TILE_READ ? part->bytes : 0;
	}
	side->recompute = needed > 0 ? computed / needed - 1 : 0;
	struct bw_cost cost = bw_search_cost(session->search, side->nest, arena);
	const struct bw_kernel_facts *facts =
	    bw_kernel_facts(side->nest, bw_search_device(session->search),
			    bw_session_uses(session, side->nest), &cost, arena, &n);
	for (int k = 0; k < n; k++)
		if (facts[k].kernel.func == lens->func && facts[k].kernel.stage == stage)
			side->occupancy = facts[k].occupancy;
}

/* Makes the lens's data for the kernel of the selected Func, unless they exist already. Returns false with an
 * error if the kernel has no blocks whose size could change. */
static bool open(struct bw_session *session, struct bw_error *error)
{
	struct data *data = data_of(session);
	int func = kernel_of(session), name = func < 0 ? session->selection.func : func;
	int64_t threads[BW_MAX_AXES];
	if (is_current(session))
		return true;
	end(session);
	if (session->selection.func < 0)
		return bw_fail(error, BW_ERROR_FAILED, "no Func is selected: the lens shows the block of a Func's kernel");
	const struct bw_nest *nest = bw_session_state(session)->nest;
	if (func < 0 || !nest->placed[func]->placement->tiled)
		return bw_fail(error, BW_ERROR_FAILED, "%s has no blocks yet: its tiling is not decided here; step on",
			       session->pipeline->funcs[name].name);
	struct bw_lens_side *now = &data->lens.now;
	*data = (struct data){.search = session->search,
			      .cursor = session->cursor,
			      .state = session->selection.state,
			      .lens.func = func};
	now->nest = bw_nest_keep((struct bw_nest *)nest);
	now->placement = bw_placement_keep(nest->placed[func]->placement);
	now->cost = bw_session_state(session)->cost;
	bw_plan_sizes(session->pipeline, now->placement, now->sizes, threads);
	for (int d = 0; d < session->pipeline->funcs[func].n_axes; d++)
		now->sizes[d] *= threads[d];
	measure(session, &data->lens, now);
	memcpy(data->lens.moved.sizes, now->sizes, sizeof now->sizes);
	data->variants = bw_variants_begin(session->search, now->nest,
					   bw_search_pass(session->search, session->cursor), true);
	return true;
}

/* Writes the numbers of threads to try along an axis for a block of `size` points: from half to four times
 * the present number, if they divide the size. Returns how many there are. */
static int threads_to_try(int64_t now, int64_t size, int64_t list[4])
{
	int n = 0;
	for (int i = 0; i < 4; i++) {
		int64_t threads = i == 0 ? now : i == 1 ? now / 2 : i == 2 ? 2 * now : 4 * now;
		if (threads > 0 && threads <= size && size % threads == 0)
			list[n++] = threads;
	}
	if (!n)
		list[n++] = bw_gcd(size, now);
	return n;
}

/* Prices the moved block with these threads, and uses them if they are better than those tried before. */
static void try(struct bw_session *session, int place, const int64_t *threads, bool first)
{
	struct data *data = data_of(session);
	struct bw_lens_side *side = &data->lens.moved;
	int64_t serial[BW_MAX_AXES];
	int n;
	bw_plan_sizes(session->pipeline, data->lens.now.placement, serial, (int64_t[BW_MAX_AXES]){0});
	for (int d = 0; d < session->pipeline->funcs[data->lens.func].n_dims; d++)
		serial[d] = side->sizes[d] / threads[d];
	BW_SCOPED_PLACEMENT *placement =
	    bw_plan_resized(session->pipeline, data->lens.now.placement, serial, threads);
	bw_variants_try(data->variants, place, placement);
	const struct bw_variant *variant = bw_variants_list(data->variants, &n);
	bool cheaper = variant->allowed != data->allowed ? variant->allowed : variant->cost < side->cost,
	     better = variant->cost > 0 && (!(side->cost > 0) || cheaper);
	if (!better && !first)
		return;
	bw_placement_drop(side->placement);
	free(data->lens.reason);
	side->placement = bw_placement_keep(placement);
	side->cost = variant->cost;
	data->allowed = variant->allowed;
	data->lens.reason = variant->reason ? bw_strdup(variant->reason) : NULL;
}

/* Prices the moved block with each number of threads, and keeps the cheapest. */
static void price(struct bw_session *session)
{
	struct data *data = data_of(session);
	struct bw_lens_side *now = &data->lens.now, *side = &data->lens.moved;
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES], lists[2][4] = {{1}, {1}};
	int place = 0, n[2] = {1, 1}, n_dims = session->pipeline->funcs[data->lens.func].n_dims;
	drop_side(side);
	side->cost = 0;
	bw_plan_sizes(session->pipeline, now->placement, serial, threads);
	for (int d = 2; d < n_dims; d++)
		threads[d] = bw_gcd(side->sizes[d], threads[d]);
	while (bw_variants_func(data->variants, place) != data->lens.func)
		place++;
	for (int d = 0; d < 2 && d < n_dims; d++)
		n[d] = threads_to_try(threads[d], side->sizes[d], lists[d]);
	for (int i = 0; i < n[0]; i++)
		for (int k = 0; k < n[1]; k++) {
			threads[0] = lists[0][i];
			if (n_dims > 1)
				threads[1] = lists[1][k];
			try(session, place, threads, !i && !k);
		}
	if (!memcmp(side->sizes, now->sizes, sizeof side->sizes)) {
		bw_placement_drop(side->placement);
		side->placement = bw_placement_keep(now->placement);
		side->cost = now->cost;
		free(data->lens.reason);
		data->lens.reason = NULL;
	}
	side->nest = bw_variants_changed(data->variants, side->placement);
	measure(session, &data->lens, side);
	bw_session_touch(session);
}

/* Returns the next size after `size` in the series 1, 2, 3, 4, 6, 8, 12 ... times `unit`; by: 1 up, -1
 * down. */
static int64_t size_after(int64_t size, int64_t unit, int by)
{
	int64_t next = 0, last = 0;
	for (int64_t power = 1; power <= INT32_MAX; power *= 2)
		for (int half = 0; half < 2; half++) {
			int64_t at = unit * (half ? power * 3 / 2 : power);
			if (half && power < 2)
				continue;
			last = at < size && at > last ? at : last;
			next = at > size && (!next || at < next) ? at : next;
		}
	return by > 0 ? next : last;
}

bool bw_lens_move(struct bw_session *session, int axis, int by, struct bw_error *error)
{
	if (!open(session, error))
		return false;
	struct bw_lens *lens = &data_of(session)->lens;
	const struct bw_func *func = &session->pipeline->funcs[lens->func];
	BW_SCOPED_ARENA *arena = bw_arena_new();
	const struct bw_nest *nest = lens->moved.nest ? lens->moved.nest : lens->now.nest;
	struct bw_kernel kernel =
	    bw_nest_kernel(nest, lens->func, nest->placed[lens->func]->placement->n_stages - 1, arena);
	if (axis >= func->n_dims)
		return bw_fail(error, BW_ERROR_FAILED, "the blocks of %s have no second dimension", func->name);
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	bw_plan_sizes(session->pipeline, lens->now.placement, serial, threads);
	int64_t size = lens->moved.sizes[axis], most = threads[axis],
		next = by < 0 && size <= most ? size_after(size, 1, -1)
		       : by > 0 && size < most ? bw_min(size_after(size, 1, 1), most)
					       : size_after(size, most, by);
	if (by < 0 && size <= 1)
		return bw_fail(error, BW_ERROR_FAILED, "a block of %s is one point in %s: it cannot be smaller", func->name,
			       bw_func_axis(func, axis));
	if (by > 0 && (axis > 2 || kernel.blocks[axis] <= 1))
		return bw_fail(error, BW_ERROR_FAILED, "a block of %s has all points in %s: it cannot be larger", func->name,
			       bw_func_axis(func, axis));
	lens->moved.sizes[axis] = next;
	price(session);
	return true;
}

bool bw_lens_set(struct bw_session *session, const char *sizes, struct bw_error *error)
{
	if (!open(session, error))
		return false;
	struct bw_lens *lens = &data_of(session)->lens;
	const struct bw_func *func = &session->pipeline->funcs[lens->func];
	int64_t wanted[BW_MAX_AXES];
	memcpy(wanted, lens->moved.sizes, sizeof wanted);
	const char *at = sizes;
	for (int d = 0; *at || !d; d++) {
		char *stop;
		long size = strtol(at, &stop, 10);
		if (d == func->n_dims || stop == at || size < 1 || size > 1 << 20 || (*stop && (*stop != 'x' || !stop[1])))
			return bw_fail(error, BW_ERROR_USAGE, "\"%s\" is no size of a block of %s: %d number%s as in 64x8, the innermost first",
				       sizes, func->name, func->n_dims, func->n_dims == 1 ? "" : "s");
		wanted[d] = size;
		at = stop + (*stop == 'x');
	}
	memcpy(lens->moved.sizes, wanted, sizeof wanted);
	price(session);
	return true;
}

void bw_lens_size(const struct bw_session *session, const struct bw_lens *lens,
		  const struct bw_lens_side *side, struct bw_text *out)
{
	for (int d = 0; d < session->pipeline->funcs[lens->func].n_dims; d++)
		bw_text_printf(out, d ? "x%" PRId64 : "%" PRId64, side->sizes[d]);
}

void bw_lens_words(const struct bw_session *session, const struct bw_lens *lens, struct bw_text *out)
{
	const struct bw_lens_side *now = &lens->now, *moved = &lens->moved;
	bw_text_printf(out, "block of %s ", session->pipeline->funcs[lens->func].name);
	bw_lens_size(session, lens, moved, out);
	bw_text_puts(out, ", was ");
	bw_lens_size(session, lens, now, out);
	if (moved->cost > 0)
		bw_text_printf(out, ": cost %s", bw_change_of(session->options.model, now->cost, moved->cost).text);
	else
		bw_text_printf(out, ": cannot be: %s", lens->reason ? lens->reason : "it is not legal here");
	if (moved->nest)
		bw_text_printf(out, "; recompute %s, was %s; %s loaded a block, was %s; occupancy %s, was %s",
			       bw_say_percent(moved->recompute).text, bw_say_percent(now->recompute).text,
			       bw_say_bytes(moved->loaded).text, bw_say_bytes(now->loaded).text,
			       moved->occupancy.occupancy > 0 ? bw_say_percent(moved->occupancy.occupancy).text : "none",
			       bw_say_percent(now->occupancy.occupancy).text);
	if (moved->cost > 0 && lens->reason)
		bw_text_printf(out, "; the search prunes it: %s", lens->reason);
}

struct bw_nest *bw_session_tile_nest(const struct bw_session *session,
				     const struct bw_alternative **alternative)
{
	const struct bw_lens *lens = bw_session_lens(session);
	*alternative = NULL;
	if (!lens)
		return bw_session_alternative_nest(session, alternative);
	return bw_nest_keep(lens->moved.nest ? lens->moved.nest : lens->now.nest);
}

const struct bw_session_part bw_part_lens = {.size = sizeof(struct data), .changed = end, .free = end};
