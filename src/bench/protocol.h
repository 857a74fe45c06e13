/* Definitions that the worker and its client share (PROTOCOL). */
#pragma once
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

enum {
	BW_BENCH_VERSION = 2,
	BW_LONGEST_LINE = 16 << 20, /* bytes; a longer line is cut, and is then not valid JSON */
	BW_PIECE = 192 << 10        /* most bytes of content per `put` */
};

/* The value of "bound" for the default bound of error. */
#define BW_BOUND_WORD "default"

/* Kinds of requests: the values of "do". */
#define BW_DO_TABLE(X) \
	X(BW_DO_HELLO, "hello") \
	X(BW_DO_DEVICES, "devices") X(BW_DO_HAVE, "have") X(BW_DO_PUT, "put") X(BW_DO_MEASURE, "measure") X(BW_DO_CANCEL, "cancel") \
	    X(BW_DO_RATES, "rates")
enum bw_do { BW_DO_TABLE(BW_FIRST) };

/* Returns the seconds that an object may take: the request's limit, or ten times the reference's time if that
 * is more. An object runs five times or more, and load on the machine slows both. */
static inline double bw_object_limit(double limit, double reference)
{
	return 10 * reference > limit ? 10 * reference : limit;
}

/* Writes the key of output `number`, from 0, in estimates. The key does not depend on the output's name in
 * the filter. */
enum { BW_OUTPUT_KEY_SIZE = 24 };
static inline void bw_output_key(int number, char key[BW_OUTPUT_KEY_SIZE])
{
	snprintf(key, BW_OUTPUT_KEY_SIZE, "output %d", number);
}

/* The name of a content: a hash of 128 bits, in hexadecimal. */
enum { BW_CONTENT_NAME = 33 };
void bw_content_name(const void *bytes, size_t length, char name[BW_CONTENT_NAME]);

/* Base64 (RFC 4648, with padding). Returns the encoded text; free(). */
char *bw_base64_encode(const unsigned char *bytes, size_t length);
/* Decodes base64 into bytes, which has room for 3 bytes per 4 letters. Returns the number of bytes, or -1 if
 * the text is not base64. */
long bw_base64_decode(const char *text, size_t length, unsigned char *bytes);

/* Splits a stream, which arrives in pieces, into lines. A struct bw_lines of zeros is empty and ready. */

struct bw_lines {
	struct bw_text held; /* received bytes; those from `taken` on were not returned yet */
	size_t taken;
	size_t searched;   /* there is no newline before this offset */
	size_t unfinished; /* bytes held of the incomplete last line */
};

void bw_lines_add(struct bw_lines *lines, const char *bytes, size_t length);
/* Returns the next complete line, its newline replaced by a zero. Returns NULL if there is none. The line is
 * valid until the next call of bw_lines_add or bw_lines_next. A line of more than BW_LONGEST_LINE bytes is
 * cut. */
char *bw_lines_next(struct bw_lines *lines, size_t *length);
/* Returns the text after the last newline, like bw_lines_next. */
char *bw_lines_rest(struct bw_lines *lines, size_t *length);
void bw_lines_free(struct bw_lines *lines);
