/* An option in the decision view, at the replayed stage. */

#include "session/explain.h"
#include "ui/decision.h"

enum { LABEL = 2, LABEL_ROOM = 5 };

struct bw_decision_columns bw_decision_columns(int width)
{
	if (width >= 96) {
		int spare = width - 98,
		    words = spare * 2 / 3 > 30 ? 30
			    : spare > 0        ? spare * 2 / 3
					       : 0,
		    fate = spare - words > 14 ? 14
			   : spare > words    ? spare - words
					      : 0,
		    all = words + fate;
		return (struct bw_decision_columns){7,        34 + words, 36 + words, 61 + all, 72 + all,
						    83 + all, 84 + all,   20 + words, true};
	}
	if (width >= 70)
		return (struct bw_decision_columns){7, 32, 34, 56, 63, 68, 70, 19, false};
	if (width >= 46)
		return (struct bw_decision_columns){7, 0, width - 25, width, 0, 0, 0, width - 33, false};
	return (struct bw_decision_columns){7, 0, width - 12, 0, 0, 0, 0, width > 21 ? width - 20 : 1, false};
}

static void figure(struct bw_pen *pen, int column, enum bw_style style, const char *text)
{
	if (column > 0)
		bw_pen_right(pen, column, style, "%s", text);
}

void bw_decision_draw_names(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct bw_decision_columns at = bw_decision_columns(sheet->grid.columns - sheet->margin);
	struct bw_pen pen = bw_sheet_plain(sheet);
	const char *unit = scene->options->model->unit;
	bw_pen_puts(&pen, BW_STYLE_DIM, "OPTION");
	figure(&pen, at.threads, BW_STYLE_DIM, "threads");
	bw_pen_to(&pen, at.fate);
	bw_pen_puts(&pen, BW_STYLE_DIM, "FATE");
	figure(&pen, at.cost, BW_STYLE_DIM, *unit ? bw_scene_text(scene, "cost, %s", unit) : "cost");
	figure(&pen, at.recompute, BW_STYLE_DIM, at.wide ? "recompute" : "again");
	figure(&pen, at.idle, BW_STYLE_DIM, at.wide ? "idle lanes" : "idle");
	if (at.memory > 0) {
		bw_pen_to(&pen, at.memory);
		bw_pen_puts(&pen, BW_STYLE_DIM, "bytes");
	}
}

struct bw_said bw_decision_figure(enum bw_rule rule, double figure)
{
	switch (rule) {
	case BW_RULE_IDLE_LANES:
		return bw_say_percent(figure);
	case BW_RULE_RECOMPUTE:
		return bw_say_times(figure);
	case BW_RULE_REGISTERS:
	case BW_RULE_SHARED:
		return bw_say_bytes(figure);
	default:
		return bw_say_count(figure);
	}
}

static double idle_lanes(const struct bw_scene *scene, double threads)
{
	double warp = scene->options->device->warp_size, warps = (double)(int64_t)((threads + warp - 1) / warp);
	return 1 - threads / (warps * warp);
}

static void draw_memory(struct bw_pen *pen, const struct bw_placed *placed,
			const struct bw_decision_columns *at)
{
	if (at->memory == 0)
		return;
	bool in_thread = placed->memory == BW_MEMORY_REGISTERS || placed->memory == BW_MEMORY_STACK;
	bw_pen_to(pen, at->memory);
	bw_pen_printf(pen, BW_STYLE_NORMAL, "%s %s", bw_say_bytes(placed->bytes).text,
		      !at->wide   ? ""
		      : in_thread ? "a thread"
				  : bw_memory_name(placed->memory));
}

/* Draws numbers about the option's Func, if the Func is placed and its loops are known. */
static void draw_figures(const struct bw_scene *scene, struct bw_pen *pen, const struct bw_option *option,
			 const struct bw_decision_columns *at)
{
	const struct bw_placed *placed =
	    option->nest && option->placement ? option->nest->placed[option->placement->func] : NULL;
	if (!placed || placed->placement->n_stages == 0)
		return;
	figure(pen, at->recompute, BW_STYLE_NORMAL, bw_say_times(bw_scene_recompute(placed)).text);
	if (!placed->placement->tiled) {
		draw_memory(pen, placed, at);
		return;
	}
	const int64_t *threads = placed->stages[0].threads;
	double n = (double)threads[0] * (double)threads[1] * (double)threads[2];
	if (option->rule == BW_RULE_IDLE_LANES)
		figure(pen, at->idle, BW_STYLE_PRUNED,
		       at->wide ? bw_scene_text(scene, "%s > %s", bw_say_percent(option->figure).text,
						bw_say_percent(option->limit).text)
				: bw_say_percent(option->figure).text);
	else if (n > 1)
		figure(pen, at->idle, BW_STYLE_NORMAL, bw_say_percent(idle_lanes(scene, n)).text);
	draw_memory(pen, placed, at);
}

static void draw_threads(struct bw_pen *pen, const struct bw_option *option,
			 const struct bw_decision_columns *at)
{
	const struct bw_placed *placed =
	    option->nest && option->placement ? option->nest->placed[option->placement->func] : NULL;
	if (!placed || placed->placement->n_stages == 0 || !placed->placement->tiled)
		return;
	const int64_t *threads = placed->stages[0].threads;
	int64_t n = threads[0] * threads[1] * threads[2];
	if (n > 1)
		figure(pen, at->threads, BW_STYLE_NORMAL, bw_say_count((double)n).text);
}

static bool is_legal(const struct bw_option *option)
{
	return option->fate != BW_FATE_PRUNED && option->fate != BW_FATE_SECOND_CHOICE;
}

/* Returns the option's fate at this stage. */
static const char *fate_at(const struct bw_scene *scene, const struct bw_option *option, enum bw_style *style)
{
	static const char *const words[BW_N_REPLAYS] = {"", "legal", "", "drawn", "costed", "costed"};
	*style = bw_fate_style(option->fate);
	if (scene->replay > BW_REPLAY_ENUMERATED && !is_legal(option))
		return option->rule == BW_RULE_NONE ? bw_fate_name(option->fate) : bw_rule_name(option->rule);
	if (scene->replay >= BW_REPLAY_SAMPLED && option->fate == BW_FATE_UNSAMPLED)
		return bw_fate_name(option->fate);
	if (scene->replay == BW_REPLAY_KEPT)
		return bw_scene_fate(scene, option);
	*style = BW_STYLE_NORMAL;
	return words[scene->replay];
}

static void draw_cost(const struct bw_scene *scene, struct bw_pen *pen, const struct bw_option *option,
		      const struct bw_decision_columns *at)
{
	double apart = bw_session_cost_apart(scene->session, option);
	bool costed = is_legal(option) && option->fate != BW_FATE_UNSAMPLED;
	if (apart > 0)
		figure(pen, at->cost, BW_STYLE_MARK, bw_scene_text(scene, "(%s)", bw_say_cost(apart).text));
	else if (costed && scene->replay >= BW_REPLAY_COSTED)
		figure(pen, at->cost, BW_STYLE_NORMAL, bw_say_cost(option->cost).text);
}

void bw_decision_draw_option(const struct bw_scene *scene, struct bw_sheet *sheet,
			     const struct bw_option *option, bool grouped)
{
	struct bw_decision_columns at = bw_decision_columns(sheet->grid.columns - sheet->margin);
	bool wanted = bw_sheet_wanted(sheet), known = scene->replay > BW_REPLAY_ENUMERATED,
	     pruned = known && option->fate == BW_FATE_PRUNED;
	enum bw_style style;
	const char *fate = fate_at(scene, option, &style);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_OPTION, .index = option->number});
	if (!wanted)
		return;
	if (pruned && !grouped)
		bw_pen_puts(&pen, BW_STYLE_PRUNED, "×");
	bw_pen_to(&pen, LABEL);
	bool lettered = scene->replay >= BW_REPLAY_BUCKETED;
	bw_pen_field(&pen, LABEL_ROOM, pruned ? BW_STYLE_DIM : BW_STYLE_NORMAL,
		     lettered ? bw_scene_label(scene, option) : bw_scene_text(scene, "#%d", option->number));
	bw_pen_field(&pen, at.words_room, pruned ? BW_STYLE_DIM : BW_STYLE_NORMAL,
		     bw_scene_words_within(scene, option->placement, at.words_room));
	if (known && !pruned)
		draw_threads(&pen, option, &at);
	bw_pen_to(&pen, at.fate);
	if (!grouped || !pruned)
		bw_pen_puts(&pen, style, fate);
	if (!pruned || bw_session_cost_apart(scene->session, option) > 0) {
		draw_cost(scene, &pen, option, &at);
		if (known)
			draw_figures(scene, &pen, option, &at);
	} else if (*option->reason) {
		bw_pen_printf(&pen, BW_STYLE_DIM, grouped ? "%s" : ": %s", option->reason);
	}
}

/* The foot of the decision view: the fate of the selected option, the reason for the fate, and the cost
 * terms that the option adds. */

/* Draws what the option adds to the state's cost, by term, largest first. */
static void draw_terms(const struct bw_scene *scene, struct bw_pen *pen, const struct bw_option *option)
{
	struct bw_cost cost = bw_search_cost(scene->session->search, option->nest, scene->arena);
	double added[BW_MOST_TERMS] = {0}, before = scene->cost ? scene->cost->total : 0;
	for (int stage = 0; stage < cost.n; stage++)
		for (int term = 0; term < BW_MOST_TERMS; term++)
			added[term] += cost.stages[stage].terms[term] - (scene->cost ? scene->cost->stages[stage].terms[term] : 0);
	bw_pen_printf(pen, BW_STYLE_NORMAL, "%s %s", cost.total >= before ? "adds" : "takes away",
		      bw_say_cost(cost.total >= before ? cost.total - before : before - cost.total).text);
	const char *sign = ": ";
	for (int shown = 0; shown < BW_MOST_TERMS; shown++) {
		int largest = 0;
		for (int term = 1; term < BW_MOST_TERMS; term++)
			if (added[term] * added[term] > added[largest] * added[largest])
				largest = term;
		if (added[largest] < 5e-7 && added[largest] > -5e-7)
			return;
		bw_pen_printf(pen, BW_STYLE_DIM, "%s%s ", sign, scene->options->model->terms[largest].name);
		bw_pen_printf(pen, BW_STYLE_NORMAL, "%s%s", added[largest] < 0 ? "-" : "",
			      bw_say_cost(added[largest] < 0 ? -added[largest] : added[largest]).text);
		added[largest] = 0;
		sign = "  ";
	}
}

static bool any_child(const struct bw_scene *scene, int bucket)
{
	for (int i = 0; i < scene->expansion->n; i++)
		if (scene->expansion->options[i].bucket == bucket && scene->expansion->options[i].fate != BW_FATE_UNSAMPLED)
			return true;
	return false;
}

/* Returns the buckets that have children: `A, B, C`. */
static const char *buckets_with_children(const struct bw_scene *scene)
{
	BW_SCOPED_TEXT names = {0};
	int n = 0;
	for (int bucket = 0; bucket < scene->expansion->n_buckets; bucket++)
		if (any_child(scene, bucket) && n++ < 6) {
			bw_text_puts(&names, names.length ? ", " : "");
			bw_group_name(BW_GROUP_BUCKETS + bucket, &names);
		}
	return bw_scene_text(scene, n > 6 ? "%s, ..." : "%s", bw_text_get(&names));
}

static void draw_drawn(const struct bw_scene *scene, struct bw_pen *pen, const struct bw_option *option)
{
	int members = 0, drawn = 0;
	for (int i = 0; i < scene->expansion->n; i++)
		if (scene->expansion->options[i].bucket == option->bucket) {
			members++;
			drawn += scene->expansion->options[i].fate != BW_FATE_UNSAMPLED;
		}
	bw_pen_printf(pen, BW_STYLE_NORMAL, ": of its bucket of %d alike %d %s drawn", members, drawn,
		      drawn == 1 ? "was" : "were");
}

/* Draws the first row of the foot: the option's fate. */
static void draw_fate(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_option *option)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	const struct bw_decision *decision = scene->decision;
	bw_pen_printf(&pen, BW_STYLE_STRONG, "%s  %s", bw_scene_label(scene, option),
		      bw_scene_words_within(scene, option->placement, bw_pen_left(&pen) / 3));
	bw_pen_printf(&pen, bw_fate_style(option->fate), "   %s", bw_fate_name(option->fate));
	const struct bw_child *child = bw_decision_child(decision, option->rank);
	int kept = child ? child->kept : -1, twin;
	if (option->fate == BW_FATE_PRUNED)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, " by %s: %s", bw_rule_name(option->rule), option->reason);
	else if (option->fate == BW_FATE_SECOND_CHOICE)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, ", %s: %s", bw_rule_name(option->rule), option->reason);
	else if (option->fate == BW_FATE_UNSAMPLED)
		draw_drawn(scene, &pen, option);
	else if (option->rank >= 0)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, ": %s of %d children of this beam",
			      bw_say_rank(bw_child_place(decision, child)).text, decision->n_children);
	else if (decision->made)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, ": behind the %d recorded of %d children of this beam",
			      decision->n_recorded, decision->n_children);
	if (kept >= 0)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, ", %s of the next", bw_say_rank(kept).text);
	else if (option->fate == BW_FATE_DROPPED && (twin = bw_option_twin(scene->session, option)) >= 0)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, ", the same schedule as state %d of the next", twin + 1);
	else if (option->fate == BW_FATE_DROPPED)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, ", of which %ld are kept", decision->kept);
}

static void draw_penalty(const struct bw_scene *scene, struct bw_pen *pen, const struct bw_option *option)
{
	BW_SCOPED_TEXT words = {0};
	bw_penalty_words(scene->session, option, &words);
	bw_pen_puts(pen,
		    bw_decision_child(scene->decision, option->rank)->penalty > 1 ? BW_STYLE_MARK
										  : BW_STYLE_NORMAL,
		    bw_text_get(&words));
}

/* Draws the second row of the foot: the reason for the fate. */
static void draw_reason(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_option *option)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	double apart = bw_session_cost_apart(scene->session, option);
	if (apart > 0 && scene->decision->made) {
		int rank = bw_decision_rank(scene->decision, apart);
		if (rank >= 0)
			bw_pen_printf(&pen, BW_STYLE_MARK,
				      "costed now, outside the search: it would be %s of %d children",
				      bw_say_rank(rank).text, scene->decision->n_children + 1);
		else
			bw_pen_printf(
			    &pen, BW_STYLE_MARK,
			    "costed now, outside the search: it would be behind the %d recorded of %d children",
			    scene->decision->n_recorded, scene->decision->n_children + 1);
	} else if (apart > 0) {
		bw_pen_puts(&pen, BW_STYLE_MARK, "costed now, outside the search, which does not know it");
	} else if (option->fate == BW_FATE_PRUNED) {
		bw_pen_printf(&pen, BW_STYLE_DIM, "%s%s%s", bw_rule_meaning(option->rule),
			      bw_rule_hard(option->rule) ? " (no choice can override this)" : "",
			      bw_rule_hard(option->rule) ? "" : "; s costs it all the same");
	} else if (option->fate == BW_FATE_SECOND_CHOICE) {
		bw_pen_printf(&pen, BW_STYLE_DIM,
			      "not needed: %s gave children; s costs it now, outside the search",
			      buckets_with_children(scene));
	} else if (option->fate == BW_FATE_UNSAMPLED) {
		bw_pen_puts(&pen, BW_STYLE_DIM,
			    "no cost is known; s costs it now, outside the search, and changes nothing");
	} else if (option->rank < 0 && scene->decision->made) {
		bw_pen_puts(&pen, BW_STYLE_DIM, "too far behind to be looked at, or with a penalty that is not recorded");
	} else if (option->rank < 0) {
		bw_pen_printf(&pen, BW_STYLE_DIM, "the decision is not made yet: %s makes it", bw_scene_key(scene, "step"));
	} else if (option->nest) {
		draw_penalty(scene, &pen, option);
	}
	if (option->rule != BW_RULE_NONE && option->rank >= 0) {
		BW_SCOPED_TEXT words = {0};
		bw_objection_words(option, &words);
		bw_pen_printf(&pen, BW_STYLE_DIM, "; %s", bw_text_get(&words));
	}
}

static void draw_group(const struct bw_scene *scene, struct bw_sheet *sheet, int group)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (group == BW_GROUP_SECOND) {
		bw_pen_puts(
		    &pen, BW_STYLE_NORMAL,
		    "second choice: a rule speaks against it, and it is costed only where nothing else is left");
	} else if (group < BW_GROUP_SECOND) {
		bw_pen_printf(&pen, BW_STYLE_PRUNED, "%s", bw_rule_name((enum bw_rule)group));
		bw_pen_printf(&pen, BW_STYLE_NORMAL, ": %s%s", bw_rule_meaning((enum bw_rule)group),
			      bw_rule_hard((enum bw_rule)group) ? " (no choice can override this)" : "");
	} else {
		bw_pen_printf(&pen, BW_STYLE_NORMAL,
			      "a bucket: its options make one structure, to the search's eye at depth %d",
			      scene->decision->pass);
		pen = bw_sheet_plain(sheet);
		bw_pen_puts(
		    &pen, BW_STYLE_DIM,
		    "of B > 1 log2(B), rounded down, are drawn: the others are taken to be much like these");
	}
	pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM,
		    bw_scene_keys(scene, bw_session_folded(scene->session, group) ? "{do open} unfolds it"
										  : "{do open} folds it"));
}

void bw_decision_foot(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_option *option = scene->option;
	int group = scene->session->selection.group;
	if (scene->expansion && group >= 0)
		draw_group(scene, sheet, group);
	if (!option || group >= 0)
		return;
	draw_fate(scene, sheet, option);
	draw_reason(scene, sheet, option);
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (option->nest && option->placement &&
	    (option->cost > 0 || bw_session_cost_apart(scene->session, option) > 0))
		draw_terms(scene, &pen, option);
}

/* Constraints of the user and the search on the Func of the decision. */

/* Draws the Func's rejected and pinned options. */
static void draw_marks(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	BW_SCOPED_TEXT words = {0};
	bw_marks_words(scene->session, scene->decision->func, &words);
	if (words.length)
		bw_sheet_wrap(sheet, BW_STYLE_MARK, bw_text_get(&words));
}

void bw_decision_draw_held(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	draw_marks(scene, sheet);
	const struct bw_constraint *constraint = bw_session_constraint(scene->session, scene->decision->func);
	if (!constraint)
		return;
	BW_SCOPED_TEXT words = {0};
	const char *held = bw_scene_held(scene, scene->decision->func);
	bw_text_printf(&words, "%s %s: %s", held, bw_constraint_words(constraint),
		       bw_scene_words(scene, constraint->placement));
	if (*scene->expansion->let_go)
		bw_text_printf(&words, ", but let go here: %s", scene->expansion->let_go);
	else if (constraint->source == BW_CONSTRAINT_SEARCH) {
		bw_text_puts(&words, "; ");
		bw_frozen_words(scene->session, bw_session_frozen(scene->session, scene->decision->func), &words);
	}
	bw_sheet_wrap(sheet, BW_STYLE_MARK, bw_text_get(&words));
}
