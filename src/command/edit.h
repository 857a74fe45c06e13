/* Lets the user edit a text in an editor. */
#pragma once
#include "base/error.h"
#include "base/text.h"

struct bw_editing {
	const char *command; /* shell command of the editor, to which the file's path is appended: `vi`, `code
				-w` */
	const char *folder;  /* folder for the file that is edited */
};
/* Runs the editor on a file with the text, whose name ends with `suffix`. Waits until the editor exits, and
 * replaces the text by the file's. The editor gets the terminal: until it exits, ^C and ^\ do not end this
 * process, and ^Z stops both. If the file cannot be made or read, or the editor cannot be started or fails,
 * returns false with an error and leaves the text unchanged. */
bool bw_edit_text(const struct bw_editing *editing, const char *suffix, struct bw_text *text,
		  struct bw_error *error);
