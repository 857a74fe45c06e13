/* Pictures (figures/picture.h) as SVG, with axes and legends. */
#include <math.h>
#include <string.h>

#include "page/html.h"

const char bw_svg_style[] =
    "svg{display:block;max-width:100%;height:auto;font:12px system-ui,'DejaVu Sans',sans-serif}\n"
    ".ground{fill:#fff}.ink{color:#1c212b}.soft{color:#5d6573}.rule{color:#d5d1c8}.strong{color:#1c212b;font-weight:600}"
    ".chosen{color:#1971c2}.good{color:#2b8a3e}.warm{color:#e8590c}.bad{color:#c92a2a}.heat{color:#e8590c}\n"
    ".s0{color:#e8590c}.s1{color:#1971c2}.s2{color:#2b8a3e}.s3{color:#9c36b5}.s4{color:#c92a2a}.s5{color:#0b7285}"
    ".s6{color:#5f3dc4}.s7{color:#a66f00}.s8{color:#495057}\n"
    "svg .line{fill:none;stroke:currentColor;stroke-width:1.6}svg .rule.line{stroke-width:1}\n"
    "svg .fill{fill:currentColor;stroke:none}svg .dash{stroke-dasharray:4 3}"
    "svg text{fill:currentColor;color:#1c212b}svg text.soft{color:#5d6573;font-size:11px}svg text.in{fill:#fff;font-weight:700;font-size:11px}\n"
    "@media(prefers-color-scheme:dark){.ground{fill:#11141a}.ink,.strong,svg text{color:#e7e9ee}.soft,svg text.soft{color:#9aa3b1}"
    ".rule{color:#3a4150}.chosen{color:#4dabf7}.good{color:#51cf66}.warm,.heat{color:#ff922b}}\n";

/* Sizes in pixels: a letter of text, a row of the legend. */
enum { LETTER = 8, LINE = 18, GAP = 8, DOT = 4, DISC = 8 };

/* The area of the marks. */
struct place {
	double left, top, width, height;
};

static double at_x(const struct place *place, double x)
{
	return place->left + x * place->width;
}

static double at_y(const struct place *place, double y)
{
	return place->top + y * place->height;
}

static const char *class_of(const struct bw_mark *mark)
{
	static const char *const classes[BW_N_TINTS] =
	    {
		BW_TINT_TABLE(BW_SECOND)
	    },
				 *const series[BW_N_SERIES] = {"s0", "s1", "s2", "s3", "s4",
							       "s5", "s6", "s7", "s8"};
	return mark->tint == BW_TINT_SERIES ? series[mark->series % BW_N_SERIES] : classes[mark->tint];
}

/* Ends a shape with its tooltip. */
static void end(struct bw_text *out, const char *name, const char *says)
{
	bw_text_puts(out, says ? "><title>" : "/>\n");
	if (says) {
		bw_html_text(out, says);
		bw_text_printf(out, "</title></%s>\n", name);
	}
}

static void put_text(struct bw_text *out, const char *class, enum bw_anchor anchor, double x, double y,
		     double turned, const char *text)
{
	static const char *const anchors[] = {"start", "middle", "end"};
	bw_text_printf(out, "<text class=\"%s\" text-anchor=\"%s\" ", class, anchors[anchor]);
	if (turned != 0)
		bw_text_printf(out, "transform=\"translate(%.1f %.1f) rotate(%.1f)\">", x, y, turned);
	else
		bw_text_printf(out, "x=\"%.1f\" y=\"%.1f\">", x, y);
	bw_html_text(out, text);
	bw_text_puts(out, "</text>\n");
}

static void put_path(struct bw_text *out, const struct place *place, const struct bw_mark *mark)
{
	bool area = mark->kind == BW_MARK_AREA;
	const double ends[2][2] = {{mark->at[0], mark->at[1]}, {mark->at[2], mark->at[3]}};
	bw_text_printf(out, "<path class=\"%s %s%s\" d=\"", class_of(mark), area ? "fill" : "line",
		       mark->dashed ? " dash" : "");
	for (int i = 0; i < (mark->n ? mark->n : 2); i++) {
		const double *point = mark->n ? mark->path[i] : ends[i];
		bw_text_printf(out, "%c%.1f %.1f", i ? 'L' : 'M', at_x(place, point[0]),
			       at_y(place, point[1]));
	}
	bw_text_puts(out, area ? "Z\" fill-opacity=\".22\"" : "\"");
	end(out, "path", mark->says);
	if (mark->arrow)
		bw_text_printf(out, "<path class=\"%s fill\" d=\"M%.1f %.1fl-4 -7h8z\"/>\n", class_of(mark),
			       at_x(place, mark->path[mark->n - 1][0]),
			       at_y(place, mark->path[mark->n - 1][1]));
	if (!mark->text || area)
		return;
	/* The name is written along the first segment, near its beginning. */
	const double *from = mark->n ? mark->path[0] : ends[0], *to = mark->n ? mark->path[1] : ends[1];
	double x0 = at_x(place, from[0]), y0 = at_y(place, from[1]), x1 = at_x(place, to[0]),
	       y1 = at_y(place, to[1]);
	double part = y0 == y1 ? 0.98 : 0.06;
	if (hypot(x1 - x0, y1 - y0) < LETTER * (double)strlen(mark->text))
		put_text(out, "soft", BW_ANCHOR_START, x1 + 4, y1 + LINE, 0, mark->text);
	else
		put_text(out, "soft", y0 == y1 ? BW_ANCHOR_END : BW_ANCHOR_START, x0 + part * (x1 - x0),
			 y0 + part * (y1 - y0) - 6, atan2(y1 - y0, x1 - x0) * 180 / acos(-1), mark->text);
}

static void put_dot(struct bw_text *out, double x, double y, const struct bw_mark *mark)
{
	double radius = mark->text ? DISC + 7 * mark->size : DOT + 4 * mark->size;
	const char *class = class_of(mark);
	if (mark->symbol == BW_SYMBOL_CROSS && !mark->text) {
		bw_text_printf(out, "<path class=\"%s line\" d=\"M%.1f %.1fl8 8m0 -8l-8 8\"", class, x - 4,
			       y - 4);
		end(out, "path", mark->says);
		return;
	}
	bw_text_printf(out, "<circle class=\"%s %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"%s", class,
		       mark->symbol == BW_SYMBOL_RING ? "line" : "fill", x, y, radius,
		       mark->symbol == BW_SYMBOL_POINT && !mark->text && !mark->size ? " fill-opacity=\".5\""
										     : "");
	end(out, "circle", mark->says);
	if (mark->text)
		put_text(out, "in", BW_ANCHOR_MIDDLE, x, y + 4, 0, mark->text);
}

static void put_box(struct bw_text *out, const struct place *place, const struct bw_mark *mark)
{
	static const double opacities[] = {0, 0.25, 0.5, 0.85};
	double x = at_x(place, mark->at[0]), y = at_y(place, mark->at[1]),
	       width = (mark->at[2] - mark->at[0]) * place->width;
	bw_text_printf(out, "<rect class=\"%s %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
		       class_of(mark), mark->fill ? "fill" : "line", x, y, fmax(width, 0),
		       fmax((mark->at[3] - mark->at[1]) * place->height, 0));
	if (mark->fill)
		bw_text_printf(out, " fill-opacity=\"%.2f\"",
			       mark->tint == BW_TINT_HEAT ? 0.05 + 0.75 * sqrt(fmin(mark->heat, 1))
							  : opacities[mark->fill]);
	end(out, "rect", mark->says);
	if (mark->text)
		put_text(out, class_of(mark), BW_ANCHOR_MIDDLE, x + width / 2, y + 14, 0, mark->text);
}

static void put_mark(struct bw_text *out, const struct place *place, const struct bw_mark *mark)
{
	switch (mark->kind) {
	case BW_MARK_LINE:
	case BW_MARK_AREA:
		put_path(out, place, mark);
		break;
	case BW_MARK_DOT:
		put_dot(out, at_x(place, mark->at[0]), at_y(place, mark->at[1]), mark);
		break;
	case BW_MARK_BOX:
		put_box(out, place, mark);
		break;
	case BW_MARK_TEXT:
		put_text(out, class_of(mark), mark->anchor, at_x(place, mark->at[0]),
			 at_y(place, mark->at[1]) + 4, 0, mark->text);
	}
}

/* Draws the marks of a film. Marks that stay are hidden until their first frame. Marks of a single frame
 * are visible only in this frame. A viewer without animations shows the last frame. */
static void put_film(struct bw_text *out, const struct place *place, const struct bw_picture *picture)
{
	enum { HOLD = 3 };
	double each = 1 / picture->rate;
	bw_text_printf(out,
		       "<g><animate id=\"film\" attributeName=\"opacity\" values=\"1;1\" begin=\"0s;film.end+%ds\" dur=\"%.3fs\"/></g>\n",
		       HOLD, each * picture->frames);
	for (int i = 0; i < picture->n;) {
		const struct bw_mark *first = &picture->marks[i];
		bool last = first->end == picture->frames;
		if (!first->end)
			bw_text_puts(out, "<g>");
		else
			bw_text_printf(out, "<g visibility=\"%s\">", last ? "visible" : "hidden");
		if (first->begin && (last || !first->end))
			bw_text_printf(out, "<set attributeName=\"visibility\" to=\"hidden\" begin=\"film.begin\" dur=\"%.3fs\"/>", each * first->begin);
		else if (first->end && !last)
			bw_text_printf(out, "<set attributeName=\"visibility\" to=\"visible\" begin=\"film.begin+%.3fs\" dur=\"%.3fs\"/>",
				       each * first->begin, each * (first->end - first->begin));
		bw_text_puts(out, "\n");
		for (int begin = first->begin, end_at = first->end;
		     i < picture->n && picture->marks[i].begin == begin && picture->marks[i].end == end_at; i++)
			put_mark(out, place, &picture->marks[i]);
		bw_text_puts(out, "</g>\n");
	}
}

/* Draws an axis: a thin grid line for each tick, and as many labels as fit without touching. */
static void put_axis(struct bw_text *out, const struct place *place, const struct bw_axis *axis, bool x)
{
	double taken = -INFINITY;
	for (int i = 0; i < axis->n; i++) {
		const struct bw_tick *tick = &axis->ticks[i];
		double half = x ? LETTER * (double)strlen(tick->label) / 2 : LINE / 2.0,
		       at = x ? at_x(place, tick->at) : -at_y(place, tick->at);
		if (!x && !axis->up)
			at = -at;
		if (at - half < taken)
			continue;
		taken = at + half + (x ? 4 : 0);
		struct bw_mark line = {
		    .kind = BW_MARK_LINE,
		    .tint = BW_TINT_RULE,
		    .at = {x ? tick->at : 0, x ? 0 : tick->at, x ? tick->at : 1, x ? 1 : tick->at}};
		put_path(out, place, &line);
		if (x)
			put_text(out, "soft", BW_ANCHOR_MIDDLE, at, place->top + place->height + 15, 0,
				 tick->label);
		else
			put_text(out, "soft", BW_ANCHOR_END, place->left - 6, at_y(place, tick->at) + 4, 0,
				 tick->label);
	}
	if (axis->title && x)
		put_text(out, "soft", BW_ANCHOR_END, place->left + place->width,
			 place->top + place->height + 31, 0, axis->title);
	else if (axis->title)
		put_text(out, "soft", BW_ANCHOR_START, 4, place->top - 11, 0, axis->title);
}

/* Writes the legend of the symbols, row by row. Returns the number of rows. If `out` is NULL, only counts
 * the rows. */
static int put_legend(struct bw_text *out, const struct bw_picture *picture, double left, double top,
		      double width)
{
	enum { SYMBOL = 22, APART = 18 };
	double x = 0, y = 0;
	for (int i = 0; i < picture->n_legend; i++) {
		const struct bw_legend_row *legend = &picture->legend[i];
		double needs = SYMBOL + LETTER * (double)strlen(legend->words);
		if (x > 0 && x + needs > width) {
			x = 0;
			y += LINE + 4;
		}
		if (out) {
			struct bw_mark mark = legend->mark;
			memcpy(mark.at, (const double[4]){0, 0, 1, 1}, sizeof mark.at);
			if (mark.kind == BW_MARK_DOT)
				mark.at[0] = mark.at[1] = 0.5;
			else if (mark.kind != BW_MARK_BOX)
				mark.at[1] = mark.at[3] = 0.5;
			put_mark(out, &(struct place){left + x, top + y + 2, SYMBOL - GAP, 12}, &mark);
			put_text(out, "soft", BW_ANCHOR_START, left + x + SYMBOL, top + y + 12, 0,
				 legend->words);
		}
		x += needs + APART;
	}
	return picture->n_legend ? (int)(y / (LINE + 4)) + 1 : 0;
}

void bw_svg_picture(struct bw_text *out, const struct bw_picture *picture, const char *title, bool alone)
{
	double label = picture->y.n ? 52 : 0, edge = picture->x.n || picture->y.n ? 18 : 4;
	for (int i = 0; i < picture->y.n; i++)
		label = fmax(label, LETTER * (double)strlen(picture->y.ticks[i].label) + GAP);
	struct place place = {fmax(label, edge), (picture->y.title ? 24 : edge) + (title ? 28 : 0),
			      picture->width, picture->height};
	double width = place.left + place.width + edge,
	       below = place.top + place.height + (picture->x.n ? picture->x.title ? 40 : 24 : edge),
	       height = below + (LINE + 4) * put_legend(NULL, picture, place.left, below, place.width);
	if (!alone)
		bw_text_puts(out, "<div class=\"wide\">");
	bw_text_printf(
	    out,
	    "<svg %sclass=\"%s\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" style=\"min-width:%.0fpx\" role=\"img\" aria-label=\"",
	    alone ? "xmlns=\"http://www.w3.org/2000/svg\" " : "", picture->x.n ? "plot" : "graph", width,
	    height, width, height, fmin(width, picture->x.n ? 380 : 0.75 * width));
	bw_html_text(out, picture->says ? picture->says : "");
	bw_text_puts(out, "\">\n");
	if (alone)
		bw_text_printf(out,
			       "<style>%s</style>\n<rect class=\"ground\" width=\"%.0f\" height=\"%.0f\"/>\n",
			       bw_svg_style, width, height);
	if (title)
		put_text(out, "strong", BW_ANCHOR_START, 4, 18, 0, title);
	if (picture->x.n)
		put_axis(out, &place, &picture->x, true);
	if (picture->y.n)
		put_axis(out, &place, &picture->y, false);
	if (picture->frames)
		put_film(out, &place, picture);
	for (int i = 0; i < picture->n && !picture->frames; i++)
		put_mark(out, &place, &picture->marks[i]);
	put_legend(out, picture, place.left, below, place.width);
	bw_text_puts(out, alone ? "</svg>\n" : "</svg></div>\n");
}
