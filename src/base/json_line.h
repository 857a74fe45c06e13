/* Finds the line of a value in a document. jansson keeps no lines, so the text is scanned again, for
 * errors only. */
#ifndef BW_BASE_JSON_LINE_H
#define BW_BASE_JSON_LINE_H
#include <stddef.h>

#include "base/json.h"

/* Returns the line, from 1, on which the value of the last of n cursors begins. way[0] is the root, and
 * each further cursor a member or element of the one before. text (length bytes) is the document's text,
 * and so well-formed. */
size_t bw_json_line(const char *text, size_t length, const struct bw_json_at *const *way, size_t n);
#endif
