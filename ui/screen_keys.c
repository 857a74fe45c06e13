/* The line of keys at the bottom of the screen. */
#include <string.h>

#include "session/sweep.h"
#include "session/tuning.h"
#include "ui/glyph.h"
#include "ui/screen.h"

/* Draws a key and its meaning, if both fit before `right`. */
static void draw_key(struct bw_pen *pen, int right, const char *key, const char *word)
{
	int gap = pen->x > pen->left + 1 ? 2 : 0;
	if (pen->x + gap + bw_glyph_columns(key) + 1 + bw_glyph_columns(word) > right)
		return;
	pen->x += gap;
	bw_pen_puts(pen, BW_STYLE_KEY, key);
	bw_pen_printf(pen, BW_STYLE_DIM, " %s", word);
}

/* Draws a command with its key, the user's own first; nothing if it has none. */
static void draw_command(const struct bw_screen *screen, struct bw_pen *pen, int right, const char *command,
			 const char *word)
{
	char key[BW_KEY_NAME_SIZE];
	bw_key_of(screen->keymap, command, key);
	if (*key)
		draw_key(pen, right, key, word);
}

/* The commands that the line names in each view, and their labels there; a view without any has those of
 * the others. */
static const struct {
	const char *view;
	const char *named[10][2];
} lines[] = {
	{"", {{"step"}, {"back"}, {"run"}, {"view views", "views"}, {"freeze"}, {"accept"}, {"why"}, {"time"}, {"undo"}}},
	{"graph", {{"do earlier", "what it reads"}, {"do later", "its reader"}, {"do down", "next"}, {"view tile", "tile"}, {"view views", "views"}, {"freeze"}, {"why"}}},
	{"roofline", {{"do down", "next"}, {"view tile", "tile"}, {"view views", "views"}, {"why"}, {"compile"}, {"view override", "change"}}},
	{"search", {{"do up", "earlier"}, {"do down", "later"}, {"do open", "decision"}, {"view views", "views"}, {"why"}, {"view statistics", "statistics"}}},
	{"tile", {{"do later", "larger"}, {"do earlier", "smaller"}, {"do down", "next"}, {"do open", "hold it so"}, {"view views", "views"}, {"view override", "change"}, {"freeze"}, {"why"}, {"undo"}}},
	{"help", {{"step", "page"}, {"back", "page back"}, {"do search", "search"}, {"view views", "views"}}},
	{"views", {{"view help", "help"}}},
	{"decision", {{"step"}, {"back"}, {"cost"}, {"accept"}, {"reject"}, {"pin"}, {"freeze"}, {"why"}, {"undo"}}},
	{"override", {{"do open", "hold"}, {"do down", "next"}, {"step func", "next Func"}, {"view views", "views"}, {"undo"}, {"why"}, {"time"}}},
	{"opinions", {{"do open", "kernels"}, {"do down", "next"}, {"accept", "hold it so"}, {"compare"}, {"time"}, {"compile"}, {"undo"}, {"view walk", "walk"}}},
	{"tune", {{"do open", "take it"}, {"do down", "next"}, {"view views", "views"}, {"view timings", "timings"}, {"undo"}}},
	{"walk", {{"step"}, {"back"}, {"do open", "take"}, {"reject", "forbid"}, {"freeze", "hold"}, {"why"}, {"undo"}, {"view main", "main"}}},
	{"history", {{"do up", "jump back"}, {"do down", "jump on"}, {"undo"}, {"redo"}, {"compare"}, {"time"}}},
};

static const char *const (*named_in(const char *view))[2]
{
	for (size_t i = 1; i < sizeof lines / sizeof *lines; i++)
		if (!strcmp(lines[i].view, view))
			return lines[i].named;
	return lines[0].named;
}

/* Leaves out what does not fit. The keys of commands come from the session's table. */
void bw_draw_keys(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	const char *const(*named)[2] = named_in(screen->session->view);
	bool start = strcmp(screen->session->view, "start") == 0,
	     at_top = start || strcmp(screen->session->view, "main") == 0;
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	int last = rect.columns >= 60 ? 27 : 16, right = pen.right - last;
	bw_pen_to(&pen, 1);
	const struct bw_session *session = screen->session;
	if (session->target >= 0 || session->tries || session->waits || bw_walking(session) ||
	    bw_session_sweeps(session) || bw_session_tunes(session))
		draw_command(screen, &pen, right, "do cancel", "stop");
	if (start)
		draw_command(screen, &pen, right, "do tour", "tour");
	for (int i = 0; named[i][0]; i++)
		draw_command(screen, &pen, right, named[i][0], named[i][1] ? named[i][1] : named[i][0]);
	if (rect.columns >= 60)
		draw_command(screen, &pen, pen.right, "do command", "command");
	draw_command(screen, &pen, pen.right, "view help", "help");
	draw_command(screen, &pen, pen.right, "do leave", at_top ? "quit" : "back");
}
