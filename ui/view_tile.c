/* A block of the kernel that computes the selected Func: at the top a picture of the nested regions
 * that it needs, and the selected Func's figures; below it all Funcs that the block computes or
 * reads. */
#include "session/lens.h"
#include "ui/picture.h"
#include "ui/view.h"

/* The tile of the selected Func, in the current schedule, with a moved block, or with the selected
 * alternative. */
struct shown {
	struct bw_block_tile tile;
	const struct bw_lens *lens;               /* NULL: the block was not moved */
	const struct bw_alternative *alternative; /* NULL: the current schedule */
	double now;                               /* cost of the state without the alternative */
};

/* Returns the tile to draw, or NULL if no placed Func is selected. */
static const struct shown *shown_of(const struct bw_scene *scene)
{
	struct shown *shown = BW_ARENA_ARRAY(scene->arena, struct shown, 1);
	if (!scene->state || scene->session->selection.func < 0)
		return NULL;
	BW_SCOPED_NEST *nest = bw_session_tile_nest(scene->session, &shown->alternative);
	shown->lens = bw_session_lens(scene->session);
	bool good = bw_tile_of(nest, scene->session->selection.func, scene->arena, &shown->tile);
	shown->now = scene->state->cost;
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
	*right = bw_scene_text(scene, "%s block%s, state %d", bw_say_count(tile->n_blocks).text,
			       tile->n_blocks == 1 ? "" : "s", scene->session->selection.state + 1);
	return bw_scene_text(scene, "TILE a block of kernel %s", name_of(scene, tile->func));
}

/* Returns a sentence about the points that blocks recompute. */
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

/* Returns why the selected alternative has no cost: it is impossible, or its cost is not computed yet.
 * Returns NULL if it has a cost, or if no alternative is selected. */
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

/* Returns the occupancy of the kernel with the shown tile; NULL on a CPU. */
static const char *occupancy_text(const struct bw_scene *scene, const struct bw_block_tile *tile)
{
	const struct bw_alternative *alternative;
	BW_SCOPED_NEST *nest = bw_session_tile_nest(scene->session, &alternative);
	struct bw_cost cost = bw_search_cost(scene->session->search, nest, scene->arena);
	const char *text = NULL;
	int n;
	const struct bw_kernel_facts *facts =
	    bw_kernel_facts(nest, bw_search_device(scene->session->search), bw_session_uses(scene->session, nest),
			    &cost, scene->arena, &n);
	for (int k = 0; k < n && !scene->options->device->cpu; k++)
		if (facts[k].kernel.func == tile->func && facts[k].kernel.stage == tile->stage)
			text = bw_scene_text(scene, "occupancy %s, limited by %s",
					     bw_say_percent(facts[k].occupancy.occupancy).text,
					     bw_limiter_name(facts[k].occupancy.limiter));
	return text;
}

static const char *size_text(const struct bw_scene *scene, const struct bw_lens *lens,
			     const struct bw_lens_side *side)
{
	BW_SCOPED_TEXT text = {0};
	bw_lens_size(scene->session, lens, side, &text);
	return bw_arena_strdup(scene->arena, bw_text_get(&text));
}

/* Writes the figures of a block with a moved edge beside those of the block as it is; returns how many
 * lines. */
static int moved_figures(const struct bw_scene *scene, const struct bw_block_tile *tile,
			 const struct bw_lens *lens, const char *lines[9])
{
	int n = 0;
	const struct bw_lens_side *now = &lens->now, *moved = &lens->moved;
	const struct bw_tile_part *part = &tile->parts[tile->selected < 0 ? 0 : tile->selected];
	lines[n++] = bw_scene_text(scene, "%s: block %s, was %s", name_of(scene, lens->func),
				   size_text(scene, lens, moved), size_text(scene, lens, now));
	lines[n++] = moved->cost > 0
			 ? bw_scene_text(scene, "cost %s (%s, was %s)",
					 bw_change_of(scene->options->model, now->cost, moved->cost).text,
					 bw_say_cost(moved->cost).text, bw_say_cost(now->cost).text)
			 : bw_scene_text(scene, "cannot be: %s", lens->reason ? lens->reason : "it is not legal here");
	if (moved->cost > 0 && lens->reason)
		lines[n++] = bw_scene_text(scene, "the search prunes it: %s", lens->reason);
	if (!moved->nest)
		return n;
	lines[n++] = bw_scene_text(scene, "recompute %s, was %s", bw_say_percent(moved->recompute).text,
				   bw_say_percent(now->recompute).text);
	lines[n++] = bw_scene_text(scene, "loaded %s a block, was %s; %s in all, was %s", bw_say_bytes(moved->loaded).text,
				   bw_say_bytes(now->loaded).text, bw_say_bytes(moved->loaded * moved->n_blocks).text,
				   bw_say_bytes(now->loaded * now->n_blocks).text);
	if (!scene->options->device->cpu)
		lines[n++] = bw_scene_text(scene, "occupancy %s, was %s, limited by %s",
					   moved->occupancy.occupancy > 0 ? bw_say_percent(moved->occupancy.occupancy).text : "none",
					   bw_say_percent(now->occupancy.occupancy).text,
					   bw_limiter_name(moved->occupancy.limiter));
	if (part->func != lens->func)
		lines[n++] = bw_scene_text(scene, "%s: %s", name_of(scene, part->func), again_text(scene, part));
	lines[n++] = bw_scene_text(scene, "%s threads, %s point%s each", bw_say_extents(tile->parts[0].threads).text,
				   bw_say_count((double)tile->parts[0].serial).text,
				   tile->parts[0].serial == 1 ? "" : "s");
	return n;
}

/* Writes the selected Func's figures into lines; returns how many. */
static int figures(const struct bw_scene *scene, const struct bw_block_tile *tile, const char *lines[9])
{
	const struct bw_lens *lens = bw_session_lens(scene->session);
	if (lens)
		return moved_figures(scene, tile, lens, lines);
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
					 bw_say_short(part->all).text)
			 : "a region without bounds";
	lines[n++] = again_text(scene, part);
	lines[n++] = bw_tile_memory(part, scene->arena);
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
	lines[n] = occupancy_text(scene, tile);
	return n + (lines[n] != NULL);
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { PICTURE = 64, BELOW = 3 };
	const struct bw_block_tile *tile = tile_of(scene);
	if (!tile)
		return;
	const char *lines[9];
	const struct bw_lens *lens = bw_session_lens(scene->session);
	struct bw_tile_outline outline = {{1, 1}, NULL, false};
	if (lens) {
		const struct bw_lens_side *side = lens->moved.nest ? &lens->now : &lens->moved;
		outline.impossible = !(lens->moved.cost > 0);
		outline.says = bw_scene_text(scene, lens->moved.nest ? " now %s " : " %s cannot be ", size_text(scene, lens, side));
		for (int d = 0; d < 2 && d < scene->pipeline->funcs[lens->func].n_dims; d++)
			outline.size[d] = (double)side->sizes[d];
	}
	struct bw_picture picture = bw_tile_picture(scene->pipeline, tile, tile->selected, true,
						    lens ? &outline : NULL, scene->arena);
	/* A wider picture would show no more, and slow lines take time to draw it. */
	bw_plate_draw(sheet, scene->arena,
		      &(struct bw_plate){.picture = &picture,
					 .most = PICTURE,
					 .n = figures(scene, tile, lines),
					 .lines = lines,
					 .below = BELOW});
}

/* The columns at which the table's figures end; 0: left out. */
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
				width >= 50 ? name + (width >= 60 ? 40 : 34) : 0,
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
	bw_pen_right(&pen, at.region, BW_STYLE_NORMAL, "%s", bw_tile_points(part, scene->arena));
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
