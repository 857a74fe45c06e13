/* What the lanes of a warp touch with each load and store of the selected Func: a row for each sector of
 * global memory, with a column per byte, or for each pass through the banks of shared memory. */
#include "cost/lanes.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	int func = scene->session->selection.func;
	*right = "lanes 0 to 9, a to v; *: several";
	return func < 0 ? "ACCESS" : bw_scene_text(scene, "ACCESS of %s", scene->pipeline->funcs[func].name);
}

static void draw_map(struct bw_sheet *sheet, const struct bw_lane_access *access)
{
	const struct bw_lane_map map = bw_lanes_map(&access->lanes, access->shared);
	enum { GROUP = 4, ROWS = 8, AT = 10 };
	for (int row = 0; row < map.n && row < ROWS; row++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_right(&pen, AT - 1, BW_STYLE_DIM, "%s %d", access->shared ? "pass" : "sector", row + 1);
		bw_pen_to(&pen, AT);
		for (int column = 0; column < BW_WARP_LANES; column += GROUP)
			bw_pen_printf(&pen, BW_STYLE_NORMAL, "%s%.*s", column ? " " : "", GROUP, map.rows[row] + column);
	}
	if (map.n + map.more > ROWS) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_to(&pen, AT);
		bw_pen_printf(&pen, BW_STYLE_DIM, "and %d more like these", map.n + map.more - ROWS);
	}
}

static void draw_access(const struct bw_scene *scene, struct bw_sheet *sheet,
			const struct bw_lane_access *access)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	BW_SCOPED_TEXT words = {0};
	int lanes = __builtin_popcount(access->lanes.active);
	bw_pen_puts(&pen, BW_STYLE_TITLE,
		    bw_scene_text(scene, "%s%s %s in %s memory", access->stage ? bw_scene_text(scene, "update %d ", access->stage - 1) : "",
				  access->stores ? "stores" : "loads", scene->pipeline->funcs[access->of].name,
				  access->shared ? "shared" : "global"));
	bw_pen_printf(&pen, BW_STYLE_DIM, "  %.4g a pass, %d lanes of %d B", access->count, lanes, access->lanes.bytes);
	if (access->known)
		draw_map(sheet, access);
	bw_lane_access_words(scene->pipeline, access, &words);
	bool bad = access->known && (access->shared ? access->conflicts > 0 : access->served > access->least);
	bw_sheet_wrap(sheet, bad ? BW_STYLE_DROPPED : BW_STYLE_NORMAL, bw_text_get(&words));
	bw_sheet_plain(sheet);
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int func = scene->session->selection.func, n = 0;
	const struct bw_device *device = bw_search_device(scene->session->search);
	const struct bw_lane_access *list =
	    scene->state && func >= 0 && bw_scene_placed(scene, func) && !device->cpu
		? bw_lane_accesses(scene->state->nest, device, func, scene->arena, &n)
		: NULL;
	for (int k = 0; k < n; k++)
		draw_access(scene, sheet, &list[k]);
	bw_sheet_wrap(sheet, BW_STYLE_DIM,
		      n ? "The first warp of a block, in its first pass, as if it began at a sector or the first bank. Rows follow each other; in what is run here those of inputs and outputs begin at multiples of 128 bytes."
			: "No load or store of global or shared memory: `select FUNC` selects a Func that is placed and not inlined.");
}

const struct bw_view bw_view_access = {.name = "access", .title = title, .fill = fill};
