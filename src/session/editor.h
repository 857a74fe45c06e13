/* A text that the user edits, with an editor of the user's own. */
#ifndef BW_SESSION_EDITOR_H
#define BW_SESSION_EDITOR_H
#include "base/error.h"
#include "base/text.h"

struct bw_editing {
	const char *command; /* run by sh with the file's path behind it: `vi`, `code -w` */
	const char *folder;  /* where the file is for so long */
};
/* Runs the editor on the text, in a file whose name ends with `suffix`, and waits for its end; what
 * was written takes the text's place. The terminal is the editor's: ^C and ^\ do not end this
 * process meanwhile, and ^Z stops both. Returns false with an error, and the text as it was, where
 * the file cannot be made or read, or the editor does not start or does not end well. */
bool bw_edit_text(const struct bw_editing *editing, const char *suffix, struct bw_text *text,
		  struct bw_error *error);
#endif
