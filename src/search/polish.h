/* Polishing under way at the end of the last pass. Shared by the files of this room alone. */
#ifndef BW_SEARCH_POLISH_H
#define BW_SEARCH_POLISH_H
#include "search/search_private.h"

/* Begins with the best schedule of a position that nobody else has yet. */
struct bw_polisher;
struct bw_polisher *bw_polisher_begin(const struct bw_search *search, struct bw_reached *end);
/* Goes a little further; returns true if no change of a single Func lowers the cost any more. */
bool bw_polisher_step(struct bw_polisher *polisher);
/* Frees it; if it went to its end, what it found is the first of the position's beam. Accepts NULL. */
void bw_polisher_end(struct bw_polisher *polisher);
void bw_polish_free(struct bw_polish *polish);
#endif
