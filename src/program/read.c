#include "program/read.h"

#include <stdio.h>

enum bw_reading bw_read_plain(const char *prompt, struct bw_text *line)
{
	int byte;
	if (prompt) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	bw_text_clear(line);
	while ((byte = getchar()) != EOF && byte != '\n') {
		char one = (char)byte;
		bw_text_append(line, &one, 1);
	}
	return byte == EOF && !line->length ? BW_READ_END : BW_READ_LINE;
}
