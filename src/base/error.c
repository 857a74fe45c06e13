#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int status;
} kinds[] = {
#define X(name, status, text) {#name, status},
	BW_ERROR_TABLE(X)
#undef X
};

/* Returns the number of bytes that follow a first byte of UTF-8. */
static int bytes_behind(unsigned char byte)
{
	return byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : byte < 0xf5 ? 3 : 0;
}

void bw_one_line(char *text)
{
	int behind = 0;
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text, next = (unsigned char)text[1];
		bool continues = behind > 0 && (byte & 0xc0) == 0x80;
		if (byte == 0xc2 && next >= 0x80 && next < 0xa0)
			text[0] = text[1] = byte = ' ';
		else if (byte < 0x20 || byte == 0x7f || (!continues && byte >= 0x80 && byte < 0xa0))
			*text = ' ';
		behind = continues ? behind - 1 : bytes_behind(byte);
	}
}

bool bw_fail(struct bw_error *error, enum bw_error_kind kind, const char *format, ...)
{
	if (!error)
		return false;
	va_list args;
	va_start(args, format);
	error->kind = kind;
	vsnprintf(error->text, sizeof error->text, format, args);
	va_end(args);
	bw_one_line(error->text);
	return false;
}

bool bw_fail_in(struct bw_error *error, const char *format, ...)
{
	if (!error)
		return false;
	char tail[sizeof error->text];
	memcpy(tail, error->text, sizeof tail);
	va_list args;
	va_start(args, format);
	int used = vsnprintf(error->text, sizeof error->text, format, args);
	va_end(args);
	if (used >= 0 && (size_t)used < sizeof error->text)
		snprintf(error->text + used, sizeof error->text - (size_t)used, ": %s", tail);
	bw_one_line(error->text);
	return false;
}

int bw_error_status(enum bw_error_kind kind)
{
	return kinds[kind].status;
}

const char *bw_error_name(enum bw_error_kind kind)
{
	return kinds[kind].name;
}
