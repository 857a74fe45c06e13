#include "schedule/shape.h"

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

static void shape_as_intermediate(const struct bw_func *func, const struct bw_placement *placement,
				  struct bw_shape *shape, struct bw_arena *arena)
{
	int n_dims = func->n_dims + placement->n_factored;
	const char **dims = BW_ARENA_ARRAY(arena, const char *, n_dims);
	struct bw_stage_shape *stages = BW_ARENA_ARRAY(arena, struct bw_stage_shape, 2);
	stages[1] = stage_of(&func->stages[placement->derived_stage], arena);
	for (int i = 0; i < func->n_dims; i++)
		dims[i] = func->dims[i];
	for (int i = 0; i < placement->n_factored; i++) {
		dims[func->n_dims + i] = placement->factored[i].var;
		((const char **)stages[1].loops)[placement->factored[i].loop] = placement->factored[i].var;
	}
	stages[0] = (struct bw_stage_shape){n_dims, dims};
	*shape = (struct bw_shape){n_dims, dims, 2, stages};
}

const struct bw_shape *bw_shape_of(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
				   struct bw_arena *arena)
{
	const struct bw_func *func = &pipeline->funcs[placement->func];
	struct bw_shape *shape = BW_ARENA_NEW(arena, struct bw_shape);
	if (placement->derivation == BW_DERIVED_WRAPPER)
		shape_as_wrapper(func, shape, arena);
	else if (placement->derivation == BW_DERIVED_RFACTOR)
		shape_as_intermediate(func, placement, shape, arena);
	else
		shape_as_func(func, shape, arena);
	return shape;
}
