/* Pictures (figures/picture.h) in the terminal: axes, shades and names by the cell, lines and points by the
 * dot of braille. */
#ifndef BW_UI_PICTURE_H
#define BW_UI_PICTURE_H
#include "figures/picture.h"
#include "ui/canvas.h"

/* Draws a picture into a rectangle of the canvas, with its axes. A picture of a size of its own is moved by
 * (x, y) cells. */
void bw_canvas_picture(struct bw_canvas *canvas, struct bw_rect rect, const struct bw_picture *picture, int x,
		       int y);
/* Writes the legend of a picture's symbols, as much of it as fits. */
void bw_legend_write(struct bw_pen *pen, const struct bw_picture *picture);

/* A picture at the top of a view with facts beside it. */
struct bw_plate {
	const struct bw_picture *picture;
	int most; /* columns of the picture; 0: any number */
	int n;    /* lines of facts, the first one is their title */
	const char **lines;
	const struct bw_picture *second; /* drawn below the facts if it fits; NULL: none */
	int under;                       /* rows that stay free below; with a legend one more is used */
	int below;                       /* number of facts drawn below the picture on a narrow screen */
};
/* Adds the rows of a plate: all that the view's head has, but for the rows that stay free. */
void bw_plate_draw(struct bw_sheet *sheet, struct bw_arena *arena, const struct bw_plate *plate);
#endif
