/* Words of the text form of schedules (beamwalk-schedule(5)) that the screen and messages also use:
 * names, sites, choices. */
#pragma once

#include "nest/placement.h"

/* Keywords of the text form besides those of the tables in nest/placement.h: name in C, word. */
#define BW_WORD_TABLE(X) \
	X(BW_WORD_HEADER, "beamwalk-schedule") X(BW_WORD_PIPELINE, "pipeline") X(BW_WORD_ALGORITHM, "algorithm") X(BW_WORD_ROOT, "root") X(BW_WORD_INLINE, "inline") X(BW_WORD_AT, "at") X(BW_WORD_IN, "in") \
	X(BW_WORD_CLONE, "clone") X(BW_WORD_RFACTOR, "rfactor") X(BW_WORD_STORE, "store") X(BW_WORD_ORDER, "order") X(BW_WORD_ALIGN, "align") X(BW_WORD_UNTILED, "untiled") X(BW_WORD_UPDATE, "update") \
	X(BW_WORD_ATOMIC, "atomic") X(BW_WORD_STAGING, "staging")

enum bw_word { BW_WORD_TABLE(BW_FIRST) BW_N_WORDS };
const char *bw_word_text(enum bw_word word);

/* Returns the name of a role, as in `output.block`; serial levels add their number. */
const char *bw_role_name(enum bw_role role);

/* Returns true if this byte ends a word that is not quoted. */
bool bw_word_ends_at(char byte);
/* Finds the suffix of an update stage's name: `.update` and a number without leading zeros. Sets *dot to
 * the offset of the suffix's dot, and *update to the number. Returns false if the name has no such suffix. */
bool bw_word_update(const char *name, size_t length, size_t *dot, int *update);

/* Appends a name in the text form: in quotes if it has blanks, punctuation or control characters,
 * or is a keyword. */
void bw_name_print(const char *name, struct bw_text *out);
/* Appends the first words of a placement, the Func and where it is computed: `Ix at output.block`,
 * `Ix in det root`. */
void bw_placement_print_head(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			     struct bw_text *out);
/* Appends what a placement says about storage, each part after a blank: ` store output.block in
 * shared order y x`. Appends nothing for the default. */
void bw_placement_print_storage(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
				struct bw_text *out);
