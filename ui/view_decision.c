/* The decision in full: every option by bucket, what became of it and by which rule, and the ledger of the selected one. */
#include <string.h>

#include "ui/say.h"
#include "ui/view.h"

/* Where the columns of an option stand; 0: there is no room for it. */
struct columns {
	int words, threads, fate, cost, recompute, idle, memory;
	bool wide; /* memory is named with its kind */
};

static struct columns columns_for(int width)
{
	if (width >= 96)
		return (struct columns){25, 38, 40, 63, 73, 79, 81, true};
	if (width >= 70)
		return (struct columns){19, 32, 34, 56, 63, 68, 70, false};
	return (struct columns){width - 25, 0, width - 16, 0, 0, 0, 0, false};
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	if (!scene->decision)
		return bw_scene_all_made(scene);
	*right = bw_scene_text(scene, "from state %d of %d", scene->session->selection.state + 1, scene->n_states);
	const char *where = scene->decision->phase == BW_PHASE_WHERE ? "where to compute it" : "how to tile it";
	const char *pass = scene->options->passes > 1 ? bw_scene_text(scene, " in pass %d", scene->pass) : "";
	return bw_scene_text(scene, "DECISION %d of %d%s   %s: %s", scene->session->cursor - scene->first, scene->end - scene->first, pass, scene->pipeline->funcs[scene->decision->func].name, where);
}

static void draw_funnel(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int legal = 0, costed = 0, kept = 0, unsampled = 0;
	for (int i = 0; i < scene->expansion->n; i++) {
		const struct bw_option *option = &scene->expansion->options[i];
		legal += option->fate != BW_FATE_PRUNED;
		costed += option->cost > 0;
		unsampled += option->fate == BW_FATE_UNSAMPLED;
		kept += option->fate == BW_FATE_KEPT;
	}
	const struct bw_decision *decision = scene->decision;
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_printf(&pen, BW_STYLE_STRONG, "enumerated %d → legal %d in %d buckets → %s %d", scene->expansion->n, legal, scene->expansion->n_buckets, unsampled ? "sampled" : "costed", costed);
	if (decision->made)
		bw_pen_printf(&pen, BW_STYLE_STRONG, " → kept %d", kept);
	if (decision->made)
		bw_pen_printf(&pen, BW_STYLE_DIM, "     all states: %s → %s → %s, %s", bw_say_count((double)decision->enumerated).text,
			bw_say_count((double)decision->costed).text, bw_say_count((double)decision->kept).text, bw_say_seconds(decision->seconds).text);
	else
		bw_pen_puts(&pen, BW_STYLE_DIM, "     not made yet: Space makes it");
}

static void figure(struct bw_pen *pen, int column, enum bw_style style, const char *text)
{
	if (column > 0)
		bw_pen_right(pen, column, style, "%s", text);
}

static void draw_head(struct bw_sheet *sheet, const struct columns *at)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "OPTION");
	figure(&pen, at->threads, BW_STYLE_DIM, "threads");
	bw_pen_to(&pen, at->fate);
	bw_pen_puts(&pen, BW_STYLE_DIM, "FATE");
	figure(&pen, at->cost, BW_STYLE_DIM, "cost");
	figure(&pen, at->recompute, BW_STYLE_DIM, at->wide ? "recompute" : "again");
	figure(&pen, at->idle, BW_STYLE_DIM, "idle");
	if (at->memory > 0) {
		bw_pen_to(&pen, at->memory);
		bw_pen_puts(&pen, BW_STYLE_DIM, "memory");
	}
}

static double idle_lanes(const struct bw_scene *scene, double threads)
{
	double warp = scene->options->device->warp_size, warps = (int64_t)((threads + warp - 1) / warp);
	return 1 - threads / (warps * warp);
}

/* What the option makes of its Func. */
static void draw_figures(const struct bw_scene *scene, struct bw_pen *pen, const struct bw_option *option, const struct columns *at)
{
	const struct bw_placed *placed = option->nest && option->placement ? option->nest->placed[option->placement->func] : NULL;
	if (!placed || placed->placement->n_stages == 0 || !placed->placement->tiled)
		return;
	figure(pen, at->recompute, BW_STYLE_NORMAL, bw_say_times(bw_scene_recompute(placed)).text);
	const int64_t *threads = placed->stages[0].threads;
	double n = (double)threads[0] * (double)threads[1] * (double)threads[2];
	if (n > 1)
		figure(pen, at->idle, BW_STYLE_NORMAL, bw_say_percent(idle_lanes(scene, n)).text);
	if (at->memory == 0)
		return;
	bw_pen_to(pen, at->memory);
	bw_pen_printf(pen, BW_STYLE_NORMAL, "%s %s", bw_say_bytes(placed->bytes).text, at->wide ? bw_memory_name(placed->memory) : "");
}

static void draw_threads(struct bw_pen *pen, const struct bw_option *option, const struct columns *at)
{
	const struct bw_placed *placed = option->nest && option->placement ? option->nest->placed[option->placement->func] : NULL;
	if (!placed || placed->placement->n_stages == 0 || !placed->placement->tiled)
		return;
	const int64_t *threads = placed->stages[0].threads;
	int64_t n = threads[0] * threads[1] * threads[2];
	if (n > 1)
		figure(pen, at->threads, BW_STYLE_NORMAL, bw_say_count((double)n).text);
}

static void draw_option(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_option *option)
{
	struct columns at = columns_for(sheet->grid.columns - sheet->margin);
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_OPTION, .index = option->number});
	if (!wanted)
		return;
	bw_pen_to(&pen, 2);
	bw_pen_field(&pen, 5, BW_STYLE_NORMAL, bw_scene_label(scene, option));
	bw_pen_field(&pen, at.words, BW_STYLE_NORMAL, bw_scene_words_within(scene, option->placement, at.words));
	draw_threads(&pen, option, &at);
	bw_pen_to(&pen, at.fate);
	bw_pen_puts(&pen, bw_fate_style(option->fate), bw_scene_fate(scene, option));
	if (option->cost > 0)
		figure(&pen, at.cost, BW_STYLE_NORMAL, bw_say_cost(option->cost).text);
	draw_figures(scene, &pen, option, &at);
}

/* A bucket: options that are the same structure to the search. */
static void draw_bucket(const struct bw_scene *scene, struct bw_sheet *sheet, int bucket)
{
	struct columns at = columns_for(sheet->grid.columns - sheet->margin);
	const struct bw_option *first = NULL;
	int n = 0, costed = 0;
	double best = 0;
	for (int i = 0; i < scene->expansion->n; i++) {
		const struct bw_option *option = &scene->expansion->options[i];
		if (option->bucket != bucket)
			continue;
		first = first ? first : option;
		n++;
		costed += option->cost > 0;
		best = option->cost > 0 && (best == 0 || option->cost < best) ? option->cost : best;
	}
	if (!first)
		return;
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "▾ ");
	if (bucket < 26)
		bw_pen_printf(&pen, BW_STYLE_TITLE, "%c ", 'A' + bucket);
	bw_pen_printf(&pen, BW_STYLE_NORMAL, " bucket of %d", n);
	bw_pen_to(&pen, at.fate);
	bw_pen_printf(&pen, BW_STYLE_DIM, scene->options->sampling ? "sampled %d of %d" : "costed %d of %d", costed, n);
	if (best > 0)
		figure(&pen, at.cost, BW_STYLE_DIM, bw_say_cost(best).text);
	if (at.wide)
		bw_pen_to(&pen, at.memory);
	if (at.wide)
		bw_pen_printf(&pen, BW_STYLE_DIM, "hash %04x", (unsigned)(first->bucket_hash & 0xffff));
	for (int i = 0; i < scene->expansion->n; i++)
		if (scene->expansion->options[i].bucket == bucket)
			draw_option(scene, sheet, &scene->expansion->options[i]);
}

static bool in_fold(const struct bw_option *option, int fold)
{
	if (option->bucket >= 0)
		return false;
	bool second = option->fate != BW_FATE_PRUNED;
	return fold == BW_FOLD_SECOND ? second : !second && (int)option->rule == fold;
}

/* Options that were pruned by one rule, or a second choice that was not needed: in one line, or unfolded. */
static void draw_fold(const struct bw_scene *scene, struct bw_sheet *sheet, int fold)
{
	int n = 0;
	struct bw_text names = {0};
	for (int i = 0; i < scene->expansion->n; i++) {
		const struct bw_option *option = &scene->expansion->options[i];
		if (in_fold(option, fold) && n++ < 12)
			bw_text_printf(&names, "%s%s", names.length ? ", " : "", bw_scene_words(scene, option->placement));
	}
	bool open = scene->unfolded & 1u << fold;
	if (n > 0) {
		struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_FOLD, .index = fold});
		bw_pen_puts(&pen, BW_STYLE_DIM, open ? "▾ " : "▸ ");
		bw_pen_puts(&pen, BW_STYLE_PRUNED, fold == BW_FOLD_SECOND ? "second choice" : "pruned");
		bw_pen_printf(&pen, BW_STYLE_NORMAL, "  %d", n);
		if (fold != BW_FOLD_SECOND)
			bw_pen_printf(&pen, BW_STYLE_NORMAL, " by %s", bw_rule_name(fold));
		bw_pen_printf(&pen, BW_STYLE_DIM, ":  %s", fold == BW_FOLD_SECOND && open ? "only where the buckets give nothing" : bw_text_get(&names));
	}
	bw_text_free(&names);
	for (int i = 0; open && i < scene->expansion->n; i++)
		if (in_fold(&scene->expansion->options[i], fold))
			draw_option(scene, sheet, &scene->expansion->options[i]);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	if (!scene->expansion) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_puts(&pen, BW_STYLE_DIM, scene->decision ? "No state is left to decide for." : "Every decision is made. Left goes back to one.");
		return;
	}
	struct columns at = columns_for(sheet->grid.columns - sheet->margin);
	draw_funnel(scene, sheet);
	draw_head(sheet, &at);
	for (int bucket = 0; bucket < scene->expansion->n_buckets; bucket++)
		draw_bucket(scene, sheet, bucket);
	for (int fold = BW_N_FOLDS - 1; fold >= 0; fold--)
		draw_fold(scene, sheet, fold);
}

/* What the option adds to the state's cost, by term, the largest first. */
static void draw_terms(const struct bw_scene *scene, struct bw_pen *pen, const struct bw_option *option)
{
	struct bw_cost cost = bw_search_cost(scene->search, option->nest, scene->arena);
	double added[BW_N_TERMS] = {0};
	for (int stage = 0; stage < cost.n; stage++)
		for (int term = 0; term < BW_N_TERMS; term++)
			added[term] += cost.stages[stage].terms[term] - (scene->cost ? scene->cost->stages[stage].terms[term] : 0);
	double before = scene->cost ? scene->cost->total : 0;
	bw_pen_printf(pen, BW_STYLE_NORMAL, "%s %s", cost.total >= before ? "adds" : "takes away", bw_say_cost(cost.total >= before ? cost.total - before : before - cost.total).text);
	const char *sign = ": ";
	for (int shown = 0; shown < BW_N_TERMS; shown++) {
		int largest = 0;
		for (int term = 1; term < BW_N_TERMS; term++)
			if (added[term] * added[term] > added[largest] * added[largest])
				largest = term;
		if (added[largest] < 5e-7 && added[largest] > -5e-7)
			return;
		bw_pen_printf(pen, BW_STYLE_DIM, "%s%s ", sign, bw_term_name(largest));
		bw_pen_printf(pen, BW_STYLE_NORMAL, "%s%s", added[largest] < 0 ? "-" : "", bw_say_cost(added[largest] < 0 ? -added[largest] : added[largest]).text);
		added[largest] = 0;
		sign = "  ";
	}
}

static void foot(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_option *option = scene->option;
	if (!option)
		return;
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_printf(&pen, BW_STYLE_STRONG, "%s  %s", bw_scene_label(scene, option), bw_scene_words(scene, option->placement));
	bw_pen_printf(&pen, bw_fate_style(option->fate), "   %s", bw_fate_name(option->fate));
	if (option->rank >= 0)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, ": %s of %d children of this beam", bw_say_rank(option->rank).text, scene->decision->n_children);
	if (option->rank >= 0 && scene->decision->children[option->rank].penalty > 1)
		bw_pen_printf(&pen, BW_STYLE_MARK, ", penalty ×%d", scene->decision->children[option->rank].penalty);
	pen = bw_sheet_plain(sheet);
	if (option->rule != BW_RULE_NONE) {
		bw_pen_printf(&pen, BW_STYLE_PRUNED, "%s: %s", bw_rule_name(option->rule), option->reason);
		pen = bw_sheet_plain(sheet);
		bw_pen_printf(&pen, BW_STYLE_DIM, "%s%s", bw_rule_meaning(option->rule), bw_rule_hard(option->rule) ? " (no choice can override this)" : "");
	} else if (option->nest && option->cost > 0) {
		draw_terms(scene, &pen, option);
	} else if (option->nest && option->fate == BW_FATE_UNSAMPLED) {
		draw_terms(scene, &pen, option);
		pen = bw_sheet_plain(sheet);
		bw_pen_puts(&pen, BW_STYLE_DIM, "costed now, for you to see: it was not drawn from its bucket, and the search knows no cost of it");
	}
}

const struct bw_view bw_view_decision = {.name = "decision", .selects = BW_ROW_OPTION, .title = title, .fill = fill, .foot = foot};
