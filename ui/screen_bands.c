/* Bands over or below the views: the tour, the output of a command, the message line. */
#include "ui/screen.h"

#include <string.h>

#include "ui/glyph.h"

struct bw_sheet bw_tour_sheet(const struct bw_screen *screen)
{
	struct bw_sheet sheet = bw_sheet_new(screen->columns, screen->ascii);
	struct bw_text text = {0};
	const char *words = bw_tour_text(&screen->tour, screen->session, screen->keymap, &text);
	if (words) {
		bw_sheet_plain(&sheet);
		bw_sheet_wrap(&sheet, BW_STYLE_NORMAL, words);
	}
	bw_text_free(&text);
	return sheet;
}

static void draw_sheet_plain(struct bw_grid *grid, struct bw_rect rect, const struct bw_sheet *sheet,
			     int first, const char *title, const char *right)
{
	bw_grid_wipe(grid, rect);
	bw_grid_copy(grid, (struct bw_rect){rect.x, rect.y + 1, rect.columns, rect.rows - 1}, &sheet->grid, first);
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	pen.right -= bw_glyph_columns(right);
	bw_pen_printf(&pen, BW_STYLE_MARK, " %s ", title);
	bw_pen_rule(&pen, BW_STYLE_RULE);
	pen.right += bw_glyph_columns(right);
	bw_pen_puts(&pen, BW_STYLE_DIM, right);
}

/* Returns a text with its keys, in the frame's arena. */
static const char *with_keys(const struct bw_screen *screen, const char *text)
{
	return bw_scene_keys(&(struct bw_scene){.keymap = screen->keymap, .arena = screen->arena}, text);
}

void bw_draw_tour(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	if (rect.rows < 2)
		return;
	struct bw_sheet sheet = bw_tour_sheet(screen);
	draw_sheet_plain(grid, rect, &sheet, 1, bw_tour_title(&screen->tour),
			 with_keys(screen, " {do cancel} leaves it"));
	bw_sheet_free(&sheet);
}

void bw_draw_answer(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect body)
{
	if (!screen->answer.text.length)
		return;
	struct bw_sheet sheet = bw_sheet_new(body.columns, grid->ascii);
	bw_sheet_wrap(&sheet, BW_STYLE_NORMAL, bw_text_get(&screen->answer.text));
	int most = body.rows > 12 ? body.rows * 2 / 3 : body.rows,
	    rows = sheet.n_rows + 1 < most ? sheet.n_rows + 1 : most;
	int last = sheet.n_rows - (rows - 1);
	screen->answer.first = screen->answer.first > last ? last
			       : screen->answer.first < 0  ? 0
							   : screen->answer.first;
	struct bw_rect rect = {body.x, body.y + body.rows - rows, body.columns, rows};
	draw_sheet_plain(grid, rect, &sheet, screen->answer.first, screen->answer.title,
			 with_keys(screen, last > 0 ? " {do up} {do down} scroll, {do cancel} closes"
						    : " {do cancel} closes"));
	bw_sheet_free(&sheet);
}

/* Returns the rows of the session's error, as many as may be shown; empty if there is none or a notice hides
 * it. */
static struct bw_sheet error_sheet(const struct bw_screen *screen)
{
	enum { MOST_ROWS = 4 };
	struct bw_sheet sheet = bw_sheet_new(screen->columns, screen->ascii);
	struct bw_text text = {0};
	sheet.margin = 1;
	if (screen->session->message_is_error && !*screen->notice) {
		bw_text_printf(&text, "error: %s", screen->session->message);
		bw_sheet_wrap(&sheet, BW_STYLE_NORMAL, bw_text_get(&text));
	}
	sheet.n_rows = sheet.n_rows < MOST_ROWS ? sheet.n_rows : MOST_ROWS;
	bw_text_free(&text);
	return sheet;
}

int bw_error_rows(const struct bw_screen *screen)
{
	struct bw_sheet sheet = error_sheet(screen);
	int rows = sheet.n_rows;
	bw_sheet_free(&sheet);
	return rows;
}

/* Draws an error, over the lines above if it is longer than the message's rows: it cannot be scrolled. */
static void draw_error(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	struct bw_sheet sheet = error_sheet(screen);
	int more = sheet.n_rows - rect.rows, above = more < 0 ? 0 : more < rect.y ? more : rect.y;
	struct bw_rect all = {rect.x, rect.y - above, rect.columns, above + rect.rows};
	bw_grid_wipe(grid, all);
	bw_grid_copy(grid, all, &sheet.grid, 0);
	struct bw_pen pen = bw_pen_at(grid, all, 0);
	bw_pen_to(&pen, 1);
	bw_pen_puts(&pen, BW_STYLE_ERROR, "error:");
	bw_sheet_free(&sheet);
}

/* Draws what runs beside at the right end of the message line, on at most half of it. */
static void draw_beside(const struct bw_session *session, struct bw_grid *grid, struct bw_rect rect)
{
	struct bw_text text = {0};
	bw_session_beside(session, &text);
	char shown[512];
	bw_glyph_shorten(bw_text_get(&text), rect.columns / 2, shown, sizeof shown);
	int columns = bw_glyph_columns(shown);
	if (columns && strcmp(bw_text_get(&text), session->message) != 0) {
		struct bw_rect right = {rect.x + rect.columns - columns - 3, rect.y, columns + 3, 1};
		bw_grid_wipe(grid, right);
		struct bw_pen pen = bw_pen_at(grid, right, 0);
		bw_pen_to(&pen, 2);
		bw_pen_puts(&pen, BW_STYLE_MARK, shown);
	}
	bw_text_free(&text);
}

void bw_draw_message(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	const struct bw_session *session = screen->session;
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, " ");
	if (*screen->notice) {
		bw_pen_puts(&pen, BW_STYLE_MARK, screen->notice);
	} else if (session->message_is_error) {
		draw_error(screen, grid, rect);
	} else if (!screen->answer.text.length) {
		bw_pen_puts(&pen, BW_STYLE_NORMAL, session->message);
	}
	draw_beside(session, grid, rect);
}
