/* Has the user edit a text in an editor of their own. */
#pragma once
#include "base/error.h"
#include "base/text.h"

struct bw_editing {
	const char *command; /* run by sh with the file's path behind it: `vi`, `code -w` */
	const char *folder;  /* folder of the file that is edited */
};
/* Runs the editor on a file with the text, whose name ends with `suffix`, waits until it exits, and
 * replaces the text by the file's. Hands the terminal to the editor: until it exits, ^C and ^\ do not
 * end this process, and ^Z stops both. Returns false with an error, and leaves the text, if the file
 * cannot be made or read, or the editor cannot be started or fails. */
bool bw_edit_text(const struct bw_editing *editing, const char *suffix, struct bw_text *text,
		  struct bw_error *error);
