/* Walks in words and as JSON. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "schedulers/table.h"
#include "schedulers/walk.h"

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
		print_figure(&bw_walk_scheduler_of(walk)->walk->columns[0], candidate->figures[0], out);
	}
}

void bw_walk_print(const struct bw_walk *walk, struct bw_text *out)
{
	size_t length = out->length;
	bw_walk_progress(walk, out);
	if (out->length > length)
		bw_text_puts(out, "\n");
	for (int s = 0; s < bw_walk_steps(walk); s++) {
		const struct bw_walk_step *step = bw_walk_step(walk, s);
		if (step->taken >= 0) {
			print_candidate(walk, &step->candidates[step->taken], out);
		} else {
			bw_text_printf(out, "%s ends; best left: ", step->phase);
			print_candidate(walk, &step->candidates[0], out);
		}
		bw_text_puts(out, step->by_hand ? ", by hand\n" : "\n");
	}
	if (bw_walk_scheduler_of(walk)->walk->for_cpu)
		bw_text_puts(out, "in Halide, for a CPU:\n");
	bw_walk_for_cpu(walk, out);
}

void bw_walk_explain(const struct bw_walk *walk, int s, int index, struct bw_text *out)
{
	const struct bw_walk_step *step = bw_walk_step(walk, s);
	const struct bw_walk_scheduler *calls = bw_walk_scheduler_of(walk)->walk;
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
		json_array_append_new(list, json_string(bw_walk_pipeline(walk)->funcs[funcs[i]].name));
	return list;
}

static json_t *candidate_json(const struct bw_walk *walk, const struct bw_walk_candidate *candidate)
{
	const struct bw_walk_scheduler *calls = bw_walk_scheduler_of(walk)->walk;
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
	const struct bw_scheduler *scheduler = bw_walk_scheduler_of(walk);
	json_t *columns = json_array(), *marks = json_array(), *steps = json_array();
	int n;
	const struct bw_walk_mark *list = bw_walk_marks(walk, &n);
	for (int c = 0; c < scheduler->walk->n_columns; c++) {
		const struct bw_walk_column *column = &scheduler->walk->columns[c];
		json_array_append_new(columns, json_pack("{s:s, s:s, s:s}", "name", column->name, "unit",
							 column->unit, "meaning", column->meaning));
	}
	for (int m = 0; m < n; m++)
		json_array_append_new(marks, json_pack("{s:s, s:i, s:s}", "verb", bw_walk_verb_name(list[m].verb),
						       "step", list[m].step, "name", list[m].name));
	for (int s = 0; s < bw_walk_steps(walk); s++)
		json_array_append_new(steps, step_json(walk, bw_walk_step(walk, s)));
	struct bw_text progress = {0}, cpu = {0};
	bw_walk_progress(walk, &progress);
	bw_walk_for_cpu(walk, &cpu);
	json_t *all = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:s*}", "scheduler", scheduler->name, "paper",
				scheduler->paper, "argument", bw_walk_argument(walk), "progress",
				bw_text_get(&progress), "columns", columns, "marks", marks, "steps", steps, "for_cpu",
				cpu.length ? bw_text_get(&cpu) : NULL);
	bw_text_free(&progress);
	bw_text_free(&cpu);
	return all;
}
