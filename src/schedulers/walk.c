#include "schedulers/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bw_walk {
	int references;
	const struct bw_scheduler *scheduler;
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	struct bw_walk_mark *marks;
	int n_marks;
	const char *argument;
	struct bw_walk *older; /* an earlier walk, until this walk has begun; then NULL */
	void *state;           /* the scheduler's state; NULL: not begun */
	bool done;
	struct bw_walk_step *steps;
	int n_steps, capacity;
	struct bw_arena *arena;
};

const char *bw_walk_verb_name(enum bw_walk_verb verb)
{
	static const char *const names[] = {"take", "forbid", "hold"};
	return names[verb];
}

struct bw_walk *bw_walk_new(const struct bw_walk_request *request)
{
	struct bw_walk *walk = BW_NEW(struct bw_walk);
	bool same = request->older && request->older->scheduler == request->scheduler;
	*walk = (struct bw_walk){.references = 1,
				 .scheduler = request->scheduler,
				 .pipeline = request->pipeline,
				 .options = *request->options,
				 .marks = BW_NEW_ARRAY(struct bw_walk_mark, request->n_marks),
				 .n_marks = request->n_marks,
				 .older = same ? bw_walk_keep(request->older) : NULL,
				 .arena = bw_arena_new()};
	walk->argument = bw_arena_strdup(walk->arena, request->argument ? request->argument : "");
	for (int i = 0; i < request->n_marks; i++) {
		walk->marks[i] = request->marks[i];
		walk->marks[i].name = bw_arena_strdup(walk->arena, request->marks[i].name);
	}
	return walk;
}

struct bw_walk *bw_walk_keep(struct bw_walk *walk)
{
	if (walk)
		walk->references++;
	return walk;
}

void bw_walk_drop(struct bw_walk *walk)
{
	if (!walk || --walk->references)
		return;
	if (walk->state)
		walk->scheduler->walk->end(walk->state);
	bw_walk_drop(walk->older);
	for (int s = 0; s < walk->n_steps; s++)
		bw_schedule_drop(walk->steps[s].before);
	free(walk->marks);
	free(walk->steps);
	bw_arena_free(walk->arena);
	free(walk);
}

static bool is_about(const struct bw_walk_candidate *candidate, int func)
{
	for (int i = 0; i < candidate->n_funcs; i++)
		if (candidate->funcs[i] == func)
			return true;
	for (int i = 0; i < candidate->n_others; i++)
		if (candidate->others[i] == func)
			return true;
	return false;
}

/* Tells the scheduler which Funcs are held at a step. */
static void tell_held(const struct bw_walk *walk, void *state, int step)
{
	if (!walk->scheduler->walk->hold)
		return;
	BW_SCOPED_MEMORY bool *held = BW_NEW_ARRAY(bool, walk->pipeline->n_funcs);
	for (int m = 0; m < walk->n_marks; m++) {
		const struct bw_walk_mark *mark = &walk->marks[m];
		bool holds = mark->verb == BW_WALK_HOLD && mark->step <= step;
		int func = holds ? bw_pipeline_find(walk->pipeline, mark->name) : -1;
		if (func >= 0)
			held[func] = true;
	}
	walk->scheduler->walk->hold(state, held);
}

/* Refuses the forbidden candidates, and the candidates that concern a held Func. */
static void refuse(struct bw_walk *walk, struct bw_walk_step *step, int index)
{
	for (int m = 0; m < walk->n_marks; m++) {
		const struct bw_walk_mark *mark = &walk->marks[m];
		int func = mark->verb == BW_WALK_HOLD ? bw_pipeline_find(walk->pipeline, mark->name) : -1;
		for (int c = 0; c < step->n && index >= mark->step; c++) {
			struct bw_walk_candidate *candidate = &step->candidates[c];
			if (mark->verb == BW_WALK_FORBID && !strcmp(mark->name, candidate->name))
				candidate->refused = "forbidden by hand";
			else if (func >= 0 && is_about(candidate, func))
				candidate->refused = bw_arena_format(walk->arena, "%s is held by hand", mark->name);
		}
	}
}

/* Returns the last mark that takes a candidate at a step, or NULL. */
static const struct bw_walk_mark *taken_by_hand(const struct bw_walk *walk, int step)
{
	const struct bw_walk_mark *found = NULL;
	for (int m = 0; m < walk->n_marks; m++)
		if (walk->marks[m].verb == BW_WALK_TAKE && walk->marks[m].step == step)
			found = &walk->marks[m];
	return found;
}

static int find(const struct bw_walk_step *step, const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);
	if (!strcmp(name, "none"))
		return -1;
	for (int c = 0; c < step->n; c++)
		if (!strcmp(name, step->candidates[c].name))
			return c;
	return *name && !*end && number >= 1 && number <= step->n ? (int)number - 1 : -2;
}

int bw_walk_find(const struct bw_walk *walk, int step, const char *name, struct bw_error *error)
{
	int found = find(&walk->steps[step], name);
	if (found == -2)
		bw_fail(error, BW_ERROR_USAGE,
			"decision %d has no candidate \"%.80s\"; it has 1 to %d, as `view walk` shows, and none",
			step + 1, name, walk->steps[step].n);
	return found;
}

/* Takes what the scheduler wants: the first candidate that turns out to be legal. */
static void take_own(struct bw_walk *walk, struct bw_walk_step *step)
{
	const struct bw_walk_scheduler *calls = walk->scheduler->walk;
	for (int c = 0; c < step->n; c++) {
		struct bw_error error = {0};
		if (!step->candidates[c].wanted || step->candidates[c].refused)
			continue;
		if (calls->take(walk->state, c, &error)) {
			step->taken = c;
			return;
		}
		step->candidates[c].refused = bw_arena_strdup(walk->arena, error.text);
	}
	calls->take(walk->state, -1, NULL);
}

static bool take_marked(struct bw_walk *walk, struct bw_walk_step *step, const struct bw_walk_mark *mark,
			struct bw_error *error)
{
	int candidate = find(step, mark->name);
	struct bw_error why = {0};
	step->by_hand = true;
	if (candidate == -2)
		return bw_fail(error, BW_ERROR_FAILED, "decision %d of %s has no candidate \"%s\"", mark->step + 1,
			       walk->scheduler->name, mark->name);
	step->taken = candidate;
	if (candidate >= 0 && step->candidates[candidate].refused)
		bw_fail(&why, BW_ERROR_FAILED, "%s", step->candidates[candidate].refused);
	else if (walk->scheduler->walk->take(walk->state, candidate, &why))
		return true;
	return bw_fail(error, BW_ERROR_FAILED, "decision %d of %s cannot take \"%s\": %.200s", mark->step + 1,
		       walk->scheduler->name, mark->name, why.text);
}

static const char *describe(struct bw_walk *walk)
{
	struct bw_text words = {0};
	walk->scheduler->walk->describe(walk->state, &words);
	return bw_text_keep(&words, walk->arena);
}

/* Stores the argument with which a new walk ends the same as this one. */
static void keep_argument(struct bw_walk *walk)
{
	struct bw_text argument = {0};
	if (!walk->n_marks && walk->scheduler->walk->argument)
		walk->scheduler->walk->argument(walk->state, &argument);
	if (argument.length)
		walk->argument = bw_text_keep(&argument, walk->arena);
}

/* Makes the next decision. */
static enum bw_walk_status decide(struct bw_walk *walk, struct bw_error *error)
{
	struct bw_walk_step step = {.taken = -1, .own = -1};
	int index = walk->n_steps;
	if (!walk->scheduler->walk->next(walk->state, &step)) {
		for (int m = 0; m < walk->n_marks; m++)
			if (walk->marks[m].verb == BW_WALK_TAKE && walk->marks[m].step >= index) {
				bw_fail(error, BW_ERROR_FAILED, "%s ends after %d decisions, before \"%s\" is taken at %d",
					walk->scheduler->name, index, walk->marks[m].name, walk->marks[m].step + 1);
				return BW_WALK_FAILED;
			}
		walk->done = true;
		keep_argument(walk);
		return BW_WALK_DONE;
	}
	refuse(walk, &step, index);
	for (int c = step.n - 1; c >= 0; c--)
		step.own = step.candidates[c].wanted && !step.candidates[c].refused ? c : step.own;
	const struct bw_walk_mark *mark = taken_by_hand(walk, index);
	struct bw_schedule *before = walk->scheduler->walk->schedule(walk->state);
	if (!mark)
		take_own(walk, &step);
	else if (!take_marked(walk, &step, mark, error)) {
		bw_schedule_drop(before);
		return BW_WALK_FAILED;
	}
	step.own = mark ? step.own : step.taken;
	step.then = describe(walk);
	step.before = before;
	BW_PUSH(walk->steps, walk->n_steps, walk->capacity, step);
	return BW_WALK_GOING;
}

static bool begin(struct bw_walk *walk, struct bw_error *error)
{
	void *older = walk->older ? walk->older->state : NULL;
	walk->state = walk->scheduler->walk->begin(walk->pipeline, &walk->options, walk->argument, older, error);
	bw_walk_drop(walk->older);
	walk->older = NULL;
	return walk->state;
}

enum bw_walk_status bw_walk_work(struct bw_walk *walk, const struct bw_yield *yield, const atomic_bool *stop,
				 struct bw_error *error)
{
	const struct bw_walk_scheduler *calls = walk->scheduler->walk;
	if (walk->done)
		return BW_WALK_DONE;
	if (!walk->state && !begin(walk, error))
		return BW_WALK_FAILED;
	enum bw_walk_status status = BW_WALK_GOING;
	do {
		tell_held(walk, walk->state, walk->n_steps);
		if (calls->work && !calls->work(walk->state, yield, stop))
			return BW_WALK_GOING;
		status = decide(walk, error);
	} while (status == BW_WALK_GOING && bw_yield(yield));
	return status;
}

void bw_walk_command(const struct bw_walk *walk, struct bw_text *out)
{
	bw_text_printf(out, "scheduler %s%s%s", walk->scheduler->name, *walk->argument ? " " : "", walk->argument);
}

const char *bw_walk_argument(const struct bw_walk *walk)
{
	return walk->argument;
}

void bw_walk_progress(const struct bw_walk *walk, struct bw_text *out)
{
	if (walk->state && walk->scheduler->walk->progress)
		walk->scheduler->walk->progress(walk->state, out);
}

/* Appends directives for a CPU, a line for each Func; nothing if the scheduler has none. */
static void walk_for_cpu(const struct bw_walk *walk, struct bw_text *out)
{
	if (walk->state && walk->scheduler->walk->for_cpu)
		walk->scheduler->walk->for_cpu(walk->state, out);
}

const struct bw_scheduler *bw_walk_scheduler_of(const struct bw_walk *walk)
{
	return walk->scheduler;
}

int bw_walk_steps(const struct bw_walk *walk)
{
	return walk->n_steps;
}

const struct bw_walk_step *bw_walk_step(const struct bw_walk *walk, int index)
{
	return &walk->steps[index];
}

const struct bw_walk_mark *bw_walk_marks(const struct bw_walk *walk, int *n)
{
	*n = walk->n_marks;
	return walk->marks;
}

struct bw_schedule *bw_walk_schedule(const struct bw_walk *walk, int step)
{
	return step < walk->n_steps ? bw_schedule_keep(walk->steps[step].before)
				    : walk->scheduler->walk->schedule(walk->state);
}

/* The walk in words, and as JSON. */

static void print_figure(const struct bw_walk_column *column, double figure, struct bw_text *out)
{
	bool named = *column->unit && strcmp(column->unit, BW_WALK_COST) && strcmp(column->unit, BW_WALK_SHARE);
	bw_text_printf(out, "%s %.4g%s%s", column->name, figure, named ? " " : "", named ? column->unit : "");
}

static void print_candidate(const struct bw_walk *walk, const struct bw_walk_candidate *candidate,
			    struct bw_text *out)
{
	bw_text_printf(out, "%s%s%s", candidate->name, *candidate->how ? ", " : "", candidate->how);
	if (candidate->refused) {
		bw_text_printf(out, ": %s", candidate->refused);
	} else if (!isnan(candidate->figures[0])) {
		bw_text_puts(out, ", ");
		print_figure(&walk->scheduler->walk->columns[0], candidate->figures[0], out);
	}
}

void bw_walk_print(const struct bw_walk *walk, struct bw_text *out)
{
	size_t length = out->length;
	bw_walk_progress(walk, out);
	if (out->length > length)
		bw_text_puts(out, "\n");
	for (int s = 0; s < walk->n_steps; s++) {
		const struct bw_walk_step *step = &walk->steps[s];
		if (step->taken >= 0) {
			print_candidate(walk, &step->candidates[step->taken], out);
		} else {
			bw_text_printf(out, "%s ends; best left: ", step->phase);
			print_candidate(walk, &step->candidates[0], out);
		}
		bw_text_puts(out, step->by_hand ? ", by hand\n" : "\n");
	}
	if (walk->scheduler->walk->for_cpu)
		bw_text_puts(out, "in Halide, for a CPU:\n");
	walk_for_cpu(walk, out);
}

void bw_walk_explain(const struct bw_walk *walk, int s, int index, struct bw_text *out)
{
	const struct bw_walk_step *step = &walk->steps[s];
	const struct bw_walk_scheduler *calls = walk->scheduler->walk;
	const struct bw_walk_candidate *candidate = &step->candidates[index];
	bw_text_printf(out, "%s%s%s: ", candidate->name, *candidate->how ? ", " : "", candidate->how);
	if (step->taken == index)
		bw_text_puts(out, step->by_hand ? "taken by hand" : "taken, as the best that is legal");
	else if (candidate->refused)
		bw_text_puts(out, candidate->refused);
	else if (step->taken >= 0)
		bw_text_printf(out, "not taken: %s %s", step->candidates[step->taken].name,
			       step->by_hand ? "is taken by hand" : "is better");
	else
		bw_text_puts(out, step->by_hand ? "not taken, by hand" : "not taken: it gains nothing");
	for (int c = 0; c < calls->n_columns; c++)
		if (!isnan(candidate->figures[c])) {
			bw_text_puts(out, "\n  ");
			print_figure(&calls->columns[c], candidate->figures[c], out);
			bw_text_printf(out, ": %s", calls->columns[c].meaning);
		}
	bw_text_puts(out, "\n");
}

static json_t *funcs_json(const struct bw_walk *walk, const int *funcs, int n)
{
	json_t *list = json_array();
	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_string(walk->pipeline->funcs[funcs[i]].name));
	return list;
}

static json_t *candidate_json(const struct bw_walk *walk, const struct bw_walk_candidate *candidate)
{
	const struct bw_walk_scheduler *calls = walk->scheduler->walk;
	json_t *figures = json_object();
	for (int c = 0; c < calls->n_columns; c++)
		json_object_set_new(figures, calls->columns[c].name, bw_json_real(candidate->figures[c]));
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:s*}", "name", candidate->name, "how", candidate->how, "funcs",
			 funcs_json(walk, candidate->funcs, candidate->n_funcs), "others",
			 funcs_json(walk, candidate->others, candidate->n_others), "figures", figures, "refused",
			 candidate->refused);
}

static json_t *step_json(const struct bw_walk *walk, const struct bw_walk_step *step)
{
	json_t *candidates = json_array();
	for (int c = 0; c < step->n; c++)
		json_array_append_new(candidates, candidate_json(walk, &step->candidates[c]));
	return json_pack("{s:s, s:s, s:i, s:i, s:b, s:s, s:o}", "phase", step->phase, "question",
			 step->question, "taken", step->taken, "own", step->own, "by_hand", step->by_hand, "then",
			 step->then, "candidates", candidates);
}

json_t *bw_walk_json(const struct bw_walk *walk)
{
	const struct bw_scheduler *scheduler = walk->scheduler;
	json_t *columns = json_array(), *marks = json_array(), *steps = json_array();
	for (int c = 0; c < scheduler->walk->n_columns; c++) {
		const struct bw_walk_column *column = &scheduler->walk->columns[c];
		json_array_append_new(columns, json_pack("{s:s, s:s, s:s}", "name", column->name, "unit",
							 column->unit, "meaning", column->meaning));
	}
	for (const struct bw_walk_mark *mark = walk->marks; mark < walk->marks + walk->n_marks; mark++)
		json_array_append_new(marks, json_pack("{s:s, s:i, s:s}", "verb", bw_walk_verb_name(mark->verb), "step",
						       mark->step, "name", mark->name));
	for (int s = 0; s < walk->n_steps; s++)
		json_array_append_new(steps, step_json(walk, &walk->steps[s]));
	BW_SCOPED_TEXT progress = {0}, cpu = {0};
	bw_walk_progress(walk, &progress);
	walk_for_cpu(walk, &cpu);
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:s*}", "scheduler", scheduler->name, "paper",
			 scheduler->paper, "argument", walk->argument, "progress", bw_text_get(&progress),
			 "columns", columns, "marks", marks, "steps", steps, "for_cpu",
			 cpu.length ? bw_text_get(&cpu) : NULL);
}
