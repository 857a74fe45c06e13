/* Words of the text form of schedules (beamwalk-schedule(5)) that the screen and messages use too: names,
 * sites, choices. */
#ifndef BW_NEST_WORDS_H
#define BW_NEST_WORDS_H
#include <stdbool.h>

#include "nest/placement.h"

/* Words of the text form with a meaning of their own, besides those of the tables in nest/placement.h: name
 * in C, word. */
#define BW_WORD_TABLE(X) \
	X(HEADER, "beamwalk-schedule") X(PIPELINE, "pipeline") X(ALGORITHM, "algorithm") X(ROOT, "root") X(INLINE, "inline") X(AT, "at") X(IN, "in") \
	X(CLONE, "clone") X(RFACTOR, "rfactor") X(STORE, "store") X(ORDER, "order") X(UNTILED, "untiled") X(UPDATE, "update") X(STAGING, "staging")

enum bw_word {
#define X(name, text) BW_WORD_##name,
	BW_WORD_TABLE(X)
#undef X
	BW_N_WORDS
};
const char *bw_word_text(enum bw_word word);

/* Names of roles, as in `output.block`; serial levels add their number. */
const char *bw_role_name(enum bw_role role);

/* Whether a byte ends a word that is not quoted. */
bool bw_word_ends_at(char byte);
/* If name ends as the name of an update stage does, `.update` and a number without leading zeros, the offset
 * of that dot and the number; else false. */
bool bw_word_update(const char *name, size_t length, size_t *dot, int *update);

/* A name as it stands in the text form: in quotes where it has blanks, punctuation or control characters, or
 * is a keyword. */
void bw_name_print(const char *name, struct bw_text *out);
/* The first words of a placement: what is placed, and where it is computed. `Ix at output.block`, `Ix in det
 * root`. */
void bw_placement_print_head(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			     struct bw_text *out);
/* What a placement says of storage, each with a blank before it: ` store output.block in shared order y x`;
 * nothing by default. */
void bw_placement_print_storage(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
				struct bw_text *out);
#endif
