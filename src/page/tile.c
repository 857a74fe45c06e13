/* What one block of the costliest kernels computes and needs: its regions to scale, and a table of its Funcs.
 */
#include <math.h>
#include <string.h>

#include "base/say.h"
#include "figures/tile.h"
#include "page/page_private.h"

enum { MOST_TILES = 3, MOST_PLACES = 24, WIDTH = 470, HEIGHT = 330, MARGIN = 26 };

/* A picture: the regions, and what they are scaled by. */
struct picture {
	const struct bw_block_tile *tile;
	int n;
	const struct bw_tile_part *parts[MOST_PLACES];
	struct bw_tile_place places[MOST_PLACES];
	int chosen; /* whose overlap is shaded; -1: none */
	double low[2], scale[2], size[2];
};

/* Returns the part whose overlap says most: of what is computed, else of what is read. */
static int choose(const struct picture *picture)
{
	int chosen = -1;
	for (int read = 0; read < 2 && chosen < 0; read++)
		for (int i = 1; i < picture->n; i++)
			if ((picture->parts[i]->kind == BW_TILE_READ) == read &&
			    picture->parts[i]->shared > 0 &&
			    (chosen < 0 || picture->parts[i]->shared > picture->parts[chosen]->shared))
				chosen = i;
	return chosen;
}

static struct picture picture_of(const struct bw_block_tile *tile)
{
	struct picture picture = {.tile = tile};
	double high[2] = {-INFINITY, -INFINITY};
	picture.low[0] = picture.low[1] = INFINITY;
	for (int i = 0; i < tile->n && picture.n < MOST_PLACES; i++) {
		if (tile->parts[i].kind == BW_TILE_INLINED ||
		    !bw_tile_place(tile, &tile->parts[i], &picture.places[picture.n]))
			continue;
		for (int d = 0; d < 2; d++) {
			picture.low[d] = fmin(picture.low[d], picture.places[picture.n].low[d]);
			high[d] = fmax(high[d], picture.places[picture.n].high[d]);
		}
		picture.parts[picture.n++] = &tile->parts[i];
	}
	if (!picture.n || picture.parts[0] != &tile->parts[0])
		return (struct picture){.tile = tile, .chosen = -1};
	double room[2] = {WIDTH - 2.0 * MARGIN, HEIGHT - 2.0 * MARGIN}, least = INFINITY;
	for (int d = 0; d < 2; d++)
		least = fmin(least, room[d] / (high[d] - picture.low[d]));
	for (int d = 0; d < 2; d++) {
		double length = high[d] - picture.low[d];
		picture.scale[d] = fmin(room[d] / length, fmax(least, 60 / length));
		picture.size[d] = length * picture.scale[d];
	}
	picture.chosen = choose(&picture);
	return picture;
}

static double at(const struct picture *picture, int d, double value)
{
	return MARGIN + (value - picture->low[d]) * picture->scale[d];
}

static void put_rect(struct bw_page *page, const struct picture *picture, const char *class,
		     const double low[2], const double high[2], const char *says)
{
	double box[4] = {at(picture, 0, low[0]), at(picture, 1, low[1]),
			 (high[0] - low[0]) * picture->scale[0], (high[1] - low[1]) * picture->scale[1]};
	bw_svg_rect(page->out, class, box, -1, says);
}

/* Shades what the blocks beside need, too. */
static void put_again(struct bw_page *page, const struct picture *picture, const struct bw_tile_place *place)
{
	double inner[2][2];
	for (int d = 0; d < 2; d++) {
		double band = fmin(fmax(place->band[d], 0), place->high[d] - place->low[d]);
		inner[0][d] = place->low[d] + band;
		inner[1][d] = fmax(place->high[d] - band, inner[0][d]);
	}
	double bands[4][2][2] = {{{place->low[0], place->low[1]}, {place->high[0], inner[0][1]}},
				 {{place->low[0], inner[1][1]}, {place->high[0], place->high[1]}},
				 {{place->low[0], inner[0][1]}, {inner[0][0], inner[1][1]}},
				 {{inner[1][0], inner[0][1]}, {place->high[0], inner[1][1]}}};
	for (int i = 0; i < 4; i++)
		if (bands[i][1][0] > bands[i][0][0] && bands[i][1][1] > bands[i][0][1])
			put_rect(page, picture, "again", bands[i][0], bands[i][1], NULL);
}

/* Returns the points of a region, `66x34`. */
static const char *points_of(const struct bw_page *page, const struct bw_tile_part *part)
{
	struct bw_text text = {0};
	for (int d = 0; d < part->region.n_dims && part->bounded; d++)
		bw_text_printf(&text, d ? "x%lld" : "%lld",
			       (long long)(part->region.box[d].max - part->region.box[d].min + 1));
	const char *kept = bw_page_say(page, "%s", part->bounded ? bw_text_get(&text) : "without bounds");
	bw_text_free(&text);
	return kept;
}

/* Draws the blocks beside this one, as far as the picture reaches. */
static void put_beside(struct bw_page *page, const struct picture *picture)
{
	const struct bw_tile_place *block = &picture->places[0];
	const struct bw_block_region *region = &picture->tile->parts[0].region;
	for (int d = 0; d < 2 && d < region->n_dims; d++) {
		if (region->step[d] <= 0 || picture->tile->blocks[d] < 2)
			continue;
		for (int side = 0; side < 2; side++) {
			double edge = at(picture, d, side ? block->high[d] : block->low[d]);
			if (d == 0)
				bw_svg_line(page->out, "beside", edge, 4, edge,
					    2 * MARGIN - 4 + picture->size[1]);
			else
				bw_svg_line(page->out, "beside", 4, edge, 2 * MARGIN - 4 + picture->size[0],
					    edge);
		}
	}
}

static void put_picture(struct bw_page *page, const struct picture *picture)
{
	double width = picture->size[0] + 2 * MARGIN, height = picture->size[1] + 2 * MARGIN;
	bw_svg_begin(
	    page->out, "tile", width, height, 240,
	    bw_page_say(page, "a block of the kernel %s", page->pipeline->funcs[picture->tile->func].name));
	put_rect(page, picture, "block", picture->places[0].low, picture->places[0].high,
		 bw_page_say(page, "the block: %s", points_of(page, picture->parts[0])));
	if (picture->chosen >= 0)
		put_again(page, picture, &picture->places[picture->chosen]);
	for (int i = 1; i < picture->n; i++)
		put_rect(page, picture, i == picture->chosen ? "chosen" : "region", picture->places[i].low,
			 picture->places[i].high,
			 bw_page_say(page, "%s: %s", page->pipeline->funcs[picture->parts[i]->func].name,
				     points_of(page, picture->parts[i])));
	if (picture->places[0].each[0] > 0) {
		const struct bw_tile_place *block = &picture->places[0];
		double to[2] = {block->low[0] + block->each[0],
				block->low[1] + (block->each[1] > 0 ? block->each[1] : 1)};
		put_rect(page, picture, "thread", block->low, to, "what one thread computes");
	}
	put_beside(page, picture);
	bw_text_puts(page->out, "</svg></div>\n");
}

static const char *memory_of(const struct bw_page *page, const struct bw_tile_part *part)
{
	bool thread = part->memory == BW_MEMORY_REGISTERS || part->memory == BW_MEMORY_STACK;
	const char *bytes = bw_page_say(page, "%s", bw_say_bytes(part->bytes).text);
	if (part->kind == BW_TILE_INLINED)
		return "nowhere";
	if (part->kind == BW_TILE_READ)
		return bw_page_say(page, "%s per block from global memory", bytes);
	return bw_page_say(page,
			   part->memory == BW_MEMORY_GLOBAL ? "%s in %s memory, all of it"
			   : thread                         ? "%s per thread in %s"
							    : "%s per block in %s memory",
			   bytes, bw_memory_name(part->memory));
}

static void put_parts(struct bw_page *page, const struct bw_block_tile *tile)
{
	static const char *const names[] = {"Func",         "is",        ">points per block",
					    ">also beside", ">computed", "kept"};
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody class=\"tile-rows\">\n");
	for (int i = 0; i < tile->n; i++) {
		const struct bw_tile_part *part = &tile->parts[i];
		bw_text_puts(page->out, "<tr><td class=\"name\">");
		bw_html_text(page->out, page->pipeline->funcs[part->func].name);
		bw_text_puts(page->out, "</td>");
		bw_html_cell(page->out, "%s", bw_tile_part_word(part->kind));
		bw_html_number(page->out, part->points, points_of(page, part));
		bw_html_number(page->out, part->shared,
			       part->kind == BW_TILE_INLINED ? "" : bw_say_percent(part->shared).text);
		bw_html_number(page->out, part->again,
			       part->kind == BW_TILE_READ ? "" : bw_say_times(part->again).text);
		bw_html_cell(page->out, "%s", memory_of(page, part));
		bw_text_puts(page->out, "</tr>\n");
	}
	bw_text_puts(page->out, "</tbody></table></div>\n");
}

static bool same_place(const struct bw_tile_place *a, const struct bw_tile_place *b)
{
	return !memcmp(a->low, b->low, sizeof a->low) && !memcmp(a->high, b->high, sizeof a->high);
}

/* Says what is shaded: of all Funcs of which the block needs the same region. */
static void put_caption(struct bw_page *page, const struct picture *picture)
{
	if (picture->chosen < 0)
		return;
	const struct bw_tile_part *part = picture->parts[picture->chosen];
	bw_text_puts(page->out, "<figcaption>Shaded: the ");
	bw_html_figure(page->out, part->shared, bw_say_percent(part->shared).text);
	for (int i = 1, n = 0; i < picture->n; i++)
		if (picture->parts[i]->kind == part->kind &&
		    same_place(&picture->places[i], &picture->places[picture->chosen]))
			bw_html_printf(page->out, "%s%s", n++ ? ", " : " of ",
				       page->pipeline->funcs[picture->parts[i]->func].name);
	if (part->kind == BW_TILE_READ)
		bw_text_puts(page->out, " that the blocks beside read, too.</figcaption>\n");
	else
		bw_html_printf(page->out,
			       " that the blocks beside compute again: %s as many points as are needed.",
			       bw_say_times(part->again).text);
	if (part->kind != BW_TILE_READ)
		bw_text_puts(page->out, "</figcaption>\n");
}

static void put_tile(struct bw_page *page, int k)
{
	const struct bw_roofline_kernel *kernel = &page->rooflines.kernels[k];
	struct bw_block_tile tile;
	bw_tile_of_kernel(page->nest, kernel->func, kernel->stage, page->arena, &tile);
	struct picture picture = picture_of(&tile);
	bw_text_puts(page->out, "<figure><h3><b class=\"letter\">");
	bw_html_text(page->out, bw_roofline_letter(k).text);
	bw_text_puts(page->out, "</b>");
	bw_html_printf(page->out, "A block of the kernel of %s, one of %s",
		       bw_page_stage(page, kernel->func, kernel->stage), bw_say_count(tile.n_blocks).text);
	bw_text_puts(page->out, "</h3>\n");
	if (picture.n)
		put_picture(page, &picture);
	put_caption(page, &picture);
	put_parts(page, &tile);
	bw_text_puts(page->out, "</figure>\n");
}

void bw_page_tiles(struct bw_page *page)
{
	bw_text_puts(
	    page->out,
	    "<section id=\"tiles\"><h2>Tiles</h2>\n<p>What one block of the costliest kernels computes and "
	    "needs, to scale: its part of the output with a thick edge, around it what it needs of other "
	    "Funcs, in green what one thread computes. Dashed lines are the borders of blocks.</p>\n");
	for (int k = 0; k < page->rooflines.n && k < MOST_TILES; k++)
		put_tile(page, k);
	bw_text_puts(page->out, "</section>\n");
}
