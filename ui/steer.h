/* Shared by the two files that steer the screen: steer.c has requests, steer_rows.c what is done among the rows of a view. */
#ifndef BW_UI_STEER_H
#define BW_UI_STEER_H
#include "ui/screen.h"

/* Whether the view of this name is shown. */
bool bw_steer_shows(const struct bw_screen *screen, const char *view);
/* The selection goes by so many rows, or pages; where there is none, the view is scrolled. */
void bw_steer_move(struct bw_screen *screen, int by);
void bw_steer_pages(struct bw_screen *screen, int pages);
/* An answer that is longer than its room is scrolled by the keys that move; returns whether it was. */
bool bw_steer_scroll_answer(struct bw_screen *screen, enum bw_request request);
/* The start page gives way to whatever is asked for. */
void bw_steer_leave_start(struct bw_screen *screen, enum bw_request request);
#endif
