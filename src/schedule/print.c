/* Prints schedules as text. Equal schedules give equal texts. */
#include <inttypes.h>

#include "nest/words.h"
#include "schedule/schedule.h"
#include "schedule/shape.h"

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
	struct bw_arena *arena = bw_arena_new();
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
	bw_arena_free(arena);
}

void bw_placement_print(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			struct bw_text *out)
{
	struct bw_text words = {0};
	struct bw_error error;
	bw_placement_words(pipeline, placement, &words);
	const struct bw_placement *read = bw_placement_parse(pipeline, bw_text_get(&words), &error);
	if (read && bw_placement_equal(read, placement))
		bw_text_puts(out, bw_text_get(&words));
	else
		print_entry(pipeline, placement, "; ", out);
	bw_placement_drop(read);
	bw_text_free(&words);
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
