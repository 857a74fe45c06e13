/* Lines out of what arrives in pieces. A struct bw_lines of zeros is empty and ready. */
#pragma once

#include "base/text.h"

struct bw_lines {
	struct bw_text held; /* what arrived and was not asked for yet, from `taken` on */
	size_t taken;
	size_t searched;   /* up to here there is no newline */
	size_t unfinished; /* bytes of the line that arrives that are held */
};

void bw_lines_add(struct bw_lines *lines, const char *bytes, size_t length);
/* The next whole line, its newline replaced by a zero; NULL while there is none. Valid until the next call of
 * either. A line of more than BW_LONGEST_LINE bytes is cut. */
char *bw_lines_next(struct bw_lines *lines, size_t *length);
/* What came after the last newline, as bw_lines_next. */
char *bw_lines_rest(struct bw_lines *lines, size_t *length);
void bw_lines_free(struct bw_lines *lines);
