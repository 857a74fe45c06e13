/* What the search offers in any state, not only in those of its beam: for schedulers that go through the same
 * space at the same prices. */
#ifndef BW_SEARCH_EXPANDER_H
#define BW_SEARCH_EXPANDER_H
#include "search/search.h"

/* Returns all options of decision `index` beside what is placed in `nest`, whose cost so far is `cost`, with
 * fates and costs as the search has them; without nests and words. Free it with bw_expansion_free. The
 * options of fate COSTED are those that the search would go on with. */
struct bw_expansion *bw_search_offered(const struct bw_search *search, int index, struct bw_nest *nest,
				       double cost);
/* Returns true if the search inlines a Func without a choice. */
bool bw_search_inlines(const struct bw_search *search, int func);
#endif
