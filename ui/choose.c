/* The list of pipelines, shown if the command line names none. Arrows or a click select a pipeline,
 * letters narrow the list, and the path of any other pipeline can be typed. */
#include <sys/stat.h>

#include "ui/explore.h"
#include "ui/glyph.h"
#include "ui/rescue.h"
#include "ui/sheet.h"
#include "ui/terminal.h"

enum { HEAD_ROWS = 2, FOOT_ROWS = 3, NARROWED = -2 /* selected: the list was narrowed */ };

struct chooser {
	const char *list;     /* a line for each pipeline */
	struct bw_text typed; /* what the list is narrowed to, or a path */
	int selected, first;  /* row of what is listed; first row shown */
	bool chosen, left, ended; /* ended: by a signal */
	struct bw_sheet sheet; /* a row for each pipeline that is listed; its index is the line's offset */
};

/* Returns the row with the shortest name that begins with the typed text. If there is none, returns the
 * first row, or -1 if the list is empty. */
static int nearest_row(const struct chooser *chooser)
{
	int nearest = chooser->sheet.n_rows ? 0 : -1;
	size_t shortest = SIZE_MAX;
	for (int row = 0; row < chooser->sheet.n_rows; row++) {
		const char *line = chooser->list + chooser->sheet.rows[row].index;
		size_t length = strcspn(line, " ");
		if (!strncmp(line, bw_text_get(&chooser->typed), chooser->typed.length) && length < shortest) {
			nearest = row;
			shortest = length;
		}
	}
	return nearest;
}

/* Lists the pipelines whose lines contain the typed text, ignoring case. */
static void fill(struct chooser *chooser, int columns, bool ascii)
{
	bw_sheet_free(&chooser->sheet);
	chooser->sheet = bw_sheet_new(columns, ascii);
	for (const char *at = chooser->list; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		BW_SCOPED_MEMORY char *line = strndup(at, strcspn(at, "\n"));
		if (!strcasestr(line, bw_text_get(&chooser->typed)))
			continue;
		struct bw_row row = {.kind = BW_ROW_LINE, .index = (int)(at - chooser->list)};
		struct bw_pen pen = bw_sheet_row(&chooser->sheet, row);
		bw_pen_puts(&pen, BW_STYLE_NORMAL, line);
	}
	if (chooser->selected == NARROWED)
		chooser->selected = nearest_row(chooser);
}

/* Returns the selected line. Returns NULL if no line contains the typed text. */
static const char *selected_line(const struct chooser *chooser)
{
	return chooser->selected < 0 ? NULL : chooser->list + chooser->sheet.rows[chooser->selected].index;
}

static bool is_file(const struct chooser *chooser)
{
	struct stat status;
	return stat(bw_text_get(&chooser->typed), &status) == 0 && S_ISREG(status.st_mode);
}

/* Draws everything. Returns the cursor's column in the row before the last. */
static int draw(struct chooser *chooser, struct bw_grid *grid)
{
	struct bw_rect all = bw_grid_rect(grid), rows = all;
	rows.y = HEAD_ROWS;
	rows.rows = all.rows > HEAD_ROWS + FOOT_ROWS ? all.rows - HEAD_ROWS - FOOT_ROWS : 0;
	struct bw_pen pen = bw_pen_at(grid, all, 0);
	bw_pen_puts(&pen, BW_STYLE_TITLE, " beamwalk: which pipeline?");
	struct bw_sheet_look look = {
	    .selected = chooser->selected, .focused = true, .first = &chooser->first, .linked = -1};
	bw_sheet_show(&chooser->sheet, grid, rows, &look);
	const char *line = selected_line(chooser), *title = line ? strstr(line, " stage") : NULL;
	pen = bw_pen_at(grid, all, all.rows - FOOT_ROWS);
	if (title) {
		title = strchr(title + 1, ' ');
		bw_pen_printf(&pen, BW_STYLE_STRONG, " %.*s:", (int)strcspn(line, " "), line);
		bw_pen_printf(&pen, BW_STYLE_NORMAL, " %.*s", (int)strcspn(title + strspn(title, " "), "\n"),
			      title + strspn(title, " "));
	} else if (is_file(chooser)) {
		bw_pen_puts(&pen, BW_STYLE_NORMAL, " Enter opens this executable or description");
	} else {
		bw_pen_puts(&pen, BW_STYLE_ERROR, " no pipeline of this name, and no such file");
	}
	pen = bw_pen_at(grid, all, all.rows - 2);
	bw_pen_printf(&pen, BW_STYLE_NORMAL, " name or file: %s", bw_text_get(&chooser->typed));
	int x = pen.x;
	pen = bw_pen_at(grid, all, all.rows - 1);
	static const char *const keys[] = {"Up Down", "select", "Enter", "open", "letters", "narrow the list", "Esc", "quit"};
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
		bw_pen_printf(&pen, k % 2 ? BW_STYLE_DIM : BW_STYLE_KEY, k % 2 ? " %s " : " %s", keys[k]);
	return x;
}

static void move(struct chooser *chooser, int by)
{
	int to = chooser->selected + by, last = chooser->sheet.n_rows - 1;
	if (last >= 0)
		chooser->selected = to > last ? last : to < 0 ? 0 : to;
}

/* Appends a character to the typed text. If the character is 0, removes the last one. */
static void type(struct chooser *chooser, uint32_t glyph)
{
	struct bw_text *typed = &chooser->typed;
	char bytes[5];
	if (glyph) {
		bw_text_append(typed, bytes, (size_t)bw_glyph_utf8(glyph, bytes));
	} else {
		while (typed->length && (typed->bytes[--typed->length] & 0xc0) == 0x80)
			;
		bw_text_append(typed, "", 0);
	}
	chooser->selected = NARROWED;
}

/* Handles Esc: deletes the typed text, or leaves the list if there is none. */
static void escape(struct chooser *chooser)
{
	chooser->left = !chooser->typed.length;
	bw_text_clear(&chooser->typed);
	chooser->selected = NARROWED;
}

static void click(struct chooser *chooser, int y, int rows)
{
	int row = chooser->first + y - HEAD_ROWS;
	if (y < HEAD_ROWS || y >= rows - FOOT_ROWS || row >= chooser->sheet.n_rows)
		return;
	chooser->chosen = row == chooser->selected;
	chooser->selected = row;
}

/* Returns the number of rows by which a key moves the cursor; 0 for other keys. */
static int step_of(uint32_t key, int rows)
{
	enum { ALL = 1 << 20 };
	const int page = rows > HEAD_ROWS + FOOT_ROWS + 1 ? rows - HEAD_ROWS - FOOT_ROWS - 1 : 1;
	const struct {
		uint32_t key;
		int by;
	} steps[] = {{BW_KEY_UP, -1}, {BW_KEY_WHEEL_UP, -1}, {BW_KEY_BACKTAB, -1}, {BW_KEY_DOWN, 1},
		     {BW_KEY_WHEEL_DOWN, 1}, {BW_KEY_TAB, 1}, {BW_KEY_PAGE_UP, -page}, {BW_KEY_PAGE_DOWN, page},
		     {BW_KEY_HOME, -ALL}, {BW_KEY_END, ALL}};
	size_t n = sizeof steps / sizeof *steps, k = 0;
	while (k < n && steps[k].key != key)
		k++;
	return k < n ? steps[k].by : 0;
}

static void take(struct chooser *chooser, struct bw_key key, int rows)
{
	move(chooser, step_of(key.code, rows));
	switch (key.code) {
	case BW_KEY_MOUSE:
		click(chooser, key.y, rows);
		return;
	case BW_KEY_ENTER:
		chooser->chosen = chooser->selected >= 0 || is_file(chooser);
		return;
	case BW_KEY_ESCAPE:
		escape(chooser);
		return;
	case BW_KEY_BACKSPACE:
		type(chooser, 0);
		return;
	case BW_KEY_SPACE:
		key.code = ' ';
		break;
	case 'c' & 31:
	case 'd' & 31:
		chooser->left = true;
		return;
	}
	if (key.code >= ' ' && key.code < BW_KEY_FIRST && !key.alt)
		type(chooser, key.code);
}

/* Runs the list until a pipeline is chosen or the user leaves. */
static void run(struct chooser *chooser, struct bw_terminal *terminal, bool ascii)
{
	BW_SCOPED_GRID grid = bw_grid_new(0, 0, ascii);
	while (!chooser->chosen && !chooser->left) {
		int columns, rows;
		bw_terminal_size(terminal, &columns, &rows);
		bw_grid_resize(&grid, columns, rows);
		fill(chooser, columns, ascii);
		int x = draw(chooser, &grid);
		bw_terminal_show(terminal, &grid, x, rows - 2);
		int alarms = bw_terminal_wait(terminal, NULL, 0, -1);
		chooser->ended = alarms & (BW_ALARM_ENDED | BW_ALARM_HUNG_UP);
		chooser->left = chooser->ended || (alarms & BW_ALARM_INTERRUPTED);
		for (struct bw_key key; !chooser->chosen && !chooser->left &&
					(key = bw_terminal_key(terminal)).code != BW_KEY_NONE;) {
			if (key.code == ('z' & 31))
				bw_terminal_suspend(terminal);
			take(chooser, key, rows);
			fill(chooser, columns, ascii);
		}
	}
}

char *bw_explore_choose(const char *list, const struct bw_explore_options *options, struct bw_error *error)
{
	struct chooser chooser = {.list = list, .selected = NARROWED, .sheet = bw_sheet_new(0, false)};
	char *name = NULL;
	struct bw_terminal *terminal = bw_explore_terminal(options, error);
	if (!terminal)
		return NULL;
	run(&chooser, terminal, bw_explore_ascii(options));
	bw_terminal_close(terminal);
	const char *line = selected_line(&chooser);
	if (chooser.ended)
		bw_fail(error, BW_ERROR_STOPPED, "ended by a signal");
	else if (!chooser.chosen)
		bw_fail(error, BW_ERROR_USAGE, "no pipeline was chosen; `beamwalk PIPELINE` opens one");
	else
		name = line ? strndup(line, strcspn(line, " \n")) : bw_strdup(bw_text_get(&chooser.typed));
	bw_sheet_free(&chooser.sheet);
	bw_text_free(&chooser.typed);
	return name;
}
