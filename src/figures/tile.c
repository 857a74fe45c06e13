#include "figures/tile.h"

#include <math.h>
#include <string.h>

#include "nest/plan.h"

BW_WORDS(bw_tile_part_word, enum bw_tile_part_kind, BW_TILE_PART_TABLE(BW_SECOND))

static bool is_inlined(const struct bw_placed *placed)
{
	return placed && placed->placement->compute.kind == BW_SITE_INLINE;
}

bool bw_tile_kernel(const struct bw_nest *nest, int func, int *kernel, int *stage)
{
	const struct bw_placed *placed = nest->placed[func];
	if (!placed)
		return false;
	*kernel = placed->kernel_func;
	*stage = placed->kernel_stage;
	if (is_inlined(placed)) {
		const struct bw_func *about = &nest->pipeline->funcs[func];
		for (int c = 0; c < about->n_consumers; c++)
			if (about->consumers[c]->func != func && bw_tile_kernel(nest, about->consumers[c]->func, kernel, stage))
				return true;
		return false;
	}
	if (*kernel >= 0)
		return true;
	*kernel = func;
	*stage = placed->placement->n_stages - 1; /* the last update does the work, if there are updates */
	return *stage >= 0;
}

enum { LISTED = 1, WALKED = 2 };

/* State while a tile is filled in. */
struct making {
	const struct bw_nest *nest;
	struct bw_block_tile *tile;
	unsigned char *seen; /* by Func: LISTED, WALKED */
};

static struct bw_tile_part *add(struct making *making, int func, enum bw_tile_part_kind kind)
{
	const struct bw_nest *nest = making->nest;
	const struct bw_placed *placed = nest->placed[func];
	struct bw_tile_part *part = &making->tile->parts[making->tile->n++];
	making->seen[func] |= LISTED;
	*part = (struct bw_tile_part){
	    .func = func, .kind = kind, .again = 1, .calls = 1, .threads = {1, 1, 1}, .serial = 1};
	part->bounded = bw_block_region_of(nest, making->tile->func, making->tile->stage, func, &part->region);
	if (part->bounded) {
		part->points = bw_box_points(part->region.box, part->region.n_dims);
		part->shared = bw_block_shared(&part->region);
	}
	part->all = placed && kind != BW_TILE_READ ? bw_busy_points(nest, func)
						   : part->points * making->tile->n_blocks;
	if (placed && kind != BW_TILE_READ && placed->minimum_points > 0)
		part->again = part->all / placed->minimum_points;
	return part;
}

/* Adds a Func that the kernel computes and stores. */
static void add_computed(struct making *making, int func, enum bw_tile_part_kind kind)
{
	const struct bw_placed *placed = making->nest->placed[func];
	struct bw_tile_part *part = add(making, func, kind);
	const struct bw_placed_stage *stage = &placed->stages[kind == BW_TILE_HOST ? making->tile->stage : 0];
	part->bytes = placed->bytes;
	part->memory = placed->memory;
	memcpy(part->threads, stage->threads, sizeof part->threads);
	part->serial = stage->serial;
	bool root = placed->placement->compute.kind == BW_SITE_ROOT,
	     block = placed->placement->compute.kind == BW_SITE_AT &&
		     placed->placement->compute.role == BW_ROLE_BLOCK;
	if ((root || block) && placed->placement->tiled &&
	    part->threads[0] * part->threads[1] * part->threads[2] > 1) {
		int64_t threads[BW_MAX_AXES];
		bw_plan_sizes(making->nest->pipeline, placed->placement, part->each, threads);
	}
}

/* Adds the Funcs that a stage reads, directly or through inlined Funcs: with `stored`, the Funcs in
 * memory, otherwise the inlined Funcs. */
static void add_reads(struct making *making, const struct bw_stage *stage, bool stored)
{
	for (int i = 0; i < stage->n_reads; i++) {
		int func = stage->reads[i].producer;
		const struct bw_placed *placed = making->nest->placed[func];
		if (is_inlined(placed)) {
			int mark = stored ? WALKED : LISTED, seen = making->seen[func];
			if (!stored && !seen)
				add(making, func, BW_TILE_INLINED)->calls = placed->calls;
			making->seen[func] |= (unsigned char)mark;
			if (!(seen & mark))
				add_reads(making, &making->nest->pipeline->funcs[func].stages[0], stored);
			continue;
		}
		if (making->seen[func] || !stored)
			continue;
		struct bw_tile_part *part = add(making, func, BW_TILE_READ);
		part->memory = BW_MEMORY_GLOBAL;
		part->bytes = part->points * making->nest->pipeline->funcs[func].bytes;
	}
}

void bw_tile_of_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		       struct bw_block_tile *tile)
{
	int n_funcs = nest->pipeline->n_funcs;
	*tile = (struct bw_block_tile){.func = func, .stage = stage};
	struct bw_kernel kernel = bw_nest_kernel(nest, tile->func, tile->stage, arena);
	struct making making = {nest, tile, BW_ARENA_ARRAY(arena, unsigned char, n_funcs)};
	memset(making.seen, 0, (size_t)n_funcs);
	memcpy(tile->blocks, kernel.blocks, sizeof tile->blocks);
	tile->n_blocks = kernel.n_blocks;
	tile->n_threads = kernel.n_threads;
	tile->parts = BW_ARENA_ARRAY(arena, struct bw_tile_part, n_funcs + 1);
	add_computed(&making, tile->func, BW_TILE_HOST);
	for (int i = 0; i < kernel.n_members; i++)
		if (!making.seen[kernel.members[i]])
			add_computed(&making, kernel.members[i], BW_TILE_INSIDE);
	int n_computed = tile->n;
	for (int stored = 0; stored < 2; stored++)
		for (int i = 0; i < n_computed; i++) {
			const struct bw_func *about = &nest->pipeline->funcs[tile->parts[i].func];
			for (int s = 0; s < about->n_stages; s++)
				if (i > 0 || s == tile->stage)
					add_reads(&making, &about->stages[s], stored);
		}
}

bool bw_tile_of(const struct bw_nest *nest, int func, struct bw_arena *arena, struct bw_block_tile *tile)
{
	int kernel, stage;
	if (func < 0 || !bw_tile_kernel(nest, func, &kernel, &stage))
		return false;
	bw_tile_of_kernel(nest, kernel, stage, arena, tile);
	tile->selected = -1;
	for (int i = 0; i < tile->n; i++)
		if (tile->parts[i].func == func)
			tile->selected = i;
	return true;
}

static json_t *region_json(const struct bw_tile_part *part)
{
	json_t *box = json_array(), *step = json_array();
	for (int d = 0; d < part->region.n_dims && part->bounded; d++) {
		json_array_append_new(box, json_pack("[I, I]", (json_int_t)part->region.box[d].min, (json_int_t)part->region.box[d].max));
		json_array_append_new(step, json_integer(part->region.step[d]));
	}
	return json_pack("{s:o, s:o}", "box", box, "step", step);
}

static json_t *part_json(const struct bw_pipeline *pipeline, const struct bw_tile_part *part)
{
	json_t *object = region_json(part), *threads = json_array();
	for (int d = 0; d < 3; d++)
		json_array_append_new(threads, json_integer(part->threads[d]));
	json_object_set_new(object, "func", json_string(pipeline->funcs[part->func].name));
	json_object_set_new(object, "is", json_string(bw_tile_part_word(part->kind)));
	json_object_set_new(object, "points", json_real(part->points));
	json_object_set_new(object, "shared", json_real(part->shared));
	json_object_set_new(object, "computed", json_real(part->again));
	json_object_set_new(object, "calls", json_real(part->calls));
	json_object_set_new(object, "bytes", json_real(part->bytes));
	json_object_set_new(
	    object, "memory",
	    json_string(part->kind == BW_TILE_INLINED ? "none" : bw_memory_name(part->memory)));
	json_object_set_new(object, "threads", threads);
	json_object_set_new(object, "points_per_thread", json_integer(part->serial));
	return object;
}

json_t *bw_tile_json(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile)
{
	json_t *parts = json_array(), *blocks = json_array();
	for (int i = 0; i < tile->n; i++)
		json_array_append_new(parts, part_json(pipeline, &tile->parts[i]));
	for (int d = 0; d < 3; d++)
		json_array_append_new(blocks, json_integer(tile->blocks[d]));
	return json_pack("{s:s, s:i, s:o, s:I, s:o}", "kernel", pipeline->funcs[tile->func].name, "stage",
			 tile->stage, "blocks", blocks, "threads_per_block", (json_int_t)tile->n_threads,
			 "funcs", parts);
}

const char *bw_tile_memory(const struct bw_tile_part *part, struct bw_arena *arena)
{
	bool thread = part->memory == BW_MEMORY_REGISTERS || part->memory == BW_MEMORY_STACK;
	const char *bytes = bw_arena_format(arena, "%s", bw_say_bytes(part->bytes).text);
	if (part->kind == BW_TILE_INLINED)
		return "stored nowhere";
	if (part->kind == BW_TILE_READ)
		return bw_arena_format(arena, "%s a block, from global memory", bytes);
	return bw_arena_format(arena,
			       part->memory == BW_MEMORY_GLOBAL ? "%s in %s memory"
			       : thread                         ? "%s a thread, in %s"
								: "%s a block, in %s memory",
			       bytes, bw_memory_name(part->memory));
}

/* The picture: regions to scale. Coordinates are points, relative to the block's first point. */

const char *bw_tile_points(const struct bw_tile_part *part, struct bw_arena *arena)
{
	BW_SCOPED_TEXT text = {0};
	for (int d = 0; d < part->region.n_dims && part->bounded; d++)
		bw_text_printf(&text, d ? "x%lld" : "%lld",
			       (long long)(part->region.box[d].max - part->region.box[d].min + 1));
	return bw_arena_strdup(arena, !part->bounded        ? "no bounds"
				      : part->region.n_dims ? bw_text_get(&text)
							    : "1");
}

/* A region to draw, in points of the kernel's Func; dimension 0 is x. */
struct place {
	double low[2], high[2];
	double band[2]; /* width at each end that neighbouring blocks also need */
	double each[2]; /* size of one thread's share, from the low end; 0: unknown */
};

/* Converts a part's region to the coordinates of the kernel's Func. For example, if the regions of
 * neighbouring blocks are half as far apart as in the kernel's Func, coordinates are doubled. Returns
 * false if all blocks need the same region in a dimension with several blocks, or if a dimension has no
 * counterpart, such as a reduction's. */
static bool place_part(const struct bw_block_tile *tile, const struct bw_tile_part *part, struct place *place)
{
	const struct bw_block_region *host = &tile->parts[0].region, *region = &part->region;
	*place = (struct place){.high = {1, 1}};
	if (!part->bounded)
		return false;
	for (int d = 0; d < 2 && d < region->n_dims && d < host->n_dims; d++) {
		double step = (double)host->step[d], scale = 1,
		       size = (double)(region->box[d].max - region->box[d].min + 1);
		bool other = step == 0 && size != (double)(host->box[d].max - host->box[d].min + 1);
		if (other || (step > 0 && region->step[d] == 0))
			return false;
		if (step > 0)
			scale = step / (double)region->step[d];
		place->low[d] = (double)region->box[d].min * scale;
		place->high[d] = place->low[d] + size * scale;
		place->each[d] = part->each[d] > 0 && (double)part->each[d] < size
				     ? (double)part->each[d] * scale
				 : part->each[d] > 0 ? size * scale
						     : 0;
		if (place->low[d] >= (double)host->box[d].max + 1 ||
		    place->high[d] <= (double)host->box[d].min)
			return false;
		place->band[d] = region->step[d] > 0 ? (size - (double)region->step[d]) * scale : 0;
	}
	return region->n_dims > 0;
}

/* The regions to draw. */
enum { MOST_DRAWN = 12 };
struct drawn {
	const struct bw_pipeline *pipeline;
	const struct bw_block_tile *tile;
	int n, chosen; /* index of the shaded part; -1: none */
	const struct bw_tile_part *parts[MOST_DRAWN];
	struct place places[MOST_DRAWN];
	const struct bw_tile_outline *outline; /* NULL: none */
};

/* Chooses the parts to draw: the block, the chosen part, then all Funcs computed inside or read. */
static struct drawn choose(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile, int chosen)
{
	struct drawn drawn = {.pipeline = pipeline, .tile = tile, .chosen = -1};
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < tile->n && drawn.n < MOST_DRAWN; i++) {
			const struct bw_tile_part *part = &tile->parts[i];
			bool first = i == 0 || i == chosen;
			enum bw_tile_part_kind kind = round == 1 ? BW_TILE_INSIDE : BW_TILE_READ;
			if ((round ? part->kind != kind || first : !first) ||
			    !place_part(tile, part, &drawn.places[drawn.n]))
				continue;
			if (i == chosen)
				drawn.chosen = drawn.n;
			drawn.parts[drawn.n++] = part;
		}
	/* Recomputation is more informative than repeated reads. */
	for (int read = 0; read < 2 && chosen < 0 && drawn.chosen < 0; read++)
		for (int i = 1; i < drawn.n; i++)
			if ((drawn.parts[i]->kind == BW_TILE_READ) == read && drawn.parts[i]->shared > 0 &&
			    (drawn.chosen < 0 || drawn.parts[i]->shared > drawn.parts[drawn.chosen]->shared))
				drawn.chosen = i;
	return drawn;
}

static bool is_same(const struct place *a, const struct place *b)
{
	for (int d = 0; d < 2; d++)
		if (fabs(a->low[d] - b->low[d]) > 1e-6 || fabs(a->high[d] - b->high[d]) > 1e-6)
			return false;
	return true;
}

/* Returns the names of all drawn regions that are equal to one, and their points. */
static const char *names_of(const struct drawn *drawn, int of, struct bw_arena *arena)
{
	BW_SCOPED_TEXT text = {0};
	for (int i = of; i < drawn->n; i++)
		if (is_same(&drawn->places[i], &drawn->places[of]))
			bw_text_printf(&text, "%s%s", i == of ? "" : ", ",
				       drawn->pipeline->funcs[drawn->parts[i]->func].name);
	const char *names =
	    bw_arena_format(arena, " %s %s ", bw_text_get(&text), bw_tile_points(drawn->parts[of], arena));
	return names;
}

/* Adds a tick at each end of a region, starting at the lowest coordinate. */
static void add_ticks(struct bw_picture *picture, struct bw_axis *axis, const struct drawn *drawn, int d)
{
	for (double last = -INFINITY, next; last < axis->high; last = next) {
		next = INFINITY;
		for (int i = 0; i < drawn->n; i++) {
			next = drawn->places[i].low[d] > last + 1e-6 ? fmin(next, drawn->places[i].low[d])
								     : next;
			next = drawn->places[i].high[d] > last + 1e-6 ? fmin(next, drawn->places[i].high[d])
								      : next;
		}
		if (next <= axis->high)
			bw_picture_tick(
			    picture, axis, next,
			    bw_arena_format(picture->arena, "%.4g", next - drawn->places[0].low[d]));
	}
}

/* Returns true if other blocks are beside the block in a direction. */
static bool has_neighbours(const struct drawn *drawn, int d)
{
	const struct bw_block_region *region = &drawn->parts[0]->region;
	return d < region->n_dims && region->step[d] > 0 && drawn->tile->blocks[d] > 1;
}

/* Sets the axes: points from the first one of the block. A part of the next block is in the picture. */
static void set_axes(struct bw_picture *picture, const struct drawn *drawn)
{
	enum { WIDTH = 440, HEIGHT = 290, LEAST = 60 };
	double length[2], least = INFINITY;
	struct bw_axis *axes[2] = {&picture->x, &picture->y};
	const struct place *block = &drawn->places[0];
	for (int d = 0; d < 2; d++) {
		double low = block->low[d], high = block->high[d];
		for (int i = 1; i < drawn->n; i++) {
			low = fmin(low, drawn->places[i].low[d]);
			high = fmax(high, drawn->places[i].high[d]);
		}
		if (has_neighbours(drawn, d))
			high = fmax(high, block->high[d] + (d ? 0.25 : 0.3) * (block->high[d] - block->low[d]));
		if (drawn->outline)
			high = fmax(high, block->low[d] + drawn->outline->size[d]);
		length[d] = high - low;
		least = fmin(least, (d ? HEIGHT : WIDTH) / length[d]);
		*axes[d] = (struct bw_axis){.low = low, .high = high, .title = d ? NULL : "points"};
		if (d < drawn->parts[0]->region.n_dims)
			add_ticks(picture, axes[d], drawn, d);
	}
	picture->width = length[0] * fmin(WIDTH / length[0], fmax(least, LEAST / length[0]));
	picture->height = length[1] * fmin(HEIGHT / length[1], fmax(least, LEAST / length[1]));
}

/* Shades the parts of a region that neighbouring blocks also need: a band at each end of each
 * direction, or the whole region. */
static void add_bands(struct bw_picture *picture, const struct place *place)
{
	struct bw_mark band = bw_mark_box(BW_TINT_WARM, BW_FILL_LIGHT);
	double inner[2][2];
	for (int d = 0; d < 2; d++) {
		double wide = fmin(fmax(place->band[d], 0), place->high[d] - place->low[d]);
		bool own = 2 * wide < place->high[d] - place->low[d];
		inner[0][d] = own ? place->low[d] + wide : place->high[d];
		inner[1][d] = own ? place->high[d] - wide : place->high[d];
	}
	const double bands[4][4] = {{place->low[0], place->low[1], place->high[0], inner[0][1]},
				    {place->low[0], inner[1][1], place->high[0], place->high[1]},
				    {place->low[0], inner[0][1], inner[0][0], inner[1][1]},
				    {inner[1][0], inner[0][1], place->high[0], inner[1][1]}};
	for (int i = 0; i < 4; i++)
		if (bands[i][2] > bands[i][0] && bands[i][3] > bands[i][1])
			bw_picture_span(picture, band, bands[i][0], bands[i][1], bands[i][2], bands[i][3]);
	bw_picture_legend(picture, band, "also beside");
}

static void add_thread(struct bw_picture *picture, const struct place *place)
{
	struct bw_mark thread = bw_mark_box(BW_TINT_GOOD, BW_FILL_DARK);
	thread.says = "what one thread computes";
	if (!(place->each[0] > 0))
		return;
	bw_picture_span(picture, thread, place->low[0], place->low[1], place->low[0] + place->each[0],
			fmin(place->low[1] + (place->each[1] > 0 ? place->each[1] : 1), place->high[1]));
	bw_picture_legend(picture, thread, "a thread");
}

/* Extends the borders of the block to the ends of the picture: the area beyond belongs to neighbouring
 * blocks. */
static void add_borders(struct bw_picture *picture, const struct drawn *drawn)
{
	struct bw_mark border = {.kind = BW_MARK_LINE, .tint = BW_TINT_SOFT, .dashed = true};
	const struct place *block = &drawn->places[0];
	bool any = false;
	for (int d = 0; d < 2; d++)
		for (int side = 0; side < 2 && has_neighbours(drawn, d); side++) {
			double at = side ? block->high[d] : block->low[d];
			const struct bw_axis *x = &picture->x, *y = &picture->y;
			bw_picture_span(picture, border, d ? x->low : at, d ? at : y->low, d ? x->high : at,
					d ? at : y->high);
			any = true;
		}
	for (int d = 0; d < 2; d++) {
		struct bw_mark next = {.kind = BW_MARK_TEXT, .tint = BW_TINT_SOFT, .anchor = d ? BW_ANCHOR_MIDDLE : BW_ANCHOR_END, .spare = true, .text = "next block"};
		double across = (block->low[!d] + block->high[!d]) / 2,
		       below = (block->high[1] + 3 * picture->y.high) / 4;
		if (has_neighbours(drawn, d))
			bw_picture_at(picture, next, d ? across : picture->x.high, d ? below : across);
	}
	if (any)
		bw_picture_legend(picture, border, "borders");
}

/* Draws the block in another size. */
static void add_outline(struct bw_picture *picture, const struct drawn *drawn)
{
	const struct place *block = &drawn->places[0];
	struct bw_mark box = bw_mark_box(drawn->outline->impossible ? BW_TINT_BAD : BW_TINT_SOFT, BW_FILL_NONE);
	box.says = drawn->outline->says;
	box.text = drawn->outline->says;
	box.anchor = BW_ANCHOR_END;
	bw_picture_span(picture, box, block->low[0], block->low[1], block->low[0] + drawn->outline->size[0],
			block->low[1] + drawn->outline->size[1]);
}

struct bw_picture bw_tile_picture(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile,
				  int chosen, bool coarse, const struct bw_tile_outline *outline,
				  struct bw_arena *arena)
{
	enum { NAMED = 6 };
	struct bw_picture picture = {
	    .arena = arena,
	    .spread = true,
	    .says = bw_arena_format(arena, "a block of the kernel %s", pipeline->funcs[tile->func].name)};
	struct drawn drawn = choose(pipeline, tile, chosen);
	int named = 0;
	if (!drawn.n || drawn.parts[0] != &tile->parts[0])
		return picture;
	drawn.outline = outline;
	set_axes(&picture, &drawn);
	if (drawn.chosen >= 0 &&
	    (drawn.places[drawn.chosen].band[0] > 0 || drawn.places[drawn.chosen].band[1] > 0))
		add_bands(&picture, &drawn.places[drawn.chosen]);
	add_thread(&picture, &drawn.places[coarse && drawn.chosen >= 0 ? drawn.chosen : 0]);
	add_borders(&picture, &drawn);
	if (outline)
		add_outline(&picture, &drawn);
	for (int i = coarse ? drawn.n - 1 : 0; i >= 0 && i < drawn.n; i += coarse ? -1 : 1) {
		const struct place *place = &drawn.places[i];
		bool again = false,
		     is_chosen = drawn.chosen >= 0 && is_same(place, &drawn.places[drawn.chosen]);
		for (int k = 0; k < i; k++)
			again |= is_same(&drawn.places[k], place);
		if (again)
			continue;
		struct bw_mark box = {.kind = BW_MARK_BOX,
				      .spare = i > 0 && !is_chosen,
				      .series = named,
				      .tint = !i && outline && outline->impossible ? BW_TINT_BAD
					      : coarse && is_chosen                    ? BW_TINT_CHOSEN
					      : !coarse && i                         ? BW_TINT_SERIES
					      : drawn.parts[i]->kind == BW_TILE_READ ? BW_TINT_SOFT
										     : BW_TINT_INK};
		box.says = names_of(&drawn, i, arena);
		box.text = coarse ? box.says : NULL;
		box.anchor = drawn.parts[i]->kind == BW_TILE_READ ? BW_ANCHOR_END : BW_ANCHOR_START;
		bw_picture_span(&picture, box, place->low[0], place->low[1], place->high[0], place->high[1]);
		if (!coarse && named < NAMED)
			bw_picture_legend(&picture, box, box.says);
		named++;
	}
	for (int i = 0; i < picture.n_legend; i++)
		picture.legend[i].mark.text = NULL;
	return picture;
}
