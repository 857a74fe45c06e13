/* Private to the two files that steer the screen: steer.c handles requests, steer_rows.c the rows of
 * views. */
#pragma once
#include "ui/screen.h"

/* Returns true if the view of this name is shown. */
bool bw_steer_shows(const struct bw_screen *screen, const char *view);
/* Moves the selection by rows, or by pages. Scrolls a view without a selection. */
void bw_steer_move(struct bw_screen *screen, int by);
/* Selects the first Func that the selected one reads, or the first that reads it. */
void bw_steer_follow(struct bw_screen *screen, bool producer);
void bw_steer_pages(struct bw_screen *screen, int pages);
/* Scrolls an answer that does not fit, if the request moves. Returns true if it has scrolled. */
bool bw_steer_scroll_answer(struct bw_screen *screen, enum bw_request request);
/* Leaves the start page for any request. */
void bw_steer_leave_start(struct bw_screen *screen, enum bw_request request);
