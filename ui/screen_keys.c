/* The line of keys at the bottom of the screen. */
#include <string.h>

#include "ui/glyph.h"
#include "ui/screen.h"

/* A key and what it is for, where both have room before `right`. */
static void draw_key(struct bw_pen *pen, int right, const char *key, const char *word)
{
	int gap = pen->x > pen->left + 1 ? 2 : 0;
	if (pen->x + gap + bw_glyph_columns(key) + 1 + bw_glyph_columns(word) > right)
		return;
	pen->x += gap;
	bw_pen_puts(pen, BW_STYLE_KEY, key);
	bw_pen_printf(pen, BW_STYLE_DIM, " %s", word);
}

/* A command with its key, the user's where there is one; nothing where it has none. */
static void draw_command(const struct bw_screen *screen, struct bw_pen *pen, int right, const char *command, const char *word)
{
	char key[BW_KEY_NAME_SIZE];
	bw_key_of(screen->keymap, command, key);
	if (*key)
		draw_key(pen, right, key, word);
}

/* A request of the screen with its first key that is left. */
static void draw_request(const struct bw_screen *screen, struct bw_pen *pen, int right, const char *keys, const char *word)
{
	char left[64];
	bw_keys_left(screen->keymap, keys, left);
	left[strcspn(left, " ")] = 0;
	if (*left)
		draw_key(pen, right, left, word);
}

/* What has no room is left out. Commands' keys come from the session's table. */
void bw_draw_keys(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect)
{
	static const char *const in_panes[] = {"step", "back", "run", "freeze", "accept", "why", "time", "undo"}, *const in_decision[] = {"step", "back", "cost", "accept", "reject", "pin", "freeze", "why", "undo"};
	bool decision = strcmp(screen->session->view, "decision") == 0;
	const char *const *named = decision ? in_decision : in_panes;
	size_t n_named = decision ? sizeof in_decision / sizeof *in_decision : sizeof in_panes / sizeof *in_panes;
	bool start = strcmp(screen->session->view, "start") == 0, at_top = start || strcmp(screen->session->view, "main") == 0;
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	int last = rect.columns >= 60 ? 27 : 16, right = pen.right - last;
	bw_pen_to(&pen, 1);
	if (screen->session->target >= 0 || screen->session->tries)
		draw_key(&pen, right, "Esc", "stop");
	if (start)
		draw_request(screen, &pen, right, "T", "tour");
	for (size_t i = 0; i < n_named; i++)
		draw_command(screen, &pen, right, named[i], named[i]);
	if (rect.columns >= 60)
		draw_request(screen, &pen, pen.right, ":", "command");
	draw_command(screen, &pen, pen.right, "view help", "help");
	draw_request(screen, &pen, pen.right, "q", at_top ? "quit" : "back");
}
