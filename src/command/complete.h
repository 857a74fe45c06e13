/* Completion of words by their kind. Public only for its test. */
#pragma once
#include "session/call.h"

struct completions {
	struct bw_session *session;
	char **words;
	int n, most;
	const char *stem; /* the typed part of the word */
	size_t length;
};

/* Adds all words of a kind, such as all Funcs for `FUNC`. Adds nothing if the kind is unknown. */
void bw_complete_kind(struct completions *found, const char *name, size_t length);
