/* A picture as a list of marks. The terminal (ui/picture.h) and the page (page/html.h) draw the same
 * picture, each in its own way. Marks use unit coordinates: x from 0 at the left to 1, y from 0 at the
 * top to 1. */
#pragma once
#include "base/text.h"
#include "base/say.h"

/* Colours by meaning: name in C, CSS class in the page. HEAT is warmer the nearer `heat` is to 1. SERIES
 * is one of several colours that only tell lines apart. */
#define BW_TINT_TABLE(X) \
	X(BW_TINT_INK, "ink") \
	X(BW_TINT_SOFT, "soft") X(BW_TINT_RULE, "rule") X(BW_TINT_STRONG, "strong") X(BW_TINT_CHOSEN, "chosen") X(BW_TINT_GOOD, "good") \
	    X(BW_TINT_WARM, "warm") X(BW_TINT_BAD, "bad") X(BW_TINT_HEAT, "heat") X(BW_TINT_SERIES, "series")

enum bw_tint { BW_TINT_TABLE(BW_FIRST) BW_N_TINTS };
enum { BW_N_SERIES = 9 }; /* number of colours for SERIES */

/* Symbols of dots: name in C, code point in the terminal. The terminal draws POINT as a dot of braille. */
#define BW_SYMBOL_TABLE(X) \
	X(BW_SYMBOL_POINT, 0) X(BW_SYMBOL_DISC, 0x25cf) X(BW_SYMBOL_RING, 0x25cb) X(BW_SYMBOL_CROSS, 0x00d7)

enum bw_symbol { BW_SYMBOL_TABLE(BW_FIRST) BW_N_SYMBOLS };

enum bw_mark_kind { BW_MARK_LINE, BW_MARK_AREA, BW_MARK_DOT, BW_MARK_BOX, BW_MARK_TEXT };
enum bw_fill { BW_FILL_NONE, BW_FILL_LIGHT, BW_FILL_DARK, BW_FILL_FULL };
enum bw_anchor { BW_ANCHOR_START, BW_ANCHOR_MIDDLE, BW_ANCHOR_END };

struct bw_mark {
	enum bw_mark_kind kind;
	enum bw_tint tint;
	double heat;  /* HEAT: 0..1 */
	int series;   /* SERIES: 0-based; may be larger than the number of colours */
	double at[4]; /* LINE: both ends; DOT, TEXT: position; BOX: upper left, then lower right
			 corner */
	int n;        /* LINE, AREA: number of points of `path`; 0: a straight line between the ends in `at` */
	double (*path)[2];
	enum bw_symbol symbol; /* DOT without text: its symbol */
	double size;           /* DOT: 0..1; the page draws it larger */
	enum bw_fill fill;     /* BOX; NONE: outline only */
	bool dashed, arrow;    /* LINE; arrow: the page draws an arrow at the end */
	bool spare;            /* BOX: omitted if its edges would share cells with others */
	bool fine;             /* omitted on a terminal, which is too coarse for it */
	/* in a film: the first frame with the mark, and the first frame after it without the mark; 0: none */
	int begin, end;
	enum bw_anchor anchor; /* TEXT: alignment; BOX: END if the text is on the lower edge */
	const char *text;      /* LINE: its name; DOT: a letter; BOX: text on the upper edge; NULL: none */
	const char *brief;     /* LINE: shorter name if there is no room for `text`; NULL: none */
	const char *says;      /* tooltip; NULL: none */
};

struct bw_tick {
	double at; /* 0..1 */
	const char *label;
};

struct bw_axis {
	double low, high; /* values at the ends of the axis */
	bool log, up;     /* up: for y, the low end is at the bottom */
	const char *title;
	int n;
	struct bw_tick *ticks;
};

struct bw_legend_row {
	struct bw_mark mark; /* a DOT, LINE or BOX as in the picture */
	const char *words;
};

struct bw_picture {
	struct bw_arena *arena; /* owns all that the picture points to */
	const char *says;       /* a description of the picture, in words */
	double width, height;   /* size of the area of marks on the page, in pixels */
	int columns, rows;      /* size of the area of marks in the terminal; 0: all the space available */
	int frames;          /* number of frames of a film; 0: not a film */
	double rate;         /* frames per second */
	bool spread;         /* edges of boxes at different positions get different cells, however near they are */
	struct bw_axis x, y; /* an axis without ticks is not drawn */
	int n, capacity;
	struct bw_mark *marks; /* later ones are drawn over earlier ones */
	int n_legend;
	struct bw_legend_row legend[12];
};

static inline struct bw_picture bw_picture_new(struct bw_arena *arena, double width, double height,
					       const char *says)
{
	return (struct bw_picture){.arena = arena, .width = width, .height = height, .says = says};
}

/* Return an axis: x from left to right, y from the bottom up. */
static inline struct bw_axis bw_axis_x(double low, double high, bool log, const char *title)
{
	return (struct bw_axis){.low = low, .high = high, .log = log, .title = title};
}

static inline struct bw_axis bw_axis_y(double low, double high, bool log, const char *title)
{
	return (struct bw_axis){.low = low, .high = high, .log = log, .up = true, .title = title};
}

static inline struct bw_mark bw_mark_line(enum bw_tint tint)
{
	return (struct bw_mark){.kind = BW_MARK_LINE, .tint = tint};
}

static inline struct bw_mark bw_mark_dot(enum bw_tint tint, enum bw_symbol symbol)
{
	return (struct bw_mark){.kind = BW_MARK_DOT, .tint = tint, .symbol = symbol};
}

static inline struct bw_mark bw_mark_box(enum bw_tint tint, enum bw_fill fill)
{
	return (struct bw_mark){.kind = BW_MARK_BOX, .tint = tint, .fill = fill};
}

/* Adds a mark. The caller may change the returned mark until the next one is added. */
struct bw_mark *bw_picture_add(struct bw_picture *picture, struct bw_mark mark);
/* Adds a dot or text at a position given as values of the axes. */
struct bw_mark *bw_picture_at(struct bw_picture *picture, struct bw_mark mark, double x, double y);
/* Adds a line or a box between two positions given as values of the axes. */
struct bw_mark *bw_picture_span(struct bw_picture *picture, struct bw_mark mark, double x0, double y0,
				double x1, double y1);
/* Adds a line of n points. The points are 0 until the caller sets them. */
struct bw_mark *bw_picture_path(struct bw_picture *picture, struct bw_mark mark, int n);
void bw_picture_legend(struct bw_picture *picture, struct bw_mark mark, const char *words);
/* Returns the position of a value on an axis; 0..1 if the value is between the ends of the axis. */
double bw_axis_at(const struct bw_axis *axis, double value);
/* Adds a tick, unless the value is outside of the axis. The arena owns the label. */
void bw_picture_tick(struct bw_picture *picture, struct bw_axis *axis, double value, const char *label);
/* Returns the label of a tick at a round value: 0.05. */
struct bw_said bw_say_tick(double value);
/* Adds about `most` ticks at round values, labelled by `say`. */
void bw_picture_ticks(struct bw_picture *picture, struct bw_axis *axis, int most,
		      struct bw_said (*say)(double));
