/* The greedy scheduler as a walk: a decision per inlining and per merge, with all candidates. */
#include <math.h>
#include <stdlib.h>

#include "schedulers/greedy.h"
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

static void *begin(const struct bw_pipeline *pipeline, const struct bw_search_options *options,
		   const char *argument, const void *older, struct bw_error *error)
{
	(void)older;
	if (*argument) {
		bw_fail(error, BW_ERROR_USAGE, "greedy takes nothing after it, not \"%s\"", argument);
		return NULL;
	}
	struct walking *walking = BW_NEW(struct walking);
	walking->pipeline = pipeline;
	walking->device = bw_search_options_device(options);
	struct bw_greedy_options parameters = bw_greedy_options_default(&walking->device);
	if (bw_greedy_begin(pipeline, &walking->device, &parameters, &walking->greedy, error))
		return walking;
	free(walking);
	return NULL;
}

/* Lists the members of a group, its output first. Returns how many. */
static int members(const struct walking *walking, int output, int **list)
{
	const struct bw_greedy *greedy = &walking->greedy;
	int n = 0;
	*list = BW_ARENA_ARRAY(greedy->arena, int, walking->pipeline->n_funcs);
	(*list)[n++] = output;
	for (int f = walking->pipeline->n_funcs - 1; f >= 0; f--)
		if (f != output && greedy->group[f] == output)
			(*list)[n++] = f;
	return n;
}

static void print_tile(const struct bw_func *func, const int64_t *tile, struct bw_text *out)
{
	for (int d = 0; d < func->n_dims; d++)
		bw_text_printf(out, "%s%lld", d ? "x" : "tile ", (long long)tile[d]);
}

static struct bw_walk_candidate candidate_of(const struct walking *walking,
					     const struct bw_greedy_candidate *from)
{
	const struct bw_func *funcs = walking->pipeline->funcs;
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
	candidate.n_funcs = members(walking, from->producer, &group);
	candidate.funcs = group;
	if (merges) {
		n_into = members(walking, from->consumer, &into);
		candidate.name = bw_arena_format(arena, "merge %s into %s", funcs[from->producer].name,
						 funcs[from->consumer].name);
	} else {
		candidate.name = bw_arena_format(arena, "inline %s", funcs[from->producer].name);
	}
	candidate.others = into;
	candidate.n_others = n_into;
	if (from->tile) {
		print_tile(&funcs[from->consumer], from->tile, &how);
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

/* Groups of more than one Func first, then what is a kernel by itself, then what is inlined. */
static void describe(const void *state, struct bw_text *out)
{
	const struct walking *walking = state;
	const struct bw_greedy *greedy = &walking->greedy;
	const struct bw_pipeline *pipeline = walking->pipeline;
	struct bw_text alone = {0}, inlined = {0};
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const char *name = pipeline->funcs[f].name;
		int n = 0;
		if (greedy->inlined[f])
			bw_text_printf(&inlined, " %s", name);
		for (int m = pipeline->n_funcs - 1; m >= 0 && greedy->group[f] == f; m--)
			if (m != f && greedy->group[m] == f)
				bw_text_printf(out, "%s%s", n++ ? " " : out->length ? "; {" : "{",
					       pipeline->funcs[m].name);
		if (n)
			bw_text_printf(out, "} in %s", name);
		if (n && greedy->tiles[f]) {
			bw_text_puts(out, ", ");
			print_tile(&pipeline->funcs[f], greedy->tiles[f], out);
		}
		if (greedy->group[f] == f && !n)
			bw_text_printf(&alone, " %s", name);
	}
	if (alone.length)
		bw_text_printf(out, "%salone:%s", out->length ? "; " : "", bw_text_get(&alone));
	if (inlined.length)
		bw_text_printf(out, "; inlined:%s", bw_text_get(&inlined));
	bw_text_free(&alone);
	bw_text_free(&inlined);
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
