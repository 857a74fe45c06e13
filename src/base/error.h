/* An error is a value: a kind, and one line of text. The text names the file, line, Func or key concerned
 * and says what was expected. */
#pragma once
#include <stdarg.h>
#include <stdbool.h>

/* Kinds of error: name in C, exit status of the program, meaning. Documented in beamwalk(1), EXIT STATUS. */
#define BW_ERROR_TABLE(X) \
	X(NONE, 0, "no error") \
	X(FAILED, 1, "the operation failed") \
	X(USAGE, 2, "wrong usage of a command or an option") \
	X(INPUT, 3, "a file or name from the user is not as expected") \
	X(IO, 4, "a file cannot be read or written") \
	X(HALIDE, 5, "the generator or Halide failed") \
	X(DEVICE, 6, "compiling for the device or running on it failed") \
	X(WRONG, 7, "a schedule gave a wrong output, or an assertion failed") \
	X(CONFLICT, 8, "constraints leave no legal schedule") \
	X(UNSTABLE, 9, "the program's own output depends on how it is scheduled") \
	X(MISSING, 10, "a tool or a device that is needed is missing") \
	X(PARTIAL, 11, "the schedule by hand has directives for which the text form has no word") \
	X(STOPPED, 130, "stopped by the user")

enum bw_error_kind {
#define X(name, status, text) BW_ERROR_##name,
	BW_ERROR_TABLE(X)
#undef X
};

struct bw_error {
	enum bw_error_kind kind;
	char text[1024]; /* one line without a newline; truncated, never overrun */
};

/* Replaces control characters, C1 included, by blanks, so that text from files, users or child processes
 * cannot control the terminal. */
void bw_one_line(char *text);
/* Sets *error, which may be NULL, and returns false, so that callers can write `return bw_fail(...)`. */
bool bw_fail(struct bw_error *error, enum bw_error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts "prefix: " before the text of *error, and returns false. */
bool bw_fail_in(struct bw_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the program's exit status for a kind of error. */
int bw_error_status(enum bw_error_kind kind);
const char *bw_error_name(enum bw_error_kind kind);
