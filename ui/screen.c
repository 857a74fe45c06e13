#include "ui/screen.h"

#include "base/arith.h"
#include "base/file.h"
#include "session/advice.h"
#include "session/alternatives.h"
#include "session/counters.h"
#include "ui/glyph.h"

enum { DEFAULT_COLUMNS = 100, DEFAULT_ROWS = 30, FOOT_ROWS = 4, LEAST_PICTURE = 11, LESSON_PERCENT = 45 };
/* Limits on the rows that a picture takes of the rows left by its view. More rows would be slow to send to
 * the terminal. */
enum { LEAST_SPARE = 5, MOST_SPARE = 13, SPARE_PERCENT = 54 };

struct bw_screen *bw_screen_new(struct bw_session *session, bool ascii)
{
	struct bw_screen *screen = BW_NEW(struct bw_screen);
	*screen = (struct bw_screen){.session = session,
				     .arena = bw_arena_new(),
				     .menu = -1,
				     .ascii = ascii,
				     .columns = DEFAULT_COLUMNS,
				     .rows = DEFAULT_ROWS};
	return screen;
}

void bw_screen_free(struct bw_screen *screen)
{
	if (!screen)
		return;
	bw_arena_free(screen->arena);
	bw_text_free(&screen->answer.text);
	free(screen);
}

static const struct bw_view *const views[BW_N_SHEETS] = {
#define X(id, name, kind, meaning) &bw_view_##name,
	BW_VIEW_TABLE(X)
#undef X
};

/* Returns the sheet of the view that takes the whole screen, or BW_N_SHEETS if the panes are shown. */
static enum bw_sheet_id whole_screen(const struct bw_screen *screen)
{
	for (int id = BW_N_PANES; id < BW_N_SHEETS; id++)
		if (strcmp(views[id]->name, screen->session->view) == 0)
			return id;
	return BW_N_SHEETS;
}

/* Returns the number of rows that an error needs besides the message's row. With them, the error does not
 * cover the band. */
static int rows_beyond(const struct bw_screen *screen, int band_rows)
{
	int rows = band_rows ? bw_error_rows(screen) : 0;
	return rows > 1 ? rows - 1 : 0;
}

struct bw_layout bw_screen_layout(const struct bw_screen *screen)
{
	const struct bw_lesson_run *lesson = bw_session_lesson(screen->session);
	BW_SCOPED_SHEET tour = bw_tour_sheet(screen);
	int most = lesson ? screen->rows * LESSON_PERCENT / 100 : screen->rows / 3,
	    wanted = lesson ? bw_lesson_rows(screen) : tour.n_rows, rows = wanted < most ? wanted : most;
	struct bw_layout layout = bw_layout_make(screen->columns, screen->rows, screen->focus, rows,
						 rows_beyond(screen, rows));
	if (lesson && lesson->lecture) {
		bw_layout_alone(&layout, screen->focus);
		return layout;
	}
	bw_layout_share(&layout, screen->needs);
	bw_layout_share_columns(&layout, screen->widths[0], screen->widths[1]);
	return layout;
}

/* Returns the number of columns that the rows of a view need in order not to be cut. */
static int width_of(const struct bw_screen *screen, const struct bw_scene *scene, const struct bw_view *view)
{
	enum { MOST = 160 };
	int width = 0;
	BW_SCOPED_SHEET sheet = bw_sheet_new(MOST, screen->ascii);
	view->fill(scene, &sheet);
	for (int y = 0; y < sheet.n_rows; y++)
		for (int x = MOST - 1; x >= width; x--)
			if (bw_grid_at(&sheet.grid, x, y)->glyph != ' ') {
				width = x + 1;
				break;
			}
	return width;
}

/* Finds the number of rows that each pane needs, with its title. Only at the end of the search are panes
 * sized by need; at decisions they keep their sizes while the cursor moves. */
static void find_needs(struct bw_screen *screen, const struct bw_scene *scene)
{
	enum { TEXT = 44 }; /* columns for sentences */
	memset(screen->needs, 0, sizeof screen->needs);
	memset(screen->widths, 0, sizeof screen->widths);
	struct bw_layout plain = bw_screen_layout(screen);
	if (scene->state && plain.panes[BW_SHEET_NEST].rows > 0 &&
	    plain.panes[BW_SHEET_NEST].y == plain.panes[BW_SHEET_OPTIONS].y) {
		screen->widths[0] = width_of(screen, scene, views[BW_SHEET_NEST]);
		screen->widths[1] = scene->decision ? width_of(screen, scene, views[BW_SHEET_OPTIONS]) : TEXT;
	}
	if (scene->decision || !scene->state)
		return;
	struct bw_layout layout = bw_screen_layout(screen);
	for (int pane = 0; pane < BW_N_PANES; pane++) {
		BW_SCOPED_SHEET sheet = bw_sheet_new(layout.panes[pane].columns, screen->ascii);
		sheet.to = 0;
		if (layout.panes[pane].rows > 0)
			views[pane]->fill(scene, &sheet);
		screen->needs[pane] = sheet.n_rows + 1;
	}
}

static void make_scene(struct bw_screen *screen, struct bw_scene *scene)
{
	bw_scene_make(scene, screen->session, screen->arena);
	scene->marks = screen->marks;
	scene->keymap = screen->keymap;
}

/* Returns the row of the selected option or group of options. If the option's group is folded, returns the
 * group's row. */
static int selected_option(const struct bw_screen *screen, enum bw_sheet_id id, const struct bw_sheet *sheet)
{
	const struct bw_selection *selection = &screen->session->selection;
	const struct bw_expansion *expansion = bw_session_expansion_soon(screen->session);
	int row = selection->option < 0 ? -1 : bw_sheet_find(sheet, BW_ROW_OPTION, selection->option);
	if (id != BW_SHEET_DECISION || row >= 0 || !expansion)
		return row;
	int group = selection->group >= 0 || selection->option < 0
			? selection->group
			: bw_option_group(&expansion->options[selection->option]);
	return group < 0 ? -1 : bw_sheet_find(sheet, BW_ROW_GROUP, group);
}

int bw_screen_menu(const struct bw_screen *screen)
{
	int n, view = 0;
	const struct bw_view_info *infos = bw_view_infos(&n);
	if (screen->menu >= 0)
		return screen->menu;
	while (view + 1 < n && strcmp(infos[view].name, bw_session_view_behind(screen->session)))
		view++;
	return view;
}

/* Returns the row of the selected Func. If the Func has several rows, returns the row where the cursor was
 * put, or else the first. */
static int selected_func(const struct bw_screen *screen, enum bw_sheet_id id, const struct bw_sheet *sheet)
{
	int cursor = screen->cursor[id], func = screen->session->selection.func;
	const struct bw_row *row = cursor < sheet->n_rows ? &sheet->rows[cursor] : NULL;
	return row && row->kind == BW_ROW_FUNC && row->index == func && !row->again
		   ? cursor
		   : bw_sheet_find(sheet, BW_ROW_FUNC, func);
}

/* Returns the row of a sheet that shows the session's selection. */
static int selected_row(const struct bw_screen *screen, const struct bw_view *view, enum bw_sheet_id id,
			const struct bw_sheet *sheet)
{
	const struct bw_session *session = screen->session;
	if (view->selects == BW_ROW_FUNC)
		return selected_func(screen, id, sheet);
	if (view->selects == BW_ROW_OPTION)
		return selected_option(screen, id, sheet);
	int index = view->selects == BW_ROW_STATE         ? session->selection.state
		    : view->selects == BW_ROW_DECISION    ? bw_session_listed(session)
		    : view->selects == BW_ROW_POINT       ? bw_session_point(session)
		    : view->selects == BW_ROW_ALTERNATIVE ? session->selection.alternative
		    : view->selects == BW_ROW_CANDIDATE   ? bw_session_candidate(session)
		    : view->selects == BW_ROW_SAMPLE      ? session->selection.sample
		    : view->selects == BW_ROW_LINE        ? bw_session_line(session, NULL)
		    : view->selects == BW_ROW_OPINION     ? session->selection.opinion
		    : view->selects == BW_ROW_VIEW        ? bw_screen_menu(screen)
							  : -1;
	return index < 0 ? -1 : bw_sheet_find(sheet, view->selects, index);
}

const struct bw_view *bw_screen_view(enum bw_sheet_id id)
{
	return views[id];
}

int bw_screen_selected(const struct bw_screen *screen, enum bw_sheet_id id, const struct bw_sheet *sheet)
{
	return selected_row(screen, views[id], id, sheet);
}

/* Returns the rectangle of a full-screen view: its title, its rows, and its foot if it has one. */
static struct bw_rect whole_rect(const struct bw_layout *layout)
{
	struct bw_rect rect = layout->body;
	rect.rows += layout->detail.rows;
	return rect;
}

/* Returns how many of `rows` rows a view leaves free, `columns` wide. Returns 0 if the view has no
 * selectable rows. */
static int spare_rows(const struct bw_scene *scene, const struct bw_view *view, int columns, int rows)
{
	BW_SCOPED_SHEET sheet = bw_sheet_new(columns, true);
	sheet.to = 0;
	view->fill(scene, &sheet);
	bool lists = false;
	for (int i = 0; i < sheet.n_rows; i++)
		lists |= sheet.rows[i].kind != BW_ROW_PLAIN;
	return lists ? rows - sheet.n_rows : 0;
}

/* Returns the rectangle of a view's rows, between its head and its foot. A picture in the head gets the
 * space that the rows leave free. */
static struct bw_rect rows_rect(const struct bw_scene *scene, const struct bw_view *view, struct bw_rect rect)
{
	int foot = view->foot && rect.rows > 3 * FOOT_ROWS ? FOOT_ROWS : 0, head = 0;
	if (view->head && view->head_rows < 0) {
		int spare = spare_rows(scene, view, rect.columns, rect.rows - 1 - foot),
		    wanted = rect.rows > LEAST_PICTURE ? rect.rows * -view->head_rows / 100 : 0;
		int64_t most = bw_max(MOST_SPARE, rect.rows * SPARE_PERCENT / 100);
		head = spare >= LEAST_SPARE ? (int)bw_max(wanted, bw_min(spare, most)) : wanted;
	} else if (view->head && rect.rows > 2 * view->head_rows) {
		head = view->head_rows;
	}
	return (struct bw_rect){rect.x, rect.y + 1 + head, rect.columns,
				rect.rows > foot + head + 1 ? rect.rows - foot - head - 1 : 0};
}

/* Returns the numbers of hidden rows, `↑12 ↓228`; empty if all are visible. */
static const char *hidden_rows(const struct bw_scene *scene, int above, int below)
{
	const char *up = above > 0 ? bw_scene_text(scene, " ↑%d", above) : "";
	return below > 0 ? bw_scene_text(scene, "%s ↓%d", up, below) : up;
}

static void draw_title(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect,
		       const struct bw_view *view, bool focused, const char *hidden)
{
	const char *right = NULL, *title = view->title(scene, &right);
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	if (!*title)
		return;
	if (*hidden)
		right = bw_scene_text(scene, "%s%s", right ? right : "", right ? hidden : hidden + 1);
	if (right && *hidden && bw_glyph_columns(title) + bw_glyph_columns(right) + 4 > rect.columns)
		right = hidden + 1;
	if (right && bw_glyph_columns(title) + bw_glyph_columns(right) + 4 > rect.columns)
		right = NULL;
	int end = right ? bw_glyph_columns(right) + 1 : 0;
	pen.right -= end;
	bw_pen_puts(&pen, focused ? BW_STYLE_TITLE : BW_STYLE_DIM, bw_scene_text(scene, " %s ", title));
	while (bw_pen_left(&pen) > 0)
		bw_pen_puts(&pen, BW_STYLE_DIM, focused ? "━" : "─");
	pen.right += end;
	if (right)
		bw_pen_printf(&pen, BW_STYLE_DIM, " %s", right);
}

static void draw_head(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect,
		      const struct bw_view *view)
{
	BW_SCOPED_SHEET sheet = bw_sheet_new(rect.columns, grid->ascii);
	sheet.to = rect.rows;
	view->head(scene, &sheet);
	bw_grid_copy(grid, rect, &sheet.grid, 0);
}

static void draw_foot(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect,
		      const struct bw_view *view)
{
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	bw_pen_rule(&pen, BW_STYLE_RULE);
	BW_SCOPED_SHEET sheet = bw_sheet_new(rect.columns, grid->ascii);
	view->foot(scene, &sheet);
	bw_grid_copy(grid, (struct bw_rect){rect.x, rect.y + 1, rect.columns, rect.rows - 1}, &sheet.grid, 0);
}

/* Returns a view's sheet with text in the visible rows only. First fills the sheet without text to find
 * out which rows are visible. */
static struct bw_sheet visible_sheet(const struct bw_screen *screen, const struct bw_scene *scene,
				     const struct bw_view *view, enum bw_sheet_id id, struct bw_rect rows)
{
	struct bw_sheet sheet = bw_sheet_new(rows.columns, screen->ascii);
	sheet.to = 0;
	view->fill(scene, &sheet);
	int first =
	    bw_sheet_scroll(&sheet, screen->first[id], rows.rows, selected_row(screen, view, id, &sheet));
	first = bw_sheet_scroll_past(&sheet, first, rows.rows, screen->past[id]);
	bw_sheet_free(&sheet);
	sheet = bw_sheet_new(rows.columns, screen->ascii);
	sheet.from = first;
	sheet.to = first + rows.rows;
	view->fill(scene, &sheet);
	return sheet;
}

/* Returns the rectangle of a view's rows, widened by the columns that are scrolled out of sight. */
static struct bw_rect panned(const struct bw_screen *screen, enum bw_sheet_id id, struct bw_rect rows)
{
	rows.columns += screen->pan[id];
	return rows;
}

void bw_screen_pan(struct bw_screen *screen, int by)
{
	enum { STEP = 8, MOST = 160 };
	enum bw_sheet_id id = whole_screen(screen);
	int *pan = &screen->pan[id == BW_N_SHEETS ? (enum bw_sheet_id)screen->focus : id];
	*pan += by * STEP;
	*pan = *pan < 0 ? 0 : *pan > MOST ? MOST : *pan;
	if (*pan)
		snprintf(screen->notice, sizeof screen->notice, "rows from column %d; < goes back", *pan);
}

/* Draws a view into its rectangle. Returns the screen row of the selected row, or -1 if it is not visible. */
static int draw_view(struct bw_screen *screen, const struct bw_scene *scene, struct bw_grid *grid,
		     struct bw_rect rect, enum bw_sheet_id id, bool focused)
{
	const struct bw_view *view = views[id];
	if (rect.rows <= 0)
		return -1;
	const char *explained = bw_session_view_behind(scene->session);
	if (id == BW_SHEET_HELP && strcmp(screen->explained, explained)) {
		snprintf(screen->explained, sizeof screen->explained, "%s", explained);
		screen->first[id] = 0;
	}
	struct bw_rect rows = rows_rect(scene, view, rect);
	struct bw_scene sized = *scene;
	sized.rows = rows.rows;
	scene = &sized;
	BW_SCOPED_SHEET sheet = visible_sheet(screen, scene, view, id, panned(screen, id, rows));
	int linked = view->selects == BW_ROW_FUNC ? screen->session->selection.func : -1;
	struct bw_sheet_look look = {selected_row(screen, view, id, &sheet),
				     focused,
				     &screen->first[id],
				     linked,
				     screen->pan[id],
				     screen->past[id]};
	int y = bw_sheet_show(&sheet, grid, rows, &look),
	    first = bw_sheet_scroll_past(&sheet, screen->first[id], rows.rows, screen->past[id]);
	draw_title(scene, grid, rect, view, focused && (int)id < BW_N_PANES,
		   hidden_rows(scene, first, sheet.n_rows - first - rows.rows));
	int head = rows.y - rect.y - 1, foot = rect.rows - 1 - head - rows.rows;
	if (head > 0)
		draw_head(scene, grid, (struct bw_rect){rect.x, rect.y + 1, rect.columns, head}, view);
	if (foot > 0)
		draw_foot(scene, grid, (struct bw_rect){rect.x, rect.y + rect.rows - foot, rect.columns, foot}, view);
	return y;
}

static void draw_panes(struct bw_screen *screen, const struct bw_scene *scene, struct bw_grid *grid,
		       const struct bw_layout *layout, int *x, int *y)
{
	for (int pane = 0; pane < BW_N_PANES; pane++) {
		bool focused = pane == (int)screen->focus;
		int row = draw_view(screen, scene, grid, layout->panes[pane], (enum bw_sheet_id)pane, focused);
		if (focused) {
			*x = layout->panes[pane].x;
			*y = row >= 0 ? row : layout->panes[pane].y;
		}
	}
	bw_draw_detail(scene, grid, layout->detail);
}

void bw_screen_draw(struct bw_screen *screen, struct bw_grid *grid, int *x, int *y)
{
	struct bw_scene scene;
	bw_screen_choose(screen);
	bw_lesson_observe(screen->session);
	bw_arena_reset(screen->arena);
	make_scene(screen, &scene);
	bw_grid_resize(grid, screen->columns, screen->rows);
	grid->ascii = screen->ascii;
	find_needs(screen, &scene);
	struct bw_layout layout = bw_screen_layout(screen);
	struct bw_rect whole = whole_rect(&layout);
	enum bw_sheet_id id = whole_screen(screen);
	*x = *y = 0;
	bw_draw_timeline(&scene, grid, layout.header);
	if (id == BW_N_SHEETS) {
		draw_panes(screen, &scene, grid, &layout, x, y);
	} else {
		int row = draw_view(screen, &scene, grid, whole, id, true);
		*y = row >= 0 ? row : whole.y;
	}
	bw_draw_answer(screen, grid, whole);
	if (bw_session_lesson(screen->session))
		bw_draw_lesson(screen, grid, layout.band);
	else
		bw_draw_tour(screen, grid, layout.band);
	bw_draw_message(screen, grid, layout.message);
	bw_draw_keys(screen, grid, &layout);
}

void bw_front_open(struct bw_front *front, struct bw_screen *screen, bool text)
{
	struct bw_layout layout = bw_screen_layout(screen);
	enum bw_sheet_id id = whole_screen(screen);
	front->id = id == BW_N_SHEETS ? (enum bw_sheet_id)screen->focus : id;
	front->view = views[front->id];
	bw_arena_reset(screen->arena);
	make_scene(screen, &front->scene);
	front->rect = rows_rect(&front->scene, front->view,
				id == BW_N_SHEETS ? layout.panes[screen->focus] : whole_rect(&layout));
	front->scene.rows = front->rect.rows;
	front->sheet = bw_sheet_new(front->rect.columns + screen->pan[front->id], screen->ascii);
	front->sheet.to = text ? front->sheet.to : 0;
	front->view->fill(&front->scene, &front->sheet);
	front->selected = selected_row(screen, front->view, front->id, &front->sheet);
}

void bw_front_close(struct bw_front *front)
{
	bw_sheet_free(&front->sheet);
}

static bool shows(const struct bw_screen *screen, const char *view)
{
	return strcmp(screen->session->view, view) == 0;
}

void bw_screen_choose(struct bw_screen *screen)
{
	bool options = shows(screen, "decision") ||
		       (shows(screen, "main") && screen->focus == BW_SHEET_OPTIONS);
	if (!options || screen->session->selection.option >= 0 || screen->session->selection.group >= 0 ||
	    screen->session->target >= 0)
		return;
	struct bw_front front;
	bw_front_open(&front, screen, false);
	struct bw_selection selection = screen->session->selection;
	for (int row = 0; row < front.sheet.n_rows && selection.option < 0; row++)
		if (front.sheet.rows[row].kind == BW_ROW_OPTION)
			selection.option = front.sheet.rows[row].index;
	bw_session_select(screen->session, &selection);
	bw_front_close(&front);
}

void bw_screen_complete(struct bw_session *session, const char *view)
{
	bw_session_expansion(session);
	if (!strcmp(view, bw_view_override.name) || session->selection.alternative > 0)
		bw_session_alternatives_all(session);
	if (!strcmp(view, bw_view_roofline.name))
		bw_session_trials_all(session);
}

bool bw_screen_save(struct bw_session *session, const char *path, int columns, int rows, void *data,
		    struct bw_error *error)
{
	bool svg = bw_ends_with(path, ".svg");
	if (!svg && !bw_ends_with(path, ".txt"))
		return bw_fail(error, BW_ERROR_USAGE, "screenshot takes FILE.txt or FILE.svg, not \"%s\"", path);
	struct bw_screen *shown = data, *screen = shown ? shown : bw_screen_new(session, false);
	int old_columns = screen->columns, old_rows = screen->rows, x, y;
	screen->columns = columns > 0 ? columns : screen->columns;
	screen->rows = rows > 0 ? rows : screen->rows;
	BW_SCOPED_GRID grid = bw_grid_new(0, 0, screen->ascii);
	bw_screen_complete(session, session->view);
	bw_screen_draw(screen, &grid, &x, &y);
	BW_SCOPED_TEXT text = {0};
	if (svg)
		bw_grid_svg(&grid, &text);
	else
		bw_grid_text(&grid, &text);
	bool good = bw_file_write(path, bw_text_get(&text), text.length, error);
	screen->columns = old_columns;
	screen->rows = old_rows;
	if (!shown)
		bw_screen_free(screen);
	return good;
}
