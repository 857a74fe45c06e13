/* Completion, in its two files: complete.c knows how arguments are written in the table of commands,
 * complete_kinds.c what things there are. */
#ifndef BW_COMMAND_COMPLETE_H
#define BW_COMMAND_COMPLETE_H
#include "session/call.h"
#include "session/select.h"

struct completions {
	struct bw_session *session;
	char **words;
	int n, most;
	const char *stem; /* what is typed of the word */
	size_t length;
};

/* Takes a word where the stem is its beginning, once. */
void bw_complete_with(struct completions *found, const char *word);
/* All things of the kind of this name, `FUNC`; nothing where the name is of no kind. */
void bw_complete_kind(struct completions *found, const char *name, size_t length);
/* Levels to be at: `output.block`. */
void bw_complete_levels(struct completions *found);
#endif
