/* Shortens the output of a frame, for slow lines. Curses writes separate sequences for attributes and
 * both colours, repeats the background with each foreground, and resets before each change. The
 * rewritten output sets attributes only before visible text that needs them, in one sequence, and only
 * those that change. */
#pragma once

#include "base/text.h"

/* Appends a frame's output in a shorter form, for a terminal of ECMA-48 (ESC [ ... m sets and resets
 * attributes one by one). No attributes may be set at the frame's beginning; none are set at its end.
 * Returns false and appends nothing if the frame contains an unknown sequence. */
bool bw_shorten(const char *bytes, size_t n, struct bw_text *out);
