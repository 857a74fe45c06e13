/* A block of the kernel that computes the selected Func: at the top a picture of the regions that it needs,
 * one in the other, and the selected Func's figures; below it all Funcs that the block computes or reads. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/say.h"
#include "figures/change.h"
#include "figures/tile.h"
#include "session/alternatives.h"
#include "ui/canvas.h"
#include "ui/glyph.h"
#include "ui/view.h"

/* The tile of the selected Func, as it is or with the alternative that is selected for it. */
struct shown {
	struct bw_block_tile tile;
	const struct bw_alternative *alternative; /* NULL: as it is */
	double now;                               /* cost of the state without the alternative */
};

/* Returns what is shown; NULL if no Func is selected that is placed. */
static const struct shown *shown_of(const struct bw_scene *scene)
{
	struct shown *shown = BW_ARENA_ARRAY(scene->arena, struct shown, 1);
	if (!scene->state || scene->session->selection.func < 0)
		return NULL;
	struct bw_nest *nest = bw_session_alternative_nest(scene->session, &shown->alternative);
	bool good = bw_tile_of(nest, scene->session->selection.func, scene->arena, &shown->tile);
	shown->now = scene->state->cost;
	bw_nest_drop(nest);
	return good ? shown : NULL;
}

static const struct bw_block_tile *tile_of(const struct bw_scene *scene)
{
	const struct shown *shown = shown_of(scene);
	return shown ? &shown->tile : NULL;
}

static const char *name_of(const struct bw_scene *scene, int func)
{
	return scene->pipeline->funcs[func].name;
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_block_tile *tile = tile_of(scene);
	if (!tile)
		return "TILE";
	*right = bw_scene_text(scene, "%s blocks, state %d", bw_say_count(tile->n_blocks).text,
			       scene->session->selection.state + 1);
	return bw_scene_text(scene, "TILE a block of kernel %s", name_of(scene, tile->func));
}

/* Returns the points of a region, `66x34`, by dimension. */
static const char *points_text(const struct bw_scene *scene, const struct bw_block_region *region)
{
	struct bw_text text = {0};
	for (int d = 0; d < region->n_dims; d++)
		bw_text_printf(&text, d ? "x%lld" : "%lld", (long long)(region->box[d].max - region->box[d].min + 1));
	const char *kept = bw_scene_text(scene, "%s", region->n_dims ? bw_text_get(&text) : "1");
	bw_text_free(&text);
	return kept;
}

/* A region in the picture. */
struct drawn {
	const struct bw_tile_part *part;
	struct bw_tile_place at;
};

/* The picture's scale along one dimension: coordinates at which something begins or ends, and their cells.
 * Distances are in proportion where there is room; each is at least some cells long, so that a margin of one
 * point is seen. */
enum { MOST_MARKS = 48, MOST_DRAWN = 12 };
struct axis {
	int n;
	double at[MOST_MARKS];
	int cell[MOST_MARKS];
};

static void mark(struct axis *axis, double at)
{
	int i = 0;
	while (i < axis->n && axis->at[i] < at - 1e-6)
		i++;
	if (axis->n == MOST_MARKS || (i < axis->n && axis->at[i] < at + 1e-6))
		return;
	memmove(&axis->at[i + 1], &axis->at[i], (size_t)(axis->n - i) * sizeof *axis->at);
	axis->at[i] = at;
	axis->n++;
}

static void scale_axis(struct axis *axis, int cells, int least)
{
	if ((axis->n - 1) * least > cells - 1)
		least = 1;
	double length = axis->at[axis->n - 1] - axis->at[0], spare = cells - 1 - (axis->n - 1) * least, sum = 0;
	for (int i = 0; i < axis->n; i++) {
		axis->cell[i] = i * least + (int)floor(spare > 0 && length > 0 ? spare * sum / length + 0.5 : 0);
		sum += i + 1 < axis->n ? axis->at[i + 1] - axis->at[i] : 0;
	}
}

static int cell_of(const struct axis *axis, double at)
{
	for (int i = 0; i < axis->n; i++)
		if (fabs(axis->at[i] - at) < 1e-5)
			return axis->cell[i];
	return axis->n ? axis->cell[axis->n - 1] : 0;
}

static bool is_same(const struct drawn *a, const struct drawn *b)
{
	for (int d = 0; d < 2; d++)
		if (fabs(a->at.low[d] - b->at.low[d]) > 1e-6 || fabs(a->at.high[d] - b->at.high[d]) > 1e-6)
			return false;
	return true;
}

/* Chooses what is drawn: the kernel's block, the selected Func, what is computed inside, what is read; at
 * most MOST_DRAWN. */
static int choose(const struct bw_block_tile *tile, struct drawn *list)
{
	int n = 0;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < tile->n && n < MOST_DRAWN; i++) {
			bool first = i == 0 || i == tile->selected,
			     shown =
				 tile->parts[i].kind == BW_TILE_INSIDE || tile->parts[i].kind == BW_TILE_READ;
			if ((round == 0 ? first : shown && !first) && bw_tile_place(tile, &tile->parts[i], &list[n].at))
				list[n++].part = &tile->parts[i];
		}
	return n;
}

static void mark_all(struct axis axes[2], const struct drawn *list, int n, const struct drawn *selected)
{
	for (int d = 0; d < 2; d++) {
		for (int i = 0; i < n; i++) {
			mark(&axes[d], list[i].at.low[d]);
			mark(&axes[d], list[i].at.high[d]);
		}
		if (selected && selected->at.band[d] > 0 &&
		    2 * selected->at.band[d] < selected->at.high[d] - selected->at.low[d]) {
			mark(&axes[d], selected->at.low[d] + selected->at.band[d]);
			mark(&axes[d], selected->at.high[d] - selected->at.band[d]);
		}
		if (selected && selected->at.each[d] > 0)
			mark(&axes[d], selected->at.low[d] + selected->at.each[d]);
	}
}

/* Shades what the blocks beside need, too, of a region: a band at each end, or all of it. */
static void shade(struct bw_canvas *canvas, struct axis axes[2], const struct drawn *drawn,
		  struct bw_rect rect)
{
	struct bw_rect inner = rect;
	bool own = true;
	for (int d = 0; d < 2; d++) {
		if (!(drawn->at.band[d] > 0))
			continue;
		own &= 2 * drawn->at.band[d] < drawn->at.high[d] - drawn->at.low[d];
		int low = cell_of(&axes[d], drawn->at.low[d] + drawn->at.band[d]),
		    high = cell_of(&axes[d], drawn->at.high[d] - drawn->at.band[d]);
		*(d ? &inner.y : &inner.x) = low;
		*(d ? &inner.rows : &inner.columns) = high - low + 1;
	}
	if (drawn->at.band[0] > 0 || drawn->at.band[1] > 0) {
		bw_canvas_shade(canvas, rect, BW_STYLE_HEAT_3, BW_SHADE_LIGHT);
		if (own)
			bw_canvas_shade(canvas, inner, BW_STYLE_NORMAL, BW_SHADE_NONE);
	}
	if (drawn->at.each[0] > 0) {
		int x = cell_of(&axes[0], drawn->at.low[0] + drawn->at.each[0]),
		    y = drawn->at.each[1] > 0 ? cell_of(&axes[1], drawn->at.low[1] + drawn->at.each[1]) : rect.y + 1;
		bw_canvas_shade(canvas,
				(struct bw_rect){rect.x + 1, rect.y + 1, x > rect.x + 1 ? x - rect.x - 1 : 1,
						 y > rect.y + 1 ? y - rect.y - 1 : 1},
				BW_STYLE_HEAT_1, BW_SHADE_DARK);
	}
}

/* Writes the names of all drawn regions that are equal to this one, and their points, on its upper line. */
static void label(const struct bw_scene *scene, struct bw_canvas *canvas, struct bw_rect rect,
		  const struct drawn *list, int n, int i, enum bw_style style)
{
	struct bw_text text = {0};
	for (int k = i; k < n; k++)
		if (is_same(&list[k], &list[i]))
			bw_text_printf(&text, "%s%s", k == i ? " " : ", ", name_of(scene, list[k].part->func));
	bw_text_printf(&text, " %s ", points_text(scene, &list[i].part->region));
	char shorter[256];
	bw_glyph_shorten(bw_text_get(&text), rect.columns - 2, shorter, sizeof shorter);
	bw_canvas_text(canvas, rect.x + 1, rect.y, rect.x + rect.columns - 1, style, shorter);
	bw_text_free(&text);
}

static struct bw_rect rect_of(struct axis axes[2], const struct drawn *drawn)
{
	int x = cell_of(&axes[0], drawn->at.low[0]), y = cell_of(&axes[1], drawn->at.low[1]);
	return (struct bw_rect){x, y, cell_of(&axes[0], drawn->at.high[0]) - x + 1,
				cell_of(&axes[1], drawn->at.high[1]) - y + 1};
}

static void draw_picture(const struct bw_scene *scene, const struct bw_block_tile *tile,
			 struct bw_canvas *canvas)
{
	struct drawn list[MOST_DRAWN];
	int n = choose(tile, list);
	struct axis axes[2] = {{0}};
	const struct drawn *selected = NULL;
	for (int i = 0; i < n; i++)
		if (tile->selected >= 0 && list[i].part == &tile->parts[tile->selected])
			selected = &list[i];
	if (!n)
		return;
	mark_all(axes, list, n, selected);
	/* Without room for all only the kernel's block and the selected Func are drawn. */
	if (axes[0].n > canvas->columns || axes[1].n > canvas->rows) {
		n = selected && selected != &list[0] ? 2 : 1;
		memset(axes, 0, sizeof axes);
		mark_all(axes, list, n, selected);
	}
	scale_axis(&axes[0], canvas->columns, 2);
	scale_axis(&axes[1], canvas->rows, 1);
	if (selected)
		shade(canvas, axes, selected, rect_of(axes, selected));
	for (int i = 0; i < n; i++) {
		struct bw_rect rect = rect_of(axes, &list[i]);
		bool again = false, is_selected = selected && is_same(&list[i], selected);
		for (int k = 0; k < i; k++)
			again |= is_same(&list[k], &list[i]);
		if (again)
			continue;
		enum bw_style style = is_selected                          ? BW_STYLE_MARK
				      : list[i].part->kind == BW_TILE_READ ? BW_STYLE_DIM
									   : BW_STYLE_NORMAL;
		bw_canvas_box(canvas, rect, style);
		label(scene, canvas, rect, list, n, i, style);
	}
}

/* Returns the sentence on what is computed several times. */
static const char *again_text(const struct bw_scene *scene, const struct bw_tile_part *part)
{
	if (part->kind == BW_TILE_READ)
		return part->shared > 0 ? bw_scene_text(scene, "░ %s of it is read by the blocks beside, too",
							bw_say_percent(part->shared).text)
					: "no other block reads these points";
	if (part->kind == BW_TILE_INLINED)
		return bw_scene_text(scene, "computed %s: %.4g calls a point of its readers",
				     bw_say_times(part->again).text, part->calls);
	if (part->shared > 0)
		return bw_scene_text(scene, "░ %s are computed by the blocks beside, too: %s in all",
				     bw_say_percent(part->shared).text, bw_say_times(part->again).text);
	return part->again >= 1.005 ? bw_scene_text(scene, "computed %s the points that are needed",
						    bw_say_times(part->again).text)
				    : "each point is computed once";
}

static const char *memory_text(const struct bw_scene *scene, const struct bw_tile_part *part)
{
	const char *bytes = bw_scene_text(scene, "%s", bw_say_bytes(part->bytes).text);
	if (part->kind == BW_TILE_INLINED)
		return "stored nowhere";
	if (part->kind == BW_TILE_READ)
		return bw_scene_text(scene, "%s a block, from global memory", bytes);
	bool thread = part->memory == BW_MEMORY_REGISTERS || part->memory == BW_MEMORY_STACK;
	return bw_scene_text(scene,
			     part->memory == BW_MEMORY_GLOBAL ? "%s in %s memory"
			     : thread                         ? "%s a thread, in %s"
							      : "%s a block, in %s memory",
			     bytes, bw_memory_name(part->memory));
}

static const char *short_memory_text(const struct bw_scene *scene, const struct bw_tile_part *part)
{
	bool thread = part->memory == BW_MEMORY_REGISTERS || part->memory == BW_MEMORY_STACK;
	if (part->kind == BW_TILE_INLINED)
		return "";
	return bw_scene_text(scene, "%s %s", bw_say_bytes(part->bytes).text,
			     part->kind == BW_TILE_READ ? "a block"
			     : thread                   ? "a thread"
							: bw_memory_name(part->memory));
}

/* Returns why the alternative that is selected has no cost: it cannot be, or is not costed yet; NULL: it has
 * one, or none is selected. */
static const char *missing_text(const struct bw_scene *scene, const struct shown *shown)
{
	int n, chosen = scene->session->selection.alternative;
	bool costed = shown->alternative && shown->alternative->cost > 0;
	const struct bw_alternative *all =
	    chosen > 0 && !costed ? bw_session_alternatives(scene->session, &n) : NULL;
	if (!all || chosen >= n)
		return NULL;
	const char *name = bw_scene_text(scene, "%s %s", bw_override_name(all[chosen].override), all[chosen].value);
	return all[chosen].known ? bw_scene_text(scene, "%s cannot be: %s", name, all[chosen].reason)
				 : bw_scene_text(scene, "%s is being tried ...", name);
}

/* Writes the selected Func's figures into lines; returns how many. */
static int figures(const struct bw_scene *scene, const struct bw_block_tile *tile, const char *lines[8])
{
	if (tile->selected < 0)
		return 0;
	int n = 0;
	const struct bw_tile_part *part = &tile->parts[tile->selected];
	const struct shown *shown = shown_of(scene);
	const struct bw_placed *placed = bw_scene_placed(scene, part->func);
	const struct bw_placement *placement = shown->alternative ? shown->alternative->placement
					       : placed           ? placed->placement
								  : NULL;
	int64_t threads = part->threads[0] * part->threads[1] * part->threads[2];
	lines[n++] = bw_scene_text(scene, "%s  %s", name_of(scene, part->func),
				   part->kind == BW_TILE_READ ? "read from memory"
				   : placement                ? bw_scene_words(scene, placement)
							      : "");
	const char *missing = missing_text(scene, shown);
	if (missing)
		lines[n++] = missing;
	else if (shown->alternative)
		lines[n++] =
		    bw_scene_text(scene, "cost %s against %s",
				  bw_change_of(scene->options->model, shown->now, shown->alternative->cost).text,
				  bw_scene_words(scene, placed->placement));
	lines[n++] = part->bounded
			 ? bw_scene_text(scene, "%s points a block; all: %s", bw_say_count(part->points).text,
					 bw_say_short(part->points * tile->n_blocks).text)
			 : "a region without bounds";
	lines[n++] = again_text(scene, part);
	lines[n++] = memory_text(scene, part);
	if (part->kind != BW_TILE_READ && part->kind != BW_TILE_INLINED)
		lines[n++] = bw_scene_text(
		    scene, "%s%s point%s %s",
		    threads > 1
			? bw_scene_text(
			      scene, "%s%s threads, ", bw_say_extents(part->threads).text,
			      threads < tile->n_threads
				  ? bw_scene_text(scene, " of %s", bw_say_count((double)tile->n_threads).text)
				  : "")
			: "",
		    bw_say_count((double)part->serial).text, part->serial == 1 ? "" : "s",
		    threads > 1 ? "each" : "each time");
	return n;
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { BESIDE = 72, ROWS_PRINTED = 16, PICTURE = 48, FIGURES = 46, LEAST_FIGURES = 34 };
	const struct bw_block_tile *tile = tile_of(scene);
	if (!tile)
		return;
	int rows = sheet->to < ROWS_PRINTED || sheet->to != INT_MAX ? sheet->to : ROWS_PRINTED,
	    width = sheet->grid.columns - sheet->margin;
	bool beside = width >= BESIDE;
	const char *lines[8];
	int n = figures(scene, tile, lines), text = width * 2 / 5 < LEAST_FIGURES ? LEAST_FIGURES
						    : width * 2 / 5 > FIGURES     ? FIGURES
										  : width * 2 / 5;
	int below = beside ? 0 : 3;
	/* A wider picture would show no more, and slow lines take time to draw it. */
	int columns = beside && width - text - 2 > PICTURE ? PICTURE : beside ? width - text - 2 : width;
	struct bw_canvas canvas = bw_canvas_new(columns, rows - 1 - below, scene->arena);
	struct bw_sheet figures_sheet = bw_sheet_new(text, sheet->grid.ascii);
	figures_sheet.margin = 0;
	for (int i = 0; i < n; i++)
		bw_sheet_wrap(&figures_sheet, i ? BW_STYLE_NORMAL : BW_STYLE_STRONG, lines[i]);
	draw_picture(scene, tile, &canvas);
	for (int y = 0; y < canvas.rows; y++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_canvas_write(&canvas, y, &pen);
		if (beside && y < figures_sheet.n_rows) {
			struct bw_rect to = {sheet->margin + canvas.columns + 2, sheet->n_rows - 1, text, 1};
			bw_grid_copy(&sheet->grid, to, &figures_sheet.grid, y);
		}
	}
	bw_sheet_free(&figures_sheet);
	for (int i = 0; i < below; i++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_pen_puts(&pen, BW_STYLE_NORMAL, i < n ? lines[i] : "");
	}
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM,
		    "░ blocks beside need it, too  ▓ one thread's points  thin margins widened");
}

/* Where the columns of the table end; 0: left out. */
struct columns {
	int name, kind, region, shared, again, bytes;
};

static struct columns columns_for(int width)
{
	int name = width >= 96 ? 30 : width >= 70 ? 20 : 12;
	return (struct columns){name,
				name + 1,
				name + 24,
				width >= 60 ? name + 31 : 0,
				width >= 50 ? name + (width >= 60 ? 40 : 32) : 0,
				width >= 70 ? name + 41 : 0};
}

static void draw_part(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_tile_part *part)
{
	struct columns at = columns_for(sheet->grid.columns - sheet->margin);
	bool input = scene->pipeline->funcs[part->func].input;
	struct bw_pen pen = bw_sheet_row(sheet, input ? (struct bw_row){.kind = BW_ROW_PLAIN}
						      : bw_scene_row(scene, part->func));
	bw_pen_field(&pen, at.name - 1,
		     part->kind == BW_TILE_INLINED || part->kind == BW_TILE_READ ? BW_STYLE_NORMAL
										 : BW_STYLE_STRONG,
		     bw_scene_short(scene, part->func, at.name - 1));
	bw_pen_to(&pen, at.kind);
	bw_pen_puts(&pen, BW_STYLE_DIM, bw_tile_part_word(part->kind));
	bw_pen_right(&pen, at.region, BW_STYLE_NORMAL, "%s",
		     part->bounded ? points_text(scene, &part->region) : "no bounds");
	if (at.shared && part->shared > 0)
		bw_pen_right(&pen, at.shared, BW_STYLE_NORMAL, "%s", bw_say_percent(part->shared).text);
	if (at.again && part->again >= 1.005)
		bw_pen_right(&pen, at.again, part->again >= 2 ? BW_STYLE_HEAT_4 : BW_STYLE_NORMAL, "%s",
			     bw_say_times(part->again).text);
	if (at.bytes) {
		bw_pen_to(&pen, at.bytes);
		bw_pen_puts(&pen, BW_STYLE_NORMAL, short_memory_text(scene, part));
	}
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	const struct bw_block_tile *tile = tile_of(scene);
	struct columns at = columns_for(sheet->grid.columns - sheet->margin);
	if (!tile) {
		bw_sheet_wrap(
		    sheet, BW_STYLE_DIM,
		    scene->session->selection.func < 0
			? bw_scene_keys(
			      scene, "No Func is selected: {step func} and {back func} go from Func to Func.")
			: bw_scene_keys(
			      scene,
			      "The selected Func is not placed yet: {step} steps forward, {run} runs to the end."));
		return;
	}
	struct bw_pen pen = bw_sheet_plain(sheet);
	bw_pen_puts(&pen, BW_STYLE_DIM, "Func");
	bw_pen_right(&pen, at.region, BW_STYLE_DIM, "points a block");
	if (at.shared)
		bw_pen_right(&pen, at.shared, BW_STYLE_DIM, "shared");
	if (at.again)
		bw_pen_right(&pen, at.again, BW_STYLE_DIM, "computed");
	if (at.bytes) {
		bw_pen_to(&pen, at.bytes);
		bw_pen_puts(&pen, BW_STYLE_DIM, "bytes");
	}
	for (int i = 0; i < tile->n; i++)
		draw_part(scene, sheet, &tile->parts[i]);
}

const struct bw_view bw_view_tile = {
    .name = "tile", .selects = BW_ROW_FUNC, .title = title, .head_rows = -52, .head = head, .fill = fill};
