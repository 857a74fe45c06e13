/* The greedy scheduler as a walk: a decision per inlining and per merge, with all candidates. */
#include <math.h>
#include <stdlib.h>

#include "schedulers/greedy_private.h"
#include "schedulers/table.h"

static const struct bw_walk_column columns[] = {
	{"saves", "operations", "benefit: operations before less those after it"},
	{"before", "operations", "of what it changes, loads included, as it is"},
	{"after", "operations", "of the same with it, in the best tile"},
	{"tiles", "", "blocks of the merged group"},
	{"touches", "bytes", "memory that a tile takes, without its output"},
};

struct walking {
	struct bw_greedy greedy; /* first: its state */
	const struct bw_pipeline *pipeline;
	struct bw_device device;
};

static void *begin(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		   const char *argument, const void *older, struct bw_error *error)
{
	(void)older;
	if (*argument) {
		bw_fail(error, BW_ERROR_USAGE, "greedy takes nothing after it, not \"%s\"", argument);
		return NULL;
	}
	struct walking *walking = BW_NEW(struct walking);
	walking->pipeline = pipeline;
	walking->device = bw_settings_device(options);
	struct bw_greedy_options parameters = bw_greedy_options_default(&walking->device);
	if (bw_greedy_begin(pipeline, &walking->device, &parameters, &walking->greedy, error))
		return walking;
	free(walking);
	return NULL;
}

static struct bw_walk_candidate candidate_of(const struct walking *walking,
					     const struct bw_greedy_candidate *from)
{
	const struct bw_func *funcs = walking->pipeline->funcs;
	const struct bw_groups *groups = &walking->greedy.own->of;
	struct bw_arena *arena = walking->greedy.arena;
	struct bw_text how = {0};
	int *group, *into = NULL, n_into = 0;
	struct bw_walk_candidate candidate = {
	    .wanted = from->benefit > 0, .refused = from->refused, .how = ""};
	bool merges = from->consumer >= 0;
	double figures[] = {from->benefit, from->before, from->after, merges ? from->tiles : NAN,
			    merges ? from->bytes : NAN};
	for (int c = 0; c < BW_WALK_COLUMNS; c++)
		candidate.figures[c] =
		    c < (int)(sizeof figures / sizeof *figures) && (!merges || from->tile) ? figures[c] : NAN;
	candidate.n_funcs = bw_groups_members(groups, from->producer, arena, &group);
	candidate.funcs = group;
	if (merges) {
		n_into = bw_groups_members(groups, from->consumer, arena, &into);
		candidate.name = bw_arena_format(arena, "merge %s into %s", funcs[from->producer].name,
						 funcs[from->consumer].name);
	} else {
		candidate.name = bw_arena_format(arena, "inline %s", funcs[from->producer].name);
	}
	candidate.others = into;
	candidate.n_others = n_into;
	if (from->tile) {
		bw_groups_print_tile(&funcs[from->consumer], from->tile, &how);
		candidate.how = bw_arena_strdup(arena, bw_text_get(&how));
	}
	bw_text_free(&how);
	return candidate;
}

/* Phases without candidates are passed over. */
static bool next(void *state, struct bw_walk_step *step)
{
	struct walking *walking = state;
	struct bw_greedy_step *from;
	while ((from = bw_greedy_next(&walking->greedy)) && !from->n)
		bw_greedy_take(&walking->greedy, -1, NULL);
	if (!from)
		return false;
	bool inlines = from->phase == BW_GREEDY_INLINE;
	step->phase = inlines ? "inline" : "merge";
	step->question = inlines ? "which Func to inline" : "which groups to merge";
	step->n = from->n;
	step->candidates = BW_ARENA_ARRAY(walking->greedy.arena, struct bw_walk_candidate, from->n);
	for (int c = 0; c < from->n; c++)
		step->candidates[c] = candidate_of(walking, &from->candidates[c]);
	return true;
}

static bool take(void *state, int candidate, struct bw_error *error)
{
	struct walking *walking = state;
	struct bw_error why = {0};
	if (bw_greedy_take(&walking->greedy, candidate, &why))
		return true;
	struct bw_greedy_step *step = &walking->greedy.steps[walking->greedy.n_steps - 1];
	step->candidates[candidate].refused = bw_arena_strdup(walking->greedy.arena, why.text);
	return bw_fail(error, BW_ERROR_FAILED, "%s", why.text);
}

static struct bw_schedule *schedule(void *state)
{
	const struct walking *walking = state;
	return bw_schedule_keep(walking->greedy.schedule);
}

static void describe(const void *state, struct bw_text *out)
{
	const struct walking *walking = state;
	bw_groups_describe(&walking->greedy.own->of, out);
}

static void end(void *state)
{
	struct walking *walking = state;
	bw_greedy_free(&walking->greedy);
	free(walking);
}

const struct bw_walk_scheduler bw_greedy_walk = {
	.columns = columns,
	.n_columns = sizeof columns / sizeof *columns,
	.begin = begin,
	.next = next,
	.take = take,
	.schedule = schedule,
	.describe = describe,
	.end = end,
};
