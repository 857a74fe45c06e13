/* An option in the decision view, at the replayed stage. */
#include <stdio.h>
#include <string.h>

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
		bw_pen_puts(&pen, BW_STYLE_DIM, at.wide ? "bytes a block" : "bytes");
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

/* Draws the figures of the option's Func, if it has been placed and its loops are known. */
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
