/* From requests to command lines: what keys and the mouse do to the session goes through its table of commands. Only what is a matter
 * of looking (the pane with the keys, scrolling, unfolding) is done here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/glyph.h"
#include "ui/screen.h"

enum { FAR = 1 << 28, WHEEL_ROWS = 3 };

static bool shows(const struct bw_screen *screen, const char *view)
{
	return strcmp(screen->session->view, view) == 0;
}

static void close_answer(struct bw_screen *screen)
{
	bw_text_clear(&screen->answer.text);
	screen->answer.first = 0;
}

static bool has_lines(const struct bw_text *text)
{
	const char *end = strchr(bw_text_get(text), '\n');
	return end && end[1];
}

/* A pane that was asked for by name has the keys. */
static void take_pane(struct bw_screen *screen)
{
	for (int pane = 0; pane < BW_N_PANES && *screen->session->pane; pane++)
		if (strcmp(bw_screen_view((enum bw_sheet_id)pane)->name, screen->session->pane) == 0)
			screen->focus = (enum bw_pane_id)pane;
	*screen->session->pane = 0;
}

void bw_screen_run(struct bw_screen *screen, const char *line)
{
	struct bw_text out = {0};
	struct bw_error error = {0};
	close_answer(screen);
	bool good = bw_session_run(screen->session, line, &out, &error);
	take_pane(screen);
	if (good && has_lines(&out) && !shows(screen, "help")) {
		snprintf(screen->answer.title, sizeof screen->answer.title, "%s", line);
		bw_text_puts(&screen->answer.text, bw_text_get(&out));
	}
	bw_text_free(&out);
	screen->marks = good;
	bw_tour_observe(&screen->tour, screen->session, line);
}

void bw_screen_before_key(struct bw_screen *screen)
{
	screen->marks = false;
	screen->notice[0] = 0;
}

/* Selects what a row stands for. */
static void select_row(struct bw_screen *screen, enum bw_row_kind kind, int index)
{
	char line[512];
	struct bw_text name = {0};
	switch (kind) {
	case BW_ROW_FUNC:
		snprintf(line, sizeof line, "select func %s", screen->session->pipeline->funcs[index].name);
		break;
	case BW_ROW_STATE:
		snprintf(line, sizeof line, "select state %d", index + 1);
		break;
	case BW_ROW_OPTION:
		snprintf(line, sizeof line, "select option #%d", index);
		break;
	case BW_ROW_DECISION:
		if (screen->session->target >= 0) {
			snprintf(screen->notice, sizeof screen->notice, "the search runs; Esc stops it");
			return;
		}
		snprintf(line, sizeof line, "run %d", index);
		break;
	case BW_ROW_POINT:
		snprintf(line, sizeof line, "jump %d", index);
		break;
	case BW_ROW_ALTERNATIVE:
		snprintf(line, sizeof line, "select alternative %d", index);
		break;
	case BW_ROW_GROUP:
		bw_group_name(index, &name);
		snprintf(line, sizeof line, "select group %s", bw_text_get(&name));
		bw_text_free(&name);
		break;
	default:
		return;
	}
	bw_screen_run(screen, line);
}

/* The row that a further row of something belongs to. */
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

static void move(struct bw_screen *screen, int by)
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
	int row = bw_sheet_move(&front.sheet, front.selected, front.selected < 0 && by < 0 ? 1 : by);
	struct bw_row to = row >= 0 ? front.sheet.rows[row] : (struct bw_row){0};
	bool moved = row >= 0 && row != front.selected;
	bw_front_close(&front);
	if (moved)
		select_row(screen, to.kind, to.index);
}

static void move_pages(struct bw_screen *screen, int pages)
{
	struct bw_front front;
	bw_front_open(&front, screen, false);
	int rows = front.rect.rows > 2 ? front.rect.rows - 1 : 1;
	bw_front_close(&front);
	move(screen, pages * rows);
}

/* An answer that is longer than its room is scrolled by the keys that move; returns whether it was. */
static bool scroll_answer(struct bw_screen *screen, enum bw_request request)
{
	static const int by[BW_N_REQUESTS] = {
		[BW_REQUEST_UP] = -1, [BW_REQUEST_DOWN] = 1, [BW_REQUEST_PAGE_UP] = -8, [BW_REQUEST_PAGE_DOWN] = 8,
		[BW_REQUEST_TOP] = -FAR, [BW_REQUEST_BOTTOM] = FAR,
	};
	if (!screen->answer.text.length || !by[request])
		return false;
	screen->answer.first += by[request];
	return true;
}

void bw_screen_choose(struct bw_screen *screen)
{
	bool options = shows(screen, "decision") || (shows(screen, "main") && screen->focus == BW_PANE_DECISION);
	if (!options || screen->session->selection.option >= 0 || screen->session->selection.group >= 0 || screen->session->target >= 0)
		return;
	struct bw_front front;
	bw_front_open(&front, screen, false);
	for (int row = 0; row < front.sheet.n_rows && screen->session->selection.option < 0; row++)
		if (front.sheet.rows[row].kind == BW_ROW_OPTION)
			screen->session->selection.option = front.sheet.rows[row].index;
	bw_front_close(&front);
}

/* Folds the selected group of options, or that of the selected option; unfolds it where it is folded. */
static void toggle_group(struct bw_screen *screen)
{
	const struct bw_selection *selection = &screen->session->selection;
	bool folded = selection->group >= 0 && bw_session_folded(screen->session, selection->group);
	if (shows(screen, "decision"))
		bw_screen_run(screen, folded ? "unfold" : "fold");
}

static void open_row(struct bw_screen *screen)
{
	if (shows(screen, "decision") && screen->session->selection.group >= 0)
		toggle_group(screen);
	else if (shows(screen, "decision") || shows(screen, "start"))
		bw_screen_run(screen, "view main");
	else if (shows(screen, "override"))
		bw_screen_run(screen, "override");
	else if (shows(screen, "main") || shows(screen, "statistics"))
		bw_screen_run(screen, "view decision");
}

static void change_pane(struct bw_screen *screen, int by)
{
	if (shows(screen, "main"))
		screen->focus = (enum bw_pane_id)(((int)screen->focus + by + BW_N_PANES) % BW_N_PANES);
}

static void leave(struct bw_screen *screen)
{
	if (screen->answer.text.length)
		close_answer(screen);
	else if (shows(screen, "main") || shows(screen, "start"))
		bw_screen_run(screen, "quit");
	else
		bw_screen_run(screen, "view main");
}

static void cancel(struct bw_screen *screen)
{
	if (screen->session->target >= 0 || screen->session->tries)
		bw_session_stop(screen->session);
	else if (screen->answer.text.length)
		close_answer(screen);
	else if (screen->tour.step)
		screen->tour.step = 0;
	else if (!shows(screen, "main"))
		bw_screen_run(screen, "view main");
}

static void interrupt(struct bw_screen *screen)
{
	if (screen->interrupted) {
		bw_screen_run(screen, "quit");
		return;
	}
	bool running = screen->session->target >= 0 || screen->session->tries;
	bw_session_stop(screen->session);
	screen->interrupted = true;
	snprintf(screen->notice, sizeof screen->notice, "%s^C again leaves", running ? "stopped; " : "");
}

static bool row_has(const struct bw_sheet *sheet, int row, const char *pattern)
{
	struct bw_grid line = {sheet->grid.columns, 1, sheet->grid.ascii, bw_grid_at(&sheet->grid, 0, row)};
	struct bw_text text = {0};
	bw_grid_text(&line, &text);
	bool found = strcasestr(bw_text_get(&text), pattern) != NULL;
	bw_text_free(&text);
	return found;
}

void bw_screen_search(struct bw_screen *screen, int direction)
{
	struct bw_front front;
	if (!*screen->pattern)
		return;
	bw_front_open(&front, screen, true);
	bool plain = front.view->selects == BW_ROW_PLAIN;
	int n = front.sheet.n_rows, from = plain ? screen->first[front.id] : front.selected, found = -1;
	for (int i = 1; i <= n && found < 0; i++) {
		int row = ((from + direction * i) % n + n) % n;
		if ((plain || selectable(&front.sheet, row)) && row_has(&front.sheet, row, screen->pattern))
			found = row;
	}
	struct bw_row to = found >= 0 ? front.sheet.rows[main_row(&front.sheet, found)] : (struct bw_row){0};
	if (found >= 0 && plain)
		screen->first[front.id] = found;
	bw_front_close(&front);
	if (found < 0)
		snprintf(screen->notice, sizeof screen->notice, "nothing here has \"%s\"", screen->pattern);
	else if (!plain)
		select_row(screen, to.kind, to.index);
}

/* The start page gives way to whatever is asked for. */
static void leave_start(struct bw_screen *screen, enum bw_request request)
{
	bool stays = request == BW_REQUEST_NONE || request == BW_REQUEST_LEAVE || request == BW_REQUEST_INTERRUPT || request == BW_REQUEST_OPEN ||
		     request == BW_REQUEST_COMMAND || request == BW_REQUEST_REDRAW || request == BW_REQUEST_SUSPEND;
	if (shows(screen, "start") && !stays)
		bw_screen_run(screen, "view main");
}

void bw_screen_enter(struct bw_screen *screen, const char *line)
{
	leave_start(screen, BW_REQUEST_RUN);
	bw_screen_run(screen, line);
}

static void do_request(struct bw_screen *screen, enum bw_request request)
{
	switch (request) {
	case BW_REQUEST_UP:
		move(screen, -1);
		break;
	case BW_REQUEST_DOWN:
		move(screen, 1);
		break;
	case BW_REQUEST_PAGE_UP:
		move_pages(screen, -1);
		break;
	case BW_REQUEST_PAGE_DOWN:
		move_pages(screen, 1);
		break;
	case BW_REQUEST_TOP:
		move(screen, -FAR);
		break;
	case BW_REQUEST_BOTTOM:
		move(screen, FAR);
		break;
	case BW_REQUEST_NEXT_PANE:
		change_pane(screen, 1);
		break;
	case BW_REQUEST_PREVIOUS_PANE:
		change_pane(screen, -1);
		break;
	case BW_REQUEST_OPEN:
		open_row(screen);
		break;
	case BW_REQUEST_FOLD:
		toggle_group(screen);
		break;
	case BW_REQUEST_SEARCH_NEXT:
		bw_screen_search(screen, 1);
		break;
	case BW_REQUEST_SEARCH_PREVIOUS:
		bw_screen_search(screen, -1);
		break;
	case BW_REQUEST_TOUR:
		bw_tour_begin(&screen->tour, screen->session);
		break;
	case BW_REQUEST_LEAVE:
		leave(screen);
		break;
	case BW_REQUEST_CANCEL:
		cancel(screen);
		break;
	case BW_REQUEST_INTERRUPT:
		interrupt(screen);
		break;
	default:
		break;
	}
}

/* The line that a key runs. In the decision view the keys for earlier and later go through the decision's stages. */
static const char *command_of(const struct bw_screen *screen, struct bw_binding binding)
{
	bool in_decision = shows(screen, "decision") && screen->session->cursor < bw_search_n_decisions(screen->session->search);
	if (in_decision && binding.request == BW_REQUEST_EARLIER)
		return "replay back";
	return in_decision && binding.request == BW_REQUEST_LATER ? "replay next" : binding.command;
}

void bw_screen_request(struct bw_screen *screen, struct bw_binding binding)
{
	if (binding.request != BW_REQUEST_INTERRUPT)
		screen->interrupted = false;
	leave_start(screen, binding.request);
	if (scroll_answer(screen, binding.request))
		return;
	if (binding.request != BW_REQUEST_LEAVE && binding.request != BW_REQUEST_CANCEL && binding.request != BW_REQUEST_NONE)
		close_answer(screen);
	const char *command = command_of(screen, binding);
	if (command && *command)
		bw_screen_run(screen, command);
	else
		do_request(screen, binding.request);
	bw_screen_choose(screen);
}

static void click_row(struct bw_screen *screen, int y)
{
	struct bw_front front;
	bw_front_open(&front, screen, false);
	int row = y - front.rect.y + screen->first[front.id];
	struct bw_row to = selectable(&front.sheet, row) ? front.sheet.rows[main_row(&front.sheet, row)] : (struct bw_row){0};
	bool inside = y >= front.rect.y && y < front.rect.y + front.rect.rows;
	bw_front_close(&front);
	if (inside)
		select_row(screen, to.kind, to.index);
}

void bw_screen_click(struct bw_screen *screen, int x, int y)
{
	struct bw_layout layout = bw_screen_layout(screen);
	leave_start(screen, BW_REQUEST_UP);
	if (y < layout.header.rows) {
		struct bw_scene scene;
		char line[32];
		bw_arena_reset(screen->arena);
		bw_scene_make(&scene, screen->session, screen->arena);
		int decision = bw_timeline_at(&scene, layout.header, x);
		snprintf(line, sizeof line, "run %d", decision);
		if (decision >= 0)
			bw_screen_run(screen, line);
		return;
	}
	enum bw_pane_id pane = bw_layout_pane_at(&layout, x, y);
	if (shows(screen, "main") && pane < BW_N_PANES)
		screen->focus = pane;
	click_row(screen, y);
	bw_screen_choose(screen);
}

void bw_screen_wheel(struct bw_screen *screen, int x, int y, int by)
{
	struct bw_layout layout = bw_screen_layout(screen);
	enum bw_pane_id pane = bw_layout_pane_at(&layout, x, y);
	leave_start(screen, BW_REQUEST_UP);
	if (scroll_answer(screen, by < 0 ? BW_REQUEST_UP : BW_REQUEST_DOWN))
		return;
	if (shows(screen, "main") && pane < BW_N_PANES)
		screen->focus = pane;
	move(screen, by * WHEEL_ROWS);
	bw_screen_choose(screen);
}
