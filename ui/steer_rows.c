/* Runs command lines and shows their answers. Handles the rows of views: selection, movement and search. */

#include "session/opinions.h"
#include "ui/steer.h"

bool bw_steer_shows(const struct bw_screen *screen, const char *view)
{
	return strcmp(screen->session->view, view) == 0;
}

void bw_steer_close_answer(struct bw_screen *screen)
{
	bw_text_clear(&screen->answer.text);
	screen->answer.first = screen->answer.last = 0;
}

static bool has_lines(const struct bw_text *text)
{
	const char *end = strchr(bw_text_get(text), '\n');
	return end && end[1];
}

/* Focuses a pane that a command has named. */
static void take_pane(struct bw_screen *screen)
{
	for (int pane = 0; pane < BW_N_PANES && *screen->session->pane; pane++)
		if (strcmp(bw_screen_view((enum bw_sheet_id)pane)->name, screen->session->pane) == 0)
			screen->focus = (enum bw_sheet_id)pane;
	bw_session_took_pane(screen->session);
}

/* Shows the result of a line. */
static void take_answer(struct bw_screen *screen, const char *line, bool good, const struct bw_text *out)
{
	bw_steer_close_answer(screen);
	take_pane(screen);
	if (!bw_steer_shows(screen, "views"))
		screen->menu = -1;
	memset(screen->past, 0, sizeof screen->past);
	if (good && has_lines(out) && !bw_steer_shows(screen, "help")) {
		snprintf(screen->answer.title, sizeof screen->answer.title, "%s", line);
		bw_text_puts(&screen->answer.text, bw_text_get(out));
	}
	screen->marks = good;
	bw_tour_observe(&screen->tour, screen->session, line);
}

void bw_screen_run(struct bw_screen *screen, const char *line)
{
	BW_SCOPED_TEXT out = {0};
	struct bw_error error = {0};
	bw_steer_close_answer(screen);
	if (bw_session_defer(screen->session, line))
		return;
	bool good = bw_session_run(screen->session, line, &out, &error);
	take_answer(screen, line, good, &out);
	if (!strncmp(line, "lesson ", 7))
		bw_lesson_show(screen);
}

static void told(const char *line, bool good, const struct bw_text *out, void *data)
{
	struct bw_screen *screen = data;
	take_answer(screen, line, good, out);
	bw_screen_choose(screen);
}

void bw_screen_never_waits(struct bw_screen *screen, double patience)
{
	bw_session_set_deferred_done(screen->session, told, screen, patience);
}

/* Selects the item that a row shows. */
static void select_item(struct bw_screen *screen, enum bw_row_kind kind, int index)
{
	static const struct {
		const char *line; /* that selects the item with this number or name; NULL: another way */
		int first;        /* the number of item 0 */
	} kinds[] = {
	    [BW_ROW_FUNC] = {"select func "},          [BW_ROW_STATE] = {"select state ", 1},
	    [BW_ROW_OPTION] = {"select option #"},     [BW_ROW_DECISION] = {"select decision "},
	    [BW_ROW_POINT] = {"jump "},                [BW_ROW_ALTERNATIVE] = {"select alternative "},
	    [BW_ROW_CANDIDATE] = {"select candidate ", 1}, [BW_ROW_SAMPLE] = {"select sample ", 1},
	    [BW_ROW_LINE] = {"select line ", 1},       [BW_ROW_OPINION] = {"select scheduler "},
	    [BW_ROW_GROUP] = {"select group "},        [BW_ROW_VIEW] = {NULL},
	};
	BW_SCOPED_TEXT line = {0};
	if (kind == BW_ROW_VIEW)
		screen->menu = index;
	if (!kinds[kind].line)
		return;
	bw_text_puts(&line, kinds[kind].line);
	if (kind == BW_ROW_FUNC)
		bw_text_puts(&line, screen->session->pipeline->funcs[index].name);
	else if (kind == BW_ROW_OPINION)
		bw_text_puts(&line, bw_session_opinions(screen->session)->list[index].name);
	else if (kind == BW_ROW_GROUP)
		bw_group_name(index, &line);
	else
		bw_text_printf(&line, "%d", index + kinds[kind].first);
	bw_screen_run(screen, bw_text_get(&line));
}

/* Puts the cursor on a row of the pane in front, and selects what the row shows. Closes the front. */
static void select_row(struct bw_screen *screen, struct bw_front *front, int row)
{
	struct bw_row to = row >= 0 ? front->sheet.rows[row] : (struct bw_row){0};
	if (row >= 0)
		screen->cursor[front->id] = row;
	bw_front_close(front);
	select_item(screen, to.kind, to.index);
}

/* Returns the first row of the item that a row shows. */
static int main_row(const struct bw_sheet *sheet, int row)
{
	while (row > 0 && sheet->rows[row].again)
		row--;
	return row;
}

static bool selectable(const struct bw_sheet *sheet, int row)
{
	return row >= 0 && row < sheet->n_rows && sheet->rows[row].kind != BW_ROW_PLAIN;
}

/* Scrolls to the rows below the last selectable one, and back. Returns false if another row can be
 * selected. */
static bool scroll_past(struct bw_screen *screen, const struct bw_front *front, int by)
{
	int rows = front->rect.rows, *past = &screen->past[front->id],
	    first = bw_sheet_scroll(&front->sheet, screen->first[front->id], rows, front->selected),
	    most = bw_sheet_scroll_past(&front->sheet, first, rows, front->sheet.n_rows) - first;
	bool last = bw_sheet_move(&front->sheet, front->selected, 1) == front->selected;
	if (!last || (by < 0 && !*past))
		return false;
	*past = by < 0 && -by > *past ? 0 : by > most - *past ? most : *past + by;
	return true;
}

void bw_steer_move(struct bw_screen *screen, int by)
{
	struct bw_front front;
	bw_front_open(&front, screen, false);
	if (front.view->selects == BW_ROW_PLAIN) {
		int *first = &screen->first[front.id], last = front.sheet.n_rows - front.rect.rows;
		*first = *first + by > last ? last : *first + by;
		*first = *first < 0 ? 0 : *first;
		bw_front_close(&front);
		return;
	}
	if (scroll_past(screen, &front, by)) {
		bw_front_close(&front);
		return;
	}
	int row = bw_sheet_move(&front.sheet, front.selected, front.selected < 0 && by < 0 ? 1 : by);
	select_row(screen, &front, row == front.selected ? -1 : row);
}

void bw_steer_pages(struct bw_screen *screen, int pages)
{
	struct bw_front front;
	bw_front_open(&front, screen, false);
	int rows = front.rect.rows > 2 ? front.rect.rows - 1 : 1;
	bw_front_close(&front);
	bw_steer_move(screen, pages * rows);
}

void bw_steer_follow(struct bw_screen *screen, bool producer)
{
	const struct bw_pipeline *pipeline = screen->session->pipeline;
	int func = screen->session->selection.func;
	if (func < 0)
		return;
	const struct bw_func *about = &pipeline->funcs[func];
	if (!producer && about->n_consumers > 0) {
		select_item(screen, BW_ROW_FUNC, about->consumers[0]->func);
		return;
	}
	for (int s = about->n_stages - 1; producer && s >= 0; s--)
		for (int i = 0; i < about->stages[s].n_reads; i++) {
			int read = about->stages[s].reads[i].producer;
			if (read != func && !pipeline->funcs[read].input) {
				select_item(screen, BW_ROW_FUNC, read);
				return;
			}
		}
	snprintf(screen->notice, sizeof screen->notice,
		 producer ? "%s reads no other Func" : "no other Func reads %s", about->name);
}

static bool row_has(const struct bw_sheet *sheet, int row, const char *pattern)
{
	struct bw_grid line = {sheet->grid.columns, 1, sheet->grid.ascii, bw_grid_at(&sheet->grid, 0, row)};
	BW_SCOPED_TEXT text = {0};
	bw_grid_text(&line, &text);
	return strcasestr(bw_text_get(&text), pattern) != NULL;
}

/* Finds the pattern, or a Func (-1: the pattern), in the focused view: from the selected row on in a
 * direction, or in the whole view. Selects or shows the row. Returns false if no row matches. */
static bool search_rows(struct bw_screen *screen, int direction, bool whole, int func)
{
	struct bw_front front;
	bw_front_open(&front, screen, true);
	bool plain = front.view->selects == BW_ROW_PLAIN, found = false;
	int n = front.rect.rows > 0 ? front.sheet.n_rows : 0,
	    from = whole ? (direction > 0 ? -1 : n) : plain ? screen->first[front.id] : front.selected;
	int to = -1;
	for (int row = from + direction; row >= 0 && row < n && !found; row += direction) {
		int main = main_row(&front.sheet, row);
		struct bw_row of = front.sheet.rows[main];
		found = (plain || selectable(&front.sheet, row)) &&
			(func < 0 ? row_has(&front.sheet, row, screen->pattern) : of.kind == BW_ROW_FUNC && of.index == func);
		to = found && !plain ? main : to;
		if (found && plain)
			screen->first[front.id] = row;
	}
	select_row(screen, &front, to);
	return found;
}

/* Searches the rows after the selected one, then the other panes, then this pane from its other end.
 * Returns false and leaves the focus unchanged if no row matches. */
static bool search_panes(struct bw_screen *screen, int direction, int func)
{
	enum bw_sheet_id focus = screen->focus;
	int panes = bw_steer_shows(screen, "main") ? BW_N_PANES : 1;
	for (int i = 0; i <= panes; i++) {
		if (panes > 1)
			screen->focus = (enum bw_sheet_id)(((int)focus + i * direction + 2 * panes) % panes);
		if (search_rows(screen, direction, i > 0, func))
			return true;
	}
	screen->focus = focus;
	return false;
}

void bw_screen_search(struct bw_screen *screen, int direction)
{
	if (*screen->pattern && !search_panes(screen, direction, -1))
		snprintf(screen->notice, sizeof screen->notice, "nothing here has \"%s\"", screen->pattern);
}

void bw_screen_find(struct bw_screen *screen)
{
	const struct bw_pipeline *pipeline = screen->session->pipeline;
	int func = bw_pipeline_find(pipeline, screen->pattern);
	struct bw_front front;
	bw_front_open(&front, screen, false);
	bool funcs = func >= 0 && !pipeline->funcs[func].input &&
		     (bw_steer_shows(screen, "main") || front.view->selects == BW_ROW_FUNC ||
		      front.view->selects == BW_ROW_ALTERNATIVE);
	bw_front_close(&front);
	bool found = (func >= 0 && search_panes(screen, 1, func)) || (!funcs && search_panes(screen, 1, -1));
	if (func >= 0 && !found)
		select_item(screen, BW_ROW_FUNC, func);
	else if (!found)
		bw_screen_search(screen, 1);
}

void bw_steer_click(struct bw_screen *screen, int y)
{
	struct bw_front front;
	bw_front_open(&front, screen, false);
	int row = y - front.rect.y + screen->first[front.id] + screen->past[front.id];
	bool inside = y >= front.rect.y && y < front.rect.y + front.rect.rows;
	select_row(screen, &front, inside && selectable(&front.sheet, row) ? main_row(&front.sheet, row) : -1);
}
