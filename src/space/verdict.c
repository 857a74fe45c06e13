/* The verdict of the rules on an option that is placed; from the memo where that has it. */
#include "base/hash.h"
#include "space/trial.h"

static struct bw_verdict *verdict_of(const struct bw_placed *placed, const struct bw_option *option)
{
	size_t bytes = sizeof(struct bw_verdict) + bw_outline_bytes(placed);
	struct bw_verdict *kept = bw_new_array(1, bytes);
	kept->head = bw_memo_value_plain(bytes);
	kept->fate = option->fate;
	kept->rule = option->rule;
	kept->figure = option->figure;
	kept->limit = option->limit;
	kept->outline = (struct bw_outline *)(void *)(kept + 1);
	bw_outline_fill(placed, kept->outline);
	return kept;
}

/* Places an option and judges it by the rules. */
static void place(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		  struct bw_option *option)
{
	struct bw_error error;
	if (!bw_trial_place(trial, option->placement, false, option->silent ? NULL : &error)) {
		bool held = bw_question_pinned(question);
		bw_option_judge(option, BW_FATE_PRUNED, held ? BW_RULE_CONSTRAINT : BW_RULE_SITE, 0, 0,
				"%.90s", option->silent ? "" : error.text);
		return;
	}
	bw_arena_reset(arena);
	bw_rules_after(question, bw_trial_nest(trial), arena, option);
}

/* Returns true if the verdict on an option depends on nothing but its key. A Func in a kernel of
 * its own is judged by its loops, not by the global memory it takes; an inlined one by who reads
 * it. Other Funcs do not matter, nor does what the pre-pass froze. A kept verdict has no words. */
static bool stands_alone(const struct bw_trial *trial, const struct bw_question *question,
			 const struct bw_option *option)
{
	bool asked = bw_question_asked(question) && (question->marks || !bw_question_frozen(question));
	return trial->recall.memo && option->silent && !asked && option->placement->compute.kind != BW_SITE_AT;
}

static uint64_t verdict_key(struct bw_trial *trial, const struct bw_placement *placement)
{
	return bw_hash_mix(
	    bw_nest_key(trial->parent, placement, bw_trial_context(trial, placement->compute.kind)->loops),
	    trial->recall.limits);
}

static bool check_verdict(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
			  const struct bw_option *option, const struct bw_verdict *kept)
{
	struct bw_option fresh = *option;
	place(trial, question, arena, &fresh);
	bool same = kept->fate == fresh.fate && kept->rule == fresh.rule && kept->figure == fresh.figure &&
		    kept->limit == fresh.limit;
	for (int depth = 0; depth <= question->options->passes; depth++)
		same &= bw_outline_structure(kept->outline, depth) == bw_placed_structure(trial->placed, depth);
	return same;
}

/* Judges an option from the memo. Returns false if that does not know it. */
static bool recall(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		   struct bw_option *option)
{
	if (!stands_alone(trial, question, option))
		return false;
	struct bw_memo_value *value =
	    bw_memo_get(trial->recall.memo, BW_MEMO_VERDICTS, verdict_key(trial, option->placement));
	const struct bw_verdict *kept = (const struct bw_verdict *)value;
	if (!kept)
		return false;
	if (bw_memo_checks(trial->recall.memo))
		bw_memo_note(trial->recall.memo, check_verdict(trial, question, arena, option, kept));
	bw_trial_forget(trial);
	trial->verdict = (struct bw_verdict *)value;
	option->fate = kept->fate;
	option->rule = kept->rule;
	option->figure = kept->figure;
	option->limit = kept->limit;
	return true;
}

/* Gives a verdict to the memo. */
static void keep(struct bw_trial *trial, const struct bw_question *question, const struct bw_option *option)
{
	if (!stands_alone(trial, question, option))
		return;
	struct bw_verdict *kept = verdict_of(trial->placed, option);
	bw_memo_value_drop(bw_memo_put(trial->recall.memo, BW_MEMO_VERDICTS,
				       verdict_key(trial, option->placement), &kept->head));
}

void bw_trial_judge(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		    struct bw_option *option)
{
	if (recall(trial, question, arena, option))
		return;
	place(trial, question, arena, option);
	keep(trial, question, option);
}
