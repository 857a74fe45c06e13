/* Fewer bytes for the same screen. Curses says attributes and the two colours in sequences of their own, says a background again with each foreground, and
 * goes back to plain before each change; a slow line feels that. What is written for one frame is rewritten: attributes are said where something is
 * shown with them, all in one sequence, and only what differs. */
#ifndef BW_UI_SHORTEN_H
#define BW_UI_SHORTEN_H
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Appends what a frame wrote, shorter, for a terminal of ECMA-48 (its attributes are set and taken back by ESC [ ... m, one by one), that has none of
 * them when the frame begins; then it has none at its end either. False, and nothing is appended, where the frame has something that is not known. */
bool bw_shorten(const char *bytes, size_t n, struct bw_text *out);
#endif
