/* Pictures (figures/picture.h) in the terminal: axes, shades and names by the cell, lines and points by the
 * dot of braille. */
#pragma once

#include "figures/picture.h"
#include "ui/sheet.h"

/* A canvas of cells to draw on before its rows are copied into a sheet. Boxes and shades are drawn by
 * the cell, points and lines by the dot of braille characters, 2 by 4 per cell. ASCII terminals show
 * substitutes (glyph.h). Drawing outside the canvas has no effect. */
enum { BW_CANVAS_DOTS_X = 2, BW_CANVAS_DOTS_Y = 4 }; /* of a cell */

/* Shades of an area: name in C, code point. They can be told apart without colours, and in ASCII. */
#define BW_SHADE_TABLE(X) \
	X(BW_SHADE_NONE, ' ') \
	X(BW_SHADE_LIGHT, 0x2591) \
	X(BW_SHADE_MEDIUM, 0x2592) \
	X(BW_SHADE_DARK, 0x2593) \
	X(BW_SHADE_FULL, 0x2588)

enum bw_shade { BW_SHADE_TABLE(BW_FIRST) BW_N_SHADES };

struct bw_canvas {
	int columns, rows;
	struct bw_cell *cells; /* row by row */
	uint8_t *dots;         /* of each cell: the set dots, encoded as in braille; 0: none */
	uint8_t *ends;         /* of each cell: the sides at which its lines go on; 0: none */
	bool *kept;            /* of each cell: true if dots are not drawn */
};

/* Returns a blank canvas of the arena. Negative sizes count as 0. */
struct bw_canvas bw_canvas_new(int columns, int rows, struct bw_arena *arena);
/* Writes one character into a cell; replaces dots. */
void bw_canvas_put(struct bw_canvas *canvas, int x, int y, enum bw_style style, uint32_t glyph);
/* Writes text from a cell on, cut at column `right` (exclusive). */
void bw_canvas_text(struct bw_canvas *canvas, int x, int y, int right, enum bw_style style, const char *text);
/* Shades a rectangle of cells. */
void bw_canvas_shade(struct bw_canvas *canvas, struct bw_rect rect, enum bw_style style, enum bw_shade shade);
/* Draws the outline of a rectangle of at least 2 by 2 cells. Joins the outline to the lines that it
 * crosses. */
void bw_canvas_box(struct bw_canvas *canvas, struct bw_rect rect, enum bw_style style);
/* Draws a line down to row `to`, joined to the lines that it crosses. */
void bw_canvas_down(struct bw_canvas *canvas, int x, int y, int to, enum bw_style style);
/* Keeps cells of a row free of dots. */
void bw_canvas_keep(struct bw_canvas *canvas, int x, int y, int columns);
/* Returns true if any of these cells is kept free of dots. */
bool bw_canvas_is_kept(const struct bw_canvas *canvas, int x, int y, int columns);
/* bw_canvas_dot sets one dot; bw_canvas_line draws a line of dots. Dots over text are dropped. */
void bw_canvas_dot(struct bw_canvas *canvas, int x, int y, enum bw_style style);
void bw_canvas_line(struct bw_canvas *canvas, int x0, int y0, int x1, int y1, enum bw_style style,
		    bool dashed);
/* Writes a row of the canvas with a pen, and moves the pen behind the row. */
void bw_canvas_write(const struct bw_canvas *canvas, int y, struct bw_pen *pen);

/* Draws a picture into a rectangle of the canvas, with its axes. A picture that has a fixed size is moved
 * by (x, y) cells. */
void bw_canvas_picture(struct bw_canvas *canvas, struct bw_rect rect, const struct bw_picture *picture, int x,
		       int y);

/* A picture at the top of a view with facts beside it. */
struct bw_plate {
	const struct bw_picture *picture;
	int most; /* most columns of the picture; 0: no limit */
	int n;    /* lines of facts, the first one is their title */
	const char **lines;
	const struct bw_picture *second; /* drawn below the facts if it fits; NULL: none */
	int under;                       /* rows that stay free below the plate, which includes its legend */
	int below;                       /* number of facts drawn below the picture on a narrow screen */
};
/* Adds the rows of a plate: all rows of the view's head, except the rows that stay free. */
void bw_plate_draw(struct bw_sheet *sheet, struct bw_arena *arena, const struct bw_plate *plate);
