/* Polishing at the end of the last pass. Private to the files of this room. */
#ifndef BW_SEARCH_POLISH_H
#define BW_SEARCH_POLISH_H
#include "search/search_private.h"

/* Begins with the best schedule of a position, which nothing else uses yet. */
struct bw_polisher;
struct bw_polisher *bw_polisher_begin(const struct bw_search *search, struct bw_reached *end);
/* Goes a little further; returns true if no change of a single Func lowers the cost any more. */
bool bw_polisher_step(struct bw_polisher *polisher);
/* Ends polishing. If it was complete, its result becomes the first state of the position's beam.
 * Accepts NULL. */
void bw_polisher_end(struct bw_polisher *polisher);
void bw_polish_free(struct bw_polish *polish);
#endif
