/* Polishing at the end of the last pass. Private to the files of this room. */
#ifndef BW_SEARCH_POLISH_H
#define BW_SEARCH_POLISH_H
#include "search/search_private.h"

/* Polishes the best schedule of a position, which nothing else uses yet; the result becomes the first
 * state of its beam. Returns false, with the position as it was, if it was stopped. */
bool bw_polish(const struct bw_search *search, struct bw_position *end);
void bw_polish_free(struct bw_polish *polish);
#endif
