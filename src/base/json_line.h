/* Where a value stands in the text of a document: jansson keeps no lines, so the text is walked again, for an error only. */
#ifndef BW_BASE_JSON_LINE_H
#define BW_BASE_JSON_LINE_H
#include <stddef.h>

#include "base/json.h"

/* The line, from 1, on which the value of the last of n cursors begins. way[0] is the root and each next one a member or
 * an element of the one before; the text (length bytes) is the one that was parsed, so it is well-formed. */
size_t bw_json_line(const char *text, size_t length, const struct bw_json_at *const *way, size_t n);
#endif
