/* Private to the two files that steer the screen: steer.c handles requests of keys and the mouse,
 * steer_rows.c runs lines and moves in the rows of views. */
#pragma once
#include "ui/screen.h"

/* Returns true if the view of this name is shown. */
bool bw_steer_shows(const struct bw_screen *screen, const char *view);
void bw_steer_close_answer(struct bw_screen *screen);
/* Moves the selection by rows, or by pages. Scrolls a view without a selection. */
void bw_steer_move(struct bw_screen *screen, int by);
void bw_steer_pages(struct bw_screen *screen, int pages);
/* Selects the first producer of the selected Func (producer), or its first consumer. */
void bw_steer_follow(struct bw_screen *screen, bool producer);
/* Selects the item that a screen line shows, if the line belongs to the focused view. */
void bw_steer_click(struct bw_screen *screen, int y);
