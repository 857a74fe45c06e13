#include "schedule/schedule.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "nest/words.h"

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

/* Returns the index of a derived Func among the derived ones, or the index to insert it at. */
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

/* Prints schedules as text. Equal schedules give equal texts. */

/* Prints loops grouped by kind: `block y, x; thread y 8, x 32 round_up`. */
static void print_stage(const struct bw_stage_plan *plan, const struct bw_stage_shape *shape,
			struct bw_text *out)
{
	if (plan->atomic)
		bw_text_printf(out, "%s%s", bw_word_text(BW_WORD_ATOMIC), plan->n_loops ? "; " : "");
	for (int i = 0; i < plan->n_loops; i++) {
		const struct bw_loop *loop = &plan->loops[i];
		if (i && loop->kind == loop[-1].kind)
			bw_text_puts(out, ", ");
		else
			bw_text_printf(out, "%s%s ", i ? "; " : "", bw_loop_kind_name(loop->kind));
		bw_name_print(shape->loops[loop->loop], out);
		if (loop->extent)
			bw_text_printf(out, " %" PRId64, loop->extent);
		if (loop->tail != BW_TAIL_AUTO)
			bw_text_printf(out, " %s", bw_tail_name(loop->tail));
	}
}

/* Prints an entry; before: text before the loops of each stage. */
static void print_entry(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			const char *before, struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	const struct bw_shape *shape = bw_shape_of(pipeline, placement, arena);
	bw_placement_print_head(pipeline, placement, out);
	bw_placement_print_storage(pipeline, placement, out);
	if (!placement->tiled)
		bw_text_printf(out, " %s", bw_word_text(BW_WORD_UNTILED));
	for (int i = 0; i < placement->n_stages; i++) {
		if (!placement->stages[i].n_loops && !placement->stages[i].atomic)
			continue;
		bw_text_puts(out, before);
		if (i)
			bw_text_printf(out, "%s %d: ", bw_word_text(BW_WORD_UPDATE), i - 1);
		print_stage(&placement->stages[i], &shape->stages[i], out);
	}
}

void bw_placement_print(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			struct bw_text *out)
{
	BW_SCOPED_TEXT words = {0};
	struct bw_error error;
	bw_placement_words(pipeline, placement, &words);
	BW_SCOPED_PLACEMENT *read = bw_placement_parse(pipeline, bw_text_get(&words), &error);
	if (read && bw_placement_equal(read, placement))
		bw_text_puts(out, bw_text_get(&words));
	else
		print_entry(pipeline, placement, "; ", out);
}

static void print_whole(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			struct bw_text *out)
{
	print_entry(pipeline, placement, "\n    ", out);
	bw_text_puts(out, "\n");
}

/* Finds the range of a Func's derived Funcs, which are ordered by Func. */
static void derived_of(const struct bw_schedule *schedule, int func, int *begin, int *end)
{
	*begin = schedule->n_funcs;
	while (*begin < schedule->n && schedule->placements[*begin]->func < func)
		++*begin;
	*end = *begin;
	while (*end < schedule->n && schedule->placements[*end]->func == func)
		++*end;
}

void bw_schedule_print(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule,
		       struct bw_text *out)
{
	bw_text_printf(out, "%s 1\n%s ", bw_word_text(BW_WORD_HEADER), bw_word_text(BW_WORD_PIPELINE));
	bw_name_print(pipeline->name, out);
	bw_text_puts(out, "\n");
	if (schedule->algorithm)
		bw_text_printf(out, "%s %016" PRIx64 "\n", bw_word_text(BW_WORD_ALGORITHM), schedule->algorithm);
	for (int i = 0; i < pipeline->n_rfactors; i++) {
		bw_text_printf(out, "%s ", bw_word_text(BW_WORD_RFACTOR));
		bw_name_print(pipeline->funcs[pipeline->rfactors[i].func].name, out);
		bw_text_printf(out, " %s %d ", bw_word_text(BW_WORD_UPDATE), pipeline->rfactors[i].stage - 1);
		if (pipeline->rfactors[i].named) {
			bw_name_print(pipeline->rfactors[i].rvar, out);
			bw_text_puts(out, pipeline->rfactors[i].apart ? " % " : " / ");
		}
		bw_text_printf(out, "%d\n", pipeline->rfactors[i].factor);
	}
	if (schedule->unstaged)
		bw_text_printf(out, "%s off\n", bw_word_text(BW_WORD_STAGING));
	bw_text_puts(out, "\n");
	for (int i = schedule->n_funcs - 1; i >= 0; i--) {
		int begin, end;
		if (schedule->placements[i])
			print_whole(pipeline, schedule->placements[i], out);
		derived_of(schedule, i, &begin, &end);
		for (int k = begin; k < end; k++)
			print_whole(pipeline, schedule->placements[k], out);
	}
}
