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

/* One line: whatever a file or a child process put into the message, it must not break the screen. */
static void one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = ' ';
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
	one_line(error->text);
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
	one_line(error->text);
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
