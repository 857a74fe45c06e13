/* Options as they are placed and judged. */
#include "search/trial.h"

void bw_checks_note(struct bw_reuse_checks *checks, bool right)
{
	checks->made++;
	checks->wrong += !right;
}

void bw_trial_begin(struct bw_trial *trial, const struct bw_recall *recall, const struct bw_nest *parent,
		    int func)
{
	*trial = (struct bw_trial){.recall = *recall, .parent = parent, .func = func};
}

void bw_trial_forget(struct bw_trial *trial)
{
	if (trial->stands)
		bw_nest_set(trial->scratch, trial->func, NULL);
	bw_placed_release(trial->placed);
	trial->placed = NULL;
	trial->stands = false;
}

void bw_trial_end(struct bw_trial *trial)
{
	bw_trial_forget(trial);
	bw_placed_release(trial->before);
	bw_nest_drop(trial->scratch);
	*trial = (struct bw_trial){0};
}

/* Compares a Func placed by reusing results of the last one with the same Func placed from scratch. */
static void check_placement(const struct bw_trial *trial, const struct bw_placement *placement)
{
	const struct bw_placed *fresh = bw_nest_try(trial->parent, placement, NULL, NULL);
	bw_checks_note(trial->recall.checks,
		       fresh && trial->placed
			   ? bw_placed_equal(trial->parent->pipeline, fresh, trial->placed)
			   : fresh == trial->placed);
	bw_placed_release(fresh);
}

bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, struct bw_error *error)
{
	bw_trial_forget(trial);
	trial->placed = bw_nest_try(trial->parent, placement, trial->before, error);
	if (trial->before && trial->recall.checks)
		check_placement(trial, placement);
	if (trial->placed && placement->compute.kind == BW_SITE_AT) {
		bw_placed_release(trial->before);
		trial->before = bw_placed_keep(trial->placed);
	}
	return trial->placed != NULL;
}

const struct bw_nest *bw_trial_nest(struct bw_trial *trial)
{
	if (!trial->scratch)
		trial->scratch = bw_nest_scratch(trial->parent, trial->func);
	if (!trial->stands)
		bw_nest_set(trial->scratch, trial->func, trial->placed);
	trial->stands = true;
	return trial->scratch;
}

void bw_trial_judge(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		    struct bw_option *option)
{
	struct bw_error error;
	if (!bw_trial_place(trial, option->placement, option->silent ? NULL : &error)) {
		bool held = bw_question_pinned(question);
		bw_option_judge(option, BW_FATE_PRUNED, held ? BW_RULE_CONSTRAINT : BW_RULE_SITE, 0, 0,
				"%.90s", option->silent ? "" : error.text);
		return;
	}
	bw_arena_reset(arena);
	bw_rules_after(question, bw_trial_nest(trial), arena, option);
}
