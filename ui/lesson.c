#include "ui/screen.h"

#include <limits.h>

#include "ui/glyph.h"

enum { WIDEST = 100, AIRY_FROM = 30, INDENT = 1 };

/* Returns the current step, or NULL at the end of the lesson. */
static const struct bw_lesson_step *shown_step(const struct bw_lesson_run *run)
{
	return run->shown < run->lesson->n_steps ? &run->lesson->steps[run->shown] : NULL;
}

/* Returns true if the current step waits for an answer. */
static bool is_open(const struct bw_lesson_run *run)
{
	return run->shown == run->step && shown_step(run) && !run->answered;
}

/* Appends paragraphs. On a high screen, separates them by an empty row. */
static void put(const struct bw_screen *screen, struct bw_sheet *sheet, enum bw_style style, const char *text)
{
	BW_SCOPED_TEXT filled = {0};
	if (!text)
		return;
	bw_keys_write(screen->keymap, text, &filled);
	char *rest = filled.bytes, *line;
	bool airy = screen->rows >= AIRY_FROM;
	if (airy && sheet->n_rows > 1)
		bw_sheet_plain(sheet);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			bw_sheet_wrap(sheet, style, line);
		else if (airy)
			bw_sheet_plain(sheet);
}

static void put_choices(const struct bw_screen *screen, struct bw_sheet *sheet,
			const struct bw_lesson_page *page, bool open)
{
	for (int i = 0; i < page->n_choices; i++) {
		BW_SCOPED_TEXT text = {0};
		if (page->chosen && page->chosen != i + 1)
			continue;
		bw_keys_write(screen->keymap, page->choices[i], &text);
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_to(&pen, 2);
		bw_pen_printf(&pen, open ? BW_STYLE_KEY : BW_STYLE_DIM, "%d", i + 1);
		bw_pen_to(&pen, 5);
		for (const char *rest = bw_text_get(&text); *rest;)
			rest = bw_sheet_go_on(sheet, &pen, 5, open ? BW_STYLE_NORMAL : BW_STYLE_DIM, rest);
	}
}

static void put_end(const struct bw_screen *screen, struct bw_sheet *sheet, const char *next)
{
	BW_SCOPED_TEXT text = {0};
	bw_text_puts(&text, "That was the last step. Look around as long as you like: every key works. "
			    "{do leave} leaves.");
	if (next)
		bw_text_printf(&text, " The next lesson: `beamwalk learn %s`.", next);
	bw_text_puts(&text, " `beamwalk learn` lists all.");
	put(screen, sheet, BW_STYLE_NORMAL, bw_text_get(&text));
}

/* Parts of a step's text, as bits. A low screen does not have room for all parts at once. */
enum { SAID = 1, OLDER = 2, NEWEST = 4, ALL = 7 };

/* Appends the hints and the reply of an open step. On a low screen, only the newest of them is below the
 * question. The older hints are above the question, where the user can scroll back to them. */
static void put_help(const struct bw_screen *screen, struct bw_sheet *sheet,
		     const struct bw_lesson_page *page, int part)
{
	bool low = screen->rows < AIRY_FROM;
	char *end = page->hints ? strrchr(page->hints, '\n') : NULL;
	const char *last = low && end ? end + 1 : page->hints;
	BW_SCOPED_MEMORY char *before = low && end && !page->reply ? bw_strdup(page->hints) : NULL;
	if (before)
		before[end - page->hints] = 0;
	if (part == OLDER && low)
		put(screen, sheet, BW_STYLE_DIM, page->reply ? page->hints : before);
	if (part == NEWEST && !(low && page->reply))
		put(screen, sheet, BW_STYLE_DIM, last);
	if (part == NEWEST)
		put(screen, sheet, BW_STYLE_MARK, page->reply);
}

static struct bw_sheet sheet_of(const struct bw_screen *screen, int parts)
{
	const struct bw_lesson_run *run = bw_session_lesson(screen->session);
	struct bw_sheet sheet =
	    bw_sheet_new(screen->columns < WIDEST ? screen->columns : WIDEST, screen->ascii);
	if (!run)
		return sheet;
	sheet.margin = INDENT;
	bw_sheet_plain(&sheet);
	if (!shown_step(run)) {
		put_end(screen, &sheet, run->lesson->next);
		return sheet;
	}
	const struct bw_lesson_page *page = &run->pages[run->shown];
	bool open = is_open(run);
	if ((open && (parts & SAID)) || (!open && !page->reply))
		put(screen, &sheet, BW_STYLE_NORMAL, page->said);
	if (open && (parts & OLDER))
		put_help(screen, &sheet, page, OLDER);
	put(screen, &sheet, open ? BW_STYLE_STRONG : BW_STYLE_DIM, page->ask);
	put_choices(screen, &sheet, page, open);
	if (open && (parts & NEWEST))
		put_help(screen, &sheet, page, NEWEST);
	if (!open)
		put(screen, &sheet, BW_STYLE_NORMAL, page->reply);
	return sheet;
}

int bw_lesson_rows(const struct bw_screen *screen)
{
	BW_SCOPED_SHEET all = sheet_of(screen, ALL);
	BW_SCOPED_SHEET first = sheet_of(screen, SAID);
	BW_SCOPED_SHEET last = sheet_of(screen, NEWEST);
	int least = first.n_rows > last.n_rows ? first.n_rows : last.n_rows;
	return screen->rows < AIRY_FROM && least < all.n_rows ? least : all.n_rows;
}

/* Returns a text with the possible next actions and their keys; in the arena. */
static const char *ways_on(const struct bw_screen *screen, const struct bw_lesson_run *run, bool more)
{
	const struct bw_lesson_step *step = shown_step(run);
	struct bw_scene scene = {.keymap = screen->keymap, .arena = screen->arena};
	if (more || !step)
		return bw_scene_keys(&scene, more ? " {lesson next} reads on" : " {do leave} leaves");
	if (!is_open(run))
		return bw_scene_text(&scene, "%s goes on%s",
				     bw_scene_keys(&scene, bw_lesson_takes_enter(screen)
							       ? " {lesson next} or {do open}"
							       : " {lesson next}"),
				     run->shown ? bw_scene_keys(&scene, "  {lesson back} back") : "");
	if (run->lecture)
		return bw_scene_keys(&scene, " {lesson next} shows the answer");
	return bw_scene_text(&scene, " %s%s",
			     step->how == BW_ENDS_FACT ? "do it" : "number, Enter",
			     bw_lesson_has_hint(run) ? bw_scene_keys(&scene, "  {lesson hint} hint") : "");
}

void bw_draw_lesson(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	const struct bw_lesson_run *run = bw_session_lesson(screen->session);
	if (!run || rect.rows < 2)
		return;
	BW_SCOPED_SHEET sheet = sheet_of(screen, ALL);
	int rows = rect.rows - 1, last = sheet.n_rows - 1 - rows;
	screen->lesson_first = screen->lesson_first > last ? last : screen->lesson_first;
	screen->lesson_first = screen->lesson_first < 0 ? 0 : screen->lesson_first;
	const char *right = ways_on(screen, run, screen->lesson_first < last);
	bw_grid_wipe(grid, rect);
	bw_grid_copy(grid, (struct bw_rect){rect.x, rect.y + 1, rect.columns, rows}, &sheet.grid,
		     1 + screen->lesson_first);
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	int end = pen.right, step = run->shown < run->lesson->n_steps ? run->shown + 1 : run->lesson->n_steps;
	char place[48];
	snprintf(place, sizeof place, ", step %d of %d ", step, run->lesson->n_steps);
	pen.right = end - bw_glyph_columns(right) - bw_glyph_columns(place);
	bw_pen_printf(&pen, BW_STYLE_MARK, " LESSON %s", run->lesson->title);
	pen.right = end - bw_glyph_columns(right);
	bw_pen_puts(&pen, BW_STYLE_MARK, place);
	bw_pen_rule(&pen, BW_STYLE_RULE);
	pen.right = end;
	bw_pen_puts(&pen, BW_STYLE_KEY, right);
}

bool bw_lesson_scroll(struct bw_screen *screen, int rows, int pages)
{
	if (!bw_session_lesson(screen->session) || rows < 1)
		return false;
	BW_SCOPED_SHEET sheet = sheet_of(screen, ALL);
	int last = sheet.n_rows - 1 - rows > 0 ? sheet.n_rows - 1 - rows : 0,
	    from = screen->lesson_first < last ? screen->lesson_first : last, first = from + pages * rows;
	first = first > last ? last : first;
	screen->lesson_first = first < 0 ? 0 : first;
	return screen->lesson_first != from;
}

void bw_lesson_show(struct bw_screen *screen)
{
	const struct bw_lesson_run *run = bw_session_lesson(screen->session);
	const struct bw_lesson_page *page = run && is_open(run) ? &run->pages[run->step] : NULL;
	screen->lesson_first = page && (page->reply || page->hints) ? INT_MAX : 0;
}

bool bw_lesson_takes_enter(const struct bw_screen *screen)
{
	const struct bw_lesson_run *run = bw_session_lesson(screen->session);
	return run && shown_step(run) && !is_open(run) && bw_lesson_stands(screen->session);
}

bool bw_lesson_takes_digits(const struct bw_screen *screen)
{
	const struct bw_lesson_run *run = bw_session_lesson(screen->session);
	return run && is_open(run) && shown_step(run)->how != BW_ENDS_FACT;
}

