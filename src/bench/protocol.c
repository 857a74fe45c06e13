/* Splitting a stream into lines, the names of contents, and base64. */
#include "bench/protocol.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"

/* Moves the bytes that are still held to the front. */
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

/* Contents: their names, and their encoding in a line. */

void bw_content_name(const void *bytes, size_t length, char name[BW_CONTENT_NAME])
{
	snprintf(name, BW_CONTENT_NAME, "%016" PRIx64 "%016" PRIx64, bw_hash_bytes(1, bytes, length),
		 bw_hash_bytes(2, bytes, length));
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *bw_base64_encode(const unsigned char *bytes, size_t length)
{
	char *text = bw_new_array(4 * ((length + 2) / 3) + 1, 1), *to = text;
	for (size_t k = 0; k < length; k += 3) {
		size_t n = length - k < 3 ? length - k : 3;
		uint32_t bits = (uint32_t)bytes[k] << 16 | (n > 1 ? (uint32_t)bytes[k + 1] << 8 : 0) |
				(n > 2 ? bytes[k + 2] : 0);
		*to++ = letters[bits >> 18];
		*to++ = letters[bits >> 12 & 63];
		*to++ = n > 1 ? letters[bits >> 6 & 63] : '=';
		*to++ = n > 2 ? letters[bits & 63] : '=';
	}
	return text;
}

/* Returns the value of a base64 letter. Returns -1 for any other character. */
static int letter_value(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? letter - 'A'
	     : letter >= 'a' && letter <= 'z' ? letter - 'a' + 26
	     : letter >= '0' && letter <= '9' ? letter - '0' + 52
	     : letter == '+' ? 62
	     : letter == '/' ? 63
	                     : -1;
}

long bw_base64_decode(const char *text, size_t length, unsigned char *bytes)
{
	long n = 0;
	if (length % 4)
		return -1;
	size_t padding = length && text[length - 1] == '=' ? 1 + (text[length - 2] == '=') : 0;
	for (size_t k = 0; k < length; k += 4) {
		size_t left_out = k + 4 == length ? padding : 0;
		uint32_t bits = 0;
		for (size_t i = 0; i < 4; i++) {
			int value = i >= 4 - left_out ? 0 : letter_value(text[k + i]);
			if (value < 0)
				return -1;
			bits = bits << 6 | (uint32_t)value;
		}
		if (left_out && bits & ((1u << 8 * left_out) - 1))
			return -1;
		for (size_t i = 0; i < 3 - left_out; i++)
			bytes[n++] = (unsigned char)(bits >> (16 - 8 * i));
	}
	return n;
}
