/* Completion of words by their kind, for its test. */
#pragma once
#include "session/call.h"

struct completions {
	struct bw_session *session;
	char **words;
	int n, most;
	const char *stem; /* the part of the word that was typed */
	size_t length;
};

/* Adds all things of a kind, such as `FUNC`. Adds nothing if the kind is unknown. */
void bw_complete_kind(struct completions *found, const char *name, size_t length);
