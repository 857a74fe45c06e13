/* Creates, changes and compares schedules, hashes them, and finds the shapes of their Funcs. */
#include "schedule/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct bw_schedule *bw_schedule_new(const struct bw_pipeline *pipeline)
{
	struct bw_schedule *schedule = BW_NEW(struct bw_schedule);
	schedule->references = 1;
	schedule->algorithm = pipeline->algorithm;
	schedule->n_funcs = schedule->n = pipeline->n_funcs;
	schedule->placements = BW_NEW_ARRAY(const struct bw_placement *, schedule->n);
	return schedule;
}

struct bw_schedule *bw_schedule_keep(struct bw_schedule *schedule)
{
	if (schedule)
		__atomic_add_fetch(&schedule->references, 1, __ATOMIC_RELAXED);
	return schedule;
}

void bw_schedule_drop(struct bw_schedule *schedule)
{
	if (!schedule || __atomic_sub_fetch(&schedule->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (int i = 0; i < schedule->n; i++)
		bw_placement_drop(schedule->placements[i]);
	free(schedule->placements);
	free(schedule);
}

/* Returns the index of a derived Func among the derived ones. If the schedule lacks it, returns the index
 * at which to insert it. */
static int place_of(const struct bw_schedule *schedule, const struct bw_placement *placement)
{
	int at = schedule->n_funcs;
	while (at < schedule->n && bw_placement_order(schedule->placements[at], placement) < 0)
		at++;
	return at;
}

static void insert(struct bw_schedule *schedule, int at, const struct bw_placement *placement)
{
	schedule->placements =
	    bw_resize_array(schedule->placements, (size_t)schedule->n + 1, sizeof *schedule->placements);
	memmove(&schedule->placements[at + 1], &schedule->placements[at],
		(size_t)(schedule->n - at) * sizeof *schedule->placements);
	schedule->placements[at] = placement;
	schedule->n++;
}

void bw_schedule_set(struct bw_schedule *schedule, const struct bw_placement *placement)
{
	assert(schedule->references == 1 && placement->func < schedule->n_funcs);
	bw_placement_keep(placement);
	bool derived = placement->derivation != BW_DERIVED_NOT;
	int at = derived ? place_of(schedule, placement) : placement->func;
	if (derived && (at == schedule->n || bw_placement_order(schedule->placements[at], placement) != 0)) {
		insert(schedule, at, placement);
		return;
	}
	bw_placement_drop(schedule->placements[at]);
	schedule->placements[at] = placement;
}

const struct bw_placement *bw_schedule_find(const struct bw_schedule *schedule,
					    const struct bw_placement *like)
{
	if (like->derivation == BW_DERIVED_NOT)
		return like->func < schedule->n_funcs ? schedule->placements[like->func] : NULL;
	int at = place_of(schedule, like);
	return at < schedule->n && bw_placement_order(schedule->placements[at], like) == 0
		   ? schedule->placements[at]
		   : NULL;
}

bool bw_schedule_equal(const struct bw_schedule *a, const struct bw_schedule *b)
{
	if (a->n_funcs != b->n_funcs || a->n != b->n || a->unstaged != b->unstaged)
		return false;
	for (int i = 0; i < a->n; i++) {
		const struct bw_placement *x = a->placements[i], *y = b->placements[i];
		if (!x != !y || (x && !bw_placement_equal(x, y)))
			return false;
	}
	return true;
}

uint64_t bw_schedule_hash(const struct bw_schedule *schedule)
{
	uint64_t hash = schedule->unstaged;
	for (int i = 0; i < schedule->n; i++)
		if (schedule->placements[i])
			hash = bw_hash_mix(hash, schedule->placements[i]->hash);
	return hash;
}

uint64_t bw_nest_schedule_hash(const struct bw_nest *nest)
{
	BW_SCOPED_SCHEDULE *schedule = nest && bw_nest_complete(nest) ? bw_nest_schedule(nest) : NULL;
	return schedule ? bw_schedule_hash(schedule) : 0;
}

struct bw_nest *bw_schedule_nest(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule,
				 struct bw_error *error)
{
	struct bw_nest *nest = bw_nest_build(pipeline, schedule->placements, schedule->n_funcs, error);
	if (nest)
		nest->unstaged = schedule->unstaged;
	return nest;
}

struct bw_schedule *bw_nest_schedule(const struct bw_nest *nest)
{
	struct bw_schedule *schedule = bw_schedule_new(nest->pipeline);
	schedule->unstaged = nest->unstaged;
	for (int f = 0; f < nest->pipeline->n_funcs; f++)
		if (nest->placed[f])
			bw_schedule_set(schedule, nest->placed[f]->placement);
	return schedule;
}

static struct bw_stage_shape stage_of(const struct bw_stage *stage, struct bw_arena *arena)
{
	const char **names = BW_ARENA_ARRAY(arena, const char *, stage->n_loops);
	for (int i = 0; i < stage->n_loops; i++)
		names[i] = stage->loops[i].name;
	return (struct bw_stage_shape){stage->n_loops, names};
}

static void shape_as_func(const struct bw_func *func, struct bw_shape *shape, struct bw_arena *arena)
{
	struct bw_stage_shape *stages = BW_ARENA_ARRAY(arena, struct bw_stage_shape, func->n_stages);
	for (int i = 0; i < func->n_stages; i++)
		stages[i] = stage_of(&func->stages[i], arena);
	*shape = (struct bw_shape){func->n_dims, func->dims, func->n_stages, stages};
}

static void shape_as_wrapper(const struct bw_func *func, struct bw_shape *shape, struct bw_arena *arena)
{
	struct bw_stage_shape *stage = BW_ARENA_NEW(arena, struct bw_stage_shape);
	*stage = (struct bw_stage_shape){func->n_dims, func->dims};
	*shape = (struct bw_shape){func->n_dims, func->dims, 1, stage};
}

const struct bw_shape *bw_shape_of(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
				   struct bw_arena *arena)
{
	const struct bw_func *func = &pipeline->funcs[placement->func];
	struct bw_shape *shape = BW_ARENA_NEW(arena, struct bw_shape);
	if (placement->derivation == BW_DERIVED_WRAPPER)
		shape_as_wrapper(func, shape, arena);
	else
		shape_as_func(func, shape, arena);
	return shape;
}
