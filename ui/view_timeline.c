/* The timeline: the pipeline being searched, the Funcs in the order of their decisions, the cursor
 * among them, and under each Func where the selected state computes it. Below the panes: two lines on
 * the selected Func. */

#include "session/explain.h"
#include "ui/glyph.h"
#include "ui/view.h"

enum { PREFIX = 9, NAME_LIMIT = 16, MOST_ENTRIES = 256 };

/* A Func on the timeline: columns of its name between two that are blanks or brackets. */
struct entry {
	int func, decision, x, columns; /* x from the timeline's left end, cut off or not */
};

struct strip {
	int n;
	struct entry entries[MOST_ENTRIES];
	int current;            /* entry of the decision at the cursor; n: the end */
	int first, left, right; /* the part that has room: x of its first column, and columns on the screen */
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Columns at the right end for how far the search is. */
static int right_side(const struct bw_scene *scene, int columns)
{
	return columns >= 120 ? 46 : columns >= 90 ? 24 : columns < 60 ? 0 : scene->several ? 18 : 14;
}

/* Lays the Funcs out side by side, and chooses the visible part so that the current Func is in its
 * middle. */
static void lay_out(const struct bw_scene *scene, struct bw_rect rect, struct strip *strip)
{
	*strip = (struct strip){.left = PREFIX, .right = rect.columns - right_side(scene, rect.columns)};
	int x = 0;
	for (int i = scene->first; i < scene->end && strip->n < MOST_ENTRIES; i++) {
		const struct bw_decision *decision = bw_search_decision(scene->session->search, i);
		if (i <= scene->session->cursor && strip->n > 0 && strip->entries[strip->n - 1].func == decision->func)
			strip->current = strip->n - 1;
		else if (i <= scene->session->cursor)
			strip->current = strip->n;
		if (strip->n > 0 && strip->entries[strip->n - 1].func == decision->func)
			continue;
		int columns = least(bw_glyph_columns(scene->pipeline->funcs[decision->func].name), NAME_LIMIT);
		strip->entries[strip->n++] = (struct entry){decision->func, i, x, columns};
		x += columns + 1;
	}
	if (scene->session->cursor >= scene->end)
		strip->current = strip->n;
	int room = strip->right - strip->left - 2,
	    middle = strip->current < strip->n ? strip->entries[strip->current].x : x;
	strip->first = x + 6 <= room ? 0 : middle - room / 2 < 0 ? 0 : middle - room / 2;
	if (strip->first > 0 && strip->first > x + 6 - room)
		strip->first = x + 6 - room;
}

/* Returns a pen for the strip's part of the row; it cuts text outside the strip. */
static struct bw_pen strip_pen(const struct strip *strip, struct bw_grid *grid, struct bw_rect rect, int row)
{
	rect.x += strip->left;
	rect.columns = strip->right - strip->left;
	return bw_pen_at(grid, rect, row);
}

static int column_of(const struct strip *strip, const struct entry *entry)
{
	return entry->x - strip->first + 1;
}

static bool visible(const struct strip *strip, const struct entry *entry)
{
	int column = column_of(strip, entry);
	return column >= 1 && column + entry->columns + 1 < strip->right - strip->left;
}

static char place_letter(const struct bw_placed *placed)
{
	static const char roles[] = {
	    [BW_ROLE_BLOCK] = 'b', [BW_ROLE_THREAD] = 't', [BW_ROLE_SERIAL] = 's', [BW_ROLE_WARP] = 'w'};
	const struct bw_site *site = &placed->placement->compute;
	return site->kind == BW_SITE_INLINE ? 'i' : site->kind == BW_SITE_ROOT ? 'K' : roles[site->role];
}

static void draw_names(const struct bw_scene *scene, const struct strip *strip, struct bw_grid *grid,
		       struct bw_rect rect)
{
	struct bw_pen pen = strip_pen(strip, grid, rect, 1), start = pen;
	for (int i = 0; i < strip->n; i++) {
		const struct entry *entry = &strip->entries[i];
		if (!visible(strip, entry))
			continue;
		bool current = i == strip->current, selected = entry->func == scene->session->selection.func;
		struct bw_pen at = pen;
		at.x = pen.left + column_of(strip, entry) - 1;
		bw_pen_puts(&at, BW_STYLE_STRONG, current ? "[" : i > 0 && i == strip->current + 1 ? "]" : " ");
		int begin = at.x;
		bw_pen_field(&at, entry->columns,
			     current || selected  ? BW_STYLE_STRONG
			     : i > strip->current ? BW_STYLE_DIM
						  : BW_STYLE_NORMAL,
			     bw_scene_short(scene, entry->func, entry->columns));
		if (selected)
			bw_grid_flag(grid, (struct bw_rect){begin, at.y, entry->columns, 1}, 0, BW_CELL_LINKED);
		pen.x = at.x;
	}
	if (strip->first > 0)
		bw_pen_puts(&start, BW_STYLE_DIM, "‹");
	if (strip->n && !visible(strip, &strip->entries[strip->n - 1]))
		bw_pen_puts(&pen, BW_STYLE_DIM, "›");
	else if (strip->current == strip->n - 1)
		bw_pen_puts(&pen, BW_STYLE_STRONG, "]");
	else if (strip->current == strip->n)
		bw_pen_puts(&pen, BW_STYLE_STRONG, " [end]");
}

/* Returns by what fraction the best schedule would cost more with the runner-up of a decision: 0 to 1; 1
 * also for more than twice the cost. Returns -1 if this is unknown or there was no runner-up. */
static double regret_of(const struct bw_scene *scene, int decision)
{
	const struct bw_regret *regret = bw_regret_at(scene->session, decision);
	double more = regret ? regret->cost / bw_regret_best(scene->session) - 1 : 0;
	return !regret ? -1 : regret->cost <= 0 || more > 1 ? 1 : more < 0 ? 0 : more;
}

/* Draws the regrets of a Func's two decisions after its letter, one bar each. If there is room for one bar
 * only, draws the greater one. */
static void draw_regrets(const struct bw_scene *scene, const struct strip *strip, const struct entry *entry,
			 struct bw_pen *pen)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double where = regret_of(scene, entry->decision), tile = regret_of(scene, entry->decision + 1);
	int room = pen->left + column_of(strip, entry) + entry->columns + 1 - pen->x;
	if (room < 2)
		where = where > tile ? where : tile;
	for (int i = 0; i < 2 && i < room; i++) {
		double regret = i ? tile : where;
		bw_pen_puts(pen, regret < 0 ? BW_STYLE_NORMAL : bw_style_heat(regret), regret < 0 ? " " : bars[(int)(7 * regret + 0.5)]);
	}
}

static void draw_letters(const struct bw_scene *scene, const struct strip *strip, struct bw_grid *grid,
			 struct bw_rect rect)
{
	for (int i = 0; i < strip->n; i++) {
		const struct entry *entry = &strip->entries[i];
		if (!visible(strip, entry))
			continue;
		struct bw_pen pen = strip_pen(strip, grid, rect, 2);
		pen.x += column_of(strip, entry) + (entry->columns - 1) / 2;
		const struct bw_placed *placed = bw_scene_placed(scene, entry->func);
		char letter[2] = {placed ? place_letter(placed) : i == strip->current ? '?' : '.'};
		double share = bw_scene_share(scene, entry->func);
		bw_pen_puts(&pen,
			    bw_scene_changed(scene, entry->func) ? BW_STYLE_MARK
			    : share > 0                          ? bw_style_heat(share)
								 : BW_STYLE_DIM,
			    letter);
		bw_pen_puts(&pen, BW_STYLE_MARK, bw_scene_held(scene, entry->func));
		draw_regrets(scene, strip, entry, &pen);
	}
}

static const struct bw_measurement *last_measurement(const struct bw_session *session)
{
	for (int i = session->n_timings - 1; i >= 0; i--)
		if (session->timings[i].phase == BW_JOB_DONE && !session->timings[i].compiled &&
		    !session->timings[i].sampled)
			return &session->timings[i].measurement;
	return NULL;
}

/* Draws a part of the first line, or nothing if it does not fit whole. */
static void draw_part(struct bw_pen *pen, enum bw_style style, const char *text)
{
	if (bw_glyph_columns(text) <= bw_pen_left(pen))
		bw_pen_puts(pen, style, text);
}

/* Draws the search options that differ from their defaults and are not shown elsewhere on these lines:
 * `sampling=0`. */
static void draw_options(const struct bw_scene *scene, struct bw_pen *pen)
{
	static const char *const shown[] = {"gpu", "weights", "cost_model", "seed", "passes", "beam"};
	struct bw_settings initial = bw_settings_default(scene->options->device);
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	for (int i = 0; i < n; i++) {
		bool elsewhere = !infos[i].alters || !bw_setting_stored(&infos[i]);
		for (size_t s = 0; s < sizeof shown / sizeof *shown; s++)
			elsewhere |= strcmp(infos[i].name, shown[s]) == 0;
		if (elsewhere)
			continue;
		BW_SCOPED_TEXT now = {0}, then = {0};
		bw_setting_print(&infos[i], scene->options, &now);
		bw_setting_print(&infos[i], &initial, &then);
		if (strcmp(bw_text_get(&now), bw_text_get(&then)) != 0)
			draw_part(pen, BW_STYLE_MARK, bw_scene_text(scene, "   %s=%s", infos[i].name, bw_text_get(&now)));
	}
}

static void draw_subject(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect)
{
	const struct bw_session *session = scene->session;
	const struct bw_device *device = scene->options->device;
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	if (rect.columns >= 72)
		bw_pen_puts(&pen, BW_STYLE_DIM, " beamwalk ");
	bw_pen_printf(&pen, BW_STYLE_TITLE, " %s",
		      session->source.name ? session->source.name : scene->pipeline->name);
	if (session->source.size && *session->source.size)
		draw_part(&pen, BW_STYLE_NORMAL, bw_scene_text(scene, " %s", session->source.size));
	draw_part(&pen, BW_STYLE_NORMAL, bw_scene_text(scene, "  for %s", device->name));
	if (device->ptxas[0] && rect.columns >= 72)
		draw_part(&pen, BW_STYLE_NORMAL, bw_scene_text(scene, " %s", device->ptxas));
	if (!device->cpu && rect.columns >= 72)
		draw_part(&pen, BW_STYLE_NORMAL,
			  bw_scene_text(scene, ", %.0f SMs", bw_search_device(session->search)->sms));
	draw_options(scene, &pen);
	const char *unit = scene->options->model->unit;
	draw_part(&pen, BW_STYLE_DIM,
		  bw_scene_text(scene, "   %s%s%s", scene->options->model->title, *unit ? ", " : "", unit));
	draw_part(&pen, BW_STYLE_DIM,
		  bw_scene_text(scene, "   seed %llu", (unsigned long long)scene->options->seed));
	const struct bw_measurement *measured = last_measurement(session);
	if (measured)
		draw_part(&pen, BW_STYLE_DIM,
			  bw_scene_text(scene, "   times: %.40s%s", measured->device,
					bw_measurement_mark(measured)));
	else if (session->runs_on)
		draw_part(&pen, BW_STYLE_DIM,
			  bw_scene_text(scene, "   runs on %.40s%s", session->runs_on->name,
					bw_device_mark(session->runs_on)));
}

/* How far the search is, and which decision is next; at the right end of the timeline. */
static void draw_position(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect)
{
	int columns = right_side(scene, rect.columns), cursor = scene->session->cursor;
	struct bw_rect side = {rect.x + rect.columns - columns, rect.y, columns, rect.rows};
	struct bw_pen pen = bw_pen_at(grid, side, 1);
	bw_pen_to(&pen, 1);
	bool wide = columns >= 24, several = scene->several;
	if (scene->session->target >= 0) {
		int reached = bw_search_reached(scene->session->search);
		bw_pen_printf(&pen, BW_STYLE_MARK, wide ? "running %d/%d " : "%d/%d ", reached, scene->n_decisions);
		bw_pen_bar(&pen, 6, BW_STYLE_MARK, scene->n_decisions ? (double)reached / scene->n_decisions : 1);
		return;
	}
	if (several && !scene->pass)
		bw_pen_puts(&pen, BW_STYLE_STRONG, wide ? "pre-pass  " : "pre ");
	else if (several)
		bw_pen_printf(&pen, BW_STYLE_STRONG, wide ? "pass %d/%d  " : "%d/%d ", scene->pass,
			      bw_settings_passes(&scene->session->options));
	bw_pen_printf(&pen, BW_STYLE_NORMAL, wide && !several ? "decision %d/%d" : "%d/%d",
		      cursor - scene->first, scene->end - scene->first);
	if (scene->decision)
		bw_pen_printf(&pen, BW_STYLE_STRONG, ": %s", bw_phase_name(scene->decision->phase));
	if (columns > 40)
		bw_pen_printf(&pen, BW_STYLE_DIM, "   beam %d", scene->options->beam);
}

static void draw_legend(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect)
{
	int columns = right_side(scene, rect.columns);
	struct bw_rect side = {rect.x + rect.columns - columns, rect.y, columns, rect.rows};
	struct bw_pen pen = bw_pen_at(grid, side, 2);
	bw_pen_to(&pen, 1);
	if (columns > 40)
		bw_pen_puts(&pen, BW_STYLE_DIM, "K kernel b block t thread s serial i inline");
	else if (columns > 0)
		bw_pen_printf(&pen, BW_STYLE_DIM, "beam %d", scene->options->beam);
}

void bw_draw_timeline(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect)
{
	struct strip strip;
	draw_subject(scene, grid, rect);
	lay_out(scene, rect, &strip);
	struct bw_pen pen = bw_pen_at(grid, rect, 1);
	if (right_side(scene, rect.columns))
		bw_pen_puts(&pen, BW_STYLE_DIM, " order");
	else
		bw_pen_printf(&pen, BW_STYLE_NORMAL, " %d/%d", scene->session->cursor, scene->n_decisions);
	pen = bw_pen_at(grid, rect, 2);
	if (scene->state)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, " state %d", scene->session->selection.state + 1);
	draw_names(scene, &strip, grid, rect);
	draw_letters(scene, &strip, grid, rect);
	draw_position(scene, grid, rect);
	draw_legend(scene, grid, rect);
}

int bw_timeline_at(const struct bw_scene *scene, struct bw_rect rect, int x)
{
	struct strip strip;
	lay_out(scene, rect, &strip);
	for (int i = 0; i < strip.n; i++) {
		int from = rect.x + strip.left + column_of(&strip, &strip.entries[i]);
		if (visible(&strip, &strip.entries[i]) && x >= from && x < from + strip.entries[i].columns)
			return strip.entries[i].decision;
	}
	return -1;
}
