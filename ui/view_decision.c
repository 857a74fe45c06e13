/* The decision in full: its funnel by stage, and every option at the replayed stage, from the buckets on
 * in groups that can be folded. */

#include "base/arith.h"
#include "session/explain.h"
#include "ui/decision.h"
#include "ui/glyph.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	if (!scene->decision)
		return bw_scene_all_made(scene);
	*right = bw_scene_text(scene, "hash depth %d   from state %d of %d", scene->pass,
			       scene->session->selection.state + 1, scene->n_states);
	const char *where = scene->decision->phase == BW_PHASE_WHERE ? "where to compute it" : "how to tile it";
	const char *pass = scene->several ? bw_scene_text(scene, " in %s", bw_scene_pass(scene, scene->pass)) : "";
	return bw_scene_text(scene, "DECISION %d of %d%s   %s: %s", scene->session->cursor - scene->first,
			     scene->end - scene->first, pass,
			     scene->pipeline->funcs[scene->decision->func].name, where);
}

/* Returns the columns that the funnel takes with names, and with blanks around its arrows. */
static int funnel_columns(const struct bw_funnel *funnel)
{
	int columns = 0;
	for (int stage = 0; stage < BW_N_REPLAYS; stage++)
		columns += 4 + bw_glyph_columns(bw_replay_name((enum bw_replay)stage)) +
			   snprintf(NULL, 0, "%d", funnel->n[stage]);
	return columns - 1;
}

/* Draws the funnel: the number of options that reached each stage, with the current stage in brackets.
 * Drops blanks if the names do not fit; on a narrow screen names only the current stage. */
static void draw_funnel(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { NAMED = 72, HINTED = 92 };
	struct bw_funnel funnel = bw_expansion_funnel(scene->expansion);
	int width = sheet->grid.columns - sheet->margin;
	enum bw_replay last = bw_session_last_replay(scene->session);
	bool named = width >= NAMED, tight = named && funnel_columns(&funnel) > width;
	struct bw_pen pen = bw_sheet_plain(sheet);
	pen.x -= scene->replay == BW_REPLAY_ENUMERATED;
	for (int stage = 0; stage < BW_N_REPLAYS; stage++) {
		bool shown = stage == (int)scene->replay;
		enum bw_style style = shown ? BW_STYLE_STRONG : stage > (int)scene->replay ? BW_STYLE_DIM : BW_STYLE_NORMAL;
		bw_pen_puts(&pen, BW_STYLE_DIM, stage ? "→" : "");
		bw_pen_puts(&pen, style, shown ? "[" : stage && !tight ? " " : "");
		if (shown || named)
			bw_pen_printf(&pen, style, "%s ", bw_replay_name((enum bw_replay)stage));
		bw_pen_puts(&pen, style, stage > (int)last ? "?" : bw_scene_text(scene, "%d", funnel.n[stage]));
		bw_pen_puts(&pen, style, shown ? "]" : tight ? "" : " ");
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

/* The options of a group, and the common beginning of their words: `at output.block `. */
struct group {
	int id, n, drawn;
	const struct bw_option *const *members;
	size_t common; /* bytes of the common beginning */
	double best;   /* cost of the cheapest; 0: none has a cost */
};

/* An option with its group, and its order there: drawn ones first, then by cost. */
struct ordered {
	const struct bw_option *option;
	int group;
	double key;
};

static struct ordered ordered(const struct bw_scene *scene, const struct bw_option *option)
{
	struct ordered in_order = {option, bw_option_group(option), 0};
	bool drawn = option->fate != BW_FATE_UNSAMPLED;
	if (in_order.group >= BW_GROUP_BUCKETS && scene->replay >= BW_REPLAY_SAMPLED)
		in_order.key = !drawn ? HUGE_VAL : scene->replay >= BW_REPLAY_COSTED ? option->cost : 0;
	return in_order;
}

BW_ORDER(by_group, struct ordered,
	  4 * BW_COMPARE(a->group, b->group) + 2 * BW_COMPARE(a->key, b->key) +
	   BW_COMPARE(a->option->number, b->option->number))

static size_t common_words(const char *a, const char *b, size_t length)
{
	size_t same = 0;
	while (same < length && a[same] == b[same])
		same++;
	while (same > 0 && a[same - 1] != ' ')
		same--;
	return same;
}

/* Computes the figures at the head of a group. */
static void sum_up(const struct bw_scene *scene, struct group *group)
{
	const char *first = bw_scene_words(scene, group->members[0]->placement);
	group->common = strlen(first);
	for (int i = 0; i < group->n; i++) {
		const struct bw_option *option = group->members[i];
		bool drawn = option->fate != BW_FATE_UNSAMPLED;
		if (i && group->common)
			group->common = common_words(first, bw_scene_words(scene, option->placement), group->common);
		group->drawn += drawn;
		group->best = option->cost > 0 && drawn && (group->best == 0 || option->cost < group->best)
				  ? option->cost
				  : group->best;
	}
}

static void draw_members(const struct bw_scene *scene, struct bw_sheet *sheet, const struct group *group)
{
	if (bw_session_folded(scene->session, group->id))
		return;
	for (int i = 0; i < group->n; i++)
		bw_decision_draw_option(scene, sheet, group->members[i], true);
}

static struct bw_pen head_row(const struct bw_scene *scene, struct bw_sheet *sheet, int id)
{
	struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_GROUP, .index = id});
	bw_pen_puts(&pen, BW_STYLE_DIM, bw_session_folded(scene->session, id) ? "▸ " : "▾ ");
	return pen;
}

/* Returns the words that a group's options share, without trailing blank. To fit into `columns`, leaves
 * out `at `, then the middle of the host's name, or all of it. */
static const char *shared_words(const struct bw_scene *scene, const struct group *group, int columns)
{
	enum { LEAST_SITE = 14 };
	const struct bw_placement *first = group->members[0]->placement;
	size_t length = group->common;
	const char *words = bw_scene_words(scene, first);
	length -= length && words[length - 1] == ' ';
	words = bw_scene_text(scene, "%.*s", (int)length, words);
	bool at = first && first->compute.kind == BW_SITE_AT && length;
	if (at && bw_glyph_columns(words) > columns)
		words += strlen("at ");
	if (at && bw_glyph_columns(words) > columns && columns < LEAST_SITE)
		words += strlen(scene->pipeline->funcs[first->compute.func].name) + 1;
	char shorter[256];
	bw_glyph_shorten(words, columns < 1 ? 1 : columns, shorter, sizeof shorter);
	return bw_scene_text(scene, "%s", shorter);
}

/* Draws the shared words of a bucket's options and their number, `at output.block 5 alike`, in
 * `columns` columns. */
static void draw_alike(const struct bw_scene *scene, struct bw_pen *pen, const struct group *group,
		       int columns)
{
	const char *alike = group->n > 1 ? bw_scene_text(scene, "%d alike", group->n) : "alone";
	int room = columns - 1 - bw_glyph_columns(alike);
	const char *site = shared_words(scene, group, room);
	int needed = bw_glyph_columns(site);
	bw_pen_field(pen, needed < room ? needed : room < 1 ? 1 : room, BW_STYLE_STRONG, site);
	bw_pen_printf(pen, BW_STYLE_DIM, needed ? " %s" : "%s", alike);
}

/* Draws a bucket: options with the same structure. */
static void draw_bucket(const struct bw_scene *scene, struct bw_sheet *sheet, struct group *group)
{
	enum { LETTERS = 5 };
	struct bw_decision_columns at = bw_decision_columns(sheet->grid.columns - sheet->margin);
	bool wanted = bw_sheet_wanted(sheet), samples = bw_session_samples(scene->session),
	     drawn = scene->replay >= BW_REPLAY_SAMPLED;
	struct bw_pen pen = head_row(scene, sheet, group->id);
	if (!wanted) {
		draw_members(scene, sheet, group);
		return;
	}
	BW_SCOPED_TEXT letter = {0};
	sum_up(scene, group);
	bw_group_name(group->id, &letter);
	bw_pen_field(&pen, LETTERS, BW_STYLE_TITLE, bw_text_get(&letter));
	draw_alike(scene, &pen, group, at.fate - (pen.x - pen.left) - 1);
	bw_pen_to(&pen, at.fate);
	const char *verb = !samples ? "takes" : drawn ? "sampled" : "draws",
		   *count = group->drawn == group->n && group->n >= 100
				     ? bw_scene_text(scene, "all %d", group->n)
				     : bw_scene_text(scene, "%d of %d", group->drawn, group->n);
	bw_pen_printf(&pen, BW_STYLE_DIM, "%s %s", verb, count);
	if (group->best > 0 && at.cost && scene->replay >= BW_REPLAY_COSTED)
		bw_pen_right(&pen, at.cost, BW_STYLE_DIM, "%s", bw_say_cost(group->best).text);
	if (at.wide && group->members[0]->bucket_hash) {
		BW_SCOPED_TEXT hash = {0};
		bw_hash_words(group->members[0]->bucket_hash, &hash);
		bw_pen_to(&pen, at.memory);
		bw_pen_printf(&pen, BW_STYLE_DIM, "hash %s", bw_text_get(&hash));
	}
	draw_members(scene, sheet, group);
}

BW_ORDER(by_figure, struct bw_option *,
	  2 * BW_COMPARE((*a)->figure, (*b)->figure) + BW_COMPARE((*a)->number, (*b)->number))

/* Draws the options of a group in short, grouped by figure: `2x8 4x4 (16)  8x8 (64)`. */
static void draw_short(const struct bw_scene *scene, struct bw_pen *pen, const struct group *group)
{
	enum { MOST = 24, SITE = 24 };
	const struct bw_option *list[MOST];
	bool second = group->id == BW_GROUP_SECOND;
	int n = group->n < MOST ? group->n : MOST;
	memcpy(list, group->members, (size_t)n * sizeof *list);
	qsort(list, (size_t)n, sizeof *list, by_figure);
	size_t common = group->n > 1 ? group->common : 0;
	if (common)
		bw_pen_printf(pen, BW_STYLE_DIM, "%s ", shared_words(scene, group, SITE));
	for (int i = 0; i < n; i++) {
		bw_pen_printf(pen, BW_STYLE_DIM, "%s%s", i ? " " : "", bw_scene_words(scene, list[i]->placement) + common);
		bool ends = i + 1 == n || list[i + 1]->figure != list[i]->figure;
		if (ends && list[i]->figure > 0)
			bw_pen_printf(pen, BW_STYLE_PRUNED, " (%s%s%s)%s",
				      bw_decision_figure(list[i]->rule, list[i]->figure).text,
				      second ? " " : "", second ? bw_rule_name(list[i]->rule) : "",
				      i + 1 < n ? " " : "");
	}
	if (group->n > n)
		bw_pen_puts(pen, BW_STYLE_DIM, " …");
}

/* Draws options that one rule pruned, or second choices that were not needed. */
static void draw_aside(const struct bw_scene *scene, struct bw_sheet *sheet, struct group *group)
{
	bool wanted = bw_sheet_wanted(sheet);
	enum bw_rule rule = (enum bw_rule)group->id;
	struct bw_pen pen = head_row(scene, sheet, group->id);
	if (!wanted) {
		draw_members(scene, sheet, group);
		return;
	}
	sum_up(scene, group);
	double limit = group->members[0]->limit;
	if (group->id == BW_GROUP_SECOND) {
		bw_pen_puts(&pen, BW_STYLE_PRUNED, "second choice");
		bw_pen_printf(&pen, BW_STYLE_NORMAL, "  0 of %d", group->n);
	} else {
		bw_pen_puts(&pen, BW_STYLE_PRUNED, "× pruned");
		bw_pen_printf(&pen, BW_STYLE_NORMAL, "  %d by %s", group->n, bw_rule_name(rule));
		if (limit > 0)
			bw_pen_printf(&pen, BW_STYLE_NORMAL, ", limit %s", bw_decision_figure(rule, limit).text);
	}
	bw_pen_puts(&pen, BW_STYLE_DIM, ":  ");
	draw_short(scene, &pen, group);
	draw_members(scene, sheet, group);
}

/* Draws the figures of this decision over all states of the beam. */
static void draw_all_states(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_decision *decision = scene->decision;
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_printf(&pen, BW_STYLE_DIM, "%s: enumerated %s → costed %s → kept %s, in %s",
		      scene->n_states == 1 ? "the one state" : bw_scene_text(scene, "all %d states", scene->n_states),
		      bw_say_count((double)decision->enumerated).text,
		      bw_say_count((double)decision->costed).text, bw_say_count((double)decision->kept).text,
		      bw_say_seconds(decision->seconds).text);
}

/* Adds the options by group: buckets in order, then second choices, then pruned options by rule, the last
 * rule first. */
static void fill_groups(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int n = scene->expansion->n, n_groups = 0;
	struct ordered *in_order = BW_ARENA_ARRAY(scene->arena, struct ordered, n);
	const struct bw_option **sorted = BW_ARENA_ARRAY(scene->arena, const struct bw_option *, n);
	struct group *groups = BW_ARENA_ARRAY(scene->arena, struct group, n);
	for (int i = 0; i < n; i++)
		in_order[i] = ordered(scene, &scene->expansion->options[i]);
	if (n)
		qsort(in_order, (size_t)n, sizeof *in_order, by_group);
	for (int i = 0; i < n; i++) {
		sorted[i] = in_order[i].option;
		if (i == 0 || in_order[i].group != groups[n_groups - 1].id)
			groups[n_groups++] = (struct group){.id = in_order[i].group, .members = &sorted[i]};
		groups[n_groups - 1].n++;
	}
	int first = 0;
	while (first < n_groups && groups[first].id < BW_GROUP_BUCKETS)
		first++;
	for (int g = first; g < n_groups; g++)
		draw_bucket(scene, sheet, &groups[g]);
	for (int g = first - 1; g >= 0; g--)
		draw_aside(scene, sheet, &groups[g]);
	if (scene->decision->made)
		draw_all_states(scene, sheet);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	if (!scene->expansion && !scene->decision) {
		bw_decision_end(scene, sheet);
		return;
	}
	if (!scene->expansion) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_puts(&pen, BW_STYLE_DIM,
			    bw_session_under_way(scene->session) ? "Its options are being looked up ..."
								 : "No state is left to decide for.");
		return;
	}
	bw_decision_draw_held(scene, sheet);
	if (scene->replay >= BW_REPLAY_BUCKETED) {
		fill_groups(scene, sheet);
		return;
	}
	for (int i = 0; i < scene->expansion->n; i++)
		bw_decision_draw_option(scene, sheet, &scene->expansion->options[i], false);
}

const struct bw_view bw_view_decision = {.name = "decision",
					 .selects = BW_ROW_OPTION,
					 .title = title,
					 .head_rows = 2,
					 .head = head,
					 .fill = fill,
					 .foot = bw_decision_foot};
