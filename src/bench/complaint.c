#include "bench/complaint.h"

#include <string.h>

/* Where in a line the message begins, best mark first. */
static const char *const marks[] = {"beamwalk: error: ",
				    "Unhandled exception: Error: ",
				    "Unhandled exception: ",
				    "Internal Error",
				    "Error: ",
				    "error: ",
				    NULL};

/* A list of names under a line that ends with a colon, as generators print the names that they know: `title
 * a, b`. */
static void append_names(const char *from, struct bw_text *line)
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
}

static void append_line(const char *from, struct bw_text *line)
{
	size_t length = strcspn(from, "\n");
	const char *next = from + length;
	bw_text_append(line, from, length);
	if (*next == '\n' && length && from[length - 1] == ':')
		append_names(next, line);
	else if (*next == '\n' && strncmp(next + 1, "Did you mean:", 13) == 0) {
		bw_text_puts(line, "; it has");
		append_names(next + 14, line);
	}
}

/* The last line that has something in it. */
static const char *last_line(const char *errors)
{
	const char *last = errors;
	for (const char *at = errors; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (at[strspn(at, " \t\r\n")] && *at != '\n')
			last = at;
	return last;
}

void bw_complaint(const char *errors, struct bw_text *line)
{
	bw_text_clear(line);
	for (int k = 0; marks[k]; k++) {
		const char *found = strstr(errors, marks[k]);
		if (!found)
			continue;
		append_line(strcmp(marks[k], "Internal Error") ? found + strlen(marks[k]) : found, line);
		return;
	}
	const char *names = strstr(errors, "available Generators are:");
	append_line(names ? names : last_line(errors), line);
	while (line->length && strchr(" \t\r", line->bytes[line->length - 1]))
		line->bytes[--line->length] = 0;
}
