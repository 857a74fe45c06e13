/* What the worker and its client agree on (PROTOCOL). */
#pragma once
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

enum {
	BW_BENCH_VERSION = 2,
	BW_LONGEST_LINE = 16 << 20, /* bytes; a longer one is cut, and then no JSON */
	BW_PIECE = 192 << 10        /* bytes of content that one `put` carries at most */
};

/* The bound of error of a request that states none of its own. */
#define BW_BOUND_WORD "default"

/* What a request may ask the worker to do, as it says in "do". */
#define BW_DO_TABLE(X) \
	X(BW_DO_HELLO, "hello") \
	X(BW_DO_DEVICES, "devices") X(BW_DO_HAVE, "have") X(BW_DO_PUT, "put") X(BW_DO_MEASURE, "measure") X(BW_DO_CANCEL, "cancel") \
	    X(BW_DO_RATES, "rates")
enum bw_do { BW_DO_TABLE(BW_FIRST) };

/* Seconds that an object may take: those of the request, or ten times as many as the reference took. An
 * object runs five times and more, and what the machine has to do, or others do on it, slows both. */
static inline double bw_object_limit(double limit, double reference)
{
	return 10 * reference > limit ? 10 * reference : limit;
}

/* What estimates call the output of this number, from 0, whatever the filter calls it. */
enum { BW_OUTPUT_KEY_SIZE = 24 };
static inline void bw_output_key(int number, char key[BW_OUTPUT_KEY_SIZE])
{
	snprintf(key, BW_OUTPUT_KEY_SIZE, "output %d", number);
}

/* The name of a content: 128 bits of its hash, in hexadecimal. */
enum { BW_CONTENT_NAME = 33 };
void bw_content_name(const void *bytes, size_t length, char name[BW_CONTENT_NAME]);

/* Base64 (RFC 4648, with padding). Encoded text for the caller to free(). */
char *bw_base64_encode(const unsigned char *bytes, size_t length);
/* Decodes into bytes, which has room for 3 bytes of every 4 letters; the number of bytes, -1 where the text
 * is no base64. */
long bw_base64_decode(const char *text, size_t length, unsigned char *bytes);

/* Lines out of what arrives in pieces. A struct bw_lines of zeros is empty and ready. */

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
