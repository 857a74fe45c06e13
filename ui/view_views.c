/* The list of views, to choose from: the key that opens each, and its meaning. */
#include <string.h>

#include "ui/view.h"

enum { KEY = 10, NAME = 12 };

static const char *title(const struct bw_scene *scene, const char **right)
{
	*right = bw_scene_keys(scene, "{do open} shows the selected one, {do leave} back");
	return "VIEWS";
}

/* Returns the keys that open a view: of the panes, the keys that go from one to the next. */
static const char *key_of(const struct bw_scene *scene, const struct bw_view_info *info)
{
	if (info->kind == BW_VIEW_PANE)
		return bw_scene_keys(scene, "{do next-pane}");
	if (info->kind == BW_VIEW_MAIN)
		return bw_scene_keys(scene, "{do leave}");
	if (!strcmp(info->name, "compare"))
		return bw_scene_keys(scene, "{compare}");
	if (!strcmp(info->name, "opinions"))
		return bw_scene_keys(scene, "{compare --all}");
	return bw_scene_key(scene, bw_scene_text(scene, "view %s", info->name));
}

/* Writes a view's meaning; a long one continues in further rows of the view. */
static void go_on(struct bw_sheet *sheet, struct bw_pen *pen, int view, const char *meaning)
{
	int first = sheet->n_rows;
	bw_sheet_go_on(sheet, pen, KEY + NAME, BW_STYLE_NORMAL, meaning);
	for (int row = first; row < sheet->n_rows; row++)
		sheet->rows[row] = (struct bw_row){.kind = BW_ROW_VIEW, .index = view, .again = true};
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int n;
	const struct bw_view_info *infos = bw_view_infos(&n);
	for (int i = 0; i < n; i++) {
		const char *key = key_of(scene, &infos[i]);
		struct bw_pen pen = bw_sheet_row(sheet, (struct bw_row){.kind = BW_ROW_VIEW, .index = i});
		bw_pen_field(&pen, KEY, BW_STYLE_KEY, *key == ':' ? "" : key);
		bw_pen_field(&pen, NAME, BW_STYLE_STRONG, infos[i].name);
		go_on(sheet, &pen, i, infos[i].meaning);
	}
	bw_sheet_plain(sheet);
	bw_sheet_wrap(
	    sheet, BW_STYLE_DIM,
	    bw_scene_keys(
		scene,
		"Each is also `:view NAME`; in a script or `beamwalk repl` that prints it, and `screenshot FILE.svg` saves it. {view help} in a view says what its letters mean."));
}

const struct bw_view bw_view_views = {.name = "views", .selects = BW_ROW_VIEW, .title = title, .fill = fill};
