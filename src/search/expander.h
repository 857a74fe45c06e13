/* The options of any state, in the search's beam or not: for other schedulers, which explore the same
 * space at the same prices. */
#ifndef BW_SEARCH_EXPANDER_H
#define BW_SEARCH_EXPANDER_H
#include "search/search.h"

/* Returns all options of decision `index` beside the Funcs placed in `nest`, whose cost so far is
 * `cost`, with the search's fates and costs, but without nests and words. The search would go on with
 * the options of fate COSTED. Free them with bw_expansion_free. */
struct bw_expansion *bw_search_offered(const struct bw_search *search, int index, struct bw_nest *nest,
				       double cost);
/* Returns true if the search inlines a Func without a choice. */
bool bw_search_inlines(const struct bw_search *search, int func);
#endif
