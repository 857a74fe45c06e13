#include "ui/print.h"

#include "ui/screen.h"

enum { COLUMNS = 100, HEADER_ROWS = 3 };

static void append_grid(const struct bw_grid *grid, struct bw_text *out)
{
	BW_SCOPED_TEXT text = {0};
	bw_grid_text(grid, &text);
	bw_text_append(out, bw_text_get(&text), text.length);
}

/* Appends the rows at a view's top or foot, if it has any. */
static void print_rows(const struct bw_scene *scene,
		       void (*fill)(const struct bw_scene *scene, struct bw_sheet *sheet), bool ascii,
		       struct bw_text *out)
{
	if (!fill)
		return;
	struct bw_sheet sheet = bw_sheet_new(COLUMNS, ascii);
	fill(scene, &sheet);
	append_grid(&sheet.grid, out);
	bw_sheet_free(&sheet);
}

static void print_title(const struct bw_scene *scene, const struct bw_view *view, bool ascii,
			struct bw_text *out)
{
	const char *right = NULL, *title = view->title(scene, &right);
	BW_SCOPED_GRID grid = bw_grid_new(COLUMNS, 1, ascii);
	struct bw_pen pen = bw_pen_at(&grid, (struct bw_rect){0, 0, COLUMNS, 1}, 0);
	bw_pen_puts(&pen, BW_STYLE_TITLE, title);
	if (right)
		bw_pen_right(&pen, COLUMNS, BW_STYLE_DIM, "%s", right);
	append_grid(&grid, out);
}

static void print_sheet(struct bw_screen *screen, const struct bw_scene *scene, enum bw_sheet_id id,
			struct bw_text *out)
{
	const struct bw_view *view = bw_screen_view(id);
	BW_SCOPED_SHEET sheet = bw_sheet_new(COLUMNS, screen->ascii);
	int first = 0;
	print_title(scene, view, screen->ascii, out);
	print_rows(scene, view->head, screen->ascii, out);
	view->fill(scene, &sheet);
	BW_SCOPED_GRID grid = bw_grid_new(COLUMNS, sheet.n_rows, screen->ascii);
	struct bw_sheet_look look = {bw_screen_selected(screen, id, &sheet), true, &first, -1, 0, 0};
	bw_sheet_show(&sheet, &grid, (struct bw_rect){0, 0, COLUMNS, sheet.n_rows}, &look);
	append_grid(&grid, out);
	print_rows(scene, view->foot, screen->ascii, out);
}

static void print_timeline(const struct bw_scene *scene, bool ascii, struct bw_text *out)
{
	BW_SCOPED_GRID grid = bw_grid_new(COLUMNS, HEADER_ROWS, ascii);
	bw_draw_timeline(scene, &grid, (struct bw_rect){0, 0, COLUMNS, HEADER_ROWS});
	append_grid(&grid, out);
}

static void print(struct bw_session *session, const char *name, bool ascii, struct bw_text *out)
{
	struct bw_screen *screen = bw_screen_new(session, ascii);
	struct bw_scene scene;
	bool all = !strcmp(name, "main");
	bw_screen_complete(session, name);
	bw_scene_make(&scene, session, screen->arena);
	if (all)
		print_timeline(&scene, ascii, out);
	for (int id = 0; id < BW_N_SHEETS; id++)
		if (all ? id < BW_N_PANES : !strcmp(bw_screen_view((enum bw_sheet_id)id)->name, name))
			print_sheet(screen, &scene, (enum bw_sheet_id)id, out);
	bw_screen_free(screen);
}

void bw_print_view(struct bw_session *session, const char *view, struct bw_text *out)
{
	print(session, view, false, out);
}

void bw_print_view_ascii(struct bw_session *session, const char *view, struct bw_text *out)
{
	print(session, view, true, out);
}
