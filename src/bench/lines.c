#include "bench/lines.h"

#include <string.h>

#include "bench/protocol.h"

/* Moves what is still held to the front. */
static void compact(struct bw_lines *lines)
{
	struct bw_text *held = &lines->held;
	if (!lines->taken)
		return;
	memmove(held->bytes, held->bytes + lines->taken, held->length - lines->taken + 1);
	held->length -= lines->taken;
	lines->searched -= lines->taken;
	lines->taken = 0;
}

void bw_lines_add(struct bw_lines *lines, const char *bytes, size_t length)
{
	compact(lines);
	while (length) {
		const char *newline = memchr(bytes, '\n', length);
		size_t n = newline ? (size_t)(newline - bytes) : length,
		       room = BW_LONGEST_LINE - lines->unfinished, kept = n < room ? n : room;
		bw_text_append(&lines->held, bytes, kept);
		lines->unfinished += kept;
		if (newline) {
			bw_text_append(&lines->held, "\n", 1);
			lines->unfinished = 0;
			n++;
		}
		bytes += n;
		length -= n;
	}
}

char *bw_lines_next(struct bw_lines *lines, size_t *length)
{
	struct bw_text *held = &lines->held;
	if (lines->searched < lines->taken)
		lines->searched = lines->taken;
	char *newline = held->length > lines->searched
			    ? memchr(held->bytes + lines->searched, '\n', held->length - lines->searched)
			    : NULL;
	lines->searched = newline ? (size_t)(newline - held->bytes) + 1 : held->length;
	if (!newline)
		return NULL;
	char *line = held->bytes + lines->taken;
	*newline = 0;
	*length = (size_t)(newline - line);
	lines->taken = lines->searched;
	return line;
}

char *bw_lines_rest(struct bw_lines *lines, size_t *length)
{
	struct bw_text *held = &lines->held;
	if (held->length == lines->taken)
		return NULL;
	char *line = held->bytes + lines->taken;
	*length = held->length - lines->taken;
	lines->taken = lines->searched = held->length;
	lines->unfinished = 0;
	return line;
}

void bw_lines_free(struct bw_lines *lines)
{
	bw_text_free(&lines->held);
	*lines = (struct bw_lines){0};
}
