/* The decision in full: its funnel, stage by stage, and every option as it stood at the stage that is replayed; from the buckets on in
 * groups that can be folded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/decision.h"
#include "ui/glyph.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	if (!scene->decision)
		return bw_scene_all_made(scene);
	*right = bw_scene_text(scene, "hash depth %d   from state %d of %d", scene->pass, scene->session->selection.state + 1, scene->n_states);
	const char *where = scene->decision->phase == BW_PHASE_WHERE ? "where to compute it" : "how to tile it";
	const char *pass = scene->options->passes > 1 ? bw_scene_text(scene, " in pass %d", scene->pass) : "";
	return bw_scene_text(scene, "DECISION %d of %d%s   %s: %s", scene->session->cursor - scene->first, scene->end - scene->first, pass, scene->pipeline->funcs[scene->decision->func].name, where);
}

/* The funnel: each stage with the options that reached it, the one that is shown in brackets. Where there is no room stages but that one
 * have no names. */
static void draw_funnel(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { NAMED = 72, HINTED = 92 };
	struct bw_funnel funnel = bw_expansion_funnel(scene->expansion);
	int width = sheet->grid.columns - sheet->margin;
	enum bw_replay last = bw_session_last_replay(scene->session);
	struct bw_pen pen = bw_sheet_plain(sheet);
	pen.x -= scene->replay == BW_REPLAY_ENUMERATED;
	for (int stage = 0; stage < BW_N_REPLAYS; stage++) {
		bool shown = stage == (int)scene->replay;
		enum bw_style style = shown ? BW_STYLE_STRONG : stage > (int)scene->replay ? BW_STYLE_DIM : BW_STYLE_NORMAL;
		bw_pen_puts(&pen, BW_STYLE_DIM, stage ? "→" : "");
		bw_pen_puts(&pen, style, shown ? "[" : stage ? " " : "");
		if (shown || width >= NAMED)
			bw_pen_printf(&pen, style, "%s ", bw_replay_name((enum bw_replay)stage));
		bw_pen_puts(&pen, style, stage > (int)last ? "?" : bw_scene_text(scene, "%d", funnel.n[stage]));
		bw_pen_puts(&pen, style, shown ? "]" : " ");
	}
	if (width >= HINTED && bw_pen_left(&pen) >= 21)
		bw_pen_right(&pen, width, BW_STYLE_DIM, "Left Right replay");
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	if (!scene->expansion)
		return;
	draw_funnel(scene, sheet);
	bw_decision_draw_names(scene, sheet);
}

/* The options of a group, counted, and what their words have in common: `at output.block `. */
struct group {
	int id, n, drawn;
	size_t common; /* bytes of the first one's words */
	double best;   /* cost of the cheapest; 0: none has one */
	const struct bw_option *first;
};

static size_t common_words(const char *a, const char *b, size_t length)
{
	size_t same = 0;
	while (same < length && a[same] == b[same])
		same++;
	while (same > 0 && a[same - 1] != ' ')
		same--;
	return same;
}

static struct group group_of(const struct bw_scene *scene, int id)
{
	struct group group = {.id = id};
	for (int i = 0; i < scene->expansion->n; i++) {
		const struct bw_option *option = &scene->expansion->options[i];
		if (bw_option_group(option) != id)
			continue;
		const char *words = bw_scene_words(scene, option->placement);
		group.first = group.first ? group.first : option;
		group.common = group.n == 0 ? strlen(words) : common_words(bw_scene_words(scene, group.first->placement), words, group.common);
		group.n++;
		group.drawn += option->fate != BW_FATE_UNSAMPLED;
		group.best = option->cost > 0 && option->fate != BW_FATE_UNSAMPLED && (group.best == 0 || option->cost < group.best) ? option->cost : group.best;
	}
	return group;
}

static void draw_members(const struct bw_scene *scene, struct bw_sheet *sheet, int id)
{
	if (bw_session_folded(scene->session, id))
		return;
	for (int i = 0; i < scene->expansion->n; i++)
		if (bw_option_group(&scene->expansion->options[i]) == id)
			bw_decision_draw_option(scene, sheet, &scene->expansion->options[i], true);
}

static struct bw_pen head_row(const struct bw_scene *scene, struct bw_sheet *sheet, int id)
{
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_GROUP, .index = id});
	bw_pen_puts(&pen, BW_STYLE_DIM, bw_session_folded(scene->session, id) ? "▸ " : "▾ ");
	return pen;
}

/* A bucket: options that are the same structure to the search. */
static void draw_bucket(const struct bw_scene *scene, struct bw_sheet *sheet, int bucket)
{
	struct bw_decision_columns at = bw_decision_columns(sheet->grid.columns - sheet->margin);
	struct group group = group_of(scene, BW_GROUP_BUCKETS + bucket);
	if (!group.n)
		return;
	struct bw_text letter = {0};
	struct bw_pen pen = head_row(scene, sheet, group.id);
	bw_group_name(group.id, &letter);
	bw_pen_field(&pen, 5, BW_STYLE_TITLE, bw_text_get(&letter));
	bw_text_free(&letter);
	const char *site = bw_scene_text(scene, "%.*s", (int)group.common, bw_scene_words(scene, group.first->placement)), *alike = group.n > 1 ? bw_scene_text(scene, "%d alike", group.n) : "alone";
	int room = at.fate - pen.x + pen.left - 3 - bw_glyph_columns(alike);
	if (bw_glyph_columns(site) > room && group.first->placement && group.first->placement->compute.kind == BW_SITE_AT)
		site += 3;
	int columns = bw_glyph_columns(site);
	bw_pen_field(&pen, room < 1 ? 1 : columns < room ? columns : room, BW_STYLE_STRONG, site);
	bw_pen_printf(&pen, BW_STYLE_DIM, columns > 0 && columns < room && site[strlen(site) - 1] == ' ' ? "%s" : " %s", alike);
	bw_pen_to(&pen, at.fate);
	bool samples = bw_session_samples(scene->session), drawn = scene->replay >= BW_REPLAY_SAMPLED;
	bw_pen_printf(&pen, BW_STYLE_DIM, drawn ? "%s %d of %d" : "%s %d of %d", !samples ? "takes" : drawn ? "sampled" : "draws", group.drawn, group.n);
	if (group.best > 0 && at.cost && scene->replay >= BW_REPLAY_COSTED)
		bw_pen_right(&pen, at.cost, BW_STYLE_DIM, "%s", bw_say_cost(group.best).text);
	if (at.wide) {
		bw_pen_to(&pen, at.memory);
		bw_pen_printf(&pen, BW_STYLE_DIM, "hash %s", bw_decision_hash(group.first->bucket_hash).text);
	}
	draw_members(scene, sheet, group.id);
}

static int by_figure(const void *left, const void *right)
{
	const struct bw_option *a = *(const struct bw_option *const *)left, *b = *(const struct bw_option *const *)right;
	return a->figure != b->figure ? (a->figure < b->figure ? -1 : 1) : a->number - b->number;
}

/* The options of a group in short, those of one figure together: `2x8 4x4 (16)  8x8 (64)`. */
static void draw_short(const struct bw_scene *scene, struct bw_pen *pen, const struct group *group)
{
	enum { MOST = 24 };
	const struct bw_option *list[MOST];
	bool second = group->id == BW_GROUP_SECOND;
	int n = 0;
	for (int i = 0; i < scene->expansion->n && n < MOST; i++)
		if (bw_option_group(&scene->expansion->options[i]) == group->id)
			list[n++] = &scene->expansion->options[i];
	qsort(list, (size_t)n, sizeof *list, by_figure);
	size_t common = group->n > 1 ? group->common : 0;
	if (common)
		bw_pen_printf(pen, BW_STYLE_DIM, "%.*s", (int)common, bw_scene_words(scene, list[0]->placement));
	for (int i = 0; i < n; i++) {
		bw_pen_printf(pen, BW_STYLE_DIM, "%s%s", i ? " " : "", bw_scene_words(scene, list[i]->placement) + common);
		bool ends = i + 1 == n || list[i + 1]->figure != list[i]->figure;
		if (ends && list[i]->figure > 0)
			bw_pen_printf(pen, BW_STYLE_PRUNED, " (%s%s%s)%s", bw_decision_figure(list[i]->rule, list[i]->figure).text, second ? " " : "", second ? bw_rule_name(list[i]->rule) : "", i + 1 < n ? " " : "");
	}
	if (group->n > n)
		bw_pen_puts(pen, BW_STYLE_DIM, " …");
}

/* Options that were pruned by one rule, or a second choice that was not needed. */
static void draw_aside(const struct bw_scene *scene, struct bw_sheet *sheet, int id)
{
	struct group group = group_of(scene, id);
	if (!group.n)
		return;
	bool wanted = bw_sheet_wanted(sheet), second = id == BW_GROUP_SECOND;
	struct bw_pen pen = head_row(scene, sheet, id);
	if (!wanted) {
		draw_members(scene, sheet, id);
		return;
	}
	if (second)
		bw_pen_puts(&pen, BW_STYLE_PRUNED, "second choice");
	else
		bw_pen_puts(&pen, BW_STYLE_PRUNED, "× pruned");
	bw_pen_printf(&pen, BW_STYLE_NORMAL, second ? "  0 of %d" : "  %d", group.n);
	if (!second) {
		bw_pen_printf(&pen, BW_STYLE_NORMAL, " by %s", bw_rule_name((enum bw_rule)id));
		if (group.first->limit > 0)
			bw_pen_printf(&pen, BW_STYLE_NORMAL, ", limit %s%s", id == BW_RULE_UNROLLED ? "< " : "", bw_decision_figure((enum bw_rule)id, group.first->limit).text);
	}
	bw_pen_puts(&pen, BW_STYLE_DIM, ":  ");
	draw_short(scene, &pen, &group);
	draw_members(scene, sheet, id);
}

static void fill_groups(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	for (int bucket = 0; bucket < scene->expansion->n_buckets; bucket++)
		draw_bucket(scene, sheet, bucket);
	for (int group = BW_GROUP_SECOND; group >= 0; group--)
		draw_aside(scene, sheet, group);
	const struct bw_decision *decision = scene->decision;
	if (!decision->made)
		return;
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_printf(&pen, BW_STYLE_DIM, "all %d states: enumerated %s → costed %s → kept %s, in %s", scene->n_states, bw_say_count((double)decision->enumerated).text,
		bw_say_count((double)decision->costed).text, bw_say_count((double)decision->kept).text, bw_say_seconds(decision->seconds).text);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	if (!scene->expansion) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_puts(&pen, BW_STYLE_DIM, scene->decision ? "No state is left to decide for." : "Every decision is made. Bksp goes back to one.");
		return;
	}
	if (scene->replay >= BW_REPLAY_BUCKETED) {
		fill_groups(scene, sheet);
		return;
	}
	for (int i = 0; i < scene->expansion->n; i++)
		bw_decision_draw_option(scene, sheet, &scene->expansion->options[i], false);
}

const struct bw_view bw_view_decision = {.name = "decision", .selects = BW_ROW_OPTION, .title = title, .head_rows = 2, .head = head, .fill = fill, .foot = bw_decision_foot};
