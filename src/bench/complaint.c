#include "bench/complaint.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Marks after which a message begins in a line, the most informative mark first. whole: all following lines
 * belong to the message, because Halide writes messages of several lines and the program ends after them. */
static const struct {
	const char *text;
	bool whole;
} marks[] = {{"beamwalk: error: ", false},
	     {"Unhandled exception: Error: ", true},
	     {"Unhandled exception: ", true},
	     {"Internal Error", true},
	     {"Error: ", true},
	     {"error: ", false}};

/* Appends the indented names below a line that ends with a colon, as `title a, b`. Generators print the names
 * that they know in this way. Returns the text after the names. */
static const char *append_names(const char *from, struct bw_text *line)
{
	const char *separator = " ";
	while (*from == '\n' && (from[1] == ' ' || from[1] == '\t')) {
		from++;
		from += strspn(from, " \t");
		size_t length = strcspn(from, "\n");
		bw_text_puts(line, separator);
		bw_text_append(line, from, length);
		separator = ", ";
		from += length;
	}
	return from;
}

/* Appends a line and the names below it. Returns the text after them. */
static const char *append_line(const char *from, struct bw_text *line)
{
	size_t length = strcspn(from, "\n");
	const char *next = from + length;
	bw_text_append(line, from, length);
	if (*next == '\n' && length && from[length - 1] == ':')
		return append_names(next, line);
	if (*next == '\n' && strncmp(next + 1, "Did you mean:", 13) == 0) {
		bw_text_puts(line, "; it has");
		return append_names(next + 14, line);
	}
	return next;
}

/* Appends all lines, separated by blanks. */
static void append_lines(const char *from, struct bw_text *line)
{
	for (from = append_line(from, line); *from;) {
		from += strspn(from, " \t\r\n");
		bw_text_puts(line, *from ? " " : "");
		from = append_line(from, line);
	}
}

/* Returns the last line that is not empty. */
static const char *last_line(const char *errors)
{
	const char *last = errors;
	for (const char *at = errors; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (at[strspn(at, " \t\r\n")] && *at != '\n')
			last = at;
	return last;
}

/* Returns true if a line was printed because of LD_DEBUG: ` 12345: symbol=...`. */
static bool is_loader(const char *line)
{
	line += strspn(line, " ");
	size_t digits = strspn(line, "0123456789");
	return digits && line[digits] == ':' && line[digits + 1] == '\t';
}

/* Returns the text without the lines of the dynamic loader; free(). */
static char *without_loader(const char *errors)
{
	struct bw_text rest = {0};
	for (const char *at = errors; *at;) {
		size_t length = strcspn(at, "\n");
		length += at[length] == '\n';
		if (!is_loader(at))
			bw_text_append(&rest, at, length);
		at += length;
	}
	return bw_text_take(&rest);
}

static void find_complaint(const char *errors, struct bw_text *line)
{
	bw_text_clear(line);
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
		const char *found = strstr(errors, marks[k].text);
		if (!found)
			continue;
		found += strcmp(marks[k].text, "Internal Error") ? strlen(marks[k].text) : 0;
		if (marks[k].whole)
			append_lines(found, line);
		else
			append_line(found, line);
		if (!line->length && marks[k].whole) /* Halide 21 may print no message */
			bw_text_puts(line, "Internal Error of which Halide says no more");
		return;
	}
	const char *names = strstr(errors, "available Generators are:");
	append_line(names ? names : last_line(errors), line);
	while (line->length && strchr(" \t\r", line->bytes[line->length - 1]))
		line->bytes[--line->length] = 0;
}

void bw_complaint(const char *errors, struct bw_text *line)
{
	BW_SCOPED_MEMORY char *own = without_loader(errors);
	find_complaint(own, line);
}

/* Turns the outcome of a program into an error that tells the user what to do. */

bool bw_outcome_good(const struct bw_outcome *outcome, const char *name, const struct bw_patience *patience,
		     enum bw_error_kind kind, struct bw_error *error)
{
	BW_SCOPED_TEXT line = {0};
	bw_complaint(bw_text_get(&outcome->errors), &line);
	const char *colon = line.length ? ": " : "", *said = bw_text_get(&line);
	bool good = false;
	switch (outcome->ending) {
	case BW_EXITED:
		good = outcome->code == 0;
		if (!good && line.length)
			bw_fail(error, kind, "%s: %s", name, said);
		else if (!good)
			bw_fail(error, kind, "%s: ended with status %d and said nothing", name, outcome->code);
		break;
	case BW_CRASHED:
		bw_fail(error, kind, "%s: crashed with signal %s%s%s", name,
			sigabbrev_np(outcome->code) ? sigabbrev_np(outcome->code) : "?", colon, said);
		break;
	case BW_TIMED_OUT:
		bw_fail(error, kind, "%s: killed at the limit of %g s%s%s", name, patience->seconds, colon, said);
		break;
	case BW_STOPPED:
		bw_fail(error, BW_ERROR_STOPPED, "%s: stopped", name);
		break;
	case BW_NOT_STARTED:
		bw_fail(error, BW_ERROR_IO, "%s: cannot be run: %s", name, strerror(outcome->code));
		break;
	}
	return good;
}
