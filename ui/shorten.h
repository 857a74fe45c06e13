/* Shortens the output of a frame, for slow connections. Curses writes separate sequences for attributes
 * and for both colours, repeats the background with each foreground, and resets before each change. The
 * rewritten output sets attributes only before visible text that needs them, in one sequence, and only the
 * attributes that change. */
#pragma once

#include "base/text.h"

/* Appends a frame's output in a shorter form, for a terminal that follows ECMA-48 (ESC [ ... m sets and
 * resets attributes one by one). The frame must begin with no attributes set, and the output ends with
 * none set. Returns false and appends nothing if the frame contains an unknown sequence. */
bool bw_shorten(const char *bytes, size_t n, struct bw_text *out);
