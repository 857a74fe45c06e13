/* Fewer bytes for the same screen, for slow lines. Curses writes separate sequences for attributes and
 * both colours, repeats the background with each foreground, and resets before each change. This rewrites
 * the output of a frame: attributes are written only where visible text has them, all in one sequence, and
 * only the changes. */
#ifndef BW_UI_SHORTEN_H
#define BW_UI_SHORTEN_H
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Appends the output of a frame in a shorter form, for a terminal of ECMA-48 (ESC [ ... m sets and resets
 * attributes one by one) without attributes at the frame's beginning; it has none at the end either.
 * Returns false and appends nothing if the frame contains an unknown sequence. */
bool bw_shorten(const char *bytes, size_t n, struct bw_text *out);
#endif
