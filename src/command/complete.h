/* Shared by the files of completion: complete.c reads the arguments in the table of commands,
 * complete_kinds.c lists things of a kind. */
#pragma once
#include "session/call.h"

struct completions {
	struct bw_session *session;
	char **words;
	int n, most;
	const char *stem; /* the part of the word that was typed */
	size_t length;
};

/* Adds a word if it begins with the stem and is not there yet. */
void bw_complete_with(struct completions *found, const char *word);
/* Adds all things of a kind, such as `FUNC`. Adds nothing if the kind is unknown. */
void bw_complete_kind(struct completions *found, const char *name, size_t length);
/* Adds the levels at which a Func can be computed: `output.block`. */
void bw_complete_levels(struct completions *found);
