/* The help screen: keys, then all commands, from the tables that implement them. */
#include <string.h>

#include "session/session.h"
#include "ui/glyph.h"
#include "ui/keys.h"
#include "ui/legend.h"
#include "ui/view.h"

enum { MOST_BINDINGS = 128, KEYS = 12, ARGUMENTS = 46, NARROW = 90 };

static const char *title(const struct bw_scene *scene, const char **right)
{
	*right = bw_scene_keys(scene, "{step} next page, {do leave} back");
	return "HELP";
}

static void heading(struct bw_sheet *sheet, const char *text)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_sheet_go_on(sheet, &pen, 0, BW_STYLE_TITLE, text);
}

static void draw_binding(struct bw_sheet *sheet, const char *keys, const char *help, const char *command)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_field(&pen, KEYS, BW_STYLE_KEY, keys);
	bw_sheet_go_on(sheet, &pen, KEYS, BW_STYLE_NORMAL, help);
	if (!*command)
		return;
	int gap = *help ? 3 : 0;
	if (gap + 1 + bw_glyph_columns(command) > bw_pen_left(&pen)) {
		pen = bw_sheet_plain(sheet);
		bw_pen_to(&pen, KEYS);
	} else {
		pen.x += gap;
	}
	bw_pen_printf(&pen, BW_STYLE_DIM, ":%s", command);
}

/* Draws the user's own keys from beamwalkrc(5). */
static void draw_bound(struct bw_sheet *sheet, const struct bw_keymap *keymap)
{
	for (int i = 0; keymap && i < keymap->n; i++) {
		struct bw_key key = bw_key_parse(keymap->list[i].key);
		struct bw_binding binding = bw_binding_of(keymap, key);
		if (binding.request != BW_REQUEST_NONE)
			draw_binding(sheet, keymap->list[i].key, binding.help, binding.command);
	}
}

static void draw_keys(struct bw_sheet *sheet, const struct bw_keymap *keymap)
{
	struct bw_binding bindings[MOST_BINDINGS];
	int n = bw_bindings(bindings, MOST_BINDINGS);
	heading(sheet, "KEYS, the same in all views");
	draw_bound(sheet, keymap);
	for (int i = 0; i < n; i++) {
		char left[64];
		bw_keys_left(keymap, bindings[i].keys, left);
		if (*left)
			draw_binding(sheet, left, bindings[i].help, bindings[i].command);
	}
}

static void draw_commands(struct bw_sheet *sheet)
{
	int n;
	const struct bw_command *commands = bw_commands(&n);
	heading(sheet, "COMMANDS, behind `:` and in scripts; what is not given is what is selected");
	for (int i = 0; i < n; i++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bool narrow = sheet->grid.columns < NARROW;
		int column = narrow ? 4 : ARGUMENTS;
		bw_pen_printf(&pen, BW_STYLE_STRONG, "%s ", commands[i].name);
		bw_sheet_go_on(sheet, &pen, 4, BW_STYLE_NORMAL, commands[i].arguments);
		if (narrow || pen.x - pen.left >= column)
			pen = bw_sheet_plain(sheet);
		bw_pen_to(&pen, column);
		bw_sheet_go_on(sheet, &pen, column, BW_STYLE_DIM, commands[i].help);
	}
}

static void draw_names(struct bw_sheet *sheet)
{
	static const char *const lines[][2] = {
		{"3, best", "a state, by its rank in the beam"},
		{"A3, #30", "an option of the decision at the cursor: by bucket and member, or by number"},
		{"Ix", "a Func"},
		{"Ix.where, 19", "a decision: by Func and phase, or by number"},
		{"*  F  f", "marks: changed by the last command; held by a freeze, an accepted option or a file; frozen by the search"},
		{"×2  ✓  @1", "in the beam: cost taken as 2 times as much since its structure was seen before; structure blessed by a good state of a pass; from pass 1"},
		{"so far", "a cost of what is placed up to now; states are compared at equal depth only"},
	};
	heading(sheet, "NAMES");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_field(&pen, KEYS + 2, BW_STYLE_STRONG, lines[i][0]);
		bw_sheet_go_on(sheet, &pen, KEYS + 2, BW_STYLE_NORMAL, lines[i][1]);
	}
}

/* Draws what the terms of a view mean. Returns false if there are none. */
static bool draw_legend(const struct bw_scene *scene, struct bw_sheet *sheet, const char *title,
			const char *view)
{
	enum { TERM = 18, NARROW_LEGEND = 60 };
	int n, drawn = 0;
	const struct bw_legend *legends = bw_legends(&n);
	for (int i = 0; i < n; i++) {
		if (strcmp(legends[i].view, view))
			continue;
		if (!drawn++)
			heading(sheet, title);
		struct bw_pen pen = bw_sheet_plain(sheet);
		bool narrow = sheet->grid.columns < NARROW_LEGEND;
		bw_pen_puts(&pen, BW_STYLE_STRONG, legends[i].term);
		bw_pen_puts(&pen, BW_STYLE_NORMAL, narrow ? ": " : "");
		bw_pen_to(&pen, narrow ? 4 : TERM);
		bw_sheet_go_on(sheet, &pen, narrow ? 4 : TERM, BW_STYLE_NORMAL, bw_scene_keys(scene, legends[i].meaning));
	}
	return drawn > 0;
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const char *view = bw_session_view_behind(scene->session);
	if (draw_legend(scene, sheet, bw_scene_text(scene, "WHAT THE VIEW %s SHOWS", view), view))
		bw_sheet_plain(sheet);
	draw_keys(sheet, scene->keymap);
	bw_sheet_plain(sheet);
	draw_commands(sheet);
	bw_sheet_plain(sheet);
	draw_names(sheet);
	bw_sheet_plain(sheet);
	draw_legend(scene, sheet, "WORDS", "");
}

const struct bw_view bw_view_help = {.name = "help", .selects = BW_ROW_PLAIN, .title = title, .fill = fill};
