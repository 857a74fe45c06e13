/* The help screen: the keys and meaning of a view, all keys, and all commands, from the tables that
 * implement them; and the glossary. */
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

/* Draws the meanings of a view's terms. Returns false if there are none. */
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

/* Returns the meaning of a line, from the tables of commands and of requests. */
static const char *meaning_of(const char *line)
{
	struct bw_binding bindings[MOST_BINDINGS];
	enum bw_request request = bw_request_of(line);
	for (int i = 0, n = bw_bindings(bindings, MOST_BINDINGS); i < n; i++)
		if (request != BW_REQUEST_NONE ? bindings[i].request == request : !strcmp(bindings[i].command, line))
			return bindings[i].help;
	return "";
}

/* Draws the keys that the view's own line of keys names, first. */
static void draw_view_keys(const struct bw_scene *scene, struct bw_sheet *sheet, const char *view)
{
	int n;
	const struct bw_view_key *keys = bw_view_keys(view, &n);
	heading(sheet, bw_scene_text(scene, "KEYS OF THE VIEW %s", view));
	for (int i = 0; i < n; i++) {
		char key[BW_KEY_NAME_SIZE];
		bw_key_of(scene->keymap, keys[i].command, key);
		bool own = keys[i].line || bw_request_of(keys[i].command) != BW_REQUEST_NONE;
		const char *meaning = meaning_of(keys[i].command);
		if (*key)
			draw_binding(sheet, key, own && keys[i].word ? keys[i].word : meaning, "");
	}
	bw_sheet_plain(sheet);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const char *view = bw_session_view_behind(scene->session);
	draw_view_keys(scene, sheet, view);
	if (draw_legend(scene, sheet, bw_scene_text(scene, "WHAT THE VIEW %s SHOWS", view), view))
		bw_sheet_plain(sheet);
	bw_sheet_wrap(sheet, BW_STYLE_DIM, bw_scene_keys(scene, "{view glossary} explains every word and mark, {view views} lists the views."));
	bw_sheet_plain(sheet);
	draw_keys(sheet, scene->keymap);
	bw_sheet_plain(sheet);
	draw_commands(sheet);
}

static const char *glossary_title(const struct bw_scene *scene, const char **right)
{
	*right = bw_scene_keys(scene, "{do search} searches, {step} next page, {do leave} back");
	return "GLOSSARY";
}

/* Draws the words that all views use, then the words of each view. */
static void fill_glossary(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int n;
	const struct bw_view_info *infos = bw_view_infos(&n);
	draw_legend(scene, sheet, "WORDS AND MARKS", "");
	for (int i = 0; i < n; i++) {
		bw_sheet_plain(sheet);
		if (!draw_legend(scene, sheet, bw_scene_text(scene, "IN THE VIEW %s", infos[i].name), infos[i].name))
			sheet->n_rows--;
	}
}

const struct bw_view bw_view_glossary = {
    .name = "glossary", .selects = BW_ROW_PLAIN, .title = glossary_title, .fill = fill_glossary};
const struct bw_view bw_view_help = {.name = "help", .selects = BW_ROW_PLAIN, .title = title, .fill = fill};
